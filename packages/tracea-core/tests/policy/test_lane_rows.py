# SPDX-License-Identifier: MIT
"""Configurations of products whose rows lanes bring, and which way round planar convolutions of single pixels are computed."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.plugin.manager import plugins
from tracea_core.policy.arrange import arranged
from tracea_core.policy.arrange_images import arranged_images, stores_planes
from tracea_core.policy.arrangement import Arranged
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.image_parts import image_parts
from tracea_core.policy.lane_rows import MOST_ROWS
from tracea_core.policy.pointwise import as_product
from tracea_core.semantic.build import lane_rows
from tracea_core.testing.cases import dense, gemm

TARGET = preset_target("h200")
SINGLE = Options(allow_tf32=True, allow_fallback=False)


def ways(problem: Problem) -> tuple[Arranged, ...]:
    stated = as_product(problem, TARGET.profile)
    return arranged(stated, TARGET, plugins().manifest("cuda").variants(TARGET.profile))


def convolution(size: int, taps: int = 1, options: Options = SINGLE, epilogue: str = "") -> Problem:
    op = Conv2dOp(4, 64, size, size, 128, taps, taps, padding=(taps // 2, taps // 2))
    out = dense(op.output_shape(), DType.FP32)
    inputs = tuple(dense(shape, DType.FP32) for shape in op.input_shapes())
    if not epilogue:
        return Problem(op, inputs, out, options=options)
    fused = parse_epilogue(epilogue)
    extra = tuple(dense(fused.operand_shape(i, out.shape, 1), DType.FP32) for i in range(len(fused.operands)))
    return Problem(op, inputs, out, fused, extra, options)


def test_the_rule_and_the_schedule_agree_on_the_rows_of_a_box() -> None:
    assert MOST_ROWS == lane_rows.MOST_ROWS


@pytest.mark.parametrize("shape", [(2048, 2048, 2048), (128, 4096, 4096), (8192, 1024, 1024), (32, 32000, 4096)])
def test_no_group_is_in_flight_and_every_tile_is_one_box(shape: tuple[int, int, int]) -> None:
    best = ways(gemm(shape, DType.FP32, "nn").replace(options=SINGLE))[0]
    decision = PolicyEngine(TARGET.profile).decide(best.choice.problem, best.choice.variant)
    assert all(hero.in_flight == 0 and hero.tile_m <= MOST_ROWS for hero in decision.heroes)
    assert decision.space.in_flight == (0,)
    along_k = gemm(shape, DType.FP32, "nt").replace(options=SINGLE)
    other = ways(along_k)[0]
    plain = PolicyEngine(TARGET.profile).decide(other.choice.problem, other.choice.variant)
    assert any(hero.in_flight for hero in plain.heroes)


@pytest.mark.parametrize("epilogue", ["", "bias,residual,relu"])
def test_planar_images_of_single_pixels_are_read_where_they_lie(epilogue: str) -> None:
    best = ways(convolution(56, epilogue=epilogue))[0]
    assert isinstance(best.choice.problem.op, GemmOp) and best.choice.problem.op.batch == (4,)
    assert best.arrangement.kernels == 1 and best.choice.variant.name == "cuda.contraction.wgmma_tf32"
    assert not isinstance(ways(convolution(56, options=Options(allow_fallback=False)))[0].choice.problem.op, GemmOp)


def test_planes_that_no_engine_reaches_are_copied() -> None:
    best = ways(convolution(7))[0]
    assert isinstance(best.choice.problem.op, Conv2dOp)


@pytest.mark.parametrize("epilogue", ["", "bias,residual,relu"])
def test_copied_images_leave_planes_of_results_where_they_belong(epilogue: str) -> None:
    best = ways(convolution(28, 3, epilogue=epilogue))[0]
    assert best.arrangement.kernels == 3 and best.arrangement.stored is None
    assert best.choice.variant.name == "cuda.contraction.wgmma_windows_tf32"


def test_planes_are_left_to_devices_that_store_them_well() -> None:
    target = preset_target("a100")
    given = convolution(28, 3)
    found = arranged(given, target, plugins().manifest("cuda").variants(target.profile))
    packed = [one.arrangement for one in found if one.arrangement.packed]
    assert packed and all(one.stored is not None for one in packed)
    assert stores_planes(given, TARGET.profile) and not stores_planes(given, target.profile)
    exact = convolution(28, 3, Options(allow_fallback=False))
    assert not stores_planes(exact, TARGET.profile), "fp32 by the lanes is stored in rows of channels"


def test_parts_have_room_for_what_their_device_stores() -> None:
    """Where results go through a workspace, it counts when images are dealt out to parts."""
    op = Conv2dOp(64, 64, 56, 56, 64, 3, 3, padding=(1, 1))
    inputs = tuple(dense(shape, DType.FP32) for shape in op.input_shapes())
    given = Problem(op, inputs, dense(op.output_shape(), DType.FP32), options=SINGLE)
    for preset, most in (("h200", 2), ("a100", 4)):
        profile = preset_target(preset).profile
        parts = image_parts(given, profile)
        assert 1 < len(parts) <= most
        planes = stores_planes(given, profile)
        assert all(any(arranged_images(part.problem, planes=planes)) for part in parts)
