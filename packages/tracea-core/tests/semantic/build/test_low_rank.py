# SPDX-License-Identifier: MIT
"""Low-rank products in one kernel: certified for the units of every vendor, and every planted mistake is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.activations import Gelu, Sigmoid
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.chain_shares import low_rank_symbols
from tracea_core.semantic.build.low_rank import COLUMN_SPLITS, low_rank_kernel
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.interpret_block import BlockInterpreter
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.row_steps import Mask
from tracea_core.semantic.steps import (
    Access,
    AsyncCopy,
    Barrier,
    BufferRef,
    Compute,
    Fill,
    Let,
    Load,
    Mma,
    Node,
    Store,
    Wait,
)
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited

UNITS = {
    "ampere": ("a100", "mma_m16n8k16_bf16", 32),
    "turing": ("t4", "mma_m16n8k8_fp16", 32),
    "mfma": ("mi300x", "mfma_32x32x8_bf16_turned", 64),
    "mfma-as-it-stands": ("mi300x", "mfma_16x16x16_bf16", 32),
    "gfx11": ("rx7900xtx", "wmma_gfx11_16x16x16_fp16_turned", 32),
    "gfx12": ("rx9070", "wmma_gfx12_16x16x16_fp16_turned", 32),
    "pvc": ("pvc", "dpas_sg16_8x16x16_bf16_turned", 32),
    "dg2": ("arc_a770", "dpas_sg8_8x8x16_bf16_turned", 16),
    "apple": ("m1", "simdgroup_8x8x8_fp16", 16),
    "lanes": ("a100", "simt_4x8_2x4_fp32", 16),
    "lanes-of-a-wave": ("mi300x", "simt_8x8_1x4_fp32", 16),
    "lanes-of-a-sub-group": ("pvc", "simt_2x8_2x4_fp32", 16),
}

NARROW = ("dg2", "pvc", "lanes-of-a-sub-group", "apple")
"""Units whose warps have few lanes, or few registers each."""


def made(
    unit: str, width: int = 4, stages: int = 2, middle: Epilogue = IDENTITY, batch: tuple[int, ...] = ()
) -> tuple[SemanticKernel, Chained]:
    device, name, rows = UNITS[unit]
    dtype = instruction(name).operand
    form = lower_chained(chain_problem(LowRankOp(40, 64, 48, 24, batch, middle, dtype=dtype))).form
    config = PipelineConfig(
        tile_m=rows, tile_n=32, tile_k=16, block_k=32, stages=stages,
        warps=4 if unit in NARROW else 2, vector_a=width, vector_b=width, vector_c=width,
    )  # fmt: skip
    return low_rank_kernel(form, config, preset(device), "x.chained.x", "low_rank", name), form


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("width", "stages"), [(1, 2), (4, 2), (4, 1)], ids=["singles", "runs", "one-slot"])
def test_kernels_are_certified(unit: str, width: int, stages: int) -> None:
    kernel, form = made(unit, width, stages, Gelu().epilogue)
    proofs = {proof.property for proof in certify(kernel, form, preset(UNITS[unit][0])).proofs}
    assert {"meaning", "lanes", "banks", "budgets"} <= proofs


def test_copies_that_pass_no_registers_run_several_slots_ahead() -> None:
    kernel, form = made("ampere", width=8, stages=4)
    certify(kernel, form, preset("a100"))
    assert {b.name: b.slots for b in kernel.buffers} == {"x_tile": 4, "a_tile": 4, "b_tile": 2, "middle_tile": 1}
    fetched = [
        n for role in kernel.roles for n in walk(role.body) if isinstance(n, Load) and isinstance(n.source, Access)
    ]
    assert fetched == []


def test_a_batch_that_is_no_matrix_has_items() -> None:
    op = LowRankOp(24, 32, 16, 8, (3,), dtype=DType.BF16)
    apart = TensorSpec((3, 24, 16), DType.BF16, (1000, 16, 1))
    form = lower_chained(chain_problem(op, input0=apart)).form
    config = PipelineConfig(tile_m=32, tile_n=32, tile_k=16, block_k=16, stages=2, warps=2)
    kernel = low_rank_kernel(form, config, preset("a100"), "v", "low_rank", "mma_m16n8k16_bf16")
    certify(kernel, form, preset("a100"))
    assert "items" in {symbol.name for symbol in kernel.symbols}


def test_blocks_share_columns_where_rows_are_few() -> None:
    kernel, _ = made("ampere")
    few, many = (lower_chained(chain_problem(LowRankOp(m, 4096, 48, 24, dtype=DType.BF16))) for m in (16, 100000))
    found = [low_rank_symbols(lowered, kernel.configuration, preset("a100")) for lowered in (few, many)]
    assert [values[COLUMN_SPLITS] for values in found] == [64, 1]
    assert evaluate(kernel.launch.blocks, found[0]) == 64


def without(kind: type, **fields: object) -> Callable[[Node], tuple[Node, ...]]:
    """Leave out the steps of a kind whose fields have these values."""

    def edit(node: Node) -> tuple[Node, ...]:
        gone = isinstance(node, kind) and all(getattr(node, name) == value for name, value in fields.items())
        return () if gone else (node,)

    return edit


def late(name: str, by: int) -> Callable[[Node], tuple[Node, ...]]:
    return lambda node: (
        (node.replace(value=node.value + by),) if isinstance(node, Let) and node.name == name else (node,)
    )


def reads(node: Node, buffer: str) -> bool:
    return isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer == buffer


BUGS: dict[str, tuple[str, Callable[[Node], tuple[Node, ...]]]] = {
    "no activation": ("mfma", lambda n: () if isinstance(n, Compute) and n.target.startswith("acc") else (n,)),
    "middles that nobody rounds anew": ("gfx12", without(Compute, target="piece")),
    "no barrier before the middle is read": ("mfma", without(Barrier, name="middle_written")),
    "no barrier before a slot is read": ("lanes", without(Barrier, name="slot_written")),
    "no wait for the columns": ("ampere", lambda n: () if isinstance(n, Wait) else (n,)),
    "a tile of columns too few": ("pvc", late("stop_column_tile", -1)),
    "a tile of columns too late": ("mfma", late("first_column_tile", 1)),
    "columns that two blocks store": ("mfma", late("stop_column_tile", 1)),
    "a step of the depth too few": ("gfx11", late("k_steps", -1)),
    "sums that go on": ("dg2", without(Fill, fragment="acc0_0")),
    "rows of the item before": ("apple", late("row0", -1)),
    "another middle": (
        "lanes", lambda n: (n.replace(source=n.source.replace(coordinates=n.source.coordinates[::-1])),)
        if reads(n, "middle_tile") else (n,)),  # type: ignore[attr-defined]
    "columns of the tile before": (
        "gfx12", lambda n: (n.replace(source=n.source.replace(slot=(n.source.slot + 1) % 2)),) if reads(n, "b_tile") else (n,)),
    "a product left out": ("turing", without(Mma, accumulator="acc0_0")),
    "a middle that nobody stores": (
        "mfma", lambda n: () if isinstance(n, Store) and isinstance(n.target, BufferRef)
        and n.target.buffer == "middle_tile" else (n,)),
    "elements beyond the rank that are read": (
        "pvc", lambda n: (n.replace(guard=()),) if isinstance(n, Load) and isinstance(n.source, Access)
        and n.source.operand == "b" else (n,)),
    "elements beyond the rank that are copied": (
        "ampere", lambda n: (n.replace(guard=()),) if isinstance(n, AsyncCopy) and n.source.operand == "b" else (n,)),
    "elements beyond the depth that are read": (
        "mfma", lambda n: (n.replace(guard=()),) if isinstance(n, Load) and isinstance(n.source, Access)
        and n.source.operand == "x" else (n,)),
}  # fmt: skip


@pytest.mark.parametrize("name", BUGS)
def test_planted_mistakes_are_found(name: str) -> None:
    unit, edit = BUGS[name]
    kernel, form = made(unit, middle=Sigmoid().epilogue)
    certify(kernel, form, preset(UNITS[unit][0]))
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError):
        certify(wrong, form, preset(UNITS[unit][0]))


def test_what_lies_beyond_the_rank_is_masked() -> None:
    """Columns beyond the rank are copies of its last one: an infinity among them would meet B's zeros."""
    kernel, _ = made("ampere")
    masks = [n for role in kernel.roles for n in walk(role.body) if isinstance(n, Mask)]
    assert masks
    assert {mask.value for mask in masks} == {0.0}
    assert {mask.fragment for mask in masks} == {n.fragment for n in _sums_of_the_middle(kernel)}


def _sums_of_the_middle(kernel: SemanticKernel) -> list[Fill]:
    (role,) = kernel.roles
    return [node for node in role.body if isinstance(node, Fill)]


def test_what_does_not_fit_is_refused_by_name() -> None:
    form = lower_chained(chain_problem(LowRankOp(40, 64, 48, 24, dtype=DType.BF16))).form
    config = PipelineConfig(tile_m=32, tile_n=32, tile_k=16, block_k=32, stages=2, warps=2)

    def refused(
        words: str, wanted: PipelineConfig = config, kind: Chained = form, name: str = "mma_m16n8k16_bf16"
    ) -> None:
        with pytest.raises(ConfigurationError, match=words):
            low_rank_kernel(kind, wanted, preset("a100"), "v", "low_rank", name)

    refused("warps do not divide", config.replace(warps=3))
    refused("block_k 0 is no power", config.replace(block_k=0))
    refused("block_k 48 is no power", config.replace(block_k=48))
    refused("tile_k 24 is no power", config.replace(tile_k=24))
    refused("types are not those", name="mma_m16n8k16_fp16")
    refused("shared memory", config.replace(tile_m=256, tile_k=128, block_k=256, stages=4, warps=16))
    refused("a thread's", config.replace(tile_m=256, tile_n=256))
    softmax = lower_chained(chain_problem(AttentionOp(1, 1, 8, 8, 8, dtype=DType.BF16))).form
    refused("a softmax stands", kind=softmax)


def test_more_columns_than_the_tile_holds_are_not_served() -> None:
    kernel, _ = made("ampere")
    rank = next(symbol for symbol in kernel.symbols if symbol.name == "keys")
    assert (rank.minimum, rank.maximum) == (1, 32)
    assert not rank.admits(36)


def test_blocks_with_more_groups_of_copies_go_on_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several launches one has no depth: its groups of copies are all under way where the others have waited for theirs."""
    kernel, form = made("ampere", stages=4)
    waits = [node for node in walk(kernel.roles[0].body) if isinstance(node, Wait)]

    def longer(place: int) -> SemanticKernel:
        """The kernel with one wait that leaves a group more under way."""
        seen: list[Node] = []

        def edit(node: Node) -> tuple[Node, ...]:
            if not isinstance(node, Wait):
                return (node,)
            seen.append(node)
            return (node.replace(pending=node.pending + 1),) if len(seen) == place + 1 else (node,)

        return edited(kernel, edit)

    def alone(self: BlockInterpreter) -> None:
        raise AssertionError("warps run one by one")

    def refused(planted: SemanticKernel) -> bool:
        try:
            certify(planted, form, preset("a100"))
        except CertificationError as error:
            assert "copy is under way" in str(error) or "copy steps may still run" in str(error)
            return True
        return False

    with monkeypatch.context() as patch:
        patch.setattr(BlockInterpreter, "run", alone)
        certify(kernel, form, preset("a100"))
    # The third stands where the youngest group holds no copies.
    assert [refused(longer(place)) for place in range(len(waits))] == [True, True, False, True, True]
