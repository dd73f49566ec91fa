# SPDX-License-Identifier: MIT
"""Calls as a library of C: planned, certified, printed and compiled here, and run elsewhere without Python.

`library` writes one; `build` compiles it where there is a compiler. The interface, ``tracea.h``, is in the folder ``c``.
"""

from __future__ import annotations

from tracea_core.export.calls import ExportedCall, exported_call
from tracea_core.export.library import ExportedLibrary, export_library

__all__ = ["ExportedCall", "ExportedLibrary", "export_library", "exported_call"]
