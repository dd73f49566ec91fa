# SPDX-License-Identifier: MIT
"""Attention by warpgroups in CUDA: the text is golden, compilers keep its schedule, and every step that counts is in its main loop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset, preset_target
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import EmitError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.steps import AsyncMma, HeldOperand, Node
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.kit import collect
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.runtime import emulated
from tracea_cuda.plugin import emit, tracea_register_backend
from tracea_cuda.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden" / "hopper_attention"
H200 = preset("h200")
BF16, FP16 = DType.BF16, DType.FP16
KERNELS = {
    "few_rows_bf16_64": AttentionOp(8, 12, 384, 384, 64, dtype=BF16),
    "in_turns_fp16_64": AttentionOp(4, 16, 4096, 4096, 64, dtype=FP16),
    "causal_bf16_128": AttentionOp(2, 16, 4096, 4096, 128, kv_heads=4, causal=True, dtype=BF16),
    "window_bf16_256": AttentionOp(1, 8, 1000, 1000, 200, left=100, right=0, dtype=BF16),
    "divided_bf16_128": AttentionOp(1, 8, 4, 8192, 128, dtype=BF16),
    "divided_fp16_64": AttentionOp(1, 40, 1, 2000, 64, dtype=FP16),
    "biased_fp16_64": AttentionOp(8, 12, 512, 512, 64, bias=FP16, dtype=FP16),
    "masked_bf16_128": AttentionOp(2, 16, 2048, 2048, 128, kv_heads=4, bias=DType.UINT8, dtype=BF16),
    "masked_odd_bf16_64": AttentionOp(2, 16, 200, 999, 64, causal=True, bias=BF16, dtype=BF16),
}


def variant(dtype: DType):
    return next(v for v in variants(H200) if v.name == f"cuda.chained.wgmma_{dtype.value}")


def source(op: AttentionOp) -> KernelSource:
    problem, kind = chain_problem(op), variant(op.dtype)
    form = lower_chained(problem).form
    kernel = build_kernel(form, PolicyEngine(H200).decide(problem, kind).hero, H200, kind)
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
def test_the_compiler_keeps_the_schedule(
    name: str, printed: dict[str, KernelSource], kept: Callable[..., None]
) -> None:
    kept(printed[name])


def test_weights_reach_the_instruction_as_words(printed: dict[str, KernelSource]) -> None:
    text = printed["causal_bf16_128"].text
    assert "wgmma_ra_m64n128k16_bf16_tb(sum, weights[4], weights[5], weights[6], weights[7], matrix<" in text
    assert "wgmma_m64n128k16_bf16(score, matrix<" in text


def test_an_operand_that_begins_within_one_has_no_words() -> None:
    problem, kind = chain_problem(KERNELS["few_rows_bf16_64"]), variant(BF16)
    form = lower_chained(problem).form
    kernel = build_kernel(form, PolicyEngine(H200).decide(problem, kind).hero, H200, kind)

    def moved(node: Node) -> tuple[Node, ...]:
        held = isinstance(node, AsyncMma) and isinstance(node.a, HeldOperand)
        return (node.replace(a=node.a.replace(column=node.a.column + 1)),) if held else (node,)

    changed = edited(kernel, moved)
    with pytest.raises(EmitError, match="no operand from column"):
        emit(changed, Certificate(changed.digest(), ()))


def test_exponentials_are_powers_of_two(printed: dict[str, KernelSource]) -> None:
    assert "fast_exp(" not in printed["causal_bf16_128"].text.split("attention_causal", 1)[1]


@pytest.mark.parametrize(
    ("op", "name"),
    [
        (AttentionOp(1, 2, 64, 64, 64, dtype=BF16), "cuda.chained.wgmma_bf16"),
        (AttentionOp(1, 2, 64, 64, 60, dtype=BF16), "cuda.chained.mma_bf16"),  # rows of 120 bytes
        (AttentionOp(1, 2, 64, 0, 64, dtype=BF16), "cuda.chained.mma_bf16"),  # no keys that a box could reach
    ],
)
def test_what_a_copy_engine_cannot_reach_goes_to_warps(op: AttentionOp, name: str) -> None:
    assert choose(chain_problem(op), preset_target("h200"), variants(H200)).variant.name == name


def test_rows_that_begin_anywhere_go_to_warps() -> None:
    op = AttentionOp(1, 2, 64, 64, 64, dtype=BF16)
    apart = TensorSpec((1, 2, 64, 64), BF16, (2 * 64 * 66, 64 * 66, 66, 1))
    chosen = choose(chain_problem(op, input1=apart), preset_target("h200"), variants(H200))
    assert chosen.variant.name == "cuda.chained.mma_bf16"


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "case",
    [
        "bf16-full",
        "bf16-causal",
        "bf16-one_query",
        "bf16-many_keys",
        "bf16-biased",
        "bf16-hidden",
        "mask-of-keys",
        "bias-of-heads",
        "bias-of-rows",
    ],
)
def test_the_emulator_agrees(case: str) -> None:
    need_emulator()
    name = f"cuda.chained.wgmma_bf16/chain-{case}"
    checks = [c for c in collect(emulated(tracea_register_backend(), "h200")) if c.name.endswith(name)]
    assert len(checks) == 1
    checks[0]()
