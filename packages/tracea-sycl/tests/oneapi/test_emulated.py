# SPDX-License-Identifier: MIT
"""SYCL C++ in the emulator: joint matrices against float64 on ragged sizes, with an epilogue, and the bugs planted in their text."""

from __future__ import annotations

import dataclasses

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CompileError
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing import execute
from tracea_core.testing.cases import Case, cases, gemm
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt.runtime import SimtRuntime, emulated
from tracea_core.testing.simt.served import Served
from tracea_core.testing.subject import Subject, Walked, subjects
from tracea_sycl.oneapi.plugin import tracea_register_backend

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]


def subject(device: str, kind: str) -> Subject:
    """Return a variant on an emulated device."""
    every = subjects(emulated(tracea_register_backend(), device))
    return next(one for one in every if one.variant.name.endswith(kind))


def walked(one: Subject, case: Case) -> Walked:
    """Return a case with small tiles."""
    size, wide = (2, 8) if one.variant.operand_dtypes[0].bytes == 2 else (1, 8)
    config = PipelineConfig(
        tile_m=32, tile_n=16, tile_k=64 // size, stages=1, warps=2, vector_a=wide, vector_b=wide, vector_c=1
    )
    return one.walk(case, config)


@pytest.mark.parametrize(("device", "dtype", "layout"), [("pvc", DType.BF16, "nn"), ("arc_a770", DType.UINT8, "nt")])
def test_ragged_products(device: str, dtype: DType, layout: str) -> None:
    one = subject(device, f"joint_{dtype.value}")
    execute.check_run(one, walked(one, Case("ragged", gemm((29, 40, 56), dtype, layout))))


def test_an_epilogue() -> None:
    one = subject("pvc", "joint_bf16")
    case = next(case for case in cases(one.variant) if case.name.endswith("epilogue-chain"))
    execute.check_run(one, one.walk(case, PipelineConfig(tile_m=16, tile_n=16, tile_k=16, stages=2, warps=1)))


def test_conflicts_of_joint_matrices_are_nobodys_and_not_counted() -> None:
    one = subject("pvc", "joint_fp16")
    config = PipelineConfig(tile_m=32, tile_n=64, tile_k=16, stages=2, warps=4, vector_a=8, vector_b=8, vector_c=8)
    served = Served(one.manifest, "pvc", gemm((40, 72, 64), DType.FP16, "tt"), config, one.variant.name)
    report = served.run(gemm((40, 72, 64), DType.FP16, "tt"))
    assert report.bank_conflicts == 0 and report.banks, "what lanes move themselves is"


@pytest.mark.parametrize("name", ["batch", "conv-groups-nchw"])
def test_batches_and_groups(name: str) -> None:
    one = subject("pvc", "joint_fp16")
    case = next(case for case in cases(one.variant) if case.name.endswith(name))
    execute.check_run(one, one.walk(case))


@pytest.fixture(scope="module")
def right() -> tuple[Subject, Walked]:
    one = subject("pvc", "joint_bf16")
    return one, walked(one, Case("planted", gemm((37, 24, 40), DType.BF16, "nn")))


BUGS = {
    "sums are read before they are stored": (
        "sycl::group_barrier(sycl_item.get_group());  // sums_written",
        "",
        "race",
    ),
    "b lies the other way": (
        "use::b, 16, 16, matrix::layout::row_major",
        "use::b, 16, 16, matrix::layout::col_major",
        "wrong",
    ),
    "sums stored the other way": (", matrix::layout::row_major);", ", matrix::layout::col_major);", "faults|wrong"),
    "sums in no order": (", matrix::layout::row_major);", ", matrix::layout::dynamic);", "by rows or by columns"),
    "tiles said to be global": ("address_space::local_space", "address_space::global_space", "another address space"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs_show(bug: str, right: tuple[Subject, Walked]) -> None:
    one, found = right
    old, new, words = BUGS[bug]
    assert old in found.source.text
    wrong = found.source.replace(text=found.source.text.replace(old, new))
    with pytest.raises(ConformanceError, match=words):
        execute.check_run(one, dataclasses.replace(found, source=wrong))


def test_matrices_for_other_sub_groups_are_refused(right: tuple[Subject, Walked]) -> None:
    one, found = right
    narrow = SimtRuntime(preset("arc_a770"), one.target.device)
    manifest = dataclasses.replace(one.manifest, open_runtime=lambda _: narrow)
    with pytest.raises(ConformanceError, match="as wide as its sub-groups"):
        execute.check_run(Subject(manifest, one.target, one.variant), found)


def test_shapes_that_no_device_has_do_not_compile(right: tuple[Subject, Walked]) -> None:
    one, found = right
    wrong = found.source.replace(text=found.source.text.replace("use::a, 8, 16,", "use::a, 8, 32,"))
    with pytest.raises(CompileError, match=r"no Intel GPU|no matching"):
        one.compiled(wrong)
