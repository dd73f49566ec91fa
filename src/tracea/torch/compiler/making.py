# SPDX-License-Identifier: MIT
"""Kernels of a graph's regions are proved and compiled by workers while Inductor compiles the rest of the graph.

A kernel takes seconds the first time, a graph may want twenty, and Inductor takes seconds as well: side by side they cost little more
than the longer of both. What lies in the cache already costs nothing and is decided at once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from tracea_core.errors import TraceaError
from tracea_core.pipeline.ahead import Ahead, Draft, drafts

from tracea.torch.compiler.sketch import Sketch

_log = logging.getLogger("tracea")
KINDS = ("cuda",)
"""Devices whose kernels are made so: their compilers are slow and need no device. On a CPU all processors are Inductor's."""


class Making:
    """What is being made for one graph; use it as a context manager.

    Parameters
    ----------
    sketches : sequence of Sketch
        The regions whose kernels are wanted, the most important first.
    """

    def __init__(self, sketches: Sequence[Sketch]) -> None:
        self._places: dict[str, int] = {}
        batches: list[tuple[Draft, ...]] = []
        for digest, sketch in {sketch.digest(): sketch for sketch in sketches if sketch.device.type in KINDS}.items():
            found = _drafts(sketch)
            if found:
                self._places[digest] = len(batches)
                batches.append(found)
        self._ahead = Ahead(batches)

    def wants(self, digest: str) -> bool:
        """Whether something has to be made for a region."""
        return digest in self._places

    def done(self, digest: str, until: float) -> bool:
        """Return whether a region's kernels have been dealt with, at the latest when `time.monotonic` says `until`."""
        place = self._places.get(digest)
        return place is None or self._ahead.wait(place, until)

    def __bool__(self) -> bool:
        return bool(self._places)

    def __enter__(self) -> Making:
        return self

    def __exit__(self, *_: object) -> None:
        self._ahead.close()


def _drafts(sketch: Sketch) -> tuple[Draft, ...]:
    begin = time.perf_counter()
    try:
        return drafts(sketch.problem(), str(sketch.device))
    except TraceaError as error:  # the decision says so
        _log.debug("no kernel of %s is made ahead: %s", sketch.op, error)
        return ()
    finally:
        _log.debug("drafted %s in %.0f ms", sketch.op, (time.perf_counter() - begin) * 1e3)
