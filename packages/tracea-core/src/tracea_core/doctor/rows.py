# SPDX-License-Identifier: MIT
"""The kind of kernel for softmax and norms on a GPU, which needs nothing of a device but lanes that exchange numbers."""

from __future__ import annotations

from tracea_core.doctor.requirements import Requirement
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.target import CapabilityProfile


def row_variant(backend: str, unit: str, profile: CapabilityProfile, *requirements: Requirement) -> Variant:
    """Return the kind of kernel of a backend whose dialect spells exchanges between lanes; it calls a warp a `unit`."""
    return Variant(
        name=f"{backend}.rowwise.{unit.replace('-', '_')}_fp32", backend=backend, family="rowwise", schedule="warp_rows",
        instruction=f"shuffle_{profile.lanes}", operand_dtypes=(DType.FP32, DType.BF16, DType.FP16), accumulate=DType.FP32,
        priority=50, requirements=requirements,
        summary=f"a {unit} reads a row once into its registers, or sweeps a longer one; lanes reduce among themselves",
    )  # fmt: skip
