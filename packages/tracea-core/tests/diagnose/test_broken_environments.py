# SPDX-License-Identifier: MIT
"""Broken packages, caches, variables and processes, made for real where possible: a report comes back from each and says it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tracea_core.diagnose import DoctorReport, diagnose
from tracea_core.diagnose.packages import Known
from tracea_core.plugin.manager import PluginManager
from tracea_core.plugin.manifest import Severity
from tracea_core.runtime.cache import BinaryCache

SIGNAL = "import os, signal; os.kill(os.getpid(), signal.{})"
SLEEP = "import time; time.sleep(600)"
HANG_S = 1.5


@dataclass
class World:
    """What a case may break."""

    site: Any
    path: Path
    patch: pytest.MonkeyPatch
    packages: tuple[Known, ...] = ()
    manager: PluginManager | None = None
    limit_s: float = 300.0
    cleanup: list[Callable[[], None]] = field(default_factory=list)

    def module(self, name: str, body: str, version: str | None = "1.0") -> None:
        """Install a package called `name`, or only its metadata if the body is empty."""
        if body:
            (self.path / f"{name}.py").write_text(body)
        if version is not None:
            info = self.path / f"{name}-{version}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        self.packages = (Known(name, name, "tests"),)

    def cache(self, path: Path | str) -> Path:
        """Let the cache be at `path`."""
        self.patch.setenv("TRACEA_CACHE_DIR", str(path))
        return Path(path)


@dataclass(frozen=True)
class Case:
    """How to break something, and what the report must say: severity, subject, words of message or hint."""

    name: str
    severity: Severity
    subject: str
    words: tuple[str, ...]
    break_it: Callable[[World], object]


CASES: list[Case] = []


def case(
    severity: Severity, subject: str, *words: str
) -> Callable[[Callable[[World], object]], Callable[[World], object]]:
    def add(function: Callable[[World], object]) -> Callable[[World], object]:
        CASES.append(Case(function.__name__, severity, subject, words, function))
        return function

    return add


# ---- which plugins there are


@case(Severity.ERROR, "devices", "no backend is installed", "pip install tracea")
def no_plugins_at_all(w: World) -> None:
    return None


@case(Severity.INFO, "plugin bad", "TRACEA_PLUGINS=-bad leaves it out")
def plugin_disabled(w: World) -> None:
    w.site.install("bad")
    w.patch.setenv("TRACEA_PLUGINS", "-bad")


@case(Severity.WARNING, "plugins", "this check itself failed", "no metadata today")
def metadata_cannot_be_listed(w: World) -> None:
    def raising() -> list[Any]:
        raise RuntimeError("no metadata today")

    w.manager = PluginManager(raising)


# ---- other packages


@case(Severity.WARNING, "toytorch", "undefined symbol", "--force-reinstall toytorch")
def package_raises_on_import(w: World) -> None:
    w.module("toytorch", "raise ImportError('libtorch.so: undefined symbol')")


@case(Severity.WARNING, "toytorch", "killed by SIGSEGV")
def package_segfaults_on_import(w: World) -> None:
    w.module("toytorch", SIGNAL.format("SIGSEGV"))


@case(Severity.WARNING, "toytorch", "timed out after 1.5 s")
def package_hangs_on_import(w: World) -> None:
    w.limit_s = HANG_S
    w.module("toytorch", SLEEP)


@case(Severity.WARNING, "toytorch", "half installed: metadata of version 1.0, but no module")
def package_half_installed(w: World) -> None:
    w.module("toytorch", "")


@case(Severity.WARNING, "toytorch", "metadata says 1.0, the module says 2.5")
def package_of_two_versions(w: World) -> None:
    w.module("toytorch", "print('hello')\n__version__ = '2.5'\n")


@case(Severity.WARNING, "toytorch", "raised in C", "cannot be imported")
def package_without_metadata_raises(w: World) -> None:
    w.module("toytorch", "raise BaseException('raised in C')", version=None)


@case(Severity.WARNING, "toynumpy", "missing or half installed")
def required_package_missing(w: World) -> None:
    w.packages = (Known("toynumpy", "", "everything", required=True),)


# ---- the cache


@case(Severity.WARNING, "cache", "is not a directory")
def cache_is_a_file(w: World) -> None:
    w.cache(w.path / "cache").write_text("I am a file")


@case(Severity.WARNING, "cache", "cannot be created", "is not a directory", "TRACEA_CACHE_DIR")
def cache_below_a_file(w: World) -> None:
    (w.path / "file").write_text("I am a file")
    w.cache(w.path / "file" / "cache")


@case(Severity.WARNING, "cache", "cannot be created in /proc")
def cache_where_nothing_can_be_made(w: World) -> None:
    w.cache("/proc/tracea-cache")


@case(Severity.WARNING, "cache", "the file system is read-only")
def cache_read_only(w: World) -> None:
    _no_writing(w, 30)


@case(Severity.WARNING, "cache", "the disk is full")
def cache_on_a_full_disk(w: World) -> None:
    _no_writing(w, 28)


def _no_writing(w: World, number: int) -> None:
    w.cache(w.path / "cache").mkdir(mode=0o700)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    w.patch.setattr("tracea_core.diagnose.cache.tempfile.mkstemp", refuse)


@case(Severity.WARNING, "cache", "not trusted", "others may write to it")
def cache_writable_by_all(w: World) -> None:
    directory = w.cache(w.path / "cache")
    directory.mkdir()
    directory.chmod(0o777)


@case(Severity.WARNING, "cache", "not trusted", "belongs to user")
def cache_of_somebody_else(w: World) -> None:
    w.cache(w.path / "cache").mkdir(mode=0o700)
    owner = os.geteuid()
    w.patch.setattr(os, "geteuid", lambda: owner + 1)


@case(Severity.WARNING, "cache", "symbolic link that leads nowhere")
def cache_is_a_dangling_link(w: World) -> None:
    w.cache(w.path / "cache").symlink_to(w.path / "nowhere")


@case(Severity.WARNING, "cache", "1 of 2 kernels", "damaged", "tracea cache clear")
def cache_with_a_damaged_kernel(w: World) -> None:
    directory = w.cache(w.path / "cache")
    directory.mkdir(mode=0o700)
    kernels = BinaryCache(directory / "binaries")
    kernels.put("a" * 64, b"whole")
    kernels.put("b" * 64, b"broken soon")
    damaged = directory / "binaries" / ("b" * 64 + ".bin")
    damaged.write_bytes(damaged.read_bytes()[:-3])


@case(Severity.WARNING, "cache", "measurements.sqlite is damaged")
def measurements_damaged(w: World) -> None:
    directory = w.cache(w.path / "cache")
    directory.mkdir(mode=0o700)
    store = directory / "measurements.sqlite"
    store.write_bytes(b"SQLite format 3\x00 and then nothing sensible" * 100)
    store.chmod(0o600)


@case(Severity.WARNING, "cache", "only 1 MiB are free")
def cache_with_little_room(w: World) -> None:
    w.cache(w.path / "cache").mkdir(mode=0o700)
    w.patch.setattr("tracea_core.diagnose.cache._free_bytes", lambda path: 1 << 20)


@case(Severity.WARNING, "cache", "is relative")
def cache_path_is_relative(w: World) -> None:
    w.patch.chdir(w.path)
    w.cache("cache")


# ---- the process and its environment


@case(Severity.WARNING, "TRACEA_CAHCE_DIR", "nothing reads this variable", "Did you mean TRACEA_CACHE_DIR?")
def variable_misspelt(w: World) -> None:
    w.patch.setenv("TRACEA_CAHCE_DIR", "/somewhere")


@case(Severity.WARNING, "TRACEA_NUM_THREADS", "'many' is not a number of threads")
def threads_not_a_number(w: World) -> None:
    w.patch.setenv("TRACEA_NUM_THREADS", "many")


@case(Severity.WARNING, "TRACEA_NUM_THREADS", "100000 threads share")
def far_too_many_threads(w: World) -> None:
    w.patch.setenv("TRACEA_NUM_THREADS", "100000")


@case(Severity.WARNING, "TRACEA_PLUGINS", "no plugin is called cpuu", "Plugins found: good")
def plugins_variable_misspelt(w: World) -> None:
    w.site.install("good")
    w.patch.setenv("TRACEA_PLUGINS", "cpuu,good")


@case(Severity.INFO, "CUDA_VISIBLE_DEVICES", "hides every GPU")
def gpus_hidden(w: World) -> None:
    w.patch.setenv("CUDA_VISIBLE_DEVICES", "")


@case(Severity.WARNING, "TRACEA_X", "nothing reads this variable")
def variable_that_is_no_text(w: World) -> None:
    w.patch.setenv("TRACEA_X", os.fsdecode(b"\xff\xfe"))


@case(Severity.INFO, "threads", "may use 1 of 64 cores")
def one_core_left(w: World) -> None:
    w.patch.setattr(os, "cpu_count", lambda: 64)
    w.patch.setattr("tracea_core.diagnose.system._usable_cores", lambda: 1)


@case(Severity.WARNING, "system", "the number of usable cores cannot be determined")
def affinity_unknown(w: World) -> None:
    def refuse(pid: int) -> set[int]:
        raise PermissionError("seccomp")

    w.patch.setattr(os, "sched_getaffinity", refuse)


@case(Severity.WARNING, "cache", "this check itself failed", "home is gone")
def no_home(w: World) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise RuntimeError("home is gone")

    w.patch.delenv("TRACEA_CACHE_DIR", raising=False)
    w.patch.setattr("tracea_core.storage.platformdirs.user_cache_dir", refuse)


@case(Severity.OK, "devices", "good:0")
def working_directory_deleted(w: World) -> None:
    w.site.install("good")
    gone, before = w.path / "gone", Path.cwd()
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    w.cleanup.append(lambda: os.chdir(before))


@case(Severity.WARNING, "child process", "does not know its own path", "in this process instead")
def interpreter_unknown(w: World) -> None:
    w.site.install("good")
    w.patch.setattr(sys, "executable", "")


@case(Severity.WARNING, "child process", "could not start")
def interpreter_gone(w: World) -> None:
    w.site.install("good")
    w.patch.setattr(sys, "executable", "/nonexistent/python")


@case(Severity.WARNING, "child process", "exited with status 1")
def interpreter_broken(w: World) -> None:
    w.site.install("good")
    w.patch.setattr(sys, "executable", "/bin/false")


@pytest.mark.parametrize("broken", CASES, ids=lambda broken: broken.name)
def test_a_report_comes_back_and_says_it(
    broken: Case,
    site: Any,
    says: Callable[[DoctorReport, Severity, str, tuple[str, ...]], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in os.environ if name.startswith("TRACEA_") or name.endswith("_VISIBLE_DEVICES")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path / "untouched"))
    world = World(site, tmp_path, monkeypatch)
    try:
        broken.break_it(world)
        report = diagnose(limit_s=world.limit_s, manager=world.manager or site.manager(), packages=world.packages)
    finally:
        for step in world.cleanup:
            step()
    says(report, broken.severity, broken.subject, broken.words)


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 35 and len({entry.name for entry in CASES}) == len(CASES)
