# SPDX-License-Identifier: MIT
"""Scratch memory of a device that plans of several kernels share: one block for each stream, grown as plans ask for more.

Work on one stream runs in order, so a block serves every plan of its stream, one after the other; whoever queues a plan's kernels
holds the arena's lock while doing so, so that the kernels of two threads' plans do not mix. A stream that is being captured into a
graph gets blocks of its own, which stay as long as the process: the graph may run at any time, beside the stream it was recorded on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

ALIGNMENT = 256
"""What addresses of workspaces are multiples of."""
_GROWTH = 1.5
_GRAIN = 1 << 20


class Arena:
    """Blocks of memory by stream.

    Parameters
    ----------
    allocate : callable
        ``allocate(bytes) -> address`` of memory aligned to 256 bytes.
    free : callable
        ``free(address)``, once everything queued that uses it has run.
    captured : callable, optional
        ``captured(stream) -> int``: a number for the graph that the stream is being captured into, 0 if it is not. By default no
        stream is.
    """

    def __init__(
        self, allocate: Callable[[int], int], free: Callable[[int], None], captured: Callable[[int], int] | None = None
    ) -> None:
        self._allocate, self._free, self._captured = allocate, free, captured
        self._blocks: dict[int, tuple[int, int]] = {}
        self._recorded: dict[tuple[int, int], tuple[int, int]] = {}
        self._kept: list[int] = []
        self.lock = threading.Lock()

    def borrow(self, size: int, stream: int) -> int:
        """Return the address of at least `size` bytes for work that is queued on `stream` next; hold `lock` until it is.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        graph = 0 if self._captured is None else self._captured(stream)
        if graph:
            return self._for_graph(size, stream, graph)
        block = self._blocks.get(stream)
        if block is not None and block[1] >= size:
            return block[0]
        return self._grow(size, stream, block)

    def _grow(self, size: int, stream: int, block: tuple[int, int] | None) -> int:
        wanted = size if block is None else max(size, int(block[1] * _GROWTH))
        wanted = -(-wanted // _GRAIN) * _GRAIN
        if block is not None:
            del self._blocks[stream]
            self._free(block[0])
        address = self._allocate(wanted)
        self._blocks[stream] = (address, wanted)
        return address

    def _for_graph(self, size: int, stream: int, graph: int) -> int:
        """A block for one captured graph; an outgrown one stays, since kernels recorded before use it."""
        block = self._recorded.get((stream, graph))
        if block is None or block[1] < size:
            block = (self._allocate(size), size)
            self._recorded[stream, graph] = block
            self._kept.append(block[0])
        return block[0]

    @property
    def bytes(self) -> int:
        """Bytes that streams hold now, those of graphs aside."""
        with self.lock:
            return sum(size for _, size in self._blocks.values())

    def trim(self) -> int:
        """Give the blocks of all streams back, and return their bytes. Blocks of captured graphs stay."""
        with self.lock:
            blocks, self._blocks = list(self._blocks.values()), {}
            for address, _ in blocks:
                self._free(address)
        return sum(size for _, size in blocks)
