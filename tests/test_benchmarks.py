# SPDX-License-Identifier: MIT
"""The comparison runs themselves: a planted bug is found and reported, bars decide the exit code, results are written."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.stages import as_chain

from benchmarks import cpu_rows, fuzz, fuzz_cases, fuzz_device, fuzz_device_cases, rows, spine


def agreeing() -> Any:
    """A case whose result is right."""
    return fuzz_cases.make(0, 0, "cpu")


def test_random_problems_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["--count", "12", "--seed", "5", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["agreed"] == report["count"] == 12 and report["failures"] == []
    assert report["largest"] > 0 and report["unbounded"] < 0.5


def test_processes_share_the_problems(capsys):
    assert fuzz.main(["--count", "4", "--seed", "5", "--jobs", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["count"] == 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_a_stopped_run_has_judged_is_reported(monkeypatch, capsys, number) -> None:
    check = fuzz.check

    def stopped(seed: int, place: int, backend: str, shared: int) -> fuzz.Verdict:
        if place == 2:
            os.kill(os.getpid(), number)
        return check(seed, place, backend, shared)

    monkeypatch.setattr(fuzz, "check", stopped)
    monkeypatch.setattr(fuzz, "_SECONDS_BETWEEN_LINES", 0.0)
    assert fuzz.main(["--count", "6", "--seed", "5"]) == 1
    told = capsys.readouterr()
    assert "2 of 2 problems agreed" in told.out
    assert "2 of 6, 0 disagreed" in told.err and "stopped" in told.err


def test_a_problem_depends_on_its_number_alone() -> None:
    words = {number: fuzz_cases.make(3, number, "cpu").words for number in range(6)}
    assert len(set(words.values())) == 6
    assert fuzz_cases.make(3, 4, "cpu").words == words[4]


def test_more_problems_may_share_a_form() -> None:
    def kinds(shared: int) -> set[tuple[object, ...]]:
        cases = [fuzz_cases.make(3, number, "cpu", shared) for number in range(32)]
        return {(type(case.op), case.kinds, case.torch) for case in cases}

    assert len(kinds(32)) == 1 < len(kinds(4))


def spoiled(monkeypatch: pytest.MonkeyPatch, spoil: Any) -> None:
    """Let `spoil` change every output after the call that wrote it."""
    make = fuzz_cases.make

    def other(seed: int, number: int, backend: str, shared: int) -> Any:
        case = make(seed, number, backend, shared)
        right = case.call

        def call(out: Any) -> None:
            right(out)
            spoil(np.asarray(out) if not case.torch else out)

        case.call = call
        return case

    monkeypatch.setattr(fuzz, "make", other)


def first(array: Any) -> tuple[int, ...]:
    return (0,) * array.ndim


def test_one_wrong_element_is_a_disagreement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def spoil(out: Any) -> None:
        if 0 not in out.shape:
            out[first(out)] = 1000 if abs(float(out[first(out)])) < 100 else 0

    spoiled(monkeypatch, spoil)
    assert fuzz.main(["--count", "6", "--seed", "5"]) == 1
    assert "bounds off" in capsys.readouterr().out


def test_any_error_of_a_call_is_a_disagreement_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def spoil(out: Any) -> None:
        raise LookupError("nothing is there")

    spoiled(monkeypatch, spoil)
    assert fuzz.main(["--count", "3", "--seed", "5"]) == 1
    assert capsys.readouterr().out.count("LookupError: nothing is there") == 3


def test_a_write_beside_the_output_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(out: Any) -> None:
        if isinstance(out, np.ndarray):
            np.lib.stride_tricks.as_strided(out, (*out.shape[:-1], out.shape[-1] + 1), out.strides)[..., -1] = 3

    spoiled(monkeypatch, spoil)
    verdicts = [fuzz.check(5, number, "cpu") for number in range(6)]
    assert any("memory around the output" in verdict.words and verdict.off == np.inf for verdict in verdicts)


def test_an_element_left_unwritten_is_a_disagreement() -> None:
    random = np.random.default_rng(1)
    case = next(
        c for c in (fuzz_cases._product(random, random, "cpu") for _ in range(99)) if 0 not in c.op.output_shape()
    )
    case.call = lambda out: None
    assert not fuzz.judge(case, random).off <= 1


def test_bfloat16_is_shown_to_torch_without_a_copy() -> None:
    torch = pytest.importorskip("torch")
    stored = DType.BF16.encode(np.array([[1.0, 2.0], [3.0, 4.0]]))
    shown = fuzz_cases.present(stored.T, DType.BF16, True)
    assert shown.dtype is torch.bfloat16 and shown.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    shown[0, 1] = 7
    assert DType.BF16.decode(stored)[1, 0] == 7


@pytest.mark.parametrize(("value", "code"), [(0.4, 1), (0.6, 0)])
def test_rows_fail_below_a_bar_and_are_written_either_way(
    value: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(rows.TABLES, "spine", (lambda: rows.Row("a ratio", "×", value, 1.0, 0.5, at_most=False),))
    assert rows.main(["spine", "--results", str(tmp_path)]) == code
    (file,) = tmp_path.iterdir()
    stored = json.loads(file.read_text())
    assert file.name.startswith("spine-") and stored["rows"][0]["met"] is (code == 0) and stored["versions"]["numpy"]


def test_a_row_at_most_is_met_below() -> None:
    assert rows.Row("a time", "ms", 9.0, None, 10.0, at_most=True).met
    assert not rows.Row("a time", "ms", 11.0, None, 10.0, at_most=True).met


def test_import_time_is_measured_in_fresh_processes() -> None:
    row = spine.import_time()
    assert row.value > 0 and row.peer is not None and row.peer > 0


@pytest.mark.parametrize("form", range(10))
def test_random_problems_in_guarded_memory_agree(form: int) -> None:
    pytest.importorskip("torch")
    verdict = fuzz.check_on_device(11, form * fuzz_device_cases.SHARED, "cpu", "cpu")
    assert verdict.off <= 1.0 and not verdict.refused, verdict.words


def test_problems_of_a_form_share_what_a_kernel_is_compiled_for() -> None:
    def fixed(number: int) -> tuple[Any, ...]:
        show = fuzz_cases.present
        case = fuzz_device_cases.make_for_device(4, number, "cpu", show)
        filters = [getattr(case.op, name, None) for name in ("c", "r", "s", "stride", "padding", "dilation", "groups")]
        return type(case.op), case.op.dtype, filters, as_chain(case.epilogue).epilogue.describe()

    pytest.importorskip("torch")
    forms = [{repr(fixed(form * fuzz_device_cases.SHARED + number)) for number in (0, 3)} for form in range(12)]
    assert all(len(form) == 1 for form in forms) and len(set().union(*forms)) > 8
    ops = {fixed(form * fuzz_device_cases.SHARED)[0].__name__ for form in range(24)}
    of_rows = {"SoftmaxOp", "NormOp", "NormalizeOp"}
    assert ops == {"GemmOp", "Conv2dOp", "ConvTranspose2dOp", "Conv2dFiltersOp", "AttentionOp", *of_rows}


def test_a_run_may_ask_for_one_family_alone() -> None:
    pytest.importorskip("torch")

    def drawn(number: int, work: str) -> Any:
        return fuzz_device_cases.make_for_device(4, number, "cpu", fuzz_cases.present, work, 2).op

    kinds = {type(drawn(2 * form, "convolutions")).__name__ for form in range(16)}
    assert kinds == {"Conv2dOp", "ConvTranspose2dOp", "Conv2dFiltersOp"}
    assert {type(drawn(form, "products")).__name__ for form in range(4)} == {"GemmOp"}
    assert {type(drawn(form, "attention")).__name__ for form in range(4)} == {"AttentionOp"}
    assert {type(drawn(2 * form, "rows")).__name__ for form in range(12)} == {"SoftmaxOp", "NormOp", "NormalizeOp"}
    one, other, next_form = (drawn(number, "convolutions") for number in (0, 1, 2))
    assert (
        (one.c, one.r, one.stride) == (other.c, other.r, other.stride) != (next_form.c, next_form.r, next_form.stride)
    )


def test_parts_of_all_forms_come_before_their_second_parts() -> None:
    parts = fuzz.parts_of_forms(range(40), 20)
    assert [part[0] for part in parts] == [0, 20, 8, 28, 16, 36]
    for count, shared in ((2000, 64), (5, 8), (17, 3)):
        parts = fuzz.parts_of_forms(range(count), shared)
        assert sorted(number for part in parts for number in part) == list(range(count))
        assert all(part[0] // shared == part[-1] // shared for part in parts)


def test_a_device_problem_that_no_kernel_takes_is_refused_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")

    def refuse(out: Any) -> None:
        raise UnsupportedError("no kind of kernel takes it")

    def make(*arguments: Any) -> Any:
        case = fuzz_device_cases.make_for_device(*arguments)
        case.call = refuse
        return case

    monkeypatch.setattr(fuzz, "make_for_device", make)
    assert fuzz.main(["--device", "cpu", "--count", "3"]) == 0
    assert "3 refused: no kind of kernel takes it" in capsys.readouterr().out


@pytest.mark.parametrize("spoil", ["band", "gap", "input", "element"])
def test_whatever_a_device_kernel_may_not_write_is_watched(spoil: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    memory = fuzz_device.DeviceMemory("cpu", np.random.default_rng(0))
    shown = memory.show(np.arange(12, dtype=np.float32).reshape(3, 4)[:, :3], DType.FP32, True)
    out = memory.output((2, 3), DType.FP32, (1, 0))
    assert out.stride() == (1, 2) and bool(out.isnan().all())
    assert shown.tolist() == [[0, 1, 2], [4, 5, 6], [8, 9, 10]]
    assert memory.damage() == ""
    out.fill_(1.0)
    assert memory.damage() == "" and (memory.result() == 1).all()
    if spoil == "band":
        out.as_strided((1,), (1,), out.storage_offset() + 6).fill_(2.0)
    elif spoil == "gap":
        shown.as_strided((1,), (1,), shown.storage_offset() + 3).fill_(2.0)
    elif spoil == "input":
        shown[0, 0] = 5.0
    else:
        out[0, 0] = 2.0
    assert bool(memory.damage()) == (spoil != "element")


def test_rows_of_the_processor_have_two_bars(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks import cpu_rows

    ratios = [1.5, 0.9, 1.2]
    plain = cpu_rows.run_bout

    def seen(bout: Any, repetitions: int, burst: float) -> Any:
        return plain(bout, 1, 0.0).replace(ratio=ratios.pop(0))

    products = tuple(lambda threads, n=n: cpu_rows.gemm(f"gemm {n}", n, n, n, threads) for n in (24, 25))
    monkeypatch.setattr(cpu_rows, "run_bout", seen)
    monkeypatch.setattr(cpu_rows, "GROUPS", (cpu_rows.Group("toys", 1.1, 1.0, products),))
    assert rows.main(["cpu", "--results", str(tmp_path)]) == 1
    (path,) = tmp_path.iterdir()
    stored = json.loads(path.read_text())
    assert path.stem.endswith(stored["arch"].replace("_", "-"))  # a table holds figures of one generation of processors
    assert [row["met"] for row in stored["rows"]] == [True, False, True]
    assert stored["rows"][-1]["value"] == pytest.approx((1.5 * 0.9) ** 0.5)
    assert all(min(line["limits"]) > 0 for line in stored["lines"])  # of multiply-adds alone, before and after
    assert "geometric mean" in capsys.readouterr().out
    assert (
        rows.main(["cpu", "--results", str(tmp_path), "--only", "toys: .*25"]) == 0
    )  # 1.2 now, and the rest as it was
    stored = json.loads(path.read_text())
    assert [row["value"] for row in stored["rows"]] == pytest.approx([1.5, 1.2, (1.5 * 1.2) ** 0.5])


def test_rows_with_prepacked_weights_compute_the_same_product() -> None:
    from benchmarks import cpu_rows

    for bout in (cpu_rows.packed_product(5, 50, 30, 1), cpu_rows.few_rows(3, 40, 24, True, 1, packed=True)):
        assert bout.off(bout.contestants["tracea"]()) <= 1.0


def test_a_bout_of_weights_in_rotation_may_run_again():
    pytest.importorskip("torch")
    bout = cpu_rows.few_rows(3, 40, 48, along_k=False, threads=1)
    for _ in range(3):
        assert all(bout.off(call()) <= 1.0 for call in bout.contestants.values())
    assert bout.off(next(iter(bout.contestants.values()))() + 1.0) > 1.0


@pytest.mark.parametrize(("memory", "bar"), [(1e9, 0.85), (1e-9, 0.0)])
def test_a_copy_out_of_a_cache_sets_no_bar(
    memory: float, bar: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    from benchmarks.cpu_row_wise import layer_norm

    plain = cpu_rows.run_bout
    monkeypatch.setattr(cpu_rows, "run_bout", lambda bout, *_: plain(bout, 1, 0.0).replace(ratio=0.5))
    monkeypatch.setattr(cpu_rows, "_limit", lambda: cpu_rows.Rates(1.0, memory))
    group = cpu_rows.Group("norm over a copy", 0.85, 0.85, (layer_norm(8, 64),), "copy", from_memory=True)
    monkeypatch.setattr(cpu_rows, "GROUPS", (group,))
    assert rows.main(["cpu", "--results", str(tmp_path)]) == (1 if bar else 0)
    (path,) = tmp_path.iterdir()
    stored = json.loads(path.read_text())
    assert stored["rows"][0]["bar"] == bar and stored["lines"][0]["copied_gbps"] > 0
    assert ("from a cache, no bar" in capsys.readouterr().out) == (not bar)
