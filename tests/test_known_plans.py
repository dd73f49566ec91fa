# SPDX-License-Identifier: MIT
"""The costs of known plans: measured in processes that did not store them, printed against their bar."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import known_plans


def test_each_cost_is_the_least_of_several_processes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, str]] = []
    costs = iter((0.5, 0.4, 2.0, 0.9, 0.7))

    def apart(what: str, cache: str) -> dict[str, float]:
        asked.append((what, cache))
        if what == "store":
            return {}
        cost = next(costs)
        return {"device": 30 + cost, "certificate": cost, "another": 3 * cost, "again": cost / 2}

    monkeypatch.setattr(known_plans, "_apart", apart)
    found = list(known_plans.rows())
    assert [what for what, _ in asked] == ["store", *["measure"] * 5]
    assert len({cache for _, cache in asked}) == 1
    assert [(round(row.value, 3), row.met) for row in found] == [(0.4, True), (1.2, False), (0.2, True)]
    assert "device 30.40" in capsys.readouterr().out


def test_a_process_finds_what_another_one_stored(tmp_path: Path) -> None:
    known_plans._apart("store", str(tmp_path))
    if not list((tmp_path / "binaries").rglob("*.bin")):
        pytest.skip("a file of tracea was written while that process ran")
    found = known_plans._apart("measure", str(tmp_path))
    assert {*known_plans.NAMES, "device", "runtime", "machine code"} == set(json.loads(json.dumps(found)))
