# SPDX-License-Identifier: MIT
"""What a policy decides: how to cut, in which order to run, what is worth measuring, and why.

It is data, so that `explain` can print it, a lock file can hold it, and the tuner can start from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.policy.tiles import TilingKind


class Reason(Data, frozen=True):
    """Which rule changed the decision, and why."""

    rule: str
    text: str


class PrunedSpace(Data, frozen=True, kw_only=True):
    """Values worth trying for each field of a configuration; an empty list stands for the field's default.

    The fields are those of `PipelineConfig`, and `tiles`: pairs (tile_m, tile_n) that are tried together, where the one
    bounds the other. With it, `tile_m` and `tile_n` stay empty.
    """

    tiles: tuple[tuple[int, int], ...] = ()
    tile_m: tuple[int, ...] = ()
    tile_n: tuple[int, ...] = ()
    tile_k: tuple[int, ...] = ()
    stages: tuple[int, ...] = ()
    warps: tuple[int, ...] = ()
    swizzle: tuple[SwizzleMode, ...] = ()
    barrier_mode: tuple[BarrierMode, ...] = ()
    cluster_m: tuple[int, ...] = ()
    cluster_n: tuple[int, ...] = ()
    split_k: tuple[int, ...] = ()
    order: tuple[Order, ...] = ()
    group: tuple[int, ...] = ()
    vector_a: tuple[int, ...] = ()
    vector_b: tuple[int, ...] = ()
    vector_c: tuple[int, ...] = ()
    unroll_k: tuple[int, ...] = ()
    in_flight: tuple[int, ...] = ()
    row_block: tuple[int, ...] = ()
    pack_b: tuple[bool, ...] = ()
    pack_a: tuple[bool, ...] = ()
    block_k: tuple[int, ...] = ()
    halo: tuple[bool, ...] = ()
    hoisted: tuple[int, ...] = ()
    divided: tuple[int, ...] = ()
    returning: tuple[int, ...] = ()
    scale_boxes: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of combinations, valid or not."""
        return math.prod(len(getattr(self, field)) or 1 for field in self.__struct_fields__)

    def configurations(self) -> Iterator[PipelineConfig]:
        """Yield every combination that is a valid configuration, the last field varying fastest."""
        fields = [field for field in self.__struct_fields__ if getattr(self, field)]
        for values in product(*(getattr(self, field) for field in fields)):
            chosen = dict(zip(fields, values, strict=True))
            if "tiles" in chosen:
                chosen["tile_m"], chosen["tile_n"] = chosen.pop("tiles")
            try:
                yield PipelineConfig(**chosen)
            except ConfigurationError:
                continue  # combinations that contradict themselves are no candidates

    def contains(self, configuration: PipelineConfig) -> bool:
        """Whether every field of `configuration` has one of the listed values."""
        default = PipelineConfig()
        if self.tiles and (configuration.tile_m, configuration.tile_n) not in self.tiles:
            return False
        return all(
            configuration.value(field) in (getattr(self, field) or (default.value(field),))
            for field in self._single_fields()
        )

    def including(self, *configurations: PipelineConfig) -> PrunedSpace:
        """Return this space widened to contain `configurations`."""
        default = PipelineConfig()
        changes: dict[str, tuple[object, ...]] = {}
        if self.tiles:
            changes["tiles"] = tuple(dict.fromkeys((*self.tiles, *((c.tile_m, c.tile_n) for c in configurations))))
        for field in self._single_fields():
            listed = getattr(self, field) or (default.value(field),)
            new = [value for c in configurations if (value := c.value(field)) not in listed]
            if new:
                merged = {*listed, *new}
                plain = all(isinstance(value, int) for value in merged)
                changes[field] = tuple(sorted(merged)) if plain else (*listed, *dict.fromkeys(new))
        return self.replace(**changes)

    def _single_fields(self) -> tuple[str, ...]:
        """The fields that stand for themselves: not `tiles`, nor what it stands for."""
        paired = {"tiles", "tile_m", "tile_n"} if self.tiles else {"tiles"}
        return tuple(field for field in self.__struct_fields__ if field not in paired)


class PolicyDecision(Data, frozen=True, kw_only=True):
    """The outcome of a policy for one operator on one device.

    Attributes
    ----------
    operator, device : str
        What it was made for, in words.
    tiling : TilingKind
        How the problem is cut.
    order : Order
        Order in which tiles run.
    group : int
        Tile rows per band of `tracea_core.policy.order.BANDED` orders.
    split_k : int
        Parts of the reduction.
    space : PrunedSpace
        Values that the tuner should try.
    heroes : tuple of PipelineConfig
        Configurations to try first, best guess first; never empty, all within the device's budgets.
    reasons : tuple of Reason
        Why, in the order in which rules applied.
    """

    operator: str
    device: str
    tiling: TilingKind = TilingKind.DENSE
    order: Order = Order.ROW
    group: int = 8
    split_k: int = 1
    space: PrunedSpace = PrunedSpace()
    heroes: tuple[PipelineConfig, ...] = ()
    reasons: tuple[Reason, ...] = ()

    @property
    def hero(self) -> PipelineConfig:
        """The configuration to use without measuring."""
        return self.heroes[0]

    def because(self, rule: str, text: str, **changes: object) -> PolicyDecision:
        """Return a copy with some fields changed and the reason recorded."""
        return self.replace(reasons=(*self.reasons, Reason(rule, text)), **changes)

    def describe(self) -> str:
        """Return the decision with its reasons, a few lines."""
        lines = [
            f"{self.operator} on {self.device}: {self.tiling.value} tiling, {self.order.value} order"
            + (f", k in {self.split_k} parts" if self.split_k > 1 else ""),
            f"  {self.space.size} combinations to search; first guesses:",
        ]
        lines += [f"    {hero.describe()}" for hero in self.heroes]
        lines += [f"  {reason.rule}: {reason.text}" for reason in self.reasons]
        return "\n".join(lines)


def distinct(configurations: tuple[PipelineConfig, ...]) -> tuple[PipelineConfig, ...]:
    """Return the configurations without repetitions, in their order."""
    return tuple(dict.fromkeys(configurations))
