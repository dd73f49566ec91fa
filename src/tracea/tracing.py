# SPDX-License-Identifier: MIT
"""Functions that Dynamo calls while it traces; see `tracea_core.tracing`."""

from __future__ import annotations

from tracea_core.tracing import constant_while_tracing, is_traced

__all__ = ["constant_while_tracing", "is_traced"]
