# SPDX-License-Identifier: MIT
"""What stands before the roles of a printed kernel: how it meets its neighbours on the stream."""

from __future__ import annotations

import pytest
from tracea_core.emit.c.dialect import Dialect
from tracea_core.emit.c.kernel import _neighbours
from tracea_core.errors import EmitError
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Launch, Overlap

ALONE = Launch(Const(1), 32)


class Dependent(Dialect):
    """A language with both words."""

    begin_next_kernel = "begin;"
    await_kernel = "await;"


@pytest.mark.parametrize(
    ("overlap", "lines"),
    [
        (Overlap.LEADS, ["begin;"]),
        (Overlap.BESIDE, ["begin;"]),
        (Overlap.BOTH, ["begin;", "await;"]),
        (Overlap.FOLLOWS, ["await;"]),
    ],
)
def test_roles_begin_after_what_they_need(overlap: Overlap, lines: list[str]) -> None:
    assert list(_neighbours(ALONE.replace(overlap=overlap), Dependent())) == lines


def test_a_language_without_the_words_prints_no_kernel_that_overlaps() -> None:
    assert list(_neighbours(ALONE, Dialect())) == []
    with pytest.raises(EmitError, match="overlap on a stream"):
        list(_neighbours(ALONE.replace(overlap=Overlap.FOLLOWS), Dialect()))
