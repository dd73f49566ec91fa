# SPDX-License-Identifier: MIT
"""What the tables look up is what would have been computed, for every value of the symbols in a reference."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.hardware import box_addresses, operand_addresses
from tracea_core.semantic.index import Sym
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.interpret_tables import Tables, tables
from tracea_core.semantic.kernel import Buffer, Lifetime, Space, walk
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.peel import expand
from tracea_core.semantic.ring_events import depends_on, skeleton
from tracea_core.semantic.steps import AsyncLoad, AsyncMma, Compute, Let, Load, Loop, Store


def _nodes(kernel, kind):
    return [node for role in kernel.roles for node in walk(role.body) if isinstance(node, kind)]


def test_boxes_and_descriptors_are_those_of_the_hardware(hopper):
    kernel = hopper.kernel(hopper.configuration(cluster=(2, 1)))
    found = tables(kernel)
    assert tables(kernel) is found
    for slot, rank, consumer in itertools.product(range(3), range(2), range(2)):
        scope = {"stage_slot": slot, "row_rank": rank, "column_rank": 0, "consumer": consumer}
        for load in _nodes(kernel, AsyncLoad):
            start = found.start(load.target, scope)
            expected = box_addresses(load.source.shape, load.source.swizzle_bytes, 2, start) // 2
            assert np.array_equal(found.box(load.source, load.target, scope), expected)
        for step in _nodes(kernel, AsyncMma)[:2]:
            expected = operand_addresses(step.a, 64, 16, 2, found.start(step.a, scope)) // 2
            assert np.array_equal(found.matrix(step.a, 64, 16, scope), expected)
    assert found.keeps(found.box(load.source, load.target, scope)) and not found.keeps(np.arange(3))


def test_a_slot_that_does_not_exist_is_refused(hopper):
    kernel = hopper.kernel()
    load = _nodes(kernel, AsyncLoad)[0]
    with pytest.raises(InterpretError, match="3 slots, slot 3"):
        tables(kernel).start(load.target, {"stage_slot": 3, "row_rank": 0, "column_rank": 0})


def test_what_is_recalled_is_computed_once(hopper):
    found, calls = tables(hopper.kernel()), []
    places = np.arange(5)

    def holds(array):
        calls.append(array)
        return False

    assert found.recall(places, holds) is found.recall(places, holds) is False and len(calls) == 1
    loop = _nodes(hopper.kernel(), Loop)[0]
    assert found.plain(loop) == expand(loop) and found.plain(loop) is found.plain(loop)


def test_the_skeleton_of_a_role_keeps_what_decides_about_its_ring(hopper):
    kernel = hopper.kernel()
    for role in kernel.roles:
        kept = list(walk(skeleton(role.body, "stage", kernel.ring("stage").buffers)))
        assert not any(isinstance(node, Compute | Load) for node in kept)
        assert any(isinstance(node, Let) for node in kept) and any(isinstance(node, Loop) for node in kept)
    assert not depends_on(kernel, "stage", "consumer", "consumer")


def test_a_role_whose_waits_depend_on_its_number_says_so(hopper, edit):
    def odd(node):
        return (
            node.replace(stop=node.stop + Sym("consumer")) if isinstance(node, Loop) and node.var == "k_step" else node
        )

    assert depends_on(edit(hopper.kernel(), "consumer", odd), "stage", "consumer", "consumer")


@pytest.mark.parametrize(
    "layout",
    [
        Layout.row_major(("row", 5), ("column", 12), pad=3),
        Layout.column_major(("row", 6), ("column", 16)),
        Layout.panels(("column", 48), ("k", 10), 24),
        Layout.swizzled(("row", 16), ("column", 64), bits=3, base=3, shift=3),
        Layout.row_major(("row", 1), ("column", 64)),
    ],
    ids=str,
)
def test_places_of_a_buffer_are_those_of_its_layout(hopper, layout):
    found = Tables(hopper.kernel())
    buffer = Buffer("one", DType.FP32, Space.WORKSPACE, layout, Lifetime.CALL)
    rows, columns = np.ogrid[: layout.shape[0], : layout.shape[1]]
    assert np.array_equal(found.at(buffer, [rows, columns]), layout.at(rows, columns))
    for beyond in (-1, layout.shape[1]):
        with pytest.raises(ConfigurationError, match="leaves its axis"):
            found.at(buffer, [rows, np.array([[0, beyond]])])


def test_small_arrays_are_spread_like_views(hopper):
    found = Tables(hopper.kernel())
    assert np.array_equal(found.spread(np.arange(3), (4, 3)), np.broadcast_to(np.arange(3), (4, 3)))
    assert found.spread(2, (2, 2)).tolist() == [[2, 2], [2, 2]]
    assert found.admitted(np.array([True, False]), (3, 2)).sum() == 3 and found.admitted(True, (3, 2)).all()
    assert found.every((2, 5)).all() and found.lanes(4).tolist() == [[0], [1], [2], [3]]


def test_runs_of_places_that_are_kept_are_looked_at_once_for_each_width(hopper):
    kernel = hopper.kernel()
    found, role = Tables(kernel), kernel.roles[-1]
    step, fragment = _nodes(kernel, Store)[0], role.fragments[0]
    places = found.once(("kept",), lambda: np.arange(64).reshape(4, 16) + np.arange(4)[:, None] * 2)
    every = found.every(places.shape)
    for _ in range(2):  # even places begin runs of two, not of four: also where the former are known
        assert found.moved(step.replace(width=2), fragment, places, every, role) is places
        with pytest.raises(InterpretError, match="not consecutive and aligned"):
            found.moved(step.replace(width=4), fragment, places, every, role)
    some = np.ones(places.shape, np.bool_)
    some[0, 1] = False  # half a run
    with pytest.raises(InterpretError, match="masks a part"):
        found.moved(step.replace(width=2), fragment, places, some, role)
