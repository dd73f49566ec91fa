# SPDX-License-Identifier: MIT
"""Fragments: cover, replication, repetition, and planted faults."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.fragment import FragmentAxis, FragmentLayout, Holder, Repeat
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.lanes import instruction

SQUARE = FragmentLayout.from_bits((4, 4), lane=((1, 0), (2, 0)), register=((0, 1), (0, 2)))


def brute(layout):
    held = np.zeros(layout.shape, dtype=int)
    for lane in range(layout.lanes):
        for register in range(layout.registers):
            row, column = layout.element(lane, register)
            held[int(row), int(column)] += 1
    return held


def test_elements_and_their_proofs_agree_with_counting():
    samples = (
        SQUARE,
        SQUARE.transposed(),
        SQUARE.repeat(3, 2),
        SQUARE.repeat(2, 2, holder=Holder.LANE),
        SQUARE.broadcast(3),
        SQUARE.repeat(rows=2, row_step=8),  # leaves a gap
        SQUARE.replace(atom=Matrix(4, (1, 2, 4, 4))),  # one row twice, one never
        SQUARE.replace(shape=(5, 4)),  # a row too many
        instruction("fma_outer_6x4x16_fp32").a,
        instruction("fma_outer_6x4x16_fp32").c,
        instruction("mma_m16n8k16_bf16").a,
    )
    for layout in samples:
        held = brute(layout)
        assert (layout.holders() == held).all()
        assert layout.covers() == bool((held > 0).all())
        assert layout.replication == held.max()
        assert layout.is_partition() == bool((held == 1).all())
        assert layout.from_json(layout.to_json()) == layout
        row, column = layout.transposed().elements()
        back = layout.elements()
        assert (row == back[1]).all()
        assert (column == back[0]).all()


def test_repetition_counts_registers_row_major():
    tiled = SQUARE.repeat(rows=3, columns=2)
    assert tiled.shape == (12, 8)
    assert tiled.registers == 4 * 6
    row, column = tiled.element(1, 4 * (2 * 2 + 1) + 3)
    assert (int(row), int(column)) == (2 * 4 + 1, 4 + 3)
    spread = SQUARE.repeat(rows=2, columns=2, holder=Holder.LANE)
    assert (spread.lanes, spread.registers) == (16, 4)
    assert [int(x) for x in spread.element(4 * 3, 0)] == [4, 4]


def test_fields_rebuild_the_map():
    for name in ("mma_m16n8k16_bf16", "wgmma_m64n64k16_bf16", "mfma_32x32x8_fp16", "simdgroup_8x8x8_fp32"):
        layout = instruction(name).c.replace(repeats=())
        layout = layout.replace(shape=(1 << layout.row_bits, 1 << layout.column_bits))
        fields = layout.fields()
        assert fields is not None
        lane, register = np.mgrid[: layout.lanes, : layout.registers]
        sums = {FragmentAxis.ROW: 0, FragmentAxis.COLUMN: 0}
        for field in fields:
            number = lane if field.holder is Holder.LANE else register
            sums[field.axis] = sums[field.axis] + (
                ((number >> field.source) & ((1 << field.width) - 1)) << field.target
            )
        row, column = layout.elements()
        assert (sums[FragmentAxis.ROW] == row).all()
        assert (sums[FragmentAxis.COLUMN] == column).all()
    assert SQUARE.replace(atom=Matrix(4, (1, 3, 4, 8))).fields() is None


def test_planted_faults_are_caught():
    missing = SQUARE.replace(atom=Matrix(4, (1, 1, 4, 8)))
    assert not missing.covers()
    assert missing.replication == 2
    with pytest.raises(ConfigurationError, match="beyond its shape"):
        SQUARE.replace(shape=(4, 3))
    with pytest.raises(ConfigurationError, match="splits an atom"):
        SQUARE.repeat(rows=2, row_step=2)
    with pytest.raises(ConfigurationError, match="lane and register bits"):
        SQUARE.replace(lane_bits=3)
    with pytest.raises(ConfigurationError, match="row and column bits"):
        SQUARE.replace(row_bits=3)
    for lane, register in ((4, 0), (0, 4), (-1, 0)):
        with pytest.raises(ConfigurationError, match="of a fragment with"):
            SQUARE.element(lane, register)
    with pytest.raises(ConfigurationError, match="repetition"):
        Repeat(Holder.LANE, FragmentAxis.ROW, 0, 4)
