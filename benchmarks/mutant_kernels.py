# SPDX-License-Identifier: MIT
"""The kernels that faults are planted in.

Between them the specimens hold every schedule, every kind of step and every kind of address that ships; their tiles are small, because a
fault in a small tile is the same fault.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.activations import Auxiliary, BiasAdd, Gelu, ReLU, Residual
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.sparse import SparseOperand
from tracea_core.pipeline.path import trace
from tracea_core.plugin.manager import plugins
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.order import Order
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.lanes import instruction
from tracea_core.target import Target
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.row_cases import row_problem
from tracea_core.testing.survey import Specimen

from benchmarks.mutant_problems import (
    PLANES,
    called,
    convolution,
    filter_gradient,
    first_layer,
    fused,
    groups,
    in_groups,
    listed,
    longest_phase,
    own_filters,
    packed_before,
    planar_filters,
    planes_of_pixels,
    pointwise,
    scaled,
    strided,
    transposed,
    winograd,
)


@dataclass(frozen=True)
class Recipe:
    """How a specimen is made: for which backend and device, by which schedule, from what, with which configuration."""

    backend: str
    preset: str
    schedule: str
    problem: Problem
    fields: dict[str, Any] = field(default_factory=dict)
    more: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """What the device has besides what its preset says: features, instructions."""

    @property
    def target(self) -> Target:
        """The device."""
        target = preset_target(self.preset)
        profile = target.profile
        own = {name: (*getattr(profile, name), *values) for name, values in self.more.items()}
        return target.replace(profile=profile.replace(**own))


def ring(**fields: Any) -> dict[str, Any]:
    """Return the fields of a configuration with a producer and consumers, but for those that are given."""
    found = {
        "tile_m": 128, "tile_n": 64, "tile_k": 64, "stages": 2, "in_flight": 1, "order": Order.GROUPED, "group": 2, "warps": 12,
        "vector_a": 8, "vector_b": 8, "vector_c": 8, "swizzle": SwizzleMode.B128, "barrier_mode": BarrierMode.PRODUCER_CONSUMER,
    }  # fmt: skip
    return {**found, **fields}


def _amx(dtype: DType) -> dict[str, tuple[Any, ...]]:
    """What a processor with AMX says of itself."""
    unit = instruction(f"amx_2x2_{dtype.value}").summary()
    return {"features": ("amx-tile", f"amx-{dtype.value}"), "matrix_instructions": (unit,)}


_BF16 = DType.BF16
_SCALED = {"tile_m": 64, "tile_k": 128, "block_k": 128, "warps": 8, "vector_a": 16, "vector_b": 16, "in_flight": 0}
_SMALL = {"tile_m": 32, "tile_n": 32, "stages": 2}
_JOINT = {
    "tile_m": 32,
    "tile_n": 16,
    "tile_k": 32,
    "stages": 2,
    "warps": 2,
    "vector_a": 8,
    "vector_b": 8,
    "vector_c": 1,
}
_MIDDLE = {"tile_m": 32, "tile_n": 32, "tile_k": 16, "block_k": 32, "stages": 2, "warps": 2}
_MIDDLE_BYTES = {**_MIDDLE, "tile_k": 64, "block_k": 64}
PASSES = ("copy", "planned", "sum")
"""What stands for a schedule where a kernel is that of a plan, not of a variant with a configuration."""
SPECIMENS: dict[str, Recipe] = {
    "cpu-gemm": Recipe("cpu", "avx2", "panel", gemm((13, 29, 17), DType.FP32)),
    "cpu-split": Recipe("cpu", "avx2", "panel", gemm((13, 29, 17), DType.FP32), {"split_k": 3}),
    "cpu-fused": Recipe("cpu", "avx2", "panel", fused((13, 29, 9), _BF16, BiasAdd(np.ones(29)), Gelu(), Residual(np.ones((13, 29))))),
    "cpu-called": Recipe("cpu", "avx2", "panel", called((13, 29, 9))),
    "cpu-batch": Recipe("cpu", "avx2", "panel", gemm((11, 23, 7), DType.FP32, "nt", batch=(2, 3))),
    "cpu-asking": Recipe(
        "cpu", "avx2", "panel", gemm((20, 40, 24), DType.FP32, batch=(3,)),
        {"tile_m": 3, "tile_n": 16, "tile_k": 2, "stages": 2, "in_flight": 1},
    ),
    "cpu-int8": Recipe("cpu", "avx2", "panel", gemm((13, 29, 17), DType.INT8, "tn")),
    "cpu-conv": Recipe("cpu", "avx2", "panel", convolution()),
    "cpu-rows": Recipe("cpu", "avx2", "rows", row_problem(SoftmaxOp((13, 45), dtype=DType.FP32))),
    "cpu-norm": Recipe("cpu", "avx2", "rows", row_problem(NormOp((13, 45), NormKind.RMS, dtype=DType.FP32))),
    "cuda-rows-block": Recipe(
        "cuda", "h200", "warp_rows", row_problem(SoftmaxOp((9, 160), dtype=DType.FP32)),
        {"tile_m": 1, "tile_n": 64, "tile_k": 1, "stages": 1, "warps": 4, "vector_a": 2, "block_k": 64, "row_block": 1},
    ),
    "cuda-rows-short": Recipe(
        "cuda", "h200", "warp_rows", row_problem(NormOp((37, 20), NormKind.LAYER, bias=True, dtype=_BF16)),
        {"tile_m": 8, "tile_n": 24, "tile_k": 1, "stages": 1, "warps": 2, "vector_a": 2, "block_k": 24},
    ),
    "cuda-rows-parts": Recipe(
        "cuda", "h200", "warp_rows", row_problem(NormOp((9, 160), NormKind.LAYER, bias=True, dtype=_BF16)),
        {"tile_m": 1, "tile_n": 128, "tile_k": 1, "stages": 1, "warps": 4, "vector_a": 2, "block_k": 128, "row_block": 1, "unroll_k": 2},
    ),
    "cuda-rows-single": Recipe(
        "cuda", "h200", "warp_rows", row_problem(SoftmaxOp((9, 77), dtype=_BF16)),
        {"tile_m": 1, "tile_n": 64, "tile_k": 1, "stages": 1, "warps": 3, "block_k": 64, "row_block": 1, "unroll_k": 2},
    ),
    "cuda-rows-waiting": Recipe(
        "cuda", "h200", "warp_rows", row_problem(NormOp((9, 160), NormKind.LAYER, bias=True, dtype=_BF16)),
        {"tile_m": 1, "tile_n": 64, "tile_k": 1, "stages": 1, "warps": 3, "vector_a": 2, "block_k": 768, "row_block": 1},
    ),
    "cuda-rows-swept": Recipe(
        "cuda", "h200", "warp_rows", row_problem(SoftmaxOp((9, 160), log=True, dtype=DType.FP32)),
        {"tile_m": 1, "tile_n": 64, "tile_k": 1, "stages": 1, "warps": 4, "vector_a": 2, "block_k": 0, "row_block": 1},
    ),
    "cpu-chain": Recipe("cpu", "avx2", "chain", chain_problem(AttentionOp(1, 2, 40, 70, 8, 20, left=9, right=4, dtype=DType.FP32))),
    "cpu-low-rank": Recipe("cpu", "avx2", "chain", chain_problem(LowRankOp(13, 29, 17, 5, dtype=DType.FP32))),
    "hopper": Recipe("cuda", "h200", "warp_specialized", gemm((512, 512, 512), _BF16, "nt"), ring()),
    "hopper-cluster": Recipe("cuda", "h200", "warp_specialized", gemm((512, 512, 512), _BF16), ring(cluster_m=2)),
    "hopper-turns": Recipe(
        "cuda", "h200", "warp_specialized", gemm((512, 512, 512), _BF16, "nt"), ring(barrier_mode=BarrierMode.PING_PONG)
    ),
    "hopper-fused": Recipe(
        "cuda", "h200", "warp_specialized", fused((512, 512, 512), _BF16, BiasAdd(np.ones(512)), ReLU(), Residual(np.ones((512, 512)))),
        ring(tile_m=64, warps=8, stages=3),
    ),
    "hopper-batch": Recipe("cuda", "h200", "warp_specialized", gemm((256, 256, 256), _BF16, batch=(3,)), ring(tile_m=64, warps=8)),
    "hopper-serpentine": Recipe(
        "cuda", "h200", "warp_specialized", gemm((512, 512, 512), _BF16, "nt"), ring(tile_m=64, warps=8, order=Order.SERPENTINE)
    ),
    "hopper-returning": Recipe(
        "cuda", "h200", "warp_specialized", gemm((512, 512, 512), _BF16, "nt"),
        ring(tile_m=64, warps=8, order=Order.SERPENTINE, returning=1),
    ),
    "hopper-split": Recipe("cuda", "h200", "warp_specialized", gemm((512, 512, 4096), _BF16, "nt"), ring(tile_m=64, warps=8, split_k=2)),
    "hopper-grouped": Recipe("cuda", "h200", "warp_specialized", groups(), ring(tile_m=64, tile_n=32, warps=8, order=Order.ROW)),
    "cuda-grouped": Recipe("cuda", "a100", "multistage", groups(), {"tile_m": 32, "tile_n": 32, "warps": 2}),
    "cuda-lists": Recipe(
        "cuda", "a100", "multistage", listed(_BF16, SparseOperand.A), {"tile_m": 32, "tile_n": 32, "tile_k": 16, "stages": 3, "warps": 2}
    ),
    "cpu-grouped": Recipe("cpu", "avx2", "panel", groups(DType.FP32)),
    "cpu-grouped-packed": Recipe("cpu", "avx512", "panel", groups(), {"block_k": 64, "pack_a": True, "tile_m": 3, "tile_n": 32}),
    "cpu-grouped-streamed": Recipe("cpu", "avx2", "panel", groups(DType.FP32, 12, (0, 1, 2))),
    "cpu-grouped-dots": Recipe("cpu", "avx512", "dots", groups()),
    "cpu-grouped-amx": Recipe("cpu", "avx512", "dots", groups(), more=_amx(_BF16)),
    "cpu-lists": Recipe("cpu", "avx2", "panel", listed(DType.FP32, SparseOperand.A)),
    "hip-lists": Recipe(
        "hip", "mi300x", "multistage", listed(_BF16, SparseOperand.B), {"tile_m": 32, "tile_n": 32, "tile_k": 16, "warps": 2}
    ),
    "cpu-lists-turned": Recipe("cpu", "avx2", "panel", listed(_BF16, SparseOperand.B)),
    "cuda-multistage": Recipe("cuda", "a100", "multistage", gemm((256, 256, 256), _BF16, "nt")),
    "cuda-multistage-fused": Recipe("cuda", "a100", "multistage", fused((256, 256, 256), _BF16, BiasAdd(np.ones(256)), ReLU())),
    "cuda-int8": Recipe("cuda", "a100", "multistage", gemm((128, 128, 128), DType.INT8), _MIDDLE_BYTES),
    "cuda-tf32": Recipe(
        "cuda", "a100", "multistage", gemm((128, 128, 64), DType.FP32, "nt").replace(options=Options(allow_tf32=True)), _MIDDLE
    ),
    "cuda-copy": Recipe("cuda", "h200", "copy", gemm((1111, 2222, 3333), _BF16, "nt")),
    "hopper-follows": Recipe("cuda", "h200", "planned", gemm((64, 192, 256), _BF16, "nt")),
    "cuda-sum": Recipe("cuda", "h200", "sum", fused((512, 512, 65536), _BF16, BiasAdd(np.ones(512)), Residual(np.ones((512, 512))))),
    "cuda-conv": Recipe("cuda", "a100", "multistage", convolution(_BF16, (16, 24))),
    "hopper-windows": Recipe(
        "cuda", "h200", "warp_specialized", convolution(_BF16, (16, 24)), ring(tile_m=64, tile_n=32, warps=8)
    ),
    "hopper-windows-planes": Recipe(
        "cuda", "h200", "warp_specialized", planes_of_pixels(),
        ring(tile_m=64, tile_n=32, tile_k=32, warps=8, vector_a=4, vector_b=4, vector_c=4),
    ),
    "hopper-groups": Recipe(
        "cuda", "h200", "warp_specialized", in_groups(3, 24),
        ring(tile_m=64, tile_n=32, tile_k=32, warps=8, swizzle=SwizzleMode.B64),
    ),
    "cuda-merged": Recipe("cuda", "h200", "copy", in_groups(32, 8, 64)),
    "cuda-lines": Recipe("cuda", "h200", "copy", first_layer(7, 2, (0, 1, 2, 3))),
    "cuda-filters-copy": Recipe("cuda", "h200", "copy", planar_filters()),
    "cuda-patches": Recipe("cuda", "h200", "copy", first_layer(16, 16, (0, 1, 2, 3))),
    "cuda-transposed": Recipe("cuda", "h200", "sum", first_layer(7, 2, (0, 1, 2, 3))),
    "hopper-exchanged": Recipe(
        "cuda", "h200", "warp_specialized",
        gemm((16, 512, 512), _BF16, "nt").replace(options=Options(allow_fallback=False, exchanged=True)),
        ring(tile_m=64, tile_n=16, warps=8, stages=3),
    ),
    "cuda-few-rows": Recipe(
        "cuda", "a100", "few_rows", fused((3, 70, 140), DType.FP32, BiasAdd(np.ones(70)), ReLU(), layout="nt"),
        {"tile_m": 4, "tile_n": 8, "tile_k": 64, "warps": 2, "vector_a": 4, "vector_b": 4, "unroll_k": 2},
    ),
    "cuda-few-rows-columns": Recipe(
        "cuda", "a100", "few_rows", gemm((2, 72, 70), DType.FP32),
        {"tile_m": 2, "tile_n": 16, "tile_k": 16, "warps": 4, "vector_a": 2, "vector_b": 4},
    ),
    "cuda-simt": Recipe("cuda", "a100", "multistage", gemm((96, 96, 64), DType.FP32, "nt")),
    "cuda-window-chain": Recipe(
        "cuda", "a100", "warp_chain", chain_problem(AttentionOp(1, 2, 70, 70, 16, left=9, right=4, dtype=_BF16))
    ),
    "cpu-halo": Recipe("cpu", "avx2", "panel", convolution(), {"halo": True}),
    "cpu-panels": Recipe("cpu", "avx2", "panel", packed_before(), {"tile_m": 3, "tile_n": 16, "stages": 2, "in_flight": 1}),
    "cpu-windows": Recipe("cpu", "avx2", "panel", strided(), {"halo": False, "stages": 2, "in_flight": 1}),
    "cpu-planes": Recipe("cpu", "avx2", "panel", convolution(order=PLANES), {"halo": True}),
    "cpu-pointwise": Recipe("cpu", "avx512", "panel", pointwise(40)),
    "cpu-pointwise-planes": Recipe("cpu", "avx512", "panel", pointwise(256, PLANES)),
    "cpu-blocked": Recipe("cpu", "avx512", "panel", gemm((64, 512, 512), DType.FP32)),
    "cuda-depthwise": Recipe(
        "cuda", "a100", "depthwise", own_filters(), {"tile_m": 3, "tile_n": 64, "warps": 4, "vector_a": 2, "vector_c": 2}
    ),
    "cuda-depthwise-lines": Recipe(
        "cuda", "a100", "depthwise", own_filters(width=40),
        {"tile_m": 3, "tile_n": 64, "tile_k": 2, "stages": 2, "warps": 4, "vector_a": 2, "vector_c": 4},
    ),
    "cuda-depthwise-ends": Recipe(
        "cuda", "a100", "depthwise", own_filters(), {"tile_m": 6, "tile_n": 64, "warps": 4, "vector_a": 2, "vector_c": 4}
    ),
    "cuda-depthwise-rolling": Recipe(
        "cuda", "a100", "depthwise", own_filters(bias=True),
        {"tile_m": 4, "tile_n": 64, "tile_k": 3, "unroll_k": 3, "stages": 2, "warps": 4, "vector_a": 2, "vector_c": 4},
    ),
    "cuda-depthwise-staged": Recipe(
        "cuda", "a100", "depthwise", own_filters(bias=True),
        {"tile_m": 4, "tile_n": 64, "tile_k": 3, "unroll_k": 3, "stages": 3, "warps": 4, "vector_a": 2, "vector_c": 4},
    ),
    "cuda-depthwise-bands": Recipe(
        "cuda", "a100", "depthwise", own_filters(width=40, channels=24),
        {"tile_m": 16, "tile_n": 16, "tile_k": 8, "stages": 2, "warps": 2, "vector_a": 8, "vector_c": 8, "halo": True},
    ),
    "cuda-depthwise-side": Recipe(
        "cuda", "a100", "depthwise", own_filters(bias=True),
        {"tile_m": 1, "tile_n": 64, "tile_k": 3, "unroll_k": 3, "stages": 3, "warps": 2, "vector_a": 2, "vector_c": 2, "row_block": 6},
    ),
    "cuda-depthwise-planes": Recipe(
        "cuda", "a100", "planes", own_filters(width=18, channels=3, order=PLANES),
        {"tile_k": 4, "warps": 2, "vector_a": 2, "vector_c": 1},
    ),
    "cuda-depthwise-short-planes": Recipe(
        "cuda", "a100", "planes", own_filters(width=7, channels=3, order=PLANES), {"tile_k": 4, "warps": 2}
    ),
    "cuda-depthwise-spread-planes": Recipe(
        "cuda", "a100", "planes", own_filters(width=18, channels=3, order=PLANES, dilation=(2, 3)), {"tile_k": 4, "warps": 2}
    ),
    "cuda-depthwise-lane-planes": Recipe(
        "cuda", "a100", "plane_lanes", own_filters(DType.FP32, 19, 3, PLANES), {"tile_m": 2, "tile_k": 3, "warps": 2, "vector_c": 2},
    ),
    "cuda-depthwise-lane-runs": Recipe(
        "cuda", "a100", "plane_lanes", own_filters(DType.FP32, 24, 3, PLANES, stride=(1, 1)),
        {"tile_m": 4, "tile_k": 3, "warps": 2, "vector_a": 4, "vector_c": 4},
    ),
    "cpu-strips": Recipe("cpu", "avx2", "strips", own_filters(DType.FP32), {"tile_m": 3, "stages": 2}),
    "cpu-long-strips": Recipe("cpu", "avx2", "strips", own_filters(DType.BF16, 290), {"tile_m": 3}),
    "cuda-rows": Recipe("cuda", "a100", "warp_rows", row_problem(NormOp((64, 300), NormKind.LAYER, dtype=_BF16))),
    "hopper-attention": Recipe(
        "cuda", "h200", "specialized_chain", chain_problem(AttentionOp(1, 2, 100, 200, 64, left=30, right=4, dtype=_BF16)),
        {"tile_m": 64, "tile_n": 32, "warps": 8},
    ),
    "hopper-attention-turns": Recipe(
        "cuda", "h200", "specialized_chain", chain_problem(AttentionOp(1, 4, 200, 200, 64, kv_heads=2, dtype=_BF16)),
        {"tile_m": 128, "tile_n": 32, "warps": 12, "stages": 2, "barrier_mode": BarrierMode.PING_PONG},
    ),
    "hopper-attention-parts": Recipe(
        "cuda", "h200", "specialized_chain", chain_problem(AttentionOp(1, 2, 4, 200, 64, causal=True, dtype=_BF16)),
        {"tile_m": 64, "tile_n": 32, "warps": 8, "stages": 2, "split_k": 2},
    ),
    "hopper-attention-biased": Recipe(
        "cuda", "h200", "specialized_chain", chain_problem(AttentionOp(1, 2, 100, 200, 64, bias=_BF16, dtype=_BF16)),
        {"tile_m": 64, "tile_n": 32, "warps": 8},
    ),
    "hopper-attention-masked": Recipe(
        "cuda", "h200", "specialized_chain", chain_problem(AttentionOp(1, 2, 100, 199, 64, bias=DType.UINT8, dtype=_BF16)),
        {"tile_m": 64, "tile_n": 32, "warps": 8},
    ),
    "cuda-chain-biased": Recipe("cuda", "a100", "warp_chain", chain_problem(AttentionOp(1, 2, 70, 70, 16, bias=_BF16, dtype=_BF16))),
    "cpu-chain-biased": Recipe(
        "cpu", "avx2", "chain", chain_problem(AttentionOp(1, 2, 40, 70, 8, 20, bias=DType.FP32, dtype=DType.FP32))
    ),
    "cuda-chain": Recipe("cuda", "a100", "warp_chain", chain_problem(AttentionOp(1, 2, 70, 70, 16, causal=True, dtype=_BF16))),
    "hip-multistage": Recipe("hip", "mi300x", "multistage", gemm((256, 256, 256), _BF16)),
    "hip-wmma": Recipe("hip", "rx7900xtx", "multistage", gemm((256, 256, 256), DType.FP16, "tn")),
    "sycl-multistage": Recipe("sycl", "pvc", "multistage", gemm((256, 256, 256), _BF16)),
    "metal-multistage": Recipe("metal", "m1", "multistage", gemm((256, 256, 256), DType.FP16, "nt"), {"tile_m": 32, "tile_n": 32}),
    "metal-rows": Recipe("metal", "m1", "warp_rows", row_problem(SoftmaxOp((64, 300), dtype=DType.FP16))),
    "cpu-dots-int8": Recipe("cpu", "avx2", "dots", gemm((13, 29, 17), DType.INT8)),
    "cpu-dots-mixed": Recipe("cpu", "avx512", "dots", gemm((13, 29, 17), DType.UINT8, "tn", b=dense((17, 29), DType.INT8))),
    "cpu-dots-bf16": Recipe("cpu", "avx512", "dots", gemm((13, 29, 17), _BF16, "nt")),
    "cpu-dots-raised": Recipe("cpu", "avx512", "dots", gemm((13, 29, 150), DType.INT8)),
    "cpu-amx-int8": Recipe("cpu", "avx512", "dots", gemm((40, 70, 50), DType.INT8), more=_amx(DType.INT8)),
    "cpu-amx-bf16": Recipe("cpu", "avx512", "dots", gemm((40, 70, 50), _BF16), more=_amx(_BF16)),
    "cpu-winograd": Recipe("cpu", "avx2", "winograd", winograd()),
    "cpu-winograd-planes": Recipe("cpu", "avx2", "winograd", winograd(PLANES)),
    "cpu-filters": Recipe("cpu", "avx2", "panel", filter_gradient(DType.FP32, (5, 6))),
    "cpu-transposed": Recipe("cpu", "avx2", "panel", transposed(DType.FP32, (5, 6), 2)),
    "hopper-singles": Recipe(
        "cuda", "h200", "warp_specialized", gemm((256, 240, 256), DType.FP32, "nt").replace(options=Options(allow_tf32=True)),
        ring(tile_m=64, tile_n=48, tile_k=32, warps=8, vector_a=4, vector_b=4, vector_c=4),
    ),
    "hopper-singles-turned": Recipe(
        "cuda", "h200", "warp_specialized",
        gemm((256, 240, 256), DType.FP32, "nn").replace(options=Options(allow_tf32=True, exchanged=True)),
        ring(tile_m=64, tile_n=48, tile_k=32, warps=8, vector_a=4, vector_b=4, vector_c=4, in_flight=0),
    ),
    "hopper-scaled": Recipe("cuda", "h200", "warp_specialized", scaled(1, 128), ring(**_SCALED)),
    "hopper-scaled-boxes": Recipe("cuda", "h200", "warp_specialized", scaled(1, 128), ring(**_SCALED, scale_boxes=1)),
    "hopper-scaled-blocks": Recipe("cuda", "h200", "warp_specialized", scaled(128, 128), ring(**_SCALED, stages=3)),
    "hopper-filters": Recipe("cuda", "h200", "warp_specialized", filter_gradient(_BF16, (64, 72)), ring(tile_m=64, warps=8)),
    "hopper-transposed": Recipe("cuda", "h200", "warp_specialized", transposed(_BF16, (16, 24), 1), ring(tile_m=64, tile_n=32, warps=8)),
    "hopper-phase": Recipe("cuda", "h200", "warp_specialized", transposed(_BF16, (16, 24), 2), ring(tile_m=64, tile_n=32, warps=8)),
    "cuda-filters": Recipe("cuda", "a100", "multistage", filter_gradient(_BF16, (16, 24)), _SMALL),
    "cuda-phase": Recipe("cuda", "a100", "multistage", transposed(_BF16, (16, 24), 2), _SMALL),
    "hip-conv": Recipe("hip", "mi300x", "multistage", convolution(_BF16, (16, 24))),
    "hip-rows": Recipe("hip", "mi300x", "warp_rows", row_problem(NormOp((64, 300), NormKind.LAYER, dtype=_BF16))),
    "metal-conv": Recipe("metal", "m1", "multistage", convolution(DType.FP16, (16, 24))),
    "sycl-rows": Recipe("sycl", "pvc", "warp_rows", row_problem(SoftmaxOp((64, 300), dtype=_BF16))),
    "cuda-low-rank": Recipe(
        "cuda", "a100", "low_rank", chain_problem(LowRankOp(40, 64, 48, 24, (), Gelu().epilogue, dtype=_BF16)), _MIDDLE
    ),
    "hip-low-rank": Recipe("hip", "mi300x", "low_rank", chain_problem(LowRankOp(40, 64, 48, 24, dtype=_BF16)), {**_MIDDLE, "tile_m": 64}),
    "cuda-staged-chain": Recipe(
        "cuda", "h200", "staged_chain", chain_problem(AttentionOp(1, 2, 40, 70, 16, causal=True, dtype=DType.FP32)),
        {"tile_m": 16, "warps": 2},
    ),
    "hip-chain": Recipe(
        "hip", "mi300x", "staged_chain", chain_problem(AttentionOp(1, 2, 40, 70, 16, causal=True, dtype=_BF16)),
        {"tile_m": 64, "tile_n": 32, "warps": 2},
    ),
    "cpu-auxiliary": Recipe(
        "cpu", "avx2", "panel", fused((13, 29, 9), DType.FP32, BiasAdd(np.ones(29)), Auxiliary(np.ones((13, 29))), Gelu()),
    ),
    "hopper-auxiliary": Recipe(
        "cuda", "h200", "warp_specialized", fused((512, 512, 512), _BF16, BiasAdd(np.ones(512)), Auxiliary(np.ones((512, 512))), ReLU()),
        ring(tile_m=64, warps=8, stages=3),
    ),
    "cuda-auxiliary": Recipe(
        "cuda", "a100", "multistage", fused((256, 256, 256), _BF16, BiasAdd(np.ones(256)), Auxiliary(np.ones((256, 256))), ReLU())
    ),
    "oneapi-joint": Recipe("oneapi", "pvc", "multistage", gemm((256, 256, 256), _BF16), _JOINT),
    "oneapi-joint-turned": Recipe("oneapi", "pvc", "multistage", gemm((256, 256, 256), DType.FP16, "nt"), _JOINT),
}  # fmt: skip
"""Kernels by name; those of backends that are not installed, or that a backend does not have, are left out of the run."""


def _manifest(name: str) -> BackendManifest:
    return plugins().manifest(name)


def specimen(name: str) -> Specimen:
    """Return a specimen, certified and printed by its backend's emitter (and by whoever else serves its variant).

    Raises
    ------
    UnsupportedError
        If no variant of the backend follows the schedule and takes the problem.
    """
    recipe = SPECIMENS[name]
    manifest = _manifest(recipe.backend)
    target = recipe.target
    if recipe.schedule in PASSES:
        return _pass(name, recipe, manifest)
    variants = tuple(v for v in manifest.variants(target.profile) if v.schedule == recipe.schedule)
    if not variants:
        raise UnsupportedError(f"no variant of {recipe.backend!r} follows {recipe.schedule!r}", specimen=name)
    choice = choose(longest_phase(recipe.problem, target.profile), target, variants)
    hero = PolicyEngine(target.profile).decide(choice.problem, choice.variant).hero
    configuration: PipelineConfig = hero.replace(**recipe.fields)
    lowered = lower_any(choice.problem, choice.variant)
    kernel = build_kernel(lowered.form, configuration, target.profile, choice.variant)
    emitter = manifest.emitters.get(choice.variant.family)
    emitters = {recipe.backend: emitter} if emitter is not None else {}
    return Specimen(name, kernel, lowered.form, target.profile, emitters)


def _pass(name: str, recipe: Recipe, manifest: BackendManifest) -> Specimen:
    """A pass of a plan: the copy before the contraction, the contraction itself as plans launch it, or the sum after it."""
    path = trace(recipe.problem, preset=recipe.preset)
    if recipe.schedule == "planned":
        kernel, emitters = path.kernel, {recipe.backend: manifest.emitters[path.kernel.family]}
        return Specimen(name, kernel, path.lowered.form, path.target.profile, emitters)
    one = (path.before if recipe.schedule == "copy" else path.after)[0]
    return Specimen(
        name, one.kernel, one.lowered.form, path.target.profile, {recipe.backend: manifest.emitters[one.kernel.family]}
    )
