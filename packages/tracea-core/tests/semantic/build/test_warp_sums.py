# SPDX-License-Identifier: MIT
"""Warpgroups sum the columns of what they stage; certificates prove that, and refuse what is planted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, CertificationError, ConfigurationError, UnsupportedError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import trace
from tracea_core.pipeline.path import Path, build
from tracea_core.semantic.build.auxiliary import require_sums
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import Const
from tracea_core.semantic.lower import lower
from tracea_core.semantic.row_steps import AddRows, Mask
from tracea_core.semantic.steps import Access, Barrier, Compute, Load, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import edited

LAST = (0, 2, 3, 1)


def convolution(
    block: int = 64,
    taps: int = 3,
    channels: int = 64,
    order: tuple[int, ...] = LAST,
    images: int = 4,
    groups: int = 1,
    epilogue: str = "",
) -> Problem:
    padding = (taps // 2, taps // 2)
    op = Conv2dOp(images, 64, 20, 20, channels, taps, taps, (1, 1), padding, groups=groups, dtype=DType.BF16)
    inputs = tuple(dense(shape, DType.BF16, order) for shape in op.input_shapes())
    sums = TensorSpec.contiguous((3, -(-400 * images // block), channels), DType.FP32)
    output = dense(op.output_shape(), DType.BF16, order)
    return Problem(op, inputs, output, parse_epilogue(f"{epilogue}sums:{block}"), (sums,))


@pytest.fixture(scope="module")
def made() -> Path:
    try:
        return trace(convolution(), preset="h200")
    except BackendUnavailableError:
        pytest.skip("the backend is not installed")


def test_every_element_of_the_sums_is_proved(made: Path) -> None:
    (meaning,) = [proof for proof in made.certificate.proofs if proof.property == "meaning"]
    assert meaning.statement.endswith("and so is every element of sums")
    assert made.choice.variant.schedule == "warp_specialized"
    assert trace(convolution(taps=1, channels=128), preset="h200").certificate.proofs


def test_rows_are_what_is_summed() -> None:
    for images in (1, 4):
        with pytest.raises(UnsupportedError, match="rows of one matrix"):
            lower(convolution(order=(0, 1, 2, 3), images=images), pixels=True)
    with pytest.raises(UnsupportedError, match="of one group"):
        lower(convolution(groups=2), pixels=True)
    with pytest.raises(UnsupportedError, match="sums, products and comparisons"):
        lower(convolution(epilogue="gelu,"), pixels=True)
    bare = convolution()
    bare = bare.replace(epilogue=bare.epilogue.without_sums(), epilogue_inputs=())
    assert lower(bare).form.sums is None and '"sums"' not in lower(bare).form.to_json()


def test_a_schedule_that_does_not_know_sums_is_refused(made: Path) -> None:
    bare = made.problem.replace(epilogue=made.problem.epilogue.without_sums(), epilogue_inputs=())
    assert isinstance(made.lowered.form, Contraction) and made.lowered.form.sums is not None
    with pytest.raises(ConfigurationError, match="sums no columns"):
        require_sums(trace(bare, preset="h200").kernel, made.lowered.form.sums)
    with pytest.raises(UnsupportedError, match="sums no columns"):
        trace(made.problem, preset="avx2")


def test_sums_kept_in_fewer_bits_are_refused(made: Path) -> None:
    roles = tuple(
        role.replace(
            fragments=tuple(f.replace(dtype=DType.BF16) if f.name == "sums_total" else f for f in role.fragments)
        )
        for role in made.kernel.roles
    )
    with pytest.raises(CertificationError, match="holds"):
        certify(made.kernel.replace(roles=roles), made.lowered.form, made.target.profile)


def test_what_warpgroups_cannot_sum_says_so(made: Path) -> None:
    with pytest.raises(ConfigurationError, match="columns are summed"):
        trace(convolution(128), preset="h200")
    with pytest.raises(ConfigurationError, match="by 64 columns"):
        build(made.choice, made.configuration.replace(tile_n=32))


def not_masked(node: Node) -> tuple[Node, ...]:
    return () if isinstance(node, Mask) else (node,)


def not_waited_for(node: Node) -> tuple[Node, ...]:
    return () if isinstance(node, Barrier) and node.name == "sums_written" else (node,)


def a_warp_left_out(node: Node) -> tuple[Node, ...]:
    return (node.replace(rows=Const(3)),) if isinstance(node, AddRows) and node.target == "sums_added" else (node,)


def a_row_left_out(node: Node) -> tuple[Node, ...]:
    return (node.replace(rows=Const(15)),) if isinstance(node, AddRows) and node.target == "sums_total" else (node,)


def twice(node: Node) -> tuple[Node, ...]:
    return (node, node) if _is_stored(node) else (node,)


def left_out(node: Node) -> tuple[Node, ...]:
    return () if _is_stored(node) else (node,)


def unguarded(node: Node) -> tuple[Node, ...]:
    return (node.replace(guard=()),) if _is_stored(node) and isinstance(node, Store) else (node,)


def about_another_row(node: Node) -> tuple[Node, ...]:
    """Differences are from another row of the chunk."""
    if isinstance(node, Load) and node.fragment == "sums_top" and not isinstance(node.source, Access):
        buffer, consumer, _, column = node.source.coordinates
        return (node.replace(source=node.source.replace(coordinates=(buffer, consumer, Const(1), column))),)
    return (node,)


def unsquared(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Compute) and node.target == "sums_squared":
        return (node.replace(expr=node.expr.x),)  # type: ignore[union-attr]
    return (node,)


def _is_stored(node: Node) -> bool:
    return isinstance(node, Store) and isinstance(node.target, Access) and node.target.operand == "sums"


FAULTS: list[Callable[[Node], tuple[Node, ...]]] = [
    not_masked, not_waited_for, a_warp_left_out, a_row_left_out, twice, left_out, unguarded, about_another_row, unsquared,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_refused(made: Path, fault: Callable[[Node], tuple[Node, ...]]) -> None:
    with pytest.raises(CertificationError):
        certify(edited(made.kernel, fault), made.lowered.form, made.target.profile)
