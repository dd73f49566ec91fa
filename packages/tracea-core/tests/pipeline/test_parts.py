# SPDX-License-Identifier: MIT
"""Problems that run as several: phases of planes go over copies where that pays, images that have no room some at a time."""

from __future__ import annotations

import itertools

import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.parts import around_of
from tracea_core.pipeline.path import Path, trace
from tracea_core.pipeline.plan import known_of
from tracea_core.plugin.select import Selection, resolve
from tracea_core.policy.arrange_images import ROOM
from tracea_core.testing.cases import dense

PLANES, LAST = (0, 1, 2, 3), (0, 2, 3, 1)


def transposed(n: int, c: int, size: int, k: int, r: int = 4, order: tuple[int, ...] = PLANES) -> Problem:
    """Return one of stride 2, which has four phases."""
    op = ConvTranspose2dOp(n, c, size, size, k, r, r, (2, 2), (1, 1), dtype=DType.FP16)
    inputs = tuple(dense(shape, DType.FP16, order) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), DType.FP16, order))


@pytest.fixture
def h200() -> Selection:
    return resolve(None, None, "h200")


def steps(path: Path) -> list[tuple[str, ...]]:
    return [step.operands for step in known_of(path).steps]


def test_phases_of_planes_go_over_copies_that_are_made_once(h200: Selection) -> None:
    """64×64² images of 64 channels by 4×4 took an H200 289 µs by gathers, and 45 so."""
    path = trace(transposed(8, 64, 64, 64), preset="h200")
    assert path.around is not None and len(path.phases) == 4 and len(path.kernels) == len(path.sources) == 7
    phase = ("whole_copy0", "whole_copy1", "whole_stored")
    assert steps(path) == [
        ("input0", "whole_copy0"), ("input1", "whole_copy1"), *[phase] * 4, ("whole_stored", "output"),
    ]  # fmt: skip
    assert {one.choice.variant.name for _, one in path.phases} == {"cuda.contraction.wgmma_windows_fp16"}
    shifts = [step.shifts for step in known_of(path).steps]
    assert not any(shifts[0].values()) and not any(shifts[-1].values()), "copies are of whole tensors"
    assert len({shift["whole_stored"] for shift in shifts[2:-1]}) == 4 and all("output" not in one for one in shifts)
    for one in itertools.chain(path.around.before, path.around.after):
        assert not (one.kernel.launch.early or one.kernel.launch.leads), "they begin when all before them has ended"


def test_more_images_than_there_is_room_for_go_in_parts(h200: Selection) -> None:
    problem = transposed(32, 64, 64, 64)
    assert around_of(problem, h200) is None
    path = trace(problem, preset="h200")
    assert path.around is None and len(path.phases) > 1
    assert all(part.around is not None and len(part.phases) == 4 for _, part in path.phases)
    found = known_of(path)
    assert sum(found.spaces.values()) <= ROOM
    begins = [step.shifts["output"] for step in found.steps if step.operands[-1] == "output"]
    assert begins == [phase.shifts["output"] * 2 for phase, _ in path.phases], "bytes, of two each"
    assert begins[0] == 0 < begins[1]


@pytest.mark.parametrize(
    ("problem", "preset"),
    [
        (transposed(8, 64, 64, 64, order=LAST), "h200"),
        (transposed(1, 8, 4, 8), "h200"),  # copies would take longer
        (transposed(8, 60, 16, 64), "h200"),  # pixels of 120 bytes
        (transposed(8, 64, 64, 64), "avx512"),
    ],
)
def test_others_run_on_their_own_tensors(problem: Problem, preset: str) -> None:
    assert around_of(problem, resolve(None, None, preset)) is None
    assert around_of(problem, resolve(None, None, preset), several=False) is None
