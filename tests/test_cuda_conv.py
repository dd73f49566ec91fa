# SPDX-License-Identifier: MIT
"""The table of convolutions on GPUs, run on the CPU with a clock of its own."""

from __future__ import annotations

import argparse
import functools
import random
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import cuda_conv, cuda_conv_training, cuda_gemm

torch = pytest.importorskip("torch")


def test_the_table_is_whole() -> None:
    table = {group.name: group for group in cuda_conv.groups(False, random.Random(1))}
    assert {name: (group.bar, group.least) for name, group in table.items()} == {
        "conv+BN+ReLU, cuDNN fused": (1.10, 0.95), "conv+BN+ReLU, eager": (2.0, 0.0), "conv": (1.03, 0.93),
        "tf32": (1.05, 0.0), "ragged channels": (1.8, 0.0), "channels in groups": (1.03, 0.93), "depthwise": (2.0, 0.0),
        "gradients of images": (0.95, 0.0), "gradients of filters": (0.95, 0.0),
        "depthwise beside a copy of its bytes": (0.0, 0.0), "NCHW": (1.03, 0.93), "diffusion, NCHW": (1.10, 0.80), "tf32, NCHW": (1.0, 0.0),
        "tf32, NCHW, single pixels": (1.0, 0.8), "diffusion": (1.0, 0.85),
        "first layers": (1.10, 0.95),
        "first layers, NCHW": (1.10, 0.95), "depthwise, NCHW": (1.2, 0.95),
        "depthwise, NCHW, beside a copy of its bytes": (0.0, 0.0),
    }  # fmt: skip
    layers = cuda_conv.resnet50(64)
    assert len(layers) == len(set(layers)) == 23
    total = sum(layer.flops for layer in layers)
    assert total == 64 * sum(layer.flops for layer in cuda_conv.resnet50(1))
    assert cuda_conv.Layer(8, 320, 64, 320).flops == 2 * 8 * 64 * 64 * 320 * 320 * 9
    assert cuda_conv.DEPTHWISE[0].flops == 2 * 64 * 14 * 14 * 384 * 49
    quick = {group.name: group for group in cuda_conv.groups(True, random.Random(1))}
    assert set(quick) == set(table) and len(quick["conv"].cases) == 6
    assert len(table["gradients of images"].cases) == len(table["NCHW"].cases) == 22
    assert cuda_conv.Layer(1, 3, 224, 768, 16, 16).flops == 2 * 14 * 14 * 768 * 3 * 256, "patches have no padding"


@pytest.mark.parametrize(
    "layer",
    [
        cuda_conv.Layer(2, 8, 6, 8),
        cuda_conv.Layer(1, 6, 7, 4, 3, 2, 2),
        cuda_conv.Layer(2, 4, 5, 6, 1),
        cuda_conv.Layer(2, 3, 8, 5, 4, 4),
    ],
)
def test_convolutions_are_right_and_compared_with_the_peer(
    layer: cuda_conv.Layer, turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    line = cuda_gemm.measure(cuda_conv.plain(layer, "float32")("g"), turns({"tracea": 0.5}), options())
    assert (line.problem, line.peer_name, line.ratio) == ("", "cuDNN", 2.0)
    planes = cuda_gemm.measure(cuda_conv.plain(layer, "float32", planes=True)("g"), turns({"tracea": 0.5}), options())
    assert (planes.problem, planes.ratio) == ("", 2.0)
    beside = cuda_gemm.measure(cuda_conv.copied(layer)("g"), turns({"copy": 0.5}), options())
    assert (beside.problem, beside.peer_name, beside.ratio) == ("", "copy", 0.5)
    fused = cuda_gemm.measure(cuda_conv.fused(layer, eager=True)("g"), turns({}), options())
    assert (fused.problem, fused.peer_name) == ("", "eager")
    assert "conv" in str(line.kernel) or line.kernel.startswith("cpu.")


@pytest.mark.parametrize("layer", [cuda_conv.Layer(2, 8, 6, 8), cuda_conv.Layer(2, 4, 7, 6, 3, 2)])
@pytest.mark.parametrize("of_filters", [False, True])
def test_gradients_are_right_and_compared_with_the_peer(
    layer: cuda_conv.Layer, of_filters: bool, turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    case = cuda_conv_training.gradient(layer, of_filters)("g")
    line = cuda_gemm.measure(case, turns({"tracea": 0.5}), options())
    assert (line.problem, line.peer_name, line.ratio) == ("", "cuDNN", 2.0)


def test_memory_is_what_a_call_leaves_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    free = [100 << 20]
    steps: list[str] = []

    class Opened:
        class scratch:
            trim = staticmethod(lambda: steps.append("trimmed"))

    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: None)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free[0], 0))
    monkeypatch.setattr("tracea_core.pipeline.runtimes.runtime", lambda backend, device: Opened())
    monkeypatch.setattr("tracea_core.runtime.interface.ScratchRuntime", Opened)

    def call() -> None:
        steps.append("called")
        free[0] -= 3 << 20

    assert cuda_conv_training.taken("cuda:0", call) == 3.0
    assert steps == ["called", "trimmed", "called"]


def test_memory_is_asked_of_every_layer_and_of_some_in_planes(
    monkeypatch: pytest.MonkeyPatch, options: Callable[..., argparse.Namespace]
) -> None:
    asked: list[str] = []

    def taken(device: str, call: functools.partial[Any]) -> float:
        images = call.args[0]
        planes = getattr(images, "ndim", 0) == 4 and images.is_contiguous()
        asked.append(f"{call.func.__name__}{', planes' if planes else ''}")
        return 40.0 if planes else 2.0

    monkeypatch.setattr(cuda_conv_training, "taken", taken)
    rows = cuda_conv_training.memory_rows(options(), tuple(cuda_conv.Layer(2, 8, 6, 8) for _ in range(5)))
    assert asked.count("conv2d") == asked.count("image") == asked.count("filters") == 5
    assert asked.count("conv2d, planes") == 2
    assert [(row.value, row.bar, row.met) for row in rows] == [(2.0, 32.0, True)] * 3 + [(40.0, 32.0, False)]


def test_a_fused_peer_that_is_not_there_leaves_the_other(
    turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    line = cuda_gemm.measure(cuda_conv.fused(cuda_conv.Layer(1, 8, 5, 8))("g"), turns({"cuDNN, ReLU": 0.5}), options())
    assert (line.problem, line.peer_name) == ("", "cuDNN, ReLU")
