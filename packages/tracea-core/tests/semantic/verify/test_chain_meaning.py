# SPDX-License-Identifier: MIT
"""Chained kernels are certified, visit only blocks of keys that are seen, and every planted mistake is found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.errors import CertificationError, UnsupportedError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.expr import BinaryFn
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.chain import chain_kernel
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import Const, evaluate, symbols
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.row_steps import Fold, Mask
from tracea_core.semantic.steps import Compute, Fill, If, Let, Load, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.chain_meaning import ChainInstance, _strides
from tracea_core.testing.cases import dense
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited
from tracea_core.testing.faults import faults

AVX2 = preset("avx2")
WINDOW = AttentionOp(1, 2, 9, 20, 8, left=5, right=2)
LOW_RANK = LowRankOp(9, 11, 8, 5)


def made(op: AttentionOp | LowRankOp) -> tuple[SemanticKernel, Chained]:
    form = lower_chained(chain_problem(op)).form
    config = PipelineConfig(tile_m=2, tile_n=8, tile_k=1, stages=1, warps=1, block_k=16)
    return chain_kernel(form, config, AVX2, "cpu.chained.x", "chain"), form


def _hides_from_the_maximum(node: If) -> bool:
    return len(node.guard) == 3 and any(isinstance(mask, Mask) and mask.value < 0 for mask in node.otherwise)


@pytest.mark.parametrize("op", [WINDOW, AttentionOp(1, 4, 9, 9, 8, causal=True, kv_heads=2), LOW_RANK])
def test_kernels_are_certified(op: AttentionOp | LowRankOp) -> None:
    kernel, form = made(op)
    assert any(proof.property == "meaning" for proof in certify(kernel, form, AVX2).proofs)


@pytest.mark.parametrize("op", [AttentionOp(2, 3, 1, 9, 8), AttentionOp(1, 2, 5, 1, 8), AttentionOp(1, 1, 1, 1, 1)])
def test_an_axis_of_one_element_has_a_stride_of_its_own(op: AttentionOp) -> None:
    """Columns apart and one row: both strides are 1 as they are given, and a kernel of that form could store no second row."""
    places = {
        name: dense(shape, op.dtype, (0, 1, 3, 2))
        for name, shape in zip(
            ("input0", "input1", "input2", "out"), (*op.input_shapes(), op.output_shape()), strict=True
        )
    }
    assert any(spec.strides[2:] == (1, 1) for spec in places.values())
    form = lower_chained(chain_problem(op, **places)).form
    terms = (form.left, form.middle, form.right, form.out)
    names = [{symbol for symbol in symbols(term.offset) if symbol.endswith(("_row", "_column"))} for term in terms]
    assert all(len(strides) == 1 for strides in names), "the other one is 1"
    config = PipelineConfig(tile_m=2, tile_n=8, tile_k=1, stages=1, warps=1, block_k=16)
    kernel = chain_kernel(form, config, AVX2, "cpu.chained.x", "chain")
    assert any(proof.property == "meaning" for proof in certify(kernel, form, AVX2).proofs)


def test_the_form_defines_what_the_op_defines() -> None:
    random = np.random.default_rng(0)
    op = AttentionOp(1, 2, 9, 20, 8, left=5, right=2)
    q, k, v = (random.standard_normal(shape) for shape in op.input_shapes())
    lowered = lower_chained(chain_problem(op))
    seen = lowered.form.visible(lowered.symbols)
    got = lowered.form.define(q[0], k[0].transpose(0, 2, 1), v[0], [], seen)
    assert np.allclose(got, op.reference(q, k, v)[0], rtol=1e-12)


def let(kernel: SemanticKernel, name: str) -> Let:
    return next(node for node in walk(kernel.roles[0].body) if isinstance(node, Let) and node.name == name)


def test_only_blocks_that_are_seen_are_visited() -> None:
    kernel, _ = made(WINDOW)
    places = {"m": 200, "keys": 200, "window_left": 5, "window_right": 2, "row0": 100, "blocks_of_keys": 13}
    first, stop = (int(evaluate(let(kernel, name).value, places)) for name in ("first_block", "stop_block"))
    assert (first, stop) == (95 // 16, -(-(101 + 2 + 1) // 16))


BUGS: dict[str, tuple[AttentionOp | LowRankOp, Callable[[Node], tuple[Node, ...]]]] = {
    "a maximum over hidden keys of a block that begins before the window": (
        WINDOW,
        lambda n: (n.replace(guard=n.guard[:2]),) if isinstance(n, If) and _hides_from_the_maximum(n) else (n,),
    ),
    "no masks": (WINDOW, lambda n: () if isinstance(n, Mask) else (n,)),
    "a mask that forgets the left side": (
        WINDOW,
        lambda n: (n.replace(guard=n.guard[:2]),) if isinstance(n, Mask) else (n,),
    ),
    "a block too few": (
        WINDOW,
        lambda n: (n.replace(value=n.value - 1),) if isinstance(n, Let) and n.name == "stop_block" else (n,),
    ),
    "a block too late": (
        WINDOW,
        lambda n: (n.replace(value=n.value + 1),) if isinstance(n, Let) and n.name == "first_block" else (n,),
    ),
    "keys of another head": (
        AttentionOp(1, 4, 9, 9, 8, kv_heads=2),
        lambda n: (n.replace(value=Const(0)),) if isinstance(n, Let) and n.name == "kv_head" else (n,),
    ),
    "a maximum from 0": (
        WINDOW,
        lambda n: (n.replace(value=0.0),) if isinstance(n, Fill) and n.fragment in ("part", "top") else (n,),
    ),
    "totals folded by the maximum": (
        WINDOW,
        lambda n: (n.replace(fn=BinaryFn.MAXIMUM),) if isinstance(n, Fold) and n.target == "block_total" else (n,),
    ),
    "sums that are not rescaled": (
        WINDOW,
        lambda n: () if isinstance(n, Compute) and n.operands == ("correction",) and n.target == "tile" else (n,),
    ),
    "sums that are not cleared": (LOW_RANK, lambda n: () if isinstance(n, Fill) and n.fragment == "tile" else (n,)),
    "a store without its edge": (
        LOW_RANK,
        lambda n: (n.replace(guard=()),) if isinstance(n, Store) and n.fragment == "result" else (n,),
    ),
    "a load without its edge": (
        LOW_RANK,
        lambda n: (n.replace(guard=()),) if isinstance(n, Load) and n.guard else (n,),
    ),
}


@pytest.mark.parametrize("name", BUGS)
def test_planted_mistakes_are_found(name: str) -> None:
    op, edit = BUGS[name]
    kernel, form = made(op)
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError):
        certify(wrong, form, AVX2)


@pytest.mark.parametrize("name", ["first_block", "first_packed"])
def test_blocks_counted_one_key_too_short_are_found(name: str) -> None:
    """Only a row that sees no more of a block than its last key shows that the block was left out."""
    kernel, form = made(WINDOW)
    (wrong,) = (f.kernel for f in faults(kernel) if f.words == f"worker: Let {name}: value: 15 for 16")
    with pytest.raises(CertificationError, match="'m': 17"):
        certify(wrong, form, AVX2)


@pytest.mark.parametrize("words", ["Loop panel: start: 3 for 2", "Let first_block: value: - for +"])
def test_what_another_tile_packed_for_the_same_worker_is_not_there(words: str) -> None:
    """Blocks of keys before a window are hidden wherever they are read: they must not have been packed by an earlier tile."""
    kernel, form = made(WINDOW)
    (wrong,) = (f.kernel for f in faults(kernel) if f.words == f"worker: {words}")
    with pytest.raises(CertificationError, match="read where nothing was written"):
        certify(wrong, form, AVX2)


@pytest.mark.parametrize("seed", range(8))
def test_towers_that_are_seen_lie_far_above_all_else(seed: int) -> None:
    """Also where the row sees keys that are hidden from the next one, which are all alike and large."""
    _, form = made(WINDOW)
    values = {symbol.name: 1 for symbol in form.symbols}
    values |= {"items": 1, "m": 64, "n": 16, "k": 16, "keys": 127, "window_left": 13, "window_right": 200}
    values |= _strides(form, values, np.random.default_rng(seed), dict.fromkeys(values, 1))
    found = ChainInstance(form, values, "tower", seed)
    scores = np.where(form.visible(values), found.left[0] @ found.middle[0], -np.inf)
    second, first = np.sort(scores, axis=1)[1::2, -2:].T  # of every other row: those between may have hidden towers
    assert np.all((first - second) / np.sqrt(16) > 710)


def test_lengths_from_memory_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="lengths"):
        lower_chained(chain_problem(AttentionOp(2, 1, 4, 4, 8, lengths=True)))
