# SPDX-License-Identifier: MIT
"""The decision: what wins, what each other variant is told, and which precision stands in for which."""

from __future__ import annotations

import logging

import pytest
from tracea_core.doctor.choose import Choice, choose, score
from tracea_core.doctor.device_requirements import RequiresArch, RequiresFeatures, RequiresSharedMemory
from tracea_core.doctor.presets import preset_target
from tracea_core.doctor.requirements import Preference, RequiresExtent
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.gemm import FusedGemmOp, GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.ops.spec import TensorSpec

H200 = preset_target("h200")
T4 = preset_target("t4")
NOTHING = Options()


def variant(name: str, dtype: DType, instruction: str = "fma", **fields: object) -> Variant:
    defaults: dict[str, object] = {
        "name": f"cuda.contraction.{name}",
        "backend": "cuda",
        "family": "contraction",
        "schedule": "panel",
        "instruction": instruction,
        "operand_dtypes": (dtype,),
        "accumulate": dtype.accumulator,
    }
    return Variant(**{**defaults, **fields})  # type: ignore[arg-type]


def gemm(dtype: DType = DType.FP32, m: int = 64, options: Options = NOTHING, **fields: object) -> Problem:
    op = GemmOp(m, 32, 16, dtype=dtype, **fields)  # type: ignore[arg-type]
    specs = [TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True)]
    return Problem(op, tuple(specs), TensorSpec.contiguous(op.output_shape(), op.output_dtype()), options=options)


SIMT = variant("simt", DType.FP32, priority=99)
WGMMA = variant("wgmma", DType.BF16, "wgmma_m64n256k16_bf16", priority=10, requirements=(RequiresArch(("sm_90a",)),))
MMA = variant("mma", DType.BF16, "mma_m16n8k16_bf16", priority=5)
HALF = variant("half", DType.FP16, "mma_m16n8k8_fp16")


def reasons(choice: Choice) -> dict[str, str]:
    return {rejection.variant.rsplit(".", 1)[1]: rejection.reason for rejection in choice.rejected}


def test_matrix_units_outweigh_any_priority() -> None:
    either = variant("simt", DType.BF16, priority=99)
    choice = choose(gemm(DType.BF16), H200, (either, MMA, WGMMA))
    assert choice.variant == WGMMA
    assert choice.score == 1010 and choice.fallback is None
    assert choice.ranking[0] == (WGMMA.name, 1010) and len(choice.ranking) == 3
    assert reasons(choice) == {"simt": "scores 99, below 1010", "mma": "scores 1005, below 1010"}


def test_hard_requirement_rejects_with_its_reason() -> None:
    choice = choose(gemm(DType.BF16), preset_target("a100"), (WGMMA, MMA))
    assert choice.variant == MMA
    assert reasons(choice) == {"wgmma": "needs one of sm_90a; the device is sm_80"}


def test_every_other_variant_is_listed_once_in_order() -> None:
    broken = variant("huge", DType.BF16, requirements=(RequiresSharedMemory(10**6),))
    rows = variant("rows", DType.BF16, family="rowwise")
    choice = choose(gemm(DType.BF16), H200, (rows, SIMT, broken, WGMMA, MMA))
    assert [r.variant.rsplit(".", 1)[1] for r in choice.rejected] == ["rows", "simt", "huge", "mma"]
    told = reasons(choice)
    assert (
        "rowwise" in told["rows"]
        and "1000000 bytes" in told["huge"]
        and told["simt"] == "takes fp32 operands, not bf16"
    )


def test_a_preference_decides_between_equals_and_may_be_negative() -> None:
    small = variant("small", DType.FP32, preferences=(Preference(RequiresExtent(0, -2, maximum=16), 40),))
    large = variant("large", DType.FP32, preferences=(Preference(RequiresExtent(0, -2, maximum=16), -40),))
    assert choose(gemm(m=8), H200, (large, small)).variant == small
    assert score(small, gemm(m=8), H200) == 90 and score(large, gemm(m=8), H200) == 10
    tie = choose(gemm(m=64), H200, (small, large))
    assert tie.variant == large and reasons(tie)["small"] == "scores 50 too; the name decides"


def test_bf16_falls_back_to_fp32_visibly_and_exactly(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tracea.doctor"):
        choice = choose(gemm(DType.BF16), T4, (SIMT, HALF))
    assert choice.variant == SIMT
    assert choice.fallback is not None and choice.fallback.exact
    assert (choice.fallback.asked, choice.fallback.used) == (DType.BF16, DType.FP32)
    assert "bf16 -> fp32 (exact)" in choice.describe() and "bf16 -> fp32" in caplog.text
    assert choice.problem.op.input_dtypes() == (DType.FP32, DType.FP32)
    assert choice.problem.output.dtype is DType.BF16 and choice.problem.op.output_dtype() is DType.BF16
    assert reasons(choice) == {"half": "takes fp16 operands, not bf16"}


def test_bf16_runs_as_fp16_only_when_asked() -> None:
    choice = choose(gemm(DType.BF16, options=Options(allow_fp16=True)), T4, (SIMT, HALF))
    assert choice.variant == HALF
    assert choice.fallback is not None and choice.fallback.used is DType.FP16 and not choice.fallback.exact
    assert "allow_fp16" in choice.describe()


def test_a_native_variant_is_never_passed_over_for_a_fallback() -> None:
    slow = variant("slow", DType.BF16, priority=0)
    fast = variant("fast", DType.FP16, "mma_m16n8k16_fp16", priority=99)
    choice = choose(gemm(DType.BF16, options=Options(allow_fp16=True)), H200, (fast, slow))
    assert choice.variant == slow and choice.fallback is None


def test_forbidden_fallback_lists_every_variant_and_the_way_out() -> None:
    problem = gemm(DType.BF16, options=Options(allow_fallback=False))
    with pytest.raises(UnsupportedError) as caught:
        choose(problem, T4, (SIMT, HALF, WGMMA))
    text = str(caught.value)
    for piece in (
        "cuda.contraction.simt: takes fp32 operands, not bf16",
        "cuda.contraction.half: takes fp16",
        "cuda.contraction.wgmma: needs one of sm_90a",
        "allow_fallback=True",
        "op=GemmOp",
        "(64, 16)",
        "bf16",
        "device=preset:t4",
    ):
        assert piece in text
    assert choose(problem.replace(options=Options()), T4, (SIMT, HALF, WGMMA)).variant == SIMT


def test_fp16_alone_is_named_as_the_way_out() -> None:
    with pytest.raises(UnsupportedError, match="allow_fp16=True allows it"):
        choose(gemm(DType.BF16, options=Options(allow_fallback=False)), T4, (HALF,))


def test_nothing_offered() -> None:
    with pytest.raises(UnsupportedError, match=r"the backend has none for NVIDIA H200"):
        choose(gemm(), H200, ())


@pytest.mark.parametrize(
    ("given", "held", "expected"),
    [
        (DType.FP8_E4M3, (DType.FP32, DType.BF16), DType.BF16),
        (DType.FP8_E5M2, (DType.FP32,), DType.FP32),
        (DType.FP16, (DType.FP32, DType.BF16), DType.FP32),
        (DType.TF32, (DType.FP32,), DType.FP32),
    ],
)
def test_narrow_types_widen(given: DType, held: tuple[DType, ...], expected: DType) -> None:
    choice = choose(gemm(given), H200, tuple(variant(dtype.value, dtype) for dtype in held))
    assert choice.fallback is not None and choice.fallback.used is expected and choice.fallback.exact


@pytest.mark.parametrize(
    ("given", "held"), [(DType.FP32, DType.BF16), (DType.FP64, DType.FP32), (DType.INT8, DType.FP32)]
)
def test_nothing_narrows_on_its_own(given: DType, held: DType) -> None:
    with pytest.raises(UnsupportedError):
        choose(gemm(given), H200, (variant("narrow", held, accumulate=given.accumulator),))


def test_tf32_needs_permission() -> None:
    fast = variant("tf32", DType.TF32, "mma_m16n8k8_tf32")
    plain = choose(gemm(), H200, (SIMT, fast))
    assert plain.variant == SIMT and reasons(plain) == {"tf32": "takes tf32 operands, not fp32"}
    rounded = choose(gemm(options=Options(allow_tf32=True)), H200, (SIMT, fast))
    assert rounded.variant == fast and rounded.fallback is not None and not rounded.fallback.exact


def test_wide_sums_bring_wide_products() -> None:
    wide = variant("fp64", DType.FP64)
    choice = choose(gemm(accumulate=DType.FP64), H200, (SIMT, wide))
    assert choice.variant == wide and reasons(choice) == {"simt": "accumulates in fp32, not fp64"}


def test_mixed_operands_meet_in_the_wider_one() -> None:
    op = GemmOp(8, 8, 8, dtype=DType.FP32, b_dtype=DType.BF16)
    specs = tuple(TensorSpec.contiguous((8, 8), dtype) for dtype in op.input_dtypes())
    problem = Problem(op, specs, TensorSpec.contiguous((8, 8), DType.FP32))
    choice = choose(problem, H200, (SIMT,))
    assert choice.fallback is not None and choice.fallback.asked is DType.BF16


def test_fused_op_is_judged_as_the_gemm_it_is() -> None:
    op = FusedGemmOp(GemmOp(8, 8, 8), gemm().epilogue)
    specs = tuple(TensorSpec.contiguous(shape, DType.FP32) for shape in op.input_shapes())
    problem = Problem(op, specs, TensorSpec.contiguous((8, 8), DType.FP32))
    choice = choose(problem, H200, (SIMT,))
    assert choice.variant == SIMT and choice.problem == problem.normalized()


def test_strided_inputs_are_contiguous_after_a_conversion_and_only_then() -> None:
    op = GemmOp(8, 8, 4, dtype=DType.BF16)
    a = TensorSpec((8, 4), DType.BF16, (1, 8))
    b, out = TensorSpec.contiguous((4, 8), DType.BF16), TensorSpec.contiguous((8, 8), DType.BF16)
    problem = Problem(op, (a, b), out)
    assert choose(problem, T4, (SIMT,)).problem.inputs[0].strides == (4, 1)
    assert choose(problem, T4, (variant("native", DType.BF16),)).problem == problem


def test_attention_widens_all_three_operands() -> None:
    op = AttentionOp(1, 2, 8, 8, 16, dtype=DType.BF16)
    specs = tuple(TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True))
    chained = variant("attn", DType.FP32, family="chained")
    choice = choose(Problem(op, specs, TensorSpec.contiguous(op.output_shape(), op.output_dtype())), T4, (chained,))
    assert [spec.dtype for spec in choice.problem.inputs] == [DType.FP32] * 3
    assert choice.problem.output.dtype is DType.BF16


def test_other_family() -> None:
    op = SoftmaxOp((4, 8))
    spec = TensorSpec.contiguous((4, 8), DType.FP32)
    with pytest.raises(UnsupportedError, match="is a contraction kernel; SoftmaxOp is rowwise"):
        choose(Problem(op, (spec,), spec), H200, (SIMT,))


def test_choice_survives_json_and_prints_itself() -> None:
    choice = choose(
        gemm(DType.BF16), T4, (SIMT, HALF, variant("avx", DType.FP32, requirements=(RequiresFeatures(("avx",)),)))
    )
    assert Choice.from_json(choice.to_json()) == choice
    assert str(choice) == choice.describe()
    assert "rejected: cuda.contraction.avx: NVIDIA T4 has no avx" in str(choice)


def test_order_of_the_list_does_not_matter() -> None:
    pool = (SIMT, variant("b", DType.FP32, priority=99), variant("a", DType.FP32, priority=99))
    winners = {choose(gemm(), H200, order).variant.name for order in (pool, pool[::-1])}
    assert winners == {"cuda.contraction.a"}
