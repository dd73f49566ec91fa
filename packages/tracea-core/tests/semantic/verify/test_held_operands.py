# SPDX-License-Identifier: MIT
"""Operands of warpgroup instructions that lie in registers: laid out, typed, fenced and left alone, or refused by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, TraceaError
from tracea_core.ops.attention import AttentionOp
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.specialized_chain import specialized_chain_kernel
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Fragment, SemanticKernel
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.row_steps import Mask
from tracea_core.semantic.steps import (
    AccumulatorFence,
    AsyncKind,
    AsyncMma,
    Compute,
    Extract,
    HeldOperand,
    Node,
    Wait,
)
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.layouts import check_layouts
from tracea_core.semantic.verify.types import check_types
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited

H200 = preset("h200")


@pytest.fixture(scope="module")
def made() -> tuple[SemanticKernel, Chained]:
    form = lower_chained(chain_problem(AttentionOp(1, 2, 100, 200, 64, dtype=DType.BF16))).form
    config = PipelineConfig(
        tile_m=64, tile_n=32, tile_k=64, stages=2, warps=8, vector_a=8, vector_b=8, barrier_mode=BarrierMode.PRODUCER_CONSUMER
    )  # fmt: skip
    return specialized_chain_kernel(form, config, H200, "cuda.chained.x", "a", "wgmma_m64n128k16_bf16"), form


def held(change: Callable[[AsyncMma], AsyncMma]) -> Callable[[Node], tuple[Node, ...]]:
    return lambda n: (change(n),) if isinstance(n, AsyncMma) and isinstance(n.a, HeldOperand) else (n,)


def with_fragment(kernel: SemanticKernel, name: str, **fields: object) -> SemanticKernel:
    producer, consumer = kernel.roles
    fragments = tuple(f.replace(**fields) if f.name == name else f for f in consumer.fragments)
    return kernel.replace(roles=(producer, consumer.replace(fragments=fragments)))


def test_the_kernel_itself_passes(made: tuple[SemanticKernel, Chained]) -> None:
    kernel, form = made
    assert check_layouts(kernel) and check_types(kernel, form)


def test_an_instruction_reads_where_its_operand_is(made: tuple[SemanticKernel, Chained]) -> None:
    kernel, _ = made
    for name, place in (("wgmma_m64n64k16_bf16", "shared memory"), ("wgmma_ra_m64n32k16_bf16", "registers")):
        old = "sum" if place == "shared memory" else "score"
        changed = edited(
            kernel, lambda n, o=old, i=name: (n.replace(instruction=i),) if isinstance(n, AsyncMma) and n.accumulator == o else (n,)
        )  # fmt: skip
        with pytest.raises(CertificationError, match=f"reads its operand a from {place}"):
            check_layouts(changed)


def test_columns_lie_in_lanes_as_the_instruction_has_them(made: tuple[SemanticKernel, Chained]) -> None:
    kernel, _ = made
    for column in (8, 32):
        changed = edited(kernel, held(lambda n, c=column: n.replace(a=n.a.replace(column=c))))
        with pytest.raises(CertificationError, match="not laid out as the instruction's a"):
            check_layouts(changed)


def test_the_fragment_has_the_operand_s_type(made: tuple[SemanticKernel, Chained]) -> None:
    kernel, form = made
    with pytest.raises(CertificationError, match="'weights' holds fp16"):
        check_types(with_fragment(kernel, "weights", dtype=DType.FP16), form)


def test_rows_that_two_warps_hold_are_not_reduced(made: tuple[SemanticKernel, Chained]) -> None:
    kernel, _ = made
    across = FragmentLayout.from_bits(
        (64, 8), ((0, 2), (1, 0), (2, 0), (4, 0), (8, 0), (0, 4), (16, 0)), ((0, 1), (32, 0))
    )
    changed = with_fragment(kernel, "part", layout=across)
    only = edited(changed, lambda n: () if isinstance(n, Compute) and "part" in (n.target, *n.accumulators) else (n,))
    with pytest.raises(CertificationError, match="cannot reduce 'part' among themselves"):
        check_layouts(only)


@pytest.mark.parametrize("kind", ["masks", "copies"])
def test_what_an_instruction_still_reads_is_not_changed(made: tuple[SemanticKernel, Chained], kind: str) -> None:
    kernel, form = made

    def filled(n: Node) -> tuple[Node, ...]:
        rounded = isinstance(n, Compute) and n.target == "weights"
        return (n.replace(target="spare"), n) if rounded else (n,)

    def written(n: Node) -> tuple[Node, ...]:
        if not (isinstance(n, Wait) and n.kind is AsyncKind.MMA and n.pending == 1):
            return (n,)
        step = Mask("weights", (), 0.0) if kind == "masks" else Extract("weights", "spare", Const(0), Const(0))
        return (step, n)

    spare = next(f for f in kernel.roles[1].fragments if f.name == "weights").replace(name="spare")
    producer, consumer = kernel.roles
    wider = kernel.replace(roles=(producer, consumer.replace(fragments=(*consumer.fragments, spare))))
    changed = edited(edited(wider, filled), written)
    with pytest.raises(CertificationError, match=r"'weights' is written while .* may still read it"):
        certify(changed, form, H200)


def test_registers_are_fenced_before_an_instruction_reads_them(made: tuple[SemanticKernel, Chained]) -> None:
    kernel, form = made
    changed = edited(kernel, lambda n: () if isinstance(n, AccumulatorFence) and n.fragment == "weights" else (n,))
    with pytest.raises(CertificationError, match="'weights' is updated or read without a fence"):
        certify(changed, form, H200)


def test_an_operand_that_is_no_fragment_is_refused(made: tuple[SemanticKernel, Chained]) -> None:
    kernel, form = made
    changed = edited(kernel, held(lambda n: n.replace(a=HeldOperand("nowhere"))))
    with pytest.raises(TraceaError, match="nowhere"):
        certify(changed, form, H200)


def test_budgets_count_what_is_held(made: tuple[SemanticKernel, Chained]) -> None:
    kernel, form = made
    producer, consumer = kernel.roles
    assert isinstance(consumer.fragments[0], Fragment)
    held_ = 16 + 32 + 8  # registers of 64×32 scores, 64×64 sums and 64×32 weights of 16 bits
    small = kernel.replace(roles=(producer, consumer.replace(registers=(held_ + 24 - 8) // 8 * 8)))
    with pytest.raises(CertificationError, match=f"needs {held_ + 24} registers"):
        certify(small, form, H200)
