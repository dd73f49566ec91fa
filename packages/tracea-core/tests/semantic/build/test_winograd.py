# SPDX-License-Identifier: MIT
"""Minimal filtering: proved for planes and channels-last images, faults in each of its parts refused, and how launches are divided."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.doctor.winograd import RequiresMinimalFiltering
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.expr import Binary, BinaryFn, Constant, Expr, rewrite
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.winograd import TILES_EACH, winograd_kernel
from tracea_core.semantic.build.winograd_shares import winograd_symbols
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, minimum
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.lower_conv import of_three_taps
from tracea_core.semantic.steps import Barrier, BufferRef, Compute, If, Load, Loop, Mma, Node, Store, Transfer, Turn
from tracea_core.semantic.verify.certify import certify, prove_meaning
from tracea_core.testing.cases import dense

AVX2, AVX512 = preset("avx2"), preset("avx512")
LAST, PLANAR = (0, 2, 3, 1), (0, 1, 2, 3)
TILE = PipelineConfig(tile_m=2, tile_n=8, tile_k=1, stages=1, warps=1, halo=True)


def convolution(order: tuple[int, ...] = LAST, **fields: Any) -> Problem:
    sizes: dict[str, Any] = {"n": 2, "c": 11, "h": 7, "w": 10, "k": 9, "r": 3, "s": 3, "padding": (1, 1)}
    op = Conv2dOp(**(sizes | fields))
    inputs = tuple(dense(shape, op.dtype, order) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), op.output_dtype(), order))


def lowered(order: tuple[int, ...] = LAST, **fields: Any) -> Lowered:
    return of_three_taps(lower(convolution(order, **fields)))


def built(form: Lowered, tile: PipelineConfig = TILE) -> SemanticKernel:
    return winograd_kernel(form.contraction, tile, AVX2, "cpu.contraction.test", "kernel")


@pytest.mark.parametrize("order", [LAST, PLANAR])
def test_it_computes_the_convolution(order: tuple[int, ...]) -> None:
    form = lowered(order)
    kernel = built(form)
    assert certify(kernel, form.contraction, AVX2).kernel == kernel.digest()
    nodes = list(walk(kernel.roles[0].body))
    assert any(isinstance(node, Turn) for node in nodes)  # filters that are runs are read along them
    taken = {symbol.name: (symbol.minimum, symbol.maximum) for symbol in kernel.symbols}
    assert taken["k_r"] == taken["k_s"] == (3, 3)


def test_filters_apart_are_gathered() -> None:
    form = lowered((0, 1, 3, 2))
    nodes = list(walk(built(form).roles[0].body))
    taps = [node for node in nodes if isinstance(node, Load) and node.fragment == "p00"]
    assert {node.transfer for node in taps if not isinstance(node.source, BufferRef)} == {Transfer.GATHER}


def _exchanged(node: Compute, fn: BinaryFn, other: BinaryFn) -> Compute:
    """The step with the outermost function `fn` of its expression exchanged."""
    expr = node.expr
    return node.replace(expr=Binary(other, expr.x, expr.y)) if isinstance(expr, Binary) and expr.fn is fn else node


def _halves(expr: Expr) -> Expr:
    return rewrite(expr, lambda leaf: Constant(0.25) if leaf == Constant(0.5) else leaf)


def _pixels(node: Node) -> Node:
    wrong = isinstance(node, Compute) and node.target == "e21"
    return _exchanged(node, BinaryFn.SUB, BinaryFn.ADD) if wrong and isinstance(node, Compute) else node


def _weights(node: Node) -> Node:
    return node.replace(expr=_halves(node.expr)) if isinstance(node, Compute) and node.target == "q11" else node


def _sums(node: Node) -> Node:
    wrong = isinstance(node, Compute) and node.target == "q13" and len(node.accumulators) == 3
    return node.replace(accumulators=node.accumulators[::-1]) if wrong and isinstance(node, Compute) else node


def _places(node: Node) -> Node:
    stored = isinstance(node, Store) and isinstance(node.target, BufferRef) and node.target.buffer == "seen_tiles"
    return node.replace(fragment="d23") if stored and isinstance(node, Store) and node.fragment == "d32" else node


def _all_pixels(node: Node) -> Node:
    of_pixels = isinstance(node, If) and any(
        isinstance(inner, Compute) and inner.target == "pixel" for inner in node.then
    )
    return node.replace(guard=node.guard[1:]) if of_pixels and isinstance(node, If) else node


def _block(node: Node) -> Node:
    whole = isinstance(node, Loop) and node.var == "tile_block"
    return node.replace(start=Const(1)) if whole and isinstance(node, Loop) else node


def _barrier(node: Node) -> Any:
    return () if isinstance(node, Barrier) else node


def _product(node: Node) -> Any:
    return () if isinstance(node, Mma) else node


@pytest.mark.parametrize("fault", [_pixels, _weights, _sums, _places, _all_pixels, _block, _barrier, _product])
def test_a_fault_is_refused(edit: Callable[..., SemanticKernel], fault: Callable[[Node], Any]) -> None:
    form = lowered()
    kernel = built(form)
    broken = edit(kernel, "worker", fault)
    assert broken != kernel
    with pytest.raises(CertificationError):
        prove_meaning(broken, form.contraction)


@pytest.mark.parametrize(
    ("fields", "tile"),
    [
        ({"stride": (2, 2)}, TILE), ({"dilation": (2, 2), "padding": (2, 2)}, TILE), ({"padding": (0, 0)}, TILE),
        ({}, TILE.replace(block_k=8)), ({}, TILE.replace(halo=False)),
    ],
)  # fmt: skip
def test_what_it_does_not_filter_is_refused(fields: dict[str, Any], tile: PipelineConfig) -> None:
    with pytest.raises(ConfigurationError):
        built(lowered(**fields), tile)


def test_small_images_are_divided_by_filters_and_large_ones_by_tiles() -> None:
    tile = TILE.replace(tile_m=6, tile_n=64)
    small, large = (
        winograd_symbols(lowered(n=8, c=c, k=c, h=size, w=size), tile, AVX512.replace(processors=2))
        for c, size in ((512, 7), (128, 28))
    )
    assert (small["row_splits"], small["column_splits"]) == (1, 2)
    assert (large["row_splits"], large["column_splits"]) == (2, 1)
    assert all(13 <= found[TILES_EACH] <= 96 for found in (small, large))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"n": 8, "c": 16, "k": 16}, None),
        ({"n": 8, "c": 16, "k": 16, "r": 1}, "filters are 1x3"),
        ({"n": 8, "c": 16, "k": 16, "stride": (2, 2)}, "stride"),
        ({"n": 8, "c": 16, "k": 16, "padding": (0, 0)}, "no padding"),
        ({"n": 8, "c": 3, "k": 16}, "less than a vector"),
        ({"n": 1, "c": 16, "k": 16}, "do not repay"),
    ],
)
def test_it_says_what_it_wants(fields: dict[str, Any], reason: str | None) -> None:
    found = RequiresMinimalFiltering().reason(convolution(**fields), AVX2)
    assert found is None if reason is None else reason in (found or "")


def _wider(expr: Index) -> Index:
    if not isinstance(expr, IndexOp):
        return expr
    if expr.fn is IndexFn.MIN:
        return minimum(expr.left, expr.right + 2)
    return IndexOp(expr.fn, _wider(expr.left), _wider(expr.right))


def test_channels_are_clamped_where_nothing_follows_an_image(edit: Callable[..., SemanticKernel]) -> None:
    """Two elements more, of masked lanes: only the last pixel of an image shows it that is narrower than a row of tiles."""

    def later(node: Node) -> Node:
        if not (
            isinstance(node, Load) and node.fragment == "d20" and node.guard and isinstance(node.source, BufferRef)
        ):
            return node
        place, *rest = node.source.coordinates
        return node.replace(source=node.source.replace(coordinates=(_wider(place), *rest)))

    form = lowered()
    broken = edit(built(form), "worker", later)
    assert broken != built(form)
    with pytest.raises(CertificationError, match="repetitions"):
        prove_meaning(broken, form.contraction)
