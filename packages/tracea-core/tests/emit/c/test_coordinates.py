# SPDX-License-Identifier: MIT
"""Text of fragment coordinates and buffer offsets agrees with the layouts, lane by lane and element by element."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.emit.c import algebra
from tracea_core.emit.c.coordinates import element, offset, partners, register_map
from tracea_core.errors import EmitError
from tracea_core.semantic.build.store_layouts import spread
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import Layout

LAYOUTS = {
    "wgmma": instruction("wgmma_m64n96k16_bf16").c,
    "mma": instruction("mma_m16n8k16_bf16").c,
    "mma a": instruction("mma_m16n8k16_bf16").a,
    "mfma": instruction("mfma_32x32x8_bf16").c,
    "spread over banks": spread(32),
    "spread over banks, short": spread(16),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_coordinates_of_every_lane_and_register(name: str, compute: Callable[..., int]) -> None:
    layout = LAYOUTS[name]
    assert layout is not None
    row, column = element(
        layout, algebra.symbol("lane", 0, layout.lanes - 1), algebra.symbol("r", 0, layout.registers - 1)
    )
    rows, columns = layout.elements()
    for lane in range(0, layout.lanes, 3):
        for register in range(layout.registers):
            names = {"lane": lane, "r": register}
            place = compute(row.text, names), compute(column.text, names)
            assert place == (rows[lane, register], columns[lane, register])


@pytest.mark.parametrize(
    "layout",
    [
        Layout.swizzled(("row", 128), ("column", 64), bits=3, base=3, shift=3),
        Layout.swizzled(("stage", 3), ("row", 24), ("column", 32), bits=2, base=3, shift=3),
        Layout.panels(("column", 48), ("k", 10), 24),
        Layout.row_major(("row", 6), ("column", 20), pad=4),
    ],
)
def test_offsets_of_random_elements(layout: Layout, compute: Callable[..., int]) -> None:
    names = [f"x{i}" for i in range(len(layout.axes))]
    terms = tuple(algebra.symbol(n, 0, axis.extent - 1) for n, axis in zip(names, layout.axes, strict=True))
    text = offset(layout, terms).text
    random = np.random.default_rng(3)
    for _ in range(200):
        place = [int(random.integers(axis.extent)) for axis in layout.axes]
        assert compute(text, dict(zip(names, place, strict=True))) == layout.at(*place)


def test_partners_are_found_by_what_lanes_hold() -> None:
    whole, part = instruction("wgmma_m64n128k16_bf16").c, instruction("wgmma_m64n64k16_bf16").c
    found = partners(part, whole, 0, 64)
    assert found == tuple(range(32, 64))
    text = register_map(found, algebra.symbol("r", 0, 31))
    assert text is not None and text.text == "r + 32"


def test_lanes_that_would_have_to_exchange_elements_are_refused() -> None:
    whole, part = instruction("wgmma_m64n128k16_bf16").c, instruction("mma_m16n8k16_bf16").c
    with pytest.raises(EmitError, match="other lanes"):
        partners(whole, part)
