# SPDX-License-Identifier: MIT
"""The tile of `tracea_core.semantic.build.banded_strips`: what of lines and filters waits where, and which lane holds what of it.

A column of a fragment is a line, and behind the last line come those of the next channel.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage_lanes import images
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Buffer, Lifetime, Space
from tracea_core.semantic.lanes import InstructionLanes, instruction
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.target import CapabilityProfile

ROWS, BANDS = "rows", "bands"
CHANNELS = 8
"""Channels of a warp: 16 bytes of a pixel."""
_CHUNK = 16
_PLACES = 16
"""Places of a band are a multiple of so many."""
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
    copies : int
        How often bands wait: where pixels begin at odd columns, every other one finds its pairs in the second copy, a place further.
    first : int
        Where the band of the first pixel begins with what meets the first column; ``zeros`` lie before the filter's first element.
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
        self.half = instruction(f"mma_m16n8k8_{form.image.dtype.value}")
        self.depth = -(-reach // self.half.k) * self.half.k
        rows = (configuration.tile_k - 1) * form.stride[0] + form.taps[0]
        self.passes = -(-rows // configuration.warps)
        self.copies = 1 + step % 2
        self.first = max((self.lanes.m - 1) * step, before)
        self.first += self.first % 2 if self.copies == 1 else 0  # pairs begin at even places
        self.zeros = self.first - before
        self.band = -(-(self.depth + self.first + self.first % 2) // _PLACES) * _PLACES
        self.joined, self.held = self._sums()
        self.copied, self.staged = self._copied(), self._staged()

    @property
    def parts(self) -> tuple[tuple[int, InstructionLanes], ...]:
        """The instructions that multiply a row, each with the first of its columns: what is left is multiplied by one of half the depth."""
        whole = self.depth // self.lanes.k * self.lanes.k
        found = tuple((k, self.lanes) for k in range(0, whole, self.lanes.k))
        return found if whole == self.depth else (*found, (whole, self.half))

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

    def _copied(self) -> FragmentLayout:
        """Which lane copies what of a row: neighbouring lanes neighbouring runs of channels."""
        across = self.config.tile_n // CHANNELS
        down = self.profile.lanes // across
        lane = tuple((0, CHANNELS << bit) for bit in range(across.bit_length() - 1))
        lane += tuple((1 << bit, 0) for bit in range(down.bit_length() - 1))
        run = tuple((0, 1 << bit) for bit in range(CHANNELS.bit_length() - 1))
        one = FragmentLayout.from_bits((down, self.config.tile_n), lane, run)
        return one.repeat(rows=-(-self.depth // down))

    def _staged(self) -> FragmentLayout:
        """Which lane stages what of a row of eight filters: those of half a warp take the places of a band."""
        across = self.profile.lanes // _PLACES
        places = tuple((1 << bit, 0) for bit in range(_PLACES.bit_length() - 1))
        others = tuple((0, 1 << bit) for bit in range(across.bit_length() - 1))
        one = FragmentLayout.from_bits((_PLACES, across), (*places, *others), ())
        return one.repeat(rows=self.band // _PLACES, columns=CHANNELS // across)

    def buffers(self) -> tuple[Buffer, ...]:
        """Return what waits in shared memory."""
        dtype = self.f.image.dtype
        return (
            Buffer(BANDS, Space.SHARED, dtype, self._bands(), Lifetime.TILE, alignment=_CHUNK),
            Buffer(ROWS, Space.SHARED, dtype, self._rows(), Lifetime.TILE, slots=self.config.stages, alignment=_CHUNK),
        )

    def _rows(self) -> Layout:
        """Rows that a stride leaves apart lie together; neighbouring lines, and runs that neighbouring lanes copy, in different banks."""
        step, chunks = self.f.stride[0], self.config.tile_n // CHANNELS
        down = -(-self.passes * self.config.warps // step)
        across = max(self.copied.shape[0], self.depth)
        by_row = (across + 1 - across % 2) * CHANNELS
        by_chunk = step * down * by_row
        by_chunk += CHANNELS * ((max(_RUNS // chunks, 1) - by_chunk // CHANNELS) % _RUNS)
        return Layout.strided(
            (("chunk", chunks), ("turn", step), ("row", down), ("column", across), ("channel", CHANNELS)),
            (by_chunk, down * by_row, by_row, CHANNELS, 1),
        )

    def _bands(self) -> Layout:
        """A band for each row of each channel's filter; what is reached together lies in different banks."""
        places = self.band + 2 * (self.copies - 1)
        copy = places
        if (
            self.copies > 1
        ):  # lanes of every other pixel reach as many words around one place, the others those of the second copy
            apart, banks = 3 * self.f.stride[1] + 5, self.profile.shared_banks
            if apart > banks - apart:
                raise ConfigurationError(f"bands of pixels {self.f.stride[1]} columns apart meet in banks")
            while not apart <= copy // 2 % banks <= banks - apart:
                copy += 2
        by_channel = self.f.taps[0] * self.copies * copy
        by_channel += (2 * _PLACES - by_channel) % (4 * _PLACES)
        return Layout.strided(
            (("channel", self.config.tile_n), ("tap", self.f.taps[0]), ("copy", self.copies), ("place", places)),
            (by_channel, self.copies * copy, copy, 1),
        )
