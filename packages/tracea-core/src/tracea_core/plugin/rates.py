# SPDX-License-Identifier: MIT
"""Measured rates of devices, kept beside the compiled kernels, and put into profiles whose backend could only guess.

OpenCL and SYCL tell nothing of a device's memory but its size, and a device that no document lists has the memory of its nearest kin.
Once it is measured (`tracea_core.pipeline.rates`), every later process decides by that; what a vendor publishes or a driver says stays.
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.errors import MalformedDataError, OptionError
from tracea_core.runtime.cache import BinaryCache, key_digest
from tracea_core.storage import cache_root
from tracea_core.target import Target
from tracea_core.tuner.record import hardware_fingerprint

_VERSION = 1
"""Of what is stored."""


class Rates(Data, frozen=True, kw_only=True):
    """What kernels reached on a device.

    Attributes
    ----------
    memory_gbps : float
        GB/s that a kernel reads and writes together, from and to memory far larger than the caches.
    products : dict of str to float
        GFLOP/s (GOP/s for integers) of large square products, by the operands' type.
    """

    memory_gbps: float
    products: dict[str, float]

    def __post_init__(self) -> None:
        if not all(0 < rate < float("inf") for rate in (self.memory_gbps, *self.products.values())):
            raise OptionError("rates are positive numbers", rates=(self.memory_gbps, *self.products.values()))


def keep(target: Target, rates: Rates) -> None:
    """Store what was measured on a device, for every later process."""
    _cache().put(_key(target), rates.to_json().encode())


def kept(target: Target) -> Rates | None:
    """Return what was measured on such a device, or None if nothing was, or nothing that can be trusted."""
    content = _cache().get(_key(target))
    if content is None:
        return None
    try:
        return Rates.from_json(content)
    except (MalformedDataError, OptionError):
        return None


def with_measured(target: Target) -> Target:
    """Return the target with the measured rate of its memory in the place of a guessed one, if there is one.

    A product's rate is what a kernel reaches, no peak, and takes no peak's place.
    """
    profile = target.profile
    found = kept(target) if profile.memory_guessed else None
    if found is None:
        return target
    source = f"{profile.source}; the rate of memory measured"
    return target.replace(profile=profile.replace(memory_gbps=found.memory_gbps, memory_guessed=False, source=source))


def _cache() -> BinaryCache:
    return BinaryCache(cache_root() / "rates")


def _key(target: Target) -> str:
    machine = hardware_fingerprint(target.profile)
    return key_digest(arch=target.profile.arch, toolchain=target.backend, source=machine, flags=(f"rates {_VERSION}",))
