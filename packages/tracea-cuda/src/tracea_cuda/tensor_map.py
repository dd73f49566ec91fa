# SPDX-License-Identifier: MIT
"""Box descriptors (CUtensorMap): what the copy engine demands of them, and how the driver encodes one for an address.

Everything but the address is fixed when a launch is prepared, so it is checked and packed then; a new address costs one foreign
call. The rules are those of ``cuTensorMapEncodeTiled`` (CUDA Driver API, "Tensor Map Object Management"), which answers every
breach with the same invalid value.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.emit.source import BoxMap
from tracea_core.errors import LaunchError
from tracea_core.semantic.image_steps import Pixels
from tracea_core.semantic.index import evaluate

from tracea_cuda.driver import Driver

MAP_BYTES = 128
MAP_ALIGNMENT = 64
CHUNK = 16
MAX_RANK = 5
MAX_EXTENT = 1 << 32
MAX_STRIDE_BYTES = 1 << 40
MAX_BOX = 256
MAX_WINDOWS, CORNER, MAX_STEP = 1024, 128, 8

_TYPES = {
    DType.INT8: 0, DType.UINT8: 0, DType.FP8_E4M3: 0, DType.FP8_E5M2: 0, DType.INT32: 3, DType.FP16: 6, DType.FP32: 7,
    DType.FP64: 8, DType.BF16: 9, DType.TF32: 11,
}  # fmt: skip
"""CUtensorMapDataType. The engine only moves bytes, so types of one size may share a number; but it rounds fp32 to tf32 on the way
(NVIDIA/cutlass, include/cutlass/gemm/collective/sm90_mma_tma_gmma_ss_warpspecialized.hpp), where an instruction would cut bits off."""
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
_PROMOTIONS = {0: 0, 64: 1, 128: 2, 256: 3}
_NO_INTERLEAVE = 0
_ZERO_FILL = 0

_SMALL_TENSOR_BYTES = 131_072
_SMALL_TENSOR_BIT = 1 << 21
_LAST_DRIVER_WITH_BIT = (13, 1)


class WindowWalk(Data, frozen=True):
    """The windows of images that the engine walks over, columns first, then rows (``cuTensorMapEncodeIm2col``).

    Attributes
    ----------
    lower, upper : (int, int)
        Where the first window begins, and how far beyond the image's last element the last one does; -128 to 127.
    steps : (int, int)
        From window to window; 1 to 8.
    """

    lower: tuple[int, int]
    upper: tuple[int, int]
    steps: tuple[int, int]

    def fault(self, box: tuple[int, ...]) -> str | None:
        """Return what the engine objects to, or None; `box` is channels and windows."""
        if len(box) != 2 or not 0 < box[1] <= MAX_WINDOWS:
            return f"a walk loads 1 to {MAX_WINDOWS} windows of some channels, not {box}"
        corners = (*self.lower, *self.upper)
        if not all(-CORNER <= corner < CORNER for corner in corners):
            return f"the windows' corners are {corners}, not within -{CORNER} to {CORNER - 1}"
        return (
            None
            if all(1 <= step <= MAX_STEP for step in self.steps)
            else f"windows are {self.steps} apart, not 1 to {MAX_STEP}"
        )


class TiledMap(Data, frozen=True):
    """A descriptor with every number known but the address. Dimensions come fastest first.

    Attributes
    ----------
    name : str
        The descriptor's parameter, for errors.
    dtype : DType
        Element type.
    extents : tuple of int
        Size of the tensor in elements.
    strides : tuple of int
        Distance in bytes between neighbours in every dimension but the first.
    box : tuple of int
        Size of the box in elements.
    swizzle_bytes : int
        0, 32, 64 or 128.
    promotion_bytes : int
        How much of a line the L2 cache fetches from memory at a time: 0, 64, 128 or 256. With 256, rows whose distance is an odd
        multiple of 16 bytes took up to 18 % longer on an H200, and no product took less time than with 128.
    walk : WindowWalk, optional
        The dimensions are channels, columns, rows and images, and the box is channels by windows.
    """

    name: str
    dtype: DType
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    swizzle_bytes: int = 0
    promotion_bytes: int = 128
    walk: WindowWalk | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the tensor has no elements; then it has no descriptor, and nothing may be copied through one."""
        return 0 in self.extents

    @property
    def span_bytes(self) -> int:
        """Bytes from the first element to the end of the last."""
        steps = (self.dtype.bytes, *self.strides)
        return sum((extent - 1) * step for extent, step in zip(self.extents, steps, strict=True)) + self.dtype.bytes

    def fault(self) -> str | None:
        """Return what the copy engine objects to, or None."""
        rank, size = len(self.extents), self.dtype.bytes
        if not 1 <= rank <= MAX_RANK:
            return f"it has {rank} dimensions, not 1 to {MAX_RANK}"
        if self.walk is not None and (
            wrong := self.walk.fault(self.box) if rank == 4 else f"images have 4 dimensions, not {rank}"
        ):
            return wrong
        if len(self.strides) != rank - 1 or (len(self.box) != rank and self.walk is None):
            return f"{rank} extents go with {rank - 1} strides and {rank} box sizes, not {len(self.strides)} and {len(self.box)}"
        if self.dtype not in _TYPES:
            return f"it has no elements of {self.dtype.value}"
        if self.swizzle_bytes not in _SWIZZLES:
            return f"there is no swizzle of {self.swizzle_bytes} bytes, only 0, 32, 64 and 128"
        if self.promotion_bytes not in _PROMOTIONS:
            return f"L2 fetches 0, 64, 128 or 256 bytes at a time, not {self.promotion_bytes}"
        for axis, extent in enumerate(self.extents):
            if not 0 < extent <= MAX_EXTENT:
                return f"dimension {axis} has {extent} elements, not 1 to 2^32"
        for axis, stride in enumerate(self.strides, 1):
            if stride % CHUNK or not 0 <= stride < MAX_STRIDE_BYTES:
                return f"the stride of dimension {axis} is {stride} bytes, not a multiple of 16 from 0 to 2^40"
        for axis, count in enumerate(self.box if self.walk is None else self.box[:1]):
            if not 0 < count <= MAX_BOX:
                return f"the box has {count} elements along dimension {axis}, not 1 to {MAX_BOX}"
        row = self.box[0] * size
        if row % CHUNK:
            return f"a row of the box has {row} bytes, not a multiple of 16"
        if self.swizzle_bytes and row > self.swizzle_bytes:
            return f"a row of the box has {row} bytes, more than the swizzle's {self.swizzle_bytes}"
        return None

    def require(self) -> None:
        """Raise if the copy engine cannot follow this descriptor.

        Raises
        ------
        LaunchError
            With the reason.
        """
        if not self.is_empty and (fault := self.fault()):
            raise LaunchError(
                f"the copy engine cannot address {self.name}: {fault}",
                hint="Copy the operand into an array with aligned rows, or let another kind of kernel run",
                extents=self.extents,
                strides=self.strides,
            )


def address_fault(address: int) -> str | None:
    """Return what the copy engine objects to about the address of a tensor, or None."""
    if address % CHUNK:
        return f"the data starts at {address:#x}, which is no multiple of 16 bytes"
    return None if address else "the data starts at address 0"


def tiled_map(box: BoxMap, symbols: Mapping[str, int]) -> TiledMap:
    """Return the descriptor of `box` with its symbols' values.

    Raises
    ------
    LaunchError
        If the first dimension is not contiguous.
    """
    strides = tuple(int(evaluate(stride, symbols)) for stride in box.strides)
    if strides[:1] != (1,):
        raise LaunchError(
            f"the copy engine cannot address {box.name}: its first dimension has stride {strides[:1]}, not 1"
        )
    extents = tuple(int(evaluate(extent, symbols)) for extent in box.extents)
    size = box.dtype.bytes
    return TiledMap(
        box.name, box.dtype, extents, tuple(stride * size for stride in strides[1:]), box.shape, box.swizzle_bytes,
        walk=None if box.pixels is None else _walk(box.pixels, extents, symbols),
    )  # fmt: skip


def _walk(pixels: Pixels, extents: tuple[int, ...], symbols: Mapping[str, int]) -> WindowWalk:
    (left, top), (right, bottom), (across, down) = (
        tuple(int(evaluate(part, symbols)) for part in parts) for parts in (pixels.first, pixels.last, pixels.step)
    )
    return WindowWalk((left, top), (right - extents[1] + 1, bottom - extents[2] + 1), (across, down))


def numbers(tiled: TiledMap) -> tuple[int, int, int]:
    """Return the driver's numbers of a descriptor's element type, swizzle and promotion."""
    return _TYPES[tiled.dtype], _SWIZZLES[tiled.swizzle_bytes], _PROMOTIONS[tiled.promotion_bytes]


def is_small(tiled: TiledMap) -> bool:
    """Whether drivers up to 13.1 set a bit wrongly in its descriptor.

    CUTLASS (include/cute/atom/copy_traits_sm90_tma.hpp) clears it too.
    """
    return tiled.span_bytes < _SMALL_TENSOR_BYTES


class Encoder:
    """Encodes one descriptor for address after address; every other argument is packed once.

    Parameters
    ----------
    tiled : TiledMap
        The descriptor.
    driver : Driver
        Whose function encodes it.

    Raises
    ------
    LaunchError
        If the copy engine cannot follow it.
    """

    def __init__(self, tiled: TiledMap, driver: Driver) -> None:
        tiled.require()
        self.tiled = tiled
        self._driver = driver
        rank = len(tiled.extents)
        self._extents = (ctypes.c_uint64 * rank)(*tiled.extents)
        self._strides = (ctypes.c_uint64 * max(rank - 1, 1))(*tiled.strides)
        self._box = (ctypes.c_uint32 * len(tiled.box))(*tiled.box)
        self._steps = (ctypes.c_uint32 * rank)(*[1] * rank)
        if tiled.walk is not None:
            self._steps[1:3] = list(tiled.walk.steps)
            self._corners = [(ctypes.c_int * 2)(*corner) for corner in (tiled.walk.lower, tiled.walk.upper)]
        places = [ctypes.addressof(part) for part in (self._extents, self._strides, self._box, self._steps)]
        kind, swizzle, promotion = numbers(tiled)
        modes = (_NO_INTERLEAVE, swizzle, promotion, _ZERO_FILL)
        self._kind, self._rank, self._rest = kind, rank, (*places, *modes)
        self._encode = driver.library.cuTensorMapEncodeTiled
        if tiled.walk is not None:
            corners = (ctypes.addressof(corner) for corner in self._corners)
            self._rest = (*places[:2], *corners, *tiled.box, places[3], *modes)
            self._encode = driver.library.cuTensorMapEncodeIm2col
        self._clears_bit = is_small(tiled) and driver.version <= _LAST_DRIVER_WITH_BIT

    def __call__(self, target: int, address: int) -> None:
        """Write the descriptor of the tensor at `address` to the 128 bytes at `target`, which is aligned to 64.

        Raises
        ------
        LaunchError
            If the address cannot be served, or the driver refuses.
        """
        if self.tiled.is_empty:
            return
        fault = address_fault(address)
        if fault:
            raise LaunchError(
                f"the copy engine cannot address {self.tiled.name}: {fault}",
                hint="Copy the operand to an aligned address",
            )
        code = self._encode(target, self._kind, self._rank, address, *self._rest)
        if code:
            raise self._driver.error(
                f"encoding {self.tiled.name}", code, map=self.tiled.to_json(), address=hex(address)
            )
        if self._clears_bit:
            word = ctypes.c_uint64.from_address(target + 8)
            word.value &= ~_SMALL_TENSOR_BIT
