# SPDX-License-Identifier: MIT
"""Device times of contestants in turns: events around each call, the L2 cache flushed before it, the clock read under load.

Flushes keep the device busy for longer than the host needs to queue the next call, so an event pair holds the kernel alone and not the
way to it; there are as many of them as the slowest contestant's host needs. Whoever appears a second time under another name shows the
noise of the comparison.
"""

from __future__ import annotations

import math
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

FLUSH_BYTES = 256 << 20
"""Several times any L2 cache; writing it takes some 60 µs."""
_FLUSH_SECONDS = 50e-6
_HEADROOM = 4
"""How many times longer than a contestant's host flushes last, since hosts are interrupted."""


@dataclass(frozen=True)
class Clock:
    """What the device says of itself while it works."""

    sm_mhz: float = 0.0
    watts: float = 0.0

    def __str__(self) -> str:
        return f"{self.sm_mhz:.0f} MHz {self.watts:.0f} W" if self.sm_mhz else "clock unknown"


class Turns:
    """Takes turns on one CUDA device.

    Parameters
    ----------
    device : str
        As PyTorch names it.
    rounds : tuple of int
        Fewest and most calls of each contestant that count.
    seconds : float
        How long one comparison may take.
    """

    def __init__(self, device: str = "cuda:0", rounds: tuple[int, int] = (15, 60), seconds: float = 0.6) -> None:
        import torch

        self.torch, self.device, self.rounds, self.seconds = torch, device, rounds, seconds
        self._flush = torch.empty(FLUSH_BYTES // 4, dtype=torch.int32, device=device)
        self._management = _management(device)

    def synchronize(self) -> None:
        """Wait for the device."""
        self.torch.cuda.synchronize(self.device)

    def compare(self, calls: Mapping[str, Callable[[], Any]]) -> tuple[dict[str, float], Clock]:
        """Return each contestant's median time of one call in seconds, and the clock while they ran."""
        names = list(calls)
        for name in names:
            calls[name]()
        queued = []
        begin = time.perf_counter()
        for name in names:
            before = time.perf_counter()
            calls[name]()
            queued.append(time.perf_counter() - before)
        self.synchronize()
        flushes = flushes_for(max(queued))
        once = time.perf_counter() - begin + (_FLUSH_SECONDS * flushes + 5e-5) * len(names)
        rounds = max(self.rounds[0], min(self.rounds[1], math.ceil(self.seconds / once)))
        event = self.torch.cuda.Event
        pairs = {
            name: [(event(enable_timing=True), event(enable_timing=True)) for _ in range(rounds)] for name in names
        }
        for turn in range(rounds):
            for name in names if turn % 2 == 0 else reversed(names):
                start, end = pairs[name][turn]
                for _ in range(flushes):
                    self._flush.fill_(turn)
                start.record()
                calls[name]()
                end.record()
        clock = self._management()
        self.synchronize()
        times = {name: [start.elapsed_time(end) * 1e-3 for start, end in pairs[name]] for name in names}
        return {name: statistics.median(seconds) for name, seconds in times.items()}, clock

    def host(self, calls: Mapping[str, Callable[[], Any]], count: int = 400, rounds: int = 30) -> dict[str, float]:
        """Return the host's microseconds for one call of each, medians of rounds in turns that are short enough not to fill the queue."""
        samples: dict[str, list[float]] = {name: [] for name in calls}
        for turn in range(rounds):
            for name in calls if turn % 2 else reversed(list(calls)):
                call = calls[name]
                self.synchronize()
                begin = time.perf_counter()
                for _ in range(count):
                    call()
                samples[name].append((time.perf_counter() - begin) / count * 1e6)
        self.synchronize()
        return {name: statistics.median(found[2:]) for name, found in samples.items()}


def flushes_for(host_seconds: float) -> int:
    """Return how many flushes keep a device busy while the host queues a call that takes it so long.

    >>> flushes_for(8e-6), flushes_for(50e-6)
    (1, 4)
    """
    return min(max(math.ceil(_HEADROOM * host_seconds / _FLUSH_SECONDS), 1), 40)


def _management(device: str) -> Callable[[], Clock]:
    """Return what reads the clock: NVML where it is installed, else nvidia-smi, else nothing."""
    index = int(device.partition(":")[2] or 0)
    try:
        import pynvml

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)

        def read() -> Clock:
            clock = pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM)
            return Clock(float(clock), pynvml.nvmlDeviceGetPowerUsage(handle) / 1e3)

        read()
        return read
    except Exception:  # NVML raises classes of its own, and its absence must not end a measurement
        return lambda: _smi(index)


def _smi(index: int) -> Clock:
    command = ["nvidia-smi", f"--id={index}", "--query-gpu=clocks.sm,power.draw", "--format=csv,noheader,nounits"]
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return Clock()
    numbers = re.findall(r"[\d.]+", text)
    return Clock(float(numbers[0]), float(numbers[1])) if len(numbers) >= 2 else Clock()
