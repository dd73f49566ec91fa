# SPDX-License-Identifier: MIT
"""What stands before the roles of a printed kernel: what it declares, and how it meets its neighbours on the stream."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.c.dialect import Dialect
from tracea_core.emit.c.kernel import _contents, _neighbours
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Launch, Overlap
from tracea_core.semantic.lower import lower
from tracea_core.testing.cases import gemm

ALONE = Launch(Const(1), 32)


class Dependent(Dialect):
    """A language with both words."""

    begin_next_kernel = "begin;"
    await_kernel = "await;"


@pytest.mark.parametrize(
    ("overlap", "lines"),
    [
        (Overlap.LEADS, ["begin;"]),
        (Overlap.BESIDE, ["begin;"]),
        (Overlap.BOTH, ["begin;", "await;"]),
        (Overlap.FOLLOWS, ["await;"]),
    ],
)
def test_roles_begin_after_what_they_need(overlap: Overlap, lines: list[str]) -> None:
    assert list(_neighbours(ALONE.replace(overlap=overlap), Dependent())) == lines


def test_a_language_without_the_words_prints_no_kernel_that_overlaps() -> None:
    assert list(_neighbours(ALONE, Dialect())) == []
    with pytest.raises(EmitError, match="overlap on a stream"):
        list(_neighbours(ALONE.replace(overlap=Overlap.FOLLOWS), Dialect()))


@pytest.mark.parametrize(("slots", "said"), [(0, ", 0 slots"), (1, None), (2, ", 2 slots")])
def test_buffers_are_declared_with_their_slots(slots: int, said: str | None) -> None:
    """Of the last buffer nothing else in the text says how many: where others lie, and the launch, stay as they are."""
    form = lower(gemm((64, 64, 64), DType.BF16)).contraction
    tile = PipelineConfig(tile_m=32, tile_n=32, tile_k=16, stages=2, warps=4, vector_c=2)
    kernel = multistage_kernel(form, tile, preset("a100"), "v", "k", "mma_m16n8k16_bf16")
    *others, last = kernel.buffers
    writer = SourceWriter()
    _contents(kernel.replace(buffers=(*others, last.replace(slots=slots))), writer)
    (line,) = (line for line in writer.text().splitlines() if f"{last.name}: " in line)
    assert said in line if said else "slots" not in line
