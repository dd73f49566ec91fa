# SPDX-License-Identifier: MIT
"""The graduation's parts: every contestant's result judged, times taken in turns, unsteady bouts named as such."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from tracea_core.tuner.measure import summarize

from tracea.graduation import rounds, table, timing
from tracea.graduation import run as running
from tracea.graduation.run import Report, Row, run_bout

LAYER = rounds.Layer(2, 3, 9, 5, 3, 2)


def row(name: str, ratio: float, noise: float = 1.0, round_name: str = "fusion") -> Row:
    times = {"tracea": 1e-3, "numpy": 1e-3 * ratio, running.NOISE: 1e-3 * noise, running.PEER_NOISE: 1e-3 * ratio}
    timings = tuple(timing.Timing(key, summarize([seconds])) for key, seconds in times.items())
    return Row(
        round=round_name, name=name, flops=10**6, timings=timings, errors=(("tracea", 0.5), ("numpy", 0.5)), best_peer="numpy",
        ratio=ratio, low=0.9 * ratio, high=1.1 * ratio, noise=noise, twice="numpy", peer_noise=1.0,
    )  # fmt: skip


def report(*rows: Row) -> Report:
    return Report(
        device="Toy", backend="cpu", threads=2, clock_mhz=1.0, versions=(("tracea", "0"),), system="none",
        started="2020-01-01T00:00:00", rows=rows, notes=tuple(running._notes(rows)),
    )  # fmt: skip


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("torch", [False, True])
def test_every_contestant_of_a_fused_convolution_is_right(
    channels_last: bool, torch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if torch:
        pytest.importorskip("torch")
    monkeypatch.setattr(rounds, "has_torch", lambda: torch)
    bout = rounds.fused_convolution(LAYER, channels_last, 2)
    assert set(bout.contestants) == {"tracea"} | (
        {"torch eager", "torch, BN folded"} if torch else {"numpy, BN folded"}
    )
    for name, call in bout.contestants.items():
        assert bout.off(call()) <= 1, name


def test_a_result_that_forgets_the_norm_is_caught() -> None:
    bout = rounds.fused_convolution(LAYER, False, 2)
    right = np.asarray(bout.contestants["tracea"]())
    assert bout.off(right) <= 1 < bout.off(right * 1.001)
    assert not bout.off(np.full_like(right, np.nan)) <= 1


def test_contestants_take_turns_in_both_directions() -> None:
    calls: list[str] = []
    names = ("one", "two", "three")
    times = timing.compare({name: (lambda name=name: calls.append(name)) for name in names}, 2, 0.0)
    assert [t.name for t in times] == list(names) and all(t.measurement.samples == 6 for t in times)
    turns = [name for index, name in enumerate(calls) if index == 0 or calls[index - 1] != name]
    assert turns == ["one", "two", "three", "one", "two", "three", "two", "one"]


def test_a_bout_times_tracea_and_the_fastest_peer_twice() -> None:
    found = run_bout(rounds.gemm("pure GEMM", 24, 24, 24, 2), 1, 0.001)
    assert {running.NOISE, running.PEER_NOISE} <= {t.name for t in found.timings} and found.twice in found.peers
    assert found.low <= found.ratio <= found.high
    assert Row.from_json(found.to_json()) == found


def test_unsteady_bouts_are_named_and_never_coloured_as_wins() -> None:
    steady, unsteady = row("calm", 2.0), row("wild", 3.0, noise=1.5)
    assert steady.steady and not unsteady.steady
    seen = report(steady, unsteady)
    assert any("1 of 2 bouts were unsteady" in note for note in seen.notes)
    assert not any("unsteady" in note for note in report(steady).notes)
    screen = Console(width=150, record=True, force_terminal=True, color_system="truecolor")
    with screen.capture() as captured:
        table.show(seen, screen)
    text = captured.get()
    assert "\x1b[1;32m2.00" in text and "\x1b[1;33m3.00" in text
    assert "2.00× in the 1 steady of 2 bouts" in seen.summary("fusion")
    assert report(steady).summary("fusion") == "2.00×"
    assert seen.verdict("fusion") == pytest.approx(6**0.5) and seen.verdict("fusion", True) == pytest.approx(2.0)


def test_an_unsteady_bout_is_run_again_and_the_steadier_one_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    results = [row("wild", 3.0, noise=1.5), row("calmer", 2.0, noise=1.2), row("calm", 1.0)]
    monkeypatch.setattr(running, "bouts", lambda quick, threads: [lambda: rounds.gemm("r", 4, 4, 4, 1)] * 2)
    monkeypatch.setattr(running, "run_bout", lambda *words: results.pop(0))
    monkeypatch.setattr(running, "_wait_for_quiet", lambda patience: 0.0)
    found = running.graduate()
    assert [(r.name, r.attempts) for r in found.rows] == [("calmer", 2), ("calm", 1)]


def test_verdicts_are_geometric_means() -> None:
    assert report(row("a", 2.0), row("b", 0.5)).verdict("fusion") == pytest.approx(1.0)
    assert np.isnan(report(row("a", 2.0)).verdict("no such round"))


def test_without_torch_the_report_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "has_torch", lambda: False)
    assert any("NumPy is the only peer" in note for note in report(row("a", 1.0)).notes)


def test_waiting_for_quiet_ends_when_patience_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    monkeypatch.setattr(running, "others_busy", lambda: asked.append(1.0) or 2.0)
    assert running._wait_for_quiet(0.01) >= 0.01 and asked
    monkeypatch.setattr(running, "others_busy", lambda: 0.0)
    assert running._wait_for_quiet(600.0) < 600.0
    assert running._wait_for_quiet(-1.0) >= 0.0


def test_a_burst_waits_until_threads_that_spin_have_gone_to_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[int | None] = [2, None, 1, 0, 7]
    monkeypatch.setattr(timing, "threads_running", lambda: states.pop(0))
    monkeypatch.setattr("tracea.graduation.timing.time.sleep", lambda _: None)
    timing.settle()
    assert states == [7]


@pytest.mark.skipif(timing.threads_running() is None, reason="this system does not tell which threads run")
def test_a_spinning_thread_is_seen_and_a_sleeping_one_is_not() -> None:
    ended, woken = threading.Event(), threading.Event()

    def spin() -> None:
        while not ended.is_set():
            hashlib.sha256(bytes(1 << 22))  # without the interpreter's lock
        woken.wait()

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        assert _becomes(lambda: (timing.threads_running() or 0) > 0)
        ended.set()
        assert _becomes(lambda: timing.threads_running() == 0)
    finally:
        ended.set()
        woken.set()
        thread.join()


def _becomes(state: Callable[[], bool]) -> bool:
    end = time.monotonic() + 300.0
    while time.monotonic() < end:
        if state():
            return True
        time.sleep(0.001)
    return False


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from tracea.graduation.picture import draw

    draw(report(row("a", 2.0), row("b", 0.5), row("c", 1.0, round_name="pure GEMM")), tmp_path / "deep" / "g.png")
    assert (tmp_path / "deep" / "g.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_bouts_of_a_device_are_judged_where_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bouts themselves, on PyTorch's CPU: products and a convolution, every contestant within its bound, and a wrong one refused."""
    torch = pytest.importorskip("torch")
    from tracea.graduation import device_rounds as found

    monkeypatch.setattr(found, "LAYERS", (rounds.Layer(2, 5, 9, 7, 3, 2),) * 9)
    monkeypatch.setattr(found, "WEIRD", ((5, 7, 9),))
    monkeypatch.setattr(found, "SQUARE", (16,))
    made = [make() for make in found.device_bouts(False, "cpu", torch.float32)]
    assert [bout.round for bout in made] == ["fusion"] * 9 + ["weird shapes", "pure GEMM"]
    assert made[0].flops == 2 * 2 * 7 * 5 * 5 * 45 and set(made[0].contestants) == {
        "tracea",
        "torch eager",
        "torch, BN folded",
    }
    for bout in made[8:]:
        assert all(0 <= bout.off(call()) <= 1 for call in bout.contestants.values())
        wrong = bout.contestants["tracea"]().clone()
        wrong[(0,) * wrong.ndim] += 1e-2
        assert bout.off(wrong) > 1
        wrong[(0,) * wrong.ndim] = float("nan")
        assert bout.off(wrong) == float("inf")


def test_a_device_that_is_not_there_is_named() -> None:
    torch = pytest.importorskip("torch")
    from tracea_core.errors import DeviceError

    with pytest.raises(DeviceError, match="cpu or cuda"):
        running.graduate(device="mps")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    with pytest.raises(DeviceError, match=f"sees {count} CUDA"):
        running.graduate(device=f"cuda:{count}")


def test_contestants_are_timed_by_the_clock_that_is_given() -> None:
    calls: list[str] = []
    times = timing.compare(
        {"one": lambda: calls.append("one"), "two": lambda: calls.append("two")}, 3, 1e-6,
        lambda call: 2e-6 if call() is None else 0.0, lambda: calls.append("rest"),
    )  # fmt: skip
    assert [one.measurement.seconds for one in times] == [2e-6, 2e-6] and calls.count("rest") == 6
