# SPDX-License-Identifier: MIT
"""What was touched last in each slot of a shared buffer: enough to tell, mostly, that nobody meets there without a look at its places.

A race is a matter of one interval between two barriers. Where the youngest write of a slot is older than the interval of every block
that touches it now, none of its places needs to be looked at. Reads are stamped when a write could meet them, and never if all of their
blocks have passed a barrier meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.lockstep_team import Team


class Seen(NamedTuple):
    """A read that has no stamp yet: its grains in a block's part of the buffer, each once, and who reads each of them.

    `blocks` are those that read, and `first` the stamps that their intervals began with.
    """

    memory: Memory
    team: Team
    grains: Integers
    readers: Integers
    blocks: Integers
    first: Integers
    slots: Sequence[int]


@dataclass
class Recent:
    """Of each slot of a buffer: stamps that no write and no stamped read of it exceeds, and in how many blocks copies to it are under way.

    `waiting` are reads without a stamp.
    """

    written: list[int]
    read: list[int]
    flying: list[int]
    waiting: list[Seen] = field(default_factory=list)

    @classmethod
    def of(cls, slots: int) -> Recent:
        """Return the record of a buffer that nobody touched."""
        return cls([0] * slots, [0] * slots, [0] * slots)

    def write(self, slots: Sequence[int], latest: int) -> None:
        """Note a write whose stamps `latest` is not exceeded by."""
        for slot in slots:
            self.written[slot] = max(self.written[slot], latest)

    def see(self, slots: Sequence[int], latest: int) -> None:
        """Note reads that are stamped."""
        for slot in slots:
            self.read[slot] = max(self.read[slot], latest)

    def fly(self, slots: Sequence[int], blocks: int) -> None:
        """Note that copies begin in so many blocks; if less than zero, that they have landed."""
        for slot in slots:
            self.flying[slot] += blocks

    def meets_writes(self, slots: Sequence[int], earliest: int) -> bool:
        """Whether a place of these slots may have been written from the stamp `earliest` on, or a copy may be under way there."""
        return any(self.flying[slot] or self.written[slot] >= earliest for slot in slots)

    def meets_reads(self, slots: Sequence[int], earliest: int) -> bool:
        """Whether a place of these slots may have a stamp of a read from `earliest` on."""
        return any(self.read[slot] >= earliest for slot in slots)
