# SPDX-License-Identifier: MIT
"""The table of matrix products on GPUs, run on the CPU with a clock of its own: refusals and wrong results count as missed."""

from __future__ import annotations

import argparse
import functools
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import cuda_cases, cuda_gemm, device_table, device_turns, rows
from benchmarks.device_turns import flushes_for

pytest.importorskip("torch")


def test_the_table_is_whole() -> None:
    table = {group.name: group for group in cuda_cases.groups(False, random.Random(1))}
    names = ("bf16", "fp16", "layouts bf16", "layouts fp16", "odd bf16", "skinny bf16", "random bf16")
    assert [len(table[name].cases) for name in names] == [8, 8, 4, 4, 5, 5, 20]
    assert (table["layouts fp16"].bar, table["layouts fp16"].least) == (1.02, 0.96)
    assert (table["bf16"].bar, table["bf16"].least) == (1.03, 0.97)
    assert table["bf16"].cases[0].flops == 2 * 1024**3
    for shape in cuda_cases.drawn(random.Random(2), 50):
        assert all(256 <= extent <= 12288 and extent % 8 == 0 for extent in shape)
    quick = {group.name: group for group in cuda_cases.groups(True, random.Random(1))}
    assert set(quick) == set(table) and len(quick["bf16"].cases) == 4


@pytest.mark.parametrize("layouts", ["NN", "NT", "TN", "TT"])
def test_products_are_right_and_compared_with_the_peer(
    layouts: str, turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    case = cuda_cases.product((9, 10, 11), "float32", *layouts)("g")
    line = cuda_gemm.measure(case, turns({"tracea": 0.5, "cuBLAS": 1.0, "again": 1.1}), options())
    assert (line.problem, line.peer_name) == ("", "cuBLAS")
    assert line.ratio == pytest.approx(2.0) and line.noise == pytest.approx(1 / 1.1)
    assert "1500 MHz" in str(line) and "×2.000" in str(line)


@pytest.mark.parametrize("name", ["bias_relu", "bias_residual", "bias_gelu", "bias_silu"])
def test_fused_layers_take_the_best_peer(
    name: str, turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    line = cuda_gemm.measure(cuda_cases.fused((8, 16, 32), name)("g"), turns({"eager": 0.9}), options())
    assert (line.problem, line.peer_name) == ("", "eager")


def test_a_gated_layer_and_a_batch(turns: Callable[..., Any], options: Callable[..., argparse.Namespace]) -> None:
    assert cuda_gemm.measure(cuda_cases.gated((8, 16, 32))("g"), turns({}), options()).problem == ""
    assert (
        cuda_gemm.measure(cuda_cases.product((8, 9, 10), "float32", batch=3)("g"), turns({}), options()).problem == ""
    )


def planted(ours: Callable[[], Any], error: float = 0.0) -> Callable[[Any], cuda_cases.Bench]:
    return lambda _: cuda_cases.Bench(ours, {"peer": lambda: None}, lambda: error, 1e-2, lambda: "")


def refuse() -> None:
    raise ValueError("no such kernel")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (planted(refuse), "refused: ValueError: no such kernel"),
        (planted(lambda: None, error=0.5), "wrong: ‖difference‖"),
        (planted(lambda: None, error=math.nan), "wrong: ‖difference‖"),
    ],
)
def test_what_gives_no_right_result_is_missed(
    make: Callable[[Any], cuda_cases.Bench],
    words: str,
    turns: Callable[..., Any],
    options: Callable[..., argparse.Namespace],
) -> None:
    good, bad = cuda_cases.Case("g", "good", 1e9, planted(lambda: None)), cuda_cases.Case("g", "bad", 1e9, make)
    group = cuda_cases.Group("g", 1.0, 0.5, (good, bad))
    lines = [cuda_gemm.measure(case, turns({}), options()) for case in group.cases]
    assert words in lines[1].problem and lines[1].ratio == 0.0
    assert cuda_gemm.verdict(group, lines[:1]) == (1.0, 1.0)
    assert cuda_gemm.verdict(group, lines) == (0.0, 0.0)


def test_a_peer_that_fails_leaves_the_others(
    capsys: pytest.CaptureFixture[str], turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    bench = cuda_cases.Bench(lambda: None, {"broken": refuse, "works": lambda: None}, lambda: 0.0, 1e-2, lambda: "")
    line = cuda_gemm.measure(cuda_cases.Case("g", "c", 1.0, lambda _: bench), turns({}), options())
    assert line.peer_name == "works" and "broken fails" in capsys.readouterr().out


@pytest.fixture
def two_groups(monkeypatch: pytest.MonkeyPatch, turns: Callable[..., Any]) -> None:
    """A table of two groups, the first of two cases, on a device that takes no time."""
    one, two, other = (cuda_cases.Case(name[0], name[1], 1e9, planted(lambda: None)) for name in ("g1", "g2", "h3"))
    made = (cuda_cases.Group("g", 0.5, 0.5, (one, two)), cuda_cases.Group("h", 0.5, 0.0, (other,)))
    monkeypatch.setattr(cuda_gemm, "groups", lambda quick, draw: made)
    monkeypatch.setattr(cuda_gemm, "Turns", lambda device: turns({}))
    monkeypatch.setattr(cuda_gemm, "host_times", lambda turns: refuse())


@pytest.mark.usefixtures("two_groups")
def test_groups_that_were_measured_whole_are_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["cuda-gemm", "--device", "cpu", "--results", str(tmp_path), "--commit"]
    assert rows.main([*command, "abc", "--seconds", "-1"]) == 0
    assert capsys.readouterr().out.count("the time is up") == 3
    assert rows.main([*command, "abc", "--only", "1"]) == 0
    assert "not stored: g was not measured whole" in capsys.readouterr().out and not list(tmp_path.iterdir())

    def stored() -> list[tuple[str, str, str]]:
        (file,) = tmp_path.iterdir()
        known = json.loads(file.read_text())
        assert {row["group"] for row in known["rows"]} == {line["group"] for line in known["lines"]}
        assert [row["name"] for row in known["rows"]][:2] == [
            f"g, 2 of 2 shapes, {what}" for what in ("geometric mean", "least")
        ]
        return [(line["group"], line["case"], line["commit"]) for line in known["lines"]]

    assert rows.main([*command, "abc"]) == 0
    assert stored() == [("g", "1", "abc"), ("g", "2", "abc"), ("h", "3", "abc")]
    assert rows.main([*command, "later", "--only", "^g"]) == 0, "the other group stays"
    assert stored() == [("g", "1", "later"), ("g", "2", "later"), ("h", "3", "abc")]


@pytest.mark.usefixtures("two_groups")
def test_a_table_measured_elsewhere_is_merged(tmp_path: Path) -> None:
    for folder, commit, only in (("here", "old", ""), ("there", "new", "h")):
        command = ["cuda-gemm", "--device", "cpu", "--results", str(tmp_path / folder)]
        assert rows.main([*command, "--commit", commit, "--only", only]) == 0
    (elsewhere,), (here,) = ((tmp_path / folder).iterdir() for folder in ("there", "here"))
    assert rows.main(["cuda-gemm", "--results", str(tmp_path / "here"), "--merge", str(elsewhere)]) == 0
    assert [line["commit"] for line in json.loads(here.read_text())["lines"]] == ["old", "old", "new"]


def test_an_older_measurement_does_not_replace_a_later_one(tmp_path: Path) -> None:
    def group(name: str, measured: str) -> list[dict[str, Any]]:
        return [{"group": name, "name": name, "measured": measured, "commit": "c"}]

    file = tmp_path / "table.json"
    for name, day in (("a", "2026-02"), ("b", "2026-02"), ("a", "2026-01"), ("b", "2026-03")):
        device_table.put(file, {"device": "d"}, group(name, day), group(name, day))
    for part in ("rows", "lines"):
        assert [(one["group"], one["measured"]) for one in json.loads(file.read_text())[part]] == [
            ("a", "2026-02"),
            ("b", "2026-03"),
        ]


def test_host_times_have_peers(turns: Callable[..., Any]) -> None:
    times = cuda_gemm.host_times(turns({}))
    assert set(times) == {
        f"{who}{what}"
        for who in ("", "torch.mm, ")
        for what in ("same buffers", "64 rotating sets", "allocated result")
    }


def test_hosts_are_timed_in_turns() -> None:
    order: list[str] = []
    turns = device_turns.Turns.__new__(device_turns.Turns)
    turns.synchronize = lambda: None  # type: ignore[method-assign]
    times = turns.host({name: functools.partial(order.append, name) for name in "ab"}, count=2, rounds=4)
    assert "".join(order) == "bbaaaabb" * 2 and set(times) == {"a", "b"} and min(times.values()) > 0


def test_flushes_last_longer_than_a_slow_host_takes_to_queue_a_call() -> None:
    """A call that takes 50 µs to queue is not over when one flush of 60 µs is, if the host is interrupted: its kernel then waits for it."""
    counts = [flushes_for(seconds) for seconds in (0.0, 5e-6, 20e-6, 50e-6, 200e-6, 1.0)]
    assert counts[0] == counts[1] == 1
    assert counts == sorted(counts)
    assert all(
        count * 50e-6 >= 4 * seconds
        for count, seconds in zip(counts[:-1], (0.0, 5e-6, 20e-6, 50e-6, 200e-6), strict=True)
    )
    assert counts[-1] == 40
