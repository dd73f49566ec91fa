# SPDX-License-Identifier: MIT
"""Runs under compute-sanitizer: every planted bug has its place in a kernel that compiles, and reports are counted as what they are."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_cuda.compile import binary

from benchmarks import sanitize, sanitized
from benchmarks.cluster_meetings import MEETINGS, source_of
from benchmarks.sanitize import PLANTS as ALL_PLANTS
from benchmarks.sanitize import Finding, judged
from benchmarks.sanitized import KERNELS, MEETS, PLANTS, path_of, planted
from benchmarks.sanitized_convolutions import FAMILIES, PAST_THE_END
from benchmarks.sanitized_convolutions import path_of as family_path

FAMILY = "family windows"
REAL_PYTHON = sys.executable
SHARES = [f"variants {share}/4" for share in range(1, 5)]
RACES = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at matmul+0x10 and Read access at matmul+0x20 [8 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)
========= RACECHECK SUMMARY: 20 hazards displayed (20 errors, 0 warnings)
"""


@pytest.mark.parametrize("kernel", KERNELS)
def test_planted_bugs_change_a_kernel_of_their_kind(kernel: str) -> None:
    path = path_of(kernel, preset="h200")
    assert path.source is not None and not path.before and not path.after
    body = path.source.text.partition(f" {path.source.entry}(")[2]
    assert ("box_load(" in body) == (kernel != "words") and ("meet(" in body) == (kernel == "cluster")
    for name, plant in PLANTS.items():
        if plant.kernel == kernel:
            changed = planted(path.source, plant)
            assert (changed.text != path.source.text) == bool(plant.old), name
            assert set(plant.missing_rows) | set(plant.unwritten) <= set(path.lowered.operands)
            assert plant.old or plant.missing_rows or plant.unwritten, "something is wrong with it"


def test_tiles_are_raced_for_in_the_loop_that_reads_them() -> None:
    source = path_of("words", preset="h200").source
    assert source is not None
    changed = planted(source, PLANTS["race-of-tiles"]).text
    step = re.search(r"k_step < whole_steps.*?mma_", source.text, re.DOTALL)
    assert step is not None and step[0].count("__syncthreads") == 1
    assert step[0] not in changed, "one tile a block: what is missing before its first copies is missed by nobody"


@pytest.mark.toolchain
def test_planted_bugs_compile() -> None:
    for kernel in KERNELS:
        source = path_of(kernel, preset="h200").source
        assert source is not None
        for plant in PLANTS.values():
            if plant.kernel == kernel and plant.old:
                try:
                    assert binary(planted(source, plant))
                except BackendUnavailableError as error:
                    pytest.skip(str(error))


@pytest.mark.toolchain
def test_meetings_compile() -> None:
    like = path_of("cluster", preset="h200").source
    assert like is not None
    try:
        binaries = {binary(source_of(meeting, like)) for meeting in MEETINGS.values()}
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    assert len(binaries) == len(MEETINGS)


@pytest.mark.parametrize("run", MEETS)
def test_what_meets_does_so_by_the_function_of_the_program_of_a_few_lines(run: str) -> None:
    kind, name = run.split()
    path = path_of(name, preset="h200") if kind == "right" else family_path(FAMILIES[name], preset="h200")
    meeting, source = MEETINGS[MEETS[run]], path.source
    assert source is not None and meeting.right
    body = source.text.partition(f" {source.entry}(")[2]
    for what in ("written", "read"):
        assert re.search(rf"named_barrier\(\d+, 128\); meet\(partial_{what}, {path.configuration.split_k}, lane", body)
    like = path_of("cluster", preset="h200").source
    assert like is not None
    program = source_of(meeting, like).text.partition(" meeting(")[2]
    assert re.search(r"named_barrier\(1, 128\);\s+meet\(written, 2, thread", program)


def test_a_bug_without_a_place_is_said_to_have_none() -> None:
    source = path_of("boxes", preset="h200").source
    assert source is not None
    with pytest.raises(LookupError, match="has nothing like"):
        planted(source, sanitized.Plant("racecheck", "boxes", "nothing", r"no_such_call\(", ""))


def test_reports_of_several_processes_add_up() -> None:
    assert sanitize.summary(RACES) == 22
    assert sanitize.summary("========= ERROR SUMMARY: 0 errors\n") == 0
    assert sanitize.summary("Segmentation fault\n") is None


def test_reports_that_are_not_printed_are_counted_once() -> None:
    said = "= ERROR SUMMARY: 9984 errors\n= ERROR SUMMARY: 9964 errors were not printed because the print limit has been reached.\n"
    assert sanitize.summary(said) == 9984


READ = """\
========= Uninitialized __global__ memory read of size 4 bytes
=========     at transpose_fp16_into_rows__64x64x1_cc8af23a+0x1050
=========     by thread (82,0,0) in block (2,0,0)
=========     Address {at:#x}
"""
WRITTEN = "the copy engine writes 0x1000, 512 bytes, for transpose_fp16_into_rows__64x64x1_cc8af23a\n"


def test_only_reads_of_what_the_copy_engine_wrote_for_a_kernel_are_said_to_be_so() -> None:
    inside = "".join(READ.format(at=at) for at in (0x1000, 0x1100, 0x11FC))
    assert sanitize.reads_by_engine(WRITTEN + inside) == 3
    outside = "".join(READ.format(at=at) for at in (0xFFC, 0x11FE, 0x1200))
    assert sanitize.reads_by_engine(WRITTEN + outside) == 0 == sanitize.reads_by_engine(inside)
    other = READ.format(at=0x1100)
    assert sanitize.reads_by_engine(WRITTEN + other.replace("transpose", "conv2d")) == 0, "another kernel's read"
    assert sanitize.reads_by_engine(WRITTEN + other.replace("Uninitialized", "Invalid")) == 0


def test_a_convolution_is_excused_only_for_reads_of_what_the_engine_wrote() -> None:
    def verdict(reports: int, by_engine: int, *, of_program: int, tool: str = "initcheck") -> str:
        before = [judged(Finding("initcheck", "move box-then-words", of_program), [])]
        return judged(Finding(tool, FAMILY, reports, by_engine=by_engine), before).verdict

    assert verdict(9, 9, of_program=1) == "blind"
    assert verdict(9, 8, of_program=1) == "MISS", "one is of something else"
    assert verdict(9, 9, of_program=0) == "MISS", "nothing excuses it"
    assert verdict(9, 9, of_program=1, tool="memcheck") == "MISS", "another tool said so"
    assert verdict(0, 0, of_program=1) == verdict(0, 0, of_program=0) == "ok"


def test_moves_are_judged_by_whether_they_are_right() -> None:
    def verdict(name: str, reports: int | None) -> str:
        return judged(Finding("initcheck", f"move {name}", reports), []).verdict

    assert [verdict("words-then-words", reports) for reports in (0, 1, None)] == ["ok", "blind", "MISS"]
    assert [verdict("nothing-then-words", reports) for reports in (0, 1)] == ["blind", "seen"]


REFUSED = """\
========= Program hit {error} due to "{words}" on CUDA API call to {function}.
=========     Saved host backtrace up to driver entry point at error
=========         Host Frame: __call__ in launch.py:111
=========
========= ERROR SUMMARY: 1 error
"""


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tool that reports what the environment says: of planted bugs, of right kernels."""
    script = tmp_path / "compute-sanitizer"
    script.write_text(
        '#!/bin/sh\ncase "$*" in *planted*) echo "========= ERROR SUMMARY: $OF_PLANTED errors"; exit 1;;\n'
        '*variants*) echo "========= ERROR SUMMARY: $OF_RIGHT errors"; exit $CODE;;\n'
        '*) echo "========= ERROR SUMMARY: 0 errors";; esac\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for name in ("OF_PLANTED", "OF_RIGHT", "CODE"):
        monkeypatch.setenv(name, "0")
    monkeypatch.setattr(sanitize, "warm", lambda shares, cases, timeout: None)  # it needs a GPU
    monkeypatch.setattr(sanitize, "FAMILIES", {"windows": FAMILIES["windows"]})
    (tmp_path / "launch").write_text("#!/bin/sh\n")  # of a convolution, without a GPU
    (tmp_path / "launch").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "launch"))
    return tmp_path


def table(results: Path, *more: str) -> tuple[int, list[dict[str, object]]]:
    code = sanitize.main(["--tools", "synccheck", "--jobs", "2", "--results", str(results), *more])
    return code, json.loads((results / "sanitizers.json").read_text())


def test_what_is_seen_what_is_not_and_what_fails(
    tool: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bugs = [name for name, plant in ALL_PLANTS.items() if plant.tool == "synccheck"]
    code, found = table(tool)
    assert code == 0
    assert [finding["run"] for finding in found] == [FAMILY, *(f"right {k}" for k in KERNELS), *bugs, FAMILY, *SHARES]
    assert capsys.readouterr().out.count("blind synccheck") == len(bugs), "a tool that sees nothing is said to be blind"
    monkeypatch.setenv("OF_PLANTED", "3")
    assert table(tool)[0] == 0
    assert capsys.readouterr().out.count("seen  synccheck") == len(bugs)
    assert {finding["verdict"] for finding in found} == {"ok", "blind"}
    monkeypatch.setenv("OF_RIGHT", "1")
    assert table(tool)[0] == 1 and "MISS  synccheck variants 2/4 (1 reports)" in capsys.readouterr().out
    monkeypatch.setenv("OF_RIGHT", "0")
    monkeypatch.setenv("CODE", "1")
    code, found = table(tool, "--no-planted")
    assert code == 1 and [(finding["run"], finding["reports"]) for finding in found] == [
        *((FAMILY, 0) for _ in range(2)), *((run, None) for run in SHARES)
    ], "a run that fails has shown nothing"  # fmt: skip


def test_of_a_convolution_that_does_not_run_no_tool_is_asked(tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tool / "launch").write_text("#!/bin/sh\nexit 1\n")
    (tool / "launch").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tool / "launch"))
    code, found = table(tool, "--only", "family")
    assert code == 1 and [(one["tool"], one["run"], one["verdict"]) for one in found] == [("none", FAMILY, "MISS")]


@pytest.mark.parametrize(
    ("error", "function"),
    [
        ("CUDA_ERROR_INVALID_VALUE (error 1)", "cuTensorMapEncodeTiled"),
        ("CUDA_ERROR_INVALID_CONTEXT (error 201)", "cuLaunchKernelEx"),
        ("CUDA_ERROR_ILLEGAL_ADDRESS (error 700)", "cuCtxSynchronize"),
    ],
)
def test_a_call_of_the_driver_that_fails_is_a_report(tool: Path, error: str, function: str) -> None:
    said = REFUSED.format(error=error, words="something", function=function)
    script = tool / "compute-sanitizer"
    script.write_text(f"#!/bin/sh\ncase \"$*\" in *report-api-errors*) exit 1;; esac\ncat <<'END'\n{said}END\n")
    code = sanitize.main(["--tools", "memcheck", "--only", "memcheck family", "--results", str(tool)])
    found = json.loads((tool / "sanitizers.json").read_text())
    assert code == 1 and [(one["run"], one["reports"], one["verdict"]) for one in found][-1] == (FAMILY, 1, "MISS")


def test_a_family_that_goes_past_its_mapping_is_a_miss_and_tools_are_asked_too(
    tool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tool / "launch").write_text(f'#!/bin/sh\ncase "$*" in *to-the-end*) exit {PAST_THE_END};; esac\n')
    code, found = table(tool, "--only", "family")
    assert code == 1 and [(one["tool"], one["reports"], one["verdict"]) for one in found] == [
        ("none", 1, "MISS"), ("synccheck", 0, "ok"),
    ]  # fmt: skip


def test_initcheck_is_given_workspaces_that_nobody_wrote_and_asked_for_all_it_finds(tool: Path) -> None:
    (tool / "compute-sanitizer").write_text(
        f'#!/bin/sh\ncase "$*" in *"--print-limit 1000000"*--unwritten*) cat <<END\n{WRITTEN}{READ.format(at=0x1010)}END\n;; esac\n'
        'case "$*" in *family*|*box-then-words*) echo "========= ERROR SUMMARY: 1 error";;\n'
        '*) echo "========= ERROR SUMMARY: 0 errors";; esac\n'
    )
    code = sanitize.main(["--tools", "initcheck", "--only", "initcheck (family|move)", "--results", str(tool)])
    found = {one["run"]: one for one in json.loads((tool / "sanitizers.json").read_text())}
    assert code == 0 and found["move box-then-words"]["verdict"] == found[FAMILY]["verdict"] == "blind"
    assert found[FAMILY]["by_engine"] == 1 and found["move words-then-words"]["verdict"] == "ok"


def test_a_bug_that_hangs_ends_by_itself(tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tool / "compute-sanitizer").write_text('#!/bin/sh\necho "$*" >> "$SAID"\necho "= ERROR SUMMARY: 0 errors"\n')
    monkeypatch.setenv("SAID", str(tool / "said"))
    table(tool, "--only", "of-strips", "--timeout", "150")
    asked = (tool / "said").read_text()
    assert asked.count("--seconds 30 planted") == 2 == len(asked.splitlines())
    hangs = "import signal, time\nsignal.alarm(1)\ntime.sleep(60)"
    assert subprocess.run([REAL_PYTHON, "-c", hangs], check=False).returncode == -signal.SIGALRM


def test_what_is_asked_for_is_a_pattern(tool: Path) -> None:
    code, found = table(tool, "--only", "right (words|cluster)$")
    assert code == 0 and [finding["run"] for finding in found] == ["right words", "right cluster"]


def verdicts(*said: tuple[str, int | None]) -> list[str]:
    """Verdicts on what racecheck said, in order."""
    found: list[Finding] = []
    for run, reports in said:
        found.append(judged(Finding("racecheck", run, reports), found))
    return [finding.verdict for finding in found]


def test_a_bug_is_not_seen_by_what_reports_its_kernel_without_it() -> None:
    bug = "race-of-partial-sums"
    assert verdicts(("meeting arrivals-late", 0), ("right cluster", 0), (bug, 3)) == ["ok", "ok", "seen"]
    assert verdicts(("meeting arrivals-late", 0), ("right cluster", 0), (bug, 0)) == ["ok", "ok", "blind"]
    assert verdicts(("meeting arrivals-late", 0), ("right cluster", 2), (bug, 3)) == ["ok", "MISS", "blind"], (
        "nothing excuses the kernel"
    )
    assert verdicts(("meeting arrivals-late", 1), ("right cluster", 2), (bug, 3)) == ["blind"] * 3
    assert verdicts(("meeting arrivals-late", 1), ("right boxes", 2)) == ["blind", "MISS"], "its blocks do not meet so"
    assert verdicts(("meeting arrivals-late", 1), ("variants 1/4", 2)) == ["blind", "MISS"]
    assert verdicts(("meeting arrivals-late", 1), ("family few-windows", 2), ("family windows", 2)) == [
        "blind",
        "blind",
        "MISS",
    ]
    assert verdicts(("meeting arrivals-late", 1), ("right cluster", None)) == ["blind", "MISS"], (
        "it gave a wrong result"
    )
    assert verdicts(("meeting no-meeting", 1), ("meeting no-meeting", 0)) == ["seen", "blind"]
    other = [judged(Finding("memcheck", "meeting arrivals-late", 1), [])]
    assert judged(Finding("racecheck", "right cluster", 1), other).verdict == "MISS", "another tool said so"


def test_shares_of_the_variants_are_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    class Subject:
        def __init__(self, name: str) -> None:
            self.name = name

        def served(self) -> list[str]:
            ran.append(self.name)
            return []

    ran: list[str] = []
    monkeypatch.setattr("tracea_core.testing.subject.subjects", lambda manifest: map(Subject, "abcdefg"))
    for share in range(1, 5):
        sanitized.run_variants(1, (share, 4))
    assert sorted(ran) == list("abcdefg")


def test_without_the_tool_its_absence_is_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitize, "_PLACES", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="part of the CUDA toolkit"):
        sanitize.tool_path()
