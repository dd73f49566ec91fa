# SPDX-License-Identifier: MIT
"""Scratch memory: one block for each stream, grown and given back; captured graphs have their own."""

from __future__ import annotations

from tracea_core.runtime.arena import Arena


class Memory:
    """Addresses of a device that is not there."""

    def __init__(self) -> None:
        self.held: dict[int, int] = {}
        self.graphs: dict[int, int] = {}
        self.next = 1 << 20

    def allocate(self, size: int) -> int:
        address, self.next = self.next, self.next + (size + 255) // 256 * 256
        self.held[address] = size
        return address

    def free(self, address: int) -> None:
        del self.held[address]

    def arena(self) -> Arena:
        return Arena(self.allocate, self.free, lambda stream: self.graphs.get(stream, 0))


def test_a_stream_keeps_its_block() -> None:
    memory = Memory()
    arena = memory.arena()
    first = arena.borrow(1000, 7)
    assert arena.borrow(500, 7) == first and memory.held[first] >= 1000 and len(memory.held) == 1
    assert arena.bytes == sum(memory.held.values())


def test_streams_do_not_share() -> None:
    arena = Memory().arena()
    assert arena.borrow(1000, 7) != arena.borrow(1000, 8)


def test_a_larger_plan_grows_the_block_and_gives_the_old_one_back() -> None:
    memory = Memory()
    arena = memory.arena()
    first = arena.borrow(1 << 20, 7)
    second = arena.borrow((1 << 20) + 1, 7)
    assert second != first and list(memory.held) == [second]
    assert memory.held[second] >= 1.5 * (1 << 20), "growing a little at a time would allocate at each new plan"
    assert arena.borrow(1 << 20, 7) == second


def test_captured_graphs_keep_what_they_recorded() -> None:
    memory = Memory()
    arena = memory.arena()
    eager = arena.borrow(1000, 7)
    memory.graphs[7] = 1
    recorded = arena.borrow(1000, 7)
    assert recorded != eager and arena.borrow(900, 7) == recorded
    larger = arena.borrow(5000, 7)
    memory.graphs[7] = 2
    other = arena.borrow(1000, 7)
    memory.graphs[7] = 0
    assert len({eager, recorded, larger, other}) == 4
    assert arena.borrow(1000, 7) == eager
    arena.trim()
    assert {recorded, larger, other} == set(memory.held), "graphs may run after a trim"


def test_trimming_gives_everything_else_back() -> None:
    memory = Memory()
    arena = memory.arena()
    arena.borrow(1000, 1), arena.borrow(1000, 2)
    held = arena.bytes
    assert arena.trim() == held and not memory.held and arena.bytes == 0
    assert arena.borrow(10, 1) in memory.held
