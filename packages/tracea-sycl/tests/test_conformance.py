# SPDX-License-Identifier: MIT
"""One conformance check of each kind: on this machine's OpenCL processor where it has one, else on the text for published profiles."""

import pytest
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.subject import Unserved
from tracea_sycl.plugin import tracea_register_backend

_CASES = (
    "manifest", "probe", "variants/any-profile", "/variants", "simt_fp32/gemm-fp32-1x1x1", "simt_fp32/gemm-fp32-70x131x33",
    "simt_fp32/gemm-fp32-empty_k", "simt_fp32/strides-backwards", "simt_fp32/epilogue-chain",
    "pvc/sycl.contraction.dpas_bf16/gemm-bf16-1x1x1",
)  # fmt: skip
_CHECKS = [check for check in collect(tracea_register_backend()) if check.name.endswith(_CASES)]


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
    assert any("simt_fp32/gemm-fp32-1x1x1" in name for name in names)
