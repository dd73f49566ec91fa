# SPDX-License-Identifier: MIT
"""The binary cache keeps what it is given, notices every kind of damage, and never raises."""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import random
import tempfile
import time
from pathlib import Path

import pytest
from tracea_core import storage
from tracea_core.runtime import cache as module
from tracea_core.runtime.cache import BinaryCache, key_digest

KEY = key_digest(arch="x86-64-v3", toolchain="llvm 20.1", source="ab" * 32)
CODE = bytes(range(256)) * 8
needs_modes = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no owners and modes")


@pytest.fixture
def cache(tmp_path: Path) -> BinaryCache:
    return BinaryCache(tmp_path / "binaries")


def only_file(cache: BinaryCache) -> Path:
    (path,) = cache.directory.glob("*.bin")
    return path


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_what_is_put_is_got_by_another_instance(cache: BinaryCache) -> None:
    assert cache.get(KEY) is None
    cache.put(KEY, CODE)
    other = BinaryCache(cache.directory)
    assert other.get(KEY) == CODE
    assert other.keys() == (KEY,)
    assert other.stats().hits == 1 and cache.stats().misses == 1
    assert cache.stats().problem == ""


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "a" * 5000, "nul\0", "\ud800", "KEY/with/slashes"])
def test_any_string_is_a_key(cache: BinaryCache, key: str) -> None:
    cache.put(key, CODE)
    assert BinaryCache(cache.directory).get(key) == CODE
    assert cache.keys() == (key,)
    assert only_file(cache).parent == cache.directory


@needs_modes
def test_directory_and_files_are_private(cache: BinaryCache) -> None:
    cache.put(KEY, CODE)
    assert cache.directory.stat().st_mode & 0o777 == 0o700
    assert only_file(cache).stat().st_mode & 0o777 == 0o600


def test_every_truncation_is_noticed(cache: BinaryCache) -> None:
    cache.put(KEY, b"machine code")
    whole = only_file(cache).read_bytes()
    for length in range(len(whole)):
        (cache.directory / f"{KEY}.bin").write_bytes(whole[:length])
        (cache.directory / f"{KEY}.bin").chmod(0o600)
        assert cache.get(KEY) is None, length
    assert cache.stats().corrupt == len(whole)
    cache.put(KEY, b"machine code")
    assert cache.get(KEY) == b"machine code"


def test_every_flipped_byte_is_noticed(cache: BinaryCache, caplog: pytest.LogCaptureFixture) -> None:
    cache.put(KEY, b"machine code")
    path = only_file(cache)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        path.chmod(0o600)
        assert cache.get(KEY) is None, at
    assert len(warnings(caplog)) == 1 and "compiled again" in warnings(caplog)[0]


def test_random_bytes_are_never_returned(cache: BinaryCache) -> None:
    cache.put(KEY, CODE)
    path = only_file(cache)
    generator = random.Random(0)
    for _ in range(200):
        path.write_bytes(generator.randbytes(generator.randrange(200)))
        path.chmod(0o600)
        assert cache.get(KEY) is None
        assert cache.keys() == ()


def test_an_entry_renamed_to_another_key_is_not_that_entry(cache: BinaryCache) -> None:
    cache.put(KEY, CODE)
    other = "f" * 64
    only_file(cache).rename(cache.directory / f"{other}.bin")
    assert cache.keys() == ()
    assert cache.get(other) is None
    assert cache.stats().corrupt == 1


def test_the_damage_tests_would_notice_a_cache_that_does_not_check(
    cache: BinaryCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trusting(packed: bytes) -> tuple[str, bytes]:
        return KEY, packed[48:]

    cache.put(KEY, CODE)
    path = only_file(cache)
    path.write_bytes(path.read_bytes()[:-1] + b"\x07")
    path.chmod(0o600)
    monkeypatch.setattr(module, "_unpack", trusting)
    assert cache.get(KEY) is not None


@needs_modes
def test_a_file_that_others_may_write_to_is_not_loaded(cache: BinaryCache) -> None:
    cache.put(KEY, CODE)
    only_file(cache).chmod(0o622)
    assert cache.get(KEY) is None
    only_file(cache).chmod(0o600)
    assert cache.get(KEY) == CODE


@needs_modes
def test_a_foreign_file_is_not_loaded(cache: BinaryCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put(KEY, CODE)
    genuine = os.fstat

    def foreign(handle: int) -> os.stat_result:
        fields = list(genuine(handle))
        fields[4] = 4242
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", foreign)
    assert cache.get(KEY) is None
    monkeypatch.undo()
    assert cache.get(KEY) == CODE


@needs_modes
@pytest.mark.parametrize("fault", ["foreign", "open"])
def test_an_untrusted_directory_means_memory_only_and_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    BinaryCache(tmp_path / "b").put(KEY, b"planted by someone else")
    if fault == "foreign":
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    else:
        (tmp_path / "b").chmod(0o777)
    cache = BinaryCache(tmp_path / "b")
    assert cache.get(KEY) is None
    cache.put(KEY, CODE)
    assert cache.get(KEY) == CODE
    assert cache.keys() == (KEY,)
    assert "not trusted" in cache.stats().problem
    BinaryCache(tmp_path / "b").put("another", CODE)
    assert len(warnings(caplog)) == 1
    assert cache.clear() == 1 and cache.get(KEY) is None


def test_a_file_in_place_of_the_directory_means_memory_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "b").write_text("not a directory")
    cache = BinaryCache(tmp_path / "b" / "deeper")
    cache.put(KEY, CODE)
    assert cache.get(KEY) == CODE
    assert cache.stats().entries == 1 and cache.evict() == 0
    assert len(warnings(caplog)) == 1
    assert (tmp_path / "b").read_text() == "not a directory"


def test_a_path_that_no_file_system_can_hold_means_memory_only() -> None:
    cache = BinaryCache("nul\0byte")
    cache.put(KEY, CODE)
    assert cache.get(KEY) == CODE
    assert cache.keys() == (KEY,) and cache.stats().problem


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EIO])
def test_a_directory_that_cannot_be_written_to_is_still_read(
    cache: BinaryCache, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    cache.put(KEY, CODE)

    def refuse(*_: object, **__: object) -> tuple[int, str]:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    monkeypatch.setattr(os, "utime", refuse)
    reopened = BinaryCache(cache.directory)
    assert reopened.get(KEY) == CODE
    reopened.put("new", b"1")
    reopened.put("newer", b"2")
    assert (reopened.get("new"), reopened.get("newer"), reopened.get(KEY)) == (b"1", b"2", CODE)
    assert set(reopened.keys()) == {KEY, "new", "newer"}
    assert len(warnings(caplog)) == 1 and "memory only" in warnings(caplog)[0]


def test_a_directory_that_becomes_unreadable_is_one_warning(
    cache: BinaryCache, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cache.put(KEY, CODE)

    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    assert cache.get(KEY) is None
    cache.put(KEY, CODE)
    assert cache.get(KEY) == CODE and cache.evict(0) == 0 and cache.clear() == 1
    assert len(warnings(caplog)) == 1


def test_an_unreadable_entry_is_a_miss(cache: BinaryCache) -> None:
    cache.put(KEY, CODE)
    only_file(cache).unlink()
    (cache.directory / f"{KEY}.bin").mkdir()
    assert cache.get(KEY) is None
    cache.put(KEY, CODE)
    assert cache.get(KEY) == CODE


def test_a_directory_removed_under_a_cache_comes_back(cache: BinaryCache) -> None:
    cache.put(KEY, CODE)
    only_file(cache).unlink()
    cache.directory.rmdir()
    assert cache.get(KEY) is None and cache.keys() == () and cache.clear() == 0
    cache.put(KEY, CODE)
    assert BinaryCache(cache.directory).get(KEY) == CODE


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    cache = BinaryCache(tmp_path, limit_bytes=10_000)
    now = time.time()
    for i in range(8):
        cache.put(f"k{i}", bytes(1000))
        os.utime(cache._path(f"k{i}"), (now - 1000 + i, now - 1000 + i))
    assert cache.get("k0") is not None  # used just now, so it outlives k1
    cache.put("big", bytes(3000))
    stats = cache.stats()
    assert stats.bytes <= 10_000 and stats.evicted > 0
    kept = set(cache.keys())
    assert "k0" in kept and "big" in kept and "k1" not in kept
    os.utime(cache._path("k0"), (now - 1, now - 1))  # file systems need not tell apart what happens within milliseconds
    assert cache.evict(3500) > 0 and cache.keys() == ("big",)
    assert cache.clear() == 1 and cache.keys() == ()


def test_an_entry_larger_than_the_limit_stays_in_memory(tmp_path: Path) -> None:
    cache = BinaryCache(tmp_path, limit_bytes=1000)
    cache.put(KEY, bytes(5000))
    assert cache.get(KEY) == bytes(5000)
    assert list(tmp_path.glob("*.bin")) == []
    cache.put("other", bytes(4000))
    assert cache.keys() == ("other",)


def test_old_temporary_files_are_swept_and_new_ones_left(cache: BinaryCache) -> None:
    cache.put(KEY, CODE)
    for name, age in (("dead", 7200), ("alive", 5)):
        path = cache.directory / (storage.TEMPORARY_PREFIX + name)
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age,) * 2)
    cache.evict()
    assert [p.name for p in cache.directory.glob(storage.TEMPORARY_PREFIX + "*")] == [
        storage.TEMPORARY_PREFIX + "alive"
    ]


def _hammer(directory: str, seed: int, failures: multiprocessing.Queue[str]) -> None:
    cache = BinaryCache(directory, limit_bytes=60_000)
    generator = random.Random(seed)
    for _ in range(150):
        key = f"k{generator.randrange(12)}"
        expected = (key * 1000).encode()
        if generator.random() < 0.5:
            cache.put(key, expected)
        else:
            got = cache.get(key)
            if got is not None and got != expected:
                failures.put(f"{key} returned {got[:20]!r}")
        if generator.random() < 0.03:
            cache.evict(20_000)
    stats = cache.stats()
    if stats.corrupt or stats.problem:
        failures.put(f"corrupt={stats.corrupt} problem={stats.problem}")
    failures.put("done")


def test_concurrent_processes_never_see_half_an_entry(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn" if os.name == "nt" else "fork")
    failures: multiprocessing.Queue[str] = context.Queue()
    workers = [context.Process(target=_hammer, args=(str(tmp_path), seed, failures)) for seed in range(4)]
    for worker in workers:
        worker.start()
    reports = [failures.get(timeout=300) for _ in workers]
    for worker in workers:
        worker.join(300)
    assert reports == ["done"] * 4


@pytest.mark.parametrize("part", ["arch", "toolchain", "source", "flags", "abi"])
def test_the_key_depends_on_every_part(part: str) -> None:
    parts = {"arch": "sm_90a", "toolchain": "nvrtc 13.0", "source": "s", "flags": ("-O3",), "abi": "linux"}
    changed = parts | {part: ("-O3", "-g") if part == "flags" else parts[part] + "x"}
    assert key_digest(**parts) != key_digest(**changed)
    assert len(key_digest(**parts)) == 64


def test_neighbouring_parts_do_not_run_into_each_other() -> None:
    assert key_digest(arch="ab", toolchain="c", source="s") != key_digest(arch="a", toolchain="bc", source="s")
    assert key_digest(arch="a", toolchain="b", source="s", flags=("x y",)) != key_digest(
        arch="a", toolchain="b", source="s", flags=("x", "y")
    )
