# SPDX-License-Identifier: MIT
"""Rows that end within 16 bytes: whole chunks by boxes, what is left by lanes, each element once; planted faults are found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.pixels import ragged_channels
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower_pixels import lower_pixels
from tracea_core.semantic.steps import AsyncStore, If, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense

TILE = PipelineConfig(
    tile_m=64, tile_n=48, tile_k=64, stages=2, warps=8, swizzle=SwizzleMode.B128, barrier_mode=BarrierMode.PRODUCER_CONSUMER,
    vector_a=8, vector_b=8, vector_c=8, in_flight=1,
)  # fmt: skip
PROFILE = preset("h200")


def stated(k: int, gap: int, dtype: DType = DType.FP16, groups: int = 1) -> Problem:
    op = Conv2dOp(2, 64 * groups, 6, 5, k * groups, 3, 3, padding=(1, 1), dtype=dtype, groups=groups)
    last = (0, 2, 3, 1)
    return Problem(
        op, tuple(dense(s, dtype, last) for s in op.input_shapes()), dense(op.output_shape(), dtype, last, gap)
    )


def built() -> tuple[SemanticKernel, Contraction]:
    form = lower_pixels(stated(67, 5)).form
    assert isinstance(form, Contraction) and form.ragged
    return specialized_kernel(form, TILE, PROFILE, "ragged", "ragged"), form


@pytest.mark.parametrize(
    ("k", "gap", "dtype", "groups", "wanted"),
    [
        (67, 5, DType.FP16, 1, True),
        (67, 13, DType.BF16, 1, True),
        (67, 0, DType.FP16, 1, False),
        (72, 0, DType.FP16, 1, False),
        (64, 8, DType.FP16, 1, False),
        (7, 1, DType.FP16, 1, False),
        (67, 5, DType.FP32, 1, False),
        (67, 2, DType.FP16, 2, False),
    ],
)
def test_which_rows_are_ragged(k: int, gap: int, dtype: DType, groups: int, wanted: bool) -> None:
    problem = stated(k, gap, dtype, groups)
    assert ragged_channels(problem) is wanted
    assert not ragged_channels(problem.replace(options=problem.options.replace(alignment=8)))
    assert (
        not wanted or (form := lower_pixels(problem).form).digest() != lower_pixels(stated(64, 8, dtype)).form.digest()
    ), form


def test_every_element_is_stored_once() -> None:
    kernel, form = built()
    nodes = [node for role in kernel.roles for node in walk(role.body)]
    boxes, rests = ([node for node in nodes if isinstance(node, kind)] for kind in (AsyncStore, Store))
    assert boxes and any(store.guard for store in rests)
    assert certify(kernel, form, PROFILE).kernel == kernel.digest()


def drop(node: Node) -> Node | None:
    """Leave what is left of rows unwritten."""
    return None if isinstance(node, If) and any(isinstance(one, Store) for one in node.then) else node


def unmasked(node: Node) -> Node | None:
    """Store elements beyond the last, and those that boxes store."""
    return node.replace(guard=node.guard[:1]) if isinstance(node, Store) and len(node.guard) == 3 else node


def beyond(node: Node) -> Node | None:
    """Let boxes reach to the last element, so that the engine writes behind it."""
    if not isinstance(node, AsyncStore):
        return node
    _, form = built()
    box = node.target
    return node.replace(target=box.replace(extents=(form.n, *box.extents[1:])))


@pytest.mark.parametrize("change", [drop, unmasked, beyond])
def test_planted_faults_are_found(change: Callable[[Node], Node | None]) -> None:
    kernel, form = built()

    def changed(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            for field in ("body", "then", "otherwise"):
                if isinstance(inner := getattr(node, field, None), tuple):
                    node = node.replace(**{field: changed(inner)})
            made = change(node)
            found += [] if made is None else [made]
        return tuple(found)

    roles = tuple(role.replace(body=changed(role.body)) for role in kernel.roles)
    faulty = kernel.replace(roles=roles)
    assert faulty != kernel
    with pytest.raises(CertificationError):
        certify(faulty, form, PROFILE)
