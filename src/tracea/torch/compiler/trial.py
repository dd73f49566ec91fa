# SPDX-License-Identifier: MIT
"""Timing a region against what it replaces, on random tensors of its shapes: the only figure a decision trusts.

What it replaces is the product by PyTorch and at most *one* pass over its result (Inductor fuses what follows into one), on a CPU with
the activation where that costs more than the memory. Biases of convolutions on a GPU are part of that pass, as Inductor has it. On a GPU
only the device's time counts: calls are captured and replayed. Convolutions of the other side on a CPU are Inductor's where it has a
compiler: images are channels-last, and filters are laid out so in each call, as its code does with parameters; else they are PyTorch's.
While gradients are recorded, a CPU's trial holds those of the product, too: the operator's own against PyTorch's. The epilogue's backward
pass is steps of one element on either side. A GPU's products have PyTorch's gradients in compiled graphs.
Times are kept in the cache, so a second process decides the same without measuring; those of a processor that others kept busy are not.
"""

from __future__ import annotations

import functools
import gc
import json
import logging
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from tracea_core.data import Data
from tracea_core.errors import DeviceError, TuningError
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.pipeline.tune import tune as tune_problem
from tracea_core.runtime.cache import BinaryCache, key_digest
from tracea_core.tuner.search import Budget

from tracea.dispatch import forget_plans
from tracea.torch import kernels
from tracea.torch.compiler import inductor, one_call
from tracea.torch.compiler.gradients import gradients_of, product_in_torch, product_of_ours, with_gradients
from tracea.torch.compiler.load import Load, processors
from tracea.torch.compiler.sketch import Sketch
from tracea.torch.compiler.whole import WHOLE
from tracea.torch.shapes import CONVOLUTIONS
from tracea.torch.tails import FUNCTIONS

_ROUNDS = 5
_LEAST_ROUNDS = 2
"""What a call gets that takes so long that the graph's other regions would wait for it."""
_SECONDS = 0.1  # for one side of one region, so that a graph of forty compiles in seconds
_CAPTURED = 10
_COSTLY = ("gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "softplus", "mish", "elu")
_BACK = " back"
_BUSY = 0.1
"""The share of this process's processors that others may use during a trial that is kept."""


class Times(Data, frozen=True):
    """Seconds of one call: the kernel on tensors as they are and on channels-last ones, and what it replaces.

    Where that is steps which PyTorch has one call for, `one_call` is what it takes.
    """

    fused: float
    fused_channels_last: float
    unfused: float
    one_call: float | None = None


_TUNED_SECONDS = 20.0
_MOST_WORK = 200e9
"""Multiplications beyond which a kernel is not tuned: candidates are compared with a reference in float64 on the host."""
_log = logging.getLogger("tracea")


def tune(sketch: Sketch) -> None:
    """Measure configurations of a region's kernel, its epilogue included, so that its plan uses the best from now on.

    What no kernel takes, and what cannot be tuned, keeps what the policy chooses; the log says so.
    """
    if sketch.work > _MOST_WORK:
        _log.info("%s of %.2g multiplications is too large to be tuned", sketch.op, sketch.work)
        return
    try:
        tune_problem(sketch.problem(), str(sketch.device), budget=Budget(seconds=_TUNED_SECONDS))
    except kernels.NO_KERNEL as error:
        _log.info("%s cannot be tuned: %s", sketch.op, error.message)
    except (TuningError, DeviceError) as error:
        _log.warning("tuning %s failed: %s", sketch.op, error.message)
    forget_plans()


def times_of(sketch: Sketch, configuration: str) -> Times:
    """Return the times of a region on its device with a kernel of this configuration, measured now or before."""
    key = key_digest(
        arch=_device_name(sketch.device),
        toolchain=f"torch {torch.__version__}",
        source=sketch.digest(),
        flags=(str(torch.get_num_threads()), _version(), configuration, str(_laid_out_by_inductor(sketch))),
        abi="trial 4",
    )
    stored = _cache().get(key)
    if stored is not None:
        return Times(**json.loads(stored))
    load = Load()
    found = _measure(sketch)
    if sketch.device.type != "cpu" or load.of_others() <= _BUSY * len(processors()):
        _cache().put(key, found.to_json().encode())
    else:
        _log.info("a trial of %s is not kept: other processes were busy", sketch.op)
    return found


@functools.lru_cache(maxsize=1)
def _cache() -> BinaryCache:
    return BinaryCache()


def _version() -> str:
    import tracea_core

    import tracea

    return f"{tracea.__version__},{tracea_core.__version__}"


def _device_name(device: torch.device) -> str:
    if device.type == "cuda":
        return str(torch.cuda.get_device_name(device))
    from tracea_core.plugin.select import resolve

    return resolve(device.type).target.profile.name


def _measure(sketch: Sketch) -> Times:
    plain = torch.utils._python_dispatch._disable_current_modes()
    with torch.no_grad(), torch.autocast(sketch.device.type, enabled=False), plain:  # tensors are cast already
        tensors = sketch.materialize()
        if sketch.is_called:
            trained = {
                name: with_gradients(way, tensors, sketch.recorded) for name, way in one_call.ways(sketch).items()
            }
            seconds = _in_turns(trained, sketch.device)
            return Times(seconds["unfused"], seconds["unfused"], seconds["unfused"], seconds["one call"])
        if sketch.op in WHOLE:
            whole = WHOLE[sketch.op]
            ways: dict[str, Callable[[], Any]] = {
                "fused": functools.partial(whole.call, sketch, tensors),
                "unfused": functools.partial(whole.in_torch, sketch, tensors),
            }
            if sketch.spelled_out and whole.in_steps is not None:
                ways["in steps"] = functools.partial(whole.in_steps, sketch, tensors)
            seconds = _in_turns(ways, sketch.device)
            fused, called = seconds["fused"], seconds["unfused"]
            if "in steps" in seconds:
                return Times(fused, fused, seconds["in steps"], called)
            return Times(fused, fused, called)
        first, second, *operands = tensors
        sides = {
            "fused": _fused(sketch, [first, second, *operands]),
            "unfused": _unfused(sketch, first, second, operands),
        }
        ours, theirs = functools.partial(product_of_ours, sketch), functools.partial(product_in_torch, sketch)
        products = {"fused": (ours, first), "unfused": (theirs, first)}
        if sketch.op in CONVOLUTIONS and not sketch.laid_out:
            last = first.contiguous(memory_format=torch.channels_last)
            moved = [t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t for t in operands]
            sides["fused_channels_last"] = _fused(sketch, [last, second, *moved])
            products["fused_channels_last"] = ours, last
            if _laid_out_by_inductor(sketch):
                sides["unfused"] = _unfused(sketch, last, second, moved, moves_filters=True)
                products["unfused"] = functools.partial(theirs, moves_filters=True), last
        back = {
            name + _BACK: gradients_of(product, (one, second), sketch.recorded)
            for name, (product, one) in products.items()
            if any(sketch.recorded)
        }
        found = _in_turns({**sides, **back}, sketch.device)
        seconds = {name: found[name] + found.get(name + _BACK, 0.0) for name in sides}
    return Times(seconds["fused"], seconds.get("fused_channels_last", seconds["fused"]), seconds["unfused"])


def _laid_out_by_inductor(sketch: Sketch) -> bool:
    """Whether Inductor would compute a convolution, on a processor, where it lays out all of them channels-last."""
    return sketch.op == "conv2d" and sketch.device.type == "cpu" and inductor.cpp_compiler() is not None


def _fused(sketch: Sketch, tensors: list[torch.Tensor]) -> Callable[[], Any]:
    return lambda: kernels.run(sketch.op, tensors, sketch.text, sketch.settings, "")


def _unfused(
    sketch: Sketch,
    first: torch.Tensor,
    second: torch.Tensor,
    operands: list[torch.Tensor],
    moves_filters: bool = False,
) -> Callable[[], Any]:
    """Return the product with its bias by PyTorch, and one pass over the result if anything follows.

    With `moves_filters`, filters are laid out channels-last in each call.
    """
    stored = sketch.epilogue.auxiliaries
    read = [t for slot, t in enumerate(operands) if slot not in stored]
    spread = [operand.axes for slot, operand in enumerate(sketch.epilogue.operands) if slot not in stored]
    columns = [t for t, axes in zip(read, spread, strict=True) if axes is OperandAxes.COLUMN]
    full = [t for t, axes in zip(read, spread, strict=True) if axes is OperandAxes.FULL]
    bias = columns[0] if sketch.has_bias and columns and not sketch.epilogue.gated and not sketch.laid_out else None
    if bias is not None:  # which autocast leaves to the kernel as it is, and casts for PyTorch's product
        bias = bias.to(first.dtype)

    costly = _costly(sketch)

    def call() -> torch.Tensor:
        value = product_in_torch(sketch, first, second, bias, moves_filters)
        if not sketch.saves_pass:
            return value
        if sketch.epilogue.gated:
            gate, up = value.chunk(2, -1)
            return gate * up
        if costly is not None:
            return costly(value)
        return value + full[0] if full and full[0].dtype == value.dtype else torch.relu_(value)

    return call


def _costly(sketch: Sketch) -> Callable[[torch.Tensor], torch.Tensor] | None:
    """Return an activation that takes a processor longer than its memory does; a GPU's memory is what all of them take there."""
    if sketch.device.type != "cpu" or sketch.text.startswith("{"):
        return None
    return next((FUNCTIONS[stage] for stage in sketch.text.split(",") if stage in _COSTLY), None)


def _in_turns(runs: dict[str, Callable[[], Any]], device: torch.device) -> dict[str, float]:
    """Return the seconds of each, measured in turns: the least on a CPU, where a neighbour only ever adds, else the median."""
    timers = {name: (_replays if device.type == "cuda" else _calls)(run, device) for name, run in runs.items()}
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(_ROUNDS):
        for name, timer in timers.items():
            if number < _LEAST_ROUNDS or sum(samples[name]) < _SECONDS:
                samples[name].append(timer())
    least = min if device.type == "cpu" else statistics.median
    return {name: least(values) for name, values in samples.items()}


def _calls(run: Callable[[], Any], device: torch.device) -> Callable[[], float]:
    """Return what times calls by the wall clock; the device is done when a call returns."""

    def timer(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            run()
        return (time.perf_counter() - start) / count

    single = timer(1)
    if single < _SECONDS:  # or what it took to begin is little of it
        single = timer(1)
    count = max(1, min(20, int(_SECONDS / _ROUNDS / max(single, 1e-6))))
    return lambda: timer(count)


def _replays(run: Callable[[], Any], device: torch.device) -> Callable[[], float]:
    """Return what times a captured graph of calls by the device's events, so that the host's part does not count."""
    with torch.cuda.device(device):
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                run()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        collects = gc.isenabled()
        gc.disable()  # nothing may be freed on the device meanwhile; `torch.cuda.graph` collects everything first, which takes longer
        try:
            with torch.cuda.stream(stream):
                graph.capture_begin()
                try:
                    for _ in range(_CAPTURED):
                        run()
                finally:  # else nothing could be allocated on the device any more
                    graph.capture_end()
        finally:
            if collects:
                gc.enable()
        torch.cuda.current_stream().wait_stream(stream)
        graph.replay()

    def timer() -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        with torch.cuda.device(device):
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
        return float(begin.elapsed_time(end)) * 1e-3 / _CAPTURED

    return timer
