# SPDX-License-Identifier: MIT
"""The runs that a proof consists of: all sizes at once where blocks go in lockstep, else one after the other.

What goes wrong in some run of several is found again in that run alone, so that the refusal can name its sizes.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tracea_core.errors import CertificationError, ConfigurationError, TraceaError
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array
from tracea_core.semantic.interpret_block import in_lockstep, interpreter
from tracea_core.semantic.interpret_launches import LaunchesInterpreter, launched_together
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lockstep_team import Divergence, Launch

_AT_FIRST: ContextVar[int | None] = ContextVar("cases of workers that are carried out together", default=None)


class Stored(NamedTuple):
    """A second result of a run: its operand, and its offsets and values by definition."""

    operand: str
    offsets: Integers
    expected: Array


class Case(NamedTuple):
    """One run: what is launched, the output's offsets and values by definition, words for its sizes, and its second results."""

    launch: Launch
    offsets: Integers
    expected: Array
    sizes: dict[str, Any]
    more: tuple[Stored, ...] = ()


def launched(
    kernel: SemanticKernel, out: str, values: dict[str, Any], memory: dict[str, Array], offsets: Integers, workers: int, seed: int
) -> Launch:  # fmt: skip
    """Return a launch with the given operands and an output as large as `offsets` reach; what is not given is empty."""
    operands = {parameter.name: np.zeros(0) for parameter in kernel.parameters} | memory
    operands[out] = np.zeros(int(offsets.max()) + 1 if offsets.size else 0)
    return Launch(values, operands, workers, seed)


def check_runs(
    kernel: SemanticKernel,
    out: str,
    cases: Iterable[Case],
    compare: Callable[[Integers, Array, Integers, Array, object], None],
) -> int:
    """Run every case; `compare` how often elements are written, and values, with the definition. Return how many cases there were.

    Raises
    ------
    CertificationError
        If a run does what no correct kernel does, or `compare` raises it.
    """
    with np.errstate(all="ignore"):  # what a wrong kernel makes of infinities is compared, not warned about
        return sum(1 for _ in _compared(kernel, out, cases, compare))


def _compared(
    kernel: SemanticKernel,
    out: str,
    cases: Iterable[Case],
    compare: Callable[[Integers, Array, Integers, Array, object], None],
) -> Iterator[Case]:
    """Yield every case that agrees."""
    together = _in_lockstep if in_lockstep(kernel) else _of_workers if launched_together(kernel) else _alone
    for case, memory in together(kernel, cases):
        found = memory
        if found is None:
            run = interpreter(kernel, *case.launch)
            try:
                run.run()
            except (InterpretError, ConfigurationError) as error:
                raise CertificationError(f"the schedule fails: {error}", sizes=case.sizes) from error
            found = run.memory.__getitem__
        for operand, offsets, expected in (Stored(out, case.offsets, case.expected), *case.more):
            held = found(operand)
            compare(held.written, held.values, offsets, expected, case.sizes)
        yield case


Ended: TypeAlias = tuple[Case, Callable[[str], Memory] | None]
"""A case with the memory of operands after its run; None where it is to be run alone."""


def _alone(kernel: SemanticKernel, cases: Iterable[Case]) -> Iterator[Ended]:
    """Every case, to be run alone."""
    return ((case, None) for case in cases)


def _of_workers(kernel: SemanticKernel, cases: Iterable[Case]) -> Iterator[Ended]:
    """Every case of workers, carried out together; if anything is refused, all are to be run alone, first the one that showed it."""
    left = iter(cases)
    while every := list(itertools.islice(left, _AT_FIRST.get())):
        if len(every) < 2 or any(case.launch.workers < 1 for case in every):
            yield from _alone(kernel, every)
            continue
        run = None
        try:
            run = LaunchesInterpreter(kernel, [case.launch for case in every])
            run.together()
        except (TraceaError, Divergence, ArithmeticError, LookupError, TypeError, ValueError):
            shown = run.suspect if run is not None else None
            yield from _alone(kernel, every if shown is None else [every.pop(shown), *every])
            continue
        for number, case in enumerate(every):
            yield case, functools.partial(run.memory_after, number)


@contextlib.contextmanager
def few_at_first(count: int) -> Iterator[None]:
    """Let no more than `count` cases of workers be carried out together: what is most often refused is refused sooner."""
    token = _AT_FIRST.set(count)
    try:
        yield
    finally:
        _AT_FIRST.reset(token)


def _in_lockstep(kernel: SemanticKernel, cases: Iterable[Case]) -> Iterator[Ended]:
    """Every case of blocks, carried out together; if anything is refused, all are to be run alone."""
    from tracea_core.semantic.interpret_lockstep import LockstepInterpreter  # imported when a kernel needs it

    every = list(cases)
    if len(every) < 2 or any(case.launch.workers < 0 for case in every):
        yield from ((case, None) for case in every)
        return
    order = sorted(range(len(every)), key=lambda number: _depth(every[number]))
    first, *more = (every[number].launch for number in order)
    run = LockstepInterpreter(kernel, *first, more=more)
    try:
        run.run()
    except (InterpretError, ConfigurationError, Divergence):
        yield from ((case, None) for case in every)
    else:
        places = {number: place for place, number in enumerate(order)}
        for number, case in enumerate(every):
            yield case, functools.partial(run.memory_after, places[number])


def _depth(case: Case) -> int:
    """About how long a block of a run takes: those that take as long go together, for few to wait for others."""
    return math.prod(int(np.prod(case.sizes.get(name, 1))) for name in ("k", "keys"))
