# SPDX-License-Identifier: MIT
"""Synthetic landscapes: an analytic cost of tiled GEMMs with effects that the roofline prior does not know, and noise.

They stand in for a device in tests of searches: the truth is known, evaluations are free, and every run is the same.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.tuner.space import SearchSpace


@dataclass(frozen=True)
class Landscape:
    """A problem on an imagined device; some configurations do not run at all."""

    name: str
    m: int
    n: int
    k: int
    processors: int
    peak: float = 4.0e14
    bandwidth: float = 3.0e12
    noise: float = 0.01

    @cached_property
    def space(self) -> SearchSpace:
        return (
            SearchSpace()
            .tile_m([64, 128, 192, 256])
            .tile_n([64, 96, 128, 192, 256])
            .tile_k([32, 64, 128])
            .stages([2, 3, 4, 5])
            .swizzles([SwizzleMode.NONE, SwizzleMode.B64, SwizzleMode.B128])
            .barrier_modes([BarrierMode.NONE, BarrierMode.PRODUCER_CONSUMER])
            .orders([Order.ROW, Order.GROUPED])
        )

    @cached_property
    def candidates(self) -> tuple[PipelineConfig, ...]:
        def valid(c: PipelineConfig) -> str | None:
            shared = c.stages * (c.tile_m + c.tile_n) * c.tile_k * 2
            return None if shared <= 227 * 1024 else f"{shared} bytes do not fit"

        every = self.space.candidates(valid)
        chosen = np.random.default_rng(0).choice(len(every), 500, replace=False)
        return tuple(every[i] for i in sorted(chosen))

    def prior(self, c: PipelineConfig) -> float:
        """What a roofline with wave quantization expects."""
        tiles = math.ceil(self.m / c.tile_m) * math.ceil(self.n / c.tile_n)
        waves = math.ceil(tiles / self.processors)
        compute = waves * 2 * c.tile_m * c.tile_n * self.k / (self.peak / self.processors)
        traffic = 2 * self.k * (self.m * math.ceil(self.n / c.tile_n) + self.n * math.ceil(self.m / c.tile_m))
        return compute + 0.05 * traffic / self.bandwidth

    def seconds(self, c: PipelineConfig) -> float | None:
        """What it really takes: None for candidates that crash (spilled accumulators)."""
        accumulators = c.tile_m * c.tile_n / (256 if c.barrier_mode is BarrierMode.NONE else 384)
        if accumulators > 200:
            return None
        efficiency = 1.0
        efficiency *= {SwizzleMode.NONE: 0.55, SwizzleMode.B64: 0.9, SwizzleMode.B128: 1.0}[c.swizzle]
        efficiency *= 1.0 - 0.5 * math.exp(-0.9 * (c.stages - 1) * c.tile_k / 64)
        efficiency *= 1.0 if c.barrier_mode is BarrierMode.PRODUCER_CONSUMER else 0.86
        efficiency *= 1.0 - 0.25 * math.exp(-c.tile_m * c.tile_n / 9000)
        efficiency *= 1.03 if c.order is Order.GROUPED and self.m * self.n > 4e6 else 1.0
        ripple = int.from_bytes(hashlib.sha256(c.to_json().encode()).digest()[:4], "little") / 2**32
        return (self.prior(c) / efficiency + 3e-6) * (1 + 0.02 * ripple)

    def measure(self, seed: int) -> Callable[[PipelineConfig], float]:
        """Return a noisy measurement; the noise depends on the seed and the configuration only."""

        def run(c: PipelineConfig) -> float:
            seconds = self.seconds(c)
            if seconds is None:
                raise RuntimeError("registers spilled")
            digest = hashlib.sha256(f"{seed} {c.to_json()}".encode()).digest()
            generator = np.random.default_rng(int.from_bytes(digest[:8], "little"))
            return seconds * (1 + self.noise * abs(float(generator.standard_normal())))

        return run


LANDSCAPES = (
    Landscape("square", 4096, 4096, 4096, 132),
    Landscape("few tiles", 1024, 1536, 8192, 132),
    Landscape("prime sizes", 1999, 3001, 1009, 108),
    Landscape("tall", 16384, 512, 512, 132),
)


@pytest.fixture(params=LANDSCAPES, ids=lambda landscape: landscape.name.replace(" ", "-"))
def landscape(request: pytest.FixtureRequest) -> Landscape:
    return request.param


@pytest.fixture
def square() -> Landscape:
    return LANDSCAPES[0]
