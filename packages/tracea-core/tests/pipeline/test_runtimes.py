# SPDX-License-Identifier: MIT
"""Compiled kernels are shared where text and schedule agree, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.errors import CompileError, ScheduleError
from tracea_core.pipeline import runtimes
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Launch, Symbol


class Compiler:
    """A runtime whose kernels are the sources they were made from."""

    toolchain = "none 1"

    def compile(self, source: KernelSource) -> KernelSource:
        """Return a kernel."""
        return source


def source(multiple: int, digest: str) -> KernelSource:
    """Return one and the same text, for sizes that are multiples of so many."""
    return KernelSource(
        language="c", arch="any", entry="kernel", text="void kernel(int n);", parameters=(), symbols=(Symbol("n", multiple=multiple),),
        workspaces=(), launch=Launch(Const(1), 1), kernel_digest=digest, certificate="",
    )  # fmt: skip


def test_equal_texts_that_serve_other_sizes_are_kernels_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtimes, "runtime", lambda backend, device: Compiler())
    monkeypatch.setattr(runtimes, "_kernels", {})
    by_four, any_size = (runtimes.compiled("null", "null:0", source(*given)) for given in ((4, "a"), (1, "b")))
    assert not by_four.symbols[0].admits(9) and any_size.symbols[0].admits(9)
    assert runtimes.compiled("null", "null:0", source(4, "a")) is by_four


@pytest.mark.parametrize("kind, calls", [(ScheduleError, 2), (CompileError, 3)])
def test_a_schedule_that_a_compiler_does_not_keep_is_not_compiled_again(
    kind: type[CompileError], calls: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[str] = []

    def make(given: KernelSource) -> KernelSource:
        seen.append(given.arch)
        raise kind("it spills")

    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path))
    for toolchain in ("none 1", "none 1", "none 2"):
        runtimes._lost.cache_clear()  # as in another process
        with pytest.raises(kind, match="it spills"):
            runtimes.unless_lost(source(1, "c"), toolchain, make)
    runtimes._lost.cache_clear()
    assert len(seen) == calls, "another compiler is asked, and other errors may pass"
