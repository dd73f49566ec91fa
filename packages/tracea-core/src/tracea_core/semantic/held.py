# SPDX-License-Identifier: MIT
"""Coordinates out of registers: a let whose value is the content of its own fragment.

Coordinate tables that are kept in shared memory come back as fragments of integers. Addresses and masks are made of names, not of
registers, so a let gives such a content a name: ``let b_s = b_s_held for each element of b_s_held`` binds what the fragment holds now.
"""

from __future__ import annotations

from tracea_core.semantic.index import Sym
from tracea_core.semantic.steps import Let


def held_let(let: Let) -> bool:
    """Whether a let names what its fragment holds, instead of an expression for each of the fragment's elements."""
    return let.fragment is not None and let.value == Sym(let.fragment)
