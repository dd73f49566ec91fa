# SPDX-License-Identifier: MIT
"""Memory that ends where a mapping of the GPU's ends: what reads or writes past it is stopped by the GPU itself, be it the copy engine.

An ordinary allocation is mapped in pages of 2 MiB and ends somewhere in one, so that only a tool that looks at each instruction can tell.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_size_t, c_ubyte, c_uint64, c_void_p

from tracea_cuda.driver import Driver
from tracea_cuda.runtime import Device

ALIGNMENT = 16
"""What addresses are multiples of: as much as any printed kernel asks of its operands."""
PINNED = ON_DEVICE = 1  # CU_MEM_ALLOCATION_TYPEPINNED, CU_MEM_LOCATION_TYPE_DEVICE
READ_AND_WRITE = 3  # CU_MEM_ACCESS_FLAGS_PROT_READWRITE
SMALLEST_PAGES = 0  # CU_MEM_ALLOC_GRANULARITY_MINIMUM
_PROTOTYPES = {
    "cuMemGetAllocationGranularity": (c_void_p, c_void_p, c_int),
    "cuMemAddressReserve": (c_void_p, c_size_t, c_size_t, c_uint64, c_uint64),
    "cuMemCreate": (c_void_p, c_size_t, c_void_p, c_uint64),
    "cuMemMap": (c_uint64, c_size_t, c_size_t, c_uint64, c_uint64),
    "cuMemSetAccess": (c_uint64, c_size_t, c_void_p, c_size_t),
}


class Location(ctypes.Structure):
    """CUmemLocation."""

    _fields_ = (("kind", c_int), ("id", c_int))


class Properties(ctypes.Structure):
    """CUmemAllocationProp."""

    _fields_ = (
        ("kind", c_int), ("handles", c_int), ("location", Location), ("windows", c_void_p), ("flags", c_ubyte * 8),
    )  # fmt: skip


class Access(ctypes.Structure):
    """CUmemAccessDesc."""

    _fields_ = (("location", Location), ("flags", c_int))


class EndingDevice(Device):
    """A device that lends memory of which the last byte, or one of the 15 before it, is the last that is mapped."""

    def __init__(self, driver: Driver, ordinal: int) -> None:
        super().__init__(driver, ordinal)
        for name, types in _PROTOTYPES.items():
            function = getattr(driver.library, name)
            function.argtypes, function.restype = list(types), c_int
        self._properties = Properties(PINNED, 0, Location(ON_DEVICE, ordinal))
        self._access = Access(Location(ON_DEVICE, ordinal), READ_AND_WRITE)
        page = c_size_t()
        self.call(
            "cuMemGetAllocationGranularity", ctypes.byref(page), ctypes.byref(self._properties), SMALLEST_PAGES,
            what="asking for the size of a page",
        )  # fmt: skip
        self.page = page.value

    def allocate(self, size: int) -> int:
        """Return the address of `size` bytes, aligned to 16, that live as long as the process.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        length, start, handle = -(-size // self.page) * self.page, c_uint64(), c_uint64()
        reserved = length + self.page  # the last page stays empty
        self.call("cuMemAddressReserve", ctypes.byref(start), reserved, 0, 0, 0, what="reserving addresses")
        self.call(
            "cuMemCreate", ctypes.byref(handle), length, ctypes.byref(self._properties), 0, what=f"allocating {length} bytes"
        )  # fmt: skip
        self.call("cuMemMap", start.value, length, 0, handle.value, 0, what="mapping memory")
        self.call("cuMemSetAccess", start.value, length, ctypes.byref(self._access), 1, what="giving access to memory")
        return start.value + length - -(-size // ALIGNMENT) * ALIGNMENT

    def free(self, address: int) -> None:
        """Keep memory: an address that is mapped again would hide what still uses it."""
