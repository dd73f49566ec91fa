# SPDX-License-Identifier: MIT
"""A kernel played against a clock: which role does what when, what waits for what, and what each ring slot holds.

Order and dependencies are the kernel's own: its bodies are walked step by step, loops peeled as they are for emitters
(`tracea_core.semantic.play`), and a wait ends when the arrivals and bytes it names are there. Only lengths are a model
(`Pace`): one matrix unit and one copy engine per block, each serving in order. So a picture of it shows what the
schedule allows, never what was measured.
"""

from __future__ import annotations

import enum

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Side
from tracea_core.target import CapabilityProfile


class SpanKind(enum.Enum):
    """What a lane of the timeline does during a span."""

    ISSUE = "issues"  # starts asynchronous work
    WAIT = "waits for others"
    RETIRE = "waits for its own asynchronous work"
    MULTIPLY = "multiplies"
    MOVE = "moves data"  # loads and stores of its own
    COMPUTE = "computes"  # epilogue arithmetic
    FILL = "is being filled"  # a ring slot, or the copy engine
    FULL = "holds data"
    READ = "is being read"
    STORE = "is being stored"


class Span(Data, frozen=True):
    """One stretch of one lane, in clocks; `label` says which iteration or tile, `owner` whose work an engine does."""

    kind: SpanKind
    start: float
    end: float
    label: str = ""
    owner: str = ""


class Lane(Data, frozen=True):
    """Everything one role instance, engine or ring slot does, in time order. `group` is ``role``, ``engine`` or ``slot``."""

    name: str
    group: str
    spans: tuple[Span, ...]

    def busy(self, kind: SpanKind) -> float:
        """Return the clocks spent on one kind."""
        return sum(span.end - span.start for span in self.spans if span.kind is kind)


class Edge(Data, frozen=True):
    """An arrival that ended a wait: from lane `source` at clock `start` to lane `target` at clock `end`.

    `side` is the condition it completed: a slot became full, or empty again.
    """

    source: str
    target: str
    start: float
    end: float
    side: Side


class Timeline(Data, frozen=True):
    """What was played: the lanes of one block (or of the first workers), the edges between them, and its length in clocks."""

    lanes: tuple[Lane, ...]
    edges: tuple[Edge, ...]
    clocks: float
    complete: bool
    """Whether every role came to its end before the limit."""

    def lane(self, name: str) -> Lane:
        """Return the lane called `name`."""
        return next(lane for lane in self.lanes if lane.name == name)


class Pace(Data, frozen=True, kw_only=True):
    """How many clocks things take, per processor.

    Attributes
    ----------
    multiplies : float
        Multiply-adds per clock on the operand type.
    arithmetic : float
        Scalar operations per clock of epilogues.
    move_bytes : float
        Bytes per clock of loads and stores between registers and the nearest memory.
    copy_bytes : float
        Bytes per clock that reach the copy engine.
    latency : float
        Clocks from the start of a copy until its first byte lands, or is written.
    issue : float
        Clocks to start one asynchronous step, or to pass a barrier.
    """

    multiplies: float
    arithmetic: float
    move_bytes: float
    copy_bytes: float = 64.0
    latency: float = 500.0
    issue: float = 8.0


def pace_of(profile: CapabilityProfile, dtype: DType) -> Pace:
    """Return the pace of one processor of `profile`: peaks divided by processors and clock.

    Peaks that a profile does not state count as one vector operation per clock. 64 bytes per clock is what the L2
    delivers to a processor in DeepGEMM's heuristic (deepseek-ai/DeepGEMM, heuristics/sm90.hpp); 500 clocks is the order
    of a copy's latency on a current GPU; 64 and 128 bytes per clock are two loads of a 256-bit CPU core and the
    shared-memory bandwidth of a CUDA multiprocessor (CUDA C++ Programming Guide, compute capability 9.0).
    """
    clocks = (profile.clock_mhz or 1000.0) * 1e6 * profile.processors

    def rate(kind: DType) -> float:
        return 0.5e9 * profile.peak(kind) / clocks or float(profile.lanes)

    gpu = not profile.vector_registers
    return Pace(
        multiplies=rate(dtype), arithmetic=2 * rate(DType.FP32), move_bytes=128.0 if gpu else 64.0,
        issue=8.0 if gpu else 1.0,
    )  # fmt: skip


def timeline(
    kernel: SemanticKernel, pace: Pace, values: dict[str, int] | None = None, *, tiles: int = 2, steps: int = 6
) -> Timeline:
    """Play `kernel` and return what happened.

    Parameters
    ----------
    pace : Pace
        Clocks of each kind of step.
    values : dict, optional
        Values of the kernel's symbols for a concrete problem. A GPU's kernel is played on a shorter one instead: `tiles` output
        tiles of one cluster with `steps` steps of the reduction each, so that prologue, steady state, drain and the change of
        tiles are all seen.

    Raises
    ------
    ConfigurationError
        If a symbol of the kernel has no value.
    CertificationError
        If the roles wait for each other for ever.
    """
    from tracea_core.semantic.play import Player

    return Player(kernel, pace, values or {}, tiles, steps).play()
