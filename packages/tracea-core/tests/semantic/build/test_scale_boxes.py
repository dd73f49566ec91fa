# SPDX-License-Identifier: MIT
"""Scales that a copy engine brings: certified wherever they lie, refused where they are no boxes, and planted faults are found."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import ScaledGemmOp, ScaledGroupedGemmOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import ROW, Const, Index, Sym, substitute
from tracea_core.semantic.kernel import Buffer, SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import AsyncLoad, BufferRef, Load, Loop, Node, Release
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import Edit, edited
from tracea_core.testing.faults import faults

H200 = preset("h200")
TILE = PipelineConfig(
    tile_m=64, tile_n=64, tile_k=128, stages=2, warps=8, swizzle=SwizzleMode.B128, block_k=128, order=Order.ROW, scale_boxes=1,
    barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=16, vector_b=16, vector_c=8,
)  # fmt: skip
SHARING = [(1, 128), (1, 1), (128, 128), (128, 1)]
FIRST, LAST = (1, 0), (0, 1)
"""Which axis has neighbours that lie together: rows of scales of A and steps of those of B, or steps and columns."""


@functools.cache
def form(rows: int, columns: int, of_rows: tuple[int, ...] = FIRST, of_columns: tuple[int, ...] = FIRST) -> Contraction:
    op = ScaledGemmOp(256, 384, 512, rows, columns)
    a, b, *scales = op.input_shapes()
    fp8, real = DType.FP8_E4M3, DType.FP32
    inputs = (dense(a, fp8), dense(b, fp8, (1, 0)), dense(scales[0], real, of_rows), dense(scales[1], real, of_columns))
    return lower(Problem(op, inputs, dense((256, 384), DType.BF16), options=Options(allow_fallback=False))).contraction


@functools.cache
def ragged(columns: int, of_rows: tuple[int, ...]) -> Contraction:
    op = ScaledGroupedGemmOp(512, 4, 384, 512, dtype=DType.FP8_E4M3, shared_columns=columns)
    x, w, ends, *scales = op.input_shapes()
    fp8, real = DType.FP8_E4M3, DType.FP32
    inputs = (
        dense(x, fp8), dense(w, fp8, (0, 2, 1)), dense(ends, DType.INT32), dense(scales[0], real, of_rows),
        dense(scales[1], real, (0, 2, 1)),
    )  # fmt: skip
    return lower(Problem(op, inputs, dense((512, 384), DType.BF16), options=Options(allow_fallback=False))).contraction


def built(config: PipelineConfig = TILE, of: Contraction | None = None) -> SemanticKernel:
    return specialized_kernel(of or form(1, 128), config, H200, "test.contraction.scaled", "scaled")


def loads(kernel: SemanticKernel) -> list[AsyncLoad]:
    return [node for role in kernel.roles for node in walk(role.body) if isinstance(node, AsyncLoad)]


@pytest.mark.parametrize("sharing", SHARING)
@pytest.mark.parametrize("of_rows", [FIRST, LAST])
@pytest.mark.parametrize("of_columns", [FIRST, LAST])
def test_scales_are_certified_wherever_they_lie(
    sharing: tuple[int, int], of_rows: tuple[int, ...], of_columns: tuple[int, ...]
) -> None:
    scaled = form(*sharing, of_rows, of_columns)
    kernel = built(of=scaled)
    assert certify(kernel, scaled, H200).kernel == kernel.digest()
    assert {"a_scale", "b_scale"} <= {one.source.operand for one in loads(kernel)}, "both come as boxes"


@pytest.mark.parametrize(
    "config",
    [
        TILE.replace(tile_m=128, cluster_m=2),  # two pieces of rows for a consumer, and blocks that share columns
        TILE.replace(tile_n=128, warps=12, barrier_mode=BarrierMode.PING_PONG),
        TILE.replace(tile_m=192, tile_n=128, warps=16),
        TILE.replace(cluster_n=2, split_k=2),
    ],
)
def test_other_tiles_are_certified(config: PipelineConfig) -> None:
    kernel = built(config)
    assert certify(kernel, form(1, 128), H200).kernel == kernel.digest()


@pytest.mark.parametrize("columns", [1, 128])
@pytest.mark.parametrize("of_rows", [FIRST, LAST])
def test_ragged_groups_begin_at_any_row(columns: int, of_rows: tuple[int, ...]) -> None:
    grouped = ragged(columns, of_rows)
    kernel = built(of=grouped)
    certify(kernel, grouped, H200)
    if of_rows == FIRST:
        wrong = edited(kernel, moved("a_scale_tile", lambda place: substitute(place, {"row0": Const(0)})))
        assert wrong != kernel
        with pytest.raises(CertificationError):
            certify(wrong, grouped, H200)


def moved(buffer: str, place: Callable[[Index], Index]) -> Callable[[Node], Node]:
    """A read of scales from another place of their slot."""

    def edit(node: Node) -> Node:
        if isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer == buffer:
            return node.replace(source=node.source.replace(coordinates=tuple(map(place, node.source.coordinates))))
        return node

    return edit


def brought(operand: str, origin: Callable[[Index], Index]) -> Callable[[Node], Node]:
    """A box of scales from another place of their tensor."""

    def edit(node: Node) -> Node:
        if isinstance(node, AsyncLoad) and node.source.operand == operand:
            return node.replace(source=node.source.replace(origin=tuple(map(origin, node.source.origin))))
        return node

    return edit


def of_another_slot(node: Node) -> Node:
    if isinstance(node, Load) and isinstance(node.source, BufferRef):
        return node.replace(source=node.source.replace(slot=Const(0)))
    return node


def behind_the_release(node: Node) -> Node:
    """Scales are read when the slot has been given back."""
    if not isinstance(node, Loop) or not any(isinstance(step, Load) for step in node.body):
        return node
    reads = [step for step in node.body if isinstance(step, Load)]
    rest = [step for step in node.body if not isinstance(step, Load)]
    after = 1 + next(place for place, step in enumerate(rest) if isinstance(step, Release))
    return node.replace(body=(*rest[:after], *reads, *rest[after:]))


def for_all_warps(node: Node) -> Node:
    return Release(node.ring, node.lag) if isinstance(node, Release) else node


def forgotten(node: Node) -> Node | None:
    return None if isinstance(node, AsyncLoad) and node.source.operand == "b_scale" else node


def at_any_byte(node: Buffer) -> Buffer:
    return node.replace(alignment=16) if node.name == "a_scale_tile" else node


def always(name: str, value: int = 0) -> Callable[[Index], Index]:
    return lambda index: substitute(index, {name: Const(value)})


PLANTED: dict[str, Edit] = {
    "the scale of another row": moved("a_scale_tile", always(ROW.name, 1)),
    "the scale of the first of the steps that a box holds": moved("b_scale_tile", always("k_step")),
    "the scales of the first rows": brought("a_scale", always("row0")),
    "the scales of the first step": brought("a_scale", always("k_step")),
    "the scales of the step before": brought("a_scale", lambda index: substitute(index, {"k_step": Sym("k_step") - 1})),
    "the scale of the first block of columns": brought("b_scale", always("column0")),
    "scales of another slot": of_another_slot,
    "scales of a slot that was given back": behind_the_release,
    "a slot given back while lanes of other warps still read it": for_all_warps,
    "scales that nobody brings": forgotten,
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults_are_found(name: str) -> None:
    kernel = built()
    wrong = edited(kernel, PLANTED[name])
    assert wrong != kernel
    with pytest.raises(CertificationError):
        certify(wrong, form(1, 128), H200)


FALSE = [
    "producer: AsyncLoad: source.bound extents[0]: 127 for 128",  # a block of columns more, where they are whole blocks
    "consumer: Load b_scales: transfer matrix",  # of one register, which holds no two elements in a row
    "consumer: Load b_scales: transfer matrix_transposed",
]


@pytest.mark.parametrize("words", FALSE)
def test_derived_faults_are_found(words: str) -> None:
    of = form(1, 128, FIRST, LAST) if "AsyncLoad" in words else form(1, 128)
    wrong = [fault.kernel for fault in faults(built(of=of)) if fault.words == words]
    assert wrong
    for one in wrong:
        with pytest.raises(CertificationError):
            certify(one, of, H200)


def test_one_lane_gives_no_slot_back_that_others_read() -> None:
    wrong = edited(built(), for_all_warps)
    ring = wrong.rings[0]
    counted = wrong.replace(rings=(ring.replace(empty_arrivals=ring.empty_arrivals // 4),))
    with pytest.raises(CertificationError, match="other warps, whose lanes may still read the slot"):
        certify(counted, form(1, 128), H200)


def test_boxes_begin_at_multiples_of_128_bytes() -> None:
    kernel = built()
    wrong = kernel.replace(buffers=tuple(map(at_any_byte, kernel.buffers)))
    with pytest.raises(CertificationError, match="not aligned to the 128 bytes at which boxes begin"):
        certify(wrong, form(1, 128), H200)


def test_what_is_no_box_is_refused_with_its_reason() -> None:
    with pytest.raises(
        ConfigurationError, match="a tile of 96 columns lies in several blocks of 128 that share a scale"
    ):
        built(TILE.replace(tile_n=96))
    with pytest.raises(ConfigurationError, match="a tile of 192 rows lies in several blocks of 128"):
        built(TILE.replace(tile_m=192, warps=16), form(128, 128))
    whole = Problem(
        GemmOp(256, 384, 512, dtype=DType.FP8_E4M3, out_dtype=DType.BF16),
        (dense((256, 512), DType.FP8_E4M3), dense((512, 384), DType.FP8_E4M3, (1, 0))), dense((256, 384), DType.BF16),
    )  # fmt: skip
    with pytest.raises(ConfigurationError, match="no scales along k that boxes could bring"):
        built(of=lower(whole).contraction)
    op = ScaledGemmOp(256, 384, 512, 1, 128)
    a, b, *scales = op.input_shapes()
    apart = TensorSpec(scales[0], DType.FP32, (2, 512))
    problem = Problem(
        op, (dense(a, op.dtype), dense(b, op.dtype, (1, 0)), apart, dense(scales[1], DType.FP32)), dense((256, 384), DType.BF16),
        options=Options(allow_fallback=False),
    )  # fmt: skip
    with pytest.raises(ConfigurationError, match="do not lie next to each other along one axis alone"):
        built(of=lower(problem).contraction)
