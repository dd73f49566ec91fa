# SPDX-License-Identifier: MIT
"""The player behind `tracea_core.semantic.timeline`: role bodies as coroutines, barriers and engines as clocks.

A role instance is a generator that walks its body and yields what takes time or must wait. Engines serve in order, so
the end of a copy or of a matrix instruction is known when it is issued; a phase of a barrier is complete at the latest
time of the arrivals and bytes that make it up. Always the actor that is furthest behind goes on, which keeps causes
before their effects.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator

from tracea_core.errors import CertificationError
from tracea_core.semantic.index import Value, evaluate, holds
from tracea_core.semantic.kernel import Actor, SemanticKernel, one_group
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.peel import expand
from tracea_core.semantic.phases import sharers
from tracea_core.semantic.play_costs import cost, fragment_bytes, main_kind, own_work, reads, runs_in_blocks
from tracea_core.semantic.play_state import Busy, ForPhase, Meeting, Performer, Request, Slot, SlotSide, Until
from tracea_core.semantic.steps import (
    Acquire,
    Advance,
    AsyncCopy,
    AsyncKind,
    AsyncLoad,
    AsyncMma,
    AsyncStore,
    Barrier,
    Commit,
    Expect,
    If,
    Let,
    Load,
    Loop,
    Node,
    Release,
    Scope,
    Side,
    Staged,
    Wait,
)
from tracea_core.semantic.timeline import Edge, Lane, Pace, Span, SpanKind, Timeline

_SPAN_LIMIT = 400
"""Spans of one role after which it is not followed further: a picture of more is not legible."""
_WORKERS = 4
"""CPU workers that are followed; they all do the same on different tiles."""
_SHOWN = 4
"""Instances of a role that have a lane of their own; all are played."""


class Player:
    """Plays one kernel once."""

    def __init__(self, kernel: SemanticKernel, pace: Pace, values: dict[str, int], tiles: int, steps: int) -> None:
        self.kernel, self.pace = kernel, pace
        self.blocks = kernel.launch.cluster
        self.scope = self._symbols(values, tiles, steps)
        self.barriers: dict[tuple[Slot, Side], SlotSide] = {}
        self.engines: dict[tuple[int, str], float] = defaultdict(float)
        self.jobs: dict[str, list[Span]] = {"loads": [], "matrix unit": [], "stores": []}
        self.slots: dict[Slot, list[Span]] = defaultdict(list)
        self.meetings: dict[tuple[str, str, int], list[Performer]] = defaultdict(list)
        self.edges: list[Edge] = []
        for ring in kernel.rings:
            for block in range(self.blocks):
                for slot in range(ring.slots):
                    place = (block, ring.name, slot)
                    self.barriers[place, Side.FULL] = SlotSide(ring.full_arrivals, ring.transaction_bytes)
                    self.barriers[place, Side.EMPTY] = SlotSide(ring.empty_arrivals, 0)
        self.actors = list(self._cast())

    def _turn(self, actor: Performer, step: Await | Signal, instance: int) -> Slot:
        """Let an actor's threads arrive at the barrier of an instance's turn, and return the barrier's place."""
        place = (actor.block, f"{step.token} of {actor.role.name}", instance)
        barrier = self.barriers.setdefault((place, Side.FULL), SlotSide(step.threads, 0))
        barrier.add(actor.role.lanes, 0, actor.time, actor.name)
        return place

    def _symbols(self, values: dict[str, int], tiles: int, steps: int) -> dict[str, Value]:
        config = self.kernel.configuration
        scope: dict[str, Value] = {symbol.name: max(1, symbol.minimum) for symbol in self.kernel.symbols}
        scope |= dict(values)
        if runs_in_blocks(self.kernel):
            scope |= {"m": config.tile_m * config.cluster_m * tiles, "n": config.tile_n * config.cluster_n}
            scope |= {"k": config.tile_k * steps, "items": 1, "blocks": self.blocks}
            scope |= one_group(self.kernel, config.tile_m * config.cluster_m * tiles)
        scope.setdefault("workers", 1)
        return scope

    def _cast(self) -> Iterator[Performer]:
        for role in self.kernel.roles:
            if role.actor is Actor.WORKER:
                for number in range(min(int(evaluate(self.kernel.launch.blocks, self.scope)), _WORKERS)):
                    yield Performer(f"{role.name} {number}", role, 0, {**self.scope, role.name: number})
                continue
            for block in range(self.blocks):
                for number in range(role.instances):
                    name = role.name if role.instances == 1 else f"{role.name} {number}"
                    scope = {**self.scope, "block": block, "cluster_rank": block, role.name: number}
                    yield Performer(name if not block else f"{name} of block {block}", role, block, scope)

    # ---- the clockwork

    def play(self) -> Timeline:
        """Let everyone go on, the furthest behind first, until all have ended or the picture is full."""
        walks = [self._body(actor, actor.role.body, actor.scope) for actor in self.actors]
        queue = [(0.0, index) for index in range(len(walks))]
        complete = True
        while queue:
            _, index = heapq.heappop(queue)
            actor = self.actors[index]
            if len(actor.spans) >= _SPAN_LIMIT:
                complete = False
                actor.ended = True
                continue
            request = next(walks[index], None)
            if request is None:
                actor.ended = True
            elif self._serve(actor, request):
                heapq.heappush(queue, (actor.time, index))
            for other, waiting in enumerate(self.actors):
                if waiting.blocked is not None and self._serve(waiting, waiting.blocked):
                    heapq.heappush(queue, (waiting.time, other))
        if complete and not all(actor.ended for actor in self.actors):
            stuck = ", ".join(actor.name for actor in self.actors if not actor.ended)
            raise CertificationError(f"the timeline of {self.kernel.name} stops: {stuck} wait for ever")
        return self._result(complete)

    def _serve(self, actor: Performer, request: Request) -> bool:
        """Let the actor go on if it may; returns False while it must wait."""
        actor.blocked = request
        if isinstance(request, Busy):
            actor.span(request.kind, actor.time, actor.time + request.clocks, request.label)
            actor.time += request.clocks
        elif isinstance(request, Until):
            actor.span(SpanKind.RETIRE, actor.time, request.time, request.label)
            actor.time = max(actor.time, request.time)
        elif isinstance(request, ForPhase):
            done = self.barriers[request.slot, request.side].done
            if len(done) < request.count:
                return False
            if request.count:
                self._pass(actor, request, *done[request.count - 1])
        else:
            return self._meet(actor, request)
        actor.blocked = None
        return True

    def _pass(self, actor: Performer, request: ForPhase, when: float, by: str) -> None:
        block, ring, slot = request.slot
        if all(ring != known.name for known in self.kernel.rings):  # the barrier of a turn
            actor.span(SpanKind.WAIT, actor.time, when, request.label)
            actor.time = max(actor.time, when)
            return
        if when > actor.time and not block:
            lane = _slot_name(self.kernel, ring, slot)
            source, target = (lane, actor.name) if request.side is Side.FULL else (by, actor.name)
            self.edges.append(Edge(source, target, when, when, request.side))
        actor.span(SpanKind.WAIT, actor.time, when, request.label)
        actor.time = max(actor.time, when)
        spans = self.slots[request.slot]
        if request.side is Side.FULL and spans and spans[-1].kind is SpanKind.FILL:
            label = spans[-1].label
            spans[-1] = spans[-1].replace(end=when)
            spans.append(Span(SpanKind.FULL, when, actor.time, label))
            spans.append(Span(SpanKind.READ, actor.time, actor.time, label))

    def _meet(self, actor: Performer, meeting: Meeting) -> bool:
        present = self.meetings[meeting.key]
        if actor not in present:
            present.append(actor)
        if len(present) < meeting.members:
            return False
        together = max(member.time for member in present)
        for member in present:
            member.span(SpanKind.WAIT, member.time, together, meeting.key[1])
            member.time = together
            member.blocked = None if member is actor else Busy(SpanKind.ISSUE, 0.0)
        present.clear()
        return True

    # ---- walking a role

    def _body(self, actor: Performer, nodes: tuple[Node, ...], scope: dict[str, Value]) -> Iterator[Request]:
        scope = dict(scope)
        for node in nodes:
            if isinstance(node, Let):
                if node.fragment is None:
                    scope[node.name] = int(evaluate(node.value, scope))
            elif isinstance(node, Loop):
                yield from self._loop(actor, node, scope)
            elif isinstance(node, If):
                yield from self._body(actor, node.then if bool(holds(node.guard, scope)) else node.otherwise, scope)
            elif isinstance(node, Staged):
                yield from self._body(actor, node.body, scope)
            else:
                yield from self._step(actor, node, scope)

    def _loop(self, actor: Performer, loop: Loop, scope: dict[str, Value]) -> Iterator[Request]:
        plain = expand(loop)
        if plain != (loop,):
            yield from self._body(actor, plain, scope)
            return
        start, stop = int(evaluate(loop.start, scope)), int(evaluate(loop.stop, scope))
        whole = own_work(self.pace, actor.role, (loop,), scope)
        if whole is not None:
            kind = main_kind(whole)  # loads hide behind the multiply-adds of the same loop
            clocks = max(whole.values(), default=0.0) if kind is SpanKind.MULTIPLY else sum(whole.values())
            yield Busy(kind, clocks, _label(actor, scope))
            return
        for index in range(start, stop, loop.step):
            yield from self._body(actor, loop.body, {**scope, loop.var: index})

    def _step(self, actor: Performer, step: Node, scope: dict[str, Value]) -> Iterator[Request]:
        label = _label(actor, scope)
        needed = [actor.ready[name] for name in reads(step) if name in actor.ready]
        if needed:
            yield Until(max(needed), "waits for what it loads")
        single = cost(self.pace, actor.role, step)
        if single is not None:
            yield Busy(*single, label)
        elif isinstance(step, Acquire):
            ring = self.kernel.ring(step.ring)
            position = actor.position[step.ring]
            rounds = position // ring.slots + (step.side is Side.FULL)
            place = (actor.block, step.ring, position % ring.slots)
            yield ForPhase(place, step.side, rounds, f"waits until slot {place[2]} is {step.side.value}")
        elif isinstance(step, Expect):
            yield Busy(SpanKind.ISSUE, self.pace.issue, label)
            self.barriers[self._place(actor, step.ring), Side.FULL].add(1, 0, actor.time, actor.name)
        elif isinstance(step, AsyncLoad):
            yield Busy(SpanKind.ISSUE, self.pace.issue, label)
            self._copy(actor, step, label)
        elif isinstance(step, AsyncMma):
            yield Busy(SpanKind.ISSUE, self.pace.issue, label)
            shape = instruction(step.instruction)
            clocks = shape.m * shape.n * shape.k / self.pace.multiplies
            end = self._engine(actor, "matrix unit", SpanKind.MULTIPLY, clocks, label)
            actor.open[AsyncKind.MMA] = max(actor.open.get(AsyncKind.MMA, 0.0), end)
        elif isinstance(step, Load | AsyncCopy):
            yield Busy(SpanKind.ISSUE, self.pace.issue, label)
            clocks = fragment_bytes(actor.role, step.fragment) / self.pace.copy_bytes
            end = self._engine(actor, "loads", SpanKind.FILL, clocks, label) + self.pace.latency
            if isinstance(step, Load):
                actor.ready[step.fragment] = end
            else:
                actor.open[AsyncKind.COPY] = max(actor.open.get(AsyncKind.COPY, 0.0), end)
        elif isinstance(step, AsyncStore):
            yield Busy(SpanKind.ISSUE, self.pace.issue, label)
            size = self.kernel.buffer(step.source.buffer).dtype.bytes
            for extent in step.target.shape:
                size *= extent
            end = self._engine(actor, "stores", SpanKind.STORE, size / self.pace.copy_bytes, label) + self.pace.latency
            actor.open[AsyncKind.STORE] = max(actor.open.get(AsyncKind.STORE, 0.0), end)
        elif isinstance(step, Commit):
            actor.groups[step.kind].append(actor.open.pop(step.kind, actor.time))
        elif isinstance(step, Wait):
            running = actor.groups[step.kind]
            done = running[: len(running) - step.pending] if step.pending else running
            yield Until(max(done, default=0.0), f"waits for {step.kind.value} groups")
        elif isinstance(step, Release):
            self._release(actor, step)
        elif isinstance(step, Advance | Skip):
            actor.position[step.ring] += int(evaluate(step.count, scope)) if isinstance(step, Skip) else 1
        elif isinstance(step, Signal):
            yield Busy(SpanKind.ISSUE, self.pace.issue, label)
            self._turn(actor, step, int(evaluate(step.target, scope)))
        elif isinstance(step, Await):
            place = self._turn(actor, step, int(scope.get(actor.role.name, 0)))
            actor.turns += 1
            yield ForPhase(place, Side.FULL, actor.turns, f"waits for its {step.token}")
        elif isinstance(step, Barrier) and step.scope is not Scope.ROLE:
            peers = [a for a in self.actors if step.scope is Scope.WORKERS or a.block == actor.block]
            yield Busy(SpanKind.ISSUE, self.pace.issue, label)
            yield Meeting((step.scope.value, step.name, actor.block), len(peers))
        else:
            yield Busy(SpanKind.ISSUE, self.pace.issue, label)

    def _place(self, actor: Performer, ring: str) -> Slot:
        return actor.block, ring, actor.position[ring] % self.kernel.ring(ring).slots

    def _copy(self, actor: Performer, step: AsyncLoad, label: str) -> None:
        size = self.kernel.buffer(step.target.buffer).dtype.bytes
        for extent in step.source.shape:
            size *= extent
        engine = (actor.block, "copies")
        begin = max(actor.time, self.engines[engine])
        self.engines[engine] = begin + size / self.pace.copy_bytes
        landed = self.engines[engine] + self.pace.latency
        _, ring, slot = self._place(actor, step.ring)
        for block in step.multicast.group(actor.block) if step.multicast else (actor.block,):
            place = (block, ring, slot)
            self.barriers[place, Side.FULL].add(0, size, landed, f"copies of block {actor.block}")
            spans = self.slots[place]
            if spans and spans[-1].kind is SpanKind.FILL:
                spans[-1] = spans[-1].replace(start=min(spans[-1].start, actor.time), end=max(spans[-1].end, landed))
            else:
                spans.append(Span(SpanKind.FILL, actor.time, landed, label))

    def _release(self, actor: Performer, step: Release) -> None:
        ring = self.kernel.ring(step.ring)
        slot = (actor.position[step.ring] - step.lag) % ring.slots
        times = step.arrivals(actor.role.lanes)
        for block in sharers(actor.block, ring.multicast):
            self.barriers[(block, step.ring, slot), Side.EMPTY].add(times, 0, actor.time, actor.name)
        spans = self.slots[(actor.block, step.ring, slot)]
        if spans and spans[-1].kind is SpanKind.READ:
            spans[-1] = spans[-1].replace(end=max(spans[-1].end, actor.time))

    def _engine(self, actor: Performer, name: str, span: SpanKind, clocks: float, label: str) -> float:
        """Give an engine of the actor's block work that it does after all it has; return when it is done."""
        begin = max(actor.time, self.engines[actor.block, name])
        end = begin + clocks
        self.engines[actor.block, name] = end
        if actor.block:
            return end
        jobs = self.jobs[name]
        if jobs and jobs[-1].end == begin and (jobs[-1].owner, jobs[-1].label) == (actor.name, label):
            jobs[-1] = jobs[-1].replace(end=end)
        else:
            jobs.append(Span(span, begin, end, label, actor.name))
        return end

    def _result(self, complete: bool) -> Timeline:
        roles = [actor for actor in self.actors if not actor.block]
        shown = [actor for actor in roles if int(actor.scope.get(actor.role.name, 0)) < _SHOWN]
        end = max((actor.time for actor in roles), default=0.0)
        if not complete:
            end = min(actor.spans[-1].end for actor in roles if actor.spans)
        lanes = [Lane(actor.name, "role", tuple(actor.spans)) for actor in shown]
        slots = [
            Lane(_slot_name(self.kernel, ring, slot), "slot", tuple(span for span in spans if span.end > span.start))
            for (block, ring, slot), spans in sorted(self.slots.items())
            if not block
        ]
        producers = {ring.producer for ring in self.kernel.rings}
        first = [lane for lane in lanes if lane.name in producers]
        rest = [lane for lane in lanes if lane.name not in producers]
        engines = [Lane(name, "engine", tuple(spans)) for name, spans in self.jobs.items() if spans]
        return Timeline((*first, *slots, *rest, *engines), tuple(self.edges), end, complete)


def _slot_name(kernel: SemanticKernel, ring: str, slot: int) -> str:
    return f"slot {slot}" if len(kernel.rings) == 1 else f"{ring} slot {slot}"


def _label(actor: Performer, scope: dict[str, Value]) -> str:
    """What a step works on: the tile, as its turn in the role's loop, and the ring's iteration, counted over all tiles."""
    turn = scope.get("round", scope.get("tile", scope.get("unit")))
    words = [] if turn is None else [f"tile {int(turn)}"]
    return ", ".join((*words, *(f"iteration {position}" for position in actor.position.values())))
