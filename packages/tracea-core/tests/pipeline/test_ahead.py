# SPDX-License-Identifier: MIT
"""Kernels made ahead by workers: planning finds certificates and binaries in the caches, and what is wrong gets no certificate."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import CertificationError, MalformedDataError, ScheduleError
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import ahead, path, runtimes, trace
from tracea_core.pipeline.ahead import Ahead, Draft, drafts, make, others_of
from tracea_core.pipeline.configure import replacements
from tracea_core.semantic.kernel import SemanticKernel

DEVICE = "preset:avx2"


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path))
    path._certificate_cache.cache_clear()
    runtimes._lost.cache_clear()
    monkeypatch.setattr(path, "_certificates", {})
    yield
    path._certificate_cache.cache_clear()
    runtimes._lost.cache_clear()


def gemm(m: int = 24, n: int = 32, k: int = 40) -> Problem:
    t = TensorSpec.contiguous
    return Problem(GemmOp(m, n, k), (t((m, k), DType.FP32), t((k, n), DType.FP32)), t((m, n), DType.FP32))


def test_a_worker_proves_what_planning_then_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    (draft,) = drafts(gemm(), DEVICE)
    assert Draft.from_json(draft.to_json()) == draft
    with Ahead([(draft,), (draft,), ()], processes=1) as made:
        assert made.wait(0) and made.wait(1) and made.wait(2)
    assert drafts(gemm(), DEVICE) == (), "it is certified now"
    monkeypatch.setattr("tracea_core.semantic.verify.certify.certify", lambda *_: pytest.fail("it was proved again"))
    monkeypatch.setattr(path, "_printed", lambda *_: pytest.fail("it was printed again"))
    found = trace(gemm(), DEVICE)
    assert found.kernel.to_json() == draft.kernel and found.source is not None
    monkeypatch.undo()
    monkeypatch.setattr(path, "_sources", {})
    assert trace(gemm(), DEVICE).source == found.source, "what a worker prints is what is printed here"


@pytest.mark.parametrize("said", [None, 3, ["{"], [3], ["{}"]])
def test_an_answer_that_is_no_text_is_printed_again(monkeypatch: pytest.MonkeyPatch, said: object) -> None:
    (draft,) = drafts(gemm(), DEVICE)
    monkeypatch.setattr(path, "_sources", {})
    ahead._take(draft, said)
    assert path._sources == {}


def test_a_text_stands_for_the_kernel_and_the_certificate_that_it_names_only(monkeypatch: pytest.MonkeyPatch) -> None:
    (draft,) = drafts(gemm(), DEVICE)
    monkeypatch.setattr(path, "_sources", {})
    right = trace(gemm(), DEVICE).source
    assert right is not None
    monkeypatch.setattr(path, "_sources", {})
    ahead._take(draft, [right.replace(certificate="0" * 16).to_json(), right.replace(kernel_digest="0" * 16).to_json()])
    assert len(path._sources) == 2 and trace(gemm(), DEVICE).source == right, "neither was taken for it"


def test_a_kernel_of_something_else_gets_no_certificate() -> None:
    (draft,), (other,) = drafts(gemm(), DEVICE), drafts(gemm().replace(epilogue=parse_epilogue("relu")), DEVICE)
    wrong = draft.replace(form=other.form)
    with pytest.raises(CertificationError):
        make(msgspec.to_builtins(wrong))
    with Ahead([(wrong,)], processes=1) as made:
        assert made.wait(0), "a failure is an end, too"
    assert drafts(gemm(), DEVICE) and drafts(gemm().replace(epilogue=parse_epilogue("relu")), DEVICE)


def test_what_is_no_draft_is_refused() -> None:
    (draft,) = drafts(gemm(), DEVICE)
    with pytest.raises(MalformedDataError, match="JSON of a Draft"):
        make(msgspec.to_builtins(draft) | {"kernel": 3})


def test_what_a_compiler_does_not_keep_is_replaced_as_plans_do(monkeypatch: pytest.MonkeyPatch) -> None:
    (draft,) = drafts(gemm(300, 300, 300), DEVICE)
    others = others_of(draft)
    assert others and draft.kernel not in [other.to_json() for other in others]
    tried: list[str] = []

    def lost(source: KernelSource, toolchain: str, make: object) -> bytes:
        tried.append(source.kernel_digest)
        if len(tried) == 1:
            raise ScheduleError("it spills")
        return b"code"

    monkeypatch.setattr(ahead, "unless_lost", lost)
    make(msgspec.to_builtins(draft))
    assert tried == [SemanticKernel.from_json(draft.kernel).digest(), others[0].digest()]
    assert others_of(draft.replace(problem="")) == (), "what tuning or the caller chose is not replaced"
    replaced = [configuration for configuration in replacements(trace(gemm(300, 300, 300), DEVICE).configured)]
    assert others[0].digest() == trace(gemm(300, 300, 300), DEVICE, configuration=replaced[0]).kernel.digest()


def test_waiting_ends_in_time_and_nothing_begins_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        def __enter__(self) -> Slow:
            return self

        def __exit__(self, *_: object) -> None: ...

        def run(self, entry: str, draft: Draft, timeout: float) -> None:
            begun.append(draft)
            made.close()

    begun: list[Draft] = []
    monkeypatch.setattr(ahead, "Worker", Slow)
    (one,) = drafts(gemm(), DEVICE)
    two = one.replace(form="")
    monkeypatch.setattr(Ahead, "_begin", lambda self: None)
    made = Ahead([(one,), (two,)], processes=1)
    assert not made.wait(0, time.monotonic() - 1.0)
    made._work()
    assert begun == [one] and made.wait(0) and not made.wait(1, time.monotonic())


def test_what_only_the_plan_can_tell_is_not_drafted() -> None:
    t = TensorSpec.contiguous
    op = ConvTranspose2dOp(1, 4, 5, 5, 3, 2, 2)
    tensors = t((1, 4, 5, 5), DType.FP32), t((4, 3, 2, 2), DType.FP32)
    assert drafts(Problem(op, tensors, t((1, 3, 6, 6), DType.FP32)), DEVICE) == ()


def test_workers_are_as_many_as_processors_that_may_be_used_and_step_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead.os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert ahead._processors() == 3
    steps: list[int] = []
    monkeypatch.setattr(ahead.os, "nice", steps.append, raising=False)
    monkeypatch.setattr(ahead, "make", lambda payload: [])
    ahead._step_back.cache_clear()
    for _ in range(2):
        ahead.make_aside({})
    assert steps == [ahead._NICENESS], "once for a process, not for each kernel"
    ahead._step_back.cache_clear()
