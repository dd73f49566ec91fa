# SPDX-License-Identifier: MIT
"""Panels: every element has a place of its own, copies into them and products from them are proved, and planted faults are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError, UnsupportedError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.panel_copy import copy_configuration, panel_copy_kernel
from tracea_core.semantic.contraction import J, Term
from tracea_core.semantic.index import COLUMN, Const, Sym, evaluate
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.panels import lower_panels, panel_elements, panel_offset, panel_width, within_panel
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Access, Load, Node, Store
from tracea_core.semantic.sweep import LoweredSweep
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.edit import edited

AVX2 = preset("avx2")
K = Sym("kk")


def copy(strides: tuple[int, int], shape: tuple[int, int] = (70, 50), width: int = 24) -> LoweredSweep:
    return lower_panels("input1", TensorSpec(shape, DType.FP32, strides), "panels", width)


def copied(lowered: LoweredSweep) -> SemanticKernel:
    return panel_copy_kernel(lowered.form, copy_configuration(lowered.form, AVX2), AVX2, "copy")


def product(m: int, n: int, k: int, width: int = 24, a: tuple[int, int] | None = None) -> Lowered:
    plain = TensorSpec.contiguous
    weight = TensorSpec((k, n), DType.FP32, (width, 1))
    left = TensorSpec((m, k), DType.FP32, a or (k, 1))
    return lower(
        Problem(GemmOp(m, n, k), (left, weight), plain((m, n), DType.FP32), options=Options(panel_columns=width))
    )


def multiplied(lowered: Lowered, **fields: Any) -> SemanticKernel:
    config = PipelineConfig(
        **{"tile_m": 4, "tile_n": 24, "tile_k": 4, "stages": 1, "warps": 1, "pack_b": False} | fields
    )
    return panel_kernel(lowered.contraction, config, AVX2, "cpu.contraction.avx2_fp32", "product")


def test_elements_have_places_of_their_own_and_rows_of_a_panel_follow_each_other() -> None:
    rows, columns, width = 5, 13, 4
    grid: dict[str, Any] = {"k": np.arange(rows)[:, None], "j": np.arange(columns)[None, :]}
    places = np.asarray(evaluate(panel_offset(Const(rows), width, Sym("k"), J), grid))
    assert len(set(places.ravel().tolist())) == rows * columns
    assert places.max() < panel_elements(rows, columns, width) == 4 * width * rows
    assert (places[:, 4:8] == rows * width + np.arange(rows * width).reshape(rows, width)).all()


def test_the_width_is_read_from_the_address() -> None:
    offset = panel_offset(Sym("k"), 24, K, J)
    assert panel_width(Term("b", DType.FP32, offset)) == 24
    assert panel_width(Term("b", DType.FP32, K * Sym("b_row") + J)) == 0
    values: dict[str, Any] = {"k": 7, "kk": 3, "panel": 2, "column": 5, "j": 2 * 24 + 5}
    assert evaluate(within_panel(offset, Sym("panel")), values) == evaluate(offset, values)
    assert within_panel(J % 24, Sym("panel")) == COLUMN
    for column in (5, 29, 47):
        beside = {"k": 7, "kk": 3, "panel": 2, "column": column, "j": 2 * 48 + column}
        assert evaluate(within_panel(offset, Sym("panel"), 2), beside) == evaluate(offset, beside)


@pytest.mark.parametrize("strides", [(50, 1), (1, 70), (1, 80), (100, 2), (0, 1)])
def test_copies_are_proved_whatever_the_strides(strides: tuple[int, int]) -> None:
    lowered = copy(strides)
    names = [proof.property for proof in certify(copied(lowered), lowered.form, AVX2).proofs]
    assert "meaning" in names


def test_only_matrices_in_whole_vectors_are_copied() -> None:
    with pytest.raises(UnsupportedError, match="matrices"):
        lower_panels("input1", TensorSpec.contiguous((2, 3, 4), DType.FP32), "panels", 24)
    lowered = copy((50, 1), width=20)
    with pytest.raises(ConfigurationError, match="20 columns"):
        copied(lowered)


def _shifted_store(node: Node) -> Node:
    if isinstance(node, Store) and isinstance(node.target, Access):
        return node.replace(target=node.target.replace(offset=node.target.offset + 24))
    return node


def _unmasked(node: Node) -> Node:
    return node.replace(guard=()) if isinstance(node, Store) else node


def _other_columns(node: Node) -> Node:
    if isinstance(node, Load):
        return replace_symbols((node,), {COLUMN.name: COLUMN + 1})[0]
    return node


@pytest.mark.parametrize("fault", [_shifted_store, _unmasked, _other_columns])
@pytest.mark.parametrize("strides", [(50, 1), (1, 70)])
def test_a_wrong_copy_is_refused(strides: tuple[int, int], fault: Callable[[Node], Node]) -> None:
    lowered = copy(strides)
    with pytest.raises(CertificationError):
        certify(edited(copied(lowered), fault), lowered.form, AVX2)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"stages": 2},
        {"block_k": 8, "stages": 2},
        {"block_k": 8, "tile_m": 3},
        {"tile_m": 1, "stages": 2},
        {"tile_m": 1, "tile_n": 48},
        {"tile_m": 1, "tile_n": 48, "stages": 2},
    ],
)
def test_products_from_panels_are_proved(fields: dict[str, Any]) -> None:
    lowered = product(37, 50, 70)
    kernel = multiplied(lowered, **fields)
    certify(kernel, lowered.contraction, AVX2)
    asked = [node for node in _steps(kernel) if isinstance(node, Prefetch)]
    assert bool(asked) == (fields.get("stages") == 2)


def test_a_column_major_a_is_packed_beside_panels() -> None:
    lowered = product(37, 50, 70, a=(1, 37))
    kernel = multiplied(lowered, pack_a=True, block_k=16)
    certify(kernel, lowered.contraction, AVX2)
    assert {"rows", "sums"} == {buffer.name for buffer in kernel.buffers}, "columns are in panels already"


def test_products_from_panels_have_tiles_as_wide() -> None:
    with pytest.raises(ConfigurationError, match="panels of 24"):
        multiplied(product(8, 50, 70), tile_n=16)
    with pytest.raises(ConfigurationError, match="panels of 24"):
        multiplied(product(8, 50, 70), pack_b=True)
    with pytest.raises(ConfigurationError, match="swept whole"):
        multiplied(product(8, 50, 70), tile_m=1, tile_n=48, block_k=8)


@pytest.mark.parametrize("fields", [{}, {"tile_m": 1, "tile_n": 48}])
def test_a_product_that_reads_the_wrong_panel_is_refused(fields: dict[str, int]) -> None:
    lowered = product(37, 50, 70)

    def next_panel(node: Node) -> Node:
        if isinstance(node, Load) and isinstance(node.source, Access) and node.source.operand == "b":
            return replace_symbols((node,), {"panel": Sym("panel") + 1})[0]
        return node

    with pytest.raises(CertificationError):
        certify(edited(multiplied(lowered, **fields), next_panel), lowered.contraction, AVX2)


def _steps(kernel: SemanticKernel) -> list[Node]:
    from tracea_core.semantic.kernel import walk

    return [node for role in kernel.roles for node in walk(role.body)]
