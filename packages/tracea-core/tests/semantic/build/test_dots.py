# SPDX-License-Identifier: MIT
"""Products by groups of k are proved for every layout, and kernels with a defect are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.activations import BatchNorm, ReLU
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import as_chain
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.dots import dots_kernel
from tracea_core.semantic.build.epilogue import TileEpilogue
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import Const, Sym
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import BufferRef, Compute, Fill, If, Let, Load, Loop, Node, Store
from tracea_core.semantic.verify.certify import certify

VECTORS = PipelineConfig(tile_m=3, tile_n=32, tile_k=2, stages=1, warps=1)
TILES = PipelineConfig(tile_m=32, tile_n=32, tile_k=2, stages=1, warps=1)
INSTRUCTIONS = {
    "fma_outer_6x4x16_bf16": (VECTORS, DType.BF16, DType.BF16),
    "fma_outer_6x4x16_int8xuint8": (VECTORS, DType.INT8, DType.INT8),
    "fma_outer_6x4x16_uint8xint8": (VECTORS, DType.UINT8, DType.INT8),
    "amx_2x2_bf16": (TILES, DType.BF16, DType.BF16),
    "amx_2x2_int8": (TILES, DType.INT8, DType.INT8),
    "amx_2x2_int8xuint8": (TILES, DType.INT8, DType.UINT8),
}


def _problem(a: DType, b: DType, layouts: str = "rr") -> Problem:
    left, right = (
        TensorSpec((64, 64), dtype, (1, 64) if layout == "c" else (64, 1))
        for dtype, layout in zip((a, b), layouts, strict=True)
    )
    op = GemmOp(64, 64, 64, dtype=a, b_dtype=b if b is not a else None)
    return Problem(op, (left, right), TensorSpec.contiguous((64, 64), op.output_dtype()))


def _kernel(name: str, layouts: str = "rr", **changes: object) -> tuple[SemanticKernel, Contraction]:
    config, a, b = INSTRUCTIONS[name]
    form = lower(_problem(a, b, layouts)).contraction
    return dots_kernel(form, config.replace(**changes), preset("avx512"), "cpu.dots", "kernel", name), form


@pytest.mark.parametrize("layouts", ["rr", "rc", "cr", "cc"])
@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_kernels_are_certified(name: str, layouts: str) -> None:
    kernel, form = _kernel(name, layouts)
    assert [proof.property for proof in certify(kernel, form, preset("avx512")).proofs][-1] == "meaning"


@pytest.mark.parametrize("name", ["fma_outer_6x4x16_uint8xint8", "amx_2x2_int8xuint8"])
def test_types_are_swapped_where_the_product_is_computed_transposed(name: str) -> None:
    config, a, b = INSTRUCTIONS[name]
    form = lower(_problem(b, a)).contraction
    kernel = dots_kernel(form, config, preset("avx512"), "cpu.dots", "kernel", name)
    assert certify(kernel, form, preset("avx512"))


def _transposed_batch_norm(name: str) -> tuple[SemanticKernel, Contraction]:
    """A product whose result lies column by column, so that the slow part of a batch norm follows the rows of tiles."""
    config, kind, _ = INSTRUCTIONS[name]
    ones = np.ones(17, np.float32)
    epilogue = as_chain(BatchNorm(ones, ones, ones, ones) | ReLU()).epilogue
    columns = (TensorSpec.contiguous((17,), DType.FP32),) * 4
    a, b = TensorSpec.contiguous((86, 23), kind), TensorSpec.contiguous((23, 17), kind)
    problem = Problem(GemmOp(86, 17, 23, dtype=kind), (a, b), TensorSpec((86, 17), kind, (1, 86)), epilogue, columns)
    form = lower(problem).contraction
    return dots_kernel(form, config, preset("avx512"), "cpu.dots", "kernel", name), form


@pytest.mark.parametrize("name", ["fma_outer_6x4x16_bf16", "amx_2x2_bf16"])
def test_parts_that_follow_rows_are_kept_for_all_rows_of_a_tile(name: str) -> None:
    """Tiles of AMX finish four rows at a time, those beyond the last one as well."""
    kernel, form = _transposed_batch_norm(name)
    assert any(buffer.name.startswith("prepared") for buffer in kernel.buffers)
    assert certify(kernel, form, preset("avx512"))


def test_parts_that_are_kept_for_the_rows_finished_at_a_time_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = TileEpilogue.__init__

    def short(self: TileEpilogue, *given: Any) -> None:
        made(self, *given[:3])

    monkeypatch.setattr(TileEpilogue, "__init__", short)
    kernel, form = _transposed_batch_norm("amx_2x2_bf16")
    with pytest.raises(CertificationError, match="prepared0"):
        certify(kernel, form, preset("avx512"))


def _changed(nodes: tuple[Node, ...], change: Callable[[Node], tuple[Node, ...] | None]) -> tuple[Node, ...]:
    found: list[Node] = []
    for node in nodes:
        new = change(node)
        if new is not None:
            found += new
        elif isinstance(node, Loop):
            found.append(node.replace(body=_changed(node.body, change)))
        elif isinstance(node, If):
            then, otherwise = (_changed(side, change) for side in (node.then, node.otherwise))
            found.append(node.replace(then=then, otherwise=otherwise))
        else:
            found.append(node)
    return tuple(found)


def _without_guard(node: Node) -> tuple[Node, ...] | None:
    return (node.replace(guard=()),) if isinstance(node, Load) and node.fragment == "a" and node.guard else None


def _without_row_sums(node: Node) -> tuple[Node, ...] | None:
    return () if isinstance(node, Compute) and node.target == "sums" else None


def _without_steps_of_rows(node: Node) -> tuple[Node, ...] | None:
    return () if isinstance(node, Loop) and node.var == "summed_step" else None


def _with_seven_lanes(node: Node) -> tuple[Node, ...] | None:
    return (node.replace(stop=Const(7)),) if isinstance(node, Loop) and node.var == "summed_lane" else None


def _of_the_row_before(node: Node) -> tuple[Node, ...] | None:
    """Row 1 is added up in place of row 2."""
    found = isinstance(node, Let) and node.name == "summed_row2"
    return (node.replace(value=Sym("summed_row1")),) if found else None  # type: ignore[union-attr]


def _without_runs(node: Node) -> tuple[Node, ...] | None:
    stored = isinstance(node, Store) and isinstance(node.target, BufferRef) and node.target.buffer == "panels_of_b"
    return (node.replace(width=1),) if stored else None  # type: ignore[union-attr]


def _always_in_place(node: Node) -> tuple[Node, ...] | None:
    return node.then if isinstance(node, If) and node.otherwise and not any(
        isinstance(inner, Loop) and inner.var == "k_group" for inner in node.then
    ) and any(isinstance(inner, Loop) and inner.var == "k_step" for inner in node.otherwise) else None  # fmt: skip


def _without_clearing(node: Node) -> tuple[Node, ...] | None:
    return () if isinstance(node, Fill) and node.fragment == "sums" else None


@pytest.mark.parametrize("name, change", [
    ("fma_outer_6x4x16_bf16", _without_guard),
    ("fma_outer_6x4x16_int8xuint8", _without_row_sums),
    ("fma_outer_6x4x16_int8xuint8", _without_steps_of_rows),
    ("fma_outer_6x4x16_int8xuint8", _with_seven_lanes),
    ("fma_outer_6x4x16_int8xuint8", _of_the_row_before),
    ("fma_outer_6x4x16_bf16", _without_runs),
    ("amx_2x2_bf16", _without_runs),
    ("amx_2x2_bf16", _always_in_place),
    ("amx_2x2_int8", _without_clearing),
])  # fmt: skip
def test_a_defect_is_found(name: str, change: Callable[[Node], tuple[Node, ...] | None]) -> None:
    kernel, form = _kernel(name)
    (role,) = kernel.roles
    body = _changed(role.body, change)
    assert body != role.body
    with pytest.raises(CertificationError):
        certify(kernel.replace(roles=(role.replace(body=body),)), form, preset("avx512"))


def test_types_of_operands_are_those_of_the_instruction() -> None:
    form = lower(_problem(DType.UINT8, DType.UINT8)).contraction
    with pytest.raises(ConfigurationError, match="does not multiply"):
        dots_kernel(form, VECTORS, preset("avx512"), "cpu.dots", "kernel", "fma_outer_6x4x16_uint8xint8")


@pytest.mark.parametrize("name, changes", [
    ("fma_outer_6x4x16_bf16", {"tile_n": 40}), ("amx_2x2_bf16", {"tile_m": 24}), ("amx_2x2_bf16", {"tile_m": 48}),
    ("amx_2x2_bf16", {"split_k": 2}), ("fma_outer_6x4x16_bf16", {"pack_b": False}),
])  # fmt: skip
def test_other_configurations_are_refused(name: str, changes: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        _kernel(name, **changes)


def test_too_many_sums_are_refused() -> None:
    kernel, form = _kernel("fma_outer_6x4x16_bf16", tile_m=8, tile_n=64)
    with pytest.raises(CertificationError, match="vector registers"):
        certify(kernel, form, preset("avx512"))
