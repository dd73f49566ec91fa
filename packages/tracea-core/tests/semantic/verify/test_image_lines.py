# SPDX-License-Identifier: MIT
"""Lines of images in the runs of a proof: nothing, one element and all but one are left of vectors, and every test is met at its edge."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.winograd import winograd_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import Guard, Sym, TestFn, evaluate, symbols
from tracea_core.semantic.interpret_tables import Tables
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.lower_conv import of_three_taps
from tracea_core.semantic.steps import If, Let, Loop, Node
from tracea_core.semantic.verify import image_lines, samples
from tracea_core.semantic.verify.apart import branches
from tracea_core.semantic.verify.certify import certify, prove_meaning
from tracea_core.semantic.verify.image_lines import Line, reached, uneven
from tracea_core.testing.cases import dense
from tracea_core.testing.edit import Edit, edited
from tracea_core.testing.faults import faults

AVX2 = preset("avx2")
LAST, PLANES = (0, 2, 3, 1), (0, 1, 2, 3)
TILE = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, halo=True)


def copied(
    order: tuple[int, ...] = LAST, profile: str = "avx2", halo: bool = True
) -> tuple[SemanticKernel, Contraction]:
    """A convolution on a CPU, whose images are copied with their padding or not, and what it computes."""
    op = Conv2dOp(2, 11, 7, 10, 8, 3, 3, padding=(1, 1), dtype=DType.FP32)
    inputs = tuple(dense(shape, DType.FP32, order) for shape in op.input_shapes())
    form = lower(Problem(op, inputs, dense(op.output_shape(), DType.FP32, order))).contraction
    return panel_kernel(form, TILE.replace(halo=halo), preset(profile), "cpu.contraction.test", "kernel"), form


def alone(stride: int, profile: str = "avx2") -> tuple[SemanticKernel, Contraction]:
    """A convolution of single pixels of planar images, which are copied alone."""
    op = Conv2dOp(2, 11, 7, 10, 8, 1, 1, (stride, stride), dtype=DType.FP32)
    inputs = tuple(dense(shape, DType.FP32) for shape in op.input_shapes())
    form = lower(Problem(op, inputs, dense(op.output_shape(), DType.FP32))).contraction
    return panel_kernel(form, TILE, preset(profile), "cpu.contraction.test", "kernel"), form


def filtered(profile: str = "avx2") -> tuple[SemanticKernel, Contraction]:
    """The same by minimal filtering."""
    op = Conv2dOp(2, 11, 7, 10, 9, 3, 3, padding=(1, 1), dtype=DType.FP32)
    inputs = tuple(dense(shape, DType.FP32, LAST) for shape in op.input_shapes())
    form = of_three_taps(lower(Problem(op, inputs, dense(op.output_shape(), DType.FP32, LAST)))).contraction
    tile = PipelineConfig(tile_m=2, tile_n=16, tile_k=1, stages=1, warps=1, halo=True)
    return winograd_kernel(form, tile, preset(profile), "cpu.contraction.test", "kernel"), form


def lines_of(kernel: SemanticKernel, form: Contraction) -> list[tuple[Line, dict[str, Any], int]]:
    """The runs for lines, what their symbols are worth, and how many workers they have."""
    lines = list(image_lines.image_lines(kernel, form, bool(branches(kernel))))
    runs = list(samples.samples(kernel, form, 0))[-len(lines) :]
    return [(line, values, workers) for line, (values, workers) in zip(lines, runs, strict=True)]


@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_whole_vectors_of_an_uneven_length_are_counted_wrongly_by_any_neighbour(lanes: int) -> None:
    for length in (uneven(lanes) * pixels for pixels in range(1, lanes)):
        rest = [length - length // count * by for count, by in ((lanes + 1, lanes), (lanes, lanes - 1))]
        assert 0 < length - length // lanes * lanes < lanes and min(rest) > lanes  # more is left than one vector holds
        assert length // (lanes - 1) * lanes > length and length // lanes * (lanes + 1) > length


def test_both_sides_are_run_and_windows_reach_all_of_the_padding() -> None:
    kernel, form = copied()
    seen = [values for values, _ in samples.samples(kernel, form, 0)]
    apart = {values["x_column"] - values["k_c"] for values in seen}
    assert apart >= {-1, 0, 1}
    lines = lines_of(kernel, form)
    line, run = (values for _, values, _ in lines[:2])
    assert line["x_column"] > line["k_c"] == uneven(8) and (line["pad_h"], line["pad_w"]) == (1, 1)
    assert run["x_column"] == run["k_c"] == uneven(8) and (run["pad_h"], run["pad_w"]) == (0, 0)
    assert form.halo is not None
    for padded in (values for line, values, _ in lines if line.padded):
        extents = form.halo.large_enough(padded["n"], padded["k_r"], padded["k_s"], padded)
        assert reached(form.halo, {**padded, **extents}) == {name: padded[name] for name in ("height", "width")}
        assert all(extents[name] - padded[name] == 2 for name in extents)
    assert len(seen) == len(list(samples.samples(*copied(halo=False), 0))) + len(
        lines
    )  # what asks nothing has no run more


@pytest.mark.parametrize("profile", ["neon", "avx2", "avx512"])
@pytest.mark.parametrize("order", [LAST, PLANES])
def test_nothing_one_and_all_but_one_are_left(order: tuple[int, ...], profile: str) -> None:
    kernel, form = copied(order, profile)
    lanes = kernel.roles[0].lanes
    left: dict[str, set[int]] = defaultdict(set)
    for _, values, _ in lines_of(kernel, form):
        channels, wide, padding = values["k_c"], values["width"], values["pad_w"]
        lengths = {"channels": channels, "run": channels * wide, "line": channels * (wide + 2 * padding)}
        lengths |= {"padding": channels * padding} if padding else {}
        for name, length in lengths.items():
            left[name].add(length % lanes)
    assert all(found >= {0, 1, lanes - 1} for name, found in left.items() if name != "line"), left
    assert left["line"] >= {0, 1}


@pytest.mark.parametrize("made", [copied, lambda: copied(PLANES), filtered])
def test_each_short_line_is_another_workers(made: Any) -> None:
    runs = lines_of(*made())[2:]
    assert len(runs) >= 4
    assert all(workers > v["items"] * (v["height"] + 2 * v["pad_h"]) for _, v, workers in runs)


def test_vectors_beyond_the_end_of_a_whole_line_are_caught() -> None:
    kernel, form = filtered()

    def overlapping(node: Node) -> Node:
        return node.replace(step=node.step - 1) if isinstance(node, Loop) and node.var == "right_at" else node

    assert not passes(edited(kernel, overlapping), form)


def test_planes_without_channels_are_not_read() -> None:
    kernel, form = copied(PLANES)
    assert any(values["k_c"] == 0 and values["width"] == 8 for _, values, _ in lines_of(kernel, form))
    asked = [guard for guard in asked_of_symbols(kernel).values() if guard[0].left == Sym("whole_channels")]
    assert asked
    always = edited(
        kernel, lambda node: node.replace(guard=()) if isinstance(node, If) and node.guard in asked else node
    )
    assert not passes(always, form)


def asked_of_symbols(kernel: SemanticKernel) -> dict[int, Guard]:
    """The tests of branches whose two sides follow from a kernel's symbols alone."""
    known = {symbol.name for symbol in kernel.symbols}
    found: dict[int, Guard] = {}
    for node in walk(kernel.roles[0].body):
        if isinstance(node, Let) and node.fragment is None and symbols(node.value) <= known:
            known.add(node.name)
        if isinstance(node, If) and all(symbols(test.left) | symbols(test.right) <= known for test in node.guard):
            found[id(node.guard)] = node.guard
    return found


def met(kernel: SemanticKernel, form: Contraction, monkeypatch: pytest.MonkeyPatch) -> dict[int, set[int]]:
    """By how much the right side of each such test exceeds the left one, wherever some run asks."""
    asked, seen = asked_of_symbols(kernel), defaultdict[int, set[int]](set)
    holds = Tables.holds

    def noted(self: Tables, guard: Guard, scope: dict[str, Any]) -> Any:
        for test in asked.get(id(guard), ()):
            rest = np.asarray(evaluate(test.right, scope)) - np.asarray(evaluate(test.left, scope))
            seen[id(guard)].update(np.unique(rest).tolist())
        return holds(self, guard, scope)

    with monkeypatch.context() as patch:
        patch.setattr(Tables, "holds", noted)
        prove_meaning(kernel, form)
    return {place: seen[place] for place in asked}


@pytest.mark.parametrize("profile", ["neon", "avx2", "avx512"])
@pytest.mark.parametrize(
    "made",
    [
        copied,
        lambda profile: copied(PLANES, profile),
        filtered,
        lambda profile: alone(1, profile),
        lambda profile: alone(2, profile),
    ],
)
def test_every_test_of_sizes_is_met_where_it_just_holds_and_just_fails(
    made: Any, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, form = made(profile=profile)
    asked = asked_of_symbols(kernel)
    assert len(asked) >= (4 if form.halo is not None and form.halo.source.guard else 1)
    edges = {TestFn.LT: {0, 1}, TestFn.EQ: {-1, 0, 1}}
    for place, found in met(kernel, form, monkeypatch).items():
        (test,) = asked[place]
        assert found >= edges[test.fn], (test, found)


def test_a_test_that_no_run_meets_at_its_edge_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, form = filtered()
    monkeypatch.setattr(samples._Runs, "_lines", lambda _: [])
    found = met(kernel, form, monkeypatch)
    assert {place for place, rests in found.items() if not rests >= {0, 1}}


def passes(kernel: SemanticKernel, form: Contraction) -> bool:
    try:
        certify(kernel, form, AVX2)
    except CertificationError:
        return False
    return True


def asking_for_one_more(guard: Guard) -> Edit:
    """What makes one test of a kernel hold later by one."""
    (test,) = guard
    wrong = (test.replace(left=test.left + 1),)
    return lambda node: node.replace(guard=wrong) if isinstance(node, If) and node.guard is guard else node


@pytest.mark.parametrize("made", [copied, lambda: copied(PLANES), filtered])
def test_what_asks_for_one_more_than_vectors_leave_is_caught(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, form = made()
    planted = [edited(kernel, asking_for_one_more(guard)) for guard in asked_of_symbols(kernel).values()]
    assert len(planted) >= 4
    assert not any(passes(wrong, form) for wrong in planted)
    monkeypatch.setattr(samples._Runs, "_lines", lambda _: [])
    assert any(passes(wrong, form) for wrong in planted)


@pytest.mark.parametrize("stride", [1, 2])
def test_single_pixels_are_run_with_channels_that_leave_nothing_one_and_all_but_one(stride: int) -> None:
    kernel, form = alone(stride)
    assert {values["k_c"] % 8 for _, values, _ in lines_of(kernel, form)} >= {0, 1, 7}
    planted = [edited(kernel, asking_for_one_more(guard)) for guard in asked_of_symbols(kernel).values()]
    assert planted and not any(passes(wrong, form) for wrong in planted)


@pytest.mark.parametrize(
    ("words", "without"),
    [
        ("worker: Load copied: guard + 1", (samples, "branches", lambda _: {})),
        ("worker: Let run_at_whole: value: 7 for 8", (samples, "branches", lambda _: {})),
        ("worker: Let whole_channels: value: 7 for 8", (image_lines, "uneven", lambda _: 3)),
        ("worker: Let right_at_whole: value: 1 for 2", (samples, "reached", lambda *_: {})),
    ],
)
def test_faults_that_only_such_runs_show_are_caught(
    words: str, without: tuple[Any, str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, form = copied()
    planted = [fault.kernel for fault in faults(kernel) if fault.words == words]
    caught = [wrong for wrong in planted if not passes(wrong, form)]
    assert caught
    monkeypatch.setattr(*without)
    assert any(passes(wrong, form) for wrong in caught)


def test_planes_are_run_with_many_channels_and_with_many_pixels() -> None:
    (_, channels, _), (_, pixels, _), *_ = lines_of(*copied(PLANES))
    assert channels["k_c"] == uneven(8) and channels["width"] > 8 and (channels["pad_h"], channels["pad_w"]) == (1, 1)
    assert pixels["width"] == uneven(8) and pixels["k_c"] > 8 and (pixels["pad_h"], pixels["pad_w"]) == (0, 0)
    assert pixels["k_c"] % 8 and channels["width"] % 8


@pytest.mark.parametrize(
    "words",
    [
        "worker: Let whole_channels: value: 7 for 8",
        "worker: Loop pixel left out",
        "worker: Loop pixel: stop: 7 for 8",  # what is left begins where it should: only as many vectors as lanes show it
        "worker: Loop pixel: stop: 9 for 8",
        "worker: Loop halo_column: start: 9 for 8",
        "worker: Let right_at_whole: value: 7 for 8",
    ],
)
def test_wrong_counts_of_vectors_of_planes_are_caught(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, form = copied(PLANES)
    planted = [fault.kernel for fault in faults(kernel) if fault.words == words]
    caught = [wrong for wrong in planted if not passes(wrong, form)]
    assert caught  # all, but for pixels that are copied by a vector and once more alone, which is the same
    monkeypatch.setattr(samples._Runs, "_lines", lambda _: [])
    assert any(passes(wrong, form) for wrong in caught)
