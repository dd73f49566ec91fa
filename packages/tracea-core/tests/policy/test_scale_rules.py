# SPDX-License-Identifier: MIT
"""Where scales along k come as boxes: told from how they lie, for tiles that one block of columns covers, in as many slots as fit."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import ScaledGemmOp, ScaledGroupedGemmOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.budget import budget_reason, shared_bytes
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.runs import boxed_scales
from tracea_core.policy.topology import topology_of
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.shared_plan import slot_bytes
from tracea_core.testing.cases import dense

H200 = preset("h200")
REAL, FIRST, LAST = DType.FP32, (1, 0), (0, 1)


def problem(
    m: int = 4096, rows: int = 1, columns: int = 128, of_rows: tuple[int, ...] = FIRST, of_columns: tuple[int, ...] = FIRST,
    alignment: int = 16,
) -> Problem:  # fmt: skip
    op = ScaledGemmOp(m, 4096, 4096, rows, columns)
    a, b, *scales = op.input_shapes()
    inputs = (
        dense(a, op.dtype),
        dense(b, op.dtype, (1, 0)),
        dense(scales[0], REAL, of_rows),
        dense(scales[1], REAL, of_columns),
    )
    return Problem(op, inputs, dense((m, 4096), DType.BF16), options=Options(alignment=alignment))


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        (problem(), 128),
        (problem(of_columns=LAST), 128),
        (problem(columns=1, of_columns=LAST), 1),
        (problem(columns=1), 0),  # 128 short rows
        (problem(of_rows=LAST), 0),
        (problem(rows=128), 0),
        (problem(m=4098), 0),  # steps are 16392 bytes apart, no multiple of 16
        (problem(alignment=8), 0),
    ],
)
def test_how_scales_lie_decides(stated: Problem, found: int) -> None:
    assert boxed_scales(stated) == topology_of(stated).boxed_scales == found


def test_scales_that_repeat_are_no_boxes() -> None:
    stated = problem()
    repeated = TensorSpec(stated.inputs[2].shape, REAL, (1, 0))
    assert boxed_scales(stated.replace(inputs=(*stated.inputs[:2], repeated, stated.inputs[3]))) == 0


def test_ragged_groups_have_boxes_too() -> None:
    op = ScaledGroupedGemmOp(512, 4, 384, 512, dtype=DType.FP8_E4M3)
    x, w, ends, *scales = op.input_shapes()
    inputs = (
        dense(x, op.dtype), dense(w, op.dtype, (0, 2, 1)), dense(ends, DType.INT32), dense(scales[0], REAL, FIRST),
        dense(scales[1], REAL, (0, 2, 1)),
    )  # fmt: skip
    assert boxed_scales(Problem(op, inputs, dense((512, 384), DType.BF16))) == 128


def test_tiles_of_one_block_take_boxes_and_fit() -> None:
    topology = topology_of(problem()).replace(instruction="wgmma_m64n128k32_fp8_e4m3")
    decision = PolicyEngine(H200).decide(topology)
    assert decision.heroes[0].value("scale_boxes") == 1
    for hero in decision.heroes:
        assert bool(hero.value("scale_boxes")) == (128 % hero.tile_n == 0), hero.describe()
        assert budget_reason(hero, H200, topology) is None
    assert "scales come with their tiles" in [reason.rule for reason in decision.reasons]
    plain = PolicyEngine(H200).decide(topology.replace(boxed_scales=0))
    assert not any(hero.value("scale_boxes") for hero in plain.heroes)


def test_what_boxes_take_is_no_more_than_expected() -> None:
    stated = problem()
    topology = topology_of(stated).replace(instruction="wgmma_m64n128k32_fp8_e4m3")
    heroes = [hero for hero in PolicyEngine(H200).decide(topology).heroes if hero.value("scale_boxes")]
    for hero in heroes[:3]:
        kernel = specialized_kernel(lower(stated).contraction, hero, H200, "test.contraction.scaled", "scaled")
        held = sum(slot_bytes(buffer) * buffer.slots for buffer in kernel.buffers if "scale" in buffer.name)
        assert (
            0 < held <= shared_bytes(hero, H200, topology) - shared_bytes(hero.replace(scale_boxes=0), H200, topology)
        )
        assert kernel.launch.shared_bytes <= H200.shared_bytes
    assert heroes
