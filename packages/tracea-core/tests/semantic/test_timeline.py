# SPDX-License-Identifier: MIT
"""Timelines keep the kernel's order: slots are filled, read and released in turn, engines work off exactly what was asked."""

from __future__ import annotations

import itertools

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import AsyncKind, Release, Side, Wait
from tracea_core.semantic.timeline import Pace, SpanKind, pace_of, timeline

PACE = Pace(multiplies=2048.0, arithmetic=256.0, move_bytes=128.0)


def played(hopper, tiles=2, steps=5, **fields):
    kernel = hopper.kernel(hopper.configuration(**fields))
    return kernel, timeline(kernel, PACE, tiles=tiles, steps=steps)


@pytest.mark.parametrize("stages", [2, 3, 5, 8])
@pytest.mark.parametrize("cluster", [(1, 1), (2, 1)])
def test_slots_are_filled_then_read_then_filled_again(hopper, stages, cluster):
    _, found = played(hopper, stages=stages, cluster=cluster)
    assert found.complete
    iterations = []
    for slot in range(stages):
        spans = found.lane(f"slot {slot}").spans
        assert all(a.end <= b.start for a, b in itertools.pairwise(spans)), "a slot did two things at once"
        kinds = [span.kind for span in spans if span.kind is not SpanKind.FULL]
        assert kinds == [SpanKind.FILL, SpanKind.READ] * (len(kinds) // 2)
        iterations += [span.label for span in spans if span.kind is SpanKind.READ]
    assert sorted(int(label.rsplit(" ", 1)[1]) for label in iterations) == list(range(10))


def test_the_matrix_unit_does_all_the_work_and_nothing_else(hopper):
    _, found = played(hopper, tile_m=128, tile_n=64)
    wanted = 2 * 5 * 128 * 64 * 64 / PACE.multiplies  # tiles · steps · tile
    assert found.lane("matrix unit").busy(SpanKind.MULTIPLY) == pytest.approx(wanted)
    assert {span.owner for span in found.lane("matrix unit").spans} == {"consumer 0", "consumer 1"}
    assert found.clocks > wanted


def test_deeper_rings_wait_less(hopper):
    waits = [played(hopper, stages=stages, steps=12)[1].clocks for stages in (1 + 1, 4)]
    assert waits[1] < waits[0]


def test_edges_say_who_let_whom_go_on(hopper):
    _, found = played(hopper)
    names = {lane.name for lane in found.lanes}
    assert found.edges and all(edge.target in names for edge in found.edges)
    for edge in found.edges:
        if edge.side is Side.FULL:
            assert edge.source.startswith("slot") and edge.target.startswith("consumer")
        else:
            assert edge.source.startswith("consumer") and edge.target == "producer"
        waits = [s for s in found.lane(edge.target).spans if s.kind is SpanKind.WAIT]
        assert any(span.end == edge.end for span in waits), "an edge ends no wait"


def test_a_release_that_is_missing_stops_the_timeline(hopper, edit):
    kernel = edit(hopper.kernel(), "consumer", lambda n: [] if isinstance(n, Release) else n)
    with pytest.raises(CertificationError, match="wait for ever"):
        timeline(kernel, PACE, steps=8)


def test_a_wait_that_is_missing_shows(hopper, edit):
    """Without waiting for its instructions a consumer releases slots that the matrix unit still reads."""
    kernel = hopper.kernel()
    careless = edit(kernel, "consumer", lambda n: [] if isinstance(n, Wait) and n.kind is AsyncKind.MMA else n)
    assert timeline(careless, PACE).lane("consumer 0").busy(SpanKind.RETIRE) < timeline(kernel, PACE).lane(
        "consumer 0"
    ).busy(SpanKind.RETIRE)


def panel(m, n, k, processors=2):
    t = TensorSpec.contiguous
    problem = Problem(GemmOp(m, n, k), (t((m, k), DType.FP32), t((k, n), DType.FP32)), t((m, n), DType.FP32))
    lowered, profile = lower(problem), preset("avx2")
    config = PipelineConfig(tile_m=4, tile_n=16, tile_k=4, stages=1, warps=1)
    kernel = panel_kernel(lowered.contraction, config, profile, "cpu.contraction.avx2", "gemm")
    return kernel, {**lowered.symbols, "workers": processors, "row_splits": 1}, profile


def test_workers_of_a_cpu_share_the_multiplications():
    kernel, values, profile = panel(24, 64, 40)
    pace = pace_of(profile, DType.FP32)
    found = timeline(kernel, pace, values)
    workers = [lane for lane in found.lanes if lane.group == "role"]
    assert [lane.name for lane in workers] == ["worker 0", "worker 1"] and found.complete
    assert sum(lane.busy(SpanKind.MULTIPLY) for lane in workers) == pytest.approx(24 * 64 * 40 / pace.multiplies)
    assert all(lane.busy(SpanKind.MOVE) > 0 for lane in workers) and not found.edges


def test_a_long_call_is_cut_where_it_is_no_longer_legible():
    kernel, values, profile = panel(4000, 640, 8)
    found = timeline(kernel, pace_of(profile, DType.FP32), values)
    assert not found.complete and found.clocks > 0


def test_the_pace_of_a_processor_is_its_share_of_the_peak():
    profile = preset("h200")
    pace = pace_of(profile, DType.BF16)
    whole = pace.multiplies * 2 * profile.processors * profile.clock_mhz * 1e6
    assert whole == pytest.approx(profile.peak(DType.BF16) * 1e9)
    assert pace_of(profile.replace(peak_gflops=(), peak_gflops_fp32=0.0), DType.BF16).multiplies == profile.lanes
