# SPDX-License-Identifier: MIT
"""Lane maps and swizzles against those of others: Triton's, written down by ``second_sources/triton_layouts.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import Layout

TRITON: dict[str, Any] = json.loads((Path(__file__).parent / "second_sources" / "triton_layouts.json").read_text())
MAPS = [(name, operand) for name, maps in TRITON["instructions"].items() for operand in maps]


def places(images: list[list[int]]) -> np.ndarray:
    """(row, column) of every number of so many bits, whose images add up by XOR, as an array of shape (numbers, 2)."""
    found = np.zeros((1 << len(images), 2), np.int64)
    for bit, image in enumerate(images):
        found[np.arange(len(found)) >> bit & 1 == 1] ^= image
    return found


def agrees(ours: FragmentLayout, theirs: dict[str, list[list[int]]]) -> bool:
    """Whether every register of every lane holds the same element.

    Triton's m16n8k8 has registers for a k of 16 that repeat those of the first 8: images (0, 0) at the end.
    """
    register = theirs["register"]
    while register and register[-1] == [0, 0]:
        register = register[:-1]
    held = places(theirs["lane"])[:, None] ^ places(register)[None]
    row, column = ours.elements()
    return held.shape[:2] == row.shape and np.array_equal(held[..., 0], row) and np.array_equal(held[..., 1], column)


@pytest.mark.parametrize(("name", "operand"), MAPS)
def test_lanes_hold_what_triton_says(name: str, operand: str) -> None:
    ours = getattr(instruction(name), operand)
    theirs = TRITON["instructions"][name][operand]
    assert agrees(ours, theirs)
    lane = theirs["lane"]
    exchanged = [lane[1], lane[0], *lane[2:]]
    assert not agrees(ours, {**theirs, "lane": exchanged})


def test_every_kind_of_instruction_is_compared() -> None:
    kinds = {"mma", "wgmma", "mfma", "wmma_gfx11", "wmma_gfx12"}
    assert {next(kind for kind in sorted(kinds, reverse=True) if name.startswith(kind)) for name, _ in MAPS} == kinds


@pytest.mark.parametrize(("width", "bits", "images"), TRITON["swizzles"])
def test_swizzles_are_what_triton_says(width: int, bits: int, images: list[list[int]]) -> None:
    row, column = places(images).T
    assert np.array_equal(swizzled(width, bits).offset(row=row, column=column), np.arange(1 << len(images)))
    for other in {32, 64, 128} - {width}:
        try:
            offsets = swizzled(other, bits, columns=8 * width // bits).offset(row=row, column=column)
        except ConfigurationError:
            continue  # no rows of that width
        assert not np.array_equal(offsets, np.arange(1 << len(images)))


def swizzled(width: int, bits: int, columns: int = 0) -> Layout:
    """Rows of `width` bytes as the copy engine lays them out: chunks of 16 bytes, 128-byte lines say which is where."""
    chunk = (128 // bits).bit_length() - 1
    count = (width // 16).bit_length() - 1
    return Layout.swizzled(("row", 16), ("column", columns or 8 * width // bits), bits=count, base=chunk, shift=3)
