# SPDX-License-Identifier: MIT
"""The end of a warp's tile: runs of 16 bytes where the tile has all columns, elements at the edge; and faults in it are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.build.multistage_lanes import images, run, side_by_side, with_runs
from tracea_core.semantic.convert import convert
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Access, If, Load, Node, Store, Turn
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import edited

A100 = preset("a100")
CONFIG = PipelineConfig(tile_m=64, tile_n=64, tile_k=32, stages=2, warps=4, vector_a=8, vector_b=8, vector_c=8)


def product(
    out: DType = DType.FP16, tail: str = "", vector: int = 8, device: str = "a100"
) -> tuple[SemanticKernel, Any]:
    """Return the uniform kernel of a product of halves, and its contraction."""
    op = GemmOp(128, 128, 64, dtype=DType.FP16, out_dtype=out)
    specs = [dense((128, 64), DType.FP16), dense((64, 128), DType.FP16)]
    result = dense((128, 128), out)
    extra = (result,) if tail else ()
    low = lower(Problem(op, tuple(specs), result, parse_epilogue(tail), extra))
    config, name = CONFIG.replace(vector_c=vector), "mma_m16n8k16_fp16" if device == "a100" else "mfma_16x16x16_fp16"
    return multistage_kernel(low.contraction, config, preset(device), "x.contraction.x", "x", name), low.contraction


def moves(kernel: SemanticKernel, kind: type, operand: str) -> list[Any]:
    """Return the loads or stores of an operand."""
    every = (node for node in walk(kernel.roles[0].body) if isinstance(node, kind))
    places = ((node, node.target if kind is Store else node.source) for node in every)  # type: ignore[attr-defined]
    return [node for node, place in places if isinstance(place, Access) and place.operand == operand]


@pytest.mark.parametrize(
    ("out", "vector", "wide"), [("fp16", 8, 8), ("fp16", 4, 4), ("fp32", 4, 4), ("fp16", 2, 2), ("fp16", 1, 1)]
)
def test_lanes_store_what_is_promised_to_lie_together(out: str, vector: int, wide: int) -> None:
    kernel, contraction = product(DType(out), vector=vector)
    widths = [store.width for store in moves(kernel, Store, "out")]
    assert max(widths) == wide and min(widths) == min(wide, 2)
    assert kernel.parameter("out").alignment >= wide * DType(out).bytes
    certify(kernel, contraction, A100)


def test_operands_of_the_results_shape_come_in_runs() -> None:
    kernel, contraction = product(tail="residual")
    (name,) = (parameter.name for parameter in kernel.parameters if parameter.name not in ("a", "b", "out"))
    assert {load.width for load in moves(kernel, Load, name)} == {8, 1}
    assert kernel.parameter(name).alignment == 16
    certify(kernel, contraction, A100)


def test_devices_of_other_vendors_store_as_their_lanes_hold() -> None:
    kernel, _ = product(device="mi300x")
    assert not any(isinstance(node, Turn) for node in walk(kernel.roles[0].body))


def without_mask(node: Node) -> Node:
    return node.replace(guard=()) if isinstance(node, Store) and node.width == 8 else node


def always_whole(node: Node) -> Node:
    whole = isinstance(node, If) and any(isinstance(inner, Turn) for inner in node.then)
    return node.replace(otherwise=node.then) if whole and isinstance(node, If) else node


def not_exchanged(node: Node) -> Node:
    return node.replace(fragment="result_wide") if isinstance(node, Store) and node.fragment == "result_run" else node


def moved(node: Node) -> Node:
    if not (isinstance(node, Store) and node.width == 8 and isinstance(node.target, Access)):
        return node
    return node.replace(target=node.target.replace(offset=node.target.offset + Const(8)))


@pytest.mark.parametrize("fault", [without_mask, always_whole, not_exchanged, moved])
def test_faults_are_refused(fault: Callable[[Node], Node]) -> None:
    kernel, contraction = product(tail="residual")
    broken = edited(kernel, fault)
    assert broken != kernel
    with pytest.raises(CertificationError):
        certify(broken, contraction, A100)


def test_lanes_give_registers_for_runs() -> None:
    sums = instruction("mma_m16n8k16_fp16").c
    assert run(sums, 1) == 2 and with_runs(sums, 1, 8) is None
    pair = side_by_side(sums, 2)
    wide = with_runs(pair, 1, 8)
    assert wide is not None and run(wide, 1) == 8 and images(wide)[0][:2] == [(0, 8), (8, 0)]
    assert str(convert(pair, wide, element_bytes=2, shared_bytes=0)) == "16x16 over 32 lanes: 32 selects, 3 shuffles"
    with pytest.raises(ConfigurationError):
        with_runs(sums.repeat(columns=2), 1, 8)
