# SPDX-License-Identifier: MIT
"""The store keeps every measurement, survives any damage to its file, and never makes a call fail."""

from __future__ import annotations

import logging
import multiprocessing
import os
import random
import sqlite3
import stat
from pathlib import Path

import pytest
from tracea_core.errors import TuningError
from tracea_core.policy.config import PipelineConfig
from tracea_core.target import CacheLevel, CapabilityProfile
from tracea_core.tuner import store as module
from tracea_core.tuner.measure import summarize
from tracea_core.tuner.record import Key, Record, Status, hardware_fingerprint
from tracea_core.tuner.store import MeasurementStore

KEY = Key(hardware="cpu-1", driver="", compiler="llvm 20", problem="p1", variant="cpu.contraction.avx2")
needs_modes = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no owners and modes")


def config(stages: int) -> PipelineConfig:
    return PipelineConfig(stages=stages)


def row(
    stages: int = 2,
    seconds: float = 1e-3,
    key: Key = KEY,
    status: Status = Status.OK,
    source: str = "s",
    at: float = 1.0,
) -> Record:
    return Record(
        key=key,
        configuration=config(stages),
        source=source,
        status=status,
        measurement=summarize([seconds]) if status is Status.OK else None,
        error="" if status is Status.OK else "boom",
        timestamp=at,
    )


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "measurements.sqlite"


def test_measurements_outlive_the_process_and_the_best_wins(path: Path) -> None:
    store = MeasurementStore(path)
    for stages, seconds in ((2, 3e-3), (3, 1e-3), (4, 2e-3)):
        store.add(row(stages, seconds))
    store.close()
    again = MeasurementStore(path)
    best = again.best(KEY)
    assert best is not None and best.configuration == config(3)
    assert len(again) == 3 and again.problem == ""
    assert again.best(KEY.replace(compiler="llvm 21")) is None


@pytest.mark.parametrize("field", ["hardware", "driver", "compiler", "problem", "variant"])
def test_times_of_other_keys_do_not_count(path: Path, field: str) -> None:
    store = MeasurementStore(path)
    store.add(row(key=KEY.replace(**{field: "other"})))
    assert store.best(KEY) is None


def test_a_record_without_a_time_is_given_one(path: Path) -> None:
    store = MeasurementStore(path)
    store.add(row(at=0.0))
    assert store.records()[0].timestamp > 1e9


def test_every_measurement_is_kept_and_the_newest_counts(path: Path) -> None:
    store = MeasurementStore(path)
    store.add(row(2, 1e-3, at=1))
    store.add(row(2, 5e-3, at=2))
    store.add(row(3, 2e-3, at=1))
    best = store.best(KEY)
    assert len(store) == 3
    assert best is not None and best.configuration == config(3)


def test_times_of_another_source_are_skipped(path: Path) -> None:
    store = MeasurementStore(path)
    store.add(row(2, 1e-3, source="old"))
    store.add(row(3, 2e-3, source="new"))
    best = store.best(KEY, source=lambda _: "new")
    assert best is not None and best.configuration == config(3)
    assert store.best(KEY, source=lambda _: None) is None


def test_crashes_are_blacklisted_until_they_succeed_or_the_source_changes(path: Path) -> None:
    store = MeasurementStore(path)
    store.add(row(2, status=Status.CRASHED, at=1))
    store.add(row(3, status=Status.TIMEOUT, at=1))
    store.add(row(4, status=Status.FAILED, at=1))
    assert store.blacklist(KEY) == {config(2), config(3)}
    assert store.blacklist(KEY, source=lambda _: "repaired") == frozenset()
    assert store.best(KEY) is None
    store.add(row(2, at=2))
    assert MeasurementStore(path).blacklist(KEY) == {config(3)}


def test_a_record_is_measured_or_failed_never_both() -> None:
    with pytest.raises(TuningError):
        row().replace(status=Status.FAILED)
    with pytest.raises(TuningError):
        row().replace(measurement=None)


@needs_modes
def test_database_and_directory_are_private(path: Path) -> None:
    MeasurementStore(path).add(row())
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}


def test_an_export_can_be_read_on_another_machine(path: Path, tmp_path: Path) -> None:
    store = MeasurementStore(path)
    for stages in (2, 3):
        store.add(row(stages))
    store.add(row(4, key=KEY.replace(problem="p2")))
    assert store.dump(tmp_path / "all.jsonl") == 3
    assert store.dump(tmp_path / "one.jsonl", KEY) == 2
    lines = (tmp_path / "all.jsonl").read_text().splitlines()
    (tmp_path / "mixed.jsonl").write_text("\n".join([lines[0], '{"key": 3}', "", "garbage \x00", *lines]))
    other = MeasurementStore(tmp_path / "other" / "m.sqlite")
    report = other.load(tmp_path / "mixed.jsonl")
    assert (report.added, report.known) == (3, 1)
    assert [line.split(":")[0] for line in report.refused] == ["line 2", "line 4"]
    assert other.records() == store.records()
    assert other.load(tmp_path / "all.jsonl").added == 0


def fill(path: Path, rows: int = 60) -> bytes:
    store = MeasurementStore(path)
    for i in range(rows):
        store.add(row(1 + i % 8, 1e-3 * (1 + i), at=float(1 + i)))
    store.close()
    return path.read_bytes()


def aside(path: Path) -> list[Path]:
    return [file for file in path.parent.glob("*.damaged-*") if not file.name.endswith(("-wal", "-shm"))]


@pytest.mark.parametrize("damage", ["random", "text", "truncated", "header", "middle", "other table"])
def test_a_damaged_database_is_set_aside_not_lost(path: Path, caplog: pytest.LogCaptureFixture, damage: str) -> None:
    whole = fill(path)
    if damage == "other table":
        path.unlink()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE measurements (x TEXT)")
        path.chmod(0o600)
    else:
        content = {
            "random": random.Random(0).randbytes(8192),
            "text": b"this is not a database at all, but long enough to be taken for one " * 20,
            "truncated": whole[: len(whole) // 2 + 100],
            "header": b"\xff" * 64 + whole[64:],
            "middle": whole[:4096] + bytes(4096) + whole[8192:],
        }[damage]
        path.write_bytes(content)
    before = path.read_bytes()
    store = MeasurementStore(path)
    store.add(row(7, 1e-6, at=1e6))
    best = store.best(KEY)
    assert best is not None and best.configuration == config(7)
    (kept,) = aside(path)
    assert kept.read_bytes() == before
    assert sum("renamed" in text for text in warnings(caplog)) == 1
    reopened = MeasurementStore(path)
    assert reopened.problem == "" and row(7, 1e-6, at=1e6) in reopened.records()
    assert len(aside(path)) == 1


def test_rows_that_survive_the_damage_are_carried_over(path: Path) -> None:
    whole = fill(path, 200)
    path.write_bytes(whole[: -4096 * 3])
    store = MeasurementStore(path)
    good = {row(1 + i % 8, 1e-3 * (1 + i), at=float(1 + i)) for i in range(200)}
    assert 0 < len(store) < 200
    assert set(store.records()) <= good


def test_any_flipped_byte_leaves_only_true_records(path: Path) -> None:
    whole = fill(path, 12)
    good = {row(1 + i % 8, 1e-3 * (1 + i), at=float(1 + i)) for i in range(12)}
    generator = random.Random(3)
    damaged = 0
    for _ in range(120):
        at = generator.randrange(len(whole))
        for file in path.parent.iterdir():
            file.unlink()
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << generator.randrange(8))]) + whole[at + 1 :])
        path.chmod(0o600)
        store = MeasurementStore(path)
        damaged += set(store.records()) != good
        assert set(store.records()) <= good, at
        store.add(row(8, 1e-9, at=1e6))
        assert row(8, 1e-9, at=1e6) in store.records(), at
        store.close()
    assert damaged > 0  # the test would prove nothing if no flip ever mattered


def test_a_time_that_was_tampered_with_is_left_out(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fill(path, 3)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE measurements SET record = replace(record, '0.001', '0.0000001')")
    store = MeasurementStore(path)
    assert {record.measurement.seconds for record in store.records() if record.measurement} == {2e-3, 3e-3}
    assert len(warnings(caplog)) == 1 and "left out" in warnings(caplog)[0]


def test_damage_while_open_is_survived(path: Path) -> None:
    fill(path)
    store = MeasurementStore(path)
    assert len(store) == 60
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    path.write_bytes(random.Random(1).randbytes(60_000))
    for i in range(5):
        store.add(row(5, 1e-5, at=1000.0 + i))
    assert sum(record.timestamp >= 1000 for record in store.records()) == 5


def test_a_newer_format_is_left_alone(path: Path) -> None:
    fill(path, 3)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    store = MeasurementStore(path)
    store.add(row(7, 1e-6, at=50.0))
    assert len(store) == 4 and "newer" in store.problem
    assert aside(path) == []
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM measurements").fetchone() == (3,)


@needs_modes
@pytest.mark.parametrize("fault", ["foreign", "directory mode", "file mode", "symbolic link", "file for a directory"])
def test_untrusted_places_mean_memory_only_and_one_warning(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    if fault == "file for a directory":
        path.parent.write_text("in the way")
    else:
        fill(path, 3)
    if fault == "foreign":
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    elif fault == "directory mode":
        path.parent.chmod(0o777)
    elif fault == "file mode":
        path.chmod(0o666)
    elif fault == "symbolic link":
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    store = MeasurementStore(path)
    assert store.best(KEY) is None
    store.add(row(5))
    best = store.best(KEY)
    assert best is not None and best.configuration == config(5)
    assert len(warnings(caplog)) == 1 and "in memory only" in warnings(caplog)[0]
    assert store.problem


def test_a_database_that_cannot_be_written_to_is_still_read(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fill(path, 3)

    def refuse(_: object) -> sqlite3.Connection:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(module, "_connect_now", lambda p: refuse(p) if p != ":memory:" else connect(p))
    store = MeasurementStore(path)
    store.add(row(7, 1e-6, at=9.0))
    best = store.best(KEY)
    assert len(store) == 4 and best is not None and best.configuration == config(7)
    assert len(warnings(caplog)) == 1
    monkeypatch.undo()
    assert len(MeasurementStore(path)) == 3


connect = module._connect_now


def test_a_full_disk_moves_new_rows_to_memory(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fill(path, 3)
    store = MeasurementStore(path)
    assert store._disk is not None
    pages = store._disk.execute("PRAGMA page_count").fetchone()[0]
    store._disk.execute(f"PRAGMA max_page_count = {pages}")
    for i in range(30):
        store.add(row(1 + i % 8, 1e-6 * (1 + i), at=100.0 + i))
    assert len(store) == 33
    assert "full" in store.problem and len(warnings(caplog)) == 1


def test_without_wal_the_classic_journal_is_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = module._create
    calls: list[int] = []

    def fails_first(connection: sqlite3.Connection) -> None:
        calls.append(1)
        if len(calls) == 2:  # the first is the store's memory
            raise sqlite3.OperationalError("disk I/O error")
        create(connection)

    monkeypatch.setattr(module, "_create", fails_first)
    store = MeasurementStore(path)
    store.add(row())
    assert store._disk is not None
    assert store._disk.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert len(MeasurementStore(path)) == 1


def _writer(path: str, seed: int) -> None:
    store = MeasurementStore(path)
    for i in range(25):
        store.add(row(1 + seed, 1e-3, at=float(1 + 100 * seed + i)))


def test_concurrent_writers_lose_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BUSY_SECONDS", 120.0)  # whoever holds it may not run for seconds
    context = multiprocessing.get_context("spawn" if os.name == "nt" else "fork")
    workers = [context.Process(target=_writer, args=(str(path), seed)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(300)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(MeasurementStore(path)) == 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_uses_its_own_connection(path: Path) -> None:
    store = MeasurementStore(path)
    store.add(row(2))
    context = multiprocessing.get_context("fork")
    child = context.Process(target=store.add, args=(row(3),))
    child.start()
    child.join(300)
    store.add(row(4))
    assert child.exitcode == 0
    assert {record.configuration.stages for record in store.records()} == {2, 3, 4}


def profile(**changes: object) -> CapabilityProfile:
    fields: dict[str, object] = {
        "name": "AMD EPYC 9R14", "vendor": "amd", "arch": "znver4", "backend": "cpu", "processors": 2, "lanes": 16,
        "caches": (CacheLevel(1, 32768, 64, 1),), "features": ("avx2", "fma"), "memory_gbps": 35.0,
    }  # fmt: skip
    return CapabilityProfile(**fields | changes)  # type: ignore[arg-type]


def test_the_fingerprint_ignores_what_varies_between_probes_and_nothing_else() -> None:
    base = hardware_fingerprint(profile())
    assert base.startswith("amd-epyc-9r14-")
    assert hardware_fingerprint(profile(memory_gbps=36.1, clock_mhz=3500.0, probed=True)) == base
    assert hardware_fingerprint(profile(features=("fma", "avx2"))) == base
    for change in ({"processors": 4}, {"arch": "znver5"}, {"features": ("fma",)}, {"caches": ()}):
        assert hardware_fingerprint(profile(**change)) != base
