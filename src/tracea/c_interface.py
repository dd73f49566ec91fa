# SPDX-License-Identifier: MIT
"""What ``tracea.h`` does where Python serves it: structures of C at addresses become a problem, its plan is launched on the same memory.

`python -m tracea.c_interface` prints the folder of the CMake package, with ``--headers`` that of ``tracea.h`` and ``tracea.hpp``.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from importlib import resources
from typing import NamedTuple

from tracea_core.dtypes import DType
from tracea_core.errors import (
    AlignmentError,
    BackendUnavailableError,
    DeviceError,
    LaunchError,
    ShapeError,
    TraceaError,
    UnsupportedError,
)
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import Plan, plan

import tracea
from tracea.ops.call import know_plugin_activations
from tracea.ops.filtering import by_default

VERSION = tracea.__version__
"""What ``tracea_version`` says."""
SUCCESS, INVALID_PARAMS, UNSUPPORTED_CONFIG, CUDA_ERROR, CPU_ERROR = range(5)
"""TraceaStatus."""
DTYPES = (
    DType.FP64, DType.FP32, DType.BF16, DType.FP16, DType.FP8_E4M3, DType.FP8_E5M2, DType.INT8, DType.UINT8, DType.INT32, DType.TF32,
)  # fmt: skip
"""TraceaDType, by number."""
MOST_ALIGNED = 16
Answer = tuple[int, str]
Pair = tuple[int, int]
Pairs = tuple[Pair, Pair, Pair]


class View(ctypes.Structure):
    """TraceaTensorView."""

    _fields_ = (
        ("ptr", ctypes.c_void_p), ("rank", ctypes.c_uint32), ("shape", ctypes.POINTER(ctypes.c_uint64)),
        ("stride", ctypes.POINTER(ctypes.c_int64)), ("dtype", ctypes.c_int), ("device_id", ctypes.c_int32),
    )  # fmt: skip


class Stage(ctypes.Structure):
    """TraceaEpilogue."""

    _fields_ = (("name", ctypes.c_char_p), ("operands", ctypes.POINTER(View)), ("operand_count", ctypes.c_uint32))


class GemmParams(ctypes.Structure):
    """TraceaGemmParams."""

    _fields_ = (("epilogues", ctypes.POINTER(Stage)), ("epilogue_count", ctypes.c_uint32), ("stream", ctypes.c_void_p))


class Conv2dParams(ctypes.Structure):
    """TraceaConv2dParams."""

    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("stride_h", "stride_w", "padding_h", "padding_w", "dilation_h", "dilation_w", "groups")),
        ("epilogues", ctypes.POINTER(Stage)), ("epilogue_count", ctypes.c_uint32), ("stream", ctypes.c_void_p),
    )  # fmt: skip


class Call(NamedTuple):
    """Everything that a plan depends on, hashable: what `_planned` remembers plans by. `pairs` are stride, padding and dilation."""

    pairs: Pairs | None
    groups: int
    inputs: tuple[TensorSpec, ...]
    operands: tuple[TensorSpec, ...]
    output: TensorSpec
    epilogue: str
    alignment: int
    device: str


def gemm(a: int, b: int, _: int, out: int, params: int) -> Answer:
    """Serve ``tracea_gemm``, whose arguments lie at these addresses; return a status and a message."""
    return _answered(lambda: _run(_views(a, b), None, out, GemmParams.from_address(params)))


def conv2d(x: int, w: int, b: int, out: int, params: int) -> Answer:
    """Serve ``tracea_conv2d``; see `gemm`."""
    return _answered(lambda: _convolved(x, w, b, out, Conv2dParams.from_address(params)))


def _convolved(x: int, w: int, b: int, out: int, given: Conv2dParams) -> None:
    pairs = (
        (given.stride_h or 1, given.stride_w or 1),
        (given.padding_h, given.padding_w),
        (given.dilation_h or 1, given.dilation_w or 1),
    )
    _run(_views(x, w), View.from_address(b) if b else None, out, given, pairs, given.groups or 1)


def _answered(run: Callable[[], None]) -> Answer:
    """Return the status and message of what `run` did; nothing leaves as an exception."""
    try:
        run()
    except (UnsupportedError, BackendUnavailableError) as error:
        return UNSUPPORTED_CONFIG, str(error)
    except AlignmentError as error:
        return INVALID_PARAMS, str(error)
    except LaunchError as error:
        return (CUDA_ERROR if "cuda" in str(error.facts.get("device", "")) else CPU_ERROR), str(error)
    except (TraceaError, ValueError) as error:
        return INVALID_PARAMS, str(error)
    except Exception as error:
        return CPU_ERROR, f"{type(error).__name__}: {error}"
    return SUCCESS, ""


def _views(*addresses: int) -> tuple[View, ...]:
    return tuple(View.from_address(address) for address in addresses)


def _run(
    inputs: tuple[View, ...],
    bias: View | None,
    out: int,
    params: GemmParams | Conv2dParams,
    pairs: Pairs | None = None,
    groups: int = 1,
) -> None:
    if not out:
        raise ShapeError("out is a null pointer")
    output = View.from_address(out)
    names, operands = _stages(params)
    if bias is not None:
        names, operands = ["bias", *names], (bias, *operands)
    views = (*inputs, *operands, output)
    if len({view.device_id for view in views}) > 1:
        raise DeviceError("the tensors are on several devices", devices=[view.device_id for view in views])
    pointers = [int(view.ptr or 0) for view in views]
    specs = [_spec(view) for view in views]
    if any(not pointer and spec.size for pointer, spec in zip(pointers, specs, strict=True)):
        raise ShapeError("a tensor with elements is a null pointer")
    for pointer, spec in zip(pointers, specs, strict=True):
        if pointer % spec.dtype.bytes:
            raise ShapeError(f"a tensor starts at {pointer:#x} and has to be a multiple of {spec.dtype.bytes} bytes")
    device = "cpu" if output.device_id < 0 else f"cuda:{output.device_id}"
    alignment = functools.reduce(
        lambda found, pointer: min(found, pointer & -pointer), filter(None, pointers), MOST_ALIGNED
    )
    end = len(inputs)
    made = _planned(
        Call(pairs, groups, tuple(specs[:end]), tuple(specs[end:-1]), specs[-1], ",".join(names), alignment, device)
    )
    named = (
        [f"input{place}" for place in range(end)] + [f"epilogue{place}" for place in range(len(operands))] + ["output"]
    )
    places = dict(zip(named, pointers, strict=True))
    made.launch(*(places[name] for name in made.operands), stream=int(params.stream or 0))


def _stages(params: GemmParams | Conv2dParams) -> tuple[list[str], tuple[View, ...]]:
    names: list[str] = []
    operands: list[View] = []
    if params.epilogue_count and not params.epilogues:
        raise ShapeError(f"there are {params.epilogue_count} epilogues, and no pointer to them")
    for place in range(params.epilogue_count):
        stage = params.epilogues[place]
        if not stage.name or (stage.operand_count and not stage.operands):
            raise ShapeError(f"epilogue {place} has no name, or operands without a pointer to them")
        names.append(stage.name.decode(errors="replace"))
        operands += [stage.operands[operand] for operand in range(stage.operand_count)]
    return names, tuple(operands)


def _spec(view: View) -> TensorSpec:
    if not 0 <= view.dtype < len(DTYPES):
        raise ShapeError(f"a tensor has the unknown type {view.dtype}")
    if view.rank and not view.shape:
        raise ShapeError("a tensor has no shape")
    shape = tuple(view.shape[axis] for axis in range(view.rank))
    if not view.stride:
        return TensorSpec.contiguous(shape, DTYPES[view.dtype])
    return TensorSpec(shape, DTYPES[view.dtype], tuple(view.stride[axis] for axis in range(view.rank)))


@functools.lru_cache(maxsize=1024)
def _planned(call: Call) -> Plan:
    """Return the plan of a call, made once."""
    know_plugin_activations()
    tail = parse_epilogue(call.epilogue)
    first, second = call.inputs
    if len(tail.operands) != len(call.operands):
        raise ShapeError(f"{call.epilogue!r} takes {len(tail.operands)} tensors, {len(call.operands)} were given")
    options = Options(alignment=call.alignment)
    dtype, out = first.dtype, call.output.dtype
    if call.pairs is not None:
        if first.rank != 4 or second.rank != 4:
            raise ShapeError(
                "images are (n, c, h, w) and filters (k, c / groups, r, s)", shapes=(first.shape, second.shape)
            )
        n, c, h, w = first.shape
        k, _, r, s = second.shape
        op: Conv2dOp | GemmOp = Conv2dOp(n, c, h, w, k, r, s, *call.pairs, call.groups, dtype=dtype, out_dtype=out)
    else:
        if first.rank != 2 or second.rank != 2:
            raise ShapeError("products take matrices", shapes=(first.shape, second.shape))
        op = GemmOp(first.shape[0], second.shape[1], first.shape[1], dtype=dtype, out_dtype=out)
    problem = by_default(Problem(op, call.inputs, call.output, tail, call.operands, options), call.device)
    made = plan(problem, call.device)
    if made.known is not None and made.known.inputs != tuple(spec.dtype for spec in call.inputs):
        raise UnsupportedError(
            f"no kernel on {call.device} reads {dtype.value}, and nothing is converted for C",
            hint="Give it in a wider type",
        )
    return made


def main(words: list[str]) -> int:
    """Print a folder."""
    print(resources.files("tracea_core.export") / "c" if "--headers" in words else resources.files("tracea") / "c")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
