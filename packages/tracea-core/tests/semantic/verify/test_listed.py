# SPDX-License-Identifier: MIT
"""Positions and lengths of lists are divided by what a block and a step have; all else is refused, however long lists would have to be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.problem import Problem
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp, SparseOperand
from tracea_core.plugin.manager import plugins
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Test
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.rewrite import map_indices
from tracea_core.semantic.verify.listed import check_lists, longest
from tracea_core.testing.cases import dense


def listed(preset: str, dtype: DType) -> tuple[SemanticKernel, Contraction]:
    op = BlockSparseGemmOp.of(256, BlockPattern.from_mask(np.eye(4, dtype=np.bool_), 64, 64), SparseOperand.A, dtype)
    inputs = tuple(map(dense, op.input_shapes(), op.input_dtypes()))
    target = preset_target(preset)
    variants = plugins().manifest(target.backend).variants(target.profile)
    choice = choose(Problem(op, inputs, dense(op.output_shape(), op.output_dtype())), target, variants)
    lowered = lower_any(choice.problem, choice.variant)
    heroes = PolicyEngine(target.profile).decide(choice.problem, choice.variant).heroes
    config = first_buildable(lowered, heroes, target.profile, choice.variant)
    form = lowered.form
    assert isinstance(form, Contraction)
    return build_kernel(form, config, target.profile, choice.variant), form


@pytest.fixture(scope="module", params=[("a100", DType.BF16), ("avx2", DType.FP32)], ids=["blocks", "workers"])
def kernel(request: pytest.FixtureRequest) -> tuple[SemanticKernel, Contraction]:
    return listed(*request.param)


def edited(kernel: SemanticKernel, change: Callable[[IndexOp], Index]) -> SemanticKernel:
    """The kernel with every operation of its expressions changed."""

    def visit(expr: Index) -> Index:
        if not isinstance(expr, IndexOp):
            return expr
        return change(IndexOp(expr.fn, visit(expr.left), visit(expr.right)))

    (role,) = kernel.roles
    body = map_indices(role.body, visit, lambda test: Test(test.fn, visit(test.left), visit(test.right)))
    return kernel.replace(roles=(role.replace(body=body),))


def test_kernels_that_ship_are_accepted(kernel: tuple[SemanticKernel, Contraction]) -> None:
    assert check_lists(*kernel) == ()


@pytest.mark.parametrize("more", [-1, 1])
def test_another_divisor_is_refused(kernel: tuple[SemanticKernel, Contraction], more: int) -> None:
    found, form = kernel
    assert form.lists is not None

    def change(expr: IndexOp) -> Index:
        own = expr.fn is IndexFn.FLOORDIV and expr.right == Const(form.lists.run)  # type: ignore[union-attr]
        return IndexOp(expr.fn, expr.left, Const(form.lists.run + more)) if own else expr  # type: ignore[union-attr]

    changed = edited(found, change)
    assert changed != found
    with pytest.raises(CertificationError, match="is divided otherwise"):
        check_lists(changed, form)


@pytest.mark.parametrize("more", [-1, 1])
def test_steps_of_another_length_are_refused(more: int) -> None:
    found, form = listed("a100", DType.BF16)
    step = found.configuration.tile_k

    def counted(expr: IndexOp) -> Index:
        return IndexOp(expr.fn, expr.left, Const(step + more)) if expr.right == Const(step) else expr

    for fn, words in ((IndexFn.MUL, "position"), (IndexFn.FLOORDIV, "length")):
        changed = edited(found, lambda expr, fn=fn: counted(expr) if expr.fn is fn else expr)  # type: ignore[misc]
        with pytest.raises(CertificationError, match=words):
            check_lists(changed, form)


def test_lists_are_as_long_as_a_ring_goes_round_twice() -> None:
    found, form = listed("a100", DType.BF16)
    assert form.lists is not None
    config, blocks = found.configuration, longest(found, form.lists.run)
    assert (blocks - 1) * form.lists.run >= (2 * config.stages + 2) * config.tile_k
    assert longest(found, 1 << 20) == 4
