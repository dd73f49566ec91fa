# SPDX-License-Identifier: MIT
"""Attention in CUDA: the text is golden, NVRTC keeps scores and sums in registers, the emulator agrees and finds planted mistakes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.ops.attention import AttentionOp
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.kit import collect
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt import SimtProgram
from tracea_core.testing.simt.report import SimtReport
from tracea_core.testing.simt.runtime import emulated
from tracea_cuda.plugin import emit, tracea_register_backend
from tracea_cuda.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden" / "attention"
H200 = preset("h200")
BF16, FP16 = DType.BF16, DType.FP16
KERNELS = {
    "full_fp16_64": AttentionOp(2, 16, 4096, 4096, 64, dtype=FP16),
    "causal_bf16_128": AttentionOp(2, 16, 4096, 4096, 128, kv_heads=4, causal=True, dtype=BF16),
    "biased_bf16_64": AttentionOp(2, 16, 1024, 1024, 64, bias=BF16, dtype=BF16),
    "masked_fp16_128": AttentionOp(2, 16, 1024, 1001, 128, bias=DType.UINT8, dtype=FP16),
    "window_bf16_one_query": AttentionOp(1, 2, 1, 500, 40, left=100, right=0, dtype=BF16),
}
SMALL = PipelineConfig(tile_m=32, tile_n=16, tile_k=16, stages=2, warps=2, vector_a=8, vector_b=8, vector_c=2)
WINDOW = AttentionOp(1, 2, 37, 41, 16, left=20, right=3, dtype=BF16)


def variant(dtype: DType):
    return next(v for v in variants(H200) if v.name == f"cuda.chained.mma_{dtype.value}")


def source(op: AttentionOp, configuration: PipelineConfig | None = None) -> KernelSource:
    problem, kind = chain_problem(op), variant(op.dtype)
    chosen = configuration or PolicyEngine(H200).decide(problem, kind).hero
    form = lower_chained(problem).form
    kernel = build_kernel(form, chosen, H200, kind)
    return emit(kernel, certify(kernel, form, H200))


@pytest.fixture(scope="module")
def printed() -> dict[str, KernelSource]:
    return {name: source(op) for name, op in KERNELS.items()}


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str, printed: dict[str, KernelSource]) -> None:
    check_golden(GOLDEN / f"{name}.cu", printed[name].text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.cu" for name in KERNELS}) == []


@pytest.mark.parametrize("name", KERNELS)
def test_scores_and_sums_stay_in_registers(
    name: str, printed: dict[str, KernelSource], kept: Callable[..., None]
) -> None:
    kept(printed[name], arch="sm_80")


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "case", ["bf16-no_key_seen", "residual-relu", "bf16-biased", "bf16-hidden", "mask-of-keys", "bias-of-rows"]
)
def test_the_emulator_agrees(case: str) -> None:
    need_emulator()
    name = f"cuda.chained.mma_bf16/chain-{case}"
    checks = [c for c in collect(emulated(tracea_register_backend(), "h200")) if c.name.endswith(name)]
    assert len(checks) == 1
    checks[0]()


def run(text: str, printed: KernelSource, op: AttentionOp) -> tuple[float, SimtReport]:
    """The largest difference from the definition, of values around 1, and what the emulator saw."""
    random = np.random.default_rng(7)
    given = [op.dtype.encode(random.standard_normal(shape)) for shape in op.input_shapes()]
    out = np.full(op.output_shape(), 0x7FFF, np.uint16)
    values = lower_chained(chain_problem(op)).symbols
    numbers = [(np.int64 if symbol.wide else np.int32)(values[symbol.name]) for symbol in printed.symbols]
    grid, launch = int(evaluate(printed.launch.blocks, values)), printed.launch
    report = SimtProgram(text, language="cuda", target="h200").run(
        (grid,),
        (launch.threads,),
        [*(array.view(np.uint16) for array in given), out, *numbers],
        shared_bytes=launch.shared_bytes,
    )
    wanted = op.reference(*(op.dtype.decode(array) for array in given))
    difference = np.abs(op.dtype.decode(out) - wanted)
    return float(np.nan_to_num(difference, nan=np.inf).max()), report


@pytest.fixture(scope="module")
def small() -> KernelSource:
    return source(WINDOW, SMALL)


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "op",
    [
        WINDOW,
        AttentionOp(2, 6, 33, 70, 16, kv_heads=2, left=3, right=0, dtype=BF16),
        AttentionOp(1, 1, 65, 16, 8, left=0, right=5, scale=0.25, dtype=BF16),
    ],
    ids=["window", "shared-heads", "more-queries-than-keys"],
)
def test_one_text_serves_every_size(op: AttentionOp, small: KernelSource) -> None:
    need_emulator()
    difference, report = run(small.text, small, op)
    report.require_clean()
    assert report.bank_conflicts == 0
    assert difference < 0.02  # half a unit in the last place of bf16 at 4 is 0.0156


MISTAKES = {
    "a mask off by one": ("window_right + 1) - key0", "window_right + 2) - key0"),
    "sums that are not rescaled": ("sum0_0[r] = (sum0_0[r] * correction[r >> 1]);", ""),
    "a maximum of half of the lanes": ("folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));", ""),
    "another group's keys": ("head / group", "0"),
}


@pytest.mark.toolchain
@pytest.mark.parametrize("name", MISTAKES)
def test_planted_mistakes_are_seen(name: str, small: KernelSource) -> None:
    need_emulator()
    before, after = MISTAKES[name]
    assert before in small.text
    difference, _ = run(small.text.replace(before, after), small, WINDOW)
    assert difference > 0.05


@pytest.mark.toolchain
def test_a_missing_barrier_is_a_race(small: KernelSource) -> None:
    need_emulator()
    _, report = run(small.text.replace("__syncthreads();", ""), small, WINDOW)
    assert any(finding.kind == "race" for finding in report.findings)
