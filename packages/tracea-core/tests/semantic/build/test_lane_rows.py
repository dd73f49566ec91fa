# SPDX-License-Identifier: MIT
"""Rows of tf32 that lanes read: certified in all ways that a product may run, and refused where a step is missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.plugin.manager import plugins
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build import lane_rows
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import (
    AccumulatorFence,
    AsyncMma,
    BufferRef,
    Fill,
    HeldOperand,
    Load,
    Node,
    Release,
    Wait,
)
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense, gemm

TARGET = preset_target("h200")
SINGLE = Options(allow_tf32=True, allow_fallback=False)


def ring(**fields: object) -> PipelineConfig:
    defaults: dict[str, object] = {
        "tile_m": 64, "tile_n": 32, "tile_k": 32, "stages": 2, "warps": 8, "swizzle": SwizzleMode.B128,
        "barrier_mode": BarrierMode.PRODUCER_CONSUMER, "vector_a": 4, "vector_b": 4, "vector_c": 4,
    }  # fmt: skip
    return PipelineConfig(**{**defaults, **fields})  # type: ignore[arg-type]


def asked(layout: str, shape: tuple[int, int, int] = (256, 240, 256), **fields: object) -> Problem:
    options = SINGLE.replace(exchanged=layout == "nn")
    return gemm(shape, DType.FP32, layout, **fields).replace(options=options)  # type: ignore[arg-type]


def built(problem: Problem, configuration: PipelineConfig) -> tuple[SemanticKernel, Contraction]:
    choice = choose(problem, TARGET, plugins().manifest("cuda").variants(TARGET.profile))
    assert choice.variant.name == "cuda.contraction.wgmma_tf32"
    form = lower(choice.problem).contraction
    return build_kernel(form, configuration, TARGET.profile, choice.variant), form


def reads(kernel: SemanticKernel) -> list[Load]:
    found = [node for role in kernel.roles for node in walk(role.body) if isinstance(node, Load)]
    return [load for load in found if getattr(load.source, "buffer", "") == "a_tile"]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"tile_k": 64, "stages": 3},
        {"tile_m": 128, "warps": 8},
        {"tile_m": 128, "warps": 12, "tile_n": 144, "cluster_m": 2},
        {"tile_m": 192, "warps": 16, "cluster_n": 2},
        {"warps": 12, "barrier_mode": BarrierMode.PING_PONG},
        {"tile_m": 128, "tile_n": 64, "warps": 12, "split_k": 2},
    ],
)
@pytest.mark.parametrize("layout", ["nn", "tt"])
def test_products_are_certified_in_every_way_that_they_run(layout: str, fields: dict[str, object]) -> None:
    kernel, form = built(asked(layout), ring(**fields))
    certify(kernel, form, TARGET.profile)
    assert reads(kernel)


def test_batches_and_epilogues_are_certified() -> None:
    extra = (dense((240,), DType.FP32), dense((256, 240), DType.FP32))
    fused = asked("nn", epilogue=parse_epilogue("bias,residual,relu"), extra=extra)
    batched = asked("tt", (128, 72, 96), batch=(3,))
    for problem in (fused, batched):
        kernel, form = built(problem, ring())
        certify(kernel, form, TARGET.profile)
        assert reads(kernel)


def test_what_lies_along_the_reduction_is_read_from_shared_memory() -> None:
    kernel, _ = built(asked("nt"), ring())
    assert not reads(kernel)


def test_a_plan_turns_the_product_to_its_operands() -> None:
    """Of two ways to state a product, the one whose right operand runs along k."""
    forms = {layout: built(asked(layout), ring())[1] for layout in ("nn", "tt")}
    assert all(lane_rows.reads_rows_by_lanes(form) for form in forms.values())
    assert not lane_rows.reads_rows_by_lanes(built(asked("nt"), ring())[1])


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"in_flight": 1}, "no group is in flight"), ({"tile_m": 256, "warps": 12}, "at most 192 of a tile")],
)
def test_reasons_for_refusal(fields: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        built(asked("tt"), ring(**fields))


def _without_fences(node: Node) -> object:
    return [] if isinstance(node, AccumulatorFence) and node.fragment.startswith("a0") else node


def _without_waiting(node: Node) -> object:
    return node.replace(pending=1) if isinstance(node, Wait) else node


def _given_back_by_one(node: Node) -> object:
    return node.replace(by_warps=False) if isinstance(node, Release) else node


def _other_elements(node: Node) -> object:
    if not (isinstance(node, Load) and node.fragment == "a0_8" and isinstance(node.source, BufferRef)):
        return node
    depth, row = node.source.coordinates
    return node.replace(source=node.source.replace(coordinates=(depth + 1, row)))


def _held_twice(node: Node) -> object:
    swapped = isinstance(node, AsyncMma) and node.a == HeldOperand("a0_8")
    return node.replace(a=HeldOperand("a0_0")) if swapped else node


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_without_fences, "without a fence"),
        (_without_waiting, "ends while it may still read"),
        (_given_back_by_one, "expects 1 and 4 arrivals"),
        (_other_elements, "elements are wrong"),
        (_held_twice, "elements are wrong"),
    ],
)
def test_steps_that_are_missing_or_reach_something_else_are_found(
    edit: Callable[..., SemanticKernel], change: Callable[[Node], object], reason: str
) -> None:
    kernel, form = built(asked("tt"), ring())
    broken = edit(kernel, "consumer", change)
    assert broken != kernel
    with pytest.raises(CertificationError, match=reason):
        certify(broken, form, TARGET.profile)


def test_rows_without_padding_meet_in_a_bank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_rows, "PADDING", 0)
    kernel, form = built(asked("tt"), ring())
    with pytest.raises(CertificationError, match="bank conflicts: 4 cycles instead of 1"):
        certify(kernel, form, TARGET.profile)


def test_a_reduction_without_steps_clears_its_sums() -> None:
    kernel, _ = built(asked("tt"), ring())
    assert any(isinstance(node, Fill) for role in kernel.roles for node in walk(role.body))
