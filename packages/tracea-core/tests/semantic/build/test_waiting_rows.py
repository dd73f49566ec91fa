# SPDX-License-Identifier: MIT
"""Rows that wait in shared memory between sweeps: certified, with planted mistakes, read from memory once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.waiting_rows import waiting_rows_kernel
from tracea_core.semantic.index import Const, Sym
from tracea_core.semantic.kernel import SemanticKernel, Space, walk
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.steps import Access, BufferRef, Load, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.row_cases import row_problem

H200 = preset("h200")
STEPS = PipelineConfig(
    tile_m=1, tile_n=64, tile_k=1, stages=1, warps=3, vector_a=2, vector_b=2, vector_c=2, block_k=768, row_block=1
)
SOFTMAX = SoftmaxOp((9, 300))
NORM = NormOp((9, 300), NormKind.LAYER, bias=True, dtype=DType.BF16)


def _made(op: SoftmaxOp | NormOp, configuration: PipelineConfig = STEPS) -> tuple[SemanticKernel, Rowwise]:
    form = lower_rowwise(row_problem(op)).form
    return waiting_rows_kernel(form, configuration, H200, "cuda.rowwise.warp_fp32", "kernel"), form


@pytest.mark.parametrize("op", [SOFTMAX, NORM, SoftmaxOp((9, 300), log=True, dtype=DType.FP16), NormOp((9, 300))])
@pytest.mark.parametrize("changes", [{}, {"vector_a": 1}, {"warps": 2, "block_k": 1024}, {"tile_n": 128}])
def test_rows_wait_for_all_sweeps_but_the_first(op: SoftmaxOp | NormOp, changes: dict[str, int]) -> None:
    kernel, form = _made(op, STEPS.replace(**changes))
    assert certify(kernel, form, H200).kernel == kernel.digest()
    assert {s.name: s.maximum for s in kernel.symbols}["n"] == kernel.configuration.block_k
    loads = [node for node in walk(kernel.roles[0].body) if isinstance(node, Load) and node.fragment == "elements"]
    sweeps = len(form.statistics) + 1
    assert [isinstance(load.source, Access) for load in loads] == [True] * 2 + [False] * (2 * (sweeps - 1))


def _waits(node: Node) -> BufferRef | None:
    place = node.source if isinstance(node, Load) else node.target if isinstance(node, Store) else None
    return place if isinstance(place, BufferRef) and place.buffer == "waiting" else None


def _moved(node: Node, **changes: object) -> Node:
    place = _waits(node)
    assert place is not None
    return node.replace(**{"source" if isinstance(node, Load) else "target": place.replace(**changes)})


BUGS: dict[str, Callable[[Node], Node | tuple[Node, ...]]] = {
    "nothing is left": lambda n: () if isinstance(n, Store) and _waits(n) else n,
    "one slot for all steps": lambda n: _moved(n, slot=Const(0)) if isinstance(n, Store) and _waits(n) else n,
    "the next step": lambda n: _moved(n, slot=Sym("step") + 1) if isinstance(n, Load) and _waits(n) else n,
    "one warp's places": lambda n: (
        _moved(n, coordinates=(_waits(n).coordinates[0] - Sym("warp") * 64,)) if _waits(n) else n  # type: ignore[union-attr]
    ),
    "unmasked at the end": lambda n: n.replace(guard=()) if isinstance(n, Load) and n.fragment == "elements" else n,
}


@pytest.mark.parametrize("name", BUGS)
@pytest.mark.parametrize("op", [SOFTMAX, NORM])
def test_planted_mistakes_are_found(op: SoftmaxOp | NormOp, name: str, edit: Callable[..., SemanticKernel]) -> None:
    kernel, form = _made(op)
    with pytest.raises(CertificationError):
        certify(edit(kernel, "warp", BUGS[name]), form, H200)


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"block_k": 800}, "in steps of 192"), ({"block_k": 192 * 640}, "232448 bytes"), ({"row_block": 2}, "one row")],
)
def test_what_does_not_wait_is_refused(changes: dict[str, int], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        _made(SOFTMAX, STEPS.replace(**changes))


def test_two_blocks_fit_a_processor_where_its_memory_holds_both_rows() -> None:
    wide = STEPS.replace(tile_n=512, warps=8, vector_a=4, vector_b=4, vector_c=4)
    two, one = (_made(SOFTMAX, wide.replace(block_k=columns))[0] for columns in (28672, 32768))
    assert (two.launch.together, one.launch.together) == (2, 1)
    waiting = next(buffer for buffer in two.buffers if buffer.name == "waiting")
    assert waiting.space is Space.SHARED and waiting.slots * waiting.layout.size == 28672
