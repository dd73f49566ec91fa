# SPDX-License-Identifier: MIT
"""Which step of the reduction a persistent block loads next: in every other round backwards, where a configuration says so.

A tile then begins with the rows and columns along k that the tile before it ended with, which are still in the L2 cache.
"""

from __future__ import annotations

from typing import NamedTuple

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.index import Index, Sym
from tracea_core.semantic.steps import Let, Loop, Node

_ROUND, _COUNTED, _TAKEN, _BACK, _STOP = (Sym(name) for name in ("round", "k_step", "k_taken", "k_back", "k_stop"))


class Way(NamedTuple):
    """Steps from `first` below `stop` in the order that their operands are loaded in: `before` them, `each` of them, the one `taken`."""

    first: Index
    stop: Index
    before: tuple[Let, ...]
    each: tuple[Let, ...]
    taken: Index

    def over(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        """Return the nodes that run `body` for every step of a round."""
        return (*self.before, Loop(_COUNTED.name, self.first, self.stop, (*self.each, *body)))


def way_along_k(configuration: PipelineConfig, first: Index, last: Index) -> Way:
    """Return the way of a producer through the steps from `first` below `last`, which counts and mirrors them by one name."""
    if not configuration.value("returning"):
        return Way(first, last, (), (), _COUNTED)
    before = (Let(_STOP.name, last), Let(_BACK.name, _ROUND % 2))
    mirrored = first + _STOP - 1 - _COUNTED * 2
    return Way(first, _STOP, before, (Let(_TAKEN.name, _COUNTED + _BACK * mirrored),), _TAKEN)
