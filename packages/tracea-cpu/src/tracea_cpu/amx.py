# SPDX-License-Identifier: MIT
"""Leave to use the tiles of AMX: 8 KiB of registers that Linux saves for a process once it has asked.

Without leave the first tile instruction ends the process (Linux kernel documentation, Documentation/arch/x86/xstate.rst). Threads
and children inherit it, so the probe asks once, and the runtime before it loads a kernel that nobody probed for.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import sys

TILE_INSTRUCTION = "@llvm.x86.ldtilecfg"
"""What every kernel that uses tiles begins with."""
_SYS_ARCH_PRCTL = 158
_REQUEST_PERMISSION = 0x1023
_TILE_DATA = 18


@functools.lru_cache(maxsize=1)
def tiles_are_granted() -> bool:
    """Ask the system for the tiles and return whether this process may use them; False where there is none to ask."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    call = ctypes.CDLL(None).syscall
    call.restype = ctypes.c_long
    arguments = (ctypes.c_long(number) for number in (_SYS_ARCH_PRCTL, _REQUEST_PERMISSION, _TILE_DATA))
    return bool(call(*arguments) == 0)
