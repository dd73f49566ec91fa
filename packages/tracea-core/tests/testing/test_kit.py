# SPDX-License-Identifier: MIT
"""The kit passes a correct backend and finds every planted bug, in the check that is about it and in words that name it."""

from __future__ import annotations

import ctypes
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tracea_core.doctor.requirements import RequiresOps
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CertificationError, CompileError, EmitError, ScheduleError
from tracea_core.plugin.manifest import BackendManifest, ProbeReport
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Load
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import Target
from tracea_core.testing import checks, null, subject
from tracea_core.testing.cases import Case, gemm
from tracea_core.testing.edit import edited
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.null import null_backend
from tracea_core.testing.subject import Subject, Unserved

FP32 = "null:0/null.contraction.fp32"
CASE = f"{FP32}/gemm-fp32-13x29x17"
M, N = 13, 29


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


# ---- emitters


def emitting(change: Callable[[KernelSource], KernelSource]) -> BackendManifest:
    return null_backend(emitters={"contraction": lambda kernel, certificate: change(null.emit(kernel, certificate))})


def test_sources_that_break_their_promise() -> None:
    calls = itertools.count()
    for change, told in (
        (
            lambda s: s.replace(text=f"{s.text}; {next(calls)}\n"),
            "same bytes every time\nline .*first:  ; .\n.*second: ; ",
        ),
        (
            lambda s: s.replace(text=s.text.replace("certificate ", "proof ", 1)),
            "opens with its header.*\n; tracea: matmul",
        ),
        (lambda s: s.replace(entry="of_no_text"), "entry point stands in the text"),
        (lambda s: s.replace(parameters=s.parameters[::-1]), "KernelSource.parameters is the kernel's own"),
        (lambda s: s.replace(kernel_digest="0" * 64), "KernelSource.kernel_digest"),
        (lambda s: s.text, "returned a str, not a KernelSource"),
    ):
        broken(emitting(change), CASE, told)


def test_an_emitter_that_prints_anything_for_any_certificate() -> None:
    def trusting(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
        honest = Certificate(kernel.digest(), certificate.proofs)
        source = null.emit(kernel, honest)
        return source.replace(certificate=certificate.digest())

    broken(null_backend(emitters={"contraction": trusting}), CASE, r"refuses a certificate.*certificate\.require")


def test_an_emitter_that_refuses_a_certified_kernel() -> None:
    def refusing(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
        raise EmitError("no loops in this language")

    broken(null_backend(emitters={"contraction": refusing}), CASE, "EmitError: no loops in this language")


def forgetful(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """An emitter that decides the unrolling itself."""
    source = null.emit(kernel, certificate)
    head, body = source.text.rsplit("\n", 2)[:2]

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: without(item) for key, item in value.items() if key != "unroll"}
        return [without(item) for item in value] if isinstance(value, list) else value

    return source.replace(text=f"{head}\n{json.dumps(without(json.loads(body)))}\n")


def test_an_emitter_that_decides_something_itself() -> None:
    with pytest.raises(ConformanceError) as caught:
        check(null_backend(emitters={"contraction": forgetful}), f"{CASE}/mutants")()
    silent = [line.strip() for line in str(caught.value).splitlines() if line.startswith("  ")]
    assert silent and all("unroll" in line for line in silent)


def test_an_emitter_that_drops_guards() -> None:
    """Certification refuses each kernel without one, so that nothing excuses a text that does not change."""

    def careless(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
        source = null.emit(kernel, certificate)
        head, body = source.text.rsplit("\n", 2)[:2]

        def without(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: without(item) for key, item in value.items() if key not in ("guard", "fill")}
            return [without(item) for item in value] if isinstance(value, list) else value

        return source.replace(text=f"{head}\n{json.dumps(without(json.loads(body)))}\n")

    broken(null_backend(emitters={"contraction": careless}), f"{CASE}/mutants", "guard without 0")


def test_a_guard_that_always_holds_need_not_be_printed() -> None:
    (one,) = (one for one in subject.subjects(null_backend()) if one.name == FP32)
    walked = one.walk(next(case for case in one.cases() if case.name == CASE.rpartition("/")[2]))
    bare = edited(walked.kernel, lambda node: node.replace(guard=()) if isinstance(node, Load) else node)
    assert checks._says_nothing("Load a: guard without 1", walked.kernel, one, walked)
    assert checks._says_nothing("Load a: fill + 1", walked.kernel, one, walked)
    assert not checks._says_nothing("Load a: guard without 0", bare, one, walked), "this one is needed"
    assert not checks._says_nothing("Loop k: unroll + 1", walked.kernel, one, walked), "not about a guard"


def knows_one(error: Exception) -> Callable[[SemanticKernel, Certificate], KernelSource]:
    """An emitter that prints the first kernel it sees, and raises `error` for any other."""
    known: list[SemanticKernel] = []

    def emit(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
        known.append(kernel)
        if kernel != known[0]:
            raise error
        return null.emit(kernel, certificate)

    return emit


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KeyError("unroll"), "makes it fail: KeyError"),
        (EmitError("I know one kernel"), "an emitter prints what it can"),
    ],
    ids=["stumbles", "refuses all"],
)
def test_an_emitter_that_knows_one_kernel(error: Exception, told: str) -> None:
    broken(null_backend(emitters={"contraction": knows_one(error)}), f"{CASE}/mutants", told)


HASHING = """
from tracea_core.testing import null

def emit(kernel, certificate):
    source = null.emit(kernel, certificate)
    return source.replace(text=source.text + f"; {hash(kernel.name)}\\n")

def plain(kernel, certificate):
    return null.emit(kernel, certificate)
"""


def test_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted_emitters.py").write_text(HASHING)
    monkeypatch.syspath_prepend(str(tmp_path))
    planted = pytest.importorskip("planted_emitters")
    (few,) = null.variants(null.PROFILE)[2:]  # the variant with the fewest cases
    name = f"null:0/{few.name}/another-process"

    def backend(emitter: Any) -> BackendManifest:
        return null_backend(variants=lambda profile: (few,), emitters={"contraction": emitter})

    check(backend(planted.plain), name)()
    broken(backend(planted.emit), name, r"same bytes in every process.*gemm.*hash\(\)")
    broken(backend(lambda kernel, certificate: null.emit(kernel, certificate)), name, "top of a module")


# ---- runtimes


class Meddling:
    """The null runtime, with something done around each launch."""

    device, toolchain = "null:0", "broken"

    def __init__(self, meddle: Callable[..., None], memory: str = "host") -> None:
        self.meddle, self.memory, self.source = meddle, memory, None

    def compile(self, source: KernelSource) -> Meddling:
        self.kernel = null.NullKernel(source)
        return self

    def prepare(self, symbols: Mapping[str, int]) -> Callable[..., None]:
        launch = self.kernel.prepare(symbols)
        return lambda *pointers, stream=0: self.meddle(launch, symbols, *pointers)


def floats(address: int, count: int) -> Any:
    return (ctypes.c_float * count).from_address(address)


def off(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
    launch(a, b, out)
    floats(out, M * N)[N + 3] *= 1.0 + 2.0**-12


def skip(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
    held = bytes((ctypes.c_uint8 * 4).from_address(out + 4 * (M * N - 1)))
    launch(a, b, out)
    ctypes.memmove(out + 4 * (M * N - 1), held, 4)


def beyond(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
    launch(a, b, out)
    floats(out, M * N + 1)[M * N] = 1.0


def meddle(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
    launch(a, b, out)
    floats(a, 1)[0] += 1.0


def give_up(launch: Any, symbols: Any, *pointers: int) -> None:
    raise BackendUnavailableError("the device is gone")


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (off, r"1 of 377 elements are wrong.*GemmOp(.|\n)*\(1, 3\): got .* expected .* within (.|\n)*1 to 1, 3 to 3"),
        (skip, r"\(12, 28\): nobody wrote it"),
        (beyond, r"nothing beside them.*byte=1508"),
        (meddle, "changes nothing but its output.*input0"),
        (give_up, "BackendUnavailableError: the device is gone"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_runtimes_that_break_their_promise(fault: Callable[..., None], told: str) -> None:
    broken(null_backend(open_runtime=lambda device: Meddling(fault)), CASE, told)


def test_a_runtime_that_works_only_undivided() -> None:
    def alone(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
        if symbols["row_splits"] == 1:
            launch(a, b, out)

    manifest = null_backend(open_runtime=lambda device: Meddling(alone))
    check(manifest, CASE)()
    broken(manifest, f"{FP32}/gemm-fp32-70x131x33/divided", "nobody wrote it")


def test_memory_of_a_device_that_pytorch_does_not_know_is_skipped() -> None:
    with pytest.raises(Unserved, match="memory of null:0 is reached through PyTorch"):
        check(null_backend(open_runtime=lambda device: Meddling(off, "device")), CASE)()


def test_binaries() -> None:
    name = f"{FP32}/gemm-fp32-1x1x1/binary"
    assert name not in NAMES
    check(null_backend(compile_binary=lambda source: b"\x7fELF"), name)()
    broken(null_backend(compile_binary=lambda source: b""), name, "returns bytes")

    def missing(source: KernelSource) -> bytes:
        raise BackendUnavailableError("no compiler here")

    with pytest.raises(Unserved, match="no compiler here"):
        check(null_backend(compile_binary=missing), name)()


def test_a_binary_is_that_of_the_configuration_a_call_would_take() -> None:
    name, texts = f"{FP32}/gemm-fp32-1x1x1/binary", list[str]()

    def first_spills(source: KernelSource) -> bytes:
        texts.append(source.text)
        if source.text == texts[0]:
            raise ScheduleError("it spills")
        return b"\x7fELF"

    check(null_backend(compile_binary=first_spills), name)()
    assert len(set(texts)) == 2

    def spills(source: KernelSource) -> bytes:
        raise ScheduleError(f"{source.text_digest} spills")

    def rejects(source: KernelSource) -> bytes:
        texts.append(source.text)
        raise CompileError("a word is unknown")

    broken(null_backend(compile_binary=spills), name, "ScheduleError.*spills")
    texts.clear()
    broken(null_backend(compile_binary=rejects), name, "CompileError.*a word is unknown")
    assert len(texts) == 1, "a text that is rejected is no matter of its configuration"


def test_a_run_is_that_of_the_configuration_a_call_would_take() -> None:
    class Spilling(Meddling):
        def compile(self, source: KernelSource) -> Any:
            texts.append(source.text)
            if source.text == texts[0]:
                raise ScheduleError("it spills")
            return super().compile(source)

    texts = list[str]()
    check(null_backend(open_runtime=lambda device: Spilling(lambda launch, symbols, *given: launch(*given))), CASE)()
    assert len(set(texts)) == 2


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
