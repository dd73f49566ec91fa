# SPDX-License-Identifier: MIT
"""What a disposable worker does for one candidate: build, compile, verify and time a real kernel on its device.

A candidate whose result does not lie within the bound of its problem is not timed, so nothing wrong can ever win.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.dtypes import DType
from tracea_core.errors import DeviceError, TuningError
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import tolerance, worst
from tracea_core.pipeline.plan import Plan, plan
from tracea_core.pipeline.runtimes import runtime
from tracea_core.policy.config import PipelineConfig
from tracea_core.runtime.interface import DeviceRuntime, Memory
from tracea_core.tuner.measure import Timer

Array = npt.NDArray[Any]
_ALIGNED = 256
"""Bytes: as much as any kernel asks of an address."""


class Operands:
    """Random operands of one problem. With a `device`, they have copies in its memory."""

    def __init__(self, problem: Problem, device: DeviceRuntime | None = None) -> None:
        random = np.random.default_rng()
        self.problem = problem
        self.inputs = [_random(spec, random) for spec in problem.inputs]
        self.operands = [_random(spec, random) for spec in problem.epilogue_inputs]
        self.output = _empty(problem.output)
        self._memory: dict[str, Memory] = {}
        if device is not None:
            self._memory = {name: device.place(_bytes(array)) for name, array in self._named().items()}

    def _named(self) -> dict[str, Array]:
        named = {f"input{i}": x for i, x in enumerate(self.inputs)} | {"output": self.output}
        return named | {f"epilogue{i}": x for i, x in enumerate(self.operands)}

    def pointers(self, made: Plan) -> list[int]:
        """Return the addresses in the order of the plan's operands."""
        named = self._named()
        hosts = {name: _address(array) for name, array in named.items()}
        if self._memory:
            begins = {name: hosts[name] - _address(_bytes(array)) for name, array in named.items()}
            return [self._memory[name].address + begins[name] for name in made.operands]
        return [hosts[name] for name in made.operands]


class Bench(Operands):
    """Random operands of one problem with the right answer, made once for all candidates."""

    def __init__(self, problem: Problem, device: DeviceRuntime | None = None) -> None:
        super().__init__(problem, device)
        exact = [_decoded(x, s) for x, s in zip(self.inputs, problem.inputs, strict=True)]
        epilogue = [_decoded(x, s) for x, s in zip(self.operands, problem.epilogue_inputs, strict=True)]
        self.expected = problem.reference(*exact, *epilogue)
        self.bound = tolerance(problem, exact, epilogue)

    def check(self, made: Plan) -> None:
        """Run once into a poisoned output and compare.

        Raises
        ------
        TuningError
            If an element lies outside its bound.
        """
        _poison(self.output, self.problem.output.dtype)
        if self._memory:
            self._memory["output"].write(_bytes(self.output))
        made.launch(*self.pointers(made))
        if self._memory:
            _bytes(self.output)[...] = self._memory["output"].read()
        off = worst(_decoded(self.output, self.problem.output), self.expected, self.bound)
        if not off <= 1.0:
            raise TuningError(
                f"the result is wrong: an element is {off:.3g} bounds away from the reference",
                configuration=made.path.configuration.describe(),
            )


@functools.lru_cache(maxsize=2)
def _bench(problem: str, device: str, backend: str) -> Bench:
    return Bench(Problem.from_json(problem), device_memory(device, backend))


def device_memory(device: str, backend: str) -> DeviceRuntime | None:
    """Return the runtime if arrays must be brought to it, None if it works on the host's memory.

    Raises
    ------
    DeviceError
        If it can be given no arrays.
    """
    opened = runtime(backend, device)
    if getattr(opened, "memory", "device") == "host":
        return None
    if not isinstance(opened, DeviceRuntime):
        raise DeviceError(
            f"the backend {backend!r} cannot measure on {device}: its runtime has no place() and timer()",
            hint="Pin a configuration in the lock file instead",
        )
    return opened


def measure(payload: dict[str, Any]) -> list[str]:
    """Return the JSON of a `Measurement` for each configuration in the payload, timed in turns.

    Parameters
    ----------
    payload : dict
        ``problem``, ``configurations`` (JSON texts), ``device``, ``backend``.
    """
    device, backend = payload["device"], payload["backend"]
    bench = _bench(payload["problem"], device, backend)
    calls = []
    for text in payload["configurations"]:
        made = plan(bench.problem, device, backend, PipelineConfig.from_json(text))
        bench.check(made)
        calls.append(functools.partial(made.launch, *bench.pointers(made)))
    place = device_memory(device, backend)
    timer = Timer() if place is None else place.timer()
    times = [timer.measure(calls[0])] if len(calls) == 1 else timer.compare(calls)
    return [time.to_json() for time in times]


def _empty(spec: TensorSpec) -> Array:
    """Return zeros; where strides are negative, the first element lies as aligned in its memory as the memory itself."""
    steps = [(extent - 1) * stride for extent, stride in zip(spec.shape, spec.strides, strict=True) if extent]
    size = np.dtype(spec.dtype.storage).itemsize
    before = -(sum(min(step, 0) for step in steps) * size // _ALIGNED) * _ALIGNED // size
    flat = np.zeros(before + 1 + sum(max(step, 0) for step in steps), spec.dtype.storage)
    return np.lib.stride_tricks.as_strided(flat[before:], spec.shape, tuple(stride * size for stride in spec.strides))


def _address(array: Array) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


def _bytes(array: Array) -> npt.NDArray[np.uint8]:
    """Return the bytes of the memory that `_empty` made for an array, shared with it."""
    owner: Any = array
    while owner.base is not None:  # a strided view keeps its array behind an object of NumPy's own
        owner = owner.base
    shared: npt.NDArray[np.uint8] = owner.view(np.uint8)
    return shared


def _random(spec: TensorSpec, random: np.random.Generator) -> Array:
    array = _empty(spec)
    if spec.dtype.is_float:
        array[...] = spec.dtype.encode(random.standard_normal(spec.shape))
    else:
        array[...] = random.integers(int(spec.dtype.lowest), int(spec.dtype.largest), spec.shape, endpoint=True)
    return array


def _decoded(array: Array, spec: TensorSpec) -> npt.NDArray[np.float64]:
    return spec.dtype.decode(array)


def _poison(array: Array, dtype: DType) -> None:
    array[...] = dtype.encode(np.nan if dtype.is_float else dtype.lowest)
