# SPDX-License-Identifier: MIT
"""Products of int8 and tf32 have a kernel on every NVIDIA GPU with an instruction for them, and leave Hopper's choices alone."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset, preset_target
from tracea_core.doctor.warp_products import warp_products
from tracea_core.dtypes import DType
from tracea_core.ops.problem import Options, Problem
from tracea_core.pipeline.path import trace
from tracea_core.policy.arrange import arranged
from tracea_core.testing.cases import gemm

LAYOUTS = ("nn", "nt", "tn", "tt")
KINDS = {
    "int8": (DType.INT8, Options(allow_fallback=False)),
    "tf32": (DType.FP32, Options(allow_fallback=False, allow_tf32=True)),
}
OWN = {("a100", "int8"): "mma_product_int8", ("a100", "tf32"): "mma_tf32", ("t4", "int8"): "mma_k16_int8"}


def problem(kind: str, layout: str, extent: int = 1024) -> Problem:
    dtype, options = KINDS[kind]
    return gemm((extent, extent, extent), dtype, layout).replace(options=options)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("device", "kind"), OWN)
def test_older_devices_multiply_every_layout(device: str, kind: str, layout: str) -> None:
    for extent in (256, 257):
        (choice, *_) = (
            one.choice
            for one in arranged(problem(kind, layout, extent), preset_target(device), warp_products(preset(device)))
        )
        assert choice.variant.name == f"cuda.contraction.{OWN[device, kind]}"
        assert (
            choice.variant.schedule == "multistage"
            and choice.variant.accumulate is choice.variant.operand_dtypes[0].accumulator
        )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_hopper_keeps_warpgroup_instructions(kind: str, layout: str) -> None:
    for extent in (1024, 2047):
        path = trace(problem(kind, layout, extent), preset="h200", backend="cuda", configuration=None)
        assert path.choice.variant.name == f"cuda.contraction.wgmma_{kind}"


def test_what_lies_across_k_is_hoppers_to_transpose() -> None:
    for variant in warp_products(preset("h200"))[:2]:
        kind = "int8" if variant.operand_dtypes == (DType.INT8,) else "tf32"
        dtype = variant.operand_dtypes[0]
        across = gemm((64, 64, 64), dtype, "nn")
        assert "along k only" in str(variant.unmet(across, preset("h200"))), kind
        assert variant.unmet(gemm((64, 64, 64), dtype, "nt"), preset("h200")) is None
