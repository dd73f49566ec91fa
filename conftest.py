# SPDX-License-Identifier: MIT
"""Long test runs on busy machines, each like the last: no deadline for an example, the same random numbers whichever tests ran before.

What tests leave behind in cycles is collected every few tests. Values between stages are not tracked by the garbage collector
(`tracea_core.data.Data`), so it counts few new objects and would come too rarely for the arrays and graphs that hang on them. Children of
tests say where they died.
"""

from __future__ import annotations

import gc
import itertools
import os
import random
import sys
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# A gate that draws other examples each time fails whoever comes next; `--hypothesis-profile explore` looks for new ones.
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("tracea", settings.get_profile("explore"), derandomize=True)
settings.load_profile("tracea")

os.environ.setdefault("PYTHONFAULTHANDLER", "1")

_EVERY = 20
_tests = itertools.count(1)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed what draws random numbers for a whole process by the test's name, so that no test's numbers depend on which ran before."""
    seed = zlib.crc32(item.nodeid.encode())
    random.seed(seed)
    np.random.seed(seed)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


def pytest_runtest_teardown() -> None:
    """Collect after every few tests."""
    if next(_tests) % _EVERY == 0:
        gc.collect()
