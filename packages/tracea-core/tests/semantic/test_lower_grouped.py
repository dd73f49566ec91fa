# SPDX-License-Identifier: MIT
"""Grouped products: one kernel for every division of the rows, certified, and refused where a step about groups is wrong."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.activations import ReLU, Residual
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.named import bias
from tracea_core.ops.problem import Problem
from tracea_core.ops.stages import join
from tracea_core.pipeline import trace
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.contraction import GROUP_STOP
from tracea_core.semantic.index import Const, Ragged, Sym, substitute
from tracea_core.semantic.kernel import walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.ragged import Looked
from tracea_core.semantic.rewrite import map_indices, replace_symbols
from tracea_core.semantic.steps import AsyncStore, If, Let, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.cover import _check_rising, check_cover
from tracea_core.testing.cases import dense

HOPPER = PipelineConfig(
    tile_m=64, tile_n=32, tile_k=64, stages=2, warps=8, swizzle=SwizzleMode.B128, in_flight=1, order=Order.ROW,
    barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=8, vector_b=8, vector_c=8,
)  # fmt: skip
TURNS = HOPPER.replace(warps=12, barrier_mode=BarrierMode.PING_PONG)
UNIFORM = PipelineConfig(
    tile_m=32, tile_n=32, tile_k=16, stages=3, warps=2, swizzle=SwizzleMode.XOR4, order=Order.ROW,
    vector_a=8, vector_b=8, vector_c=2,
)  # fmt: skip


def problem(m=300, groups=3, n=64, k=128, *, fused=False):
    op, bf16 = GroupedGemmOp(m, groups, n, k, dtype=DType.BF16), DType.BF16
    inputs = (dense((m, k), bf16), dense((groups, k, n), bf16, (0, 2, 1)), dense((groups,), DType.INT32))
    tail, terms = IDENTITY, ()
    if fused:
        tail = join(bias(), (Residual(np.ones((m, n))) | ReLU()).bind()[0])
        terms = (dense((groups, n), DType.FP32), dense((m, n), DType.FP32))
    return Problem(op, inputs, dense((m, n), bf16), tail, terms)


@functools.cache
def built(configuration=HOPPER, *, fused=False):
    form, profile = lower(problem(fused=fused)).contraction, preset("h200")
    if configuration.barrier_mode is BarrierMode.NONE:
        return multistage_kernel(form, configuration, profile, "v", "k", "mma_m16n8k16_bf16"), form
    return specialized_kernel(form, configuration, profile, "v", "k"), form


@pytest.mark.parametrize(
    ("configuration", "fused"), [(HOPPER.replace(cluster_n=2), True), (TURNS, False), (UNIFORM, True)]
)
def test_kernels_are_certified(configuration, fused):
    kernel, form = built(configuration, fused=fused)
    proofs = {proof.property for proof in certify(kernel, form, preset("h200")).proofs}
    assert {"cover", "meaning"} <= proofs


def test_sizes_of_groups_are_data():
    forms = {lower(problem(m, groups)).contraction for m, groups in ((300, 3), (7, 64), (0, 1))}
    assert len(forms) == 1


def test_whole_tiles_leave_by_the_copy_engine_and_the_last_of_a_group_by_guarded_stores():
    consumer = built()[0].roles[1]
    (choice,) = (
        node
        for node in walk(consumer.body)
        if isinstance(node, If) and any(isinstance(n, AsyncStore) for n in node.then)
    )
    assert any(isinstance(node, Store) and any(t.right == GROUP_STOP for t in node.guard) for node in choice.otherwise)


def changed(kernel, change):
    roles = tuple(role.replace(body=map_indices(role.body, change, lambda test: test)) for role in kernel.roles)
    return kernel.replace(roles=roles)


def looked_up(fn, **fields):
    def change(expr):
        return expr.replace(**fields) if isinstance(expr, Ragged) and expr.fn is fn else expr

    return change


@pytest.mark.parametrize(
    "change",
    [
        looked_up(Looked.TILES, tile=65), looked_up(Looked.PLACE, tile=63), looked_up(Looked.PLACE, position=Sym("tile")),
        looked_up(Looked.END, position=Sym("tile_row")), looked_up(Looked.TILES, count=Sym("groups") + 1),
        looked_up(Looked.GROUP, position=Sym("tile_row")), looked_up(Looked.PLACE, count=Sym("groups") - 1),
        looked_up(Looked.TILES, rows=Sym("m") + 1), looked_up(Looked.PLACE, rows=Sym("m") - 1), looked_up(Looked.END, rows=Sym("m") + 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("configuration", [HOPPER, TURNS])
def test_wrong_look_ups_are_refused(configuration, change):
    kernel, form = built(configuration)
    with pytest.raises((CertificationError, ConfigurationError)):
        certify(changed(kernel, change), form, preset("h200"))


def test_a_skipped_group_is_seen_by_the_cover():
    kernel, _ = built()
    with pytest.raises(CertificationError, match=r"never computed|twice|launch"):
        check_cover(changed(kernel, looked_up(Looked.TILES, tile=128)))


def test_blocks_go_through_the_groups_in_their_order():
    with pytest.raises(CertificationError, match="backwards"):
        _check_rising(np.array([3, 2, 4, 4]), np.array([0, 0, 1, 1]))
    _check_rising(np.array([3, 3, 2, 4]), np.array([0, 0, 1, 1]))
    kernel, _ = built()

    def last_first(expr):
        return substitute(expr, {"round": Const(5) - Sym("round")}) if expr == kernel_tile else expr

    kernel_tile = next(
        node.value for node in walk(kernel.roles[0].body) if isinstance(node, Let) and node.name == "tile"
    )
    with pytest.raises(CertificationError):
        check_cover(changed(kernel, last_first))


def test_rows_of_the_next_group_are_not_written():
    kernel, form = built()
    consumer = kernel.roles[1].replace(
        body=tuple(replace_symbols(node, {GROUP_STOP.name: Sym("m")}) for node in kernel.roles[1].body)
    )
    bound = kernel.replace(roles=(kernel.roles[0], consumer))
    assert any(isinstance(node, Let) and node.name == GROUP_STOP.name for node in walk(consumer.body))
    with pytest.raises(CertificationError):
        certify(bound, form, preset("h200"))


def test_only_rows_of_tiles_of_one_group_form_clusters():
    with pytest.raises(ConfigurationError, match="ragged groups run row by row"):
        built(HOPPER.replace(cluster_m=2))
    with pytest.raises(ConfigurationError, match="does not divide k"):
        built(HOPPER.replace(split_k=2))


@pytest.mark.parametrize(("device", "variant"), [("h200", "wgmma_bf16"), ("a100", "mma_bf16")])
def test_the_policy_serves_it(device, variant):
    path = trace(problem(4096, 16, 512, 512), preset=device, backend="cuda")
    assert path.choice.variant.name.endswith(variant)
    assert path.configuration.order is Order.ROW
    assert path.configuration.cluster_m == 1
    assert path.tile_graph().kind.value == "grouped"
