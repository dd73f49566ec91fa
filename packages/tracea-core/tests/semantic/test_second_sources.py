# SPDX-License-Identifier: MIT
"""Lane maps and swizzles against those of others.

Triton's are written down by ``second_sources/triton_layouts.py``, those of AMX, which LLVM's loops for it show, by
``second_sources/amx_tiles.py``, those of CPUs' vector instructions, which are executed, by ``second_sources/cpu_groups.py``; by hand
those of CuTe and of AMD's instruction calculator, those that Intel's Triton is tested with, those of an emulator of dpas, and those
that were found on Apple's GPUs. What Intel's compiler says that dpas does is carried out.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset, preset_names
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.lanes import instruction, matrix_move
from tracea_core.semantic.lanes_base import TURNED
from tracea_core.semantic.layout import Layout


def source(name: str) -> dict[str, Any]:
    """What is written down of one source."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / "second_sources" / f"{name}.json").read_text())
    return found


TRITON, OTHERS, CUTE = source("triton_layouts"), source("dpas_and_simdgroup"), source("cute")
AMX, CALCULATOR, GROUPS = (
    source(name)["instructions"] for name in ("amx_tiles", "instruction_calculator", "cpu_groups")
)
TILES = [(name, operand) for name in AMX for operand in ("a", "b", "c")]
DPAS_OF_8 = [(name, operand) for name, maps in OTHERS["dpas_of_8"]["layouts"].items() for operand in maps]
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
    agrees_until_exchanged(getattr(instruction(name), operand), of_16_lanes(OTHERS["dpas"]["layouts"][name][operand]))


def agrees_until_exchanged(ours: FragmentLayout, theirs: dict[str, list[list[int]]]) -> None:
    """Ours is theirs, and none of those with the first two bits of a kind exchanged, where these differ."""
    assert agrees(ours, theirs)
    for field in ("lane", "register"):
        images = theirs[field]
        if len(images) > 1 and images[0] != images[1]:
            assert not agrees(ours, {**theirs, field: [images[1], images[0], *images[2:]]})


@pytest.mark.parametrize(("name", "operand"), DPAS_OF_8)
def test_dpas_of_8_lanes_holds_what_its_emulator_broadcasts(name: str, operand: str) -> None:
    agrees_until_exchanged(getattr(instruction(name), operand), OTHERS["dpas_of_8"]["layouts"][name][operand])


def dpas(c: np.ndarray, b: np.ndarray, a: np.ndarray, run: int) -> np.ndarray:
    """What the instruction does to registers: rows of words of C, rows of words of B, and A, whose elements follow each other.

    Source: intel-graphics-compiler, documentation/visa/instructions/DPAS.md, "Semantics": for each row, and each of 8 words of B's
    columns, every channel adds the product of its word with the next `run` elements of A, which all channels share.
    """
    sums, taken = c.copy(), 0
    for row in sums:
        for word in b:
            row += word @ a[taken : taken + run]
            taken += run
    return sums


def in_registers(fragment: FragmentLayout, matrix: np.ndarray, unit: int) -> np.ndarray:
    """A matrix as a sub-group's vectors lie in registers: component by component, `unit` elements of each lane side by side."""
    held = matrix[fragment.elements()]
    return held.reshape(len(held), -1, unit).swapaxes(0, 1)


@pytest.mark.parametrize("dtype", ["bf16", "int8"])
@pytest.mark.parametrize("lanes", [8, 16])
def test_dpas_multiplies_what_its_lanes_hold(lanes: int, dtype: str) -> None:
    run = {"bf16": 2, "int8": 4}[dtype]
    found = instruction(f"dpas_sg{lanes}_8x{lanes}x{8 * run}_{dtype}")
    random = np.random.default_rng(5)
    a, b = random.integers(-9, 9, (8, found.k)), random.integers(-9, 9, (found.k, lanes))

    def product(of_b: FragmentLayout) -> np.ndarray:
        row_by_row = in_registers(found.a, a, found.k // lanes).ravel()
        sums = dpas(np.zeros((8, lanes), np.int64), in_registers(of_b, b, run), row_by_row, run)
        result = np.zeros_like(sums)
        result[found.c.elements()] = sums.T
        return result

    assert np.array_equal(product(found.b), a @ b)
    lane_bits, bits_of_k = lanes.bit_length() - 1, found.k.bit_length() - 1
    turned = FragmentLayout.from_bits(
        (found.k, lanes),
        lane=tuple((0, 1 << bit) for bit in range(lane_bits)),
        register=tuple((1 << bit, 0) for bit in reversed(range(bits_of_k))),
    )
    assert not np.array_equal(product(turned), a @ b)  # its k in another order than A's


@pytest.mark.parametrize(("name", "operand"), TILES)
def test_tiles_of_amx_hold_what_llvms_loops_multiply(name: str, operand: str) -> None:
    agrees_until_exchanged(getattr(instruction(name), operand), AMX[name][operand])


@pytest.mark.parametrize("name", [name for name in AMX if "signed" in AMX[name]])
def test_bytes_of_amx_are_signed_where_llvms_are(name: str) -> None:
    found = instruction(name)
    assert AMX[name]["signed"] == [kind is DType.INT8 for kind in (found.operand, found.operand_b or found.operand)]


@pytest.mark.parametrize(
    ("name", "operand"), [(name, operand) for name, maps in CUTE["instructions"].items() for operand in maps]
)
def test_lanes_hold_what_cute_says(name: str, operand: str) -> None:
    agrees_until_exchanged(getattr(instruction(name), operand), CUTE["instructions"][name][operand])


@pytest.mark.parametrize("name", CUTE["matrix_moves"])
def test_matrix_moves_are_cutes(name: str) -> None:
    theirs = CUTE["matrix_moves"][name]
    matrices, transposed = int(name[1]), name.endswith(".trans")
    ours = matrix_move(matrices, transposed)
    agrees_until_exchanged(ours.fragment, theirs)
    assert agrees(ours.address, {"lane": theirs["address"], "register": []})
    assert not agrees(matrix_move(matrices, not transposed).fragment, theirs)


SHARED_ORDER = ("wmma_gfx12_16x16x16_fp16", "wmma_gfx12_16x16x16_bf16")
"""Whose k the calculator calls by other numbers than we do, the same for A and B (`tracea_core.semantic.lanes_amd.wmma`)."""


@pytest.mark.parametrize(("name", "operand"), [(name, operand) for name in CALCULATOR for operand in ("a", "b", "c")])
def test_lanes_hold_what_amds_calculator_prints(name: str, operand: str) -> None:
    ours, theirs = getattr(instruction(name), operand), CALCULATOR[name][operand]
    if operand == "c" or name not in SHARED_ORDER:
        agrees_until_exchanged(ours, theirs)
    else:
        assert not agrees(ours, theirs)


def names_of_k(name: str, operand: str) -> dict[tuple[int, int], set[int]]:
    """For each (k of ours, element across it) of an operand, the k that AMD's calculator calls it."""
    along = {"a": 1, "b": 0}[operand]
    theirs = CALCULATOR[name][operand]
    held = places(theirs["lane"])[:, None] ^ places(theirs["register"])[None]
    found: dict[tuple[int, int], set[int]] = {}
    for place, element in enumerate(
        zip(*(axis.ravel() for axis in getattr(instruction(name), operand).elements()), strict=True)
    ):
        its = held.reshape(-1, 2)[place]
        assert its[1 - along] == element[1 - along]
        found.setdefault((int(element[along]), int(its[1 - along])), set()).add(int(its[along]))
    return found


@pytest.mark.parametrize("name", SHARED_ORDER)
def test_k_of_other_names_is_the_same_in_both_operands(name: str) -> None:
    a, b = names_of_k(name, "a"), names_of_k(name, "b")
    for k in range(16):
        known = {own for held in (a, b) for (ours, _), theirs in held.items() if ours == k for own in theirs}
        assert len(known) == 1  # every lane of A and of B pairs the same k


@pytest.mark.parametrize(("name", "operand"), [(name, operand) for name in GROUPS for operand in ("a", "b", "c")])
def test_register_tiles_hold_what_executed_instructions_add_up(name: str, operand: str) -> None:
    agrees_until_exchanged(getattr(instruction(name), operand), GROUPS[name][operand])


@pytest.mark.parametrize("name", [name for name in GROUPS if "signed" in GROUPS[name]])
def test_bytes_of_register_tiles_are_signed_where_the_instruction_takes_them_so(name: str) -> None:
    found = instruction(name)
    assert GROUPS[name]["signed"] == [kind is DType.INT8 for kind in (found.operand, found.b_type)]


def like(name: str) -> tuple[object, ...]:
    """What decides the maps of an instruction: its family and shape, and how many bits an operand has."""
    found = instruction(name)
    family = re.match(r"[a-z]+(_gfx\d+|_outer|_sg\d+)?", name)
    assert family is not None
    if family[0] == "fma_outer":  # rows and vectors are ours to count
        return family[0], found.lanes, found.operand.bits, found.k
    bits = 0 if family[0] == "simdgroup" else found.operand.bits
    return family[0], found.m, found.n, found.k, found.lanes, bits


def compared() -> dict[tuple[object, ...], set[str]]:
    """The operands that some source was compared with."""
    found: dict[tuple[object, ...], set[str]] = {("simdgroup", 8, 8, 8, 32, 0): {"a", "b", "c"}}
    every = [TRITON["instructions"], CUTE["instructions"], AMX, CALCULATOR, GROUPS]
    for maps in (*every, OTHERS["dpas"]["layouts"], OTHERS["dpas_of_8"]["layouts"]):
        for name, operands in maps.items():
            found.setdefault(like(name), set()).update(operands)
    return found


@pytest.mark.parametrize("device", preset_names())
def test_a_second_source_knows_every_matrix_instruction_of_every_preset(device: str) -> None:
    known = compared()
    for listed in preset(device).matrix_instructions:
        name = re.sub(r"_x[24]$", "", listed.name.removesuffix(TURNED))  # made of instructions that are compared
        ours = instruction(name)
        held = {operand for operand in ("a", "b", "c") if getattr(ours, operand) is not None}
        assert held <= known.get(like(name), set()), name


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
