# SPDX-License-Identifier: MIT
"""Results of 32 bits that the copy engine stores: exact, free of bank conflicts, and only where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.semantic.build.engine_store import spreads
from tracea_core.semantic.build.store_layouts import accumulator, spread
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.steps import AsyncStore, Barrier, If, Loop, Node, Scope, Store, Turn
from tracea_core.semantic.verify.certify import certify

WIDE = {"tile_k": 128, "vector_a": 16, "vector_b": 16}


def steps(kernel: SemanticKernel) -> Iterator[Node]:
    for role in kernel.roles:
        yield from walk(role.body)


def edited(kernel: SemanticKernel, names: Mapping[str, str], without: str = "") -> SemanticKernel:
    """The kernel that writes other fragments to shared memory, and lacks a barrier."""

    def body(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop):
                node = node.replace(body=body(node.body))
            elif isinstance(node, If):
                node = node.replace(then=body(node.then), otherwise=body(node.otherwise))
            elif isinstance(node, Store) and node.fragment in names:
                node = node.replace(fragment=names[node.fragment])
            if not (isinstance(node, Barrier) and node.scope is Scope.ROLE and node.name == without):
                found.append(node)
        return tuple(found)

    return kernel.replace(roles=tuple(role.replace(body=body(role.body)) for role in kernel.roles))


@pytest.mark.parametrize("tile_n", [64, 112, 120])
def test_singles_leave_in_boxes(hopper: Any, tile_n: int) -> None:
    kernel = hopper.kernel(hopper.configuration(tile_n=tile_n, stages=2), out=DType.FP32)
    assert any(isinstance(node, AsyncStore) for node in steps(kernel))
    assert next(symbol.multiple for symbol in kernel.symbols if symbol.name == "n") == 4
    for seed, (m, n, k) in enumerate([(131, tile_n + 4, 70), (64, 4, 8), (260, 2 * tile_n, 200)]):
        found, expected = hopper.run(kernel, m, n, k, out=DType.FP32, seed=seed)
        assert np.array_equal(found, expected)


def test_whole_numbers_leave_in_boxes(hopper: Any) -> None:
    kernel = hopper.kernel(hopper.configuration(tile_n=96, stages=2, **WIDE), dtype=DType.INT8, out=DType.INT32)
    assert any(isinstance(node, AsyncStore) for node in steps(kernel))
    found, expected = hopper.run(kernel, 131, 100, 200, dtype=DType.INT8, out=DType.INT32)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("tile_n", [64, 80])
def test_rows_as_they_were_computed_meet_in_the_same_banks(hopper: Any, tile_n: int) -> None:
    kernel = hopper.kernel(hopper.configuration(tile_n=tile_n, stages=2), out=DType.FP32)
    turned = {node.target: node.source for node in steps(kernel) if isinstance(node, Turn)}
    assert len(turned) == len({width for width in (32, 16) if tile_n % 64 >= width or width == 32})
    for target, source in turned.items():
        with pytest.raises(CertificationError, match="bank conflicts: 2 cycles instead of 1"):
            certify(edited(kernel, {target: source}), hopper.contraction(out=DType.FP32), hopper.profile)


def test_a_buffer_that_may_still_be_read_is_no_place_to_write(hopper: Any) -> None:
    kernel = hopper.kernel(hopper.configuration(tile_n=128, stages=2), out=DType.FP32)
    for barrier in ("staging_free", "staging_full"):
        with pytest.raises(CertificationError):
            certify(edited(kernel, {}, without=barrier), hopper.contraction(out=DType.FP32), hopper.profile)


@pytest.mark.parametrize("fields", [{"tile_n": 128, "stages": 7}, {"vector_c": 2}])
def test_results_without_room_or_whole_chunks_are_stored_directly(hopper: Any, fields: dict[str, int]) -> None:
    kernel = hopper.kernel(hopper.configuration(**fields), out=DType.FP32)
    assert not any(isinstance(node, AsyncStore) for node in steps(kernel))
    found, expected = hopper.run(kernel, 70, 130, 90, out=DType.FP32)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("width", [8, 16, 32])
def test_lanes_keep_their_rows(width: int) -> None:
    """What changes places does so among the registers of a lane, so that nothing is exchanged."""
    rows, columns = spread(width).elements()
    expected, across = accumulator(width).elements()
    assert np.array_equal(np.sort(rows * width + columns), np.sort(expected * width + across))
    assert np.array_equal(columns, across) == (not spreads(DType.FP32, width))
    assert not spreads(DType.BF16, width)
