# SPDX-License-Identifier: MIT
"""Gradients of filters whose windows a copy engine walks over: certified, refused with reasons, and mistakes in what is decoded found."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.pixels import filters_are_walked
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build.gradient_tile import is_gradient
from tracea_core.semantic.build.pixel_tile import steps_of
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.index import IndexOp, evaluate
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.rewrite import map_indices
from tracea_core.semantic.verify.certify import certify, prove_meaning
from tracea_core.testing.cases import dense
from tracea_core.testing.faults import faults

LAST, IN_PARTS = (0, 2, 3, 1), (0, 1, 3, 4, 2)
WALK = PipelineConfig(
    tile_m=64, tile_n=64, tile_k=64, stages=3, warps=8, swizzle=SwizzleMode.B128, barrier_mode=BarrierMode.PRODUCER_CONSUMER,
    vector_a=8, vector_b=8, vector_c=8, in_flight=1,
)  # fmt: skip


def gradient(order: tuple[int, ...] = LAST, **fields: Any) -> Problem:
    sizes = {"n": 4, "c": 64, "h": 9, "w": 8, "k": 72, "r": 3, "s": 3, "stride": (2, 1), "padding": (1, 1)} | fields
    op = Conv2dFiltersOp(**sizes, dtype=DType.FP16)
    inputs = tuple(dense(shape, DType.FP16, order) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), DType.FP16, LAST if op.parts == 1 else IN_PARTS))


def built(config: PipelineConfig = WALK, **fields: Any) -> tuple[SemanticKernel, Lowered]:
    found = lower(gradient(**fields), pixels=True, walked=True)
    return specialized_kernel(found.form, config, preset("h200"), "x.contraction.x", "filters"), found


@pytest.mark.parametrize(
    ("fields", "config"),
    [
        ({"parts": 2}, WALK.replace(tile_n=128)),
        ({"dilation": (1, 2), "padding": (2, 2)}, WALK.replace(tile_m=128, cluster_m=2)),
        ({"r": 1, "s": 1, "padding": (0, 0), "stride": (2, 2)}, WALK.replace(split_k=2, stages=2)),
    ],
)
def test_kernels_are_certified_and_serve_the_problem(fields: dict[str, Any], config: PipelineConfig) -> None:
    kernel, found = built(config, **fields)
    certificate = certify(kernel, found.form, preset("h200"))
    assert {"banks", "cover", "pipeline", "meaning"} <= {proof.property for proof in certificate.proofs}
    assert all(symbol.admits(found.symbols[symbol.name]) for symbol in kernel.symbols)


def test_steps_are_pixels_of_a_part() -> None:
    _, found = built(parts=2)
    assert is_gradient(found.form)
    assert evaluate(steps_of(found.form, 64), found.symbols) == 2  # two images of 5×8 pixels


def test_channels_of_an_element_are_loaded_in_whole_runs() -> None:
    with pytest.raises(ConfigurationError, match="no multiple of the 64 channels"):
        built(WALK.replace(tile_n=96))
    kernel, _ = built()
    assert next(symbol for symbol in kernel.symbols if symbol.name == "filter_c").multiple == 64


def test_other_layouts_are_gathered() -> None:
    assert filters_are_walked(gradient()) and filters_are_walked(gradient(parts=2))
    assert not filters_are_walked(gradient(order=(0, 1, 2, 3)))
    assert not filters_are_walked(gradient(c=128, k=64, groups=2))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("k_p_reciprocal", "k_q_reciprocal"), ("filter_c_reciprocal", "filter_s_reciprocal"), ("pad_h", "pad_w"),
        ("height", "width"), ("k_p", "k_q"),
    ],
)  # fmt: skip
def test_a_mistaken_argument_is_found(name: str, other: str) -> None:
    kernel, found = built(parts=2)

    def swapped(expr: Any) -> Any:
        if getattr(expr, "name", "") == name:
            return expr.replace(name=other)
        return expr.replace(left=swapped(expr.left), right=swapped(expr.right)) if isinstance(expr, IndexOp) else expr

    roles = tuple(
        role.replace(body=map_indices(role.body, swapped, lambda test: test.replace(left=swapped(test.left))))
        for role in kernel.roles
    )
    assert roles != kernel.roles
    with pytest.raises(CertificationError):
        certify(kernel.replace(roles=roles), found.form, preset("h200"))


@pytest.mark.parametrize(
    "words",
    [
        "Let channel0: value: + for -",
        "Let filter_column0: value: + for -",
        "AsyncLoad: source.pixels pixels address offset[0] exchanged",
    ],
)
def test_tiles_of_other_elements_of_a_filter_than_the_first_are_run(words: str) -> None:
    """In the image, whatever is drawn: beyond its border all elements are zeros."""
    kernel, found = built(stride=(1, 1))
    (wrong,) = (fault.kernel for fault in faults(kernel) if fault.words == f"producer: {words}")
    for seed in range(6):
        with pytest.raises(CertificationError):
            prove_meaning(wrong, found.form, seed)
