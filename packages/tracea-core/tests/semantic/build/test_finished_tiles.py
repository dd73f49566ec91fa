# SPDX-License-Identifier: MIT
"""Planar results of minimal filtering wait until whole vectors of pixels are there; each is stored once, in the line that it is of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.finished_tiles import FinishedTiles
from tracea_core.semantic.build.winograd import winograd_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import COLUMN, Const, Index, substitute
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.lower_conv import of_three_taps
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Access, BufferRef, If, Load, Loop, Node, Store, Transfer
from tracea_core.semantic.verify.certify import certify, prove_meaning
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import edited

AVX2 = preset("avx2")
TILE = PipelineConfig(tile_m=2, tile_n=8, tile_k=1, stages=1, warps=1, halo=True)


def form(order: tuple[int, ...] = (0, 1, 2, 3)) -> Contraction:
    """A convolution of two images of an odd number of lines, whose tiles are no whole number of vectors."""
    op = Conv2dOp(2, 11, 7, 11, 9, 3, 3, padding=(1, 1))
    x, w, out = (dense(shape, op.dtype, order) for shape in (*op.input_shapes(), op.output_shape()))
    return of_three_taps(lower(Problem(op, (x, w), out))).contraction


def kernel(contraction: Contraction, columns: int = 8) -> SemanticKernel:
    return winograd_kernel(contraction, TILE.replace(tile_n=columns), AVX2, "test", "kernel")


def stores(made: SemanticKernel) -> list[Store]:
    """The stores into the result."""
    nodes = (node for node in walk(made.roles[0].body) if isinstance(node, Store))
    return [node for node in nodes if isinstance(node.target, Access)]


@pytest.mark.parametrize("columns", [8, 16])
def test_planes_are_stored_by_whole_vectors(columns: int) -> None:
    planar = form()
    made = kernel(planar, columns)
    assert "finished" in {buffer.name for buffer in made.buffers}
    assert {(store.fragment, store.transfer) for store in stores(made)} == {("pixels_held", Transfer.VECTOR)}
    assert certify(made, planar, AVX2).kernel == made.digest()


def test_channels_last_results_do_not_wait() -> None:
    made = kernel(form((0, 2, 3, 1)))
    assert "finished" not in {buffer.name for buffer in made.buffers}
    assert {store.fragment for store in stores(made)} == {"result"}


def test_tiles_ask_for_the_lines_that_will_be_written() -> None:
    asked = [node for node in walk(kernel(form()).roles[0].body) if isinstance(node, Prefetch) and node.write]
    assert asked and {ask.operand for ask in asked} == {"out"}


def _late(node: Node) -> Node:
    if not (isinstance(node, Store) and isinstance(node.target, Access)):
        return node
    return node.replace(target=node.target.replace(offset=substitute(node.target.offset, {COLUMN.name: COLUMN + 1})))


def _unmasked(node: Node) -> Node:
    whole = isinstance(node, Store) and isinstance(node.target, Access) and len(node.guard) == 2
    return node.replace(guard=node.guard[1:]) if whole and isinstance(node, Store) else node


def _one_line(node: Node) -> Node:
    return node.replace(stop=Const(1)) if isinstance(node, Loop) and node.var == "lower" else node


def _upper_twice(node: Node) -> Node:
    if not (isinstance(node, Load) and node.fragment == "channels_held" and isinstance(node.source, BufferRef)):
        return node
    row, column = node.source.coordinates
    return node.replace(source=node.source.replace(coordinates=(substitute(row, {"lower": Const(0)}), column)))


def _always_whole(node: Node) -> Node:
    """Blocks are never masked where channels are whole."""
    both = isinstance(node, If) and len(node.guard) == 2 and any(isinstance(inner, Loop) for inner in node.then)
    return node.replace(guard=node.guard[1:]) if both and isinstance(node, If) else node


def _last_batch(node: Node) -> Node:
    return node.replace(stop=node.stop - 1) if isinstance(node, Loop) and node.var == "batch" else node


def _last_line(node: Node) -> Node:
    return node.replace(stop=node.stop - 1) if isinstance(node, Loop) and node.var == "tile_line" else node


@pytest.mark.parametrize(
    "fault", [_late, _unmasked, _one_line, _upper_twice, _always_whole, _last_batch, _last_line]
)  # fmt: skip
def test_a_fault_is_refused(fault: Callable[[Node], Any]) -> None:
    planar = form()
    made = kernel(planar)
    broken = edited(made, fault)
    assert broken != made
    with pytest.raises(CertificationError):
        prove_meaning(broken, planar)


def test_asking_for_other_lines_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(self: FinishedTiles, line: Index | int) -> Index:
        return Const(-1000)

    def nothing(self: FinishedTiles) -> Loop:
        monkeypatch.setattr(FinishedTiles, "_line", elsewhere)
        loop = ask(self)
        monkeypatch.setattr(FinishedTiles, "_line", line)
        return loop

    ask, line = FinishedTiles._ask, FinishedTiles._line
    monkeypatch.setattr(FinishedTiles, "_ask", nothing)
    planar = form()
    made = kernel(planar)
    monkeypatch.undo()
    assert made != kernel(planar)
    prove_meaning(made, planar)
