# SPDX-License-Identifier: MIT
"""Every free parameter of a schedule, bound: what a lock file holds, the tuner varies and a kernel is built from.

A configuration says nothing about a problem or a device, so only what is wrong everywhere is refused here; whether it
fits a device's budgets is the business of whoever builds a kernel from it. One set of fields serves GPUs and CPUs,
because the layers above (tuner, store, lock file) then need to know only one.
"""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.policy.order import Order

MAX_STAGES = 8
MAX_TILE = 1 << 16


class SwizzleMode(enum.Enum):
    """How rows of a shared-memory tile are permuted to avoid bank conflicts.

    ``xorN`` XORs the index of a 16-byte chunk with the row modulo N; ``b32``, ``b64`` and ``b128`` are the patterns
    that copy engines and warpgroup matrix instructions know, named by their span in bytes. CamelCase names (``Xor4``,
    ``None_``) are aliases.
    """

    NONE = "none"
    XOR2 = "xor2"
    XOR4 = "xor4"
    XOR8 = "xor8"
    B32 = "b32"
    B64 = "b64"
    B128 = "b128"
    None_ = "none"
    Xor2 = "xor2"
    Xor4 = "xor4"
    Xor8 = "xor8"


class BarrierMode(enum.Enum):
    """Who loads, who computes, and hence what has to wait for what. CamelCase names are aliases."""

    NONE = "none"  # one uniform role; barriers of the whole block wherever the phases require one
    PRODUCER_CONSUMER = "producer_consumer"  # own roles for loading and computing, full/empty barriers per stage
    PING_PONG = "ping_pong"  # as above, consumers own different tiles and take turns on the matrix unit
    None_ = "none"
    ProducerConsumer = "producer_consumer"
    PingPong = "ping_pong"


class PipelineConfig(Data, frozen=True, kw_only=True):
    """One point of the search space.

    Attributes
    ----------
    tile_m, tile_n, tile_k : int
        GPU: the block's tile in elements of C and its step along k. CPU: rows and columns of the register tile, and
        how many steps of k are unrolled.
    stages : int
        Slots of the ring of shared-memory tiles, 1 to 8. A CPU has no ring; 2 there asks for what comes next of B.
    warps : int
        Warps (waves, sub-groups, simdgroups) of a block, all roles together; 1 on a CPU.
    swizzle : SwizzleMode
        Permutation of shared-memory rows.
    barrier_mode : BarrierMode
        Division into roles.
    cluster_m, cluster_n : int
        Blocks along m and n that share loads.
    split_k : int
        Parts that the reduction is cut into; their partial sums are added afterwards.
    order : Order
        Order in which tiles run.
    group : int
        Tile rows per band of `tracea_core.policy.order.BANDED` orders.
    vector_a, vector_b, vector_c : int
        Elements moved by one access to A, B and C.
    unroll_k : int
        Steps of k unrolled in the innermost loop of a GPU kernel (register double buffering from 2 on). Strips of depthwise convolutions
        walk down the image with rolling sums from 2 on, so many steps in a row.
    in_flight : int
        Groups of asynchronous matrix instructions left running when the next stage is awaited. CPU: 1 where sweeps over panels pause to
        ask for the lines of their results and for the next panel; over weights packed before they ask for those of their results alone.
        Rows of a convolution are then output pixels as with `halo`, but images with padding are not copied: windows are tested where they
        lie, and sweeps ask for those of the next tile.
    row_block : int
        CPU: rows of A that are kept in the L2 cache while a panel of B passes; 0 means all. GPU: strips of a depthwise convolution that the
        lanes of a block take side by side, going on with the next one where channels end; 0 means none. Of a softmax or norm 1 where all
        warps of a block hold one row together.
    pack_b : bool
        CPU: copy B into panels before use, instead of reading it in place.
    pack_a : bool
        CPU: copy rows of A next to each other before use, instead of reading it in place.
    block_k : int
        Steps of k after which sums are put aside; 0 means all. On a CPU, so that the panels of so many steps stay in a cache; on a
        GPU, because the matrix unit keeps fewer bits than the sums need. Of a softmax or norm on a GPU `tile_n` where rows stay in
        registers, more where rows of up to so many columns wait in shared memory.
    halo : bool
        CPU: rows of a convolution are output pixels, read in place from a copy of the image with its padding. GPU: rows of filters of
        single channels are bands of matrices.
    hoisted : int, optional
        GPU: so many steps of a gathered reduction find the coordinates that follow from their place in it in tables in shared memory,
        which a block computes once; later steps compute them again. Unset, and left out of JSON and digests, where all do (0 is that).
    divided : int, optional
        GPU: 1 where a gather divides for its coordinates by the language's own division; unset, and left out of JSON and digests, where it
        multiplies by reciprocals (0 is that).
    returning : int, optional
        GPU: 1 where persistent blocks take the steps of the reduction backwards in every other round, so that a tile begins with what the
        one before it read last; a sum is rounded as its round says. Unset, and left out of JSON and digests, where none do (0 is that).
    scale_boxes : int, optional
        GPU: 1 where a copy engine brings the scales of a step of k into the slot of its tiles; unset, and left out of JSON and
        digests, where lanes load them (0 is that).

    Raises
    ------
    ConfigurationError
        If a field is outside its domain, or two fields contradict each other.
    """

    tile_m: int = 128
    tile_n: int = 128
    tile_k: int = 32
    stages: int = 2
    warps: int = 4
    swizzle: SwizzleMode = SwizzleMode.NONE
    barrier_mode: BarrierMode = BarrierMode.NONE
    cluster_m: int = 1
    cluster_n: int = 1
    split_k: int = 1
    order: Order = Order.ROW
    group: int = 8
    vector_a: int = 1
    vector_b: int = 1
    vector_c: int = 1
    unroll_k: int = 1
    in_flight: int = 0
    row_block: int = 0
    pack_b: bool = True
    pack_a: bool = False
    block_k: int = 0
    halo: bool = False
    hoisted: int | msgspec.UnsetType = msgspec.UNSET
    divided: int | msgspec.UnsetType = msgspec.UNSET
    returning: int | msgspec.UnsetType = msgspec.UNSET
    scale_boxes: int | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        for field in OPTIONAL:
            if getattr(self, field) == 0:
                msgspec.structs.force_setattr(self, field, msgspec.UNSET)
        for field, low, high in _RANGES:
            value = self.value(field)
            if not hasattr(value, "__index__") or not low <= value <= high:
                raise ConfigurationError(f"{field} must be between {low} and {high}, not {value!r}", field=field)
        for field in ("vector_a", "vector_b", "vector_c"):
            value = getattr(self, field)
            if value & (value - 1):
                raise ConfigurationError(f"{field} must be a power of two, not {value}", field=field)
        if self.cluster_m * self.cluster_n > 16:
            raise ConfigurationError(
                f"cluster_m · cluster_n must be at most 16, not {self.cluster_m * self.cluster_n}", field="cluster_m"
            )
        if self.barrier_mode is not BarrierMode.NONE and self.warps < 2:
            raise ConfigurationError(
                f"barrier_mode {self.barrier_mode.value} needs warps ≥ 2, one to load and one to compute",
                hint="Raise warps, or use BarrierMode.NONE",
                field="barrier_mode",
            )
        if self.in_flight >= self.stages and self.in_flight > 0:
            raise ConfigurationError(
                f"in_flight must be below stages ({self.stages}), not {self.in_flight}: the slot that is loaded next "
                "would still be read",
                field="in_flight",
            )

    @property
    def cluster(self) -> int:
        """Blocks per cluster."""
        return self.cluster_m * self.cluster_n

    def value(self, field: str) -> Any:
        """Return the value of a field, 0 where it is unset."""
        found = getattr(self, field)
        return 0 if found is msgspec.UNSET else found

    def describe(self) -> str:
        """Return a short text such as ``128x256x64 s4 c2x1 b128``; fields at their default are left out.

        Different configurations give different texts.
        """
        words = [f"{self.tile_m}x{self.tile_n}x{self.tile_k}", f"s{self.stages}"]
        if self.cluster > 1:
            words.append(f"c{self.cluster_m}x{self.cluster_n}")
        if self.swizzle is not SwizzleMode.NONE:
            words.append(self.swizzle.value)
        if self.barrier_mode is not BarrierMode.NONE:
            words.append(self.barrier_mode.value.replace("_", "-"))
        if self.order is not Order.ROW:
            words.append(self.order.value.replace("_", "-"))
        words += [f"{short}{self.value(name)}" for name, short, default in _SHORT if self.value(name) != default]
        if not self.pack_b:
            words.append("in-place")
        if self.pack_a:
            words.append("rows-packed")
        if self.halo:
            words.append("halo")
        return " ".join(words)


OPTIONAL = ("hoisted", "divided", "returning", "scale_boxes")
"""Fields that are unset where they are 0, so that configurations without them keep their digests."""

_RANGES = (
    ("tile_m", 1, MAX_TILE),
    ("tile_n", 1, MAX_TILE),
    ("tile_k", 1, MAX_TILE),
    ("stages", 1, MAX_STAGES),
    ("warps", 1, 32),
    ("cluster_m", 1, 16),
    ("cluster_n", 1, 16),
    ("split_k", 1, 4096),
    ("group", 1, 1 << 16),
    ("vector_a", 1, 64),
    ("vector_b", 1, 64),
    ("vector_c", 1, 64),
    ("unroll_k", 1, 64),
    ("in_flight", 0, MAX_STAGES - 1),
    ("row_block", 0, 1 << 40),
    ("block_k", 0, 1 << 40),
    ("hoisted", 0, 1 << 16),
    ("divided", 0, 1),
    ("returning", 0, 1),
    ("scale_boxes", 0, 1),
)

_SHORT = (
    ("split_k", "k/", 1),
    ("warps", "w", 4),
    ("group", "g", 8),
    ("vector_a", "va", 1),
    ("vector_b", "vb", 1),
    ("vector_c", "vc", 1),
    ("unroll_k", "u", 1),
    ("in_flight", "f", 0),
    ("row_block", "rb", 0),
    ("block_k", "kb", 0),
    ("hoisted", "t", 0),
    ("divided", "d", 0),
    ("returning", "r", 0),
    ("scale_boxes", "sb", 0),
)
