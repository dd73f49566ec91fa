# SPDX-License-Identifier: MIT
"""What a block (or a CPU worker) takes of what there is: registers, shared memory, caches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tracea_core.semantic.index import evaluate
from tracea_core.semantic.kernel import Actor, Role, SemanticKernel, Space, walk
from tracea_core.semantic.shared_plan import BARRIER_BYTES, slot_bytes
from tracea_core.semantic.steps import Extract
from tracea_core.target import CapabilityProfile

from tracea.pictures.palette import KINDS
from tracea.pictures.section import Section, size
from tracea.pictures.svg import Drawing

_LEFT, _WIDTH, _BAR, _PITCH = 232.0, 820.0, 24.0, 58.0


@dataclass(frozen=True)
class Bar:
    """One budget: its parts, the limit, and how amounts are said. More than a cache holds `streams` through it, and breaks no limit."""

    name: str
    parts: tuple[tuple[str, float], ...]
    limit: float
    unit: str
    streams: bool = False

    @property
    def over(self) -> bool:
        """Whether a limit is broken."""
        return self.used > self.limit and not self.streams

    @property
    def share(self) -> str:
        """What is used of what there is, in words."""
        if not self.limit:
            return "no limit known"
        part = self.used / self.limit
        if self.streams and part > 1:
            return f"{self.say(self.used)} stream through {self.say(self.limit)}, {part:,.1f} times as much as fits"
        return f"{self.say(self.used)} of {self.say(self.limit)}, {part:.0%}"

    @property
    def used(self) -> float:
        """The sum of the parts."""
        return sum(amount for _, amount in self.parts)

    def say(self, amount: float) -> str:
        """Return an amount with its unit."""
        return size(amount) if self.unit == "bytes" else f"{amount:,.0f}"


def budgets_section(kernel: SemanticKernel, profile: CapabilityProfile, values: dict[str, int]) -> Section:
    """Return the bars of `kernel` on `profile`."""
    cpu = any(role.actor is Actor.WORKER for role in kernel.roles)
    bars = _cpu(kernel, profile, values) if cpu else _gpu(kernel, profile)
    lead = (
        "Vector registers of one core in the inner loop, and what a worker's own memory (packed panels, sums put aside) is to "
        "each cache: what does not fit is read from the next one, panel by panel."
        if cpu
        else "What one block takes of a processor: shared memory, the register file, and one thread's registers by role."
    )
    return Section("budgets", "Budgets", lead, f'<div class="scroll">{_draw(bars).render()}</div>')


def _gpu(kernel: SemanticKernel, profile: CapabilityProfile) -> list[Bar]:
    parts = [(f"{b.name} × {b.slots}" if b.slots > 1 else b.name, float(slot_bytes(b) * b.slots))
             for b in kernel.buffers if b.space is Space.SHARED]  # fmt: skip
    barriers = sum(2 * BARRIER_BYTES * ring.slots for ring in kernel.rings)
    rest = kernel.launch.shared_bytes - sum(amount for _, amount in parts)
    if rest > 0:
        parts.append(("barriers and alignment" if barriers else "alignment", float(rest)))
    bars = [Bar("shared memory of a block", tuple(parts), float(profile.shared_bytes), "bytes")]
    threads = [(role, role.lanes * role.instances) for role in kernel.roles]
    held = tuple(
        (f"{count} {role.name} threads of {role.registers}:", float(role.registers * count))
        for role, count in threads
        if role.registers
    )
    if held:
        bars.append(Bar("register file", held, float(profile.registers_per_processor), ""))
    for role in kernel.roles:
        taken = _registers(role)
        if taken:
            limit = role.registers or profile.max_registers_per_thread
            bars.append(Bar(f"registers of a {role.name} thread", tuple(taken), float(limit), ""))
    return bars


def _registers(role: Role) -> list[tuple[str, float]]:
    """32-bit registers per thread of every fragment that is one of its own; a named part of another is none."""
    parts = {node.target for node in walk(role.body) if isinstance(node, Extract)}
    return [
        (fragment.name, fragment.layout.registers * fragment.dtype.bytes / 4)
        for fragment in role.fragments
        if fragment.name not in parts
    ]


def _cpu(kernel: SemanticKernel, profile: CapabilityProfile, values: dict[str, int]) -> list[Bar]:
    role = kernel.roles[0]
    inner = [(f.name, float(f.layout.registers)) for f in role.fragments if f.name.startswith(("acc", "b"))
             and not f.name.startswith("bias")]  # fmt: skip
    bars = [
        Bar("vector registers, inner loop", (*inner, ("a, one broadcast", 1.0)), float(profile.vector_registers), "")
    ]
    kept = []
    for buffer in kernel.buffers:
        if buffer.space is Space.PANEL:
            repeats = int(evaluate(buffer.extent, values)) if buffer.extent is not None else 1
            kept.append((buffer.name, float(buffer.layout.size * buffer.dtype.bytes * repeats)))
    if kept:
        for cache in profile.caches:
            mine = cache.bytes / cache.shared_by
            bars.append(Bar(f"L{cache.level} cache of a core", tuple(kept), mine, "bytes", streams=True))
    return bars


def _draw(bars: Sequence[Bar]) -> Drawing:
    picture = Drawing(_LEFT + _WIDTH + 14, len(bars) * _PITCH + 8, "Budgets")
    for index, bar in enumerate(bars):
        top = index * _PITCH + 22
        most = max(bar.limit, bar.used)
        picture.text(_LEFT - 10, top + 16, bar.name, anchor="end", bold=True)
        picture.rect(_LEFT, top, _WIDTH * bar.limit / most, _BAR, "wash", radius=3, stroke="line")
        x = _LEFT
        for number, (name, amount) in enumerate(bar.parts):
            width = _WIDTH * amount / most
            picture.rect(
                x, top, max(width, 1), _BAR, KINDS[number % len(KINDS)], radius=2, tip=f"{name}: {bar.say(amount)}"
            )
            label = f"{name} {bar.say(amount)}".strip()
            if width > 6.3 * len(label):
                picture.text(x + width / 2, top + 16, label, size=10.5, anchor="middle", fill="#10151c")
            x += width
        edge = _LEFT + _WIDTH * bar.limit / most
        picture.line([(edge, top - 5), (edge, top + _BAR + 5)], "c4" if bar.over else "ink", weight=1.6)
        picture.text(_LEFT, top - 7, bar.share, size=10.5, fill="c4" if bar.over else "faint")
    return picture
