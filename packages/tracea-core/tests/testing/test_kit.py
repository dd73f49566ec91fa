# SPDX-License-Identifier: MIT
"""The kit passes a correct backend and finds every planted bug, in the check that is about it and in words that name it."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracea_core.doctor.requirements import RequiresOps
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.plugin.manifest import ProbeReport
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import Target
from tracea_core.testing import checks, null, subject
from tracea_core.testing.cases import Case, gemm
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.null import null_backend
from tracea_core.testing.subject import Subject, Unserved

FP32 = "null:0/null.contraction.fp32"
CASE = f"{FP32}/gemm-fp32-13x29x17"


def check(manifest: Any, name: str) -> Check:
    (found,) = [one for one in collect(manifest) if one.name == name]
    return found


def broken(manifest: Any, name: str, told: str) -> None:
    """The check called `name` fails, and says `told`."""
    with pytest.raises(ConformanceError, match=told):
        check(manifest, name)()


# ---- what is right passes


NAMES = [one.name for one in collect(null_backend())]


@pytest.mark.parametrize(
    "name", [n for n in NAMES if not n.startswith("null:0/") or (n.startswith(FP32) and "another" not in n)]
)
def test_the_reference_backend_conforms(name: str) -> None:
    check(REFERENCE, name)()


REFERENCE = null_backend()


def test_names_are_unique_and_every_variant_is_examined() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for word in ("fp32", "fp64", "int32"):
        assert sum(name.startswith(f"null:0/null.contraction.{word}/") for name in NAMES) > 20


# ---- manifest, probe, variants


def test_a_manifest_for_another_interface() -> None:
    broken(null_backend(plugin_api=(2, 0)), "manifest", "the majors must be equal")
    broken({"name": "null"}, "manifest", "returns a BackendManifest.*dict")


def test_probes_that_break_their_promise() -> None:
    def crash() -> ProbeReport:
        raise OSError("no driver")

    elsewhere = ProbeReport((Target("cuda", "cuda:0", null.PROFILE),))
    preset = ProbeReport((Target("null", "preset:null", null.PROFILE),))
    guessed = ProbeReport((Target("null", "null:0", null.PROFILE.replace(probed=False)),))
    reports = itertools.cycle([null.probe(), ProbeReport()])
    for probe, told in (
        (crash, "never raises.*first call: OSError: no driver.*Finding"),
        (lambda: None, "returns a ProbeReport.*NoneType"),
        (lambda: next(reports), "two probes of one machine"),
        (lambda: elsewhere, "its own backend.*cuda:0"),
        (lambda: preset, "presets belong to core"),
        (lambda: guessed, "probed=True"),
    ):
        broken(null_backend(probe=probe), "probe", told)


def test_variants_that_break_their_promise() -> None:
    (first, *_) = null.variants(null.PROFILE)
    calls = itertools.count()

    def one(**changes: Any) -> Callable[[Any], Any]:
        return lambda profile: (first.replace(**changes),)

    for variants, told in (
        (lambda profile: (first.replace(priority=next(calls) % 90),), "is pure"),
        (lambda profile: [first], "returns a tuple"),
        (lambda profile: (first, first), "a name of its own"),
        (one(backend="other", name="other.contraction"), "named after its backend"),
        (one(schedule="spiral"), "schedule is one of core's.*spiral"),
        (one(instruction="warp_drive_3"), "names an instruction without lane maps.*warp_drive_3"),
        (one(family="rowwise"), "has an emitter.*rowwise"),
    ):
        broken(null_backend(variants=variants), "null:0/variants", told)

    def own_only(profile: Any) -> Any:
        return {null.PROFILE.name: null.variants(profile)}[profile.name]

    broken(null_backend(variants=own_only), "variants/any-profile", r"raised for .*KeyError.*Return an empty tuple")
    picky = null_backend(variants=one(requirements=(RequiresOps(("SoftmaxOp",)),)))
    broken(picky, f"{FP32}/serves", "takes at least one")
    with pytest.raises(Unserved, match="no variant runs GemmOp"):
        check(picky, CASE)()


# ---- published devices


def test_without_a_device_text_is_examined_for_published_profiles() -> None:
    def variants(profile: Any) -> Any:
        return tuple(v.replace(backend="cpu", name=v.name.replace("null", "cpu")) for v in null.variants(profile))

    manifest = null_backend(name="cpu", probe=ProbeReport, variants=variants)
    names = [one.name for one in collect(manifest)]
    assert any(name.startswith("preset:") and name.endswith("mutants") for name in names)
    assert not any(name.endswith("divided") for name in names)
    check(manifest, next(name for name in names if name.endswith("gemm-fp32-1x1x1")))()


def test_a_variant_of_a_published_profile_may_take_cases_that_are_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every fifth text is examined there, and a variant of few cases takes none of those."""
    manifest = null_backend()
    (variant,) = (one for one in manifest.variants(null.PROFILE) if one.name.endswith("fp32"))
    other, taken = (Case(dtype.value, gemm((4, 5, 6), dtype, "nn")) for dtype in (DType.FP64, DType.FP32))
    published = Subject(manifest, Target("null", "preset:any", null.PROFILE), variant)
    monkeypatch.setattr(subject, "cases", lambda _: (other, taken))
    assert published.cases() == (other,)
    checks.check_serves(published)
    monkeypatch.setattr(subject, "cases", lambda _: (other, other.replace(name="m")))
    with pytest.raises(ConformanceError, match="takes at least one"):
        checks.check_serves(Subject(manifest, published.target, variant))


# ---- under pytest

THREE_LINES = """
from tracea_core.testing import conformance
from planted_backend import tracea_register_backend
test_conformance = conformance(tracea_register_backend())
"""
PLANTED = """
from tracea_core.testing.null import null_backend, emit
def headless(kernel, certificate):
    return emit(kernel, certificate).replace(text="{}")
def tracea_register_backend():
    return null_backend(emitters={"contraction": %s})
"""


@pytest.mark.parametrize(
    ("emitter", "code", "told"), [("emit", 0, "2 passed"), ("headless", 1, "a source opens with its header")]
)
def test_three_lines_are_a_test(tmp_path: Path, emitter: str, code: int, told: str) -> None:
    (tmp_path / "test_backend.py").write_text(THREE_LINES)
    (tmp_path / "planted_backend.py").write_text(PLANTED % emitter)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "manifest or gemm-fp64-1x1x1",
        "test_backend.py",
    ]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert result.returncode == code and told in result.stdout, result.stdout + result.stderr
    assert "Traceback" not in result.stdout


def test_the_null_backend_refuses_what_its_contract_forbids() -> None:
    kernel = check(REFERENCE, CASE)  # walked below, through the same way as the kit
    kernel()
    subject = kernel.run.args[0]
    walked = subject.walk(kernel.run.args[1])
    with pytest.raises(CertificationError):
        null.emit(walked.kernel, Certificate("0" * 64, ()))
    compiled = null.NullRuntime().compile(walked.source)
    with pytest.raises(Exception, match="missing or outside its domain"):
        compiled.prepare({})
