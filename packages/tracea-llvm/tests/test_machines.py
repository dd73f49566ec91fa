# SPDX-License-Identifier: MIT
"""What LLVM calls processors follows from the names that profiles give them."""

from __future__ import annotations

import pytest
from tracea_llvm.barrier import barrier_text, machine_of
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
