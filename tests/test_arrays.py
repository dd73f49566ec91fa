# SPDX-License-Identifier: MIT
"""Addresses of tensors on Apple's GPU, whose data pointers are none: the backend that has the device gives them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tracea_core.errors import DeviceError

from tracea import arrays


class Tensor:
    """What of a torch tensor an address needs."""

    def __init__(self, is_mps: bool) -> None:
        self.is_mps, self.device = is_mps, "mps:0"

    def data_ptr(self) -> int:
        return 4096

    def untyped_storage(self) -> Any:
        return SimpleNamespace(data_ptr=lambda: 0x6000)

    def storage_offset(self) -> int:
        return 3

    def element_size(self) -> int:
        return 2


def test_a_tensor_on_mps_has_the_address_that_its_backend_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[int, int]] = []
    target = SimpleNamespace(backend="metal", device="mps:0")
    monkeypatch.setattr("tracea_core.plugin.select.resolve", lambda device: SimpleNamespace(target=target))
    runtime = SimpleNamespace(adopt=lambda handle, offset: given.append((handle, offset)) or 0x11_0000)
    monkeypatch.setattr("tracea_core.pipeline.runtimes.runtime", lambda backend, device: runtime)
    arrays._adopter.cache_clear()
    assert arrays.TORCH_AND_MPS.pointer(Tensor(is_mps=True)) == 0x11_0000
    assert given == [(0x6000, 6)]
    assert arrays.TORCH_AND_MPS.pointer(Tensor(is_mps=False)) == 4096
    del runtime.adopt
    arrays._adopter.cache_clear()
    with pytest.raises(DeviceError, match="cannot reach tensors on mps:0"):
        arrays.TORCH_AND_MPS.pointer(Tensor(is_mps=True))
    arrays._adopter.cache_clear()


@pytest.mark.parametrize("available", [True, False])
def test_only_macs_ask_where_a_tensor_is(available: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    mps = SimpleNamespace(is_available=lambda: available)
    monkeypatch.setitem(arrays.sys.modules, "torch", SimpleNamespace(backends=SimpleNamespace(mps=mps)))
    kind = type("Tensor", (), {"__module__": "torch"})
    try:
        assert arrays.kind_of(kind()) is (arrays.TORCH_AND_MPS if available else arrays.TORCH)
    finally:
        arrays._libraries.pop(kind, None)
