# SPDX-License-Identifier: MIT
"""The kinds of kernel that are printed in SYCL C++: those of OpenCL C for a GPU, with joint matrices in place of its matrix functions."""

from __future__ import annotations

from tracea_core.doctor.variants import Variant
from tracea_core.target import CapabilityProfile

from tracea_sycl.variants import variants as opencl_variants

_NAME, _FUNCTIONS, _MATRICES = "oneapi", "dpas", "joint"


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel for such a device, best first; attention has to know which lane holds what, so lanes multiply there."""
    listed = (_renamed(variant) for variant in opencl_variants(profile))
    return tuple(
        variant for variant in listed if variant.family != "chained" or not variant.instruction.startswith(_MATRICES)
    )


def _renamed(variant: Variant) -> Variant:
    """The variant in this language; the device's own instruction stays among what is required."""
    name = f"{_NAME}.{variant.name.split('.', 1)[1]}"
    if not variant.instruction.startswith(_FUNCTIONS):
        return variant.replace(name=name, backend=_NAME)
    return variant.replace(
        name=name.replace(_FUNCTIONS, _MATRICES),
        backend=_NAME,
        instruction=variant.instruction.replace(_FUNCTIONS, _MATRICES, 1),
        summary="tiles through registers into a ring in local memory, joint matrices; sums by way of local memory",
    )
