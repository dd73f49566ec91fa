# SPDX-License-Identifier: MIT
"""The table of networks is filled by several runs: what is old or missing comes first, and nothing measured is lost."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks import rows, table, torch_case, torch_rows
from benchmarks.row import Row

_SPEAKER = """
import json, sys, time
kind, name, how, batch, place = sys.argv[1:]
print("a library says something")
if name == "ConvNeXt-T":
    raise SystemExit(1)
if name == "GPT-2":
    time.sleep(600)
if kind != "compilation":
    print(json.dumps({"ready": {}}), flush=True)
    sys.stdin.readline()
times = {"inductor_ms": 3.0, "tracea_ms": 2.0, "eager_ms": 5.0, "tracea_us": 7.0, "inductor_us": 9.0, "seconds": 4.0, "added": 0}
print(json.dumps({"line": times}), flush=True)
"""


@pytest.fixture(autouse=True)
def speaker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every case be measured by something that makes its times up at once."""
    program = tmp_path / "speaker.py"
    program.write_text(_SPEAKER)
    monkeypatch.setattr(torch_rows, "PROGRAM", (sys.executable, str(program)))


def asked(**changes: Any) -> argparse.Namespace:
    return argparse.Namespace(
        **{"table": "torch", "only": "", "quick": False, "settled": False, "seconds": 600.0, "jobs": 1, **changes}
    )


def told(given: argparse.Namespace, known: Any = ()) -> tuple[list[str], list[Row]]:
    titles: list[str] = []
    found = torch_rows.measure(given, "cuda:0", known, lambda title, rows, line: titles.append(title))
    return titles, found


def test_several_are_compiled_at_once_and_all_are_told() -> None:
    titles, found = told(asked(only=r"^(BERT|ResNet).*batch \d+$|overhead", jobs=4))
    assert sorted(titles) == sorted(
        [f"{n}, {m}, batch {b}" for n in ("BERT-base", "ResNet-50") for m, b in torch_rows.MODES]
        + ["overhead of an operator in a compiled graph"]
    )
    assert {row.value for row in found} == {1.5, 7.0} and all(row.met for row in found)


def test_compilation_is_timed_by_both_and_once_more() -> None:
    titles, found = told(asked(only="BERT-base, compilation"))
    assert titles == ["BERT-base, compilation"] and [row.value for row in found] == [1.0, 0]


def test_compilation_is_timed_in_turns_and_the_worst_second_process_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = iter([(9.0, 5.0, 0), (4.0, 6.0, 2), (5.0, 7.0, 0)])
    orders: list[str] = []

    def once(case: Any, order: Any, end: float) -> dict[str, Any]:
        orders.append(order[0])
        inductor, tracea, added = next(turns)
        return {"inductor_s": inductor, "tracea_s": tracea, "second_s": 1.0, "second_added": added}

    monkeypatch.setattr(torch_rows, "_compile_once", once)
    _, found = told(asked(only="BERT-base, compilation"))
    assert [row.value for row in found] == [5.0 / 4.0, 2] and orders == ["inductor", "tracea", "inductor"]
    assert not any(row.met for row in found)


def test_a_turn_that_would_not_end_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    once: list[float] = []

    def slow(case: Any, order: Any, end: float) -> dict[str, Any]:
        once.append(end)
        time.sleep(0.5)
        return {"inductor_s": 4.0, "tracea_s": 4.0, "second_s": 1.0, "second_added": 0}

    monkeypatch.setattr(torch_rows, "_RESERVE", 0.0)
    monkeypatch.setattr(torch_rows, "_compile_once", slow)
    told(asked(only="BERT-base, compilation", seconds=0.9))
    assert len(once) == 1


def test_only_second_processes_are_asked_for_where_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: list[str] = []
    start = torch_rows._start
    monkeypatch.setattr(torch_rows, "_start", lambda case: kinds.append(case.arguments[0]) or start(case))
    told(asked(only="BERT-base, training, batch 16$|overhead", settled=True))
    assert sorted(kinds) == ["overhead", "settled"]


def test_what_fails_or_lasts_is_skipped_and_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    start = torch_rows._start

    def begun(case: torch_rows.Case) -> Any:
        running = start(case)
        if "GPT-2" in case.title:  # what lasts is not waited for here
            monkeypatch.setattr(running.ready, "wait", waited.append)
        return running

    monkeypatch.setattr(torch_rows, "_start", begun)
    monkeypatch.setattr(torch_rows, "_RESERVE", 10.0)
    titles, _ = told(asked(only="(ConvNeXt-T|GPT-2|ViT-B/16), inference, batch 1$", jobs=3, seconds=300.0))
    said = capsys.readouterr().out
    assert titles == ["ViT-B/16, inference, batch 1"]
    assert len(waited) == 1 and waited[0] <= 300.0 - 3 * 10.0, "the others have time left to be timed"
    assert "skip ConvNeXt-T, inference, batch 1: failed" in said
    assert "skip GPT-2, inference, batch 1: was not compiled in time" in said


def test_what_is_oldest_comes_first_and_the_rest_is_skipped_without_time(capsys: pytest.CaptureFixture[str]) -> None:
    known = [{"name": f"BERT-base, {m}, batch {b}", "measured": str(9 - b % 7)} for m, b in torch_rows.MODES]
    titles, _ = told(asked(only=r"BERT-base, .*batch \d+$"), known)
    assert titles == [f"BERT-base, {m}" for m in ("inference, batch 32", "training, batch 16", "inference, batch 1")]
    assert told(asked(only="BERT", seconds=0.0))[0] == []
    assert "out of time" in capsys.readouterr().out


def test_bars_are_those_of_device_and_kind() -> None:
    def bars(title: str, device: str) -> list[float]:
        (case,) = (case for case in torch_rows.cases(device) if case.title == title)
        line = {"inductor_ms": 3.0, "tracea_ms": 2.0, "eager_ms": 5.0}
        return [row.bar for row in torch_rows.rows_of(case, line, device)]

    assert bars("BERT-base, inference, batch 1", "cuda:0") == bars("GPT-2, training, batch 16", "cpu") == [0.97]
    assert bars("ResNet-50, inference, batch 32", "cuda:0") == [0.97]
    assert bars("ResNet-50, inference, batch 1", "cpu") == bars("SDXL block, training, batch 16", "cpu") == [1.1, 1.15]
    assert bars("ViT-B/16, inference, batch 32", "cpu") == [0.97, 1.15]


def test_deviation_is_a_row_where_it_was_measured() -> None:
    asks = {
        device: [c for c in torch_rows.cases(device) if c.arguments[0] == "agreement"] for device in ("cpu", "cuda:0")
    }
    (agreed,) = torch_rows.rows_of(asks["cpu"][0], {"beyond": 0.5}, "cpu")
    assert agreed.met and not torch_rows.rows_of(asks["cuda:0"][0], {"beyond": 1.5}, "cuda:0")[0].met
    everything = {(name, mode, str(batch)) for name in torch_rows.NAMES for mode, batch in torch_rows.MODES}
    assert {c.arguments[1] for c in asks["cpu"]} == set(torch_rows.NAMES)
    assert everything < {c.arguments[1:4] for c in asks["cuda:0"]}
    case = torch_rows.cases("cpu")[2]
    line = {"inductor_ms": 3.0, "tracea_ms": 2.0, "eager_ms": 5.0, "beyond": 1.2}
    assert [row.met for row in torch_rows.rows_of(case, line, "cpu")] == [True, False, True]


def test_what_is_compared_is_compared_turn_by_turn() -> None:
    host = [1.0, 3.0, 1.0, 5.0, 1.0]  # busy with something else in two turns of five
    samples = {
        "eager": [9.0],
        "inductor": [4 * h for h in host],
        "inductor again": [4 * h for h in host],
        "tracea": [2 * h for h in host],
        "tracea again": [3 * h for h in host],
    }
    line = torch_case.figures(samples)
    assert line["ratio"] == 1.6 and (line["inductor_noise"], line["tracea_noise"]) == (1.0, 0.667)
    assert line["eager_ms"] == 9000.0 and "tracea again_ms" not in line
    (row,) = torch_rows.rows_of(torch_rows.cases("cuda:0")[2], line, "cuda:0")
    assert row.value == 1.6, "not the ratio of two medians"


def test_sides_alternate_and_what_is_compared_with_nothing_is_timed_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch_case, "_ROUNDS", (12, 12))
    monkeypatch.setattr(torch_case, "_BURST_SECONDS", 0.0)
    called: list[str] = []
    names = ("eager", "inductor", "inductor again", "tracea", "tracea again")
    calls = {name: lambda name=name: called.append(name) for name in names}
    samples = torch_case.in_turns(calls, torch.device("cpu"), 1.0)
    assert {name: len(values) for name, values in samples.items()} == {**dict.fromkeys(names, 12), "eager": 2}
    turns = called[3 * 3 :]
    assert called[:9] == ["eager"] * 3 + ["inductor"] * 3 + ["tracea"] * 3, "the same again takes as long"
    assert sorted(turns[:5]) == sorted(names) and sorted(turns[5:9]) == sorted(names[1:])


def test_what_is_long_is_called_once_to_learn_how_long_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    called: list[str] = []
    seconds = {"eager": 0.5, "inductor": 3.0, "tracea": 2.0}
    monkeypatch.setattr(torch_case, "_timed", lambda call, device, count: seconds[call(count)])
    calls = {name: lambda count, name=name: called.append(name) or name for name in seconds}
    calls |= {f"{name} again": calls[name] for name in ("inductor", "tracea")}
    samples = torch_case.in_turns(calls, torch.device("cpu"), 1.0)
    assert called[:5] == ["eager"] * 3 + ["inductor", "tracea"] and len(samples["tracea again"]) == 3


def test_networks_of_a_kind_have_a_mean() -> None:
    def row(name: str, mode: str, value: float) -> dict[str, Any]:
        return {"name": f"{name}, {mode}, batch 1: Inductor's time over tracea's", "value": value}

    known = [row("GPT-2", "inference", 1.0), row("ViT-B/16", "inference", 1.21), row("GPT-2", "training", 9.0)]
    known.append({"name": "GPT-2, inference, batch 1: eager time over tracea's", "value": 9.0})
    (mean,) = torch_rows.means(known, "cuda:0")
    assert mean.name.startswith("transformers, inference, mean of 2") and mean.met and abs(mean.value - 1.1) < 1e-9
    both = torch_rows.means([*known, row("SDXL block", "inference", 1.05)], "cuda:0")
    assert [m.met for m in both] == [True, False] and torch_rows.means(known, "cpu") == []


def stored(path: Path, name: str, value: float, day: int, commit: str = "abc") -> dict[str, Any]:
    mark = {"measured": f"2026-01-0{day}T00:00:00+00:00", "commit": commit}
    row = table.as_stored(Row(name, "×", value, 1.0, 1.0, at_most=False), mark)
    return table.merge(path, {"table": "torch", "device": "A Device"}, [row], [{"name": name, **mark}])


def test_figures_are_replaced_by_later_ones_only(tmp_path: Path) -> None:
    path = tmp_path / "torch-a-device.json"
    path.write_text(json.dumps({"rows": [{"name": "of no commit", "value": 9.0}], "lines": [], "measured": "once"}))
    stored(path, "first", 1.0, 2)
    stored(path, "second", 0.5, 2)
    stored(path, "first", 2.0, 1)
    assert {row["name"]: row["value"] for row in table.read(path)["rows"]} == {"first": 1.0, "second": 0.5}
    assert {row["name"]: row["met"] for row in stored(path, "second", 3.0, 3)["rows"]} == {
        "first": True,
        "second": True,
    }


def test_a_table_from_elsewhere_is_merged_with_its_commit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other, results = tmp_path / "elsewhere.json", tmp_path / "results"
    stored(other, "first", 1.0, 2, table.UNKNOWN)
    stored(results / "torch-a-device.json", "second", 1.0, 2)
    words = ["torch", "--results", str(results), "--merge", str(other), "--commit", "fff"]
    assert rows.main(words) == 0 and "holds 2" in capsys.readouterr().out
    found = {row["name"]: row["commit"] for row in table.read(results / "torch-a-device.json")["rows"]}
    assert found == {"first": "fff", "second": "abc"}


@pytest.mark.parametrize("name", ["cpu", "certification", "torch"])
def test_tables_of_processors_are_kept_by_generation(name: str, tmp_path: Path) -> None:
    mark = {"measured": "2026-01-02T00:00:00+00:00", "commit": "abc"}
    row = table.as_stored(Row("first", "×", 2.0, 1.0, 1.0, at_most=False), mark)
    other = tmp_path / "elsewhere.json"
    for arch in ("one", "another"):
        table.merge(other, {"table": name, "device": "A Device", "arch": arch}, [row], [])
        assert rows.main([name, "--results", str(tmp_path / "results"), "--merge", str(other)]) == 0
        found = table.read(tmp_path / "results" / f"{name}-a-device-{arch}.json")
        assert [kept["value"] for kept in found["rows"]] == [2.0] and found["arch"] == arch


def test_the_commit_is_that_of_the_sources() -> None:
    assert table.commit_here() == table.UNKNOWN or len(table.commit_here().rstrip("+")) == 10


def test_networks_of_libraries_are_a_table_of_their_own() -> None:
    titles, found = told(asked(table="torch-library", only="U-Net|autocast, inference"))
    from benchmarks.torch_library import LIBRARY

    known = {name for name in LIBRARY if name == "U-Net"} | {name for name in LIBRARY if name.endswith("autocast")}
    assert {title.split(", inference")[0].split(", training")[0] for title in titles} == known
    assert len(titles) == len(known) + 1, "the network without autocast in training, too"
    assert all(row.value == 1.5 and row.bar == torch_rows.LEAST for row in found)


@pytest.mark.parametrize(
    "name",
    ["U-Net", "experts", "nn.TransformerEncoder", "attention written out, causal", "attention written out, windows"],
)
def test_networks_without_a_library_run(name: str) -> None:
    torch = pytest.importorskip("torch")
    from benchmarks.torch_library import LIBRARY

    network = LIBRARY[name]
    with torch.no_grad():
        found = network.make().eval()(*(x[:, :, :64, :64] if x.dim() == 4 else x for x in network.inputs(1)))
    assert torch.isfinite(found).all() and found.shape[0] == 1


def test_under_autocast_weights_stay_as_they_are() -> None:
    torch = pytest.importorskip("torch")
    from benchmarks.torch_library import Autocast

    x, inner = torch.randn(3, 8), torch.nn.Linear(8, 4)
    exact, model = inner(x), Autocast(inner).to(torch.bfloat16)
    assert model.cast and inner.weight.dtype is torch.float32
    rounded = model(x.bfloat16())
    assert rounded.dtype is torch.float32 and not torch.equal(rounded, exact)
    torch.testing.assert_close(rounded, exact, rtol=0.05, atol=0.05)
    assert torch.equal(model.to(torch.float32)(x), exact), "in any other type it is the network itself"


def test_in_single_precision_nothing_is_narrowed() -> None:
    torch = pytest.importorskip("torch")
    from benchmarks.torch_library import LIBRARY, SinglePrecision

    x, inner = torch.randn(3, 8), torch.nn.Linear(8, 4)
    exact, model = inner(x.bfloat16().float()), SinglePrecision(inner).to(torch.bfloat16)
    assert torch.equal(model(x.bfloat16()), exact)
    assert {name for name in LIBRARY if name.endswith("fp32")} == {
        "ResNet-50, fp32",
        "ConvNeXt-T, fp32",
        "SDXL block, fp32",
    }
