# SPDX-License-Identifier: MIT
"""Schedules store second results where they would have read a residual; certificates prove them, and refuse what is planted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, CertificationError, ConfigurationError
from tracea_core.ops.expr import Accumulator
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import trace
from tracea_core.pipeline.path import Path
from tracea_core.semantic.build.auxiliary import store_auxiliaries
from tracea_core.semantic.kernel import Direction, walk
from tracea_core.semantic.steps import Access, AsyncStore, Compute, Load, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.edit import edited

PRESETS = ("h200", "a100", "t4", "mi300x", "rx7900xtx", "pvc", "m1", "avx2", "avx512", "neon")
STORED = "auxiliary_1"


def path(preset: str, shape: tuple[int, int, int] = (256, 256, 128), dtype: DType = DType.FP16) -> Path:
    m, n, k = shape
    c = TensorSpec.contiguous
    epilogue = parse_epilogue("bias,auxiliary,gelu")
    inputs = c((m, k), dtype), TensorSpec((k, n), dtype, (1, k))
    extra = c((n,), DType.FP32), c((m, n), dtype)
    try:
        return trace(Problem(GemmOp(m, n, k, dtype=dtype), inputs, c((m, n), dtype), epilogue, extra), preset=preset)
    except BackendUnavailableError:
        pytest.skip("the backend is not installed")


def is_second(node: Node) -> bool:
    if isinstance(node, AsyncStore):
        return node.target.operand == STORED
    return isinstance(node, Store) and isinstance(node.target, Access) and node.target.operand == STORED


@pytest.fixture(scope="module")
def small() -> Path:
    return path("avx2", (13, 29, 9), DType.FP32)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_stores_it_and_reads_nothing_of_it(preset: str) -> None:
    made = path(preset)
    kernel = made.kernel
    nodes = [node for role in kernel.roles for node in walk(role.body)]
    assert any(is_second(node) for node in nodes)
    assert not any(isinstance(n, Load) and isinstance(n.source, Access) and n.source.operand == STORED for n in nodes)
    assert kernel.parameter(STORED).direction is Direction.WRITE
    (meaning,) = [proof for proof in made.certificate.proofs if proof.property == "meaning"]
    assert meaning.statement.endswith("and so is every element of auxiliary")


def test_a_kernel_without_second_results_is_left_as_it_is(small: Path) -> None:
    assert store_auxiliaries(small.kernel) is small.kernel


def moved(node: Node) -> tuple[Node, ...]:
    assert isinstance(node, Store) and isinstance(node.target, Access)
    return (node.replace(target=node.target.replace(offset=node.target.offset + 1)),)


def unguarded(node: Node) -> tuple[Node, ...]:
    assert isinstance(node, Store)
    return (node.replace(guard=()),)


def elsewhere(node: Node) -> tuple[Node, ...]:
    assert isinstance(node, Store) and isinstance(node.target, Access)
    return (node.replace(target=Access("out", node.target.offset)),)


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        (lambda node: (), "written 0 times"),
        (lambda node: (node, node), "written 2 times"),
        (moved, "touches element|written"),
        (unguarded, "touches element|written"),
        (elsewhere, "touches element|written|holds"),
    ],
    ids=["left out", "twice", "moved", "unguarded", "elsewhere"],
)
def test_a_fault_in_the_second_store_is_refused(
    small: Path, fault: Callable[[Node], tuple[Node, ...]], what: str
) -> None:
    wrong = edited(small.kernel, lambda node: fault(node) if is_second(node) else (node,))
    assert wrong != small.kernel
    with pytest.raises(CertificationError, match=what):
        certify(wrong, small.lowered.form, small.target.profile)


def test_another_value_in_its_place_is_refused(small: Path) -> None:
    def plain(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Compute) and node.target.startswith(STORED):
            node = node.replace(expr=Accumulator(), operands=())
        return (node,)

    wrong = edited(small.kernel, plain)
    assert wrong != small.kernel
    with pytest.raises(CertificationError, match="elements are wrong"):
        certify(wrong, small.lowered.form, small.target.profile)


def test_a_schedule_that_never_reads_the_place_is_refused(small: Path) -> None:
    """The step names a second result, and no load says where it lies."""
    (role,) = small.kernel.roles
    expr = parse_epilogue("auxiliary").expr
    lost = Compute(STORED, expr, DType.FP32, ("acc",), (STORED,))
    kernel = small.kernel.replace(roles=(role.replace(body=(lost,)),))
    with pytest.raises(ConfigurationError, match="cannot store a second result"):
        store_auxiliaries(kernel)
