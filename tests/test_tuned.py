# SPDX-License-Identifier: MIT
"""The table of untuned against tuned choices: what is asked, what a line says, where a run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tracea_core.pipeline import tune as tuning
from tracea_core.policy.config import PipelineConfig
from tracea_core.tuner.measure import Measurement, Timer, summarize

from benchmarks import tuned
from tracea.cli.problems import make_problem


def _line(name: str, ratio: float, seconds: float = 9.0) -> tuned.Line:
    return tuned.Line(name, "6x64x4", ratio * 1e-3, "4x80x4", 1e-3, seconds, 20, "2026-01-01", "abc")


def test_every_problem_of_the_suite_is_one_and_they_differ() -> None:
    problems = {name: make_problem(*words) for name, words in tuned._suite().items()}
    assert len(problems) >= 20 and len({problem.digest() for problem in problems.values()}) == len(problems)
    assert {type(problem.op).__name__ for problem in problems.values()} == {"GemmOp", "Conv2dOp"}


def test_a_choice_that_is_far_off_and_a_search_that_takes_too_long_are_missed() -> None:
    text = tuned.show([_line("near", 1.05), _line("far", 1.2), _line("slow", 1.0, 11.0)])
    first, second, third, last = text.splitlines()
    assert first.startswith("MISS ×1.200 far") and second.startswith("ok   ×1.050 near") and third.startswith("MISS")
    assert "2 of 3 within 10%" in last and "×1.080" in last


def test_both_choices_run_and_each_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    poor = PipelineConfig(tile_m=1, tile_n=16, tile_k=1, stages=1, warps=1)
    found: dict[str, Any] = {}

    def planted(problem: Any, device: str, *, budget: Any, force: bool) -> Any:
        found.update(seconds=budget.seconds, force=force)
        return type("Result", (), {"configuration": poor, "search": None})()

    def compared(self: Timer, calls: Sequence[Callable[[], object]]) -> tuple[Measurement, ...]:
        for call in calls:
            call()
        return tuple(summarize([seconds] * 9) for seconds in (1e-3, 2e-3))

    monkeypatch.setattr(tuning, "tune", planted)
    monkeypatch.setattr(Timer, "compare", compared)
    line = tuned.measure("product", make_problem("matmul", [192, 192, 192]), "abc", 10.0)
    assert line.ratio == 0.5 and line.tuned == poor.describe() != line.untuned and line.evaluations == 0
    assert found == {"seconds": 7.0, "force": True}


def test_a_run_goes_on_where_another_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def measured(name: str, problem: object, commit: str, seconds: float) -> tuned.Line:
        asked.append(name)
        return _line(name, 1.2 if "512" in name else 1.0)

    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path / "before"))
    monkeypatch.setattr(tuned, "measure", measured)
    assert tuned.main(["--only", "^matmul 256×", "--results", str(tmp_path)]) == 0
    assert tuned.main(["--only", "^matmul (256|512)×", "--results", str(tmp_path)]) == 1
    assert asked == ["matmul 256×256×256", "matmul 512×512×512"]
    (path,) = tmp_path.glob("tuned-*.json")
    assert [line["name"] for line in json.loads(path.read_text())["lines"]] == asked
    assert "1 of 2 within 10%" in capsys.readouterr().out
