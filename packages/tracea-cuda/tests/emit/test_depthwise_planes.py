# SPDX-License-Identifier: MIT
"""Planes filtered on their own, in CUDA: golden text, compiled without a spill, and executed in the emulator at every edge."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.served import Served
from tracea_core.testing.strips import PLANES, own_filters, pieces
from tracea_cuda.plugin import tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden" / "depthwise_planes"


def lanes(pixels: int, lines: int, warps: int, read: int, stored: int) -> PipelineConfig:
    return pieces(lines, warps, read, stored).replace(tile_m=pixels)


_BF16 = {"dtype": DType.BF16}
KERNELS: dict[str, tuple[str, dict[str, Any], PipelineConfig]] = {
    "fp16_3x3": ("bias,relu", {"w": 28, "h": 9}, pieces(6, 4, 2, 2)),
    "bf16_7x7": (
        "bias,residual,relu",
        _BF16 | {"w": 18, "h": 9, "r": 7, "s": 7, "padding": (3, 3)},
        pieces(4, 2, 2, 2),
    ),
    "fp16_5x5_strided": ("", {"w": 27, "h": 13, "r": 5, "s": 5, "stride": (2, 2), "padding": (2, 2)}, pieces(4, 2)),
    "fp32_3x3": ("bias,residual,relu", {"dtype": DType.FP32, "w": 28, "h": 9}, lanes(4, 5, 2, 4, 4)),
    "fp32_5x5_strided": (
        "",
        {"dtype": DType.FP32, "w": 27, "h": 13, "r": 5, "s": 5, "stride": (2, 2), "padding": (2, 2)},
        lanes(2, 3, 2, 1, 1),
    ),
    "bf16_short": ("relu", _BF16 | {"w": 7, "h": 7}, pieces(4, 4)),
}
"""Epilogue, problem and configuration of each golden text."""


def conv(epilogue: str = "", **fields: Any) -> Problem:
    return own_filters(epilogue, PLANES, **({"c": 6, "k": 6, "groups": 6, "dtype": DType.FP16} | fields))


def variant(name: str) -> str:
    return f"cuda.contraction.depthwise_planes_{name.partition('_')[0]}"


@functools.cache
def source(name: str) -> KernelSource:
    epilogue, fields, configuration = KERNELS[name]
    path = trace(conv(epilogue, **fields), preset="h200", configuration=configuration)
    assert path.choice.variant.name == variant(name) and path.source is not None
    return path.source


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cu", source(name).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.cu" for name in KERNELS}) == []


@pytest.mark.parametrize("name", KERNELS)
def test_the_compiler_keeps_everything_in_registers(name: str, kept: Callable[..., None]) -> None:
    kept(source(name), registers=128)


SERVED: list[tuple[str, list[dict[str, Any]]]] = [
    ("fp16_3x3", [{"n": 1, "h": 7}, {"n": 3, "h": 13, "w": 10}]),
    ("bf16_7x7", [{"n": 1, "h": 4}, {"n": 2, "h": 9, "w": 34}]),
    ("fp16_5x5_strided", [{"h": 5}, {"n": 3, "h": 19, "w": 40}]),
    ("bf16_short", [{"n": 1}, {"n": 9, "h": 10}]),
    ("fp32_3x3", [{"n": 1, "h": 7}, {"n": 3, "h": 13, "w": 44}]),
    ("fp32_5x5_strided", [{"h": 5}, {"n": 3, "h": 19, "w": 40}]),
]


@pytest.mark.toolchain
@pytest.mark.parametrize(("name", "sizes"), SERVED)
def test_the_emulator_agrees(name: str, sizes: list[dict[str, Any]]) -> None:
    need_emulator()
    epilogue, fields, configuration = KERNELS[name]
    served = Served(tracea_register_backend(), "h200", conv(epilogue, **fields), configuration, variant(name))
    for seed, changes in enumerate(sizes):
        assert served.run(conv(epilogue, **(fields | changes)), seed).findings == ()


def test_places_are_added_to_pointers_before_lines_are() -> None:
    """Whoever adds both to a place first multiplies the sum by the size of an element anew for every line."""
    assert "(x + seen0_0_corner[r])[x_down2]" in source("fp16_3x3").text
    assert "i64 seen0_0_corner[" in source("fp16_3x3").text


CHOSEN: list[tuple[dict[str, Any], str]] = [
    ({"n": 64, "c": 144, "k": 144, "groups": 144, "w": 56, "h": 56}, "cuda.contraction.depthwise_planes_fp16"),
    ({"n": 8, "k": 12}, "cuda.contraction.depthwise_planes_fp16"),
    ({"dtype": DType.FP32, "w": 56, "h": 56}, "cuda.contraction.depthwise_planes_fp32"),
    (_BF16 | {"stride": (2, 2)}, "cuda.contraction.depthwise_planes_bf16"),
    ({"dilation": (6, 6), "padding": (6, 6), "h": 33, "w": 33}, "cuda.contraction.depthwise_planes_fp16"),
]


@pytest.mark.parametrize(("fields", "name"), CHOSEN)
def test_planes_are_filtered_where_they_lie(fields: dict[str, Any], name: str) -> None:
    path = trace(conv(**fields), preset="h200")
    assert path.choice.variant.name == name
    assert path.arrangement.kernels == 1 and path.source is not None and path.source.workspaces == ()


@pytest.mark.parametrize(
    "fields", [{"r": 40, "s": 1, "padding": (20, 0)}, {"dtype": DType.FP32, "r": 13, "s": 13, "padding": (6, 6)}]
)
def test_what_has_no_bands_goes_another_way(fields: dict[str, Any]) -> None:
    path = trace(conv(**fields), preset="h200")
    assert "planes" not in path.choice.variant.name
