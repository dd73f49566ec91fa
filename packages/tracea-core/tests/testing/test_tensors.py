# SPDX-License-Identifier: MIT
"""Guarded tensors see every byte that changes where none may."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.spec import TensorSpec
from tracea_core.testing.tensors import Tensor, place

SPECS = (
    TensorSpec((3, 4), DType.FP32, (6, 1)),
    TensorSpec((3, 4), DType.BF16, (-7, 1)),
    TensorSpec((4, 2), DType.INT8, (1, 9)),
    TensorSpec((2, 3), DType.FP64, (0, 1)),
    TensorSpec((0, 3), DType.FP32, (3, 1)),
)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_values_come_back_and_each_stray_byte_is_seen(spec: TensorSpec) -> None:
    values = np.broadcast_to(np.arange(spec.shape[1]), spec.shape)
    tensor = Tensor(spec).fill(values)
    address = tensor.place("cpu", "host")
    after = tensor.after()
    assert np.array_equal(tensor.values(after), values) and tensor.changed_outside(after) is None
    first = address - tensor.memory.address  # type: ignore[union-attr]
    steps = np.add.outer(np.arange(spec.shape[0]) * spec.strides[0], np.arange(spec.shape[1]) * spec.strides[1])
    size = spec.dtype.bytes
    inside = {first + int(step) * size + byte for step in steps.ravel() for byte in range(size)}
    for byte in range(after.size):
        touched = after.copy()
        touched[byte] ^= 1
        assert tensor.changed_outside(touched) == (None if byte in inside else byte - first)


def test_memory_is_a_copy_that_kernels_can_write() -> None:
    tensor = Tensor(TensorSpec((2,), DType.FP32, (1,))).fill([1.0, 2.0])
    (ctypes.c_float * 1).from_address(tensor.place("cpu", "host"))[0] = 5.0
    assert tensor.values(tensor.after()).tolist() == [5.0, 2.0] and tensor.values().tolist() == [1.0, 2.0]


def test_device_memory_comes_from_pytorch() -> None:
    pytest.importorskip("torch")
    content = np.arange(16, dtype=np.uint8)
    memory = place(content, "cpu", "device")
    (ctypes.c_uint8 * 1).from_address(memory.address)[0] = 7
    assert memory.read().tolist() == [7, *range(1, 16)] and content[0] == 0
    with pytest.raises(BackendUnavailableError, match="memory of nowhere:0 is reached through PyTorch"):
        place(content, "nowhere:0", "device")
