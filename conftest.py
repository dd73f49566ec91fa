# SPDX-License-Identifier: MIT
"""Long test runs on busy machines: no deadline for an example, and what tests leave behind in cycles is collected every few tests.

Values between stages are not tracked by the garbage collector (`tracea_core.data.Data`), so it counts few new objects and would come
too rarely for the arrays and graphs that hang on them. Children of tests say where they died.
"""

from __future__ import annotations

import gc
import itertools
import os

from hypothesis import settings

settings.register_profile("tracea", deadline=None)
settings.load_profile("tracea")

os.environ.setdefault("PYTHONFAULTHANDLER", "1")

_EVERY = 20
_tests = itertools.count(1)


def pytest_runtest_teardown() -> None:
    """Collect after every few tests."""
    if next(_tests) % _EVERY == 0:
        gc.collect()
