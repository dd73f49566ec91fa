# SPDX-License-Identifier: MIT
"""Measurements for pages to draw."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.policy.config import PipelineConfig
from tracea_core.tuner.measure import summarize
from tracea_core.tuner.record import Key, Record, Status

from tracea.explanation import Explanation


@pytest.fixture(scope="session")
def measured() -> Callable[[Explanation], list[Record]]:
    """Return what makes records of the configuration in force, at 1 ms, of six slower ones and of one that failed."""

    def records(explained: Explanation) -> list[Record]:
        chosen = explained.configuration.configuration
        key = Key(hardware="h", driver="", compiler="", problem="p")
        others = [PipelineConfig(tile_m=m, tile_n=n, tile_k=4, stages=1, warps=1) for m in (2, 4) for n in (8, 16, 24)]
        found = [
            Record(key=key, configuration=c, source="", status=Status.OK, measurement=summarize([1e-3 * (i + 1)] * 3))
            for i, c in enumerate(dict.fromkeys((chosen, *others)))
        ]
        failed = others[0].replace(tile_k=8)
        return [*found, Record(key=key, configuration=failed, source="", status=Status.FAILED, error="no")]

    return records
