# SPDX-License-Identifier: MIT
"""What a backend's author needs to prove the backend: the conformance kit, a reference backend, golden files.

>>> from tracea_core.testing import conformance

Only the kit's test itself needs pytest; nothing here imports it before.
"""

from __future__ import annotations

from tracea_core.testing.kit import conformance

__all__ = ["conformance"]
