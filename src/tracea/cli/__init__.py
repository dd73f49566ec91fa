# SPDX-License-Identifier: MIT
"""The command line: ``tracea doctor``, ``explain``, ``emit``, ``verify``, ``tune``, ``bench``, ``cache``."""

from __future__ import annotations

from tracea.cli.app import main

__all__ = ["main"]
