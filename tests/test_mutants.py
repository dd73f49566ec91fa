# SPDX-License-Identifier: MIT
"""A sample of planted faults in every shipped schedule: none is missed, none leaves an emitter's text as it was."""

from __future__ import annotations

from collections import Counter

import pytest
from tracea_core.testing.survey import Outcome, Verdict

from benchmarks import mutants
from benchmarks.mutant_kernels import SPECIMENS, specimen

ONE = ("--jobs", "1")


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


def test_an_unknown_kernel_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert mutants.main(["--kernels", "abacus"]) == 2
    assert "abacus" in capsys.readouterr().out and next(iter(SPECIMENS)) in "cpu-gemm"


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECIMENS)
def test_every_specimen_is_certified_and_printed(name: str) -> None:
    assert specimen(name).emitters
