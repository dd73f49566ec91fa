# SPDX-License-Identifier: MIT
"""A known plan is found before anything is built; what decides it is in its name, and what is damaged or foreign is made again."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import CacheMissError, CompileError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import configure, known, path, plan, runtimes, trace
from tracea_core.pipeline.known import Known, plan_key
from tracea_core.plugin import manager as managers
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.select import Selection
from tracea_core.testing.null import null_backend
from tracea_core.tuner.additions import written
from tracea_core.tuner.store import MeasurementStore


def gemm(m: int = 5) -> Problem:
    t = TensorSpec.contiguous
    return Problem(GemmOp(m, 30, 7), (t((m, 7), DType.FP32), t((7, 30), DType.FP32)), t((m, 30), DType.FP32))


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[BackendManifest], Selection]]:
    """Let a manifest serve every call, with stores and caches of its own."""
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    # In a checkout, files may be written while tests run; what these tests store they do not keep.
    monkeypatch.setattr(known, "_BEGAN", sys.maxsize)
    another_process()

    def install(manifest: BackendManifest) -> Selection:
        selection = Selection(manifest.probe().devices[0], manifest)
        monkeypatch.setattr(path, "resolve", lambda *a, **k: selection)
        monkeypatch.setattr(runtimes, "plugins", lambda: SimpleNamespace(manifest=lambda name: manifest))
        return selection

    yield install
    another_process()
    managers.reset_plugins()


def another_process() -> None:
    """Forget all that a process keeps in memory."""
    runtimes.forget()
    configure.store.cache_clear()
    configure.forget_lock_file()
    path._certificate_cache.cache_clear()
    path._certificates.clear()
    known._stamp.cache_clear()


def building(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count kernels that are built from here on."""
    built: list[str] = []
    build = path.build

    def counted(*arguments: Any) -> Any:
        built.append("a kernel")
        return build(*arguments)

    monkeypatch.setattr(path, "build", counted)
    return built


def test_a_known_plan_builds_nothing_until_somebody_looks(use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(null_backend())
    built = building(monkeypatch)
    first = plan(gemm())
    assert len(built) == 1 and first.known is not None and first.path.kernel.name
    for forgotten in (False, True):
        if forgotten:
            another_process()
        second = plan(gemm())
        assert len(built) == 1
        assert second.known == first.known and second.operands == first.operands
        assert type(second.launch) is type(first.launch)
    assert second.path.kernel == first.path.kernel and second.path.certificate == first.path.certificate
    assert len(built) == 2
    assert second.path is second.path


@pytest.mark.parametrize("damage", ["cut", "other", "certificate", "text"])
def test_what_is_damaged_or_foreign_is_made_again(use: Any, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    use(null_backend())
    first, stranger = plan(gemm()), plan(gemm(64))
    assert first.known is not None and stranger.known is not None
    (step,), (other,) = first.known.steps, stranger.known.steps
    proofs = step.certificate.replace(proofs=step.certificate.proofs[1:])
    wrong: dict[str, bytes] = {
        "cut": first.known.to_json().encode()[:-9],
        "other": b'{"kernel": "other", "proofs": []}',
        "certificate": Known((step.replace(certificate=proofs),), {}, ()).to_json().encode(),
        "text": Known((step.replace(source=other.source.replace(kernel_digest="0" * 64)),), {}, ()).to_json().encode(),
    }
    cache = path.certificate_cache()
    stored = cache.keys()
    for key in stored:
        cache.put(key, wrong[damage])
    another_process()
    built = building(monkeypatch)
    assert plan(gemm()).known == first.known and built
    another_process()
    built.clear()
    assert plan(gemm()).known == first.known and not built


def test_bits_that_flip_on_disk_are_noticed(use: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(null_backend())
    first = plan(gemm())
    files = list((tmp_path / "binaries").rglob("*.bin"))
    assert files
    for file in files:
        content = bytearray(file.read_bytes())
        content[-7] ^= 4
        file.write_bytes(content)
    another_process()
    built = building(monkeypatch)
    assert plan(gemm()).known == first.known and built


_FIRST_PLAN = """
import json, sys
from types import SimpleNamespace
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import path, plan, runtimes
from tracea_core.pipeline.known import plan_key, recall
from tracea_core.plugin.select import Selection
from tracea_core.testing.null import null_backend

t = TensorSpec.contiguous
problem = Problem(GemmOp(5, 30, 7), (t((5, 7), DType.FP32), t((7, 30), DType.FP32)), t((5, 30), DType.FP32))
manifest = null_backend()
selection = Selection(manifest.probe().devices[0], manifest)
path.resolve = lambda *a, **k: selection
runtimes.plugins = lambda: SimpleNamespace(manifest=lambda name: manifest)
if len(sys.argv) > 1:
    plan(problem)
else:
    runtimes.runtime(selection.target.backend, selection.target.device)
    before, touched = set(sys.modules), []
    sys.addaudithook(lambda name, given: touched.append((name, str(given[0]))) if name in ("open", "os.scandir") else None)
    key = plan_key(problem, selection, None)
    found = None if key is None else recall(key, path.certificate_cache())
    print(json.dumps([key is not None, found is not None, touched[:], sorted(set(sys.modules) - before)]))
"""


def test_the_first_plan_of_a_process_reads_its_entry_and_nothing_else(tmp_path: Path) -> None:
    """Classes are known to the decoder and core's files looked at when the module is imported, not when a plan is asked for."""
    environment = {**os.environ, "TRACEA_CACHE_DIR": str(tmp_path / "cache")}
    told = ""
    for more in (["store"], []):
        command = [sys.executable, "-c", _FIRST_PLAN, *more]
        told = subprocess.run(command, env=environment, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    named, found, touched, imported = json.loads(told.splitlines()[-1])
    if not named:
        pytest.skip("a file of core was written while this process began")
    assert found and not imported
    assert [Path(name).suffix for event, name in touched if not name.isdecimal()] == [
        ".bin"
    ]  # a number is one that is open


def test_whatever_decides_a_plan_is_in_its_name(use: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    manifest = null_backend()
    selection = use(manifest)
    configuration = trace(gemm()).configuration

    usual_problem = gemm()

    def name(problem: Problem = usual_problem, manifest: BackendManifest = manifest, given: Any = None) -> str:
        found = plan_key(problem, Selection(selection.target, manifest), given)
        assert found is not None
        return found

    usual = name()
    assert usual == name()
    kernels = dict(manifest.emitters)
    other: Any = written  # a function of core; it is named, not called
    names = [
        name(gemm(6)), name(gemm().replace(options=gemm().options.replace(alignment=4))), name(given=configuration),
        name(given=configuration.replace(tile_m=2)), name(manifest=dataclasses.replace(manifest, version="9.9")),
        name(manifest=dataclasses.replace(manifest, emitters={**kernels, "contraction": other})),
    ]  # fmt: skip
    profile = selection.target.profile.replace(name="another")
    elsewhere = plan_key(gemm(), Selection(selection.target.replace(profile=profile), manifest), None)
    assert elsewhere is not None
    names.append(elsewhere)
    with monkeypatch.context() as patch:
        patch.setattr(known, "measured_state", lambda: "since")
        names.append(name())
    with monkeypatch.context() as patch:
        patch.setattr(known, "lock_file", lambda: SimpleNamespace(to_json=lambda: "pins"))
        names.append(name())
    with monkeypatch.context() as patch:
        patch.setattr(known, "_stamp", lambda package: "other code")
        names.append(name())
    assert len({usual, *names}) == 1 + len(names)


def test_a_known_plan_names_the_code_of_the_printer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    printer = dataclasses.replace(null_backend(), libraries=("a_printer",))
    monkeypatch.setattr(known, "_stamp", lambda package: f"{package} as it is")
    first = known._code_of(printer)
    monkeypatch.setattr(
        known, "_stamp", lambda package: f"{package} {'changed' if package == 'a_printer' else 'as it is'}"
    )
    assert None is not known._code_of(printer) != first is not None
    assert "a_printer" not in str(known._code_of(null_backend()))


def test_a_measurement_changes_what_is_known(tmp_path: Path) -> None:
    place = tmp_path / "m.sqlite"
    before = written(place)
    store = MeasurementStore(place)
    opened = written(place)
    MeasurementStore(place)
    assert opened != before and written(place) == opened, "whoever opens it adds nothing"
    store.load(os.devnull)
    assert written(place) != opened


def test_code_is_named_by_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "stamped"
    (package / "inner").mkdir(parents=True)
    for place in (package / "__init__.py", package / "inner" / "text.py"):
        place.write_text("one = 1\n")
        os.utime(place, ns=(10**18, 10**18))
    module = ModuleType("stamped")
    module.__file__ = str(package / "__init__.py")
    monkeypatch.setitem(sys.modules, "stamped", module)

    def stamp() -> str | None:
        known._stamp.cache_clear()
        return known._stamp("stamped")

    first = stamp()
    assert first is not None and first == stamp()
    (package / "inner" / "text.py").write_text("two = 2\n")
    os.utime(package / "inner" / "text.py", ns=(10**18 + 1, 10**18 + 1))
    second = stamp()
    assert second not in (None, first)
    late = time.time_ns() + 10**12
    os.utime(package / "inner" / "text.py", ns=(late, late))
    assert stamp() is None, "this process may run what the file held before"
    assert known._stamp("no such package") is None
    known._stamp.cache_clear()


def test_presets_and_code_in_no_file_have_no_name(use: Any) -> None:
    selection = use(null_backend())
    target = selection.target.replace(device="preset:avx2")
    assert plan_key(gemm(), Selection(target, selection.manifest), None) is None

    def broken(device: str) -> Any:
        raise ZeroDivisionError("nobody asked")

    unopened = dataclasses.replace(selection.manifest, emitters={}, open_runtime=broken)
    assert plan_key(gemm(), Selection(selection.target, unopened), None) is None
    space: dict[str, Any] = {"__name__": "nowhere_at_all"}
    exec("def variants(profile): return ()", space)
    manifest = dataclasses.replace(selection.manifest, variants=space["variants"])
    assert plan_key(gemm(), Selection(selection.target, manifest), None) is None


def test_a_known_plan_that_the_compiler_refuses_is_made_again(use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(null_backend())
    first = plan(gemm())
    plans = sys.modules["tracea_core.pipeline.plan"]
    launching = plans._launching
    refused: list[int] = []

    def once(*arguments: Any) -> Any:
        if not refused:
            refused.append(1)
            raise CompileError("the assembler spills")
        return launching(*arguments)

    monkeypatch.setattr(plans, "_launching", once)
    built = building(monkeypatch)
    assert plan(gemm()).known == first.known and built and refused


def test_a_plan_that_nobody_made_is_refused_where_only_known_ones_may_run(
    use: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(null_backend())
    monkeypatch.setenv("TRACEA_ASSERT_CACHE_HIT", "1")
    built = building(monkeypatch)
    with pytest.raises(CacheMissError, match=r"no plan of GemmOp is in the cache.*inputs=\['fp32 \(5, 7\)'"):
        plan(gemm())
    assert not built
    monkeypatch.setenv("TRACEA_ASSERT_CACHE_HIT", "0")
    plan(gemm())
    monkeypatch.setenv("TRACEA_ASSERT_CACHE_HIT", "1")
    another_process()
    assert plan(gemm()).known is not None and len(built) == 1
    with pytest.raises(CacheMissError):
        plan(gemm(64))
