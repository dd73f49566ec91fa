# SPDX-License-Identifier: MIT
"""The comparison of searches on a landscape made by hand: what is left out, what is a seed, what a replay counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.errors import TraceaError
from tracea_core.policy.config import PipelineConfig
from tracea_core.tuner.evolution import EvolutionarySearch
from tracea_core.tuner.search import ExhaustiveSearch, RandomSearch

from benchmarks import landscapes, search_compare
from benchmarks.landscapes import Landscape, read, wide_space
from tracea.cli.problems import make_problem

SEARCHES = {"random": RandomSearch, "evolutionary": EvolutionarySearch}


def made(name: str = "valley", best: tuple[int, int] = (4, 24), dims: tuple[int, ...] = (64, 96, 128)) -> Landscape:
    """A landscape whose times grow with the distance from one tile; every fifth unrolling fails."""
    problem, profile = make_problem("matmul", list(dims)), preset("avx2")
    space = wide_space(problem, profile)
    rows = []
    for c in space:
        far = abs(c.tile_m - best[0]) / 4 + abs(c.tile_n - best[1]) / 24 + abs(c.tile_k - 8) / 16 + (c.split_k - 1) / 4
        values = (c.tile_m, c.tile_n, c.tile_k, c.split_k)
        rows.append((values, None if c.tile_k == 12 else 1e-4 * (1 + far)))
    fields = ("tile_m", "tile_n", "tile_k", "split_k")
    return Landscape(name=name, problem=problem, profile=profile, fields=fields, base=space[0], rows=tuple(rows))


def test_a_wide_space_is_wider_than_the_policys() -> None:
    landscape = made()
    given = search_compare.settings(landscape, ())
    assert len(landscape.rows) == 720 and 0 < len(given["pruned"].candidates) < len(given["whole space"].candidates) / 2
    assert set(given["pruned, seeded"].seeds) <= set(given["pruned"].candidates)


def test_landscapes_that_chance_solves_are_left_out() -> None:
    landscape = made()
    flat = landscape.replace(rows=tuple((values, 1e-4) for values, _ in landscape.rows))
    assert search_compare.solved_by_chance(flat) == 1.0
    assert 0.0 < search_compare.solved_by_chance(landscape) < 0.5
    said: list[str] = []
    assert list(search_compare.compare([flat], SEARCHES, 2, said.append)) == [] and "left out" in said[0]


def test_a_hero_that_came_from_a_landscape_is_no_seed_there() -> None:
    here, elsewhere = made("here"), made("elsewhere", (2, 40))
    heroes = set(search_compare.settings(here, ())["pruned, seeded"].seeds)
    hero = next(
        c for c in search_compare.settings(elsewhere, ())["pruned, seeded"].seeds if (c.tile_m, c.tile_n) == (4, 24)
    )
    assert hero in search_compare.good(here) and hero not in heroes
    also = made("also")
    assert hero in search_compare.settings(here, (also,))["pruned, seeded"].seeds


def test_winners_of_other_landscapes_are_transferred_and_never_its_own() -> None:
    here, elsewhere = made("here"), made("elsewhere", (2, 40))
    seeds = search_compare.settings(here, (elsewhere,))["pruned, transferred"].seeds
    assert any((c.tile_m, c.tile_n) == (2, 40) for c in seeds)
    assert not any(c in search_compare.good(here) for c in seeds)


def test_a_replay_counts_until_the_first_good_one_and_repeats_itself() -> None:
    landscape = made()
    given = search_compare.settings(landscape, ())["whole space"]
    wanted = search_compare.good(landscape)
    first = search_compare.replay(landscape, RandomSearch, given, 3)[0]
    assert first == search_compare.replay(landscape, RandomSearch, given, 3)[0]
    one = next(iter(wanted))
    sure = search_compare.Setting(given.candidates, (one,))
    assert search_compare.replay(landscape, RandomSearch, sure, 0)[0] == 1
    none = search_compare.Setting(tuple(c for c in given.candidates if c not in wanted))
    assert search_compare.replay(landscape, ExhaustiveSearch, none, 0)[0] == search_compare.LIMIT + 1


def test_the_table_says_which_search_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "landscapes"
    folder.mkdir()
    landscape = made()
    (folder / "valley.json").write_text(landscape.to_json())
    assert read(folder) == (landscape,)
    arguments = ["--landscapes", str(folder), "--seeds", "5", "--results", str(tmp_path)]
    assert search_compare.main([*arguments, "--search", "random", "--search", "evolutionary"]) == 0
    said = capsys.readouterr().out
    assert "best where the policy prunes and seeds: evolutionary" in said
    stored = json.loads((tmp_path / "search-compare.json").read_text())
    assert {row["search"] for row in stored["summary"]} == {"random", "evolutionary"}
    plain = {row["setting"]: row["mean of medians"] for row in stored["summary"] if row["search"] == "evolutionary"}
    assert plain["pruned"] <= plain["whole space"]


def test_a_comparison_goes_on_where_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    landscape = made()
    whole = list(search_compare.compare([landscape], SEARCHES, 4))
    part = list(search_compare.compare([landscape], SEARCHES, 2))
    replayed: list[int] = []
    replay = search_compare.replay

    def counted(*given: Any) -> tuple[int, float]:
        replayed.append(given[-1])
        return replay(*given)

    monkeypatch.setattr(search_compare, "replay", counted)
    gone_on = list(search_compare.compare([landscape], SEARCHES, 4, known=part))
    assert [o.evaluations for o in gone_on] == [o.evaluations for o in whole] and set(replayed) == {2, 3}
    replayed.clear()
    other = landscape.replace(rows=landscape.rows[:-1])  # what was known is of other candidates
    list(search_compare.compare([other], SEARCHES, 1, known=whole))
    assert set(replayed) == {0}


def test_processes_share_the_seeds() -> None:
    landscape = made()
    alone, known = (list(search_compare.compare([landscape], SEARCHES, seeds)) for seeds in (3, 1))
    shared = list(search_compare.compare([landscape], SEARCHES, 3, known=known, jobs=2))
    assert {(o.search, o.setting): o.evaluations for o in shared} == {
        (o.search, o.setting): o.evaluations for o in alone
    }


@pytest.mark.parametrize("name", SEARCHES)
def test_the_stored_comparison_is_what_searches_do_now(name: str) -> None:
    """A field more in configurations, or another prior or draw, changes where a search goes: then it is to be compared again."""
    stored = json.loads((search_compare.RESULTS / "search-compare.json").read_text())["outcomes"]
    every = read()
    for landscape in (one for one in every if one.name.endswith(("19x333x640-int8", "1672x1768x4112-bf16"))):
        others = [other for other in every if other is not landscape]
        setting = search_compare.settings(landscape, others)["pruned, seeded"]
        (outcome,) = (
            o for o in stored if (o["landscape"], o["search"], o["setting"]) == (landscape.name, name, "pruned, seeded")
        )
        found = [search_compare.replay(landscape, SEARCHES[name], setting, seed)[0] for seed in range(3)]
        assert (outcome["given"], outcome["evaluations"][:3]) == (setting.digest(landscape), found)


def test_recorded_landscapes_can_be_read() -> None:
    found = read()
    assert found and all(good and len(good) < 100 for good in map(search_compare.good, found))


def test_recording_writes_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = (
        PipelineConfig(tile_m=2, tile_n=16, tile_k=2, stages=1, warps=1),
        PipelineConfig(tile_m=4, tile_n=16, tile_k=2, stages=1, warps=1),
    )
    monkeypatch.setattr(landscapes, "FOLDER", tmp_path)
    monkeypatch.setattr(landscapes, "wide_space", lambda problem, profile: few)
    monkeypatch.setitem(landscapes.FAMILIES, "matmul_fp32", (("matmul", [9, 17, 5], {}),))
    seconds = landscapes._seconds

    def planted(bench: object, configuration: PipelineConfig, timer: object) -> float | None:
        def fail(*_: object, **__: object) -> None:
            raise TraceaError("planted")

        if configuration == few[1]:
            monkeypatch.setattr(landscapes, "plan", fail)
        return seconds(bench, configuration, timer)  # type: ignore[arg-type]

    monkeypatch.setattr(landscapes, "_seconds", planted)
    assert "wrote" in list(landscapes.record("matmul_fp32", 0.001))[-1]
    (stored,) = read(tmp_path)
    times = stored.times()
    assert times[few[0]] is not None and times[few[0]] > 0 and times[few[1]] is None
