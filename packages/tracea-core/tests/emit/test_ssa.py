# SPDX-License-Identifier: MIT
"""Where operations are printed: as far out as their operands allow, never out of a branch, and once."""

from __future__ import annotations

from tracea_core.emit.ssa import SsaText
from tracea_core.emit.writer import SourceWriter


def text(builder: SsaText) -> list[str]:
    """The lines of the function."""
    writer = SourceWriter(comment=";")
    builder.render(writer)
    return [line.strip() for line in writer.text().splitlines()]


def test_names_are_given_once() -> None:
    builder = SsaText()
    names = [builder.fresh("x") for _ in range(3)] + [builder.fresh("x.1"), builder.fresh("entry")]
    assert names == ["x", "x.1", "x.2", "x.1.1", "entry.1"]
    assert len(set(names)) == len(names)


def test_an_operation_leaves_the_loops_that_do_not_change_it() -> None:
    builder = SsaText()
    outer = builder.slot()
    builder.line("outer:")
    with builder.divert(outer), builder.region(is_branch=False):
        inner = builder.slot()
        builder.line("inner:")
        with builder.divert(inner), builder.region(is_branch=False):
            assert builder.pure("add i64 %n, 1", "x", 0) == ("%x", 0)
            assert builder.pure("add i64 %i, 1", "y", 1) == ("%y", 1)
            assert builder.pure("add i64 %j, 1", "z", 2) == ("%z", 2)
            assert builder.pure("add i64 %n, 1", "again", 2) == ("%x", 0)
    assert text(builder) == [
        "%x = add i64 %n, 1", "outer:", "%y = add i64 %i, 1", "inner:", "%z = add i64 %j, 1",
    ]  # fmt: skip


def test_nothing_leaves_a_branch() -> None:
    builder = SsaText()
    builder.line("br")
    with builder.region(is_branch=True):
        place = builder.slot()
        builder.line("loop:")
        with builder.divert(place), builder.region(is_branch=False):
            assert builder.pure("udiv i64 %n, %m", "x", 0) == ("%x", 1)
    assert builder.pure("udiv i64 %n, %m", "y", 0) == ("%y", 0)
    assert text(builder) == ["br", "%x = udiv i64 %n, %m", "loop:", "%y = udiv i64 %n, %m"]


def test_loads_are_never_merged() -> None:
    builder = SsaText()
    assert builder.value("load i64, ptr %p", "v") == "%v"
    assert builder.value("load i64, ptr %p", "v") == "%v.1"
    assert text(builder) == ["%v = load i64, ptr %p", "%v.1 = load i64, ptr %p"]
