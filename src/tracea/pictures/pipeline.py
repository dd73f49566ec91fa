# SPDX-License-Identifier: MIT
"""The pipeline over time: one lane per role, ring slot and engine; waits hatched out, arrivals as arrows."""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.play_costs import runs_in_blocks
from tracea_core.semantic.steps import Side
from tracea_core.semantic.timeline import Edge, Lane, Pace, SpanKind, Timeline, timeline

from tracea.pictures.section import Section
from tracea.pictures.svg import Drawing, escape

_LEFT, _WIDTH, _LANE, _GAP, _TOP = 92.0, 1100.0, 22.0, 6.0, 34.0
_FILL = {
    SpanKind.ISSUE: "c0", SpanKind.WAIT: "wash", SpanKind.RETIRE: "calm", SpanKind.MULTIPLY: "c2", SpanKind.MOVE: "c5",
    SpanKind.COMPUTE: "c3", SpanKind.FILL: "c6", SpanKind.FULL: "c1", SpanKind.READ: "c2", SpanKind.STORE: "c7",
}  # fmt: skip
_OWNERS = ("c2", "c5", "c3")  # an engine's work, by whose it is
_LEAST = 3.0  # pixels below which a span is widened, since it would not be seen


def pipeline_section(kernel: SemanticKernel, pace: Pace, values: dict[str, int]) -> Section:
    """Return the timeline of `kernel`."""
    ringed = runs_in_blocks(kernel)
    played = timeline(kernel, pace, values, tiles=2, steps=max(6, max((r.slots for r in kernel.rings), default=0) + 2))
    window = played.clocks if ringed else _window(played)
    shown = "two short output tiles, so that prologue, steady state, drain and the change of tiles are all seen"
    lead = (
        (f"The kernel's roles on {shown}. " if ringed else "The beginning of the call, worker by worker. ")
        + "What waits for what is the kernel's own; lengths are a model of "
        f"{pace.multiplies:.4g} multiply-adds and {pace.copy_bytes if ringed else pace.move_bytes:.3g} bytes a clock on one "
        "processor. Rest the pointer on a stretch to read which tile and iteration it is."
    )
    body = f'<div class="scroll">{_draw(played, window).render()}</div>'
    if kernel.rings:
        body += _numbers(kernel, played)
    return Section("pipeline", "Pipeline by role", lead, body)


def _window(played: Timeline) -> float:
    """Enough clocks for the first stretches of work, of a call that is too long to draw."""
    roles = [lane for lane in played.lanes if lane.group == "role"]
    return min(played.clocks, max((_after(lane, 5) for lane in roles), default=played.clocks) or played.clocks)


def _after(lane: Lane, multiplications: int) -> float:
    ends = [span.end for span in lane.spans if span.kind is SpanKind.MULTIPLY]
    return ends[min(multiplications, len(ends)) - 1] * 1.02 if ends else 0.0


def _draw(played: Timeline, window: float) -> Drawing:
    lanes = [lane for lane in played.lanes if lane.spans]
    height = _TOP + len(lanes) * (_LANE + _GAP) + 46
    picture = Drawing(_WIDTH, height + 18, "Pipeline by role", f"{len(lanes)} lanes over {played.clocks:.0f} clocks")
    across = (_WIDTH - _LEFT - 12) / max(window, 1e-9)
    tops = {lane.name: _TOP + i * (_LANE + _GAP) for i, lane in enumerate(lanes)}
    _axis(picture, window, across, height - 46)
    for lane in lanes:
        _lane(picture, lane, tops[lane.name], across, window)
    for edge in played.edges:
        _edge(picture, edge, tops, across)
    used = {
        span.kind
        for lane in lanes
        if lane.group != "engine" or not _owners([lane])
        for span in lane.spans
        if span.start < window
    }
    entries = [(_FILL[kind], kind.value) for kind in SpanKind if kind in used]
    owners = _owners(lanes)
    entries += [(_OWNERS[i % len(_OWNERS)], f"an engine for {owner}") for i, owner in enumerate(owners)]
    picture.legend(_LEFT, height - 8, entries)
    return picture


def _axis(picture: Drawing, window: float, across: float, bottom: float) -> None:
    step = 10.0 ** len(str(int(max(window / 10, 1)))) / 10
    while window / step > 12:
        step *= 2 if window / step <= 24 else 5
    place = 0.0
    while place <= window:
        x = _LEFT + place * across
        picture.line([(x, _TOP - 8), (x, bottom)], "line", weight=0.7)
        picture.text(x, _TOP - 13, f"{place:,.0f}" if place else "0 clocks", size=10, anchor="middle", fill="faint")
        place += step


def _lane(picture: Drawing, lane: Lane, top: float, across: float, window: float) -> None:
    picture.text(_LEFT - 8, top + _LANE * 0.68, lane.name, anchor="end", bold=lane.group == "role")
    slim = 0.0 if lane.group == "role" else 4.0
    owners = _owners([lane])
    picture.rect(_LEFT, top + _LANE / 2 - 0.5, (window) * across, 1, "line")
    for span in lane.spans:
        if span.start >= window:
            continue
        width = max((min(span.end, window) - span.start) * across, _LEAST if span.kind is SpanKind.ISSUE else 0.6)
        what = f"{span.owner + ': ' if span.owner else ''}{span.label}".strip() or lane.name
        tip = f"{lane.name} {span.kind.value} – {what} – {span.start:,.0f} to {span.end:,.0f}"
        fill = _FILL[span.kind] if not owners else _OWNERS[owners.index(span.owner) % len(_OWNERS)]
        stroke = "line" if span.kind is SpanKind.WAIT else ""
        x = _LEFT + span.start * across
        picture.rect(x, top + slim, width, _LANE - 2 * slim, fill, tip=tip, radius=1.5, stroke=stroke)
        words = span.label.rsplit(" ", 1)[-1] if lane.group != "role" else span.label
        if span.kind in (SpanKind.READ, SpanKind.FILL, SpanKind.MULTIPLY) and width > 9 + 6 * len(words):
            picture.text(x + width / 2, top + _LANE * 0.67, words, size=10, anchor="middle", fill="#10151c")


def _owners(lanes: Sequence[Lane]) -> list[str]:
    """Whose work the engines do, if there are few enough to have a colour each."""
    found = sorted({span.owner for lane in lanes for span in lane.spans if span.owner})
    return found if len(found) <= len(_OWNERS) else []


def _edge(picture: Drawing, edge: Edge, tops: dict[str, float], across: float) -> None:
    if edge.target not in tops:
        return
    x = _LEFT + edge.end * across
    target = tops[edge.target]
    if edge.source not in tops:  # it came from another block of the cluster
        picture.line([(x, target - 9), (x, target)], "accent", weight=1.1, arrow=True, tip=f"from {edge.source}")
        return
    source = tops[edge.source]
    down = target > source
    ends = (source + _LANE - 4, target) if down else (source, target + _LANE)
    tip = f"{edge.source} lets {edge.target} go on at clock {edge.end:,.0f}"
    colour = "c1" if edge.side is Side.FULL else "accent"
    picture.line([(x, ends[0]), (x, ends[1])], colour, weight=1.1, opacity=0.75, arrow=True, tip=tip)


def _numbers(kernel: SemanticKernel, played: Timeline) -> str:
    parts = []
    for ring in kernel.rings:
        parts.append(
            f"ring {ring.name}: {ring.slots} slots of {ring.transaction_bytes} bytes; a slot is full after "
            f"{ring.full_arrivals} arrival(s) and its bytes, empty after {ring.empty_arrivals}"
        )
    for lane in played.lanes:
        if lane.name == "matrix unit":
            parts.append(
                f"in this model the matrix unit works {lane.busy(SpanKind.MULTIPLY) / played.clocks:.0%} of the time"
            )
    return f'<p class="note">{escape("; ".join(parts))}.</p>'
