# SPDX-License-Identifier: MIT
"""Plans of several kernels in CUDA C++: passes have golden text, compile without a spill, and whole plans run in the emulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees
from tracea_core.pipeline import runtimes
from tracea_core.pipeline.measure_task import Bench, _bytes, _decoded, _poison
from tracea_core.pipeline.offered import variants_of
from tracea_core.pipeline.path import follow, in_phases, surrounded, trace
from tracea_core.pipeline.plan import plan_of
from tracea_core.plugin.select import Selection, resolve
from tracea_core.policy.arrange import arranged
from tracea_core.policy.arrange_images import channels_last
from tracea_core.policy.arrangement import Arrangement
from tracea_core.policy.output_phases import phases_on
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.runtime import SimtRuntime, emulated
from tracea_cuda.plugin import tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden" / "passes"
BF16 = DType.BF16


def fused(m: int, n: int, k: int, epilogue: str) -> Problem:
    """Return a product of rows and columns along k with bias and more."""
    found = parse_epilogue(epilogue)
    shapes = {"bias": (n,), "residual": (m, n)}
    operands = tuple(TensorSpec.contiguous(shapes[operand.name], BF16) for operand in found.operands)
    inputs = (TensorSpec.contiguous((m, k), BF16), TensorSpec((k, n), BF16, (1, k)))
    return Problem(GemmOp(m, n, k, dtype=BF16), inputs, TensorSpec.contiguous((m, n), BF16), found, operands)


def apart(problem: Problem) -> Problem:
    """Return the problem with rows of the output that begin anywhere: one element lies between them."""
    m, n = problem.output.shape
    return problem.replace(output=TensorSpec((m, n), problem.output.dtype, (n + 1, 1)))


def sources() -> dict[str, KernelSource]:
    odd = trace(gemm((1111, 2222, 3333), BF16, "nt"), preset="h200")
    deep = trace(gemm((512, 512, 65536), BF16, "nt"), preset="h200")
    given, preset = apart(gemm((2048, 4096, 2048), BF16, "nt")), resolve(None, None, "h200")
    aligned = next(way for way in arranged(given, preset.target, variants_of(preset)) if stored(way.arrangement))
    odd_out = follow(given, preset, aligned, None)
    narrow = trace(gemm((512, 512, 512), DType.FP8_E4M3, "nn"), preset="h200")
    ended = trace(fused(256, 1023, 32768, "bias,gelu,residual"), preset="h200")
    first = trace(conv((0, 2, 3, 1), DType.FP16, n=64, c=3, h=224, w=224, k=64, r=7, s=7, stride=(2, 2)), preset="h200")
    odd_channels = trace(conv((0, 2, 3, 1), BF16, n=32, c=67, h=55, w=55, k=131), preset="h200")
    planes = trace(conv((0, 1, 2, 3), BF16, n=8, c=3, h=224, w=224, k=32, stride=(2, 2)), preset="h200")
    patch = {"n": 8, "c": 3, "h": 224, "w": 224, "k": 768, "padding": (0, 0)}
    patches = trace(conv((0, 1, 2, 3), BF16, **patch, r=16, s=16, stride=(16, 16)), preset="h200")
    small_patches = trace(conv((0, 2, 3, 1), BF16, **patch, r=4, s=4, stride=(4, 4)), preset="h200")
    grouped = trace(conv((0, 2, 3, 1), BF16, n=64, c=256, h=28, w=28, k=256, groups=32), preset="h200")
    filters = trace(conv((0, 1, 2, 3), BF16, n=2, c=320, h=64, w=64, k=320), preset="h200")
    return {
        "transpose_filters": filters.sources[1],
        "copy_odd_rows": odd.sources[0], "sum_of_parts": deep.sources[-1], "sum_bias_gelu_residual": ended.sources[-1],
        "transpose_fp8": narrow.sources[0], "copy_into_odd_rows": odd_out.sources[-1], "copy_lines": first.sources[0],
        "merge_groups": grouped.sources[0], "copy_lines_apart": odd_channels.sources[0], "copy_lines_of_planes": planes.sources[0],
        "transpose_results": planes.sources[-1], "copy_windows": patches.sources[0], "copy_lines_of_windows": small_patches.sources[0],
    }  # fmt: skip


NAMES = (
    "transpose_filters",
    "copy_odd_rows",
    "sum_of_parts",
    "sum_bias_gelu_residual",
    "transpose_fp8",
    "copy_into_odd_rows",
    "copy_lines",
    "merge_groups",
    "copy_lines_apart",
    "copy_lines_of_planes",
    "transpose_results",
    "copy_windows",
    "copy_lines_of_windows",
)


@pytest.fixture(scope="module")
def printed() -> dict[str, KernelSource]:
    return sources()


@pytest.mark.parametrize("name", NAMES)
def test_golden_text(name: str, printed: dict[str, KernelSource]) -> None:
    check_golden(GOLDEN / f"{name}.cu", printed[name].text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.cu" for name in NAMES}) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_compiler_keeps_the_registers(
    name: str, printed: dict[str, KernelSource], kept: Callable[..., None]
) -> None:
    kept(printed[name], registers=128)  # at least two blocks share a processor


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Selection, SimtRuntime]]:
    need_emulator()
    manifest = emulated(tracea_register_backend(), "h200")
    target = manifest.probe().devices[0]
    runtime = manifest.open_runtime(target.device)
    assert isinstance(runtime, SimtRuntime)
    monkeypatch.setitem(runtimes._runtimes, (target.backend, target.device), runtime)
    monkeypatch.setattr(runtimes, "_kernels", {})
    yield Selection(target, manifest), runtime


def divided(one: Arrangement) -> bool:
    return one.parts > 1


def copied(one: Arrangement) -> bool:
    return len(one.packed) == 2 and one.parts == 1


def stored(one: Arrangement) -> bool:
    return one.stored is not None and not one.packed


def transposed(one: Arrangement) -> bool:
    return any(packing.transposed for packing in one.packed) and one.parts == 1


def images(one: Arrangement) -> bool:
    return len(one.packed) == 2 and not lines(one) and isinstance(one.problem.op, Conv2dOp)


def images_of_channels(one: Arrangement) -> bool:
    return [packing.operand for packing in one.packed] == [0]


def merged(one: Arrangement) -> bool:
    return any(packing.merged for packing in one.packed)


def lines(one: Arrangement) -> bool:
    return any(packing.pixel for packing in one.packed)


def windows(one: Arrangement) -> bool:
    return any(packing.window for packing in one.packed)


def conv(order: tuple[int, ...], dtype: DType, **fields: Any) -> Problem:
    """Return a convolution of the memory order."""
    op = Conv2dOp(
        **({"n": 2, "c": 7, "h": 6, "w": 5, "k": 11, "r": 3, "s": 3, "padding": (1, 1), "dtype": dtype} | fields)
    )
    inputs = tuple(dense(shape, dtype, order) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), dtype, order), options=Options(allow_tf32=True))


def turned(one: Arrangement) -> bool:
    """Whether one operand of tf32 is transposed and lanes read the other."""
    return len(one.packed) == 1


def exchanged(one: Arrangement) -> bool:
    return one.problem.options.exchanged and one.parts > 1


def single(m: int, n: int, k: int, layout: str) -> Problem:
    """Return a product of fp32 that may be rounded to tf32."""
    given = gemm((m, n, k), DType.FP32, layout)
    return given.replace(options=given.options.replace(allow_tf32=True))


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("problem", "pick", "kernels"),
    [
        (lambda: gemm((70, 131, 45), BF16, "tn"), copied, 3),
        (lambda: fused(40, 45, 519, "bias,relu,residual"), divided, 4),
        (lambda: apart(gemm((70, 136, 64), BF16, "nt")), stored, 2),
        (lambda: fused(17, 136, 1024, "bias,relu"), exchanged, 2),
        (lambda: gemm((96, 64, 208), DType.FP8_E5M2, "tt"), transposed, 2),
        (lambda: gemm((70, 132, 45), DType.INT8, "tn"), copied, 3),
        (lambda: single(69, 130, 43, "nn"), copied, 3),
        (lambda: single(72, 132, 44, "tn"), turned, 2),
        (lambda: conv((0, 2, 3, 1), DType.FP16, stride=(2, 1)), images, 3),
        (lambda: conv((0, 1, 2, 3), DType.FP32, c=8, k=12), images, 3),
        (lambda: conv((0, 1, 2, 3), DType.FP16, c=8, k=16, h=5, w=7), images, 4),
        (lambda: conv((0, 1, 2, 3), BF16, c=136, k=24, h=3, w=5), images, 4),
        (lambda: conv((0, 2, 3, 1), DType.FP16, c=3, r=5, s=5, stride=(2, 2), k=8), lines, 3),
        (lambda: conv((0, 2, 3, 1), DType.FP16, c=11, h=5, w=5, k=8), lines, 3),
        (lambda: conv((0, 1, 2, 3), BF16, c=3, h=7, w=9, k=8), lines, 4),
        (
            lambda: conv((0, 1, 2, 3), DType.FP16, c=2, h=9, w=11, r=5, s=3, padding=(2, 1), stride=(3, 2), k=8),
            lines,
            4,
        ),
        (
            lambda: conv((0, 2, 3, 1), DType.FP16, c=3, h=8, w=12, r=4, s=4, padding=(0, 0), stride=(4, 4), k=8),
            windows,
            2,
        ),
        (lambda: conv((0, 1, 2, 3), BF16, c=3, h=16, w=24, r=8, s=8, padding=(0, 0), stride=(8, 8), k=16), windows, 3),
        (lambda: conv((0, 2, 3, 1), BF16, c=3, h=6, w=9, r=3, s=3, padding=(0, 0), stride=(3, 3), k=8), windows, 3),
        (lambda: conv((0, 2, 3, 1), DType.FP16, c=16, k=32, groups=4, stride=(2, 1)), merged, 2),
        (lambda: conv((0, 2, 3, 1), DType.FP32, c=12, k=24, groups=6), merged, 2),
        (lambda: conv((0, 1, 2, 3), DType.FP16, c=16, k=32, groups=4, stride=(2, 1)), merged, 4),
        (lambda: conv((0, 1, 2, 3), BF16, c=8, k=16, groups=8), images_of_channels, 3),
    ],
)
def test_whole_plans_run_in_the_emulator(
    problem: Callable[[], Problem],
    pick: Callable[[Arrangement], bool],
    kernels: int,
    device: tuple[Selection, SimtRuntime],
) -> None:
    """Workspaces hold NaNs before, the output poison; any race, stray access or misaligned box is a failure."""
    selection, runtime = device
    stated = problem()
    ways = arranged(stated, selection.target, variants_of(selection))
    path = follow(stated, selection, next(way for way in ways if pick(way.arrangement)), None)
    plan = plan_of(path)
    bench = Bench(stated, runtime)
    _poison(bench.output, stated.output.dtype)
    bench._memory["output"] = runtime.place(_bytes(bench.output))
    plan.launch(*bench.pointers(plan))
    _bytes(bench.output)[...] = bench._memory["output"].read()
    assert agrees(_decoded(bench.output, stated.output), bench.expected, bench.bound).all()
    assert len(path.kernels) == kernels == len(runtime.reports)
    assert runtime.scratch.bytes > 0


@pytest.mark.toolchain
def test_phases_of_planes_run_on_copies_in_the_emulator(device: tuple[Selection, SimtRuntime]) -> None:
    """Two copies, the phases of a stride of 2 and 1 down and across, and a copy of what they have stored."""
    selection, runtime = device
    op = ConvTranspose2dOp(2, 8, 5, 6, 16, 3, 3, (2, 1), (1, 1), (1, 0), dtype=DType.FP16)
    stated = Problem(op, tuple(map(planes, op.input_shapes())), planes(op.output_shape()))
    copies = channels_last(stated)
    assert copies is not None and [one.operand for one in copies.packed] == [0, 1] and copies.stored is not None
    phases = []
    for one in phases_on(copies.problem, selection.target.profile):
        ways = arranged(one.problem, selection.target, variants_of(selection))
        phases.append((one, follow(one.problem, selection, ways[0], None)))
    path = surrounded(stated, copies, in_phases(copies.problem, phases), selection)
    plan = plan_of(path)
    bench = Bench(stated, runtime)
    _poison(bench.output, stated.output.dtype)
    bench._memory["output"] = runtime.place(_bytes(bench.output))
    plan.launch(*bench.pointers(plan))
    _bytes(bench.output)[...] = bench._memory["output"].read()
    assert agrees(_decoded(bench.output, stated.output), bench.expected, bench.bound).all()
    assert len(path.kernels) == 5 == len(runtime.reports)


def planes(shape: tuple[int, ...]) -> TensorSpec:
    return TensorSpec.contiguous(shape, DType.FP16)


@pytest.mark.toolchain
def test_a_plan_whose_copy_is_missing_is_noticed(device: tuple[Selection, SimtRuntime]) -> None:
    """What no kernel wrote is NaN: a product that reads it before the copy cannot pass."""
    selection, runtime = device
    stated = gemm((70, 131, 45), BF16, "tn")
    ways = arranged(stated, selection.target, variants_of(selection))
    plan = plan_of(follow(stated, selection, next(way for way in ways if copied(way.arrangement)), None))
    bench = Bench(stated, runtime)
    launch = plan.launch
    launch.calls = launch.calls[1:]  # type: ignore[attr-defined]
    launch(*bench.pointers(plan))
    _bytes(bench.output)[...] = bench._memory["output"].read()
    assert np.isnan(_decoded(bench.output, stated.output)).any()
