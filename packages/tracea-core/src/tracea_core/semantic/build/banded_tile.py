# SPDX-License-Identifier: MIT
"""The tile of `tracea_core.semantic.build.banded_strips`: what of lines and filters waits where, and which lane holds what of it.

A column of a fragment is a line, and behind the last line come those of the next channel.
"""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage_lanes import WARP, images
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.index import COLUMN, ROW, Const, Index
from tracea_core.semantic.kernel import Buffer, Lifetime, Space
from tracea_core.semantic.lanes import InstructionLanes, instruction
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.target import CapabilityProfile

ROWS, BANDS = "rows", "bands"
CHANNELS = 8
"""Channels of a warp: 16 bytes of a pixel."""
_CHUNK = 16
PERIOD = 8
"""Places after which a row of a filter, with zeros behind it, begins anew: columns that one lane multiplies are a multiple apart."""
TOGETHER = 4
"""Channels whose pairs a lane reads at once."""
_RUNS = 8
"""Runs of so many bytes that all banks hold."""


class BandedTile:
    """Extents, lane maps and buffers.

    Attributes
    ----------
    short : bool
        Whether a line of known length is taken whole: it is multiplied from its first pixel on, and padding is left out.
    depth : int
        Columns of the image that are multiplied.
    passes : int
        How often the warps of a block copy a row each.
    turns : int
        Rows so many apart lie together: those that neighbouring lanes see through one row of the filter.
    follow : bool
        Whether what a lane's line sees through a row of the filter its next line has seen, and the lane holds it.
    before : int
        Elements of a row of the filter that lie before what meets the first column that is multiplied.
    """

    def __init__(self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        self.f, self.config, self.profile = form, configuration, profile
        self.lanes = instruction(f"mma_m16n8k16_{form.image.dtype.value}")
        width, step = form.image.width, form.stride[1]
        self.short = isinstance(form.m, Const) and isinstance(width, Const) and form.m.value <= self.lanes.m
        before = form.padding[1] if self.short else 0
        reach = (self.lanes.m - 1) * step + form.taps[1]
        if self.short and isinstance(width, Const):
            reach = min(width.value, reach - form.padding[1])
        tiles = configuration.tile_k // self.lanes.n
        self.turns, self.follow = tiles * form.stride[0], tiles > 1 and form.stride[0] == 1
        self.half = instruction(f"mma_m16n8k8_{form.image.dtype.value}")
        self.depth = -(-reach // self.half.k) * self.half.k
        rows = (configuration.tile_k - 1) * form.stride[0] + form.taps[0]
        self.passes = -(-rows // configuration.warps)
        self.before = before
        self.joined, self.held = self._sums()
        self.copied, self.stored, self.staged = self._copied(self.depth), self._copied(self.lanes.m), self._staged()

    @property
    def parts(self) -> tuple[tuple[int, InstructionLanes], ...]:
        """The instructions that multiply a row, each with the first of its columns: what is left is multiplied by one of half the depth."""
        whole = self.depth // self.lanes.k * self.lanes.k
        found = tuple((k, self.lanes) for k in range(0, whole, self.lanes.k))
        return found if whole == self.depth else (*found, (whole, self.half))

    def sorted(self, k: int, lanes: InstructionLanes, tile: int) -> str:
        """Name what is held of the row that a tile's lines see, from its column `k` on."""
        return f"sorted{k}_{tile}" if self.follow else f"sorted_of{lanes.k}_{tile}"

    def operand(self, lanes: InstructionLanes) -> tuple[FragmentLayout, FragmentLayout]:
        """What a lane reads of the columns of eight channels, in runs of channels, and the same sorted by channels."""
        assert lanes.b is not None
        lane, register = images(lanes.b)
        shape = (lanes.k, lanes.n * CHANNELS)
        return (
            FragmentLayout.from_bits(shape, tuple(lane), (*self._channels, *register)),
            FragmentLayout.from_bits(shape, tuple(lane), (*register, *self._channels)),
        )

    def _sums(self) -> tuple[FragmentLayout, FragmentLayout]:
        """What is joined of the sums of eight channels, and the same in runs of channels."""
        lane, register = images(self.lanes.c)
        shape = (self.lanes.m, self.lanes.n * CHANNELS)
        return (
            FragmentLayout.from_bits(shape, tuple(lane), (*register, *self._channels)),
            FragmentLayout.from_bits(shape, tuple(lane), (*self._channels, *register)),
        )

    @property
    def _channels(self) -> tuple[tuple[int, int], ...]:
        return tuple((0, self.lanes.n << bit) for bit in range(CHANNELS.bit_length() - 1))

    def _copied(self, columns: int) -> FragmentLayout:
        """Which lane copies what of so many columns of a row: neighbouring lanes neighbouring runs of channels."""
        across = self.config.tile_n // CHANNELS
        down = self.profile.lanes // across
        lane = tuple((0, CHANNELS << bit) for bit in range(across.bit_length() - 1))
        lane += tuple((1 << bit, 0) for bit in range(down.bit_length() - 1))
        run = tuple((0, 1 << bit) for bit in range(CHANNELS.bit_length() - 1))
        one = FragmentLayout.from_bits((down, self.config.tile_n), lane, run)
        return one.repeat(rows=-(-columns // down))

    def filters(self, lanes: InstructionLanes) -> FragmentLayout:
        """What a lane reads of the bands of some channels: for each register of the operand, the pairs of these channels."""
        assert lanes.a is not None
        lane, (pair, *others) = images(lanes.a)
        channels = tuple((0, lanes.k << bit) for bit in range(TOGETHER.bit_length() - 1))
        return FragmentLayout.from_bits((lanes.m, lanes.k * TOGETHER), tuple(lane), (pair, *channels, *others))

    def place(self, lanes: InstructionLanes, k: int) -> tuple[Index, Index]:
        """Return which element of a row of the filter begins the pair of a band that an element belongs to, and which one it is."""
        column, step = COLUMN % lanes.k, self.f.stride[1]
        return column // 2 * 2 - ROW * step + (k + self.before), column % 2

    def _staged(self) -> FragmentLayout:
        """Which lane stages what of a row of eight filters."""
        lane = (*((1 << bit, 0) for bit in range(PERIOD.bit_length() - 1)), (0, 1), (0, 2))
        return FragmentLayout.from_bits((PERIOD, CHANNELS), lane, ((0, TOGETHER),))

    def buffers(self) -> tuple[Buffer, ...]:
        """Return what waits in shared memory."""
        dtype = self.f.image.dtype
        return (
            Buffer(BANDS, Space.SHARED, dtype, self._bands(), Lifetime.TILE, alignment=_CHUNK),
            Buffer(ROWS, Space.SHARED, dtype, self._rows(), Lifetime.TILE, slots=self.config.stages, alignment=_CHUNK),
        )

    def _rows(self) -> Layout:
        """Rows that a stride leaves apart lie together; neighbouring lines, and runs that neighbouring lanes copy, in different banks."""
        step, chunks = self.turns, self.config.tile_n // CHANNELS
        down = -(-self.passes * self.config.warps // step)
        across = max(self.copied.shape[0], self.depth, self.lanes.m)
        by_row = (across + 1 - across % 2) * CHANNELS
        by_chunk = step * down * by_row
        by_chunk += CHANNELS * ((max(_RUNS // chunks, 1) - by_chunk // CHANNELS) % _RUNS)
        return Layout.strided(
            (("chunk", chunks), ("turn", step), ("row", down), ("column", across), ("channel", CHANNELS)),
            (by_chunk, down * by_row, by_row, CHANNELS, 1),
        )

    def _bands(self) -> Layout:
        """The pairs of each row of each channel's filter; a lane reads those of some channels at once, and all places fill the banks."""
        warps, taps, runs = self.config.warps, self.f.taps[0], CHANNELS // TOGETHER
        return Layout.row_major(
            ("warp", warps), ("tap", taps), ("run", runs), ("place", PERIOD), ("channel", TOGETHER), ("element", 2)
        )

    def pair(self, channel: Index, tap: Index, place: Index, element: Index) -> tuple[Index, ...]:
        """Return where an element of a pair of one of a warp's channels waits."""
        return WARP, tap, channel // TOGETHER, place, channel % TOGETHER, element
