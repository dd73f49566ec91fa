# SPDX-License-Identifier: MIT
"""One conformance check of each kind: on this machine's OpenCL processor where it has one, else on the text for published profiles.

Matrix instructions are executed in the emulator; `hatch run rows dialects` runs the whole kit in it.
"""

import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.simt import find_compiler
from tracea_core.testing.simt.runtime import emulated
from tracea_core.testing.subject import Unserved
from tracea_sycl.plugin import tracea_register_backend

_CASES = (
    "manifest", "probe", "variants/any-profile", "/variants", "simt_fp32/gemm-fp32-1x1x1", "vectors_fp32/gemm-fp32-70x131x33",
    "vectors_fp32/gemm-fp32-empty_k", "vectors_fp32/gemm-bf16-13x29x17", "vectors_fp32/gemm-fp16-tt",
    "vectors_fp32/strides-backwards", "vectors_fp32/epilogue-chain",
    "pvc/sycl.contraction.dpas_bf16/gemm-bf16-1x1x1",
)  # fmt: skip
_CHECKS = [check for check in collect(tracea_register_backend()) if check.name.endswith(_CASES)]

_EMULATED = {
    "pvc": ("dpas_bf16/gemm-bf16-25x49x15", "dpas_int8/gemm-int8-25x49x15"),
    "dg2": ("dpas_int8/gemm-int8-13x29x17", "dpas_fp16/epilogue-chain", "simt_fp32/gemm-fp32-25x49x15"),
}
_IN_EMULATOR = [
    pytest.param(check, id=f"{device}/{check.name}")
    for device, names in _EMULATED.items()
    for check in collect(emulated(tracea_register_backend(), device))
    if check.name.endswith(names)
]


@pytest.mark.toolchain
@pytest.mark.parametrize("check", _IN_EMULATOR)
def test_conformance_in_the_emulator(check: Check) -> None:
    try:
        find_compiler()
        check()
    except (Unserved, BackendUnavailableError) as reason:
        pytest.skip(str(reason))


@pytest.mark.toolchain
@pytest.mark.parametrize("check", _CHECKS, ids=[check.name for check in _CHECKS])
def test_conformance(check: Check) -> None:
    try:
        check()
    except Unserved as reason:
        pytest.skip(str(reason))


def test_every_kind_is_there() -> None:
    names = {check.name for check in _CHECKS}
    assert {"manifest", "probe", "variants/any-profile"} < names
    assert any("_fp32/gemm-fp32-" in name for name in names)
    assert len(_IN_EMULATOR) == sum(map(len, _EMULATED.values()))
