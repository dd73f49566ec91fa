# SPDX-License-Identifier: MIT
"""The devices of Intel's SYCL runtime that compile kernels when they are given, and what is said of each."""

from __future__ import annotations

import functools
from typing import NamedTuple

from tracea_core.errors import BackendUnavailableError
from tracea_core.target import SUB_GROUP_SHUFFLE, CapabilityProfile

from tracea_sycl.oneapi.host import WAY_ON, Said, library

_LANES = 16


class SyclDevice(NamedTuple):
    """A device of the runtime; `number` is its place in the runtime's list, `system_memory` whether it reaches all of the host's."""

    number: int
    name: str
    vendor: str
    platform: str
    driver: str
    is_processor: bool
    system_memory: bool
    shared_memory: bool
    compiles: bool
    sub_groups: tuple[int, ...]
    units: int
    clock_mhz: int
    local_bytes: int
    largest_group: int
    memory_bytes: int

    @property
    def label(self) -> str:
        """The device as users write it."""
        return f"oneapi:{self.number}"

    def describe(self) -> str:
        """Return its name, platform and driver in one line."""
        return f"{self.name.strip()} of {self.platform.strip()}, driver {self.driver.strip()}"


@functools.lru_cache(maxsize=1)
def devices() -> tuple[SyclDevice, ...]:
    """Return every device that builds SYCL from source and has memory that the host shares.

    Raises
    ------
    BackendUnavailableError
        If the runtime is missing, or fails to list its devices.
    """
    said = Said()
    if library().tracea_devices(*said.arguments) < 0:
        raise BackendUnavailableError(f"SYCL fails to list its devices: {said.text}", hint=WAY_ON, backend="oneapi")
    every = (_read(number, line) for number, line in enumerate(said.text.splitlines()))
    return tuple(device for device in every if device.compiles and device.shared_memory and device.sub_groups)


def _read(number: int, line: str) -> SyclDevice:
    name, vendor, platform, driver, *flags, lanes, units, clock, local, group, memory = line.split("\t")
    processor, system, shared, compiles = (flag == "1" for flag in flags)
    return SyclDevice(
        number, name, vendor, platform, driver, processor, system, shared, compiles, tuple(map(int, lanes.split())), int(units),
        int(clock), int(local), int(group), int(memory),
    )  # fmt: skip


def find(label: str) -> SyclDevice:
    """Return the device called ``oneapi:N``.

    Raises
    ------
    BackendUnavailableError
        If there is none.
    """
    found = next((device for device in devices() if device.label == label), None)
    if found is None:
        known = ", ".join(device.label for device in devices())
        raise BackendUnavailableError(
            f"SYCL has no device {label!r}", hint=f"It has {known}" if known else WAY_ON, backend="oneapi"
        )
    return found


def profile(device: SyclDevice) -> CapabilityProfile:
    """Return what SYCL says about a device. It publishes no rates and no registers: those are a modest GPU's, until memory is measured.

    Sub-groups have 16 lanes where the device offers them, else as many as it does, up to 32.
    """
    lanes = _LANES if _LANES in device.sub_groups else max(size for size in device.sub_groups if size <= 2 * _LANES)
    clock, units = float(device.clock_mhz) or 2000.0, max(device.units, 1)
    return CapabilityProfile(
        name=device.name.strip(), vendor=device.vendor.strip() or "unknown", arch="sycl", backend="oneapi", processors=units,
        lanes=lanes, registers_per_processor=1 << 17, max_registers_per_thread=256, shared_bytes=device.local_bytes,
        shared_banks=16, max_threads_per_block=min(device.largest_group, 1024), memory_bytes=device.memory_bytes,
        clock_mhz=clock, memory_gbps=20.0 if device.is_processor else 200.0,
        peak_gflops_fp32=units * lanes * (4 if device.is_processor else 8) * clock / 1000,
        features=(SUB_GROUP_SHUFFLE,), memory_guessed=True, probed=True, source=device.describe(),
    )  # fmt: skip
