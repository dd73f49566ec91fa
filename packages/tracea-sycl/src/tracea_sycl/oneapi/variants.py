# SPDX-License-Identifier: MIT
"""The kinds of kernel that are printed in SYCL C++: those of OpenCL C for a GPU, but for its matrix functions."""

from __future__ import annotations

from tracea_core.doctor.variants import Variant
from tracea_core.target import CapabilityProfile

from tracea_sycl.variants import variants as opencl_variants

_NAME = "oneapi"


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel for such a device, best first."""
    return tuple(
        variant.replace(name=f"{_NAME}.{variant.name.split('.', 1)[1]}", backend=_NAME)
        for variant in opencl_variants(profile)
        if not variant.uses_matrix_unit(profile)
    )
