# SPDX-License-Identifier: MIT
"""Attention by warps: certified for every mask, within its budgets, and every planted mistake is found."""

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
from tracea_core.semantic.build.warp_chain import warp_chain_kernel
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import Sym, evaluate, substitute
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.row_steps import Fold, Join, Mask
from tracea_core.semantic.steps import AsyncCopy, Barrier, Compute, Fill, If, Let, Load, Mma, Node, Transfer, Wait
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited

A100 = preset("a100")
FULL = AttentionOp(1, 2, 40, 70, 32, dtype=DType.BF16)
WINDOW = AttentionOp(1, 2, 40, 70, 32, left=9, right=4, dtype=DType.BF16)
SHARED = AttentionOp(1, 4, 40, 40, 32, kv_heads=2, causal=True, dtype=DType.BF16)
SMALL = PipelineConfig(tile_m=32, tile_n=16, tile_k=32, stages=2, warps=2, vector_a=8, vector_b=8, vector_c=2)


def made(op: AttentionOp, config: PipelineConfig = SMALL) -> tuple[SemanticKernel, Chained]:
    form = lower_chained(chain_problem(op)).form
    name = f"mma_m16n8k16_{op.dtype.value}"
    return warp_chain_kernel(form, config, A100, "cuda.chained.x", "attention", name), form


@pytest.mark.parametrize(
    ("op", "config"),
    [
        (FULL, SMALL),
        (WINDOW, SMALL.replace(stages=3)),
        (SHARED, SMALL.replace(tile_m=64, tile_n=32)),
        (AttentionOp(1, 2, 40, 40, 48, causal=True, scale=-0.3, dtype=DType.FP16), SMALL.replace(tile_k=48, warps=1)),
    ],
    ids=["full", "window", "shared-heads", "scores-that-fall"],
)
def test_kernels_are_certified(op: AttentionOp, config: PipelineConfig) -> None:
    kernel, form = made(op, config)
    proofs = {proof.property for proof in certify(kernel, form, A100).proofs}
    assert {"meaning", "lanes", "banks", "budgets"} <= proofs


def let(kernel: SemanticKernel, name: str) -> Let:
    return next(node for node in walk(kernel.roles[0].body) if isinstance(node, Let) and node.name == name)


def test_only_blocks_of_keys_that_are_seen_are_visited() -> None:
    kernel, _ = made(WINDOW)
    places = {"m": 200, "keys": 300, "diagonal": 100, "window_left": 9, "window_right": 4, "row0": 96}
    first, stop = (int(evaluate(let(kernel, name).value, places)) for name in ("first_block", "stop_block"))
    assert (first, stop) == ((96 + 100 - 9) // 16, -(-(96 + 32 + 100 + 4) // 16))


def test_the_longest_rows_begin_first() -> None:
    kernel, _ = made(SHARED)
    rows = [evaluate(let(kernel, "row0").value, {"block": block, "row_tiles": 4}) for block in range(5)]
    assert rows == [96, 64, 32, 0, 96]


BUGS: dict[str, tuple[AttentionOp, Callable[[Node], tuple[Node, ...]]]] = {
    "no masks": (FULL, lambda n: () if isinstance(n, Mask) else (n,)),
    "a mask off by one": (
        WINDOW,
        lambda n: (
            (n.replace(guard=tuple(t.replace(right=t.right + 1) if i == 1 else t for i, t in enumerate(n.guard))),)
            if isinstance(n, Mask)
            else (n,)
        ),
    ),
    "masks of a warp that looks one key too far": (
        WINDOW,
        lambda n: (
            (n.replace(guard=(n.guard[0], n.guard[1].replace(right=n.guard[1].right + 1), *n.guard[2:])),)
            if isinstance(n, If) and n.otherwise
            else (n,)
        ),
    ),
    "a block of keys too few": (
        WINDOW,
        lambda n: (n.replace(value=n.value - 1),) if isinstance(n, Let) and n.name == "stop_block" else (n,),
    ),
    "a block of keys too late": (
        WINDOW,
        lambda n: (n.replace(value=n.value + 1),) if isinstance(n, Let) and n.name == "first_block" else (n,),
    ),
    "keys of another head": (
        SHARED,
        lambda n: (n.replace(value=n.value + 1),) if isinstance(n, Let) and n.name == "kv_head" else (n,),
    ),
    "sums that are not rescaled": (
        FULL,
        lambda n: () if isinstance(n, Compute) and n.target.startswith("sum") else (n,),
    ),
    "totals that are not rescaled": (
        FULL,
        lambda n: () if isinstance(n, Compute) and n.target == "total0" and n.operands else (n,),
    ),
    "scores added where the maximum is wanted": (
        FULL,
        lambda n: (n.replace(fn=BinaryFn.ADD),) if isinstance(n, Fold) and n.source == "part" else (n,),
    ),
    "a maximum that misses an instruction's keys": (
        FULL,
        lambda n: (
            (n.replace(expr=Accumulator(0), accumulators=n.accumulators[:1]),)
            if isinstance(n, Compute) and n.target == "part"
            else (n,)
        ),
    ),
    "a maximum that takes one instruction's keys twice": (
        FULL,
        lambda n: (
            (n.replace(accumulators=(n.accumulators[0], n.accumulators[0])),)
            if isinstance(n, Compute) and n.target == "part"
            else (n,)
        ),
    ),
    "a total of one lane": (
        FULL,
        lambda n: (n.replace(fn=BinaryFn.MAXIMUM),) if isinstance(n, Fold) and n.source == "total0" else (n,),
    ),
    "a maximum from 0": (
        FULL,
        lambda n: (n.replace(value=0.0),) if isinstance(n, Fill) and n.fragment.startswith("top") else (n,),
    ),
    "weights joined the wrong way round": (
        FULL,
        lambda n: (n.replace(sources=n.sources[::-1]),) if isinstance(n, Join) else (n,),
    ),
    "values that are not transposed": (
        FULL,
        lambda n: (
            (n.replace(transfer=Transfer.MATRIX),)
            if isinstance(n, Load) and n.transfer is Transfer.MATRIX_TRANSPOSED
            else (n,)
        ),
    ),
    "a product left out": (FULL, lambda n: () if isinstance(n, Mma) and n.accumulator == "sum0_3" else (n,)),
    "no wait for copies": (FULL, lambda n: () if isinstance(n, Wait) else (n,)),
    "no barrier before a slot is written again": (FULL, lambda n: () if isinstance(n, Barrier) else (n,)),
    "copies that read beyond the last column": (
        FULL,
        lambda n: (n.replace(guard=()),) if isinstance(n, AsyncCopy) else (n,),
    ),
    "copies that read beyond the last key": (
        FULL,
        lambda n: (
            (n.replace(source=n.source.replace(offset=substitute(n.source.offset, {"keys": Sym("keys") + 1}))),)
            if isinstance(n, AsyncCopy)
            else (n,)
        ),
    ),
}


@pytest.mark.parametrize("name", BUGS)
def test_planted_mistakes_are_found(name: str) -> None:
    op, edit = BUGS[name]
    kernel, form = made(op)
    wrong = edited(kernel, edit)
    assert wrong != kernel
    with pytest.raises(CertificationError):
        certify(wrong, form, A100)


def test_a_launch_of_a_block_too_few_is_refused() -> None:
    """Where there is no work, that is less than none."""
    kernel, form = made(FULL)
    launch = kernel.launch.replace(blocks=kernel.launch.blocks - 1)
    with pytest.raises(CertificationError, match="written 0 times"):
        certify(kernel.replace(launch=launch), form, A100)


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match="warps do not divide"):
        made(FULL, SMALL.replace(warps=3))
    with pytest.raises(ConfigurationError, match="multiple of 16"):
        made(FULL, SMALL.replace(tile_n=24))
    with pytest.raises(ConfigurationError, match="shared memory"):
        made(FULL, SMALL.replace(tile_m=256, tile_n=128, tile_k=256, warps=8))
    with pytest.raises(ConfigurationError, match="registers"):
        made(FULL, SMALL.replace(tile_m=128, tile_n=64, tile_k=128, warps=2))
    across = TensorSpec((1, 2, 70, 32), DType.BF16, (4480, 2240, 1, 70))
    form = lower_chained(chain_problem(FULL, input1=across)).form
    with pytest.raises(ConfigurationError, match="lie together"):
        warp_chain_kernel(form, SMALL, A100, "v", "attention", "mma_m16n8k16_bf16")
    low_rank = lower_chained(chain_problem(LowRankOp(8, 8, 8, 8, dtype=DType.BF16))).form
    with pytest.raises(ConfigurationError, match="no softmax"):
        warp_chain_kernel(low_rank, SMALL, A100, "v", "low_rank", "mma_m16n8k16_bf16")
