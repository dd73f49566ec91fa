# SPDX-License-Identifier: MIT
"""The producer asks for a residual's box where a copy engine can follow it, and nothing depends on whether it does."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.policy.config import BarrierMode
from tracea_core.semantic.build.fetched_boxes import fetched_boxes
from tracea_core.semantic.kernel import walk
from tracea_core.semantic.steps import Fetch
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.shared import check_shared


def fetches(kernel):
    return [node for role in kernel.roles for node in walk(role.body) if isinstance(node, Fetch)]


def test_a_residual_is_asked_for_once_a_tile(hopper):
    kernel = hopper.kernel(epilogue=True)
    (fetch,) = fetches(kernel)
    assert fetch.source.operand == "residual_1"
    assert fetch.source.shape == (kernel.configuration.tile_n, kernel.configuration.tile_m)
    assert kernel.parameter("residual_1").alignment == 16
    assert next(s for s in kernel.symbols if s.name == "residual_1_row").multiple == 8


def test_consumers_with_tiles_of_their_own_have_a_box_each(hopper):
    configuration = hopper.configuration(tile_m=64, warps=12, barrier_mode=BarrierMode.PING_PONG)
    (fetch,) = fetches(hopper.kernel(configuration, epilogue=True))
    assert fetch.source.shape == (64, 64)


def test_a_hint_means_nothing(hopper, edit):
    kernel, contraction = hopper.kernel(epilogue=True), hopper.contraction(epilogue=True)
    without = edit(kernel, "producer", lambda n: () if isinstance(n, Fetch) else n)
    assert fetches(kernel) and not fetches(without)
    proved = [certify(one, contraction, hopper.profile).proofs for one in (kernel, without)]
    assert [proof.property for proof in proved[0]] == [proof.property for proof in proved[1]]


@pytest.mark.parametrize("fields", [{"vector_c": 1}, {"tile_m": 64, "tile_n": 64, "warps": 8, "split_k": 4}])
def test_rows_that_no_engine_follows_and_parts_of_the_reduction_are_left_alone(hopper, fields):
    assert fetched_boxes(hopper.contraction(epilogue=True), hopper.configuration(**fields)) == ()


def test_a_bias_has_no_box(hopper):
    boxes = fetched_boxes(hopper.contraction(epilogue=True), hopper.configuration())
    assert [box.operand for box in boxes] == ["residual_1"]
    assert fetched_boxes(hopper.contraction(), hopper.configuration()) == ()


def test_a_stride_that_no_engine_follows_is_refused(hopper):
    kernel = hopper.kernel(epilogue=True)
    symbols = tuple(s.replace(multiple=1) if s.name == "residual_1_row" else s for s in kernel.symbols)
    with pytest.raises(CertificationError, match="stride of 'residual_1'"):
        check_shared(kernel.replace(symbols=symbols), hopper.profile)


def test_a_pointer_that_no_engine_follows_is_refused(hopper):
    kernel = hopper.kernel(epilogue=True, dtype=DType.FP16)
    parameters = tuple(p.replace(alignment=4) if p.name == "residual_1" else p for p in kernel.parameters)
    with pytest.raises(CertificationError, match="'residual_1' is not known to be aligned"):
        check_shared(kernel.replace(parameters=parameters), hopper.profile)
