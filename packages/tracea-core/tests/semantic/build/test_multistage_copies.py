# SPDX-License-Identifier: MIT
"""Copies that pass no registers, words of bytes, and fp32 in two parts: certified as printed, and refused with a fault in them."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.expr import Accumulator
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.order import Order
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.index import IndexOp, Sym
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.steps import (
    AsyncCopy,
    Compute,
    Load,
    Mma,
    Node,
    SchedulingFence,
    Store,
    Transfer,
    Wait,
)
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.edit import edited

MI300X = preset("mi300x")
AMPERE = "mma_m16n8k16_bf16"


def configuration(**fields: Any) -> PipelineConfig:
    defaults: dict[str, Any] = {
        "tile_m": 64, "tile_n": 64, "tile_k": 32, "stages": 2, "warps": 4, "vector_a": 8, "vector_b": 8, "vector_c": 8,
        "order": Order.GROUPED, "group": 4,
    }  # fmt: skip
    return PipelineConfig(**{**defaults, **fields})


PARTS = "mma_m16n8k8_tf32"


def in_parts(layout: str = "nt") -> tuple[SemanticKernel, Lowered]:
    """Return a product of fp32 by instructions of tf32."""
    low = lower(gemm((512, 512, 512), DType.FP32, layout))
    config = configuration(tile_k=16, stages=3, vector_a=4, vector_b=4, vector_c=4)
    return multistage_kernel(low.contraction, config, preset("a100"), "cuda.contraction.parts", "gemm", PARTS), low


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
def test_two_parts_of_each_factor_are_certified(layout: str) -> None:
    kernel, low = in_parts(layout)
    assert len(nodes_of(kernel, Mma)) % 3 == 0
    assert any(proof.property == "parts" for proof in certify(kernel, low.contraction, preset("a100")).proofs)


def test_missing_and_exchanged_parts_are_found() -> None:
    kernel, low = in_parts()

    def without_low(node: Node) -> Node:
        return SchedulingFence() if isinstance(node, Mma) and node.b.endswith("_low") else node

    def twice(node: Node) -> Node:
        return node.replace(a=node.a.replace("_low", "_high")) if isinstance(node, Mma) else node

    def unrounded(node: Node) -> Node:
        left = isinstance(node, Compute) and node.target.endswith("_low")
        return node.replace(expr=Accumulator(0), accumulators=node.accumulators[:1]) if left else node

    for change in (without_low, twice, unrounded):
        with pytest.raises(CertificationError, match="not the three that make a product"):
            certify(edited(kernel, change), low.contraction, preset("a100"))


def ampere(layout: str = "nt", **fields: Any) -> tuple[SemanticKernel, Lowered]:
    low = lower(gemm((512, 512, 512), DType.BF16, layout))
    config = configuration(stages=3, **fields)
    return multistage_kernel(low.contraction, config, preset("a100"), "cuda.contraction.mma", "gemm", AMPERE), low


def nodes_of(kernel: SemanticKernel, kind: type) -> list[Any]:
    return [node for node in walk(kernel.roles[0].body) if isinstance(node, kind)]


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
def test_copies_and_matrices_are_certified(layout: str) -> None:
    kernel, low = ampere(layout)
    assert {copy.target.buffer for copy in nodes_of(kernel, AsyncCopy)} == {"a_tile", "b_tile"}
    turned = {load.source.buffer for load in nodes_of(kernel, Load) if load.transfer is Transfer.MATRIX_TRANSPOSED}
    assert turned == {
        name for name, is_turned in (("a_tile", layout[0] == "t"), ("b_tile", layout[1] == "n")) if is_turned
    }
    certify(kernel, low.contraction, preset("a100"))


def test_narrow_and_odd_operands_pass_registers_where_copies_cannot() -> None:
    kernel, low = ampere(vector_a=1)
    assert {copy.target.buffer for copy in nodes_of(kernel, AsyncCopy)} == {"b_tile"}
    certify(kernel, low.contraction, preset("a100"))


@pytest.mark.parametrize(
    "change", [lambda wait: wait.replace(pending=wait.pending + 1), lambda wait: SchedulingFence()]
)
def test_a_wait_that_is_too_short_is_found(change: Any) -> None:
    kernel, low = ampere()
    wrong = edited(kernel, lambda node: change(node) if isinstance(node, Wait) else node)
    with pytest.raises(
        CertificationError, match=r"copy is under way|may still run|without a barrier|nothing was written"
    ):
        certify(wrong, low.contraction, preset("a100"))


def test_a_copy_into_a_slot_that_is_read_is_a_race() -> None:
    kernel, low = ampere()

    def moved(node: Node) -> Node:
        if not isinstance(node, AsyncCopy) or not isinstance(node.target.slot, IndexOp):
            return node
        return node.replace(target=node.target.replace(slot=(Sym("k_step") + 3) % 3))

    with pytest.raises(CertificationError):
        certify(edited(kernel, moved), low.contraction, preset("a100"))


@pytest.mark.parametrize("vector", [2, 4, 8])
@pytest.mark.parametrize("layout", ["nn", "nt"])
def test_bytes_move_in_words_or_one_by_one(vector: int, layout: str) -> None:
    low = lower(gemm((64, 64, 64), DType.INT8, layout))
    config = configuration(tile_k=64, vector_a=vector, vector_b=vector, vector_c=1)
    kernel = multistage_kernel(low.contraction, config, MI300X, "v", "k", "mfma_16x16x32_int8")
    moves = [node for role in kernel.roles for node in walk(role.body) if isinstance(node, Load | Store)]
    widths = {move.width for move in moves if kernel.roles[0].fragment(move.fragment).dtype is DType.INT8}
    assert 2 not in widths and widths & {1, 4, 8, 16}


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1)])
def test_lanes_that_share_one_depth_are_certified(order: tuple[int, ...]) -> None:
    op = Conv2dOp(2, 5, 7, 9, 6, 3, 3, (1, 1), (1, 1), dtype=DType.FP32)
    tensors = tuple(dense(shape, DType.FP32, order) for shape in op.input_shapes())
    contraction = lower(Problem(op, tensors, dense(op.output_shape(), DType.FP32, order))).contraction
    config = PipelineConfig(tile_m=32, tile_n=32, tile_k=16, stages=2, warps=4)
    kernel = multistage_kernel(contraction, config, preset("m1"), "v", "k", "simdgroup_8x8x8_fp32")
    assert kernel.roles[0].fragment("b_tile_depths").layout.shape == (1, 1)
    assert certify(kernel, contraction, preset("m1"))
