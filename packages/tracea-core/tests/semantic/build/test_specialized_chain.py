# SPDX-License-Identifier: MIT
"""Attention by warpgroups: certified for every mask and shape, within its budgets, and every planted mistake is found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.activations import Residual
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.expr import Accumulator, BinaryFn, Constant
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.order import Order
from tracea_core.semantic.build.specialized_chain import specialized_chain_kernel
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import Const, Sym, Value, evaluate
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.order_steps import Await, Signal
from tracea_core.semantic.row_steps import Fold, Mask
from tracea_core.semantic.steps import (
    AccumulatorFence,
    Acquire,
    AsyncKind,
    AsyncLoad,
    AsyncMma,
    Barrier,
    Compute,
    Extract,
    Fill,
    HeldOperand,
    If,
    Let,
    Load,
    Node,
    Release,
    Side,
    Store,
    Turn,
    Wait,
)
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited
from tracea_core.testing.faults import faults

H200 = preset("h200")
BF16 = DType.BF16
FULL = AttentionOp(1, 2, 100, 200, 64, dtype=BF16)
WINDOW = AttentionOp(1, 2, 100, 200, 64, left=30, right=4, dtype=BF16)
CAUSAL = AttentionOp(1, 4, 200, 200, 64, kv_heads=2, causal=True, dtype=BF16)


def config(
    rows: int, keys: int, columns: int = 64, *, stages: int = 2, turns: bool = False, chunk: int = 8
) -> PipelineConfig:
    return PipelineConfig(
        tile_m=rows, tile_n=keys, tile_k=columns, stages=stages, warps=4 * (rows // 64 + 1), vector_a=8, vector_b=8, vector_c=chunk,
        barrier_mode=BarrierMode.PING_PONG if turns else BarrierMode.PRODUCER_CONSUMER,
    )  # fmt: skip


SMALL, PAIR = config(64, 32), config(128, 32)
BACK = SMALL.replace(order=Order.SERPENTINE)
DIVIDED = SMALL.replace(split_k=2)


def made(work: AttentionOp | Problem, config: PipelineConfig = SMALL) -> tuple[SemanticKernel, Chained]:
    problem = chain_problem(work) if isinstance(work, AttentionOp) else work
    form = lower_chained(problem).form
    name = f"wgmma_m64n128k16_{problem.inputs[0].dtype.value}"
    return specialized_chain_kernel(form, config, H200, "cuda.chained.x", "attention", name), form


@pytest.mark.parametrize(
    ("op", "config"),
    [
        (FULL, SMALL),
        (FULL, config(192, 48, stages=3, turns=True)),
        (WINDOW, PAIR.replace(order=Order.SERPENTINE)),
        (CAUSAL, config(128, 64, turns=True).replace(order=Order.SERPENTINE)),
        (AttentionOp(1, 2, 40, 40, 104, scale=-0.3, dtype=DType.FP16), config(64, 32, 128, chunk=2)),
        (AttentionOp(1, 1, 70, 300, 256, causal=True, dtype=BF16), config(128, 64, 256)),
        (CAUSAL, BACK.replace(split_k=2)),
        (AttentionOp(1, 2, 70, 300, 120, left=200, right=0, dtype=BF16), config(128, 32, 128).replace(split_k=3)),
        (AttentionOp(1, 1, 4, 300, 64, dtype=DType.FP16), config(64, 32, stages=3).replace(split_k=16)),
    ],
    ids=[
        "full",
        "three-consumers",
        "window",
        "shared-heads",
        "scores-that-fall",
        "most-columns",
        "divided-keys",
        "divided-window",
        "more-blocks-than-pieces",
    ],
)
def test_kernels_are_certified(op: AttentionOp, config: PipelineConfig) -> None:
    kernel, form = made(op, config)
    proofs = [proof.property for proof in certify(kernel, form, H200).proofs]
    assert {"meaning", "lanes", "addressing", "banks", "budgets"} <= set(proofs)
    assert proofs.count("pipeline") == 3  # a ring each of queries, keys and values


def test_an_epilogue_with_operands_is_certified() -> None:
    plain = chain_problem(FULL)
    residual = TensorSpec.contiguous(FULL.output_shape(), DType.FP32)
    stage = Residual(np.ones(FULL.output_shape(), np.float32))
    kernel, form = made(plain.replace(epilogue=stage.epilogue, epilogue_inputs=(residual,)))
    assert certify(kernel, form, H200).proofs


def test_weights_are_multiplied_from_the_registers_that_hold_them() -> None:
    kernel, _ = made(FULL)
    products = [n for n in walk(kernel.roles[1].body) if isinstance(n, AsyncMma)]
    held = [n.a for n in products if isinstance(n.a, HeldOperand)]
    assert {operand.fragment for operand in held} == {"weights"}
    assert sorted({operand.column for operand in held}) == [0, 16]


def test_the_next_scores_are_started_before_the_last_weights_are_multiplied() -> None:
    kernel, _ = made(FULL)
    steady = next(n for n in walk(kernel.roles[1].body) if getattr(n, "var", "") == "key_block")
    products = [n.accumulator for n in steady.body if isinstance(n, AsyncMma)]
    assert products == ["score"] * 4 + ["sum"] * 2
    pending = [n.pending for n in steady.body if isinstance(n, Wait) and n.kind is AsyncKind.MMA]
    assert pending == [1, 0]  # the softmax stands between, while the second product runs


def test_blocks_that_had_much_in_one_round_have_little_in_the_next() -> None:
    kernel, _ = made(CAUSAL, BACK)
    tile = next(n for n in walk(kernel.roles[1].body) if isinstance(n, Let) and n.name == "tile")
    taken = [[int(evaluate(tile.value, {"round": r, "block": b, "blocks": 4})) for r in range(3)] for b in range(4)]
    assert taken == [[0, 7, 8], [1, 6, 9], [2, 5, 10], [3, 4, 11]]


def test_two_blocks_of_one_consumer_share_a_processor_and_its_registers() -> None:
    kernel, _ = made(FULL)
    assert kernel.launch.together == 2
    registers = sum(role.registers * role.lanes * role.instances for role in kernel.roles)
    assert 2 * registers <= H200.registers_per_processor < 3 * registers


def test_blocks_of_a_cluster_divide_keys_evenly() -> None:
    kernel, _ = made(FULL, SMALL.replace(split_k=4))
    assert kernel.launch.cluster == 4
    lets = {n.name: n.value for n in walk(kernel.roles[1].body) if isinstance(n, Let)}

    def visited(keys: int) -> list[range]:
        found = []
        for rank in range(4):
            scope: dict[str, Value] = {"keys": keys, "cluster_rank": rank}
            for name in ("seen_first", "seen_stop", "blocks_each", "first_block", "stop_block"):
                scope[name] = evaluate(lets[name], scope)
            found.append(range(int(scope["first_block"]), int(scope["stop_block"])))
        return found

    assert visited(200) == [range(0, 2), range(2, 4), range(4, 6), range(6, 7)]
    assert visited(33) == [range(0, 1), range(1, 2), range(2, 2), range(2, 2)]
    assert visited(0) == [range(0)] * 4


def test_queries_of_the_next_tile_have_a_slot_where_there_is_room() -> None:
    slots = [made(FULL, shape)[0].ring("query_stage").slots for shape in (PAIR, config(128, 128, 128, stages=3))]
    assert slots == [2, 1]


Bug = Callable[[Node], tuple[Node, ...]]


def _of(kind: type, test: Callable[..., bool], change: Callable[..., tuple[Node, ...]]) -> Bug:
    """Change the steps of a kind that pass a test."""
    return lambda n: change(n) if isinstance(n, kind) and test(n) else (n,)


def _gone(_: Node) -> tuple[Node, ...]:
    return ()


BUGS: dict[str, tuple[AttentionOp, PipelineConfig, Bug]] = {
    "no masks": (FULL, SMALL, _of(Mask, lambda n: True, _gone)),
    "a mask off by one": (
        WINDOW, SMALL,
        _of(Mask, lambda n: True, lambda n: (n.replace(guard=(n.guard[0], n.guard[1].replace(right=n.guard[1].right + 1))),)),
    ),
    "masks of a warpgroup that looks one key too far": (
        WINDOW, SMALL,
        _of(If, lambda n: bool(n.otherwise),
            lambda n: (n.replace(guard=(n.guard[0], n.guard[1].replace(right=n.guard[1].right + 1), *n.guard[2:])),)),
    ),
    "a block of keys too few": (
        WINDOW, SMALL, _of(Let, lambda n: n.name == "stop_block", lambda n: (n.replace(value=n.value - 1),)),
    ),
    "a block of keys too late": (
        WINDOW, SMALL, _of(Let, lambda n: n.name == "first_block", lambda n: (n.replace(value=n.value + 1),)),
    ),
    "keys of another head": (
        CAUSAL, SMALL, _of(Let, lambda n: n.name == "kv_head", lambda n: (n.replace(value=n.value + 1),)),
    ),
    "rows of the other consumer": (
        FULL, PAIR, _of(Let, lambda n: n.name == "warp_row", lambda n: (n.replace(value=Sym("row0") + 64 - Sym("consumer") * 64),)),
    ),
    "sums that are not rescaled": (FULL, SMALL, _of(Compute, lambda n: n.target == "sum", _gone)),
    "totals that are not rescaled": (
        FULL, SMALL,
        _of(Compute, lambda n: n.target == "total0" and bool(n.operands),
            lambda n: (n.replace(expr=Accumulator(0), accumulators=n.accumulators[:1], operands=()),)),
    ),
    "scores added where the maximum is wanted": (
        FULL, SMALL, _of(Fold, lambda n: n.source == "part", lambda n: (n.replace(fn=BinaryFn.ADD),)),
    ),
    "a maximum that misses what came before": (
        FULL, SMALL, _of(Compute, lambda n: n.target == "found", lambda n: (n.replace(expr=Accumulator(0), accumulators=("found",)),)),
    ),
    "sums from 1": (FULL, SMALL, _of(Fill, lambda n: n.fragment == "sum", lambda n: (n.replace(value=1.0),))),
    "a maximum that is not kept": (FULL, SMALL, _of(Compute, lambda n: n.target == "top", _gone)),
    "a total of one lane": (FULL, SMALL, _of(Fold, lambda n: n.source == "total0", lambda n: (n.replace(fn=BinaryFn.MAXIMUM),))),
    "scores that go on from the block before": (
        FULL, SMALL, _of(AsyncMma, lambda n: n.accumulator == "score", lambda n: (n.replace(accumulate=()),)),
    ),
    "weights of other keys": (
        FULL, SMALL,
        _of(AsyncMma, lambda n: isinstance(n.a, HeldOperand), lambda n: (n.replace(a=n.a.replace(column=16 - n.a.column)),)),
    ),
    "a product left out": (
        FULL, SMALL, _of(AsyncMma, lambda n: isinstance(n.a, HeldOperand) and n.a.column == 16, _gone),
    ),
    "values of another matrix": (
        FULL, SMALL,
        _of(AsyncLoad, lambda n: n.ring == "value_stage",
            lambda n: (n.replace(source=n.source.replace(origin=(*n.source.origin[:2], Const(0), n.source.origin[3]))),)),
    ),
    "weights rounded while they are read": (
        FULL, SMALL, _of(Wait, lambda n: n.kind is AsyncKind.MMA and n.pending == 0, lambda n: (n.replace(pending=1),)),
    ),
    "scores read before they are there": (
        FULL, SMALL, _of(Wait, lambda n: n.kind is AsyncKind.MMA and n.pending == 1, _gone),
    ),
    "weights without a fence": (FULL, SMALL, _of(AccumulatorFence, lambda n: n.fragment == "weights", _gone)),
    "keys that are not waited for": (
        FULL, SMALL, _of(Acquire, lambda n: n.ring == "key_stage" and n.side is Side.FULL, _gone),
    ),
    "values that are not waited for": (
        FULL, SMALL, _of(Acquire, lambda n: n.ring == "value_stage" and n.side is Side.FULL, _gone),
    ),
    "values given back too early": (
        FULL, SMALL, _of(Release, lambda n: n.ring == "value_stage", lambda n: (n.replace(lag=0),)),
    ),
    "queries that are not given back": (FULL, SMALL, _of(Release, lambda n: n.ring == "query_stage", _gone)),
    "a turn that is not passed on": (FULL, config(128, 32, turns=True), _of(Signal, lambda n: True, _gone)),
    "a turn that nobody takes at the end": (
        FULL, config(128, 32, turns=True), _of(If, lambda n: any(isinstance(x, Await) for x in n.then), _gone),
    ),
    "parts of scores named wrongly": (
        FULL, SMALL,
        _of(Extract, lambda n: n.target == "score3", lambda n: (n.replace(column=Const(0)),)),
    ),
    "results stored as they are multiplied": (
        FULL, SMALL, _of(Turn, lambda n: True, _gone),
    ),
    "a part's keys from the beginning": (
        FULL, DIVIDED, _of(Let, lambda n: n.name == "first_block", lambda n: (n.replace(value=Sym("seen_first")),)),
    ),
    "a part's keys to the end": (
        FULL, DIVIDED, _of(Let, lambda n: n.name == "stop_block", lambda n: (n.replace(value=Sym("seen_stop")),)),
    ),
    "parts of a block of keys less": (
        FULL, DIVIDED, _of(Let, lambda n: n.name == "blocks_each", lambda n: (n.replace(value=n.value - 1),)),
    ),
    "a maximum from the tile before where a part has no keys": (
        FULL, DIVIDED, _of(Fill, lambda n: n.fragment == "top", _gone),
    ),
    "parts read before they are left": (FULL, DIVIDED, _of(Barrier, lambda n: n.name == "parts_written", _gone)),
    "parts overwritten while they are read": (FULL, DIVIDED, _of(Barrier, lambda n: n.name == "parts_read", _gone)),
    "the maximum of one part": (
        FULL, DIVIDED,
        _of(Compute, lambda n: n.target == "highest" and len(n.accumulators) == 2,
            lambda n: (n.replace(expr=Accumulator(0), accumulators=n.accumulators[:1]),)),
    ),
    "parts that all weigh as much": (
        FULL, DIVIDED, _of(Compute, lambda n: n.target == "part_weight1", lambda n: (n.replace(expr=Constant(1.0)),)),
    ),
    "the own maximum twice": (
        FULL, DIVIDED, _of(Load, lambda n: n.fragment == "part_weight1", lambda n: (n.replace(source=n.source.replace(rank=Const(0))),)),
    ),
    "the own total twice": (
        FULL, DIVIDED, _of(Load, lambda n: n.fragment == "part_total1", lambda n: (n.replace(source=n.source.replace(rank=Const(0))),)),
    ),
    "the sums of one part twice": (
        FULL, DIVIDED, _of(Extract, lambda n: n.target == "part_sum1", lambda n: (n.replace(column=Const(0)),)),
    ),
    "sums left to the other block": (
        FULL, DIVIDED,
        _of(Store, lambda n: n.fragment == "piece", lambda n: (n.replace(target=n.target.replace(rank=Const(1 - n.target.rank.value))),)),
    ),
    "sums left where those of the other part are": (
        FULL, DIVIDED,
        _of(Store, lambda n: n.fragment == "piece",
            lambda n: (n.replace(target=n.target.replace(coordinates=(*n.target.coordinates[:2], Const(0), *n.target.coordinates[3:]))),)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BUGS)
def test_planted_mistakes_are_found(name: str) -> None:
    op, config, bug = BUGS[name]
    kernel, form = made(op, config)
    changed = edited(kernel, bug)
    assert changed != kernel
    with pytest.raises(CertificationError):
        certify(changed, form, H200)


def test_a_launch_of_more_blocks_than_a_processor_holds_is_refused() -> None:
    kernel, form = made(FULL, PAIR)
    with pytest.raises(CertificationError, match="registers"):
        certify(kernel.replace(launch=kernel.launch.replace(together=2)), form, H200)


def test_what_does_not_fit_is_refused_by_name() -> None:
    for shape, reason in (
        (SMALL.replace(barrier_mode=BarrierMode.NONE), "roles of their own"),
        (config(64, 32, turns=True), "takes no turns"),
        (SMALL.replace(tile_m=128), "consumers have 64 rows"),
        (SMALL.replace(stages=1), "one slot does not suffice"),
        (config(64, 24), "no multiple of 16"),
        (config(128, 32, turns=True).replace(split_k=2), "do not divide keys"),
        (SMALL.replace(cluster_m=2), "share no loads"),
        (config(64, 32, 48), "no multiple of 64"),
        (config(192, 176, 64), "registers"),
        (config(128, 128, 256), "shared memory"),
        (SMALL.replace(order=Order.COLUMN), "back and forth"),
    ):
        with pytest.raises(ConfigurationError, match=reason):
            made(FULL, shape)
    form = lower_chained(chain_problem(LowRankOp(13, 29, 17, 5, dtype=BF16))).form
    with pytest.raises(ConfigurationError, match="no softmax"):
        specialized_chain_kernel(form, SMALL, H200, "cuda.chained.x", "product", "wgmma_m64n128k16_bf16")
    with pytest.raises(ConfigurationError, match="types"):
        specialized_chain_kernel(
            lower_chained(chain_problem(FULL)).form, SMALL, H200, "x", "attention", "wgmma_m64n128k16_fp16"
        )


@pytest.mark.parametrize("name", ["input0", "input1", "input2", "out"])
def test_columns_that_lie_apart_are_read_and_written_as_they_are(name: str) -> None:
    op = AttentionOp(2, 3, 16, 24, 8, causal=True, dtype=BF16)
    rows = 24 if name in ("input1", "input2") else 16
    kernel, form = made(chain_problem(op, **{name: TensorSpec((2, 3, rows, 8), BF16, (24 * rows, 8 * rows, 1, rows))}))
    assert certify(kernel, form, H200).proofs


@pytest.mark.parametrize("words", ["producer: If: guard without 0", "producer: If: guard <="])
def test_loads_that_nobody_waits_for_are_found_whenever_they_land(words: str) -> None:
    """A producer that loads for a tile that there is not: mostly the load has landed when the block ends."""
    kernel, form = made(WINDOW, BACK)
    (wrong,) = (fault.kernel for fault in faults(kernel) if fault.words == words)
    with pytest.raises(CertificationError, match=r"nobody takes|under way"):
        certify(wrong, form, H200)


def test_windows_that_begin_in_later_blocks_of_keys_begin_there_exactly() -> None:
    """A key more or less counts in rows that see keys of about one size, not where one towers above the others."""
    kernel, form = made(WINDOW, BACK)
    wrong = [
        fault.kernel for fault in faults(kernel) if "Let keys_start0: value " in fault.words and fault.words[-1] == "1"
    ]
    assert len(wrong) == 4  # of the first block, and of those behind it
    for one in wrong:
        with pytest.raises(CertificationError, match="wrong"):
            certify(one, form, H200)
