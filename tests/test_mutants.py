# SPDX-License-Identifier: MIT
"""A sample of planted faults in every shipped schedule: none is missed, none leaves an emitter's text as it was."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tracea_core.errors import CertificationError
from tracea_core.semantic.verify.certify import prove_meaning
from tracea_core.testing.faults import faults
from tracea_core.testing.survey import Outcome, Verdict

from benchmarks import mutant_records, mutants
from benchmarks.mutant_kernels import SPECIMENS, specimen

ONE = ("--jobs", "1")
run = mutants.run


def table_of(told: str) -> list[str]:
    """The lines of the tables in an output."""
    return [line for line in told.splitlines() if line.startswith("│")]


def test_a_sample_of_every_schedule(capsys: pytest.CaptureFixture[str]) -> None:
    for name, sample in (("cpu-fused", 30), ("hopper-cluster", 30), ("hip-multistage", 4)):
        assert mutants.main(["--kernels", name, "--sample", str(sample), "--seed", "7", "--list", *ONE]) == 0, (
            capsys.readouterr().out
        )
    assert "missed" in capsys.readouterr().out


def test_valid_kernels_are_not_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert mutants.main(["--valid", "4", "--seed", "3", *ONE]) == 0, capsys.readouterr().out
    assert "4 of 4 random valid kernels certified" in capsys.readouterr().out


@pytest.mark.parametrize(("outcome", "silent"), [(Outcome.MISSED, ()), (Outcome.CAUGHT, ("cpu",))])
def test_what_is_missed_or_silent_fails_the_run(
    outcome: Outcome, silent: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mutants, "run", lambda task: Verdict("drop", "a wait", outcome, "never waited", silent))
    assert mutants.main(["--kernels", "cpu-gemm", "--sample", "3", *ONE]) == 1
    told = capsys.readouterr().out
    assert "3 missed or silent" in told and "a wait" in told


@pytest.mark.parametrize("seed", range(4))
def test_a_stride_that_need_be_no_multiple_is_refused_whatever_the_seed(seed: int) -> None:
    found = specimen("hopper-grouped")
    (planted,) = (fault for fault in faults(found.kernel) if fault.words == "bias_0_group: multiple halved")
    with pytest.raises(CertificationError, match="not consecutive and aligned"):
        prove_meaning(planted.kernel, found.form, seed)


def test_a_sample_depends_on_its_seed_alone() -> None:
    first, again, other = (mutants.sampled(["cpu-gemm"], 10, seed) for seed in (1, 1, 2))
    assert first == again != other and len(first) == 10


def test_some_of_each_kind_are_taken_whatever_other_kernels_there_are() -> None:
    every = mutants.tasks(["cpu-gemm"], 0, 0)
    planted = mutants.faults(specimen("cpu-gemm").kernel)
    assert len(every) == len(list(planted))
    some = mutants.tasks(["cpu-gemm", "cpu-rows"], 2, 0)
    assert [task for task in some if task.kernel == "cpu-gemm"] == mutants.tasks(["cpu-gemm"], 2, 0)
    kinds = Counter(fault.kind for fault in mutants.faults(specimen("cpu-gemm").kernel))
    assert len(mutants.tasks(["cpu-gemm"], 2, 0)) == sum(min(count, 2) for count in kinds.values())


def test_processes_agree_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for jobs in ("1", "2"):
        assert mutants.main(["--kernels", "cpu-gemm", "--sample", "6", "--list", "--jobs", jobs]) == 0
        told.append([line for line in capsys.readouterr().out.splitlines() if "seed" not in line])
    assert told[0] == told[1]


def test_runs_go_on_from_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def out(*arguments: str, code: int = 0) -> str:
        assert mutants.main([*arguments, *ONE]) == code
        return capsys.readouterr().out

    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text(out("--kernels", "cpu-gemm", "--sample", "4", "--seed", "1", "--record"))
    judged = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutants, "run", lambda task: (judged.append(task), run(task))[1])
        second.write_text(
            out("--kernels", "cpu-gemm", "--sample", "7", "--seed", "1", "--record", "--known", str(first))
        )
    assert len(judged) == 3  # of a sample of one seed, the first four were known
    told = out("--merge", "--known", str(first), str(second))
    assert "7 faults of 430, a sample (--all: every one), in 1 kernels judged; 0 missed or silent" in told
    assert table_of(told) == table_of(out("--kernels", "cpu-gemm", "--sample", "7", "--seed", "1"))


def test_a_stored_table_says_how_many_of_how_many_were_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mutants, "_STORED", tmp_path / "mutants.json")
    assert mutants.main(["--kernels", "cpu-(gemm|batch)", "--each", "1", "--store", *ONE]) == 0
    stored = json.loads((tmp_path / "mutants.json").read_text())
    planted = [fault for name in ("cpu-gemm", "cpu-batch") for fault in mutants.faults(specimen(name).kernel)]
    kinds = Counter(fault.kind for fault in planted)
    assert (
        stored["all"]["derived"] == len(planted) and {k: row["derived"] for k, row in stored["kinds"].items()} == kinds
    )
    every = stored["all"]
    assert every["made"] == every["caught"] + every["equivalent"] == sum(k["made"] for k in stored["kernels"].values())
    assert 0 < every["made"] < every["derived"] and not every["missed"] and not stored["wrong"]
    assert f"{every['made']} faults of {len(planted)}, a sample" in capsys.readouterr().out


def test_a_record_keeps_what_is_wrong_until_it_is_judged_anew(tmp_path: Path) -> None:
    found = mutant_records.Judged("a kernel")
    found.note(3, Verdict("drop", "gemm: a wait", Outcome.MISSED, "never waited"))
    found.note(70, Verdict("swap", "gemm: two steps", Outcome.CAUGHT, "refused", ("cpu",)))
    found.note(71, Verdict("swap", "gemm: two others", Outcome.EQUIVALENT, "right"))
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text("some table\n" + mutant_records.Record({"gemm": found}).line())
    read = mutant_records.read([one])
    assert read.kernels == {"gemm": found} and len(read.wrong) == 2
    assert read.counts()["swap"] == {"made": 2, "caught": 1, "equivalent": 1, "same text": 1}
    other.write_text(mutant_records.Record({"gemm": mutant_records.Judged("by other code")}).line())
    assert not mutant_records.read([one, other]).wrong and not mutant_records.read([one, other]).counts()


def test_random_kernels_are_counted_once_whoever_certified_them(tmp_path: Path) -> None:
    runs = [
        mutant_records.Record(code="a", chunks={(0, 1): {"panel": 20}, (0, 2): {"rows": 20}}),
        mutant_records.Record(code="a", chunks={(0, 2): {"rows": 20}, (0, 3): {"rows": 19}}, refused=["a kernel: why"]),
        mutant_records.Record(code="b", chunks={(0, 3): {"rows": 20}}),
    ]
    paths = [tmp_path / name for name in "abc"]
    for path, run_ in zip(paths, runs, strict=True):
        path.write_text(run_.line())
    both = mutant_records.read(paths[:2])
    assert both.passed() == {"panel": 20, "rows": 39} and both.refused == ["a kernel: why"]
    last = mutant_records.read(paths)
    assert last.passed() == {"rows": 20} and not last.refused


FORMER = {
    "cuda-simt": ("warp: Load b_tile_fetched5: source.address offset: + for -",),
    "cpu-halo": (
        "worker: Load copied: guard + 1",
        "worker: If: guard + 1",
        "worker: Loop halo_column: stop - 1",
        "worker: Load copied: source.address offset: - for +",
        "worker: Let run_at_whole: value: 7 for 8",
        "worker: Let run_at_whole: value: 9 for 8",
        "worker: Let whole_channels: value: 7 for 8",
        "worker: Let whole_channels: value: 9 for 8",
        "worker: Let right_at_whole: value: 1 for 2",
        "worker: Let empty_at_whole: value: 1 for 2",
    ),
    "hopper-windows": ("producer: Loop k_step: stop: 64 for 63",),
    "cuda-window-chain": (
        "warp: AsyncCopy v_tile_map: target.slot slot: 1 for 2",
        "warp: Compute part: accumulators[2] score0_6",
        "warp: Mask score0_6: guard <=",
        "warp: Let stop_block: value: max for min",
        "warp: weights0: bit 5 added to bit 4",
    ),
    "cuda-staged-chain": ("weights_tile: slots -1",),
    "cpu-rows": ("n: multiple doubled",),
    "cpu-chain": ("worker: Let first_block: value: 63 for 64",),
    "cpu-dots-int8": (
        "worker: Loop k_group: start: % for //",
        "worker: Load packed: source.address offset: - for +",
        "worker: Store packed: target.address coordinates[0]: 15 for 16",
        "worker: Load b: transfer tile",
    ),
    "cpu-dots-bf16": ("worker: Load words: transfer matrix",),
    "cpu-amx-bf16": (
        "worker: Loop k_group: start - 1",
        "worker: sums: repetitions 0 and 1 exchanged",
        "worker: b: bit 2 added to bit 1",
        "worker: b: bit 5 added to bit 4",
        "worker: a: bits 0 and 1 exchanged",
    ),
    "cpu-filters": ("worker: If: guard <=", "worker: If: guard - 1"),
    "cuda-multistage": ("warp: Let whole_steps: value: 31 for 32",),
    "cuda-multistage-fused": ("warp: Load b1: source.address coordinates[1]: 3 for 4",),
    "cuda-filters": (
        "warp: Load a_tile_fetched0: guard <=",
        "warp: Load a_tile_fetched1: guard <=",
        "warp: Load b_tile_fetched0: guard <=",
        "warp: Load b_tile_fetched1: guard <=",
        "warp: Load b_tile_fetched1: guard without 3",
        "warp: Load b_tile_fetched1: guard - 1",
        "a_tile: bit 1 added to bit 0",
        "b_tile: bit 2 added to bit 1",
        "warp: Load a_tile_fetched0: source.address offset: 0 for 1",
        "warp: Load b_tile_fetched1: guard + 1",
        "warp: Let b_tile_beyond_q0: value: 1 for 2",
        "warp: Let b_tile_x01: value: 0 for 1",
        "warp: Let b_tile_x_base0: value: 0 for 1",
        "warp: Store result: guard - 1",
    ),
    "cuda-phase": (
        "warp: Load a_tile_fetched0: guard + 1",
        "warp: Let k_steps: value: % for //",
        "warp: Let whole_steps: value: 31 for 32",
        "warp: Let b_tile_x_along1: value: - for +",
    ),
    "hip-conv": ("warp: Load b_tile_fetched1: guard + 1", "warp: Load b_tile_fetched0: source.address offset: 0 for 1"),
    "hopper-phase": ("staging32: bit 1 added to bit 0", "producer: AsyncLoad: source.bound extents[3]: 0 for 1"),
    "metal-conv": ("warp: Let k_steps: value: % for //", "warp: Let k_steps: value: 17 for 16"),
    "cpu-amx-int8": ("rows_of_a: extent: - for +",),
    "hopper-filters": ("consumer: AsyncMma: accumulate + 1",),
    "oneapi-joint": (
        "warp: Load b_tile_fetched0: source.address offset: % for //",
        "warp: Load b_tile_fetched0: source.address offset: - for +",
        "warp: Load b_tile_fetched0: source.address offset: 9 for 8",
        "warp: Load b_tile_fetched1: source.address offset: 7 for 8",
    ),
}
"""Faults that were missed once, or of which an emitter failed by accident."""


@pytest.mark.parametrize("name", FORMER)
def test_what_was_missed_once_is_not_missed(name: str) -> None:
    found = specimen(name)
    planted = [fault for fault in faults(found.kernel) if fault.words in FORMER[name]]
    assert {fault.words for fault in planted} == set(FORMER[name])
    for fault in planted:
        verdict = found.judge(fault)
        assert verdict.outcome is not Outcome.MISSED and not verdict.silent, verdict


def test_an_unknown_kernel_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert mutants.main(["--kernels", "abacus"]) == 2
    assert "abacus" in capsys.readouterr().out and next(iter(SPECIMENS)) in "cpu-gemm"


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECIMENS)
def test_every_specimen_is_certified_and_printed(name: str) -> None:
    assert specimen(name).emitters
