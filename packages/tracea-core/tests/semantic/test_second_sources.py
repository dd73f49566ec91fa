# SPDX-License-Identifier: MIT
"""Lane maps and swizzles against those of others.

Triton's are written down by ``second_sources/triton_layouts.py``; by hand those that Intel's Triton is tested with, and those that were
found on Apple's GPUs.
"""

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
OTHERS: dict[str, Any] = json.loads((Path(__file__).parent / "second_sources" / "dpas_and_simdgroup.json").read_text())
DPAS = [(name, operand) for name, maps in OTHERS["dpas"]["layouts"].items() for operand in maps]
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


def of_16_lanes(theirs: dict[str, list[list[int]]]) -> dict[str, list[list[int]]]:
    """Their layout on 16 lanes: sub-groups of 32 hold in their upper half what the hardware's 16 lanes hold in one register more.

    Elements of a word come first, then words in the order of their rows.
    """
    more = theirs["lane"][4:]
    register = sorted([*theirs["register"], *more], key=lambda image: (image[1] == 0, image))
    return {"register": register, "lane": theirs["lane"][:4]}


@pytest.mark.parametrize(("name", "operand"), DPAS)
def test_dpas_holds_what_intels_triton_says(name: str, operand: str) -> None:
    ours, theirs = getattr(instruction(name), operand), of_16_lanes(OTHERS["dpas"]["layouts"][name][operand])
    assert agrees(ours, theirs)
    for field in ("lane", "register"):
        images = theirs[field]
        assert not agrees(ours, {**theirs, field: [images[1], images[0], *images[2:]]})


@pytest.mark.parametrize("operand", ["a", "b", "c"])
def test_simdgroups_hold_what_was_found_on_hardware(operand: str) -> None:
    rows, columns = getattr(instruction("simdgroup_8x8x8_fp32"), operand).elements()
    threads = np.array(OTHERS["simdgroup"]["threads"])
    lanes = np.arange(32)[:, None]
    assert np.array_equal(threads[rows, columns // 2], np.broadcast_to(lanes, rows.shape))
    assert np.array_equal(columns % 2, np.broadcast_to([[0, 1]], rows.shape))
    assert not np.array_equal(threads[rows ^ 1, columns // 2], np.broadcast_to(lanes, rows.shape))


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
