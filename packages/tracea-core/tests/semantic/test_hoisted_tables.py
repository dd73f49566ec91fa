# SPDX-License-Identifier: MIT
"""Coordinates of a gathered reduction out of tables: the same bits as recomputed ones and as Python's integers, and every fault is seen."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.flattened import POSITION, flattened
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import Index, IndexFn, IndexOp, Sym, evaluate, substitute
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower_conv import lower_conv2d
from tracea_core.semantic.lower_gemm import lower_gemm
from tracea_core.semantic.quotient import divisor_of, multiplied, reciprocals
from tracea_core.semantic.row_steps import Count
from tracea_core.semantic.steps import Barrier, BufferRef, Let, Load, Loop, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.widths import width_fault
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import edited

LAST = (1 << 31) - 1
PROFILE = preset("h200")
TILE = PipelineConfig(tile_m=32, tile_n=32, tile_k=32, stages=2, warps=2)


@functools.cache
def form() -> Contraction:
    op = Conv2dOp(2, 5, 9, 8, 7, 3, 2, padding=(1, 1), dtype=DType.FP16)
    inputs = tuple(dense(shape, DType.FP16) for shape in op.input_shapes())
    return lower_conv2d(Problem(op, inputs, dense(op.output_shape(), DType.FP16))).form


@functools.cache
def kernel(hoisted: int, divided: int = 0) -> SemanticKernel:
    config = TILE.replace(hoisted=hoisted, divided=divided)
    return multistage_kernel(form(), config, PROFILE, "gather", "gather", "mma_m16n8k16_fp16")


def decoded() -> tuple[tuple[str, Index], ...]:
    return flattened(form(), form().b)[1]


# ---- bit for bit


@settings(max_examples=300, deadline=None)
@given(st.integers(1, LAST), st.integers(1, LAST), st.integers(1, LAST), st.integers(0, LAST))
def test_coordinates_are_those_of_integers(rows: int, columns: int, channels: int, place: int) -> None:
    """As all kernels compute them, by way of reciprocals or by divisions, over the whole range of 32 bits."""
    extents = {"k_r": rows, "k_s": columns, "k_c": channels}
    order = [axis.name for axis in form().k_axes]
    divisors = [f"k_{name}" for name in order[1:]]
    values = {
        **extents,
        **reciprocals(extents, divisors),
        "x_c": 0,
        "x_row": 0,
        "x_column": 0,
        "dilation_h": 1,
        "dilation_w": 1,
    }
    edges = {place, min(place // columns * columns + columns - 1, LAST), place // channels * channels, LAST, 0}
    for position in edges:
        known = values | {POSITION.name: position}
        for name, value in decoded():
            known[name] = int(evaluate(multiplied(value, frozenset(divisors)), known))
            assert known[name] == int(evaluate(value, known)), "what a kernel that divides computes"
        wanted, rest = {}, position
        for name in reversed(order[1:]):
            rest, wanted[name] = divmod(rest, extents[f"k_{name}"])
        wanted[order[0]] = rest
        for name, value in wanted.items():
            assert known.get(name, value) == value and -(1 << 31) <= value <= LAST
        assert set(wanted) & known.keys(), "some coordinate has a name"


def test_tables_hold_what_is_recomputed() -> None:
    """What warps write to a slot is what a step computes for itself, place by place."""
    (fill,) = (node for node in walk(kernel(3).roles[0].body) if isinstance(node, Loop) and node.var == "table_round")
    divisors = [divisor for symbol in kernel(3).symbols if (divisor := divisor_of(symbol.name)) is not None]
    sizes = {"k_r": 3, "k_s": 2, "k_c": 5, "x_c": 72, "x_row": 9, "x_column": 1, "dilation_h": 2, "dilation_w": 1}
    values: dict[str, Any] = sizes | reciprocals(sizes, divisors)
    slots = min(buffer.slots for buffer in kernel(3).buffers if buffer.dtype is DType.INT32)
    tables: dict[str, dict[int, int]] = {}
    for number in range(slots // TILE.warps):
        for warp in range(TILE.warps):
            known = values | {"table_round": number, "warp": warp, "row": 0, "column": np.arange(TILE.tile_k)}
            for node in fill.body:
                if isinstance(node, Let):
                    known[node.name] = evaluate(node.value, known)
                elif isinstance(node, Count):
                    made = np.broadcast_to(evaluate(node.value, known), TILE.tile_k)
                elif isinstance(node, Store):
                    assert isinstance(node.target, BufferRef) and node.target.slot is not None
                    slot = int(evaluate(node.target.slot, known))
                    places = slot * TILE.tile_k + np.arange(TILE.tile_k)
                    tables.setdefault(node.target.buffer, {}).update(zip(places.tolist(), made.tolist(), strict=True))
    assert {len(table) for table in tables.values()} == {slots * TILE.tile_k} and len(tables) == 3
    for position in range(slots * TILE.tile_k):
        known = sizes | {POSITION.name: position}
        for name, value in decoded():
            known[name] = int(evaluate(value, known))
        for name, table in tables.items():
            assert table[position] == known[name.removeprefix("b_tile_").removesuffix("_table")]


# ---- proofs


def test_kernels_with_tables_are_proved() -> None:
    plain, tables = kernel(0), kernel(3)
    assert certify(tables, form(), PROFILE).kernel == tables.digest()
    added = {buffer.name for buffer in tables.buffers} - {buffer.name for buffer in plain.buffers}
    assert added == {"b_tile_s_table", "b_tile_r_table", "b_tile_x_along_table"}
    assert tables.launch.shared_bytes - plain.launch.shared_bytes == 3 * 4 * 4 * 32, (
        "slots for whole rounds of two warps"
    )
    assert (
        "t3" in tables.configuration.describe() and plain.configuration == TILE and '"hoisted"' not in plain.to_json()
    )


@pytest.mark.parametrize("hoisted", [0, 3])
def test_kernels_that_divide_are_proved_and_know_no_reciprocal(hoisted: int) -> None:
    plain, divided = kernel(hoisted), kernel(hoisted, 1)
    assert certify(divided, form(), PROFILE).kernel == divided.digest() != plain.digest()
    assert any(divisor_of(symbol.name) for symbol in plain.symbols)
    assert not any(divisor_of(symbol.name) for symbol in divided.symbols)
    assert "d1" in divided.configuration.describe() and '"divided"' not in plain.to_json()


def test_a_wrong_divisor_is_found() -> None:
    def other(node: Node) -> Node:
        if isinstance(node, Let) and node.name.startswith("b_tile_s") and isinstance(node.value, IndexOp):
            return node.replace(value=substitute(node.value, {"k_s": Sym("k_r")}))
        return node

    broken = edited(kernel(0, 1), other)
    assert broken != kernel(0, 1)
    with pytest.raises(CertificationError):
        certify(broken, form(), PROFILE)


def _without_barriers(node: Node) -> Node | None:
    """One warp may look up what another has not written: tables are all that shares memory here before the first step."""
    return None if isinstance(node, Barrier) and node.name == "tile_done" else node


def _one_slot_off(node: Node) -> Node:
    if isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer == "b_tile_r_table":
        assert node.source.slot is not None
        return node.replace(source=node.source.replace(slot=node.source.slot + 1))
    return node


def _too_far(node: Node) -> Node:
    """Look up what lies behind the tables."""
    if (
        isinstance(node, Loop)
        and node.var == "k_step"
        and isinstance(node.stop, IndexOp)
        and node.stop.fn is IndexFn.MIN
    ):
        return node.replace(stop=node.stop.left)
    return node


def _wrong_entry(node: Node) -> Node:
    if isinstance(node, Let) and node.name == "b_tile_s_entry":
        return node.replace(value=node.value + 1)
    return node


def _other_table(node: Node) -> Node:
    if isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer == "b_tile_r_table":
        return node.replace(source=node.source.replace(buffer="b_tile_s_table"))
    return node


def _too_few(node: Node) -> Node:
    if isinstance(node, Loop) and node.var == "table_round":
        return node.replace(stop=node.stop - 1)
    return node


@pytest.mark.parametrize("change", [_without_barriers, _one_slot_off, _too_far, _wrong_entry, _other_table, _too_few])
def test_planted_faults_are_found(change: Callable[[Node], Node | None]) -> None:
    broken = edited(kernel(3), change)
    assert broken != kernel(3)
    with pytest.raises(CertificationError):
        certify(broken, form(), PROFILE)


def test_only_integers_become_coordinates() -> None:
    (role,) = kernel(3).roles
    fragments = tuple(f.replace(dtype=DType.FP32) if f.name == "b_tile_held" else f for f in role.fragments)
    with pytest.raises(CertificationError, match=r"holds no integers|meets|holds"):
        certify(kernel(3).replace(roles=(role.replace(fragments=fragments),)), form(), PROFILE)


def test_tables_of_coordinates_beyond_32_bits_are_refused() -> None:
    sizes = {symbol.name: max(symbol.minimum, 1) for symbol in kernel(3).symbols}
    extents = {"m": 8, "n": 8, "k_c": 4, "k_r": 3, "k_s": 3}
    sizes |= extents | {"x_c": 1 << 33}
    sizes |= reciprocals(sizes, [n.removesuffix("_reciprocal") for n in sizes if n.endswith("_reciprocal")])
    assert "could reach" in (width_fault(kernel(3), sizes) or "")
    assert width_fault(kernel(3), sizes | {"x_c": 1 << 10}) is None


def test_a_product_has_nothing_to_hoist() -> None:
    op = GemmOp(32, 32, 32, dtype=DType.FP16)
    inputs = tuple(dense(shape, DType.FP16) for shape in op.input_shapes())
    product = lower_gemm(Problem(op, inputs, dense(op.output_shape(), DType.FP16))).form
    with pytest.raises(ConfigurationError, match="no coordinates to hoist"):
        multistage_kernel(product, TILE.replace(hoisted=2), PROFILE, "gather", "gather", "mma_m16n8k16_fp16")
    with pytest.raises(ConfigurationError, match="no coordinates to divide for"):
        multistage_kernel(product, TILE.replace(divided=1), PROFILE, "gather", "gather", "mma_m16n8k16_fp16")


def test_nothing_hoisted_is_the_default() -> None:
    assert TILE.replace(hoisted=0) == TILE and PipelineConfig.from_json(TILE.to_json()) == TILE
    assert PipelineConfig.from_json(TILE.replace(hoisted=5).to_json()).value("hoisted") == 5
