# SPDX-License-Identifier: MIT
"""Grains: runs of elements that every step of a kernel touches whole, so that they need be looked at only once each.

Vectors, and rows of matrices, move whole or not at all, from a multiple of their length on; each step is checked to do so. Of a buffer that
steps touch in runs of 8 and of 4 elements, no step tells the elements of a run of 4 apart: who touched it last, and when, is noted once for
all of them, and their values move as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array
from tracea_core.semantic.kernel import Role, walk
from tracea_core.semantic.steps import AsyncCopy, BufferRef, Load, Store, Transfer

MATRIX_ROW = 8
"""Elements of a row of the matrices that lanes move together."""
_MOVES = (AsyncCopy, Load, Store)
_MATRICES = (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED)


def grains(role: Role) -> dict[str, int]:
    """Return how many elements a grain has, of every buffer that steps of `role` touch."""
    found: dict[str, int] = {}
    for buffer, width in _touched(role):
        found[buffer] = math.gcd(found.get(buffer, 0), width)
    return found


def widest(role: Role) -> dict[str, int]:
    """Return a multiple of what every step moves as one, of every buffer that steps of `role` touch."""
    found: dict[str, int] = {}
    for node in walk(role.body):
        if isinstance(node, _MOVES):
            place = node.source if isinstance(node, Load) else node.target
            rows = MATRIX_ROW if not isinstance(node, AsyncCopy) and node.transfer in _MATRICES else 1
            if isinstance(place, BufferRef):
                found[place.buffer] = math.lcm(found.get(place.buffer, 1), node.width, rows)
    return found


def _touched(role: Role) -> Iterator[tuple[str, int]]:
    """The buffer of every step, and how many elements it moves as one."""
    for node in walk(role.body):
        if isinstance(node, AsyncCopy):
            yield node.target.buffer, node.width
        elif isinstance(node, Load | Store):
            place = node.source if isinstance(node, Load) else node.target
            if isinstance(place, BufferRef):
                yield place.buffer, _width(node)


def _width(node: Load | Store) -> int:
    """How many elements a step moves whole, by threads whom nobody tells apart: what a thread stores, it stores alone."""
    if node.transfer not in _MATRICES or node.guard:
        return node.width
    return MATRIX_ROW if isinstance(node, Load) else 2 if node.transfer is Transfer.MATRIX else 1


def together(step: Load, grain: int) -> int:
    """Return how many elements, no more than a grain, a lane loads from consecutive places."""
    if step.transfer is Transfer.MATRIX:
        return math.gcd(2, grain)
    return 1 if step.transfer is Transfer.MATRIX_TRANSPOSED else grain


def taken(values: Array, runs: Integers, width: int) -> Array:
    """Return the elements of runs of `width`, given by their numbers; the last axis has those of one run after the other's."""
    if width == 1:
        return values.take(runs)
    whole: Array = values.view(f"V{width * values.itemsize}").take(runs).view(np.float64)
    return whole


def put(values: Array, runs: Integers, content: Array, width: int) -> None:
    """Let runs of `width`, given by their numbers, hold `content`."""
    if width == 1:
        values[runs] = content.reshape(runs.shape)
    else:
        as_one = f"V{width * values.itemsize}"
        values.view(as_one)[runs] = np.ascontiguousarray(content).view(as_one).reshape(runs.shape)
