# SPDX-License-Identifier: MIT
"""Several kernels as one launcher: queued one after the other on the caller's stream, with workspaces between them.

Nothing is queued before every address has been looked at, so a call that cannot be served changes nothing.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from types import MappingProxyType
from typing import NamedTuple

from tracea_core.errors import AlignmentError, LaunchError
from tracea_core.runtime.arena import ALIGNMENT, Arena
from tracea_core.runtime.interface import Launcher

_SETS = 256


class Call(NamedTuple):
    """One kernel: its launcher, what its pointers are, and the alignment in bytes that it relies on for each.

    A kernel may begin `shifts` bytes from a pointer that the caller gives, by name: it then works on a part of that tensor.
    """

    launch: Launcher
    operands: tuple[str, ...]
    alignments: tuple[int, ...]
    shifts: Mapping[str, int] = MappingProxyType({})

    def addresses(self, places: Mapping[str, int]) -> tuple[int, ...]:
        """Return where its operands begin."""
        return tuple(places[name] + self.shifts.get(name, 0) for name in self.operands)


class Sequence:
    """A launcher of several kernels; see `tracea_core.runtime.interface.Launcher`.

    Parameters
    ----------
    calls : sequence of Call
        The kernels in order.
    given : tuple of str
        What the caller's pointers are, in order.
    scratch : mapping of str to int
        Workspaces by name: bytes.
    arena : Arena, optional
        Where they lie; none is needed where there are no workspaces.

    Raises
    ------
    LaunchError
        If a kernel uses a pointer that is neither, or there are workspaces and no arena.
    """

    def __init__(
        self, calls: SequenceOf[Call], given: tuple[str, ...], scratch: Mapping[str, int], arena: Arena | None
    ) -> None:
        self.calls, self.given, self.arena = tuple(calls), given, arena
        self._offsets: dict[str, int] = {}
        self.bytes = 0
        for name, size in scratch.items():
            self._offsets[name] = self.bytes
            self.bytes += -(-size // ALIGNMENT) * ALIGNMENT
        unknown = {name for call in calls for name in call.operands} - set(given) - set(scratch)
        if unknown:
            raise LaunchError(f"no pointer is given for {', '.join(sorted(unknown))}")
        if arena is None and scratch:
            raise LaunchError(f"there is no memory for {', '.join(sorted(scratch))}")
        self._guard = threading.Lock()
        self._known: dict[tuple[int, tuple[int, ...]], tuple[tuple[Launcher, tuple[int, ...]], ...]] = {}

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Queue the kernels on `stream`.

        Raises
        ------
        LaunchError, AlignmentError
            If an address cannot be served (nothing has been queued then), or the device or driver refuses.
        """
        arena = self.arena
        if arena is None:
            self._queue(0, pointers, stream)
            return
        with arena.lock:
            self._queue(arena.borrow(self.bytes, stream), pointers, stream)

    def _queue(self, base: int, pointers: tuple[int, ...], stream: int) -> None:
        bound = self._known.get((base, pointers))
        if bound is None:
            bound = self._bind(base, pointers)
        for launch, addresses in bound:
            launch(*addresses, stream=stream)

    def _bind(self, base: int, pointers: tuple[int, ...]) -> tuple[tuple[Launcher, tuple[int, ...]], ...]:
        """Return every kernel with its addresses, and remember them."""
        if len(pointers) != len(self.given):
            raise LaunchError(f"the plan takes one address each of {', '.join(self.given)}, not {pointers}")
        places = dict(zip(self.given, pointers, strict=True)) | {name: base + at for name, at in self._offsets.items()}
        for call in self.calls:
            for name, address, alignment in zip(call.operands, call.addresses(places), call.alignments, strict=True):
                if address % alignment:
                    raise AlignmentError(
                        f"{name} starts at {address:#x}, and this plan relies on {alignment}-byte alignment",
                        alignment=math.gcd(16, *pointers), hint="Copy the array, or view it from an aligned element",
                    )  # fmt: skip
        bound = tuple((call.launch, call.addresses(places)) for call in self.calls)
        with self._guard:
            while len(self._known) >= _SETS:
                self._known.pop(next(iter(self._known)))
            self._known[base, pointers] = bound
        return bound
