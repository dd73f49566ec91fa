# SPDX-License-Identifier: MIT
"""The kinds of kernel for channels that are filtered on their own, which need nothing of a device but its lanes."""

from __future__ import annotations

from tracea_core.doctor.image_walk import RequiresFilterForEach, RequiresOwnFilters, RequiresOwnPlanes
from tracea_core.doctor.requirements import Preference, Requirement
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType

DEPTHWISE, PLANES, PLANE_LANES, STRIPS = "depthwise", "planes", "plane_lanes", "strips"
"""The schedules of warps, over channels-last images and over planes, by matrix instructions and by lanes, and of a CPU's workers."""
OF_PLANES = (PLANES, PLANE_LANES)
_BEFORE_MATRIX_UNITS = 1100
"""More than a matrix instruction is worth (`tracea_core.doctor.choose.MATRIX_UNIT_SCORE`): of its tile one column would be used."""


def depthwise_variant(backend: str, *requirements: Requirement) -> Variant:
    """Return the kind of kernel of a backend whose dialect spells loads, stores and multiply-adds of lanes."""
    wish = RequiresOwnFilters()
    return Variant(
        name=f"{backend}.contraction.depthwise", backend=backend, family="contraction", schedule=DEPTHWISE,
        instruction="multiply_add", operand_dtypes=(DType.FP32, DType.BF16, DType.FP16), accumulate=DType.FP32, priority=60,
        requirements=(*requirements, wish), preferences=(Preference(wish, _BEFORE_MATRIX_UNITS),),
        summary="a warp filters a strip of pixels, its lanes channels: windows in registers, filters in shared memory",
    )  # fmt: skip


def filters_channels(variant: Variant | None) -> bool:
    """Whether a kind of kernel filters channels on their own."""
    return variant is not None and variant.schedule in (DEPTHWISE, *OF_PLANES, STRIPS)


def planes_variant(backend: str, dtype: DType, *requirements: Requirement) -> Variant:
    """Return the kind of kernel of planes, whose filters are bands of an instruction that multiplies 16 rows by 8 columns."""
    return Variant(
        name=f"{backend}.contraction.depthwise_planes_{dtype.value}", backend=backend, family="contraction", schedule=PLANES,
        instruction=f"mma_m16n8k16_{dtype.value}", operand_dtypes=(dtype,), accumulate=DType.FP32, priority=60,
        requirements=(*requirements, RequiresOwnPlanes()), preferences=(Preference(RequiresOwnPlanes(), _BEFORE_MATRIX_UNITS),),
        summary="a warp filters pieces of lines of a plane, rows of its filter as bands of matrices, straight from and to memory",
    )  # fmt: skip


def strips_variant(name: str, compute: DType, operands: tuple[DType, ...], *requirements: Requirement) -> Variant:
    """Return the kind of kernel of the CPU's vectors."""
    wish = RequiresFilterForEach()
    return Variant(
        name=f"cpu.contraction.{name}_{compute.value}_strips", backend="cpu", family="contraction", schedule=STRIPS,
        instruction="multiply_add", operand_dtypes=operands, accumulate=compute, priority=60,
        requirements=(*requirements, wish), preferences=(Preference(wish, _BEFORE_MATRIX_UNITS),),
        summary="a worker filters a strip of pixels, a vector of channels in the lanes: windows in registers, filters in its cache",
    )  # fmt: skip


def lane_planes_variant(backend: str, *requirements: Requirement) -> Variant:
    """Return the kind of kernel of planes in single precision, which need nothing of a device but its lanes."""
    wish = RequiresOwnPlanes(by_lanes=True)
    return Variant(
        name=f"{backend}.contraction.depthwise_planes_fp32", backend=backend, family="contraction", schedule=PLANE_LANES,
        instruction="multiply_add", operand_dtypes=(DType.FP32,), accumulate=DType.FP32, priority=60,
        requirements=(*requirements, wish), preferences=(Preference(wish, _BEFORE_MATRIX_UNITS),),
        summary="a lane filters a piece of lines of a plane, straight from and to memory: windows and filters in registers",
    )  # fmt: skip
