# SPDX-License-Identifier: MIT
"""What LLVM calls processors follows from the names that profiles give them."""

from __future__ import annotations

import pytest
from tracea_llvm.barrier import SPINS_BEFORE_YIELD, barrier_text, machine_of, waiting_loop
from tracea_llvm.machines import triple_of


@pytest.mark.parametrize(
    ("arch", "machine", "pause"),
    [
        ("x86-64-v3", "x86_64", "@llvm.x86.sse2.pause"),
        ("znver4", "x86_64", "@llvm.x86.sse2.pause"),
        ("sapphirerapids", "x86_64", "@llvm.x86.sse2.pause"),
        ("neoverse-n1", "aarch64", "@llvm.aarch64.isb"),
        ("apple-m1", "aarch64", "@llvm.aarch64.isb"),
    ],
)
def test_a_barrier_waits_in_the_processors_own_way(arch: str, machine: str, pause: str) -> None:
    assert machine_of(triple_of(arch)) == machine
    printed = barrier_text(triple_of(arch))
    assert printed.count(pause) == 2, "declared and called"
    assert printed.count("define internal void @tracea_barrier(ptr %barrier, i64 %workers)") == 1


@pytest.mark.parametrize(("triple", "machine"), [("amd64-pc-linux", "x86_64"), ("arm64-apple-darwin", "aarch64")])
def test_other_names_of_the_same_family_are_known(triple: str, machine: str) -> None:
    assert machine_of(triple) == machine


def test_a_processor_without_a_pause_gives_way_alone() -> None:
    printed = barrier_text("riscv64-unknown-linux-gnu")
    assert "pause" not in printed and "@sched_yield()" in printed


def test_whoever_waits_gives_way_now_and_then() -> None:
    printed = waiting_loop(
        "x86_64-unknown-linux-gnu", ("near", "far"), ("%now = add i64 0, 0", "%closed = icmp eq i64 %now, 1"), "closed"
    )
    assert printed.startswith(
        "spin:\n  %spins = phi i64 [ 0, %near ], [ 0, %far ], [ %spins_next, %again ]\n  %now = add"
    )
    assert "br i1 %closed, label %wait, label %done" in printed
    assert f"%low = and i64 %spins_next, {SPINS_BEFORE_YIELD - 1}" in printed and "call i32 @sched_yield()" in printed
    assert waiting_loop("x86_64-pc-linux-gnu", ("entry",), (
        "%now = load atomic i64, ptr %generation_line acquire, align 8", "%still_closed = icmp eq i64 %now, %generation",
    ), "still_closed") in barrier_text("x86_64-pc-linux-gnu")  # fmt: skip
