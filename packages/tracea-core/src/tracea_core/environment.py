# SPDX-License-Identifier: MIT
"""Environment variables that switch something on: set, and neither empty nor 0."""

from __future__ import annotations

import os

INTERPRET = "TRACEA_INTERPRET"
"""Runs calls in the interpreter (`tracea_core.pipeline.interpreted`)."""


def is_on(name: str) -> bool:
    """Whether the variable `name` switches its subject on."""
    return os.environ.get(name, "").strip() not in ("", "0")
