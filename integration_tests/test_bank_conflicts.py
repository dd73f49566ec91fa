# SPDX-License-Identifier: MIT
"""Shared memory without bank conflicts, by each device's own model of banks: the first configurations of every kind for every GPU.

`hatch run rows dialects` looks at all of them.
"""

from __future__ import annotations

import importlib

import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_names, preset_target
from tracea_core.doctor.variants import Variant
from tracea_core.errors import ConfigurationError, UnsupportedError
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.block import check_block
from tracea_core.semantic.verify.shared import check_shared
from tracea_core.target import Target
from tracea_core.testing.cases import gemm

FIRST = 2
"""How many of a kind's configurations are looked at for each layout."""


def kinds(backend: str) -> list[tuple[Target, Variant]]:
    """Every kind of contraction of every architecture, once."""
    manifest = importlib.import_module(f"tracea_{backend}.plugin").tracea_register_backend()
    found: dict[tuple[str, str], tuple[Target, Variant]] = {}
    for target in map(preset_target, preset_names()):
        for variant in manifest.variants(target.profile) if target.backend == backend else ():
            if variant.family == "contraction":
                found.setdefault((target.profile.arch, variant.name), (target, variant))
    return list(found.values())


@pytest.mark.parametrize("backend", ["cuda", "hip", "sycl", "metal"])
@pytest.mark.parametrize("layout", ["nn", "nt"])
def test_shipped_configurations_have_no_bank_conflicts(backend: str, layout: str) -> None:
    looked, kinds_seen = 0, set()
    for target, variant in kinds(backend):
        problem = gemm((4096, 4096, 4096), variant.operand_dtypes[0], layout)
        try:
            choose(problem, target, (variant,))
        except UnsupportedError:
            continue
        contraction, seen = lower(problem).contraction, 0
        for hero in PolicyEngine(target.profile).decide(problem, variant).heroes:
            try:
                kernel = build_kernel(contraction, hero, target.profile, variant)
            except ConfigurationError as refused:  # of registers or memory
                assert "bank conflicts" not in refused.message, f"{target.device} {variant.name} {hero.describe()}"
                continue
            (check_shared if kernel.rings else check_block)(kernel, target.profile)  # raises, naming the access
            kinds_seen.add(variant.name)
            looked, seen = looked + 1, seen + 1
            if seen == FIRST:
                break
    assert looked >= len(kinds_seen) >= 1
