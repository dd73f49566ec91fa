# SPDX-License-Identifier: MIT
"""Convolution, batch norm in training and ReLU on a GPU: with sums of the convolution's kernel, and with a pass that reads its result.

    python -m benchmarks.batch_statistics            # five layers of ResNet-50, batch 16 and 64, bf16, channels-last

First the sums are held to those of the stored result in double precision. Then times in µs of captured calls, forward only: the convolution
by itself and with its sums, and the compiled three by Inductor, by tracea without sums, and by tracea.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from types import FunctionType
from typing import Any

import torch
import torch.nn.functional as F

from tracea.torch import column_sums, kernels
from tracea.torch.compiler import policy
from tracea.torch.compiler.trial import in_turns
from tracea.torch.in_torch import block_sums

LAYERS = ((64, 64, 56, 3), (64, 256, 56, 1), (128, 128, 28, 3), (128, 512, 28, 1), (256, 256, 14, 3))
"""Channels in and out, height and width, and taps each way."""
SIDES = {"Inductor": ("inductor", False), "without sums": ("tracea", False), "with sums": ("tracea", True)}


def held(y: torch.Tensor, sums: torch.Tensor) -> None:
    """Hold sums to those of what is stored, in double precision: 64 numbers in fp32 lose 66 roundings at most (Higham, §4.2)."""
    exact = block_sums(y.double(), 1, column_sums.BLOCK)
    apart = block_sums(y.double().abs(), 1, column_sums.BLOCK)
    size = torch.stack(
        [apart[0], column_sums.BLOCK * 2 * y.double().abs().amax((0, 2, 3)).expand_as(apart[1]), exact[2]]
    )
    if not ((sums.double() - exact).abs() <= 66 * 2.0**-24 * size).all():
        raise SystemExit("sums are off")


def compiled(padding: int, side: str) -> Callable[..., torch.Tensor]:
    """Return the three steps by one side; each has code of its own, since compiled graphs are kept by code and backend."""

    def step(x: Any, weight: Any, scale: Any, shift: Any, mean: Any, variance: Any) -> torch.Tensor:
        y = F.conv2d(x, weight, None, 1, padding)
        return F.relu(F.batch_norm(y, mean, variance, scale, shift, training=True))

    backend, _ = SIDES[side]
    code = step.__code__.replace(co_name=f"step_{side.replace(' ', '_')}")
    own = FunctionType(code, step.__globals__, code.co_name, None, step.__closure__)
    options: Any = {"tracea.policy": "always", "tracea.seconds": 600} if backend == "tracea" else None
    made: Callable[..., torch.Tensor] = torch.compile(own, backend=backend, options=options)
    return made


def runs_of(layer: tuple[int, int, int, int], batch: int, dtype: torch.dtype) -> dict[str, Callable[[], Any]]:
    """Return what runs for one layer, compiled, once its kernel is held to its sums."""
    channels, filters, size, taps = layer
    last: dict[str, Any] = {"memory_format": torch.channels_last}
    x = torch.randn(batch, channels, size, size, device="cuda", dtype=dtype).contiguous(**last)
    weight = torch.randn(filters, channels, taps, taps, device="cuda", dtype=dtype).contiguous(**last)
    weight /= (channels * taps * taps) ** 0.5
    rest = [torch.randn(filters, device="cuda", dtype=dtype) for _ in range(2)]
    rest += [torch.zeros(filters, device="cuda"), torch.ones(filters, device="cuda")]
    settings = ((1, 1), (taps // 2, taps // 2), (1, 1), 1)
    held(*column_sums.run([x, weight], "", settings, ""))
    runs: dict[str, Callable[[], Any]] = {
        "conv": lambda: kernels.run("conv2d", [x, weight], "", settings, ""),
        "conv + sums": lambda: column_sums.run([x, weight], "", settings, ""),
    }
    module: Any = policy
    trial_of = module.trial_of
    for side, (_, sums) in SIDES.items():
        module.trial_of = trial_of if sums else lambda *_, **__: None
        call = compiled(taps // 2, side)
        call(x, weight, *rest)
        runs[side] = lambda call=call: call(x, weight, *rest)  # type: ignore[misc]
    module.trial_of = trial_of
    return runs


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batches", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float16"])
    given = parser.parse_args()
    torch._dynamo.config.recompile_limit = 64
    with torch.no_grad():
        for batch in given.batches:
            for layer in LAYERS:
                seconds = in_turns(runs_of(layer, batch, getattr(torch, given.dtype)), torch.device("cuda"))
                times = ", ".join(f"{name} {1e6 * value:.1f}" for name, value in seconds.items())
                print(f"batch {batch} {layer}: {times}", flush=True)


if __name__ == "__main__":
    main()
