# SPDX-License-Identifier: MIT
"""Masks in memory in every schedule of attention: what lanes hold of them, and faults that a certificate refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Operand, Select
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.chain import chain_kernel
from tracea_core.semantic.build.chain_window import kept
from tracea_core.semantic.build.score_bias import ScoreBias
from tracea_core.semantic.build.specialized_chain import specialized_chain_kernel
from tracea_core.semantic.build.staged_chain import staged_chain_kernel
from tracea_core.semantic.build.warp_chain import warp_chain_kernel
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.steps import Access, Compute, If, Let, Load, Node
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited

BF16, FP32 = DType.BF16, DType.FP32
OP = AttentionOp(1, 2, 100, 200, 64, bias=BF16, dtype=BF16)
OF_KEYS, OF_ROWS, OF_HEADS = (0, 0, 0, 1), (0, 0, 1, 0), (0, 100 * 200, 200, 1)


def problem(op: AttentionOp, steps: tuple[int, ...] | None = None) -> Problem:
    assert isinstance(op.bias, DType)
    places = {} if steps is None else {"input3": TensorSpec(op.input_shapes()[3], op.bias, steps)}
    found = chain_problem(op, **places)
    return found.replace(options=found.options.replace(alignment=16))


def form_of(op: AttentionOp, steps: tuple[int, ...] | None = None) -> Chained:
    return lower_chained(problem(op, steps)).form


def hopper(form: Chained) -> SemanticKernel:
    config = PipelineConfig(
        tile_m=64, tile_n=32, tile_k=64, stages=2, warps=8, vector_a=8, vector_b=8, vector_c=8,
        barrier_mode=BarrierMode.PRODUCER_CONSUMER,
    )  # fmt: skip
    return specialized_chain_kernel(form, config, preset("h200"), "x.chained.x", "attention", "wgmma_m64n128k16_bf16")


def warps(form: Chained) -> SemanticKernel:
    config = PipelineConfig(tile_m=32, tile_n=32, tile_k=64, stages=2, warps=2, vector_a=8, vector_b=8, vector_c=2)
    return warp_chain_kernel(form, config, preset("a100"), "x.chained.x", "attention", "mma_m16n8k16_bf16")


def staged(form: Chained) -> SemanticKernel:
    config = PipelineConfig(tile_m=64, tile_n=32, tile_k=64, stages=2, warps=2, vector_a=1, vector_b=1, vector_c=1)
    name = "mfma_32x32x8_bf16_turned"
    return staged_chain_kernel(form, config, preset("mi300x"), "x.chained.x", "attention", name)


def processor(form: Chained) -> SemanticKernel:
    config = PipelineConfig(tile_m=2, tile_n=8, tile_k=1, stages=1, warps=1, block_k=16)
    return chain_kernel(form, config, preset("avx2"), "x.chained.x", "attention")


SCHEDULES: dict[str, tuple[Callable[[Chained], SemanticKernel], str]] = {
    "hopper": (hopper, "h200"), "warps": (warps, "a100"), "staged": (staged, "mi300x"), "processor": (processor, "avx2"),
}  # fmt: skip
MASKS = {
    "numbers": (OP, None), "booleans": (OP.replace(bias=DType.UINT8), None), "of keys": (OP, OF_KEYS), "of rows": (OP, OF_ROWS),
    "of heads": (OP, OF_HEADS), "odd": (OP.replace(keys=199), None), "causal": (OP.replace(causal=True, bias=FP32), None),
    "booleans that fall": (OP.replace(bias=DType.UINT8, scale=-0.3), None),
}  # fmt: skip
every = pytest.mark.parametrize("schedule", SCHEDULES)


def own(op: AttentionOp, schedule: str) -> AttentionOp:
    """The op in the type that a schedule multiplies."""
    if schedule != "processor":
        return op
    return op.replace(dtype=FP32, bias=op.bias if op.bias is DType.UINT8 else FP32)


@every
@pytest.mark.parametrize("mask", MASKS)
def test_kernels_are_certified(schedule: str, mask: str) -> None:
    build, device = SCHEDULES[schedule]
    op, steps = MASKS[mask]
    form = form_of(own(op, schedule), steps)
    found = {proof.property for proof in certify(build(form), form, preset(device)).proofs}
    assert "meaning" in found


def refused(kernel: SemanticKernel, form: Chained, device: str, change: Callable[[Node], tuple[Node, ...]]) -> None:
    wrong = edited(kernel, change)
    assert wrong != kernel
    with pytest.raises(CertificationError):
        certify(wrong, form, preset(device))


@every
def test_a_mask_that_is_not_added_is_missed(schedule: str) -> None:
    build, device = SCHEDULES[schedule]
    form = form_of(own(OP, schedule))
    refused(
        build(form),
        form,
        device,
        lambda n: () if isinstance(n, Compute) and Operand(0) in leaves(n) and added(n) else (n,),
    )


def leaves(node: Compute) -> tuple[object, ...]:
    return (node.expr.y,) if isinstance(node.expr, Binary) and node.expr.fn is BinaryFn.ADD else ()


def added(node: Compute) -> bool:
    return any("bias" in name for name in node.operands)


@every
def test_a_mask_that_is_read_beside_its_place_is_missed(schedule: str) -> None:
    build, device = SCHEDULES[schedule]
    form = form_of(own(OP.replace(keys=199), schedule))  # where one element on is no fault of alignment

    def further(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Load) and isinstance(node.source, Access) and node.source.operand == "score_bias":
            return (node.replace(source=node.source.replace(offset=node.source.offset + 1)),)
        return (node,)

    refused(build(form), form, device, further)


def test_rows_of_nothing_but_minus_infinity_need_a_maximum_that_is_a_number() -> None:
    form = form_of(OP)
    lowest = Binary(BinaryFn.MAXIMUM, Accumulator(0), Constant(FP32.lowest))
    refused(hopper(form), form, "h200", lambda n: () if isinstance(n, Compute) and n.expr == lowest else (n,))


def test_the_last_run_stands_for_those_beyond_it() -> None:
    form = form_of(OP)

    def unlimited(node: Node) -> tuple[Node, ...]:
        return (node.replace(value=node.value + 100),) if isinstance(node, Let) and node.name == "last_run" else (node,)

    refused(hopper(form), form, "h200", unlimited)


def test_the_next_block_is_asked_for_once_registers_are_free() -> None:
    form = form_of(OP)

    def same_again(node: Node) -> tuple[Node, ...]:
        if isinstance(node, If) and any(isinstance(n, If) for n in node.then) and "stop_block" in repr(node.guard):
            return ()
        return (node,)

    refused(hopper(form), form, "h200", same_again)


@pytest.mark.parametrize(
    ("op", "steps", "registers", "ahead"),
    [
        (OP, None, 16, True), (OP, OF_KEYS, 8, True), (OP, OF_ROWS, 1, False), (OP.replace(bias=FP32), None, 32, True),
        (OP.replace(keys=199), None, 16 + 12, False), (OP.replace(bias=DType.UINT8), None, 8 + 8, False),
        (OP.replace(bias=DType.UINT8, keys=199), None, 8 + 32, False),
    ],
    ids=["pairs", "of keys", "of rows", "words", "single", "bytes in pairs", "bytes"],
)  # fmt: skip
def test_what_lanes_hold(op: AttentionOp, steps: tuple[int, ...] | None, registers: int, ahead: bool) -> None:
    bias = ScoreBias(form_of(op, steps), instruction("wgmma_m64n8k16_bf16").c, 128, 8)
    assert bias.registers == registers and bias.ahead is ahead


def test_what_is_promised_of_pairs_depends_on_addresses() -> None:
    loose = chain_problem(OP).replace(options=chain_problem(OP).options.replace(alignment=2))
    for given, wanted in ((loose, 2), (problem(OP), 4), (problem(OP.replace(keys=199)), 2)):
        form = lower_chained(given).form
        assert next(one for one in form.parameters if one.name == "score_bias").alignment == wanted


def test_windows_beside_masks_take_registers() -> None:
    config = PipelineConfig(
        tile_m=128, tile_n=128, tile_k=128, stages=2, warps=12, vector_a=8, vector_b=8, vector_c=8,
        barrier_mode=BarrierMode.PRODUCER_CONSUMER,
    )  # fmt: skip
    wide = OP.replace(head_dim=128)
    build = lambda op: specialized_chain_kernel(  # noqa: E731
        form_of(op), config, preset("h200"), "x", "attention", "wgmma_m64n128k16_bf16"
    )
    build(wide)
    with pytest.raises(ConfigurationError, match="registers"):
        build(wide.replace(left=30, right=4))


def test_a_multiple_waits_until_behind_the_maximum() -> None:
    score, factor = Accumulator(0), Constant(0.125)
    scaled, hidden = Binary(BinaryFn.MUL, score, factor), Operand(0)
    assert kept(scaled) == (score, scaled)
    lowest = Constant(FP32.lowest)
    assert kept(Select(hidden, lowest, scaled)) == (Select(hidden, lowest, score), scaled)
    for whole in (
        Binary(BinaryFn.ADD, scaled, hidden),
        Select(hidden, lowest, Binary(BinaryFn.MUL, score, Constant(-1.0))),
    ):
        assert kept(whole) == (whole, score)
