# SPDX-License-Identifier: MIT
"""The conformance kit in the emulator: what the contract promises, and one case of each kind; `hatch run rows dialects` runs all."""

import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.simt import find_compiler
from tracea_core.testing.simt.runtime import emulated
from tracea_core.testing.subject import Unserved
from tracea_metal.plugin import tracea_register_backend

_CASES = (
    "manifest", "probe", "variants/any-profile", "metal:0/variants", "fp16/gemm-fp16-1x1x1", "fp16/gemm-fp16-70x131x33",
    "fp16/gemm-fp16-empty_k", "fp16/batch-broadcast-a", "fp16/strides-backwards", "fp16/epilogue-chain", "fp16/epilogue-gated",
    "fp16/conv-groups-nchw", "fp32/gemm-fp32-25x49x15", "fp32/epilogue-gelu-tanh", "fp16/gemm-fp16-13x29x17/mutants",
)  # fmt: skip
_CHECKS = [check for check in collect(emulated(tracea_register_backend(), "m1")) if check.name.endswith(_CASES)]


@pytest.mark.toolchain
@pytest.mark.parametrize("check", _CHECKS, ids=[check.name for check in _CHECKS])
def test_conformance(check: Check) -> None:
    try:
        find_compiler()
        check()
    except (Unserved, BackendUnavailableError) as reason:
        pytest.skip(str(reason))


def test_every_case_is_there() -> None:
    assert len(_CHECKS) >= len(_CASES)
