# SPDX-License-Identifier: MIT
"""Convolution and batch norm in training on a GPU: with the statistics of the kernel, and with a pass for them.

    python -m benchmarks.batch_statistics            # five layers of ResNet-50, batch 16 and 64, bf16, channels-last

First the statistics are held to those of the stored result in double precision. Then times in µs of captured calls, forward only: the
convolution by itself, with its sums, and with its sums joined (tracea), the convolution and PyTorch's batch norm, and Inductor's graph.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import torch

from tracea.torch import kernels, statistics
from tracea.torch.compiler.trial import in_turns

LAYERS = ((64, 64, 56, 3), (64, 256, 56, 1), (128, 128, 28, 3), (128, 512, 28, 1), (256, 256, 14, 3))
"""Channels in and out, height and width, and taps each way."""


def held(y: torch.Tensor, mean: torch.Tensor, variance: torch.Tensor) -> None:
    """Hold statistics to those of what is stored, in double precision: sums of 64 fp32 numbers lose 2^-18 of their size at most."""
    wide = y.double()
    exact = wide.mean((0, 2, 3)), wide.var((0, 2, 3), correction=0)
    spread = exact[1].sqrt()
    torch.testing.assert_close(mean.double() / spread, exact[0] / spread, atol=1e-4, rtol=0)
    torch.testing.assert_close(variance.double(), exact[1], atol=0, rtol=1e-3)


def runs_of(layer: tuple[int, int, int, int], batch: int, dtype: torch.dtype) -> dict[str, Callable[[], Any]]:
    """Return the sides for one layer, whose kernels are held to their statistics."""
    channels, filters, size, taps = layer
    x = torch.randn(batch, channels, size, size, device="cuda", dtype=dtype).contiguous(
        memory_format=torch.channels_last
    )
    weight = torch.randn(filters, channels, taps, taps, device="cuda", dtype=dtype) / (channels * taps * taps) ** 0.5
    weight = weight.contiguous(memory_format=torch.channels_last)
    scale, shift = (torch.randn(filters, device="cuda") for _ in range(2))
    settings = ((1, 1), (taps // 2, taps // 2), (1, 1), 1)
    entry = statistics.entry([x, weight], "", settings)
    if entry.reason is not None:
        raise SystemExit(f"no kernel sums the columns of {layer}: {entry.reason}")
    held(*statistics.compute([x, weight], "", settings, "", "error"))
    sums = statistics.sums_for([x, weight], "", settings)
    text = statistics.text_with_sums("", statistics.block_of(x.device))

    def ours() -> torch.Tensor:
        return kernels.run("conv2d", [x, weight], "", settings, "")

    def norm(y: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.batch_norm(y, None, None, scale.to(dtype), shift.to(dtype), training=True)

    whole = torch.compile(lambda: norm(torch.nn.functional.conv2d(x, weight, None, *settings)))
    whole()
    rest = torch.compile(
        lambda y, mean, variance: (
            (y - mean.view(1, -1, 1, 1)) * (torch.rsqrt(variance + 1e-5) * scale).view(1, -1, 1, 1)
            + shift.view(1, -1, 1, 1)
        )
    )

    def with_statistics() -> torch.Tensor:
        found: torch.Tensor = rest(*statistics.compute([x, weight], "", settings, "")).to(dtype)
        return found

    with_statistics()
    return {
        "conv": ours,
        "conv + sums": lambda: kernels.run("conv2d", [x, weight, sums], text, settings, ""),
        "statistics": lambda: statistics.compute([x, weight], "", settings, ""),
        "norm with them": with_statistics,
        "conv, norm by PyTorch": lambda: norm(ours()),
        "Inductor": whole,
    }


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batches", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float16"])
    given = parser.parse_args()
    with torch.no_grad():
        for batch in given.batches:
            for layer in LAYERS:
                seconds = in_turns(runs_of(layer, batch, getattr(torch, given.dtype)), torch.device("cuda"))
                times = ", ".join(f"{name} {1e6 * value:.1f}" for name, value in seconds.items())
                print(f"batch {batch} {layer}: {times}", flush=True)


if __name__ == "__main__":
    main()
