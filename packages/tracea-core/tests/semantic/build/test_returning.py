# SPDX-License-Identifier: MIT
"""Reductions that every other round of a persistent block takes backwards: each step once, alike for both operands, or refused."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import ScaledGemmOp
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.order import Order
from tracea_core.semantic.build.returning import Way, way_along_k
from tracea_core.semantic.build.specialized import specialized_fault, specialized_kernel
from tracea_core.semantic.index import Const, Sym, evaluate, minimum, substitute
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import AsyncLoad, Let
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense

STEP, BACK, ROUND = Sym("k_step"), Sym("k_back"), Sym("round")


def steps(first: int, last: int, number: int) -> list[int]:
    """The steps that a round loads, in their order."""
    way = way_along_k(PipelineConfig(returning=1), Const(first), Const(last))
    found = []
    for step in range(first, last):
        values: dict[str, int] = {"round": number, "k_step": step}
        for let in (*way.before, *way.each):
            values[let.name] = int(evaluate(let.value, values))
        found.append(int(evaluate(way.taken, values)))
        assert evaluate(way.stop, values) == last
    return found


@pytest.mark.parametrize(("first", "last"), [(0, 1), (0, 2), (0, 7), (3, 8), (5, 5)])
def test_odd_rounds_begin_where_even_ones_end(first, last):
    there = list(range(first, last))
    assert [steps(first, last, number) for number in range(4)] == [there, there[::-1], there, there[::-1]]


def test_the_default_goes_forwards_and_is_left_out(hopper):
    assert way_along_k(PipelineConfig(), Const(0), Const(4)) == Way(Const(0), Const(4), (), (), STEP)
    plain = hopper.configuration()
    assert plain.replace(returning=0) == plain
    assert "returning" not in plain.to_json() and "r1" in plain.replace(returning=1).describe().split()
    assert hopper.kernel(plain).digest() == hopper.kernel(plain.replace(returning=0)).digest()
    assert hopper.kernel(plain).digest() != hopper.kernel(plain.replace(returning=1)).digest()
    with pytest.raises(ConfigurationError, match="returning"):
        plain.replace(returning=2)


@pytest.mark.parametrize(
    ("fields", "linear"),
    [
        ({"stages": 1, "in_flight": 0}, True),
        ({"stages": 4, "order": Order.SERPENTINE, "group": 2}, False),
        ({"stages": 2, "cluster": (2, 1)}, True),
        ({"stages": 3, "split_k": 2, "cluster": (1, 1)}, True),
        ({"stages": 4, "warps": 12, "barrier_mode": BarrierMode.PING_PONG}, True),
    ],
)
def test_every_step_is_added_once(hopper, fields, linear):
    """In blocks of one to five rounds, with a last step that is part of one, a single step and parts of k without any."""
    configuration = hopper.configuration(**{"cluster": (1, 1), **fields}, returning=1)
    kernel = hopper.kernel(configuration, linear=linear)
    certify(kernel, hopper.contraction(linear=linear), hopper.profile)
    for seed, (m, n, k) in enumerate([(260, 152, 200), (650, 72, 64), (130, 264, 3), (390, 136, 129)]):
        found, expected = hopper.run(kernel, m, n, k, linear=linear, seed=seed, blocks=kernel.launch.cluster)
        assert np.array_equal(found, expected)


def test_sums_that_are_put_aside_go_backwards_and_scales_of_steps_do_not(hopper):
    """They are read in the order of the steps."""
    narrow = {"tile_k": 128, "block_k": 128, "in_flight": 0, "vector_a": 16, "vector_b": 16, "returning": 1}
    configuration = hopper.configuration(64, 64, **narrow)
    form = hopper.contraction(dtype=DType.FP8_E4M3, out=DType.BF16)
    certify(
        specialized_kernel(form, configuration, hopper.profile, "cuda.contraction.wgmma", "gemm"), form, hopper.profile
    )
    op = ScaledGemmOp(256, 384, 512, 1, 128)
    a, b, *scales = op.input_shapes()
    inputs = (dense(a, DType.FP8_E4M3), dense(b, DType.FP8_E4M3, (1, 0)), *(dense(s, DType.FP32) for s in scales))
    scaled = lower(
        Problem(op, inputs, dense((256, 384), DType.BF16), options=Options(allow_fallback=False))
    ).contraction
    assert specialized_fault(scaled, configuration.replace(returning=0), hopper.profile) is None
    assert "never backwards" in str(specialized_fault(scaled, configuration, hopper.profile))


LAST = Sym("k_stop")
WRONG = {
    "one step further": STEP + BACK * (LAST - STEP * 2),
    "one step less": STEP + BACK * (LAST - 2 - STEP * 2),
    "the first step again and again": STEP - BACK * STEP,
    "the last step again and again": STEP + BACK * (LAST - 1 - STEP),
    "backwards from the second step on": STEP + BACK * minimum(STEP, 1) * (LAST - 1 - STEP * 2),
}


@pytest.mark.parametrize("mode", [BarrierMode.PRODUCER_CONSUMER, BarrierMode.PING_PONG])
@pytest.mark.parametrize("taken", WRONG)
def test_steps_that_are_left_out_or_taken_twice_are_found(hopper, edit, mode, taken):
    turns = {"warps": 12} if mode is BarrierMode.PING_PONG else {}
    kernel = hopper.kernel(hopper.configuration(64 if turns else 128, 64, barrier_mode=mode, **turns, returning=1))
    certify(kernel, hopper.contraction(), hopper.profile)

    def other(node):
        return node.replace(value=WRONG[taken]) if isinstance(node, Let) and node.name == "k_taken" else node

    with pytest.raises(CertificationError):
        certify(edit(kernel, "producer", other), hopper.contraction(), hopper.profile)


@pytest.mark.parametrize("more", [1, 63, -1])
def test_a_step_more_or_less_where_k_ends_with_one_is_found(hopper, edit, more):
    """The bound of the steps is what they are mirrored at, so producers that count wrong part from their consumers."""
    kernel = hopper.kernel(hopper.configuration(returning=1))

    def other(node):
        stop = isinstance(node, Let) and node.name == "k_stop"
        return node.replace(value=(Sym("k") + 63 + more) // 64) if stop else node

    with pytest.raises(CertificationError):
        certify(edit(kernel, "producer", other), hopper.contraction(), hopper.profile)


@pytest.mark.parametrize("operand", ["a_tile", "b_tile"])
def test_an_operand_that_goes_forwards_alone_is_found(hopper, edit, operand):
    kernel = hopper.kernel(hopper.configuration(returning=1))

    def forwards(node):
        if not isinstance(node, AsyncLoad) or node.target.buffer != operand:
            return node
        origin = tuple(substitute(place, {"k_taken": STEP}) for place in node.source.origin)
        return node.replace(source=node.source.replace(origin=origin))

    with pytest.raises(CertificationError):
        certify(edit(kernel, "producer", forwards), hopper.contraction(), hopper.profile)


def test_rounds_may_go_the_other_way_alike(hopper, edit):
    """Which rounds go backwards matters to the cache, not to what is computed; a third way there is not."""
    kernel = hopper.kernel(hopper.configuration(returning=1))

    def back(value):
        return lambda node: node.replace(value=value) if isinstance(node, Let) and node.name == "k_back" else node

    certify(edit(kernel, "producer", back((ROUND + 1) % 2)), hopper.contraction(), hopper.profile)
    with pytest.raises(CertificationError):
        certify(edit(kernel, "producer", back(ROUND % 3)), hopper.contraction(), hopper.profile)
