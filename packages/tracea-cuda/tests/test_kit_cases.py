# SPDX-License-Identifier: MIT
"""The conformance kit has cases for every variant that a device can run, and says of the others what the device lacks."""

import pytest
from tracea_core.doctor.choose import reason_against
from tracea_core.doctor.presets import preset_target
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.testing.cases import cases
from tracea_core.testing.checks import check_serves
from tracea_core.testing.subject import Subject, Unserved
from tracea_cuda.plugin import tracea_register_backend
from tracea_cuda.variants import variants

H200 = preset_target("h200")
VARIANTS = {variant.name: variant for variant in variants(H200.profile)}
LACKING = {"cuda.contraction.mma_k8_fp16": "mma_m16n8k8_fp16", "cuda.contraction.mma_k16_int8": "mma_m8n8k16_int8"}
"""By variant, the instruction: Hopper multiplies by the larger shape, so its profiles do not list these."""


@pytest.mark.parametrize("name", sorted(VARIANTS.keys() - LACKING.keys()))
def test_a_variant_takes_cases(name: str) -> None:
    variant = VARIANTS[name]
    taken = [case.name for case in cases(variant) if reason_against(variant, case.problem, H200) is None]
    assert taken, f"{name} takes no case"


@pytest.fixture
def manifest() -> BackendManifest:
    return tracea_register_backend()


@pytest.mark.parametrize("name", LACKING)
def test_an_instruction_that_the_device_lacks_is_no_broken_promise(manifest: BackendManifest, name: str) -> None:
    with pytest.raises(Unserved, match=f"has no matrix instruction {LACKING[name]}"):
        check_serves(Subject(manifest, H200, VARIANTS[name]))
    older = preset_target("t4")
    (own,) = (variant for variant in variants(older.profile) if variant.name == name)
    check_serves(Subject(manifest, older, own))
