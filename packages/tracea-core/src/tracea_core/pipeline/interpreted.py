# SPDX-License-Identifier: MIT
"""Plans whose kernels are interpreted in float64 instead of compiled: ``TRACEA_INTERPRET``, for finding out what a schedule computes.

Set to 1, a call's own kernels are walked step by step on the host's memory, as the verifier walks them: reads of memory that nobody wrote,
addresses out of bounds, races between warps and rings that wait for each other are errors. Set to a preset's name, such as ``h200``, the
kernels are those of that device, which need not be there. Results are rounded once, when they are stored. It takes seconds for 256³.
"""

from __future__ import annotations

import ctypes
import logging
import os
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tracea_core.doctor.presets import preset_names
from tracea_core.environment import INTERPRET
from tracea_core.errors import DeviceError, LaunchError, OptionError, UnsupportedError
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import Actor, Direction, SemanticKernel

_LOG = logging.getLogger("tracea")
_WORKERS = 2
"""Of a kernel for a processor: enough for what one leaves for another."""
Array = npt.NDArray[np.float64]
Step = tuple[SemanticKernel, Mapping[str, int], tuple[str, ...], Mapping[str, int]]
"""A kernel, the values of its symbols, what its pointers are, and the bytes that they are moved by."""


def whose_kernels() -> str:
    """Return whose kernels are to be interpreted, where ``TRACEA_INTERPRET`` is on: a preset's name, or nothing for the call's own device.

    Raises
    ------
    OptionError
        If it is neither a switch nor the name of a preset.
    """
    value = os.environ.get(INTERPRET, "").strip()
    if value != "1" and value not in preset_names():
        raise OptionError(
            f"{INTERPRET}={value} names no device", hint=f"Set it to 1, or to one of {', '.join(preset_names())}"
        )
    return "" if value == "1" else value


class Interpreted:
    """Launches the kernels of a plan in the interpreter, on the host's memory.

    Parameters
    ----------
    problem : Problem
        Whose tensors the pointers are, inputs in the types that the kernels read.
    steps : sequence of Step
        The kernels, in order.
    operands : tuple of str
        What each pointer of a launch is.
    spaces : mapping
        Workspaces by name, in bytes; they hold NaNs before.

    Raises
    ------
    UnsupportedError
        As `require_forwards`.
    """

    def __init__(
        self, problem: Problem, steps: Sequence[Step], operands: tuple[str, ...], spaces: Mapping[str, int]
    ) -> None:
        require_forwards(problem)
        self.steps, self.operands, self.spaces = steps, operands, spaces
        self.tensors = {name: spec.settled() for name, spec in _tensors(problem) if name in operands}
        self.written = ("output", *(f"epilogue{slot}" for slot in problem.epilogue.auxiliaries))

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Run the kernels one after the other on what lies at the addresses, and store what they wrote.

        Raises
        ------
        LaunchError
            If a kernel does what no correct kernel does.
        """
        places = dict(zip(self.operands, pointers, strict=True))
        with np.errstate(all="ignore"):  # what an output holds before may be anything
            memory = {name: spec.dtype.decode(_bytes_at(places[name], spec)) for name, spec in self.tensors.items()}
        for kernel, symbols, operands, shifts in self.steps:
            self._run(kernel, symbols, operands, shifts, memory)
        for name in self.written:
            if name in self.tensors:
                spec = self.tensors[name]
                stored = _view(_bytes_at(places[name], spec), spec)
                stored[...] = spec.dtype.encode(_view(memory[name], spec))

    def _run(
        self, kernel: SemanticKernel, symbols: Mapping[str, int], operands: tuple[str, ...], shifts: Mapping[str, int],
        memory: dict[str, Array],
    ) -> None:  # fmt: skip
        given = dict(zip((p.name for p in kernel.parameters), operands, strict=True))
        types = {p.name: p.dtype for p in kernel.parameters}
        for name, place in given.items():
            if place not in memory:
                memory[place] = np.full(self.spaces[place] // types[name].bytes, np.nan)
        begins = {name: shifts.get(place, 0) // types[name].bytes for name, place in given.items()}
        found = {name: memory[place][begins[name] :] for name, place in given.items()}
        blocks = _WORKERS
        if all(role.actor is not Actor.WORKER for role in kernel.roles):
            blocks = int(evaluate(kernel.launch.blocks, symbols))
        run = interpreter(kernel, symbols, found, blocks)
        try:
            with np.errstate(all="ignore"):
                run.run()
        except InterpretError as error:
            raise LaunchError(
                f"the interpreter stopped in {kernel.name}: {error}", hint="The kernel is wrong"
            ) from error
        for parameter in kernel.parameters:
            if parameter.direction is not Direction.READ:
                held, name = run.memory[parameter.name], parameter.name
                np.copyto(memory[given[name]][begins[name] :], held.values, where=held.written > 0)


def require_forwards(problem: Problem) -> None:
    """Raise unless all tensors run forwards in memory: the interpreter's addresses begin at a pointer.

    Raises
    ------
    UnsupportedError
        Naming the tensor.
    """
    for name, spec in _tensors(problem):
        if any(stride < 0 for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent > 1):
            raise UnsupportedError(
                f"{name} is read backwards in memory, which is not interpreted",
                hint=f"Copy it, or unset {INTERPRET}", op=type(problem.op).__name__, strides=spec.strides,
            )  # fmt: skip


def _tensors(problem: Problem) -> list[tuple[str, TensorSpec]]:
    rest = (("output", problem.output), *((f"epilogue{i}", s) for i, s in enumerate(problem.epilogue_inputs)))
    return [*((f"input{i}", spec) for i, spec in enumerate(problem.inputs)), *rest]


def interpreted_launch(
    problem: Problem, steps: Sequence[Step], operands: tuple[str, ...], spaces: Mapping[str, int], whose: str
) -> Callable[..., None]:
    """Return what launches a plan in the interpreter, and say so in the log; see `Interpreted`."""
    titles = ", ".join(kernel.title for kernel, *_ in steps)
    _LOG.warning("%s: %s runs in the interpreter%s", INTERPRET, titles, f", as on {whose}" if whose else "")
    return Interpreted(problem, steps, operands, spaces)


def require_host(device: str | None) -> None:
    """Raise unless arrays lie in the host's memory.

    Raises
    ------
    DeviceError
        If they lie on a device.
    """
    if device is not None and device.partition(":")[0] != "cpu":
        raise DeviceError(
            f"kernels are interpreted on the host, and the arrays are on {device}",
            hint=f"Move them to the CPU, or unset {INTERPRET}; {INTERPRET}=h200 interprets the kernels of a preset",
        )


def _bytes_at(address: int, spec: TensorSpec) -> npt.NDArray[np.generic]:
    """The elements that a tensor reaches from its first one on, as they are stored, shared with the caller."""
    count = 1 + sum((extent - 1) * stride for extent, stride in zip(spec.shape, spec.strides, strict=True))
    storage = np.dtype(spec.dtype.storage)
    held = (ctypes.c_uint8 * (count * storage.itemsize)).from_address(address)
    stored: npt.NDArray[np.generic] = np.ctypeslib.as_array(held).view(storage)
    return stored


def _view(flat: npt.NDArray[np.generic], spec: TensorSpec) -> npt.NDArray[np.generic]:
    return np.lib.stride_tricks.as_strided(flat, spec.shape, tuple(flat.itemsize * s for s in spec.strides))
