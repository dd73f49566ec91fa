# SPDX-License-Identifier: MIT
"""The verifier accepts the shipped schedules and refuses every planted fault, each by the property it breaks."""

from __future__ import annotations

import functools
import gc
import os
import platform
import subprocess
import sys
from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.activations import BiasAdd, ReLU
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Operand, Unary, UnaryFn
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.contraction import Named
from tracea_core.semantic.index import Const, Sym
from tracea_core.semantic.kernel import Direction, SemanticKernel, walk
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.steps import Barrier, Compute, Fill, If, Let, Load, Loop, Mma, Node, Staged, Store, Transfer
from tracea_core.semantic.verify.budgets import check_budgets
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.layouts import check_layouts
from tracea_core.semantic.verify.meaning import check_meaning
from tracea_core.semantic.verify.sample_sizes import periods
from tracea_core.semantic.verify.structure import check_structure

AVX2 = preset("avx2")
TILE = PipelineConfig(tile_m=4, tile_n=24, tile_k=4)


def tensor(*shape: int) -> TensorSpec:
    return TensorSpec.contiguous(shape, DType.FP32)


class Host:
    """Stands for an array of some shape."""

    def __init__(self, *shape: int) -> None:
        self.shape = shape


@functools.lru_cache(maxsize=8)
def gemm(split_k: int = 1, bias: bool = False) -> tuple[Lowered, SemanticKernel]:
    epilogue, operands = (BiasAdd(Host(7)) | ReLU()).bind() if bias else (None, ())
    extra = (
        {} if epilogue is None else {"epilogue": epilogue, "epilogue_inputs": tuple(tensor(*x.shape) for x in operands)}
    )
    lowered = lower(Problem(GemmOp(5, 7, 3), (tensor(5, 3), tensor(3, 7)), tensor(5, 7), **extra))
    return lowered, panel_kernel(lowered.contraction, TILE.replace(split_k=split_k), AVX2, "cpu.test", "kernel")


def conv() -> tuple[Lowered, SemanticKernel]:
    op = Conv2dOp(2, 4, 7, 6, 8, 3, 2, (1, 2), (1, 1))
    lowered = lower(Problem(op, tuple(tensor(*s) for s in op.input_shapes()), tensor(*op.output_shape())))
    return lowered, panel_kernel(lowered.contraction, TILE, AVX2, "cpu.test", "kernel")


@pytest.mark.parametrize("make", [gemm, functools.partial(gemm, 3), functools.partial(gemm, 1, True), conv])
def test_shipped_schedules_are_certified(make: Callable[[], tuple[Lowered, SemanticKernel]]) -> None:
    lowered, kernel = make()
    certificate = certify(kernel, lowered.contraction, AVX2)
    assert {proof.property for proof in certificate.proofs} >= {"structure", "layouts", "lanes", "registers", "meaning"}
    certificate.require(kernel)
    assert Certificate.from_json(certificate.to_json()) == certificate
    assert "meaning" in certificate.describe()


def test_a_certificate_serves_one_kernel_only() -> None:
    lowered, kernel = gemm()
    certificate = certify(kernel, lowered.contraction, AVX2)
    with pytest.raises(CertificationError, match="another kernel"):
        certificate.require(kernel.replace(title="something else"))


Edit = Callable[[Node], tuple[Node, ...] | None]


def edited(kernel: SemanticKernel, edit: Edit) -> SemanticKernel:
    """Return the kernel with the first node for which `edit` returns nodes replaced by them."""
    done = False

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        nonlocal done
        result: list[Node] = []
        for node in nodes:
            replacement = None if done else edit(node)
            if replacement is not None:
                done = True
                result.extend(replacement)
            elif isinstance(node, Loop | Staged):
                result.append(node.replace(body=visit(node.body)))
            elif isinstance(node, If):
                result.append(node.replace(then=visit(node.then), otherwise=visit(node.otherwise)))
            else:
                result.append(node)
        return tuple(result)

    role = kernel.roles[0]
    changed = kernel.replace(roles=(role.replace(body=visit(role.body)),))
    assert done and changed != kernel, "the fault was not planted"
    return changed


def drop(kind: type) -> Edit:
    return lambda node: () if isinstance(node, kind) else None


def shift_let(name: str, by: int) -> Edit:
    return lambda node: (node.replace(value=node.value + by),) if isinstance(node, Let) and node.name == name else None


def shift_loop(name: str, field: str, by: int) -> Edit:
    def edit(node: Node) -> tuple[Node, ...] | None:
        if isinstance(node, Loop) and node.var == name:
            return (node.replace(**{field: getattr(node, field) + by}),)
        return None

    return edit


def unmask(kind: type) -> Edit:
    return lambda node: (node.replace(guard=()),) if isinstance(node, kind) and node.guard else None


def twice(kind: type) -> Edit:
    return lambda node: (node, node) if isinstance(node, kind) else None


def always_inside(node: Node) -> tuple[Node, ...] | None:
    return node.then if isinstance(node, If) else None


def always_edge_swapped(node: Node) -> tuple[Node, ...] | None:
    return (node.replace(then=node.otherwise, otherwise=node.then),) if isinstance(node, If) else None


def swap_operands(node: Node) -> tuple[Node, ...] | None:
    return (node.replace(a=node.b, b=node.a),) if isinstance(node, Mma) else None


def stride_three(node: Node) -> tuple[Node, ...] | None:
    return (node.replace(step=3, unroll=1),) if isinstance(node, Loop) and node.var == "kk" else None


MEANING_FAULTS: dict[str, tuple[int, Edit]] = {
    "a dropped multiplication": (1, drop(Mma)),
    "a multiplication done twice": (1, twice(Mma)),
    "accumulators not cleared": (1, drop(Fill)),
    "a dropped store": (1, drop(Store)),
    "a load of B dropped": (1, drop(Load)),
    "a tile's first row shifted": (1, shift_let("row0", 1)),
    "a panel's first column shifted": (1, shift_let("column0", 1)),
    "K starts at 1": (1, shift_loop("kk", "start", 1)),
    "K ends one too far": (1, shift_loop("kk", "stop", 1)),
    "units start one late": (1, shift_loop("unit", "start", 1)),
    "units end one late": (1, shift_loop("unit", "stop", 1)),
    "one row tile too many": (1, shift_loop("tile", "stop", 1)),
    "one row tile missing": (1, shift_loop("tile", "start", 1)),
    "one panel missing": (1, shift_let("panels", -1)),
    "loads beyond the edge": (1, unmask(Load)),
    "stores beyond the edge": (1, unmask(Store)),
    "the edge never masked": (1, always_inside),
    "interior and edge swapped": (1, always_edge_swapped),
    "two of three K steps left out": (1, stride_three),
    "no barrier before the partial sums are read": (3, drop(Barrier)),
    "overlapping K ranges": (3, shift_let("k_count", 1)),
    "a gap between K ranges": (3, shift_let("k_count", -1)),
    "a K range shifted": (3, shift_let("k0", 1)),
    "partial sums of one part missing": (3, shift_loop("part", "start", 1)),
}


@pytest.mark.parametrize("name", MEANING_FAULTS)
def test_planted_faults_in_the_program_are_found(name: str) -> None:
    split_k, edit = MEANING_FAULTS[name]
    lowered, kernel = gemm(split_k)
    with pytest.raises((CertificationError, ConfigurationError)):
        check_meaning(edited(kernel, edit), lowered.contraction)


def test_vector_accesses_must_be_vectors() -> None:
    def widen(node: Node) -> tuple[Node, ...] | None:
        if isinstance(node, Load) and node.transfer is Transfer.GATHER:
            return (node.replace(transfer=Transfer.VECTOR),)
        return None

    lowered = lower(Problem(GemmOp(5, 7, 3), (tensor(5, 3), TensorSpec((3, 7), DType.FP32, (1, 3))), tensor(5, 7)))
    kernel = panel_kernel(lowered.contraction, TILE, AVX2, "cpu.test", "kernel")
    check_meaning(kernel, lowered.contraction)
    with pytest.raises(CertificationError, match="no vector access"):
        check_meaning(edited(kernel, widen), lowered.contraction)


def test_structure_faults_are_named() -> None:
    _, kernel = gemm()
    role = kernel.roles[0]
    check_structure(kernel)
    with pytest.raises(CertificationError, match="no identifier"):
        check_structure(kernel.replace(name="not a name"))
    with pytest.raises(CertificationError, match="one name"):
        check_structure(kernel.replace(symbols=(*kernel.symbols, kernel.symbols[0])))
    with pytest.raises(CertificationError, match="not bound"):
        check_structure(edited(kernel, drop(Let)))
    with pytest.raises(CertificationError, match="outside a loop"):
        check_structure(kernel.replace(roles=(role.replace(body=(Staged(0, role.body),)),)))
    with pytest.raises(CertificationError, match="hides another name"):
        check_structure(edited(kernel, lambda n: (n.replace(var="m"),) if isinstance(n, Loop) else None))
    with pytest.raises(CertificationError, match="let 'm' hides"):
        check_structure(edited(kernel, lambda n: (n.replace(name="m"),) if isinstance(n, Let) else None))
    with pytest.raises(ConfigurationError, match="no fragment"):
        check_structure(kernel.replace(roles=(role.replace(fragments=role.fragments[1:]),)))
    inputs = tuple(p.replace(direction=Direction.READ) for p in kernel.parameters)
    with pytest.raises(CertificationError, match="is written"):
        check_structure(kernel.replace(parameters=inputs))


@pytest.mark.parametrize(
    "field, listed",
    [("operands", ("bias_0", "bias_0")), ("accumulators", ("acc", "bias_0")), ("operands", ())],
)
def test_a_step_lists_what_its_expression_uses(field: str, listed: tuple[str, ...]) -> None:
    """A fragment that is listed and not used could be any other: no run and no text would show it."""
    _, kernel = gemm(bias=True)
    assert any(isinstance(n, Compute) and n.operands == ("bias_0",) for n in walk(kernel.roles[0].body))
    check_structure(kernel)
    wrong = edited(kernel, lambda n: (n.replace(**{field: listed}),) if isinstance(n, Compute) else None)
    with pytest.raises(CertificationError, match="lists"):
        check_structure(wrong)


def test_an_epilogue_that_leaves_an_operand_out_is_built_without_it() -> None:
    columns = tuple(EpilogueOperand(name, OperandAxes.COLUMN) for name in ("bias", "shift"))
    tail = Epilogue(Unary(UnaryFn.NEG, Operand(1)), columns)
    problem = Problem(
        GemmOp(5, 7, 3),
        (tensor(5, 3), tensor(3, 7)),
        tensor(5, 7),
        epilogue=tail,
        epilogue_inputs=(tensor(7), tensor(7)),
    )
    lowered = lower(problem)
    kernel = panel_kernel(lowered.contraction, TILE, AVX2, "cpu.test", "kernel")
    assert {n.operands for n in walk(kernel.roles[0].body) if isinstance(n, Compute)} == {("shift_1",)}
    certify(kernel, lowered.contraction, AVX2)


def test_layout_faults_are_named() -> None:
    _, kernel = gemm()
    role = kernel.roles[0]
    check_layouts(kernel)
    overlapping = kernel.buffers[0].replace(layout=Layout.strided((("column", 24),), (0,)))
    with pytest.raises(CertificationError, match="share a place"):
        check_layouts(kernel.replace(buffers=(overlapping,)))
    acc = role.fragment("acc")
    transposed = tuple(f.replace(layout=f.layout.transposed()) if f == acc else f for f in role.fragments)
    with pytest.raises(CertificationError, match="accumulator"):
        check_layouts(kernel.replace(roles=(role.replace(fragments=transposed),)))
    with pytest.raises(CertificationError, match="lanes"):
        check_layouts(kernel.replace(roles=(role.replace(lanes=4),)))
    with pytest.raises(CertificationError):
        check_layouts(edited(kernel, swap_operands))


def test_names_mean_one_thing_in_a_contraction() -> None:
    lowered, _ = gemm()
    with pytest.raises(ConfigurationError, match="m would mean two things"):
        lowered.contraction.replace(item_names=(Named("m", Const(0)),))


def test_register_budgets_are_kept() -> None:
    _, kernel = gemm()
    assert "16 of 16" in check_budgets(kernel, AVX2)[0].evidence
    with pytest.raises(CertificationError, match="needs 16 vector registers"):
        check_budgets(kernel, AVX2.replace(vector_registers=15))


def test_the_definition_of_the_contraction_is_what_counts() -> None:
    """A right kernel for another contraction is refused too."""
    lowered, kernel = gemm()
    other = lowered.contraction.replace(a=lowered.contraction.a.replace(offset=lowered.contraction.a.offset + 1))
    with pytest.raises(CertificationError):
        check_meaning(kernel, other)
    scaled = lowered.contraction.replace(n=Sym("n") + Const(1))
    with pytest.raises(CertificationError):
        check_meaning(kernel, scaled)


def test_sizes_reach_past_what_a_kernel_divides_by() -> None:
    """A loop that advances by more than a tile is run at several of its steps, so that a wrong step shows."""
    lowered = lower(Problem(GemmOp(5, 7, 3), (tensor(5, 3), TensorSpec((3, 7), DType.FP32, (1, 3))), tensor(5, 7)))
    kernel = panel_kernel(lowered.contraction, TILE, AVX2, "cpu.test", "kernel")
    steps = [
        node for role in kernel.roles for node in walk(role.body) if isinstance(node, Loop) and node.step > TILE.tile_k
    ]
    assert periods(kernel, lowered.contraction)[2] >= max((loop.step for loop in steps), default=TILE.tile_k)
    for loop in steps:
        broken = edited(kernel, lambda n, loop=loop: (n.replace(step=n.step + 1),) if n == loop else None)
        with pytest.raises((CertificationError, ConfigurationError)):
            check_meaning(broken, lowered.contraction)


@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_rests_while_something_is_proved(collecting: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """And goes on as it was, also where something is refused."""
    lowered, kernel = gemm()
    seen: list[bool] = []
    was = gc.isenabled()
    monkeypatch.setattr("tracea_core.semantic.verify.certify.check_opaque", lambda _: seen.append(gc.isenabled()) or ())
    (gc.enable if collecting else gc.disable)()
    try:
        certify(kernel, lowered.contraction, AVX2)
        assert gc.isenabled() is collecting and seen == [False]
        with pytest.raises(CertificationError):
            certify(kernel.replace(roles=()), lowered.contraction, AVX2)
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if was else gc.disable)()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="what it says is said of glibc's allocator")
def test_pages_that_arrays_gave_back_are_kept() -> None:
    """In a fresh process: arrays of 4 MB one after the other touch each page once, and not once for each of them."""
    script = (
        "import resource, numpy as np\n"
        "from tracea_core.semantic.verify.certify import _keep_pages\n"
        "{}\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "for _ in range(20):\n"
        "    few = [np.ones(1 << 19), np.ones(1 << 19), np.ones(1 << 19)]\n"
        "    del few\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)\n"
    )
    environment = {**os.environ, "NUMPY_MADVISE_HUGEPAGE": "0"}
    with_it, without = (
        int(subprocess.check_output([sys.executable, "-c", script.format(first)], env=environment))
        for first in ("_keep_pages()", "pass")
    )
    assert with_it < 5000 < without
