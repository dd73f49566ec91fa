# SPDX-License-Identifier: MIT
"""Kernels of a graph's regions are proved, compiled and planned while Inductor compiles the rest of the graph.

A kernel takes seconds the first time, a graph may want twenty, and Inductor takes seconds as well: side by side they cost little more
than the longer of both. Workers prove and compile; a thread of this process plans each kernel as it comes out of them, in the time that
whoever compiles the graph waits for compilers of its own. What lies in the cache already costs nothing and is decided at once.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Sequence

from tracea_core.errors import TraceaError
from tracea_core.pipeline.ahead import Ahead, Draft, drafts

from tracea.torch import column_sums
from tracea.torch.compiler.sketch import Sketch

_log = logging.getLogger("tracea")
KINDS = ("cuda",)
"""Devices whose kernels are made so: their compilers are slow and need no device. On a CPU all processors are Inductor's."""

_POLL = 0.02
"""Seconds between looks at what workers have made."""


class Making:
    """What is being made for one graph; use it as a context manager.

    Parameters
    ----------
    sketches : sequence of Sketch
        The regions whose kernels are wanted, the most important first.
    plans : callable, optional
        ``plans(sketch)`` plans a region whose kernels are made, and leaves the plan to who asks again. It is called in a thread.
    """

    def __init__(self, sketches: Sequence[Sketch], plans: Callable[[Sketch], object] | None = None) -> None:
        self._places: dict[str, int] = {}
        batches: list[tuple[Draft, ...]] = []
        wanted: dict[str, Sketch] = {}
        for digest, sketch in {sketch.digest(): sketch for sketch in sketches if sketch.device.type in KINDS}.items():
            found = _drafts(sketch)
            if found:
                self._places[digest] = len(batches)
                wanted[digest] = sketch
                batches.append(found)
        self._begun = time.monotonic()
        self._ahead = Ahead(batches)
        self._planned = {digest: threading.Event() for digest in wanted} if plans is not None else {}
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        if plans is not None and wanted:
            self._thread = threading.Thread(target=self._plan, args=(plans, wanted), daemon=True)
            self._thread.start()

    @property
    def seconds(self) -> float:
        """How long ago making began."""
        return time.monotonic() - self._begun

    def wants(self, digest: str) -> bool:
        """Whether something has to be made for a region."""
        return digest in self._places

    def done(self, digest: str, until: float) -> bool:
        """Return whether a region has been dealt with, at the latest when `time.monotonic` says `until`."""
        place = self._places.get(digest)
        if place is None:
            return True
        planned = self._planned.get(digest)
        if planned is None:
            return self._ahead.wait(place, until)
        return planned.wait(max(0.0, until - time.monotonic()))

    def rest(self) -> None:
        """Let nothing more be planned in the thread."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _plan(self, plans: Callable[[Sketch], object], wanted: dict[str, Sketch]) -> None:
        waiting = dict(wanted)
        while waiting and not self._closed.is_set():
            ready = next((digest for digest in waiting if self._ahead.wait(self._places[digest], 0.0)), None)
            if ready is None:
                self._closed.wait(_POLL)
                continue
            try:
                plans(waiting.pop(ready))
            except Exception as error:  # who asks again meets it where it can be reported
                _log.debug("a kernel was not planned while the rest compiled: %s", error)
            finally:
                self._planned[ready].set()

    def __bool__(self) -> bool:
        return bool(self._places)

    def __enter__(self) -> Making:
        return self

    def __exit__(self, *_: object) -> None:
        self._ahead.close()
        self.rest()


def _drafts(sketch: Sketch) -> tuple[Draft, ...]:
    begin = time.perf_counter()
    try:
        found = drafts(sketch.problem(), str(sketch.device))
        if sketch.normed:
            with contextlib.suppress(TraceaError):  # the convolution may still be taken
                found += drafts(column_sums.problem(sketch.tensors, sketch.text, sketch.settings), str(sketch.device))
        return found
    except TraceaError as error:  # the decision says so
        _log.debug("no kernel of %s is made ahead: %s", sketch.op, error)
        return ()
    finally:
        _log.debug("drafted %s in %.0f ms", sketch.op, (time.perf_counter() - begin) * 1e3)
