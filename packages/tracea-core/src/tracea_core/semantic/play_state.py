# SPDX-License-Identifier: MIT
"""What the player of `tracea_core.semantic.play` keeps: what an actor asks for, how far it is, what a barrier has seen."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TypeAlias

from tracea_core.semantic.index import Value
from tracea_core.semantic.kernel import Role
from tracea_core.semantic.steps import AsyncKind, Side
from tracea_core.semantic.timeline import Span, SpanKind

Slot: TypeAlias = tuple[int, str, int]
"""Block, ring, slot."""


@dataclass
class Busy:
    """Work that takes a while."""

    kind: SpanKind
    clocks: float
    label: str = ""


@dataclass
class Until:
    """Wait for a time that is already known (an engine's end)."""

    time: float
    label: str


@dataclass
class ForPhase:
    """Wait until `count` phases of one side of a slot are complete."""

    slot: Slot
    side: Side
    count: int
    label: str


@dataclass
class Meeting:
    """Wait until all `members` have come to the barrier `key`."""

    key: tuple[str, str, int]
    members: int


Request: TypeAlias = Busy | Until | ForPhase | Meeting


@dataclass
class SlotSide:
    """One side of one slot: arrivals and bytes of the phase under way, and when earlier phases were complete."""

    arrivals: int
    bytes_expected: int
    seen: int = 0
    brought: int = 0
    latest: float = 0.0
    by: str = ""
    done: list[tuple[float, str]] = field(default_factory=list)

    def add(self, arrivals: int, brought: int, time: float, by: str) -> None:
        """Count arrivals and bytes that come at `time`; the last ones complete the phase."""
        self.seen, self.brought = self.seen + arrivals, self.brought + brought
        if time >= self.latest:
            self.latest, self.by = time, by
        if self.seen >= self.arrivals and self.brought >= self.bytes_expected:
            self.done.append((self.latest, self.by))
            self.seen, self.brought, self.latest = 0, 0, 0.0


@dataclass
class Performer:
    """One role instance: its clock, what it has done, its ring positions, and its asynchronous groups by end."""

    name: str
    role: Role
    block: int
    scope: dict[str, Value]
    time: float = 0.0
    spans: list[Span] = field(default_factory=list)
    position: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    open: dict[AsyncKind, float] = field(default_factory=dict)
    groups: dict[AsyncKind, list[float]] = field(default_factory=lambda: defaultdict(list))
    ready: dict[str, float] = field(default_factory=dict)
    """When the registers of a fragment that is being loaded hold its elements."""
    turns: int = 0
    blocked: Request | None = None
    ended: bool = False

    def span(self, kind: SpanKind, start: float, end: float, label: str) -> None:
        """Note a stretch; one that continues the last is merged with it."""
        last = self.spans[-1] if self.spans else None
        if end <= start:
            return
        if last is not None and last.kind is kind and last.end == start and last.label == label:
            self.spans[-1] = last.replace(end=end)
        else:
            self.spans.append(Span(kind, start, end, label))
