# SPDX-License-Identifier: MIT
"""What is there, what is missing, what is broken, and what to do about it: the report behind ``tracea doctor``.

`diagnose` never raises and never dies. Each section is examined on its own; what could crash or hang the process (plugins, drivers,
other people's libraries) is examined in child processes. If even NumPy or msgspec is broken, the names below cannot be imported; then
`tracea_core.diagnose.emergency`, which needs only the standard library, still says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tracea_core.diagnose.examine import diagnose
    from tracea_core.diagnose.report import DoctorReport

__all__ = ["DoctorReport", "diagnose"]


def __getattr__(name: str) -> object:
    """Import on first use, so that the emergency report can be reached when nothing else can."""
    if name == "diagnose":
        from tracea_core.diagnose.examine import diagnose

        return diagnose
    if name == "DoctorReport":
        from tracea_core.diagnose.report import DoctorReport

        return DoctorReport
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
