# SPDX-License-Identifier: MIT
"""Convolutions that `benchmarks.sanitize` runs under a tool: one of each family at a small size, and bugs planted in two of them.

``python -m benchmarks.sanitized_convolutions family NAME`` launches a convolution, its operands in memory that is exactly as large as they
are, and holds it to float64; workspaces hold NaNs before, or are left as they are (``--unwritten``). With ``--to-the-end`` it is
launched again, its operands in memory that ends where the GPU's mapping ends (`benchmarks.ending_memory`). ``planted NAME`` launches one
whose kernel is wrong on purpose, or whose memory lacks its last pixels or has some that nobody wrote. Nothing imports PyTorch: a tool
takes long over a process that loads it. What PyTorch does first is done here, too: the device's context is made current. Without one
the first launch is refused, and made again in the context; and a tool reports every call of the driver that fails.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.errors import TraceaError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import IDENTITY, OperandAxes
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.pipeline.path import Path, trace
from tracea_core.pipeline.plan import Plan, plan
from tracea_core.policy.config import PipelineConfig
from tracea_core.runtime.arena import ALIGNMENT
from tracea_core.runtime.sequence import Sequence
from tracea_core.semantic.build.schedules import launch_symbols
from tracea_core.semantic.kernel import Direction
from tracea_core.testing.cases import dense

from benchmarks.ending_memory import EndingDevice
from benchmarks.sanitized import Plant, planted

PAST_THE_END = 3
"""What a process gives for a family that is right, but not in memory that ends where the GPU's mapping ends."""
LAST, PLANES = (0, 2, 3, 1), (0, 1, 2, 3)
_SIZE = 12
_FEW = 1
"""Rows of images whose 64 channels have as many words as initcheck can report, 256: it sees none of those that the copy engine wrote."""


@dataclass(frozen=True)
class Family:
    """A convolution, and the configuration that it is given where the policy's own choice for so small a one is another family."""

    problem: Callable[[], Problem]
    configuration: PipelineConfig | None = None


def _of(
    op: Conv2dOp | ConvTranspose2dOp | Conv2dFiltersOp,
    order: tuple[int, ...] = LAST,
    tail: str = "",
    tf32: bool = False,
) -> Problem:
    """A problem of dense tensors, all in one order in memory, with an operand of the epilogue for each column or element."""
    inputs = tuple(dense(shape, op.input_dtypes()[0], order) for shape in op.input_shapes())
    out = dense(op.output_shape(), op.output_dtype(), order)
    epilogue = parse_epilogue(tail) if tail else IDENTITY
    extra = tuple(
        dense(out.shape[1:2], out.dtype) if one.axes is OperandAxes.COLUMN else out for one in epilogue.operands
    )
    return Problem(op, inputs, out, epilogue, extra, options=Options(allow_fallback=False, allow_tf32=tf32))


def _conv(
    dtype: DType = DType.FP16, c: int = 64, k: int = 64, r: int = 3, stride: int = 1, groups: int = 1, dilation: int = 1,
    size: int = _SIZE, order: tuple[int, ...] = LAST, tail: str = "", tf32: bool = False,
) -> Callable[[], Problem]:  # fmt: skip
    pair, padding = (stride, stride), (r // 2 * dilation,) * 2
    op = Conv2dOp(2, c, size, size + 1, k, r, r, pair, padding, (dilation,) * 2, groups, dtype=dtype)
    return lambda: _of(op, order, tail, tf32)


def _own(c: int = 72, r: int = 3, stride: int = 1, size: int = _SIZE, tail: str = "") -> Callable[[], Problem]:
    return _conv(c=c, k=c, r=r, stride=stride, groups=c, size=size, tail=tail)


def _transposed(dtype: DType, stride: int, tf32: bool = False) -> Callable[[], Problem]:
    op = ConvTranspose2dOp(2, 64, 7, 9, 64, 3, 3, (stride, stride), (1, 1), dtype=dtype)
    return lambda: _of(op, tf32=tf32)


def _filters(dtype: DType, stride: int = 1, order: tuple[int, ...] = LAST) -> Callable[[], Problem]:
    op = Conv2dFiltersOp(2, 64, 8, 9, 64, 3, 3, (stride, stride), (1, 1), dtype=dtype)
    return lambda: _of(op, order)


def _strip(pixels: int, channels: int, lines: int, stages: int, steps: int, **others: int) -> PipelineConfig:
    plain = PipelineConfig(
        tile_m=pixels, tile_n=channels, tile_k=lines, stages=stages, warps=4, vector_c=8, unroll_k=steps
    )
    return plain.replace(**others)


def _bands(warps: int, lines: int, stages: int) -> PipelineConfig:
    return _strip(16, 8 * warps, lines, stages, 1, vector_a=8).replace(warps=warps, halo=True)


FAMILIES = {
    "windows": Family(_conv(tail="bias,relu")),
    "windows-residual": Family(_conv(DType.BF16, tail="bias,residual,relu")),
    "windows-ragged": Family(_conv(c=67, k=131, tail="bias,relu")),
    "windows-strided": Family(_conv(stride=2)),
    "windows-dilated": Family(_conv(DType.BF16, dilation=2)),
    "windows-5x5": Family(_conv(r=5, c=72, k=40)),
    "windows-tf32": Family(_conv(DType.FP32, tf32=True)),
    "windows-int8": Family(_conv(DType.INT8)),
    "windows-of-groups": Family(_conv(c=128, k=128, groups=2)),
    "windows-of-cut-groups": Family(_conv(c=144, k=80, groups=2, tail="bias,relu")),
    "groups-of-eight": Family(_conv(DType.BF16, c=256, k=256, groups=32, size=28)),
    "few-windows": Family(_conv(c=512, k=128, size=7)),
    "first-layer": Family(_conv(c=3, r=7, stride=2, size=30, tail="bias,relu")),
    "first-layer-int8": Family(_conv(DType.INT8, c=3, r=7, stride=2, size=30)),
    "pointwise": Family(_conv(r=1, k=136, tail="bias,relu")),
    "pointwise-strided": Family(_conv(r=1, stride=2)),
    "planes": Family(_conv(size=_FEW, order=PLANES, tail="bias,relu")),
    "planes-tf32": Family(_conv(DType.FP32, size=_FEW, order=PLANES, tf32=True)),
    "planes-pointwise": Family(_conv(DType.BF16, r=1, order=PLANES)),
    "planes-int8": Family(_conv(DType.INT8, c=24, k=40, order=PLANES)),
    "gathered": Family(_conv(c=5, k=6)),
    "gathered-planes": Family(_conv(DType.BF16, c=5, k=7, order=PLANES)),
    "multiply-add": Family(_conv(DType.FP32, c=20, k=36, tail="bias,relu")),
    "groups-of-two": Family(_conv(c=48, k=48, groups=24)),
    "channel-multiplier": Family(_conv(c=24, k=48, groups=24)),
    "strips": Family(_own(tail="bias,relu")),
    "strips-strided": Family(_own(stride=2)),
    "strips-7x7": Family(_own(r=7)),
    "strips-of-lines": Family(_own(r=7), _strip(8, 64, 2, 2, 1, vector_a=2)),
    "walk": Family(_own(), _strip(7, 64, 7, 2, 3, vector_a=2)),
    "walk-of-images": Family(_own(c=24), _strip(7, 64, 7, 2, 3, vector_a=2)),
    "walk-in-shared-memory": Family(_own(), _strip(7, 64, 7, 4, 3, vector_a=8)),
    "walk-strided": Family(_own(stride=2), _strip(4, 128, 6, 4, 2, vector_a=4)),
    "walk-5x5": Family(_own(r=5, stride=2), _strip(7, 64, 6, 4, 3, vector_a=8)),
    "side-by-side": Family(_own(), _strip(2, 128, 7, 5, 3, vector_a=4, vector_c=4, warps=8, row_block=7)),
    "side-by-side-strided": Family(_own(stride=2, tail="bias,relu"), _strip(2, 128, 7, 5, 2, vector_a=4, vector_c=4, warps=6, row_block=7)),
    "bands": Family(_own(r=7, tail="bias,relu"), _bands(4, 16, 1)),
    "bands-strided": Family(_own(r=5, stride=2), _bands(2, 8, 2)),
    "bands-of-long-lines": Family(_own(size=33), _bands(8, 8, 1)),
    "transposed": Family(_transposed(DType.FP16, 1)),
    "transposed-strided": Family(_transposed(DType.BF16, 2)),
    "transposed-tf32": Family(_transposed(DType.FP32, 2, tf32=True)),
    "transposed-fp32": Family(_transposed(DType.FP32, 2)),
    "filters": Family(_filters(DType.FP16)),
    "filters-strided": Family(_filters(DType.BF16, 2)),
    "filters-fp32": Family(_filters(DType.FP32)),
    "filters-of-planes": Family(_filters(DType.FP16, order=PLANES)),
}  # fmt: skip
"""By name."""
_COPIED = r"^( *copy_wait<\d+>\(\);\n *)__syncthreads\(\);$"
_SHORT, _NEVER = "lacks its last pixels", "nobody has written an operand's last pixels"
_STORES, _LOADS, _NOTHING = "which the copy engine stores", "which the copy engine loads", "where nothing is mapped"
PLANTS = {
    "convolution-writes-past-the-end": Plant("memcheck", "windows", f"the output {_SHORT}, {_STORES}", missing_rows={"output": 26}),
    "convolution-reads-past-the-end": Plant("memcheck", "windows", f"an operand {_SHORT}, {_LOADS}", missing_rows={"input0": 26}),
    "convolution-writes-past-the-mapping": Plant(
        "memcheck", "windows", f"the output {_SHORT}, {_STORES} {_NOTHING}", missing_rows={"output": 26}, mapped=True
    ),
    "convolution-reads-past-the-mapping": Plant(
        "memcheck", "windows", f"an operand {_SHORT}, {_LOADS} {_NOTHING}", missing_rows={"input0": 26}, mapped=True
    ),
    "strips-write-past-the-end": Plant("memcheck", "walk", f"the output {_SHORT}", missing_rows={"output": 13}),
    "strips-read-past-the-end": Plant("memcheck", "walk-in-shared-memory", f"an operand {_SHORT}", missing_rows={"input0": 13}),
    "convolution-reads-unwritten": Plant("initcheck", "windows", f"{_NEVER}, {_LOADS}", unwritten=("input0",)),
    "strips-read-unwritten": Plant("initcheck", "walk-in-shared-memory", _NEVER, unwritten=("input0",)),
    "race-of-windows": Plant(
        "racecheck", "windows", "matrix instructions do not wait for a slot", r"^( *)barrier_wait\(stage_full[^;]*;$", r"\1;"
    ),
    "race-of-rows": Plant("racecheck", "walk-in-shared-memory", "lanes do not meet before they read what others copied", _COPIED, r"\1;"),
    # Both come to an end: a thread that has ended is not waited for, and a warp that misses one barrier comes to the next.
    "divergent-meeting-of-strips": Plant(
        "synccheck", "walk-in-shared-memory", "half of a warp leaves at a barrier", _COPIED,
        r"\1if (threadIdx.x & 1) __syncthreads(); else return;",
    ),
    "missed-meeting-of-strips": Plant(
        "synccheck", "walk-in-shared-memory", "a warp does not go to a barrier", _COPIED, r"\1if (threadIdx.x >= 32) __syncthreads();"
    ),
}  # fmt: skip
"""By name; ``kernel`` names a family, and rows are pixels, each of an operand's innermost extent."""


def path_of(family: Family, device: str | None = None, preset: str | None = None) -> Path:
    """Return the path to one kernel for a family."""
    return trace(family.problem(), device, "cuda", preset=preset, configuration=family.configuration, several=False)


def written_by_engine(made: Plan) -> Iterator[tuple[int, int, str]]:
    """Yield where in its block a workspace begins that the copy engine writes, its bytes, and the kernel that reads it."""
    assert made.known is not None
    written = set[str]()
    for step in made.known.steps:
        operand = dict(zip((one.name for one in step.source.parameters), step.operands, strict=True))
        reads = {operand[one.name] for one in step.source.parameters if one.direction == Direction.READ}
        at = 0
        for name, size in made.known.spaces.items():
            if name in written & reads:
                yield at, size, step.source.entry
            at += -(-size // ALIGNMENT) * ALIGNMENT
        stored = {box.operand for box in step.source.boxes}
        written |= {
            operand[one.name]
            for one in step.source.parameters
            if one.name in stored and one.direction != Direction.READ
        }


def run_family(name: str, ordinal: int = 0, *, unwritten: bool = False, ending: bool = False) -> None:
    """Launch what a call of a family launches, be it several kernels.

    Parameters
    ----------
    unwritten : bool
        Leave workspaces as they are, and say which of them the copy engine writes. Otherwise they hold NaNs before.
    ending : bool
        Nothing is mapped where the operands end.

    Raises
    ------
    TuningError
        If an element is wrong.
    TraceaError
        If it cannot be built or launched.
    """
    from tracea_core.pipeline.measure_task import Bench
    from tracea_cuda import driver as cuda
    from tracea_cuda.runtime import CudaRuntime, Device

    family, device = FAMILIES[name], (EndingDevice if ending else Device)(cuda.driver(), ordinal)
    problem = family.problem()
    with device.driver.active(device.context):
        made = plan(problem, f"cuda:{ordinal}", "cuda", family.configuration)
        launch = made.launch
        if isinstance(launch, Sequence) and launch.arena is not None:
            with launch.arena.lock:
                base = launch.arena.borrow(launch.bytes, 0)
            if unwritten:
                for at, size, reader in written_by_engine(made):
                    print(f"the copy engine writes {base + at:#x}, {size} bytes, for {reader}")
            else:
                nans = np.full(launch.bytes, 0xFF, np.uint8)
                device.upload(base, nans.ctypes.data, nans.size)
        Bench(problem, CudaRuntime(device)).check(made)
    print(f"{name}: {made.path.choice.variant.name} {made.path.configuration.describe()}", flush=True)


def run_planted(plant: Plant, ordinal: int = 0) -> None:
    """Launch the kernel of a family with a bug, on ones.

    Raises
    ------
    LaunchError
        If the GPU stops it.
    """
    from tracea_cuda import driver as cuda
    from tracea_cuda.runtime import CudaRuntime, Device

    path = path_of(FAMILIES[plant.kernel], f"cuda:{ordinal}")
    assert path.source is not None
    problem = path.arrangement.problem
    specs = {f"input{i}": spec for i, spec in enumerate(problem.inputs)} | {"output": problem.output}
    specs |= {f"epilogue{i}": spec for i, spec in enumerate(problem.epilogue_inputs)}
    device = (EndingDevice if plant.mapped else Device)(cuda.driver(), ordinal)
    with device.driver.active(device.context):
        places = {}
        for operand, spec in specs.items():
            row = spec.shape[int(np.argmin(spec.strides))] * plant.missing_rows.get(operand, 0)
            ones = spec.dtype.encode(np.ones(math.prod(spec.shape) - row))
            places[operand] = device.allocate(ones.nbytes)
            written = ones[: -spec.shape[1]] if operand in plant.unwritten else ones
            device.upload(places[operand], written.ctypes.data, written.nbytes)
        symbols = launch_symbols(path.lowered, path.configuration, path.target.profile, path.choice.variant.schedule)
        launcher = CudaRuntime(device).compile(planted(path.source, plant)).prepare(symbols)
        launcher(*(places[operand] for operand in path.lowered.operands))
        device.synchronize()


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for; the tool around it says what it found."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sanitized_convolutions", description=__doc__.partition("\n")[0]
    )
    commands = parser.add_subparsers(dest="command", required=True)
    family = commands.add_parser("family")
    family.add_argument("name", choices=sorted(FAMILIES))
    family.add_argument("--unwritten", action="store_true", help="leave workspaces as they are")
    family.add_argument("--to-the-end", action="store_true", help="launch again where nothing is mapped after operands")
    commands.add_parser("planted").add_argument("name", choices=sorted(PLANTS))
    parser.add_argument("--seconds", type=int, default=0, help="after so many this process ends, whatever it waits for")
    asked = parser.parse_args(arguments)
    signal.alarm(asked.seconds)
    if asked.command == "planted":
        run_planted(PLANTS[asked.name])
        return 0
    run_family(asked.name, unwritten=asked.unwritten)
    if asked.to_the_end:
        try:
            run_family(asked.name, ending=True)
        except TraceaError:
            traceback.print_exc()
            return PAST_THE_END
    return 0


if __name__ == "__main__":
    sys.exit(main())
