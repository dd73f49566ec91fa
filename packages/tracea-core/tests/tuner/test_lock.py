# SPDX-License-Identifier: MIT
"""Lock files merge, refuse contradictions by name, and are never half written."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest
from tracea_core.errors import TuningError
from tracea_core.policy.config import PipelineConfig
from tracea_core.tuner.lock import LockFile, Pin, read_lock, write_lock


def pin(problem: str = "p", stages: int = 2, hardware: str = "h200-1") -> Pin:
    return Pin(
        hardware=hardware,
        problem=problem,
        variant="v",
        configuration=PipelineConfig(stages=stages),
        title=f"matmul {problem}",
    )


def test_a_missing_file_pins_nothing(tmp_path: Path) -> None:
    lock = read_lock(tmp_path / "tracea.lock")
    assert lock == LockFile()
    assert lock.find(hardware="h", problem="p", variant="v") is None


def test_pins_are_found_by_hardware_problem_and_variant(tmp_path: Path) -> None:
    path = tmp_path / "tracea.lock"
    write_lock([pin("a", 3), pin("a", 4, hardware="mi300x-2"), pin("b", 5)], path)
    lock = read_lock(path)
    assert lock.find(hardware="mi300x-2", problem="a", variant="v") == PipelineConfig(stages=4)
    assert lock.find(hardware="h200-1", problem="b", variant="v") == PipelineConfig(stages=5)
    assert lock.find(hardware="h200-1", problem="b", variant="w") is None


def test_the_text_has_one_pin_a_line_in_an_order_of_its_own(tmp_path: Path) -> None:
    write_lock([pin("b"), pin("a")], tmp_path / "1")
    write_lock([pin("a")], tmp_path / "2")
    write_lock([pin("b")], tmp_path / "2")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert sum("configuration" in line for line in (tmp_path / "1").read_text().splitlines()) == 2


def test_contradictions_are_named_and_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tracea.lock"
    write_lock([pin("a", 2)], path)
    before = path.read_bytes()
    with pytest.raises(TuningError, match=r"matmul a with v on h200-1 is 128x128x32 s2 and 128x128x32 s3"):
        write_lock([pin("a", 3)], path)
    assert path.read_bytes() == before
    assert write_lock([pin("a", 3)], path, override=True).pins == (pin("a", 3),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "cannot be used"),
        (b"\x00\xff\x00", "cannot be used"),
        (b'{"version":1,"pins":[{"hardware":"x"}]}', "cannot be used"),
        (b'{"version":2}', "version 1"),
        (b'{"version":1,"surprise":1}', "cannot be used"),
        (b'{"version":1,\n<<<<<<< HEAD\n"pins":[]}', "unfinished merge"),
        (LockFile(pins=(pin(),)).to_json().encode()[:-5], "cannot be used"),
    ],
)
def test_a_damaged_file_is_an_error_that_says_so(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "tracea.lock"
    path.write_bytes(text)
    with pytest.raises(TuningError, match=message):
        read_lock(path)


def test_a_file_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tracea.lock"
    path.write_text(f'{{"version":1,"pins":[{pin("a", 2).to_json()},{pin("a", 3).to_json()}]}}')
    with pytest.raises(TuningError, match="contradicts itself: matmul a"):
        read_lock(path)


def test_a_directory_in_its_place_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(TuningError, match="cannot be read"):
        read_lock(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_a_lock_file_is_as_readable_as_other_sources(tmp_path: Path) -> None:
    path = tmp_path / "tracea.lock"
    before = os.umask(0o022)
    try:
        write_lock([pin()], path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o644


def _add(path: str, seed: int) -> None:
    for i in range(8):
        write_lock([pin(f"{seed}-{i}")], path)


def test_concurrent_writers_lose_no_pin(tmp_path: Path) -> None:
    path = tmp_path / "tracea.lock"
    context = multiprocessing.get_context("spawn" if os.name == "nt" else "fork")
    workers = [context.Process(target=_add, args=(str(path), seed)) for seed in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(300)
    assert [worker.exitcode for worker in workers] == [0] * 3
    assert len(read_lock(path).pins) == 24
