# SPDX-License-Identifier: MIT
"""What one operator of a compiled graph costs the host."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def wait(device: Any) -> None:
    """Wait until a device has done what it was given."""
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)


def overhead(device: Any) -> Callable[[], dict[str, float]]:
    """Return what measures the host's microseconds for one operator in a compiled graph; the peer is ``F.linear`` and ReLU by Inductor.

    They are the difference between chains of 60 and of 10, all compiled before.
    """
    import torch

    import tracea.torch  # noqa: F401 - registers the operators

    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    a, b = torch.randn(64, 64, device=device, dtype=dtype) * 0.05, torch.randn(64, device=device, dtype=dtype)

    def chain(count: int, ours: bool) -> Callable[[Any], Any]:
        def fused(x: Any) -> Any:
            for _ in range(count):
                x = torch.ops.tracea.linear.default(x, a, [b], "bias,relu", "")
            return x

        def separate(x: Any) -> Any:
            for _ in range(count):
                x = torch.relu(torch.nn.functional.linear(x, a, b))
            return x

        return fused if ours else separate

    options: dict[str, Any] = {"tracea.policy": "never"}  # the operators stand there already
    chains = {
        (ours, count): torch.compile(chain(count, ours), backend="tracea", options=options)
        for ours in (True, False)
        for count in (10, 60)
    }
    with torch.no_grad():
        for run in chains.values():
            run(a)

    def measured() -> dict[str, float]:
        with torch.no_grad():
            times = {key: _host(run, a, device) for key, run in chains.items()}
        return {
            side: round((times[ours, 60] - times[ours, 10]) / 50 * 1e6, 3)
            for side, ours in (("tracea_us", True), ("inductor_us", False))
        }

    return measured


def _host(run: Callable[[Any], Any], x: Any, device: Any) -> float:
    """Return the least seconds that the host takes for a call; the device is idle when it begins."""
    for _ in range(20):
        run(x)
    best = float("inf")
    for _ in range(40):
        wait(device)
        begin = time.perf_counter()
        for _ in range(5):
            run(x)
        best = min(best, (time.perf_counter() - begin) / 5)
    return best
