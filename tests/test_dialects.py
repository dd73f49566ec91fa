# SPDX-License-Identifier: MIT
"""The emulated fuzz and the rows of dialects: what they count, and that they fail on what they are meant to find."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tracea_core.doctor.presets import preset, preset_target
from tracea_core.errors import BackendUnavailableError, CertificationError
from tracea_core.target import Target
from tracea_core.testing import subject, suite
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.record import Outcome, Record, sources_of
from tracea_core.testing.simt.report import Finding, Site
from tracea_core.testing.simt.served import Served
from tracea_core.tuner.winners import FOLDER, read_winners

from benchmarks import dialects, dialects_hip, dialects_sycl, fuzz, fuzz_emulated, rows, table
from benchmarks.row import Row

COMMAND = ["--backend", "metal", "--emulated", "--count", "2", "--kernels", "1", "--seed", "3"]


@pytest.mark.toolchain
def test_a_few_problems_agree(capsys: pytest.CaptureFixture[str]) -> None:
    need_emulator()
    assert fuzz.main(COMMAND) == 0
    said = capsys.readouterr().out
    assert (
        "2 of 2 problems through 1 kernels of metal agreed with float64 (2 contraction); races 0, uninitialised reads 0, "
        "bank conflicts 0" in said
    )


def test_what_is_found_is_counted_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(self: Served, problem: Any, seed: int) -> None:
        raise ConformanceError("planted")

    race = Finding("race", "planted", Site("", 0), None, (0, 0, 0), (0, 0, 0), 3)
    monkeypatch.setattr(Served, "run", run)
    monkeypatch.setattr(Served, "findings", (race,))
    assert fuzz.main(COMMAND) == 1
    assert "0 of 2 problems" in (said := capsys.readouterr().out) and "races 2" in said


def test_forms_and_problems_depend_on_seed_and_number_alone() -> None:
    import numpy as np

    listed = fuzz_emulated.kinds(fuzz_emulated.manifest_of("hip"))
    assert len({(target.profile.arch, variant.name) for target, variant in listed}) == len(listed) > 10
    forms = [fuzz_emulated.form_of(7, 4, listed) for _ in range(2)]
    problems = [form.draw(np.random.default_rng((7, 9, 3))) for form in forms]
    assert forms[0].words == forms[1].words and problems[0] == problems[1]
    assert fuzz_emulated.form_of(8, 4, listed).words != forms[0].words


def test_pending_rows_are_neither_met_nor_missed() -> None:
    assert Row("x", "", 1.0, None, 0.0, at_most=True, pending="no device").met
    assert not Row("x", "", 1.0, None, 0.0, at_most=True).met
    assert "pending, no device" in str(dialects.pending("x", "no device"))


def test_thousands_are_printed_in_full() -> None:
    assert "x: 2499 lines, bar" in str(Row("x", "lines", 2499, None, 2500, at_most=True))
    assert "x: 0.123 s (peer 45.7), bar" in str(Row("x", "s", 0.12345, 45.678, 1, at_most=True))


def test_sizes_count_headers_and_core_is_searched(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    source = tmp_path / "tracea-metal" / "src"
    (source / "device").mkdir(parents=True)
    (source / "a.py").write_text("1\n2\n")
    (source / "device" / "b.metal").write_text("3\n")
    core = tmp_path / "tracea-core" / "src" / "tracea_core"
    core.mkdir(parents=True)
    (core / "bad.py").write_text('x = "__builtin_expf(x)"\n')
    monkeypatch.setattr(dialects, "PACKAGES", tmp_path)
    assert dialects._lines("metal") == 3
    assert not dialects.target_language_in_core().met


@pytest.mark.toolchain
def test_a_golden_that_mixes_address_spaces_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    need_emulator()
    golden = tmp_path / "tracea-metal" / "tests" / "golden"
    golden.mkdir(parents=True)
    (golden / "bad.metal").write_text("kernel void f(float* x [[buffer(0)]]) {}\n")
    monkeypatch.setattr(dialects, "PACKAGES", tmp_path)
    assert dialects.syntax().value == 1


def planted(*states: str) -> list[Outcome]:
    return [Outcome("m1", f"check {number}", state, "planted", 0.1) for number, state in enumerate(states)]


@pytest.mark.parametrize(
    ("states", "met", "pending"),
    [
        (("passed", "passed", "unserved"), True, ""),
        (("passed", "failed", "unserved"), False, ""),
        (("passed", "passed"), True, "2 of 3 checks were tried"),
        (("failed",), False, ""),
    ],
)
def test_checks_of_the_kit_that_fail_are_missed_and_those_that_time_cut_off_pending(
    states: tuple[str, ...], met: bool, pending: str
) -> None:
    listed = [("m1", f"check {number}") for number in range(3)]
    row = dialects._conforms("metal", "m1", listed, planted(*states))
    assert (row.met, row.value) == (met, states.count("failed")) and row.pending.startswith(pending)
    assert bool(row.pending) == bool(pending)


def test_a_cut_run_of_the_kit_is_continued_from_its_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is recorded of these sources is not run again, and what time leaves no room for has no outcome."""
    given = argparse.Namespace(quick=False, jobs=1, record=tmp_path / "checks")
    listed = [("m1", "manifest"), ("m1", "probe"), ("m1", "m1/variants")]
    monkeypatch.setattr(suite, "chosen", lambda *asked: listed)
    record = Record(given.record, sources_of(fuzz_emulated.manifest_of("metal")))
    for one in planted("passed", "passed"):
        record.add(dataclasses.replace(one, check=listed[int(one.check[-1])][1]))
    (row,) = dialects.conformance("metal", ["m1"], given, until=0.0)
    assert row.pending == "2 of 3 checks were tried, and none failed"


@pytest.mark.toolchain
def test_random_problems_that_agreed_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even their kernel is made; problems of another number, seed or place are."""
    need_emulator()
    asked = {"backend": "metal", "kernels": 1, "only": None, "seconds": 100.0, "json": False}
    given = argparse.Namespace(count=2, seed=0, served=None, record=tmp_path / "checks", **asked)
    first, kernels = fuzz_emulated.run(given)
    assert (first.agreed, kernels, first.clean) == (2, 1, True)
    made: list[int] = []

    def nothing(seed: int, number: int, *_: object) -> str:
        made.append(number)
        return "planted"

    monkeypatch.setattr(fuzz_emulated, "kernel_of", nothing)
    assert fuzz_emulated.run(given) == (first, 1) and not made
    given.count = 3
    assert fuzz_emulated.run(given)[0].agreed == 0 and made, "another number of problems"
    assert not Record(given.record, "other").passed()


def test_configurations_with_bank_conflicts_are_a_missed_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products, convolutions and chains of a device are all looked at, and one that is refused for its banks counts."""
    seen = Counter[str]()

    def check(kernel: Any, profile: Any) -> None:
        op = kernel.title.split()[0]
        seen[op] += 1
        if op == "attention" and seen["attention"] == 1:
            raise CertificationError("the main loop has bank conflicts")

    monkeypatch.setattr(dialects, "check_shared", check)
    monkeypatch.setattr(dialects, "check_block", check)
    monkeypatch.setattr(fuzz_emulated, "published", lambda backend: [preset_target("m1")])
    (row,) = dialects.modelled_conflicts("metal", argparse.Namespace())
    assert (row.value, row.met) == (1, False) and f"of {sum(seen.values())}" in row.name
    assert {"matmul", "conv2d", "attention", "low"} <= set(seen), "of low-rank products, too"


def test_every_kind_is_held_to_the_kit_once() -> None:
    asked = {
        backend: dict(suite.once_each(fuzz_emulated.manifest_of(backend), subject.published(backend)))
        for backend in ("hip", "cuda")
    }
    assert list(asked["hip"]) == ["mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070"]
    assert not asked["hip"]["mi210"] and "hip.contraction.depthwise" in asked["hip"]["mi300x"]
    assert "hip.contraction.mfma_bf16" not in asked["hip"]["mi355x"], "another instruction than before"
    assert not any("wgmma" in name for name in asked["cuda"]["h100"]), "no device before it runs them"


def test_shipped_winners_are_among_the_configurations_whose_banks_are_looked_at() -> None:
    manifest, h200 = fuzz_emulated.manifest_of("cuda"), Target("cuda", "preset:h200", preset("h200"))
    winners = dialects._winners(h200)
    (file,) = [read_winners(path) for path in FOLDER.glob("sm_90a-h200.json")]
    assert len(winners) == len(file.winners) > 5
    looked_at = {
        (variant.name, problem.digest(), config)
        for variant, problem, config in dialects._configurations(manifest, h200)
    }
    assert {(one.variant, one.problem.digest(), one.configuration) for one in file.winners} <= looked_at
    assert dialects._winners(Target("cuda", "preset:a100", preset("a100"))) == []


@pytest.mark.parametrize(
    ("registers", "shared", "waves", "expected"),
    [
        (128, 32768, 4, 2),
        (128, 16384, 4, 4),
        (129, 16384, 4, 3),
        (256, 65536, 8, 1),
        (512, 1024, 4, 1),
        (257, 1024, 8, 0),
    ],
)
def test_blocks_of_a_compute_unit(registers: int, shared: int, waves: int, expected: int) -> None:
    from tracea_hip.compile import CodeReport

    assert dialects_hip.blocks_at_once(CodeReport(registers, 0, 0, 0, 0, shared, 0), waves, 65536) == expected


@pytest.mark.toolchain
@pytest.mark.parametrize("device", ["mi210", "mi300x", "mi355x"])
def test_main_loops_are_no_worse_than_tritons(device: str) -> None:
    if "TRACEA_TRITON_PYTHON" not in os.environ and importlib.util.find_spec("triton") is None:
        pytest.skip("TRACEA_TRITON_PYTHON names no Python that has Triton")
    try:
        found = list(dialects_hip.of_device(device))
    except BackendUnavailableError as error:
        pytest.skip(error.message)
    names = "|".join(row.name for row in found)
    for words in ("spilled", "matrix instructions of all", "LDS bytes a lane", "blocks of a processor"):
        assert re.search(words, names), names
    assert not [str(row) for row in found if row.pending or not row.met]


def test_where_no_draw_is_small_the_smallest_is_taken() -> None:
    import numpy as np
    from tracea_core.dtypes import DType
    from tracea_core.testing.cases import gemm

    from benchmarks.fuzz_forms import small

    sizes = iter([90, 40, *[50] * 100])
    drawn = small(lambda random: gemm((next(sizes),) * 3, DType.FP32), 10)(np.random.default_rng(0))
    assert drawn.flops() == gemm((40, 40, 40), DType.FP32).flops()


def test_what_oclgrind_prints_is_stored() -> None:
    import numpy as np

    from benchmarks.oclgrind import Bytes, _store

    memory = Bytes(np.full(14, 7, np.uint8), 4)
    _store("\nArgument 'out': 8 bytes\n  out[0] = 0x40302010\n  out[1] = 0xff006050\n", [memory])
    assert memory.read().tolist() == [7, 7, 7, 7, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 7, 7, 7, 7]


def test_rows_of_devices_that_are_not_here_come_from_their_stored_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = {"measured": "2026-01-02T03:04:05+00:00", "commit": "abc1234"}
    row = Row("OpenCL on a GPU", "TFLOP/s", 2.0, 3.0, 2.5, at_most=False)
    table.merge(tmp_path / "dialects-gpu.json", {"device": "GPU"}, [table.as_stored(row, mark)], [])
    here = {"device": "CPU", "rows": [{"name": "measured here"}]}
    (tmp_path / "dialects-cpu.json").write_text(json.dumps(here))
    (found,) = dialects.elsewhere(tmp_path)
    assert (found["device"], found["commit"], found["met"]) == ("GPU", "abc1234", False)
    said = capsys.readouterr().out
    assert "MISS OpenCL on a GPU: 2 TFLOP/s" in said and "GPU, 2026-01-02, commit abc1234" in said
    assert dialects.elsewhere(tmp_path, "another") == []
    assert dialects.elsewhere(tmp_path, here="GPU") == []


def test_runs_fill_one_table_and_numbers_that_differ_make_no_second_row(tmp_path: Path) -> None:
    """A row is what it is about, not how many it counted; what is pending replaces nothing that was measured."""
    path, head = tmp_path / "dialects-cpu.json", {"device": "CPU"}

    def stored() -> dict[str, tuple[float, str]]:
        return {one["name"]: (one["value"], one["commit"]) for one in table.read(path)["rows"]}

    def put(name: str, value: float, commit: str, pending: str = "") -> None:
        row = Row(name, "checks", value, None, 0.0, at_most=True, pending=pending)
        dialects.store(path, head, row, {"measured": f"2026-01-0{len(commit)}T00:00:00+00:00", "commit": commit})

    kit = "hip conformance in the emulator as {}: checks that fail, of {} and {} that do not apply"
    put(kit.format("mi210", 12, 3), 0.0, "a", pending="12 of 40 checks were tried")
    put(kit.format("mi210", 36, 4), 1.0, "bb")
    put(kit.format("mi300x", 9, 0), 0.0, "bb")
    put("hip: bank conflicts by the model, configurations that have any, of 7 (2 of them shipped winners)", 0.0, "bb")
    assert stored() == {
        kit.format("mi210", 36, 4): (1.0, "bb"),
        kit.format("mi300x", 9, 0): (0.0, "bb"),
        "hip: bank conflicts by the model, configurations that have any, of 7 (2 of them shipped winners)": (0.0, "bb"),
    }
    put(kit.format("mi210", 2, 1), 0.0, "ccc", pending="2 of 40 checks were tried")
    assert stored()[kit.format("mi210", 36, 4)] == (1.0, "bb"), "pending"
    put(kit.format("mi210", 40, 4), 0.0, "ccc")
    assert kit.format("mi210", 36, 4) not in stored() and stored()[kit.format("mi210", 40, 4)] == (0.0, "ccc")
    put("gfx942 hip main loop, 256x256x32 of 2 stages: registers spilled", 0.0, "ccc")
    put("gfx950 hip main loop, 256x256x32 of 2 stages: registers spilled", 0.0, "ccc")
    assert len(stored()) == 5


def test_a_quick_run_stores_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import rows

    monkeypatch.setattr(
        dialects, "_every", lambda given: iter([Row("size of it", "lines", 1.0, None, 2.0, at_most=True)])
    )
    command = ["dialects", "--results", str(tmp_path), "--only", "size"]
    assert rows.main([*command, "--quick"]) == 0 and not list(tmp_path.iterdir())
    assert rows.main(command) == 0
    (path,) = tmp_path.iterdir()
    (stored,) = table.read(path)["rows"]
    assert (stored["value"], stored["met"]) == (1.0, True) and stored["commit"]


def test_what_a_gpu_shows_is_stored_in_a_table_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    shown = Row(f"{dialects_sycl.ON_NVIDIA}, wrong", "problems", 0, None, 0, at_most=True)
    others = [Row("size", "lines", 1, None, 2, at_most=True), dialects.pending(dialects_sycl.ON_NVIDIA, "not here")]
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA X1")
    monkeypatch.setattr(dialects, "_every", lambda given: iter([*others, shown]))
    assert rows.main(["dialects", "--results", str(tmp_path), "--commit", "abc1234"]) == 0
    assert [
        one["name"]
        for path in tmp_path.glob("dialects-*.json")
        if "x1" not in path.name
        for one in table.read(path)["rows"]
    ] == ["size"]
    (stored,) = table.read(tmp_path / "dialects-nvidia-x1.json")["rows"]
    assert (stored["name"], stored["commit"]) == (shown.name, "abc1234")


@pytest.mark.parametrize(("refused", "took", "pending"), [(5, 0.0, False), (0, 61.0, True), (5, 61.0, True)])
def test_problems_that_no_kernel_served_are_missed_and_not_pending(
    refused: int, took: float, pending: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 0.0, took])
    monkeypatch.setattr(dialects.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(fuzz_emulated, "run", lambda given: (fuzz_emulated.Tally(agreed=495, refused=refused), 25))
    (agreed, *_) = dialects.numerics("metal", argparse.Namespace(quick=False, seed=0, seconds=60.0))
    assert bool(agreed.pending) is pending and agreed.met is pending


def test_problems_are_drawn_by_seed_after_seed_until_every_kind_of_kernel_had_its_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seeds: list[int] = []

    def run(given: argparse.Namespace) -> tuple[fuzz_emulated.Tally, int]:
        seeds.append(given.seed)
        return fuzz_emulated.Tally(agreed=given.count, families=Counter(chained=given.count), conflicts=given.seed), 25

    monkeypatch.setattr(fuzz_emulated, "run", run)
    monkeypatch.setattr(fuzz_emulated, "rounds_of", lambda backend, where: 3)
    agreed, *_, conflicts = dialects.numerics("hip", argparse.Namespace(quick=False, seed=0, seconds=60.0))
    assert seeds == [0, 1, 2] and (agreed.value, agreed.bar, conflicts.value) == (1500, 1500, 3)
    assert "75 kernels" in agreed.name and agreed.met and not conflicts.met
    (agreed, *_) = dialects.numerics("hip", argparse.Namespace(quick=True, seed=5, seconds=60.0))
    assert seeds[3:] == [5] and agreed.value == 50


@pytest.mark.parametrize(
    ("only", "sycl", "oneapi"),
    [
        ("", ["sycl:0", "sycl:1", "oclgrind"], ["oneapi:2"]),
        ("sycl numerics on sycl:1", ["sycl:1"], []),
        ("numerics on oclgrind", ["oclgrind"], []),
        ("oneapi numerics on", [], ["oneapi:2"]),
        ("size", [], []),
    ],
)
def test_numerics_on_devices_are_asked_for_by_the_names_of_their_rows(
    only: str, sycl: list[str], oneapi: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a device is looked for only where it may be asked for."""
    present, opened = {"sycl": ["sycl:0", "sycl:1"], "oneapi": ["oneapi:2"]}, []
    ran: list[tuple[str, str, int]] = []

    def numerics(backend: str, given: argparse.Namespace, where: str, most: int) -> list[Row]:
        ran.append((backend, where, most))
        return [Row(f"{backend} numerics on {where}, 25 kernels: races", "findings", 0, None, 0, at_most=True)]

    monkeypatch.setattr(dialects_sycl, "_devices", lambda backend: opened.append(backend) or present[backend])
    monkeypatch.setattr(dialects, "numerics", numerics)
    for unasked in ("_compiled", "_speed", "_on_nvidia"):
        monkeypatch.setattr(dialects_sycl, unasked, lambda *given: iter(()))
    found = [row for row in dialects_sycl.rows(argparse.Namespace(only=only)) if isinstance(row, Row)]
    assert ran == [("sycl", one, 20 if one == "oclgrind" else 500) for one in sycl] + [
        ("oneapi", one, 500) for one in oneapi
    ]
    assert all(re.search(only, row.name) for row in found), "no row is measured and then left out"
    assert set(opened) == {one.partition(":")[0] for one in (*sycl, *oneapi) if one != "oclgrind"}
