# SPDX-License-Identifier: MIT
"""The rows of the dialects that compare with a foreign compiler: tracea's main loops and Triton's, both disassembled here."""

from __future__ import annotations

import importlib.util
import os
import re

import pytest
from tracea_core.errors import BackendUnavailableError

from benchmarks import dialects_hip


@pytest.mark.toolchain
@pytest.mark.parametrize("device", ["mi210", "mi300x", "mi355x"])
def test_main_loops_are_no_worse_than_tritons(device: str) -> None:
    if "TRACEA_TRITON_PYTHON" not in os.environ and importlib.util.find_spec("triton") is None:
        pytest.skip("TRACEA_TRITON_PYTHON names no Python that has Triton")
    try:
        rows = list(dialects_hip.of_device(device))
    except BackendUnavailableError as error:
        pytest.skip(error.message)
    names = "|".join(row.name for row in rows)
    for words in ("spilled", "matrix instructions of all", "LDS bytes a lane", "blocks of a processor"):
        assert re.search(words, names), names
    assert not [str(row) for row in rows if row.pending or not row.met]


def test_a_kernel_that_takes_every_register_of_its_waves() -> None:
    from tracea_hip.compile import CodeReport

    def at_once(registers: int, shared: int, waves: int) -> int:
        return dialects_hip.blocks_at_once(CodeReport(registers, 0, 80, 0, 0, shared, 0), waves, 65536)

    assert at_once(256, 65536, 8) == 1
    assert at_once(257, 65536, 8) == 0  # registers are dealt in eights, and one wave of a SIMD is left
    assert at_once(64, 16384, 4) == 4 and at_once(64, 65536, 4) == 1
