# SPDX-License-Identifier: MIT
"""Compiled kernels are shared where text and schedule agree, and nowhere else."""

from __future__ import annotations

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.pipeline import runtimes
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Launch, Symbol


class Compiler:
    """A runtime whose kernels are the sources they were made from."""

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
