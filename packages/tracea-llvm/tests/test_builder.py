# SPDX-License-Identifier: MIT
"""LLVM's own lines: an intrinsic is declared as it is called, a store that passes the caches is settled, lanes are counted through."""

from __future__ import annotations

from tracea_core.emit.writer import SourceWriter
from tracea_llvm.builder import Builder


def text(builder: Builder) -> list[str]:
    """The lines of the function."""
    writer = SourceWriter(comment=";")
    builder.render(writer)
    return [line.strip() for line in writer.text().splitlines()]


def test_an_intrinsic_is_declared_once() -> None:
    builder = Builder()
    for name in "%x", "%y":
        call = builder.intrinsic("i64", "llvm.smax.i64", ("i64", name), ("i64", "0"))
        assert call == f"call i64 @llvm.smax.i64(i64 {name}, i64 0)"
    assert builder.declarations == {"declare i64 @llvm.smax.i64(i64, i64)"}


def test_only_what_passed_the_caches_is_waited_for() -> None:
    builder = Builder()
    builder.settle()
    assert not any(text(builder))
    builder.stream("store <4 x float> %v, ptr %p, align 16")
    builder.settle()
    assert text(builder) == ["store <4 x float> %v, ptr %p, align 16, !nontemporal !0", "fence seq_cst"]


def test_a_shuffle_takes_lanes_of_both() -> None:
    builder = Builder()
    assert builder.shuffle("<2 x i32>", "%a", "%b", (1, 2)) == "%turned"
    assert text(builder) == ["%turned = shufflevector <2 x i32> %a, <2 x i32> %b, <2 x i32> <i32 1, i32 2>"]
