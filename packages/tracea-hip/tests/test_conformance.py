# SPDX-License-Identifier: MIT
"""The conformance kit in the emulator: one case of each kind on waves of 64 and of 32 lanes; `hatch run rows dialects` runs all."""

import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.simt import find_compiler
from tracea_core.testing.simt.runtime import emulated
from tracea_core.testing.subject import Unserved
from tracea_hip.plugin import tracea_register_backend

_CASES = {
    "mi300x": (
        "manifest", "probe", "variants/any-profile", "hip:0/variants", "mfma_bf16/gemm-bf16-70x131x33",
        "mfma_bf16/epilogue-chain", "mfma_bf16/conv-groups-nchw",
    ),
    "rx9070": ("wmma_fp16/gemm-fp16-25x49x15", "wmma_fp8_e4m3/epilogue-chain",),
}  # fmt: skip
_CHECKS = [
    pytest.param(check, id=f"{device}/{check.name}")
    for device, names in _CASES.items()
    for check in collect(emulated(tracea_register_backend(), device))
    if check.name.endswith(names)
]


@pytest.mark.toolchain
@pytest.mark.parametrize("check", _CHECKS)
def test_conformance(check: Check) -> None:
    try:
        find_compiler()
        check()
    except (Unserved, BackendUnavailableError) as reason:
        pytest.skip(str(reason))


def test_every_case_is_there() -> None:
    assert len(_CHECKS) == sum(map(len, _CASES.values()))
