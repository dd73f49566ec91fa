# SPDX-License-Identifier: MIT
"""Launches that are known: which are not repeated, and everything that decides an outcome makes another launch."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import tracea_core
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing import execute, executions
from tracea_core.testing.cases import Case, gemm
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.executions import Executions
from tracea_core.testing.simt import find_compiler
from tracea_core.testing.simt.program import SimtProgram
from tracea_core.testing.simt.runtime import emulated
from tracea_core.testing.subject import Subject, Walked, subjects

CONFIG = PipelineConfig(tile_m=32, tile_n=32, tile_k=16, stages=2, warps=2, vector_a=4, vector_b=4, vector_c=1)
CORE = Path(tracea_core.__file__).parent
COMPUTED_BEFORE = (
    "ops/", "data.py", "errors.py", "target.py", "testing/subject.py", "testing/errors.py", "semantic/kernel.py", "policy/config.py",
)  # fmt: skip
"""What makes values that are in a launch's name, hands them on, or says the header that is left out."""
CACHED = ("runtime/cache.py", "storage.py", "environment.py")

pytestmark = pytest.mark.toolchain


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is launched, as it is."""
    found: list[str] = []
    launch = SimtProgram.launch

    def counted(program: SimtProgram, *given: Any, **more: Any) -> Any:
        found.append(program.entry)
        return launch(program, *given, **more)

    monkeypatch.setattr(SimtProgram, "launch", counted)
    return found


def metal() -> BackendManifest:
    try:
        find_compiler()
        found: BackendManifest = importlib.import_module("tracea_metal.plugin").tracea_register_backend()
    except (BackendUnavailableError, ImportError) as error:
        pytest.skip(str(error))
    return found


def walked(path: Path, seed: int = 1, shape: tuple[int, int, int] = (33, 40, 40)) -> tuple[Subject, Walked]:
    """A product in the emulator, by processes that have read nothing of the file yet."""
    executions._read.cache_clear()
    on_m1 = emulated(metal(), "m1", seed, Executions(path))
    subject = next(one for one in subjects(on_m1) if one.variant.name.endswith("simdgroup_fp32"))
    return subject, subject.walk(Case("product", gemm(shape, DType.FP32, "nt")), CONFIG)


def test_a_known_launch_is_not_repeated_and_its_report_is(tmp_path: Path, launches: list[str]) -> None:
    path = tmp_path / "known.jsonl"
    subject, product = walked(path)
    execute.check_run(subject, product)
    first = subject.runtime().reports[-1]  # type: ignore[attr-defined]
    assert len(launches) == 1
    for _ in range(2):
        subject, product = walked(path)
        execute.check_run(subject, product)
        again = subject.runtime().reports[-1]  # type: ignore[attr-defined]
        assert again.counts == first.counts and again.accesses == first.accesses > 0 and not again.findings
    assert len(launches) == 1 and not subject._compiled, "neither compiled nor launched"


def test_another_header_names_the_same_launch(tmp_path: Path, launches: list[str]) -> None:
    """A proof that another version of the verifier words otherwise changes the text's comments alone."""
    subject, product = walked(tmp_path / "known.jsonl")
    execute.check_run(subject, product)
    first, *rest = product.certificate.proofs
    other = product.certificate.replace(proofs=(first.replace(property="proved otherwise"), *rest))
    text = product.source.text.replace(product.certificate.digest(), other.digest()).replace(
        first.property, "proved otherwise", 1
    )
    renamed = product.source.replace(text=text, certificate=other.digest())
    assert text != product.source.text
    execute.check_run(subject, dataclasses.replace(product, certificate=other, source=renamed))
    assert len(launches) == 1


@pytest.mark.parametrize("what", ["text", "seed", "numbers", "symbols", "shape", "emulator", "comparison", "bound"])
def test_whatever_decides_an_outcome_makes_another_launch(
    what: str, tmp_path: Path, launches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "known.jsonl"
    subject, product = walked(path)
    execute.check_run(subject, product)
    subject, product = walked(
        path, seed=2 if what == "seed" else 1, shape=(33, 41, 40) if what == "shape" else (33, 40, 40)
    )
    if what == "text":
        text = product.source.text.replace("kernel void", "/* another text */ kernel void")
        product = dataclasses.replace(product, source=product.source.replace(text=text))
    elif what == "numbers":
        monkeypatch.setattr(Subject, "random", lambda subject, case: np.random.default_rng(5))
    elif what == "symbols":
        product = dataclasses.replace(product, symbols={**product.symbols, "told_besides": 1})
    elif what == "emulator":
        monkeypatch.setattr(executions, "SOURCES", executions.SOURCES[:-1])
        executions._sources.cache_clear()
    elif what == "comparison":
        monkeypatch.setattr(executions, "agrees", lambda actual, expected, bound: True)
        executions._sources.cache_clear()
    elif what == "bound":
        bound = execute.tolerance
        monkeypatch.setattr(execute, "tolerance", lambda *given: bound(*given) / 2)
    execute.check_run(subject, product)
    executions._sources.cache_clear()
    assert len(launches) == 2


def test_a_launch_that_ends_badly_is_never_known(tmp_path: Path, launches: list[str]) -> None:
    path = tmp_path / "known.jsonl"
    for expected in (1, 2):
        subject, product = walked(path)
        text = product.source.text.replace("sums[0] = total", "sums[0] = 2.0f * total")
        assert text != product.source.text
        with pytest.raises(ConformanceError, match="elements are wrong"):
            execute.check_run(subject, dataclasses.replace(product, source=product.source.replace(text=text)))
        assert len(launches) == expected


def test_lines_of_other_kinds_and_half_written_ones_are_passed_over(tmp_path: Path, launches: list[str]) -> None:
    path = tmp_path / "known.jsonl"
    path.write_text('{"sources": "some", "check": "\\"execution\\""}\n{"execution": "abc", "bank_con\n')
    subject, product = walked(path)
    execute.check_run(subject, product)
    subject, product = walked(path)
    execute.check_run(subject, product)
    assert len(launches) == 1


def test_what_is_executed_is_in_the_name(tmp_path: Path) -> None:
    """Every file of core that runs from the text to the comparison is one of `SOURCES`, or made values that are in the name."""
    subject, product = walked(tmp_path / "known.jsonl")
    subject.runtime()
    seen = set[str]()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(CORE)):
            seen.add(Path(frame.f_code.co_filename).relative_to(CORE).as_posix())

    sys.setprofile(note)
    try:
        execute.check_run(subject, product)
    finally:
        sys.setprofile(None)
    assert {"testing/simt/program.py", "testing/execute.py"} <= seen
    beyond = {name for name in seen if not name.startswith((*executions.SOURCES, *COMPUTED_BEFORE, *CACHED))}
    assert not beyond
    assert "ops/tolerance.py" in seen and inspect.getsource(executions.agrees)
    assert all((CORE / name).exists() for name in executions.SOURCES)
