# SPDX-License-Identifier: MIT
"""Groups of channels whose windows a copy engine walks over: certified, refused with reasons, mistakes in where one begins found."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.contraction import ITEM
from tracea_core.semantic.index import Const, Index, IndexOp, Sym
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.rewrite import map_indices
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense

LAST = (0, 2, 3, 1)
WALK = PipelineConfig(
    tile_m=64, tile_n=32, tile_k=32, stages=3, warps=8, swizzle=SwizzleMode.B64, barrier_mode=BarrierMode.PRODUCER_CONSUMER,
    vector_a=8, vector_b=8, vector_c=8, in_flight=1,
)  # fmt: skip


def grouped(**fields: Any) -> Problem:
    sizes: dict[str, Any] = {"n": 3, "c": 96, "h": 9, "w": 8, "k": 96, "r": 3, "s": 3, "padding": (1, 1), "groups": 3}
    op = Conv2dOp(**(sizes | fields), dtype=DType.FP16)
    inputs = tuple(dense(shape, DType.FP16, LAST) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), DType.FP16, LAST))


def built(config: PipelineConfig = WALK, **fields: Any) -> tuple[SemanticKernel, Lowered]:
    found = lower(grouped(**fields), pixels=True, walked=True)
    return specialized_kernel(found.form, config, preset("h200"), "x.contraction.x", "groups"), found


@pytest.mark.parametrize(
    ("fields", "config"),
    [
        ({}, WALK),
        ({"c": 120, "k": 72, "stride": (2, 1)}, WALK),
        ({"c": 168, "dilation": (1, 2)}, WALK.replace(tile_k=64, swizzle=SwizzleMode.B128, cluster_m=2)),
        ({"r": 1, "s": 1, "padding": (0, 0), "stride": (2, 2)}, WALK.replace(tile_m=128, warps=12)),
    ],
    ids=["whole-steps", "cut-steps", "cut-lines", "pointwise"],
)
def test_kernels_are_certified_and_serve_the_problem(fields: dict[str, Any], config: PipelineConfig) -> None:
    kernel, found = built(config, **fields)
    certificate = certify(kernel, found.form, preset("h200"))
    assert {"banks", "cover", "pipeline", "meaning"} <= {proof.property for proof in certificate.proofs}
    assert all(symbol.admits(found.symbols[symbol.name]) for symbol in kernel.symbols)


def test_filters_of_a_group_are_whole_chunks_of_a_pixel() -> None:
    """A group's results begin where those of the group before end."""
    kernel, _ = built()
    filters = next(symbol for symbol in kernel.symbols if symbol.name == "n")
    assert filters.multiple == 8 and filters.maximum < 1 << 31
    assert not filters.admits(12)


def test_filters_of_groups_that_lie_apart_are_left() -> None:
    form = lower(grouped(), pixels=True, walked=True).form
    form = form.replace(b=form.b.replace(offset=form.b.offset + ITEM * 8))
    with pytest.raises(ConfigurationError, match="do not follow those of the group before"):
        specialized_kernel(form, WALK, preset("h200"), "x.contraction.x", "groups")


@pytest.mark.parametrize(("each", "other"), [("k_c", Const(0)), ("n", Const(0)), ("k_c", Sym("n")), ("n", Sym("k_c"))])
def test_a_group_that_begins_elsewhere_is_found(each: str, other: Index) -> None:
    """Channels of a pixel, or filters, of another group than the tile's."""
    kernel, found = built()

    def moved(expr: Any) -> Any:
        if not isinstance(expr, IndexOp):
            return expr
        if expr in (ITEM * Sym(each), Sym(each) * ITEM):
            return ITEM * other
        return expr.replace(left=moved(expr.left), right=moved(expr.right))

    producer = kernel.roles[0]
    body = map_indices(producer.body, moved, lambda test: test)
    assert body != producer.body
    with pytest.raises(CertificationError):
        certify(kernel.replace(roles=(producer.replace(body=body), *kernel.roles[1:])), found.form, preset("h200"))
