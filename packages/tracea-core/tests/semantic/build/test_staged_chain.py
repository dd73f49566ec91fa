# SPDX-License-Identifier: MIT
"""Attention whose tiles pass through registers: certified for the matrix units of every vendor, and every planted mistake is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.expr import Accumulator, BinaryFn
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.passing_weights import Passage, passage
from tracea_core.semantic.build.staged_chain import staged_chain_kernel
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import Const, symbols
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.row_steps import Fold, Join, Mask
from tracea_core.semantic.steps import (
    Access,
    AsyncCopy,
    Barrier,
    BufferRef,
    Compute,
    Extract,
    Fill,
    Let,
    Load,
    Mma,
    Node,
    Store,
)
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited

UNITS = {
    "mfma": ("mi300x", "mfma_32x32x8_bf16_turned", 64, 32, 32, Passage.PART),
    "mfma-square": ("mi300x", "mfma_16x16x16_bf16_turned", 32, 32, 32, Passage.JOIN),
    "mfma-as-it-stands": ("mi300x", "mfma_16x16x16_bf16", 32, 32, 32, Passage.MEMORY),
    "gfx11": ("rx7900xtx", "wmma_gfx11_16x16x16_fp16_turned", 32, 32, 32, Passage.MEMORY),
    "gfx12": ("rx9070", "wmma_gfx12_16x16x16_fp16_turned", 32, 32, 32, Passage.JOIN),
    "pvc": ("pvc", "dpas_sg16_8x16x16_bf16_turned", 32, 32, 32, Passage.JOIN),
    "dg2": ("arc_a770", "dpas_sg8_8x8x16_bf16_turned", 16, 32, 32, Passage.JOIN),
    "apple": ("m1", "simdgroup_8x8x8_fp16", 16, 16, 16, Passage.JOIN),
    "turing": ("t4", "mma_m16n8k8_fp16", 32, 16, 16, Passage.JOIN),
    "lanes": ("t4", "simt_4x8_2x4_fp32", 16, 32, 32, Passage.MEMORY),
    "lanes-of-a-wave": ("mi300x", "simt_8x8_1x4_fp32", 32, 32, 32, Passage.MEMORY),
}
WINDOW = {"left": 9, "right": 4}
CAUSAL = {"causal": True, "kv_heads": 2}


def made(unit: str, width: int = 4, stages: int = 2, **mask: object) -> tuple[SemanticKernel, Chained]:
    device, name, rows, keys, columns, _ = UNITS[unit]
    dtype = instruction(name).operand
    op = AttentionOp(1, 4, 40, 70, columns, dtype=dtype, **mask)  # type: ignore[arg-type]
    form = lower_chained(chain_problem(op)).form
    config = PipelineConfig(
        tile_m=rows, tile_n=keys, tile_k=columns, stages=stages, warps=2, vector_a=width, vector_b=width, vector_c=width
    )
    if unit == "lanes-of-a-wave":
        config = config.replace(stages=1)
    return staged_chain_kernel(form, config, preset(device), "x.chained.x", "attention", name), form


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("mask", "width"), [({}, 1), (WINDOW, 4), (CAUSAL, 4)], ids=["full", "window", "causal-gqa"])
def test_kernels_are_certified(unit: str, mask: dict[str, object], width: int) -> None:
    kernel, form = made(unit, width, **mask)
    proofs = {proof.property for proof in certify(kernel, form, preset(UNITS[unit][0])).proofs}
    assert {"meaning", "lanes", "banks", "budgets"} <= proofs


@pytest.mark.parametrize("unit", ["mfma", "gfx11", "apple"])
def test_one_slot_serves_where_two_do_not_fit(unit: str) -> None:
    kernel, form = made(unit, stages=1, **WINDOW)
    certify(kernel, form, preset(UNITS[unit][0]))
    slots = [{b.name: b.slots for b in made(unit, stages=s, **WINDOW)[0].buffers} for s in (1, 2)]
    assert [found["k_tile"] for found in slots] == [found["v_tile"] for found in slots] == [1, 2]


@pytest.mark.parametrize("unit", UNITS)
def test_layouts_say_how_weights_pass(unit: str) -> None:
    _, name, *_, wanted = UNITS[unit]
    assert passage(instruction(name)) is wanted


@pytest.mark.parametrize("name", [name for _, name, *_ in UNITS.values() if name.endswith("_turned")])
def test_a_turned_instruction_multiplies_the_transposed_matrices(name: str) -> None:
    turned, plain = instruction(name), instruction(name.removesuffix("_turned"))
    assert turned.faults() == () and turned.turns == plain.name
    assert (turned.m, turned.n, turned.k) == (plain.n, plain.m, plain.k)
    for mine, other in ((turned.a, plain.b), (turned.b, plain.a), (turned.c, plain.c)):
        assert mine is not None and other is not None
        rows, columns = mine.elements()
        other_rows, other_columns = other.elements()
        assert (rows == other_columns).all() and (columns == other_rows).all()


def without(kind: type, **fields: object) -> Callable[[Node], tuple[Node, ...]]:
    """Leave out the steps of a kind whose fields have these values."""

    def edit(node: Node) -> tuple[Node, ...]:
        gone = isinstance(node, kind) and all(getattr(node, name) == value for name, value in fields.items())
        return () if gone else (node,)

    return edit


def changed(kind: type, wanted: Callable[[Node], bool], **fields: object) -> Callable[[Node], tuple[Node, ...]]:
    def edit(node: Node) -> tuple[Node, ...]:
        return (node.replace(**fields),) if isinstance(node, kind) and wanted(node) else (node,)

    return edit


def swapped(node: Node) -> tuple[Node, ...]:
    return (node.replace(sources=node.sources[::-1]),) if isinstance(node, Join) else (node,)


def shifted(node: Node) -> tuple[Node, ...]:
    """Take each part of the weights from the part before it."""
    moved = isinstance(node, Extract) and node.column != Const(0)
    return (node.replace(column=Const(0)),) if moved else (node,)


def late(name: str, by: int) -> Callable[[Node], tuple[Node, ...]]:
    return lambda node: (
        (node.replace(value=node.value + by),) if isinstance(node, Let) and node.name == name else (node,)
    )


BUGS: dict[str, tuple[str, Callable[[Node], tuple[Node, ...]]]] = {
    "no masks": ("mfma", without(Mask)),
    "a block of keys too few": ("mfma", late("stop_block", -1)),
    "a block of keys too late": ("gfx12", late("first_block", 1)),
    "keys of another head": ("pvc", late("kv_head", 1)),
    "sums that are not rescaled": (
        "mfma", lambda n: () if isinstance(n, Compute) and n.target.startswith("sum") and n.operands else (n,)),
    "totals that are not rescaled": (
        "gfx12", lambda n: () if isinstance(n, Compute) and n.target == "total0" and n.operands else (n,)),
    "weights that are not added to the total": (
        "mfma", lambda n: () if isinstance(n, Compute) and n.target == "total0" and not n.operands else (n,)),
    "scores added where the maximum is wanted": (
        "mfma", changed(Fold, lambda n: isinstance(n, Fold) and n.source == "part", fn=BinaryFn.ADD)),
    "a maximum that misses an instruction's keys": (
        "gfx12", lambda n: (n.replace(expr=Accumulator(0), accumulators=n.accumulators[:1]),)
        if isinstance(n, Compute) and n.target == "part" else (n,)),
    "a maximum from 0": ("pvc", changed(Fill, lambda n: isinstance(n, Fill) and n.fragment.startswith("top"), value=0.0)),
    "weights joined the wrong way round": ("pvc", swapped),
    "one part of an accumulator for another": ("mfma", shifted),
    "a product left out": ("mfma", without(Mma, accumulator="sum0_0")),
    "operands of an instruction exchanged": (
        "gfx12", lambda n: (n.replace(a=n.b, b=n.a),) if isinstance(n, Mma) else (n,)),
    "no barrier before a slot is read": ("mfma", without(Barrier, name="slot_written")),
    "no barrier before the first slot is read": ("mfma", without(Barrier, name="first_written")),
    "no barrier before weights are read": ("gfx11", without(Barrier, name="weights_written")),
    "weights that nobody stores": (
        "lanes", lambda n: () if isinstance(n, Store) and isinstance(n.target, BufferRef)
        and n.target.buffer == "weights_tile" else (n,)),
    "columns beyond the last that are read": (
        "mfma", changed(Load, lambda n: isinstance(n, Load) and isinstance(n.source, Access) and bool(n.guard), guard=())),
    "values of the block before": (
        "gfx12", lambda n: (n.replace(source=n.source.replace(slot=(n.source.slot + 1) % 2)),)
        if isinstance(n, Load) and isinstance(n.source, BufferRef) and n.source.buffer == "v_tile" else (n,)),
}  # fmt: skip


@pytest.mark.parametrize("name", BUGS)
def test_planted_mistakes_are_found(name: str) -> None:
    unit, edit = BUGS[name]
    kernel, form = made(unit, left=9, right=4, kv_heads=2)
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError):
        certify(wrong, form, preset(UNITS[unit][0]))


def test_what_does_not_fit_is_refused_by_name() -> None:
    form = lower_chained(chain_problem(AttentionOp(1, 2, 40, 70, 32, dtype=DType.BF16))).form
    config = PipelineConfig(tile_m=64, tile_n=32, tile_k=32, stages=2, warps=2, vector_a=8, vector_b=8, vector_c=4)

    def refused(
        words: str, wanted: PipelineConfig = config, kind: Chained = form, name: str = "mfma_32x32x8_bf16_turned"
    ) -> None:
        with pytest.raises(ConfigurationError, match=words):
            staged_chain_kernel(kind, wanted, preset("mi300x"), "v", "attention", name)

    refused("warps do not divide", config.replace(warps=3))
    refused("keys are no multiple", config.replace(tile_n=24))
    refused("columns are no multiple", config.replace(tile_k=40))
    refused("at most one is fetched", config.replace(stages=3))
    refused("registers that are known", name="joint_sg16_8x16x16_bf16")
    refused("types are not those", name="mfma_32x32x8_fp16_turned")
    refused("shared memory", config.replace(tile_m=256, tile_n=128, tile_k=256))
    low_rank = lower_chained(chain_problem(LowRankOp(8, 8, 8, 8, dtype=DType.BF16))).form
    refused("no softmax", kind=low_rank)


def test_runs_follow_the_axis_that_lies_together() -> None:
    across = TensorSpec((1, 2, 70, 32), DType.BF16, (4480, 2240, 1, 70))
    op = AttentionOp(1, 2, 40, 70, 32, dtype=DType.BF16)
    form = lower_chained(chain_problem(op, input1=across, input2=across)).form
    config = PipelineConfig(tile_m=64, tile_n=32, tile_k=32, stages=2, warps=2, vector_a=2, vector_b=2, vector_c=2)
    kernel = staged_chain_kernel(form, config, preset("mi300x"), "v", "attention", "mfma_32x32x8_bf16_turned")
    certify(kernel, form, preset("mi300x"))
    strides = {
        symbol
        for role in kernel.roles
        for node in walk(role.body)
        if isinstance(node, Load | AsyncCopy) and isinstance(node.source, Access) and node.source.operand != "q"
        for symbol in symbols(node.source.offset)
    }
    assert {"k_matrix_column", "v_column"} <= strides and not strides & {"k_matrix_row", "v_row"}
