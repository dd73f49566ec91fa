# SPDX-License-Identifier: MIT
"""Box descriptors: the copy engine's rules, one breach at a time, and what is handed to the driver."""

import ctypes
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import BoxMap
from tracea_core.errors import LaunchError
from tracea_core.semantic.image_steps import Pixels
from tracea_core.semantic.index import Const, Sym
from tracea_cuda.driver import Driver
from tracea_cuda.tensor_map import Encoder, TiledMap, WindowWalk, address_fault, tiled_map

GOOD = TiledMap("a_boxes", DType.BF16, (64, 300, 7), (128, 38_400), (64, 128, 1), 128)


def test_a_descriptor_within_the_rules_has_no_fault() -> None:
    assert GOOD.fault() is None
    assert GOOD.span_bytes == 7 * 38_400
    assert TiledMap("v", DType.FP32, (10,), (), (4,)).fault() is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"extents": (), "strides": (), "box": ()}, "0 dimensions"),
        ({"extents": (1,) * 6, "strides": (16,) * 5, "box": (8,) * 6}, "6 dimensions"),
        ({"strides": (128,)}, "go with 2 strides"),
        ({"extents": (64, (1 << 32) + 1, 7)}, "dimension 1 has 4294967297"),
        ({"strides": (120, 38_400)}, "stride of dimension 1 is 120 bytes"),
        ({"strides": (128, 1 << 40)}, "stride of dimension 2"),
        ({"strides": (-128, 38_400)}, "stride of dimension 1"),
        ({"box": (64, 257, 1)}, "257 elements along dimension 1"),
        ({"box": (64, 0, 1)}, "0 elements along dimension 1"),
        ({"box": (12, 1, 1)}, "a row of the box has 24 bytes"),
        ({"box": (128, 1, 1)}, "256 bytes, more than the swizzle's 128"),
        ({"swizzle_bytes": 16}, "no swizzle of 16"),
        ({"promotion_bytes": 32}, "not 32"),
    ],
)
def test_every_rule_has_a_breach(changes: dict[str, Any], words: str, driver: Driver) -> None:
    broken = GOOD.replace(**changes)
    fault = broken.fault()
    assert fault is not None and words in fault
    with pytest.raises(LaunchError, match="the copy engine cannot address a_boxes"):
        Encoder(broken, driver)


def test_addresses() -> None:
    assert address_fault(0x1000) is None
    assert "0x1008" in str(address_fault(0x1008))
    assert "address 0" in str(address_fault(0))


def test_symbols_become_numbers_and_strides_bytes() -> None:
    box = BoxMap("b_boxes", "b", DType.FP16, (Sym("n"), Sym("k")), (Const(1), Sym("b_row")), (64, 32), 64)
    tiled = tiled_map(box, {"n": 100, "k": 50, "b_row": 104})
    assert tiled == TiledMap("b_boxes", DType.FP16, (100, 50), (208,), (64, 32), 64)
    with pytest.raises(LaunchError, match="not 1"):
        tiled_map(BoxMap("b", "b", DType.FP16, (Sym("n"),), (Const(2),), (64,), 0), {"n": 1})


def test_the_driver_receives_what_the_descriptor_says(driver: Driver, library: Any) -> None:
    memory = ctypes.create_string_buffer(256)
    target = -(-ctypes.addressof(memory) // 128) * 128
    Encoder(GOOD, driver)(target, 0x5000)
    assert library.encoded == [(9, 0x5000, (64, 300, 7), (128, 38_400), (64, 128, 1), 3, 2)]
    with pytest.raises(LaunchError, match="0x5002"):
        Encoder(GOOD, driver)(target, 0x5002)
    library.fail["cuTensorMapEncodeTiled"] = 1
    with pytest.raises(LaunchError, match=r"encoding a_boxes failed: CUDA_ERROR_INVALID_VALUE"):
        Encoder(GOOD, driver)(target, 0x5000)


def test_an_empty_tensor_is_not_encoded(driver: Driver, library: Any) -> None:
    Encoder(GOOD.replace(extents=(64, 0, 7)), driver)(64, 0)
    assert library.encoded == []


WALK = WindowWalk((-1, -2), (-1, 0), (2, 1))
IMAGES = TiledMap("x_boxes", DType.FP16, (64, 20, 30, 4), (128, 2_560, 76_800), (64, 128), 128, walk=WALK)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"walk": WALK.replace(lower=(-129, 0))}, "corners"),
        ({"walk": WALK.replace(steps=(9, 1))}, "apart"),
        ({"box": (64, 1025)}, "windows"),
        ({"extents": (64, 20, 30), "strides": (128, 2_560)}, "4 dimensions"),
    ],
)
def test_walks_over_windows_are_checked(changes: dict[str, Any], words: str) -> None:
    assert IMAGES.fault() is None
    assert words in str(IMAGES.replace(**changes).fault())


def test_a_walk_over_windows_is_encoded(driver: Driver, library: Any) -> None:
    buffer = ctypes.create_string_buffer(256)
    target = -(-ctypes.addressof(buffer) // 64) * 64
    Encoder(IMAGES, driver)(target, 0x5000)
    expected = (6, 0x5000, IMAGES.extents, IMAGES.strides, ((-1, -2), (-1, 0)), (64, 128), (1, 2, 1, 1), 3, 2)
    assert library.encoded[-1] == expected


def test_corners_follow_from_the_windows_of_a_problem() -> None:
    m, width = Sym("m"), Sym("width")
    pixels = Pixels((Const(-1), Const(-1)), (width - 2, width - 2), (Const(1), Const(1)), (Const(0), Const(0)))
    box = BoxMap(
        "x",
        "x",
        DType.FP16,
        (Const(64), width, width, m),
        (Const(1), Const(64), width * 64, width * 640),
        (64, 128),
        128,
        pixels,
    )
    assert tiled_map(box, {"m": 3, "width": 10}).walk == WindowWalk((-1, -1), (-1, -1), (1, 1))
