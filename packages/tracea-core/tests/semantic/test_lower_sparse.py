# SPDX-License-Identifier: MIT
"""Products with few blocks: lists are data, kernels go over them and over nothing else, and planted faults are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError, UnsupportedError
from tracea_core.ops.activations import BiasAdd, Residual, Scale
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp, SparseOperand
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.kinds import BlockSparse
from tracea_core.policy.order import Order
from tracea_core.policy.topology import topology_of
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.index import Const, Index, IndexOp, Ragged, Sym, substitute
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.ragged import GROUP_ENDS
from tracea_core.semantic.rewrite import map_indices
from tracea_core.semantic.steps import Access, AsyncCopy, Let, Loop, Node
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.groups import lists_drawn
from tracea_core.testing.cases import dense

UNITS = {
    "a100": (DType.BF16, "mma_m16n8k16_bf16"), "mi300x": (DType.FP16, "mfma_16x16x16_fp16"), "m1": (DType.FP32, "simdgroup_8x8x8_fp32"),
    "t4": (DType.FP32, "simt_4x8_4x4_fp32"),
}  # fmt: skip
TILE = PipelineConfig(tile_m=32, tile_n=32, tile_k=16, stages=2, warps=2, vector_a=2, vector_b=2, vector_c=1)


def pattern(rows: int = 48, columns: int = 32, seed: int = 0) -> BlockPattern:
    mask = np.random.default_rng(seed).random((4, 6)) < 0.4
    mask[1], mask[2] = False, True  # one empty line, one full
    return BlockPattern.from_mask(mask, rows, columns)


def problem(
    sparse: SparseOperand, dtype: DType = DType.BF16, blocks: BlockPattern | None = None, epilogue: Any = None
) -> Problem:
    op = BlockSparseGemmOp.of(40, blocks or pattern(), sparse, dtype)
    pairs = zip(op.input_shapes(), op.input_dtypes(), strict=True)
    given, arrays = (None, ()) if epilogue is None else epilogue.bind()
    extra = tuple(dense(np.shape(array), DType.FP32) for array in arrays)
    tail = {} if given is None else {"epilogue": given, "epilogue_inputs": extra}
    return Problem(op, tuple(dense(*pair) for pair in pairs), dense(op.output_shape(), op.output_dtype()), **tail)


def built(given: Problem, device: str = "a100", **fields: int) -> tuple[SemanticKernel, Lowered]:
    low, config = lower(given), TILE.replace(**fields)
    return multistage_kernel(low.contraction, config, preset(device), "v.contraction.v", "k", UNITS[device][1]), low


@pytest.mark.parametrize("sparse", SparseOperand)
@pytest.mark.parametrize("device", UNITS)
def test_kernels_of_every_unit_are_certified(device: str, sparse: SparseOperand) -> None:
    kernel, low = built(problem(sparse, UNITS[device][0]), device, warps=4 if device == "m1" else 2)
    proofs = {proof.property for proof in certify(kernel, low.contraction, preset(device)).proofs}
    assert {"meaning", "cover", "banks", "budgets"} <= proofs


def values(
    low: Lowered, given: Problem, lists: np.ndarray
) -> tuple[dict[str, np.ndarray], list[np.ndarray], np.ndarray]:
    """Operands of a launch, the same as matrices, and the product by the op's own definition."""
    random = np.random.default_rng(1)
    op = given.op
    assert isinstance(op, BlockSparseGemmOp)
    a, b = (random.integers(-9, 10, shape).astype(np.float64) for shape in op.input_shapes()[:2])
    tensors = {"input0": a.ravel(), "input1": b.ravel(), "input2": lists.astype(np.float64)}
    tensors["output"] = np.zeros(op.output_shape()).ravel()
    names = dict(zip((parameter.name for parameter in low.contraction.parameters), low.operands, strict=True))
    return {name: tensors[what] for name, what in names.items()}, [a, b], op.reference(a, b, lists)


@pytest.mark.parametrize("sparse", SparseOperand)
@pytest.mark.parametrize("seed", range(3))
def test_one_kernel_computes_every_pattern(sparse: SparseOperand, seed: int) -> None:
    """Also what lists say that no pattern does: entries twice, in no order, and beyond what there is."""
    first = problem(sparse)
    kernel, low = built(first)
    random = np.random.default_rng(seed)
    for blocks in (pattern(seed=seed), BlockPattern.from_mask(np.zeros((4, 6)), 48, 32)):
        given = problem(sparse, blocks=blocks)
        same = lower(given)
        assert same.contraction == low.contraction
        lists = blocks.lists(sparse)
        wrong = lists.copy()
        wrong[random.integers(0, lists.size, 5)] += random.integers(-9, 9, 5).astype(np.int32)
        for data in (lists, np.sort(lists), wrong):
            operands, _, expected = values(same, given, data)
            found = interpreter(kernel, same.symbols, operands, 3).run()["out"]
            assert np.array_equal(found.reshape(expected.shape), expected)


def test_work_falls_with_the_blocks_that_are_listed() -> None:
    """A launch reads as many blocks as its lists name, and no others: what is not listed is poisoned."""
    given = problem(SparseOperand.A)
    kernel, low = built(given)
    blocks = pattern()
    operands, (_, b), expected = values(low, given, blocks.lists(SparseOperand.A))
    used = np.zeros(6, np.bool_)
    used[np.asarray(blocks.indices)] = True
    operands["b"] = np.where(np.repeat(used, 32)[:, None], b, np.nan).ravel()
    found = interpreter(kernel, low.symbols, operands, 3).run()["out"]
    assert np.array_equal(found.reshape(expected.shape), expected)
    loops = [node for node in walk(kernel.roles[0].body) if isinstance(node, Loop) and node.var == "k_step"]
    lets = {node.name: node.value for node in walk(kernel.roles[0].body) if isinstance(node, Let)}
    assert loops and substitute(lets["list_depth"], {"list_first": Const(2), "list_stop": Const(5)}) == Const(3 * 32)


@pytest.mark.parametrize("sparse", SparseOperand)
@pytest.mark.parametrize("name", ["bias", "residual", "scale"])
def test_epilogues_follow_the_output(sparse: SparseOperand, name: str) -> None:
    m, n = problem(sparse).op.output_shape()
    stages = {"bias": BiasAdd(np.ones(n)), "residual": Residual(np.ones((m, n))), "scale": Scale(2.0)}
    kernel, low = built(problem(sparse, epilogue=stages[name]))
    certify(kernel, low.contraction, preset("a100"))


def entry_of(name: str, change: Callable[[Index], Index]) -> Callable[[SemanticKernel], SemanticKernel]:
    """Change what a name of every step stands for."""

    def edit(nodes: tuple[Any, ...]) -> tuple[Any, ...]:
        found = []
        for node in nodes:
            if isinstance(node, Loop):
                node = node.replace(body=edit(node.body))
            elif isinstance(node, Let) and name in node.name:
                node = node.replace(value=change(node.value))
            found.append(node)
        return tuple(found)

    return lambda kernel: kernel.replace(roles=tuple(role.replace(body=edit(role.body)) for role in kernel.roles))


def looked(change: Callable[[Ragged], Ragged]) -> Callable[[Index], Index]:
    return lambda value: change(value) if isinstance(value, Ragged) else value


FAULTS: dict[str, Callable[[SemanticKernel], SemanticKernel]] = {
    "the next entry": entry_of("list_entry", lambda value: value + 1),
    "the entry before": entry_of("list_entry", lambda value: value - 1),
    "blocks too few": entry_of("list_depth", lambda value: value - 96),
    "one step too few": entry_of("list_depth", lambda value: value - 16),
    "blocks too many": entry_of("list_depth", lambda value: value + 96),
    "the list before": entry_of("list_first", looked(lambda found: found.replace(position=found.position - 1))),
    "the stored block for its place": entry_of(
        "list_place", looked(lambda found: found.replace(position=found.position - Sym("stored")))
    ),
    "a block too few to point at": entry_of("list_block", looked(lambda found: found.replace(rows=found.rows - 1))),
    "a place too few to point at": entry_of("list_place", looked(lambda found: found.replace(rows=found.rows - 1))),
    "what begins where the step does": entry_of("list_begin", lambda value: value + 16),
    "an end beyond the last block": entry_of("list_stop", looked(lambda found: found.replace(rows=found.rows + 1))),
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_refused(name: str) -> None:
    kernel, low = built(problem(SparseOperand.A))
    broken = FAULTS[name](kernel)
    assert broken != kernel
    with pytest.raises(CertificationError):
        certify(broken, low.contraction, preset("a100"))


def test_copies_behind_the_last_list_are_refused() -> None:
    """What lies there is a block, and a place, that no list has: each copy's own guard keeps it out, before the loop and in it."""
    kernel, low = built(problem(SparseOperand.A), stages=3)
    (role,) = kernel.roles
    guarded = [node for node in walk(role.body) if isinstance(node, AsyncCopy) and node.guard]
    assert len(guarded) >= 6 and {node.source.operand for node in guarded if isinstance(node.source, Access)} == {
        "a",
        "b",
    }

    def without(nodes: tuple[Node, ...], copy: AsyncCopy) -> tuple[Node, ...]:
        return tuple(
            node.replace(guard=())
            if node is copy
            else node.replace(body=without(node.body, copy))
            if isinstance(node, Loop)
            else node
            for node in nodes
        )

    for copy in guarded:
        body = without(role.body, copy)
        assert body != role.body
        with pytest.raises(CertificationError, match="touches element"):
            certify(kernel.replace(roles=(role.replace(body=body),)), low.contraction, preset("a100"))


def test_what_a_tile_is_may_not_be_looked_up() -> None:
    kernel, low = built(problem(SparseOperand.A))

    def edit(node: Any) -> Any:
        return node + Sym("list_first") if isinstance(node, IndexOp) else node

    (role,) = kernel.roles
    body = tuple(
        node.replace(body=tuple(
            map_indices(step, edit, lambda test: test) if isinstance(step, Let) and step.name == "warp_row" else step
            for step in node.body
        )) if isinstance(node, Loop) else node for node in role.body
    )  # fmt: skip
    with pytest.raises(CertificationError):
        certify(kernel.replace(roles=(role.replace(body=body),)), low.contraction, preset("a100"))


def test_steps_divide_blocks() -> None:
    with pytest.raises(ConfigurationError, match="do not divide blocks of 48"):
        built(problem(SparseOperand.B), tile_k=32)
    built(problem(SparseOperand.A), tile_k=32)


WORKER_TILE = PipelineConfig(tile_m=4, tile_n=24, tile_k=4, pack_b=False)


def worked(given: Problem, **fields: Any) -> tuple[SemanticKernel, Lowered]:
    """The schedule of a CPU's workers."""
    low = lower(given)
    return panel_kernel(low.contraction, WORKER_TILE.replace(**fields), preset("avx2"), "v.contraction.v", "k"), low


@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16])
@pytest.mark.parametrize("sparse", SparseOperand)
def test_workers_go_over_lists(sparse: SparseOperand, dtype: DType) -> None:
    first = problem(sparse, dtype)
    kernel, low = worked(first)
    certify(kernel, low.contraction, preset("avx2"))
    random = np.random.default_rng(3)
    for blocks in (pattern(seed=5), BlockPattern.from_mask(np.zeros((4, 6)), 48, 32)):
        given = problem(sparse, dtype, blocks)
        same, lists = lower(given), blocks.lists(sparse)
        wrong = lists.copy()
        wrong[random.integers(0, lists.size, 5)] += random.integers(-9, 9, 5).astype(np.int32)
        for data in (lists, wrong):
            operands, _, expected = values(same, given, data)
            found = interpreter(kernel, same.symbols, operands, 3).run()["out"]
            assert np.array_equal(found.reshape(expected.shape), expected)


WORKER_FAULTS = {name: fault for name, fault in FAULTS.items() if "begins" not in name and "step" not in name}


@pytest.mark.parametrize("name", WORKER_FAULTS)
@pytest.mark.parametrize("sparse", SparseOperand)
def test_planted_faults_of_workers_are_refused(sparse: SparseOperand, name: str) -> None:
    kernel, low = worked(problem(sparse, DType.FP32))
    broken = WORKER_FAULTS[name](kernel)
    assert broken != kernel
    with pytest.raises(CertificationError):
        certify(broken, low.contraction, preset("avx2"))


@pytest.mark.parametrize("fields", [{"pack_b": True}, {"split_k": 2}, {"block_k": 16}, {"pack_a": True, "block_k": 16}])
def test_workers_keep_both_operands_in_place(fields: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="in place"):
        worked(problem(SparseOperand.A, DType.FP32), **fields)


@pytest.mark.parametrize("device", ["avx2", "avx512", "neon"])
def test_a_processors_policy_leaves_operands_in_place(device: str) -> None:
    decision = PolicyEngine(preset(device)).decide(topology_of(problem(SparseOperand.B, DType.FP32)))
    assert decision.heroes and not any(hero.pack_b or hero.block_k for hero in decision.heroes)


def test_gates_are_refused() -> None:
    op = BlockSparseGemmOp.of(40, pattern(), SparseOperand.A, DType.BF16)
    pairs = zip(op.input_shapes(), op.input_dtypes(), strict=True)
    gated = Problem(op, tuple(dense(*p) for p in pairs), dense((192, 20), DType.BF16), parse_epilogue("swiglu"))
    with pytest.raises(UnsupportedError, match="gated"):
        lower(gated)


def test_policies_see_blocks_and_order_lines_as_they_come() -> None:
    for sparse in SparseOperand:
        found = topology_of(problem(sparse))
        op = problem(sparse).op
        assert isinstance(op, BlockSparseGemmOp)
        assert found.kind == BlockSparse(op.width, op.depth, op.density) and found.listed
        sides = (op.width, 40) if op.of_a else (40, op.width)
        assert (found.batch, found.m, found.n, found.k) == (op.lines, *sides, op.k)
        assert found.work == pytest.approx(op.flops() / 2)
    decision = PolicyEngine(preset("a100")).decide(topology_of(problem(SparseOperand.A)))
    assert {hero.order for hero in decision.heroes} == {Order.ROW}


def test_drawn_lists_hold_every_case() -> None:
    random, seen = np.random.default_rng(0), set()
    for number in range(300):
        found = lists_drawn(70, 32, 3, number % 3 - 1, random)
        ends, stored, places = np.split(found[GROUP_ENDS], [3, 3 + found["stored"]])
        counts = np.diff(np.clip(ends, 0, found["stored"]), prepend=0)
        assert counts.max() >= 3 and stored.size == places.size == found["stored"]
        seen |= {"empty"} if 0 in counts else set()
        seen |= {"unlisted"} if ends[-1] < found["stored"] else set()
        seen |= {"twice"} if np.unique(places).size < places.size else set()
        seen |= {"long"} if ends[-1] > found["stored"] else set()
        seen |= {"before"} if min(places) < 0 and min(stored) < 0 else set()
        seen |= {"behind"} if max(places) >= found["places"] and max(stored) >= found["stored"] else set()
        seen |= {"last"} if counts[-1] and ends[-1] == found["stored"] else set()
    assert seen == {"empty", "unlisted", "twice", "long", "before", "behind", "last"}


def test_drawn_lists_may_all_be_long_and_what_lies_behind_them_is_nobody_s() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        found = lists_drawn(128, 32, 4, 0, random, every=True)
        ends, _, _ = np.split(found[GROUP_ENDS], [4, 4 + found["stored"]])
        assert np.diff(ends, prepend=0).tolist() == [4, 3, 4, 0] and ends[-1] == found["stored"]
        found = lists_drawn(32, 32, 2, 0, random, most=1, behind=1)
        ends, stored, places = np.split(found[GROUP_ENDS], [2, 2 + found["stored"]])
        assert np.diff(ends, prepend=0).max() == 1 and ends[-1] < found["stored"]
        assert stored[: ends[-1]].max() < stored[ends[-1] :].min() and sorted(stored) == [*range(found["stored"])]
        assert set(places[ends[-1] :]) == {found["places"] - 1} and found["places"] - 1 not in places[: ends[-1]]
