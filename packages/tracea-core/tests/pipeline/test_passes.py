# SPDX-License-Identifier: MIT
"""Plans of several kernels, run by the interpreter one kernel after the other, give the product within its tolerance of float64."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec import UNSET
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, CompileError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import path as paths
from tracea_core.pipeline.offered import variants_of
from tracea_core.pipeline.passes import Pass, contraction_operands, in_plan, passes, scratch
from tracea_core.pipeline.path import Path, follow, retrace, trace
from tracea_core.plugin.select import resolve
from tracea_core.policy import arrange
from tracea_core.policy.arrange import arranged
from tracea_core.policy.arrangement import Arrangement
from tracea_core.semantic.contraction import ITEM, J
from tracea_core.semantic.index import Sym, equal
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import Overlap, SemanticKernel
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.faults import faults

plans = importlib.import_module("tracea_core.pipeline.plan")  # the package exports a function of the same name
BF16 = DType.BF16
Array = npt.NDArray[np.float64]


def path_of(problem: Problem, pick: Callable[[Arrangement], bool]) -> Path:
    """Return the path of the first arrangement that `pick` takes."""
    selection = resolve(None, None, "h200")
    ways = arranged(problem, selection.target, variants_of(selection))
    return follow(problem, selection, next(way for way in ways if pick(way.arrangement)), None)


def computed(path: Path, tensors: dict[str, Array]) -> Array:
    """Run all kernels of a path on memory by name; workspaces are poisoned before, and what a kernel leaves the next one finds."""
    memory = dict(tensors)
    for space in scratch(path.arrangement):
        memory[space.name] = np.full(space.bytes // (4 if space.name == "partial" else 2), np.nan)
    steps: list[tuple[SemanticKernel, dict[str, int], tuple[str, ...]]] = [
        (one.kernel, one.lowered.symbols, one.lowered.operands) for one in path.before
    ]
    steps.append((path.kernel, path.lowered.symbols, contraction_operands(path.arrangement, path.lowered.operands)))
    steps += [(one.kernel, one.lowered.symbols, one.lowered.operands) for one in path.after]
    for kernel, symbols, operands in steps:
        names = dict(zip((p.name for p in kernel.parameters), operands, strict=True))
        after = interpreter(kernel, symbols, {name: memory[place] for name, place in names.items()}, 2, 5).run()
        for name, place in names.items():
            memory[place] = after[name]
    return memory["output"]


def flat(spec: TensorSpec, values: Array) -> Array:
    size = 1 + sum((extent - 1) * stride for extent, stride in zip(spec.shape, spec.strides, strict=True))
    memory = np.zeros(size)
    view = np.lib.stride_tricks.as_strided(memory, spec.shape, tuple(8 * stride for stride in spec.strides))
    view[...] = values
    return memory


def check(problem: Problem, path: Path) -> None:
    random = np.random.default_rng(11)
    inputs = [random.integers(-8, 9, spec.shape).astype(np.float64) for spec in problem.inputs]
    operands = [random.integers(-8, 9, spec.shape).astype(np.float64) for spec in problem.epilogue_inputs]
    tensors = {f"input{i}": flat(spec, x) for i, (spec, x) in enumerate(zip(problem.inputs, inputs, strict=True))}
    tensors |= {
        f"epilogue{i}": flat(spec, x) for i, (spec, x) in enumerate(zip(problem.epilogue_inputs, operands, strict=True))
    }
    out = problem.output
    tensors["output"] = flat(out, np.zeros(out.shape))
    got = np.lib.stride_tricks.as_strided(computed(path, tensors), out.shape, tuple(8 * s for s in out.strides))
    np.testing.assert_allclose(got, problem.reference(*inputs, *operands), rtol=1e-9)


def meetings(path: Path) -> list[str]:
    """How the kernels of a plan meet, one word each."""
    return [one.launch.overlap.value if isinstance(one.launch.overlap, Overlap) else "" for one in path.kernels]


def test_kernels_of_a_plan_begin_while_the_one_before_ends() -> None:
    odd, deep, alone = (
        gemm((1111, 222, 333), BF16, "nt"),
        gemm((512, 512, 65536), BF16, "nt"),
        gemm((64, 64, 64), BF16, "nt"),
    )
    assert meetings(path_of(odd, lambda one: len(one.packed) == 2 and one.parts == 1)) == ["leads", "beside", "follows"]
    assert meetings(path_of(deep, lambda one: one.parts > 1)) == ["", ""], "sums begin when parts are complete"
    assert meetings(path_of(alone, lambda one: one.kernels == 1)) == ["follows"], "whatever is before it on the stream"
    few = gemm((40, 45, 519), BF16, "nt")
    four = path_of(few, lambda one: len(one.packed) == 2 and one.parts > 1)
    assert meetings(four) == ["leads", "beside", "follows", ""]
    copied = path_of(odd, lambda one: len(one.packed) == 2 and one.parts == 1)
    stored = copied.arrangement.replace(stored=odd.output)
    assert in_plan(copied.kernel, stored, preset("h200")).launch.overlap is Overlap.BOTH, "a copy of the result follows"
    before = trace(odd, preset="a100")
    assert len(before.kernels) > 1 and meetings(before) == [""] * len(before.kernels)


def test_a_kernel_keeps_its_digest_where_it_overlaps_nothing() -> None:
    older = trace(gemm((64, 64, 64), BF16, "nt"), preset="a100").kernel
    assert "overlap" not in older.to_json()
    follows = trace(gemm((64, 64, 64), BF16, "nt"), preset="h200").kernel
    kernel = follows.replace(launch=follows.launch.replace(overlap=UNSET))
    assert "overlap" not in kernel.to_json() and SemanticKernel.from_json(kernel.to_json()) == kernel
    assert follows.digest() != kernel.digest()
    leads = kernel.replace(launch=kernel.launch.replace(overlap=Overlap.LEADS))
    assert SemanticKernel.from_json(leads.to_json()) == leads and leads.digest() != kernel.digest()


def test_overlapping_launches_are_certified_only_where_devices_know_them() -> None:
    odd = gemm((37, 45, 131), BF16, "nt")
    path = path_of(odd, lambda one: len(one.packed) == 2 and one.parts == 1)
    copy = path.before[1]
    assert "overlap" in {proof.property for proof in copy.certificate.proofs}
    with pytest.raises(CertificationError, match="do not overlap"):
        certify(copy.kernel, copy.lowered.form, preset("a100"))


def with_epilogue(m: int, n: int, k: int, epilogue: str, **scales: float) -> Problem:
    fused = parse_epilogue(epilogue)
    shapes = {"bias": (n,), "residual": (m, n)}
    operands = tuple(TensorSpec.contiguous(shapes[operand.name], BF16) for operand in fused.operands)
    inputs = [TensorSpec.contiguous((m, k), BF16), TensorSpec((k, n), BF16, (1, k))]
    op = GemmOp(m, n, k, dtype=BF16, **scales)
    inputs += [TensorSpec.contiguous((m, n), BF16)] if op.beta else []
    return Problem(op, tuple(inputs), TensorSpec.contiguous((m, n), BF16), fused, operands)


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
def test_copied_operands_of_every_layout(layout: str) -> None:
    problem = gemm((37, 45, 131), BF16, layout)
    check(problem, path_of(problem, lambda one: len(one.packed) == 2 and one.parts == 1))


def test_large_products_of_fp32_have_what_runs_along_k_transposed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrange, "_LARGE", 1)
    problem = gemm((37, 45, 52), DType.FP32, "nt")
    path = path_of(problem, lambda one: len(one.packed) == 2 and one.parts == 1)
    check(problem, path)
    assert [one.kernel.title for one in path.before] == ["transpose fp32 into aligned rows"] * 2


def test_one_operand_is_copied_and_the_other_read_in_place() -> None:
    a, b = TensorSpec((37, 72), BF16, (72, 1)), TensorSpec((72, 45), BF16, (1, 75))
    problem = Problem(GemmOp(37, 45, 72, dtype=BF16), (a, b), TensorSpec.contiguous((37, 45), BF16))
    path = path_of(problem, lambda one: [p.operand for p in one.packed] == [1])
    check(problem, path)
    assert path.before[0].lowered.operands == ("input1", "copy1")


@pytest.mark.parametrize("k", [576, 577])
def test_divided_reductions(k: int) -> None:
    problem = gemm((37, 48, k), BF16, "nt")
    check(problem, path_of(problem, lambda one: one.parts > 1))


def test_divided_reductions_with_scales_and_an_epilogue() -> None:
    problem = with_epilogue(33, 45, 576, "bias,relu,residual", alpha=0.5, beta=2.0)
    path = path_of(problem, lambda one: one.parts > 1)
    check(problem, path)
    assert path.after[0].lowered.operands[:2] == ("partial", "output")


LAST, FIRST = (0, 2, 3, 1), (0, 1, 2, 3)


def conv(order: tuple[int, ...], filters: tuple[int, ...], epilogue: str, **fields: Any) -> Problem:
    """Return a convolution with the memory order of images and results, and that of filters."""
    sizes: dict[str, Any] = {"n": 2, "c": 7, "h": 5, "w": 6, "k": 11, "r": 3, "s": 3, "padding": (1, 1), "dtype": BF16}
    op = Conv2dOp(**(sizes | fields))
    inputs = tuple(dense(s, BF16, o) for s, o in zip(op.input_shapes(), (order, filters), strict=True))
    fused, out = parse_epilogue(epilogue), dense(op.output_shape(), BF16, order)
    extra = tuple(dense((op.k,), BF16) for _ in fused.operands)
    return Problem(op, inputs, out, fused, extra)


@pytest.mark.parametrize(
    ("problem", "kernels"),
    [
        (conv(LAST, LAST, "bias,relu", stride=(2, 1), dilation=(1, 2)), 3),
        (conv(LAST, LAST, ""), 4),
        (conv(LAST, FIRST, "relu", c=8, k=8), 2),
        (conv(FIRST, FIRST, "bias", c=8, k=16), 4),
        (conv(FIRST, LAST, "", n=1, r=1, s=1, padding=(0, 0), stride=(2, 2)), 4),
    ],
)
def test_images_and_filters_become_rows_of_channels(problem: Problem, kernels: int) -> None:
    path = path_of(problem, lambda one: one.kernels == kernels)
    assert path.choice.variant.name == "cuda.contraction.wgmma_windows_bf16"
    check(problem, path)


@pytest.mark.parametrize(
    "fields",
    [
        {"c": 3, "h": 9, "w": 10, "r": 7, "s": 7, "padding": (3, 3), "stride": (2, 2)},
        {"c": 1, "k": 8, "padding": (0, 2), "dilation": (2, 1)},
        {"c": 5, "k": 16, "n": 1, "s": 2, "stride": (1, 3), "padding": (2, 0)},
    ],
)
def test_lines_of_windows_become_rows_of_channels(fields: dict[str, Any]) -> None:
    problem = conv(LAST, LAST, "bias,relu" if fields["c"] == 3 else "", **fields)
    path = path_of(problem, lambda one: any(packing.pixel for packing in one.packed) and one.stored is None)
    assert path.choice.variant.name == "cuda.contraction.wgmma_windows_bf16"
    assert path.kernels[0].title.startswith("copy bf16 lines of pixels")
    check(problem, path)


GROUPED: dict[str, Any] = {"c": 48, "k": 96, "groups": 12}


@pytest.mark.parametrize("merged", [2, 4, 6, 12])
def test_groups_that_are_multiplied_together(merged: int) -> None:
    problem = conv(LAST, LAST, "bias,relu", **GROUPED)
    path = path_of(problem, lambda one: [packing.merged for packing in one.packed] == [merged])
    assert path.kernels[0].title == f"copy bf16 filters of {merged} groups into one"
    assert path.choice.variant.name == "cuda.contraction.wgmma_windows_bf16"
    check(problem, path)


@pytest.mark.parametrize("wrong", ["another group's place", "nothing but zeros", "no zeros"])
def test_wrong_copies_of_grouped_filters_are_not_certified(wrong: str) -> None:
    path = path_of(conv(LAST, LAST, "", **GROUPED), lambda one: [p.merged for p in one.packed] == [4])
    copy = path.before[0]
    source = copy.lowered.form.source
    place = J // Sym("channels")
    guard = {
        "another group's place": (equal(place, (ITEM + 1) % 4),),
        "nothing but zeros": (equal(place, ITEM % 4 + 4),),
        "no zeros": (),
    }[wrong]
    other = copy.lowered.form.replace(source=source.replace(guard=guard))
    certify(copy.kernel, copy.lowered.form, path.target.profile)
    with pytest.raises(CertificationError):
        certify(copy.kernel, other, path.target.profile)


def test_strided_operands_become_contiguous() -> None:
    a, b = TensorSpec((37, 40), BF16, (129, 3)), TensorSpec((40, 45), BF16, (4, 170))
    problem = Problem(GemmOp(37, 45, 40, dtype=BF16), (a, b), TensorSpec.contiguous((37, 45), BF16))
    check(problem, path_of(problem, lambda one: len(one.packed) == 2))


def test_every_kernel_of_a_plan_is_certified_and_printed() -> None:
    path = trace(gemm((1111, 2222, 3333), BF16, "nt"), preset="h200")
    assert len(path.kernels) == len(path.sources) == 3
    first, second = (one.kernel.replace(launch=path.kernel.launch) for one in path.before)
    assert first == second, "both copies are one kernel, but for their places in the plan"
    for one in (*path.before, *path.after):
        one.certificate.require(one.kernel)
        assert Pass.from_json(one.to_json()) == one
    assert path.considered[0] == path.arrangement and len(path.considered) > 2


def test_a_wrong_pass_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that forgets to pad would let the reduction read what is not there."""
    path = trace(gemm((1111, 2222, 3333), BF16, "nt"), preset="h200")
    broken = path.before[0].kernel
    unpadded = broken.replace(symbols=tuple(s.replace(multiple=1) if s.name == "n" else s for s in broken.symbols))
    with pytest.raises(CertificationError):
        certify(unpadded, path.before[0].lowered.form, path.target.profile)


def test_another_configuration_keeps_the_arrangement() -> None:
    path = trace(gemm((1111, 2222, 3333), BF16, "nt"), preset="h200")
    now = path.configuration
    hero = next(h for h in path.configured.decision.heroes if h != now and h.barrier_mode is now.barrier_mode)
    again = retrace(path, hero)
    assert again.arrangement == path.arrangement and again.configuration == hero


def test_a_given_configuration_gets_the_fewest_kernels_it_fits() -> None:
    problem = gemm((1111, 2222, 3333), BF16, "nt")
    single = path_of(problem, lambda one: one.kernels == 1).configuration
    assert len(trace(problem, preset="h200", configuration=single).kernels) == 1
    specialized = trace(problem, preset="h200").configuration
    assert len(trace(problem, preset="h200", configuration=specialized).kernels) == 3


def test_one_kernel_needs_no_pass() -> None:
    path = trace(gemm((64, 64, 64), BF16, "nt"), preset="h200")
    assert passes(path.problem, path.arrangement, path.target.profile, lambda *_: 1 / 0, lambda *_: 1 / 0) == ((), ())
    assert scratch(path.arrangement) == ()


def test_a_plan_that_no_compiler_keeps_gives_way_to_one_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every configuration of the contraction that reads copies is refused; the one kernel that reads in place is not."""
    refused: list[Path] = []

    def compiling(path: Path) -> Any:
        if path.arrangement.kernels > 1:
            refused.append(path)
            raise CompileError("the assembler spills")
        return plans.Plan(path, lambda *pointers, stream=0: None, ("input0", "input1", "output"))

    resolve_preset = resolve(None, None, "h200")
    monkeypatch.setattr(paths, "resolve", lambda *words, **more: resolve_preset)
    monkeypatch.setattr(plans, "plan_of", compiling)
    made = plans.plan(gemm((1111, 2222, 3333), BF16, "nt"))
    assert len(made.path.kernels) == 1 and len(refused) > 1


def test_a_kernel_that_spills_gives_way_to_one_of_more_lanes_and_fewer_registers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a gradient of filters in fp32, smaller tiles need more registers for coordinates, and no tile leaves room for two steps."""
    op = Conv2dFiltersOp(2, 7, 11, 11, 9, 3, 3, (2, 2), (1, 1))
    first = tuple(dense(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape()))

    def compiling(path: Path) -> Any:
        if path.configuration.unroll_k > 1:
            raise CompileError("the assembler spills")
        return plans.Plan(path, lambda *pointers, stream=0: None, ("input0", "input1", "output"))

    resolve_preset = resolve(None, None, "h200")
    monkeypatch.setattr(paths, "resolve", lambda *words, **more: resolve_preset)
    monkeypatch.setattr(plans, "plan_of", compiling)
    assert plans.plan(Problem(op, first[:2], first[2])).path.configuration.unroll_k == 1


def test_a_product_of_nothing_is_one_pass_that_writes_zeros() -> None:
    shape = (37, 24)
    out = TensorSpec(shape, DType.FP16, (40, 1))
    empty = Problem(GemmOp(37, 24, 0, dtype=DType.FP16), (dense((37, 0), DType.FP16), dense((0, 24), DType.FP16)), out)
    path = trace(empty, preset="h200")
    assert path.kernel.variant == "sweep" and path.kernels == (path.kernel,) and len(path.sources) == 1
    memory = np.full((37, 40), np.nan)
    found = computed(path, {"input0": np.full(1, np.nan), "output": memory.ravel()}).reshape(memory.shape)
    assert (found[:, :24] == 0).all() and np.isnan(found[:, 24:]).all(), "and nothing beside them"
    fused = empty.replace(epilogue=parse_epilogue("relu"))
    assert trace(fused, preset="h200").kernel.variant != "sweep", "an epilogue is applied to zeros"


@pytest.mark.parametrize(
    ("place", "planted"),
    [
        (0, {f"warp: Load held: guard without {test}" for test in range(5)}),
        (-1, {"warp: Barrier deposited left out", "warp: Barrier taken left out"}),
    ],
)
def test_copies_are_run_at_every_edge_and_from_tile_to_tile(place: int, planted: set[str]) -> None:
    """Ends of lines, channels and images are met one by one, and one block goes from one whole tile to the next."""
    op = Conv2dOp(8, 3, 224, 224, 64, 7, 7, (2, 2), (3, 3), dtype=DType.BF16)
    x, w, out = (TensorSpec.contiguous(shape, DType.BF16) for shape in (*op.input_shapes(), op.output_shape()))
    path = trace(Problem(op, (x, w), out), preset="h200")
    one = (*path.before, *path.after)[place]
    found = [fault for fault in faults(one.kernel) if fault.words in planted]
    assert {fault.words for fault in found} == planted
    for fault in found:
        with pytest.raises(CertificationError):
            certify(fault.kernel, one.lowered.form, path.target.profile)
