# SPDX-License-Identifier: MIT
"""Shipped winners are found for exactly their problem on their kind of device, count before the policy and behind everything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.errors import MalformedDataError
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import ScaledGemmOp
from tracea_core.pipeline.configure import Origin, configure
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.target import Target
from tracea_core.testing.cases import gemm
from tracea_core.testing.null import PROFILE, variants
from tracea_core.tuner import winners
from tracea_core.tuner.winners import FOLDER, Winner, Winners, place, read_winners, shipped, write_winners

H200 = preset_target("h200")
VARIANT = "null.contraction.fp32"
FILE = f"{PROFILE.arch}-device.json"


def problem(m: int = 64) -> Problem:
    return gemm((m, 48, 32), DType.FP32)


def hero(configuration: PipelineConfig, of: Problem, name: str = PROFILE.name) -> Winners:
    winner = Winner(
        title="product", variant=VARIANT, configuration=configuration, seconds=1e-6, policy_seconds=2e-6, problem=of
    )
    return Winners(arch=PROFILE.arch, name=name, measured="never", winners=(winner,))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(winners, "FOLDER", tmp_path)
    winners._shipped.cache_clear()
    yield tmp_path
    winners._shipped.cache_clear()


def test_a_file_survives_writing_and_reading_with_a_winner_a_line(folder: Path) -> None:
    content = hero(PipelineConfig(tile_m=6), problem())
    content = content.replace(winners=content.winners * 3)
    write_winners(folder / FILE, content)
    assert read_winners(folder / FILE) == content
    assert len((folder / FILE).read_text().splitlines()) == 5
    (folder / FILE).write_text('{"arch": 3}')
    with pytest.raises(MalformedDataError):
        read_winners(folder / FILE)


def test_a_winner_is_for_its_problem_and_its_devices_alone(folder: Path) -> None:
    other = PipelineConfig(tile_m=3)
    write_winners(folder / FILE, hero(other, problem()))
    assert shipped(PROFILE)[place(problem(), VARIANT)] == other
    assert place(problem(65), VARIANT) not in shipped(PROFILE)
    assert not shipped(PROFILE.replace(name=f"no {PROFILE.name}")) and not shipped(PROFILE.replace(arch="else"))
    winners._shipped.cache_clear()
    write_winners(folder / FILE, hero(other, problem(), name=PROFILE.name[:3]))
    assert shipped(PROFILE)


@pytest.mark.parametrize("stride", [1, 9, 777])
def test_a_winner_is_found_whatever_the_strides_of_axes_of_one_element(stride: int) -> None:
    winner = next(one for one in read_winners(FOLDER / "sm_90a-h200.json").winners if one.title.endswith("c144 56² r3"))
    images, filters = winner.problem.inputs
    assert filters.shape == (144, 1, 3, 3)
    apart = filters.replace(strides=(filters.strides[0], stride, *filters.strides[2:]))
    asked = winner.problem.replace(inputs=(images, apart))
    assert shipped(H200.profile)[place(asked, winner.variant)] == winner.configuration
    other = winner.problem.replace(inputs=(images, filters.replace(strides=(18, *filters.strides[1:]))))
    assert place(other, winner.variant) not in shipped(H200.profile)


def test_a_winner_counts_before_the_policy(folder: Path) -> None:
    target = Target("null", "preset:null", PROFILE)
    choice = choose(problem(), target, variants(PROFILE))
    usual = configure(choice)
    assert usual.origin is Origin.HERO
    winner = usual.decision.heroes[-1]
    assert winner != usual.configuration
    write_winners(folder / FILE, hero(winner, choice.problem))
    winners._shipped.cache_clear()
    found = configure(choice)
    assert (found.configuration, found.origin) == (winner, Origin.SHIPPED)
    given = configure(choice, usual.configuration)
    assert (given.configuration, given.origin) == (usual.configuration, Origin.GIVEN)


def test_a_winner_that_cannot_be_built_leaves_the_choice_to_the_policy(folder: Path) -> None:
    choice = choose(problem(), Target("null", "preset:null", PROFILE), variants(PROFILE))
    usual = configure(choice)
    write_winners(folder / FILE, hero(PipelineConfig(tile_m=999, tile_n=777), choice.problem))
    winners._shipped.cache_clear()
    assert configure(choice) == usual


def test_every_shipped_winner_fits_its_device_and_was_faster() -> None:
    seen = set()
    for path in sorted(FOLDER.glob("*.json")):
        for winner in read_winners(path).winners:
            assert PolicyEngine(H200.profile).fits(winner.configuration, winner.problem) is None, winner.title
            assert 0 < winner.seconds < winner.policy_seconds, winner.title
            asked = {"allow_tf32": False, "exchanged": False, "fast_accumulation": False, "placed": ()}
            plain = Options(allow_fallback=not isinstance(winner.problem.op, ScaledGemmOp))
            assert winner.problem.options.replace(**asked) == plain, winner.title
            at = place(winner.problem, winner.variant)
            assert at not in seen, winner.title
            seen.add(at)
