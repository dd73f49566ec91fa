# SPDX-License-Identifier: MIT
"""Emitters that break their promise are found: by their text, by mutants of what they print, and in another process."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.errors import EmitError
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Load
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.testing import checks, null, subject
from tracea_core.testing.edit import edited
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.null import null_backend

FP32 = "null:0/null.contraction.fp32"
CASE = f"{FP32}/gemm-fp32-13x29x17"


def check(manifest: Any, name: str) -> Check:
    (found,) = [one for one in collect(manifest) if one.name == name]
    return found


def broken(manifest: Any, name: str, told: str) -> None:
    """The check called `name` fails, and says `told`."""
    with pytest.raises(ConformanceError, match=told):
        check(manifest, name)()


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
