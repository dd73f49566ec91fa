# SPDX-License-Identifier: MIT
"""The text of a pool and of its barrier, for machines that are not this one."""

from __future__ import annotations

import pytest
from tracea_cpu import compile as compiler
from tracea_cpu.pool_text import has_futex, pool_text
from tracea_llvm.barrier import barrier_text


@pytest.mark.parametrize("triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"])
def test_the_pool_compiles_for_every_machine_it_names(triple: str) -> None:
    assert has_futex(triple)
    listing = compiler.assembly(pool_text(triple), triple, "")
    assert "tracea_worker:" in listing
    assert ("pause" if "x86" in triple else "isb") in listing
    assert not has_futex(triple.replace("linux", "darwin"))


@pytest.mark.parametrize("triple", ["arm64-apple-darwin", "riscv64-unknown-linux-gnu", "amd64-pc-windows-msvc"])
def test_the_barrier_is_text_for_every_machine(triple: str) -> None:
    text = barrier_text(triple)
    assert "define internal void @tracea_barrier" in text
    assert ("isb" in text) == triple.startswith("arm64")
