# SPDX-License-Identifier: MIT
"""Kernels as people read them: every declaration and every kind of node is there, indented under what holds it."""

from __future__ import annotations

import itertools
import types
import typing
from collections.abc import Iterator

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.expr import BinaryFn
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import column_sums, parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.order import Order
from tracea_core.semantic import steps
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.rows import rows_kernel
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.build.warp_chain import warp_chain_kernel
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.show import program, show
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.null import PROFILE

HOLDING = (steps.Loop, steps.Staged, steps.If)


def panel(along_k: bool = False) -> SemanticKernel:
    t = TensorSpec.contiguous
    b = TensorSpec((9, 9), DType.FP32, (1, 9)) if along_k else t((9, 9), DType.FP32)
    problem = Problem(
        GemmOp(9, 9, 9), (t((9, 9), DType.FP32), b), t((9, 9), DType.FP32),
        parse_epilogue("bias,relu"), (t((9,), DType.FP32),),
    )  # fmt: skip
    configuration = PipelineConfig(tile_m=4, tile_n=8, tile_k=4, stages=1)
    return panel_kernel(lower(problem).contraction, configuration, PROFILE, "null.contraction.fp32", "gemm")


def uniform() -> SemanticKernel:
    spec = TensorSpec.contiguous((256, 256), DType.BF16)
    problem = Problem(GemmOp(256, 256, 256, dtype=DType.BF16), (spec, spec), spec)
    configuration = PipelineConfig(
        tile_m=64, tile_n=64, tile_k=32, stages=3, warps=4, vector_a=8, vector_b=8, vector_c=8, order=Order.GROUPED
    )
    contraction = lower(problem).contraction
    return multistage_kernel(contraction, configuration, preset("a100"), "v", "gemm", "mma_m16n8k16_bf16")


def row_kernel() -> SemanticKernel:
    spec = TensorSpec.contiguous((9, 9), DType.FP32)
    configuration = PipelineConfig(tile_m=1, tile_n=8, tile_k=1, stages=1, warps=1)
    form = lower_rowwise(Problem(SoftmaxOp((9, 9)), (spec,), spec)).form
    return rows_kernel(form, configuration, PROFILE, "null.rowwise.fp32", "softmax")


def attention() -> SemanticKernel:
    form = lower_chained(chain_problem(AttentionOp(1, 1, 9, 9, 16, dtype=DType.BF16))).form
    configuration = PipelineConfig(tile_m=16, tile_n=16, tile_k=16, stages=2, warps=1, vector_a=8, vector_b=8)
    return warp_chain_kernel(form, configuration, preset("a100"), "v", "attention", "mma_m16n8k16_bf16")


def summed(hopper) -> SemanticKernel:
    plain = hopper.problem(512, 512, 512)
    sums = TensorSpec.contiguous((3, 8, 512), DType.FP32)
    form = lower(plain.replace(epilogue=column_sums(64), epilogue_inputs=(sums,))).contraction
    return specialized_kernel(form, hopper.configuration(), hopper.profile, "cuda.contraction.wgmma", "gemm")


def flat(nodes: tuple[steps.Node, ...]) -> Iterator[steps.Node]:
    for node in nodes:
        yield node
        for part in ("body", "then", "otherwise"):
            yield from flat(getattr(node, part, ()))


def kinds(kernel: SemanticKernel) -> set[type]:
    return {type(node) for role in kernel.roles for node in flat(role.body)}


@pytest.fixture(scope="module", params=["panel", "specialized"])
def kernel(request, hopper) -> SemanticKernel:
    return panel() if request.param == "panel" else hopper.kernel(hopper.configuration(cluster=(2, 1)), epilogue=True)


def test_every_declaration_is_named(kernel: SemanticKernel) -> None:
    text = show(kernel)
    for declared in (*kernel.parameters, *kernel.symbols, *kernel.buffers, *kernel.rings, *kernel.roles):
        assert declared.name in text
    for role in kernel.roles:
        assert all(f"fragment {fragment.name}:" in text for fragment in role.fragments)


def test_every_node_has_a_line_of_its_own(kernel: SemanticKernel) -> None:
    for role in kernel.roles:
        nodes = list(flat(role.body))
        lines = list(program(role.body))
        otherwise = sum(isinstance(node, steps.If) and bool(node.otherwise) for node in nodes)
        assert len(lines) == len(nodes) + otherwise
        assert all(line.strip() and "Index" not in line and "tag=" not in line for line in lines)


def test_what_stands_inside_is_indented(kernel: SemanticKernel) -> None:
    lines = [line for role in kernel.roles for line in program(role.body)]
    for before, after in itertools.pairwise(lines):
        if before.endswith(":"):
            assert len(after) - len(after.lstrip()) == len(before) - len(before.lstrip()) + 2


def test_the_schedules_together_use_every_kind_of_node(hopper) -> None:
    members = {member for part in typing.get_args(steps.Node) for member in (typing.get_args(part) or (part,))}
    shown = kinds(panel()) | kinds(panel(along_k=True))
    shown |= kinds(hopper.kernel(hopper.configuration(cluster=(2, 1)), epilogue=True))
    shown |= kinds(hopper.kernel(hopper.configuration(), epilogue=True, aligned_out=False)) | kinds(uniform())
    turns = hopper.configuration(64, barrier_mode=BarrierMode.PING_PONG, warps=12)
    shown |= kinds(row_kernel()) | kinds(attention()) | kinds(hopper.kernel(turns)) | kinds(summed(hopper))
    assert all(isinstance(member, type) and not isinstance(member, types.UnionType) for member in members)
    assert members - shown <= set(), sorted(member.__name__ for member in members - shown)


def test_nodes_that_differ_are_told_apart() -> None:
    pairs = [
        (steps.Acquire("stage", steps.Side.FULL), steps.Acquire("stage", steps.Side.EMPTY)),
        (steps.Release("stage"), steps.Release("stage", 1)),
        (steps.Expect("stage", 16), steps.Expect("stage", 32)),
        (steps.Barrier(steps.Scope.ROLE, "x"), steps.Barrier(steps.Scope.ROLE, "y")),
        (steps.Wait(steps.AsyncKind.MMA, 0), steps.Wait(steps.AsyncKind.MMA, 1)),
        (steps.Commit(steps.AsyncKind.MMA), steps.Commit(steps.AsyncKind.STORE)),
        (steps.ProxyFence(), steps.SchedulingFence()),
        (steps.AccumulatorFence("acc"), steps.AccumulatorFence("other")),
        (steps.Fill("acc", 0.0), steps.Fill("acc", 1.0)),
        (steps.Fold("sum", "acc", BinaryFn.ADD), steps.Fold("sum", "acc", BinaryFn.MAXIMUM)),
        (steps.Mask("acc", (), 0.0), steps.Mask("acc", (), 1.0)),
        (steps.Count("acc", Const(1)), steps.Count("acc", Const(2))),
        (steps.Prefetch("x", Const(1), 1), steps.Prefetch("x", Const(1), 2)),
        (
            steps.AsyncCopy("x", steps.Access("a", Const(0)), steps.BufferRef("tile", (Const(0),))),
            steps.AsyncCopy("x", steps.Access("a", Const(1)), steps.BufferRef("tile", (Const(0),))),
        ),
        (
            steps.Fetch(steps.Box("x", (), (), (Const(0),), (1,))),
            steps.Fetch(steps.Box("x", (), (), (Const(1),), (1,))),
        ),
    ]
    for one, other in pairs:
        assert list(program((one,))) != list(program((other,)))
