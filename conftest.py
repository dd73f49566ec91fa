# SPDX-License-Identifier: MIT
"""Memory of long test runs: what tests leave behind in cycles is collected every few tests.

Values between stages are not tracked by the garbage collector (`tracea_core.data.Data`), so it counts few new objects and would come
too rarely for the arrays and graphs that hang on them.
"""

from __future__ import annotations

import gc
import itertools

_EVERY = 20
_tests = itertools.count(1)


def pytest_runtest_teardown() -> None:
    """Collect after every few tests."""
    if next(_tests) % _EVERY == 0:
        gc.collect()
