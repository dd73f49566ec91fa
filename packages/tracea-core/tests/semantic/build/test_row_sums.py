# SPDX-License-Identifier: MIT
"""Tiles add their rows to sums of columns; certificates prove that, and refuse what is planted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, CertificationError, ConfigurationError, UnsupportedError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Expr, Operand
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import trace
from tracea_core.pipeline.path import Path, build
from tracea_core.semantic.build.auxiliary import require_sums
from tracea_core.semantic.contraction import ColumnSums, Contraction
from tracea_core.semantic.index import Const, IndexFn, IndexOp
from tracea_core.semantic.kernel import walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.row_steps import AddRows, Count
from tracea_core.semantic.steps import Access, BufferRef, Compute, Extract, Fill, Let, Load, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import edited

c = TensorSpec.contiguous
BLOCK = 12


def convolution(
    order: tuple[int, ...] = (0, 1, 2, 3), block: int = BLOCK, epilogue: str = "bias", groups: int = 1
) -> Problem:
    op = Conv2dOp(2, 4, 7, 5, 6, 3, 3, (1, 1), (1, 1), groups=groups)
    inputs = tuple(dense(shape, DType.FP32, order) for shape in op.input_shapes())
    sums = c((3, -(-70 // block), 6), DType.FP32)
    stages, extra = (
        (f"{epilogue},sums:{block}", (c((6,), DType.FP32), sums)) if epilogue else (f"sums:{block}", (sums,))
    )
    return Problem(op, inputs, dense(op.output_shape(), DType.FP32, order), parse_epilogue(stages), extra)


def product(block: int = BLOCK, by_rows: bool = True) -> Problem:
    m, n, k = 70, 33, 9
    out = c((m, n), DType.FP32) if by_rows else TensorSpec((m, n), DType.FP32, (1, m))
    sums = c((3, -(-m // block), n), DType.FP32)
    return Problem(
        GemmOp(m, n, k), (c((m, k), DType.FP32), c((k, n), DType.FP32)), out, parse_epilogue(f"sums:{block}"), (sums,)
    )


def path(problem: Problem, preset: str = "avx2") -> Path:
    try:
        return trace(problem, preset=preset)
    except BackendUnavailableError:
        pytest.skip("the backend is not installed")


@pytest.fixture(scope="module")
def planar() -> Path:
    return path(convolution())


@pytest.fixture(scope="module")
def matrix() -> Path:
    return path(product(2 * BLOCK))  # of two tiles each


def form_of(made: Path) -> Contraction:
    assert isinstance(made.lowered.form, Contraction)
    return made.lowered.form


def sums_of(made: Path) -> ColumnSums:
    found = form_of(made).sums
    assert found is not None
    return found


@pytest.mark.parametrize("preset", ["avx2", "avx512", "neon"])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1)])
def test_windows_sum_their_pixels(preset: str, order: tuple[int, ...]) -> None:
    made = path(convolution(order), preset)
    (meaning,) = [proof for proof in made.certificate.proofs if proof.property == "meaning"]
    assert meaning.statement.endswith("and so is every element of sums")
    assert made.kernel.configuration.halo


@pytest.mark.parametrize("preset", ["avx2", "avx512", "neon"])
def test_products_sum_their_rows(preset: str) -> None:
    made = path(product(), preset)
    assert sums_of(made).rows == BLOCK
    assert made.kernel.parameters[-1].name == "sums"
    assert made.lowered.operands[-1] == "epilogue0"


def test_a_tile_that_is_a_block_keeps_nothing() -> None:
    made = path(product())
    kernel = build(made.choice, made.configuration.replace(tile_m=BLOCK, tile_n=8))[1]
    assert not any(buffer.name == "sums_of_tiles" for buffer in kernel.buffers)


def test_a_form_without_sums_has_the_digest_that_it_had(matrix: Path) -> None:
    plain = matrix.problem.replace(epilogue=matrix.problem.epilogue.without_sums(), epilogue_inputs=())
    assert '"sums"' not in lower(plain).form.to_json()
    assert lower(plain).form.sums is None


def test_what_sums_no_columns_says_so(matrix: Path, planar: Path) -> None:
    with pytest.raises(UnsupportedError, match="one group"):
        lower(convolution(groups=2, epilogue=""))
    with pytest.raises(UnsupportedError, match="sums, products and comparisons"):
        lower(convolution(epilogue="bias,gelu"))
    with pytest.raises(ConfigurationError, match="do not add up columns in blocks of 12"):
        build(planar.choice, planar.configuration.replace(tile_m=5, tile_n=8))
    with pytest.raises(ConfigurationError, match="whole panels"):
        build(matrix.choice, matrix.configuration.replace(block_k=4))
    with pytest.raises(ConfigurationError, match="do not add up"):
        path(product(by_rows=False))
    bare = lower(matrix.problem.replace(epilogue=matrix.problem.epilogue.without_sums(), epilogue_inputs=()))
    kernel = path(matrix.problem.replace(epilogue=matrix.problem.epilogue.without_sums(), epilogue_inputs=())).kernel
    assert bare.form.sums is None
    with pytest.raises(ConfigurationError, match="sums no columns"):
        require_sums(kernel, sums_of(matrix))


# ---- planted faults


def is_stored(node: Node) -> bool:
    return isinstance(node, Store) and isinstance(node.target, Access) and node.target.operand == "sums"


def is_kept(node: Node) -> bool:
    return isinstance(node, Store) and isinstance(node.target, BufferRef) and node.target.buffer == "sums_of_tiles"


def rewritten(expr: Expr, found: Expr, other: Expr) -> Expr:
    """Return an expression with one of its parts replaced."""
    if expr == found:
        return other
    if isinstance(expr, Binary):
        return expr.replace(x=rewritten(expr.x, found, other), y=rewritten(expr.y, found, other))
    return expr


def left_out(node: Node) -> tuple[Node, ...]:
    return () if is_stored(node) else (node,)


def twice(node: Node) -> tuple[Node, ...]:
    return (node, node) if is_stored(node) else (node,)


def moved(node: Node) -> tuple[Node, ...]:
    if is_stored(node) and isinstance(node, Store) and isinstance(node.target, Access):
        return (node.replace(target=node.target.replace(offset=node.target.offset + 1)),)
    return (node,)


def unguarded(node: Node) -> tuple[Node, ...]:
    return (node.replace(guard=()),) if is_stored(node) and isinstance(node, Store) else (node,)


def unmasked(node: Node) -> tuple[Node, ...]:
    """Rows beyond the last are added as well."""
    if isinstance(node, AddRows) and isinstance(node.rows, IndexOp) and isinstance(node.rows.right, Const):
        return (node.replace(rows=node.rows.right),)
    return (node,)


def too_few(node: Node) -> tuple[Node, ...]:
    """The last row of whole tiles is not added."""
    if isinstance(node, AddRows) and isinstance(node.rows, Const) and node.source == "sums_differences":
        return (node.replace(rows=node.rows - 1),)
    return (node,)


def about_nothing(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Compute) and node.target == "sums_first":
        return (Fill("sums_first"),)
    return (node,)


def about_another_row(node: Node) -> tuple[Node, ...]:
    return (node.replace(row=Const(1)),) if isinstance(node, Extract) and node.target == "sums_row" else (node,)


def about_another_tile(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Load) and node.fragment == "sums_first" and isinstance(node.source, BufferRef):
        tile, column = node.source.coordinates
        return (node.replace(source=node.source.replace(coordinates=(tile + 3, column))),)
    return (node,)


def not_cleared(node: Node) -> tuple[Node, ...]:
    return () if isinstance(node, Fill) and node.fragment == "sums_squares" else (node,)


def unsquared(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Compute) and node.target == "sums_squared":
        return (node.replace(expr=Accumulator(0)),)
    return (node,)


def unmoved(node: Node) -> tuple[Node, ...]:
    """Sums of tiles are added as they are, from whatever row."""
    if isinstance(node, Compute) and node.target == "sums_next":
        return (node.replace(expr=Accumulator(0)),)
    return (node,)


def moved_once(node: Node) -> tuple[Node, ...]:
    """Squares are moved by Σ·d instead of 2·Σ·d."""
    if isinstance(node, Compute) and node.target == "sums_next" and node.accumulators == ("sums_more_squares",):
        twice = Binary(BinaryFn.ADD, Operand(2), Operand(2))
        found = rewritten(node.expr, twice, Operand(2))
        return (node.replace(expr=found),)
    return (node,)


def counted_whole(node: Node) -> tuple[Node, ...]:
    """A tile's sums are moved as if all of its rows were there."""
    return (node.replace(value=Const(6)),) if isinstance(node, Count) else (node,)


def forgotten(node: Node) -> tuple[Node, ...]:
    return () if is_kept(node) else (node,)


def tile_again(node: Node) -> tuple[Node, ...]:
    """The sums of one tile take the place of the next one's."""
    if is_kept(node) and isinstance(node, Store) and isinstance(node.target, BufferRef):
        slot, column = node.target.coordinates
        return (node.replace(target=node.target.replace(coordinates=(slot % 3, column))),)
    return (node,)


def later(node: Node) -> tuple[Node, ...]:
    """The joining goes one tile too far."""
    if isinstance(node, Let) and node.name == "sums_end":
        return (node.replace(value=node.value + 1),)
    return (node,)


def sooner(node: Node) -> tuple[Node, ...]:
    """The last tile of a block is not joined."""
    if isinstance(node, Let) and node.name == "sums_end":
        return (node.replace(value=node.value - 1),)
    return (node,)


def parted(node: Node) -> tuple[Node, ...]:
    """Parts of the rows begin within blocks."""
    if isinstance(node, Let) and node.name == "last_tile":
        value = node.value
        assert isinstance(value, IndexOp) and value.fn is IndexFn.MIN
        return (node.replace(value=value.replace(left=value.left + 1)),)
    if isinstance(node, Let) and node.name == "first_tile":
        return (node.replace(value=node.value + node.value % 2),)
    return (node,)


FAULTS: list[Callable[[Node], tuple[Node, ...]]] = [
    left_out, twice, moved, unguarded, unmasked, too_few, about_nothing, about_another_row, about_another_tile, not_cleared, unsquared,
    unmoved, moved_once, counted_whole, forgotten, tile_again, later, sooner,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("which", ["planar", "matrix"])
def test_a_planted_fault_is_refused(
    which: str, fault: Callable[[Node], tuple[Node, ...]], request: pytest.FixtureRequest
) -> None:
    made: Path = request.getfixturevalue(which)
    wrong = edited(made.kernel, fault)
    with pytest.raises(CertificationError):
        certify(wrong, made.lowered.form, made.target.profile)


def test_parts_that_begin_within_a_block_are_refused(planar: Path) -> None:
    wrong = edited(planar.kernel, parted)
    with pytest.raises(CertificationError, match=r"wrong|written"):
        certify(wrong, planar.lowered.form, planar.target.profile)


def test_sums_kept_in_fewer_bits_are_refused(matrix: Path) -> None:
    (role,) = matrix.kernel.roles
    short = tuple(f.replace(dtype=DType.BF16) if f.name == "sums_total" else f for f in role.fragments)
    wrong = matrix.kernel.replace(roles=(role.replace(fragments=short),))
    with pytest.raises(CertificationError, match="holds"):
        certify(wrong, matrix.lowered.form, matrix.target.profile)


def test_sums_take_a_few_vectors_and_no_lane_looks_at_another(planar: Path) -> None:
    (carried,) = [buffer for buffer in planar.kernel.buffers if buffer.name == "sums_of_tiles"]
    assert carried.extent == Const(3 * BLOCK // planar.configuration.tile_m)
    loads = [n for role in planar.kernel.roles for n in walk(role.body) if isinstance(n, Load)]
    assert not any(isinstance(n.source, Access) and n.source.operand in ("out", "sums") for n in loads)
