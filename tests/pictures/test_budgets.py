# SPDX-License-Identifier: MIT
"""What budgets say: a limit that is broken is one, and a cache that panels stream through is none."""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import trace
from tracea_core.semantic.build.schedules import launch_symbols

from tracea.pictures.budgets import Bar, budgets_section


def _section(preset: str, extent: int) -> str:
    spec = TensorSpec.contiguous((extent, extent), DType.FP32)
    path = trace(Problem(GemmOp(extent, extent, extent), (spec, spec), spec), preset=preset)
    values = launch_symbols(path.lowered, path.configuration, path.target.profile, path.choice.variant.schedule)
    return budgets_section(path.kernel, path.target.profile, values).body


def test_a_panel_larger_than_a_cache_streams_through_it() -> None:
    text = _section("avx512", 2048)
    found = re.search(r"(\S+ \S+) stream through (\S+ \S+), ([\d.,]+) times as much as fits", text)
    assert found and float(found.group(3).replace(",", "")) > 1
    assert not [share for share in re.findall(r"([\d,]+)%", text) if int(share.replace(",", "")) > 100]


def test_what_fits_and_what_does_not_is_said_of_a_block() -> None:
    assert "stream through" not in _section("h200", 2048)
    half, double = Bar("shared", (("a", 64.0),), 128.0, "bytes"), Bar("shared", (("a", 256.0),), 128.0, "bytes")
    assert (half.over, double.over) == (False, True)
    assert half.share.endswith("50%") and double.share.endswith("200%")
    cache = Bar("L1", (("a", 256.0),), 128.0, "bytes", streams=True)
    assert not cache.over and cache.share.endswith("2.0 times as much as fits")
    assert Bar("L1", (("a", 1.0),), 0.0, "").share == "no limit known"
