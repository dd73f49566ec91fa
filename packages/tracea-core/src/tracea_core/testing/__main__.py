# SPDX-License-Identifier: MIT
"""``python -m tracea_core.testing BACKEND``: a backend's conformance suite; see `tracea_core.testing.suite`."""

from __future__ import annotations

from tracea_core.testing.suite import main

if __name__ == "__main__":
    raise SystemExit(main())
