# SPDX-License-Identifier: MIT
"""From a call to a launch: look the plan up, check what only addresses can tell, launch.

A plan is keyed by everything that shapes it: shapes, strides, dtypes, devices, the structural epilogue, options. The first call with a
key walks the path (`tracea_core.pipeline`); later ones pay for the key, the output and the launch.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from tracea_core.dtypes import DType
from tracea_core.errors import AliasError, AlignmentError, DeviceError, ShapeError, UnsupportedError
from tracea_core.ops.problem import Problem, overlaps_itself
from tracea_core.ops.spec import TensorSpec

from tracea.arrays import Kind, kind_of
from tracea.ranges import ranged

if TYPE_CHECKING:
    from tracea_core.pipeline import Path, Plan

_log = logging.getLogger("tracea")

Key = tuple[Any, ...]
Bind = Callable[[tuple[int, ...], int], "tuple[Callable[[], int], object] | None"]
"""``bind(pointers, stream)``: what queues one launch again, 0 if it did, and what has to live as long."""


class BoundPlan:
    """A plan as a call uses it: which array goes to which pointer, what to allocate, what must not overlap."""

    __slots__ = (
        "allocate", "backend", "bind", "converted", "device", "launch", "looser", "made", "order", "problem", "reaches", "second",
        "strides",
    )  # fmt: skip

    def __init__(
        self, problem: Problem, backend: str | None, device: str, allocate: Callable[[], Any], made: Plan | None = None
    ) -> None:
        self.problem, self.backend, self.device = problem, backend, device
        self.allocate = allocate
        inputs, rest = len(problem.inputs), len(problem.epilogue_inputs)
        places = {f"input{i}": i for i in range(inputs)} | {"output": inputs}
        places |= {f"epilogue{i}": inputs + 1 + i for i in range(rest)}
        self.launch: Callable[..., None] | None = None
        self.bind: Bind | None = None
        self.made: Plan | None = None
        self.looser: dict[int, BoundPlan] = {}
        self.order: tuple[int, ...] = ()
        self.converted: tuple[
            tuple[int, DType], ...
        ] = ()  # inputs that a wider type stands in for, converted at each call
        if not problem.is_empty:
            if made is None:
                from tracea_core.pipeline import plan

                made = plan(problem, device, backend)
            self.made, known = made, made.known
            assert known is not None
            plain = _on_current_stream(made.launch, device)
            launch = ranged(plain, problem, known)
            self.bind = getattr(made.launch, "bind", None) if launch is plain else None  # each call opens its range
            wide = any(p.alignment > p.dtype.bytes for step in known.steps for p in step.source.parameters)
            self.launch = self._whatever_the_addresses(launch) if wide else launch
            self.order = tuple(places[name] for name in made.operands)
            used = zip(problem.inputs, known.inputs, strict=False)
            self.converted = tuple((i, after) for i, (before, after) in enumerate(used) if before.dtype is not after)
            if known.fallback and self.converted:
                _log.warning("%s: precision fallback %s", type(problem.op).__name__, known.fallback)
        specs = (*problem.inputs, problem.output, *problem.epilogue_inputs)
        self.reaches = tuple(_reach(spec) for spec in specs)
        self.strides = tuple(spec.strides for spec in specs)
        self.second = tuple(inputs + 1 + slot for slot in problem.epilogue.auxiliaries)  # what is written besides

    @property
    def path(self) -> Path | None:
        """How the kernels came about, walked again if they were known; None where there is nothing to compute."""
        return None if self.made is None else self.made.path

    def _whatever_the_addresses(self, launch: Callable[..., None]) -> Callable[..., None]:
        """Return `launch`, with a kernel that relies on less in its place where addresses are not aligned as it wants."""

        def call(*pointers: int) -> None:
            try:
                launch(*pointers)
            except AlignmentError as error:
                if error.alignment >= self.problem.options.alignment:
                    raise
                self._launch_unaligned(error.alignment, pointers)

        return call

    def _launch_unaligned(self, alignment: int, pointers: tuple[int, ...]) -> None:
        plan = self.looser.get(alignment)
        if plan is None:
            # The operands are addresses by now: what this plan has converted already is wide, nothing else can become so.
            wider = self.problem.options.allow_fallback and bool(self.converted)
            options = self.problem.options.replace(alignment=alignment, allow_fallback=wider)
            plan = BoundPlan(self.problem.replace(options=options), self.backend, self.device, self.allocate)
            if plan.converted != self.converted:
                raise UnsupportedError(
                    f"no kernel reads addresses aligned to {alignment} bytes in the types that the operands are in",
                    hint="Copy the arrays, or view them from aligned elements", op=type(self.problem.op).__name__,
                )  # fmt: skip
            self.looser[alignment] = plan
        by_place = dict(zip(self.order, pointers, strict=True))
        assert plan.launch is not None
        plan.launch(*(by_place[place] for place in plan.order))

    def check_overlap(self, pointers: list[int], inputs: int) -> None:
        """Raise if the output shares memory with an input, or a second result with anything.

        An epilogue operand may be the output itself (an update in place): each element is read before it is written.
        """
        for written in (inputs, *self.second):
            low, high = (pointers[written] + reach for reach in self.reaches[written])
            for index, pointer in enumerate(pointers):
                if index == written:
                    continue
                first, last = self.reaches[index]
                if pointer + first < high and low < pointer + last:
                    same = pointer == pointers[inputs] and self.strides[index] == self.strides[inputs]
                    if index > inputs == written and same and index not in self.second:
                        continue
                    if written in self.second and index in self.second and self._beside(written, index, pointers):
                        continue
                    self._refuse_overlap(written == inputs)

    def _beside(self, one: int, other: int, pointers: list[int]) -> bool:
        """Whether two second results are halves of one array, side by side in its rows."""
        first, second = (self.problem.epilogue_inputs[place - 1 - len(self.problem.inputs)] for place in (one, other))
        apart, rest = divmod(pointers[other] - pointers[one], first.dtype.bytes)
        pair = TensorSpec((2, *first.shape), first.dtype, (apart, *first.strides))
        return first == second and not rest and not overlaps_itself(pair)

    def _refuse_overlap(self, output: bool) -> NoReturn:
        op = self.problem.op
        raise AliasError(
            "out shares memory with an input" if output else "a second result shares memory with another array",
            hint="Give another array as out; only an epilogue operand may be updated in place"
            if output
            else "Give Auxiliary an array of its own",
            op=type(op).__name__,
            shapes=tuple(spec.shape for spec in (*self.problem.inputs, self.problem.output)),
        )


def _on_current_stream(launch: Callable[..., None], device: str) -> Callable[..., None]:
    """Return `launch` bound to ask PyTorch, where it is loaded, for the caller's current stream of a CUDA device."""
    kind, _, index = device.partition(":")
    torch = sys.modules.get("torch")
    stream_of = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    if kind != "cuda" or stream_of is None:
        return launch
    number = int(index or 0)
    return lambda *pointers: launch(*pointers, stream=stream_of(number))


def _reach(spec: TensorSpec) -> tuple[int, int]:
    """Bytes from the pointer to the first byte and past the last byte that the tensor's elements occupy."""
    if spec.size == 0:
        return 0, 0
    steps = [(extent - 1) * stride for extent, stride in zip(spec.shape, spec.strides, strict=True)]
    low, high = sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)
    return low * spec.dtype.bytes, (high + 1) * spec.dtype.bytes


_plans: dict[Key, BoundPlan] = {}
_guard = threading.Lock()
_PLAN_LIMIT = 4096


_derived: list[dict[Any, Any]] = []


def derived(cache: dict[Any, Any]) -> dict[Any, Any]:
    """Return `cache`, which is emptied whenever plans are forgotten."""
    _derived.append(cache)
    return cache


def find(key: Key) -> BoundPlan | None:
    """Return the plan remembered under `key`."""
    return _plans.get(key)


def remember(key: Key, plan: BoundPlan) -> BoundPlan:
    """Keep `plan` under `key`; when there are very many, the oldest goes."""
    with _guard:
        while len(_plans) >= _PLAN_LIMIT:
            _plans.pop(next(iter(_plans)))
        return _plans.setdefault(key, plan)


def forget_plans() -> None:
    """Forget every plan, so that new measurements, settings or lock files take effect."""
    with _guard:
        _plans.clear()
        for cache in _derived:
            cache.clear()
    from tracea_core.pipeline.configure import forget_lock_file

    forget_lock_file()


def common_device(op: str, arrays: list[Any], kinds: list[Kind]) -> str:
    """Return the device that all arrays are on.

    Raises
    ------
    DeviceError
        If they are on different ones.
    """
    devices = [kind.device(array) for kind, array in zip(kinds, arrays, strict=True)]
    if len(set(devices)) > 1:
        raise DeviceError(
            "arrays are on different devices", hint="Move them to one device first", op=op, devices=tuple(devices),
            shapes=tuple(tuple(array.shape) for array in arrays),
        )  # fmt: skip
    return devices[0]


def check_out(op: str, spec: TensorSpec, expected: TensorSpec) -> None:
    """Raise unless an ``out`` of this specification can hold the result.

    Raises
    ------
    ShapeError
        If its shape or type is wrong.
    """
    if spec.shape != expected.shape or spec.dtype is not expected.dtype:
        raise ShapeError(
            f"out has shape {spec.shape} and type {spec.dtype.value}; the result has {expected.shape} and {expected.dtype.value}",
            hint="Allocate out to fit, or leave it out",
            op=op,
        )


__all__ = ["BoundPlan", "check_out", "common_device", "derived", "find", "forget_plans", "kind_of", "remember"]
