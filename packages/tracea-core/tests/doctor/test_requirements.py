# SPDX-License-Identifier: MIT
"""Each requirement holds where it should and says why where it does not."""

from __future__ import annotations

import re

import msgspec
import pytest
from tracea_core.doctor import device_requirements as d
from tracea_core.doctor import requirements as r
from tracea_core.doctor.image_walk import (
    RequiresFilterForEach,
    RequiresImageWalk,
    RequiresOwnFilters,
    RequiresOwnPlanes,
)
from tracea_core.doctor.presets import preset
from tracea_core.doctor.row_count import RequiresFewRows
from tracea_core.doctor.turned_rows import RequiresRightAlongReduction
from tracea_core.doctor.variants import Variant, matrix_dtypes
from tracea_core.doctor.winograd import RequiresMinimalFiltering
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.activations import ReLU
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.target import AsyncCopyKind
from tracea_core.testing.cases import dense


def gemm(m: int = 8, n: int = 16, k: int = 24, strides: tuple[int, int] | None = None, **fields: object) -> Problem:
    op = GemmOp(m, n, k)
    a = TensorSpec((m, k), DType.FP32, strides or (k, 1))
    b, out = (TensorSpec.contiguous(shape, DType.FP32) for shape in ((k, n), (m, n)))
    return Problem(op, (a, b), out, **fields)  # type: ignore[arg-type]


TURNED = (TensorSpec((8, 24), DType.FP32, (1, 8)), TensorSpec((24, 16), DType.FP32, (1, 24)))
"""Rows of A that run along m, and columns of B along k."""


def conv(groups: int, dilation: tuple[int, int] = (1, 1)) -> Problem:
    op = Conv2dOp(1, 4, 8, 8, 4, 3, 3, groups=groups, dilation=dilation)
    specs = [TensorSpec.contiguous(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(specs[:2]), specs[2])


def windows(**fields: object) -> Problem:
    op = Conv2dOp(**({"n": 2, "c": 8, "h": 200, "w": 200, "k": 8, "r": 3, "s": 3} | fields))  # type: ignore[arg-type]
    last = (0, 2, 3, 1)
    return Problem(
        op,
        tuple(dense(shape, DType.FP32, last) for shape in op.input_shapes()),
        dense(op.output_shape(), DType.FP32, last),
    )


def wide_planes() -> Problem:
    op = Conv2dOp(1, 4, 64, 64, 4, 40, 40, groups=4)
    specs = [TensorSpec.contiguous(shape, DType.FP32) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(specs[:2]), specs[2])


def slopes(**fields: object) -> Problem:
    """The gradient of the same convolution's filters."""
    sizes = {"n": 2, "c": 64, "h": 20, "w": 20, "k": 8, "r": 3, "s": 3, "dtype": DType.FP16}
    op = Conv2dFiltersOp(**(sizes | fields))  # type: ignore[arg-type]
    stored = DType.FP32 if op.dtype is DType.TF32 else op.dtype
    x, g, out = (dense(shape, stored, (0, 2, 3, 1)) for shape in (*op.input_shapes(), op.output_shape()))
    return Problem(op, (x, g), out)


GATED = Epilogue(Binary(BinaryFn.MUL, Accumulator(0), Accumulator(1)), gated=True)
RELU = ReLU().bind()[0] if hasattr(ReLU(), "bind") else Epilogue(Binary(BinaryFn.MAXIMUM, Accumulator(), Accumulator()))


def gated() -> Problem:
    op = GemmOp(8, 16, 4)
    specs = [TensorSpec.contiguous(shape, DType.FP32) for shape in ((8, 4), (4, 16), (8, 8))]
    return Problem(op, tuple(specs[:2]), specs[2], GATED)


CASES = [
    (d.RequiresArch(("sm_90a",)), gemm(), "h200", "a100"),
    (d.RequiresArchAtLeast("sm_", 80), gemm(), "h200", "t4"),
    (d.RequiresArchAtLeast("gfx", 942), gemm(), "mi300x", "h200"),
    (d.RequiresFeatures(("avx2", "fma")), gemm(), "avx2", "neon"),
    (d.RequiresInstruction("dpas_sg16_8x16x16_bf16"), gemm(), "pvc", "arc_a770"),
    (d.RequiresAsyncCopy(AsyncCopyKind.TMA), gemm(), "h100", "a100"),
    (d.RequiresSharedMemory(200_000), gemm(), "h200", "rtx3070"),
    (d.RequiresRegisters(32), gemm(), "avx512", "avx2"),
    (d.RequiresRegisters(512), gemm(), "mi300x", "h200"),
]


@pytest.mark.parametrize(("requirement", "problem", "good", "bad"), CASES)
def test_of_the_device(requirement: r.Requirement, problem: Problem, good: str, bad: str) -> None:
    assert requirement.reason(problem, preset(good)) is None
    reason = requirement.reason(problem, preset(bad))
    assert reason and requirement.describe()


PROBLEM_CASES = [
    (r.RequiresOps(("GemmOp",)), gemm(), conv(1), "takes GemmOp, not Conv2dOp"),
    (r.RequiresAttribute("groups", (1,)), conv(1), conv(2), "groups = 2"),
    (r.RequiresAttribute("groups", (1,)), gemm(), conv(4), "groups = 4"),
    (r.RequiresAttribute("dilation", (1,)), conv(1), conv(1, (1, 2)), r"dilation = \(1, 2\)"),
    (r.RequiresDType(0, (DType.FP32,)), gemm(), None, ""),
    (r.RequiresDType(5, (DType.BF16,)), gemm(), None, ""),
    (r.RequiresDType(r.OUTPUT, (DType.BF16,)), None, gemm(), "the output of dtype bf16; it is fp32"),
    (r.RequiresExtent(0, -1, minimum=8), gemm(k=8), gemm(k=7), "it is 7"),
    (r.RequiresExtent(0, -1, maximum=8), gemm(k=8), gemm(k=9), "at most 8"),
    (r.RequiresExtent(1, -1, multiple=16), gemm(n=32), gemm(n=17), "multiple of 16"),
    (r.RequiresExtent(1, 3), None, gemm(), "no axis 3"),
    (r.RequiresAlignment(0, 16), gemm(k=24), gemm(k=25), "100 bytes"),
    (r.RequiresAlignment(0, 16), gemm(m=1, k=25), gemm(k=25), "aligned to 16 bytes"),
    (r.RequiresUnitStride(0), gemm(), gemm(strides=(1, 8)), r"the strides are \(1, 8\)"),
    (r.RequiresUnitStride(0, (-1, -2)), gemm(strides=(1, 8)), gemm(strides=(64, 2)), "unit stride"),
    (r.RequiresReductionContiguous(), gemm(n=1, k=64), gemm(n=8, k=64), r"reads fp32 along k only, and B has strides"),
    (
        RequiresRightAlongReduction(),
        gemm().replace(inputs=TURNED),
        gemm(),
        r"A has strides \(24, 1\), B \(16, 1\)",
    ),
    (
        RequiresRightAlongReduction(),
        gemm(options=Options(exchanged=True)),
        gemm(strides=(1, 8)),
        "as they are computed",
    ),
    (RequiresImageWalk(), windows(), gemm(), "GemmOp has no windows"),
    (RequiresImageWalk(), windows(), conv(1), "not channels-last"),
    (
        RequiresImageWalk(),
        windows(groups=2),
        windows(groups=4),
        "groups of 2 channels and 2 filters are no multiples of 4",
    ),
    (RequiresImageWalk(), windows(stride=(8, 8)), windows(stride=(9, 1)), "more than a copy engine takes"),
    (RequiresImageWalk(), windows(padding=(100, 100)), windows(padding=(200, 0)), "more than a copy engine takes"),
    (RequiresImageWalk(), windows(dilation=(50, 1)), windows(dilation=(70, 1)), "before the image does"),
    (RequiresImageWalk(), slopes(), slopes(c=72), "72 channels are no multiple of 64"),
    (RequiresImageWalk(), slopes(), slopes(groups=2), "divided into groups"),
    (RequiresImageWalk(), slopes(), slopes(dtype=DType.TF32), "along the reduction only"),
    (RequiresImageWalk(), None, slopes(h=900, w=900, dilation=(50, 1)), "more than a copy engine takes"),
    (
        RequiresFilterForEach(),
        windows(groups=8),
        windows(groups=2),
        "2 groups have 4 input channels and 4 filters each",
    ),
    (RequiresFilterForEach(), None, windows(groups=8, k=16), "1 input channels and 2 filters each"),
    (RequiresFilterForEach(), windows(groups=8, r=30), windows(groups=8, s=30), "30 columns, beyond"),
    (RequiresOwnPlanes(), conv(4), conv(2), "2 groups have 2 input channels each"),
    (RequiresOwnPlanes(), None, windows(groups=8), "pixels of a line"),
    (RequiresOwnPlanes(), conv(4, (1, 2)), wide_planes(), "see 40x40 take 756 registers of 168"),
    (RequiresFewRows(8), gemm(), gemm(9), "it has 9"),
    (RequiresMinimalFiltering(), windows(n=64, padding=(1, 1)), windows(n=64, padding=(1, 1), stride=(2, 2)), "stride"),
    (r.RequiresPlainEpilogue(), gemm(), gemm(epilogue=RELU), "cannot fuse"),
    (r.RequiresUngatedEpilogue(), gemm(), gated(), "gated"),
    (r.RequiresNondeterminism("atomics"), gemm(), gemm(options=Options(deterministic=True)), "atomics"),
    (r.RequiresOption("tf32x3"), gemm(options=Options(tf32x3=True)), gemm(), "tf32x3=True was not asked for"),
    (r.RequiresIndexBits(10), gemm(), gemm(m=64, k=64), "input 0 reaches 4095"),
    (r.RequiresIndexBits(10), gemm(), gemm(m=64, n=64, k=4), "the output reaches 4095"),
]


@pytest.mark.parametrize(("requirement", "good", "bad", "reason"), PROBLEM_CASES)
def test_of_the_problem(requirement: r.Requirement, good: Problem | None, bad: Problem | None, reason: str) -> None:
    profile = preset("avx2")
    assert requirement.describe()
    if good is not None:
        assert requirement.reason(good, profile) is None
    if bad is not None:
        told = requirement.reason(bad, profile)
        assert told is not None
        assert re.search(reason, told)


def test_every_requirement_is_exercised_and_decodes_from_json() -> None:
    exercised = {type(case[0]) for case in (*CASES, *PROBLEM_CASES)} | {RequiresOwnFilters}
    assert exercised == set(r.Requirement.__args__)
    for case in (*CASES, *PROBLEM_CASES):
        text = msgspec.json.encode(case[0])
        assert msgspec.json.decode(text, type=r.Requirement) == case[0]


def test_an_impossible_extent_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        r.RequiresExtent(0, 0, minimum=5, maximum=4)


def make(**changes: object) -> Variant:
    fields: dict[str, object] = {
        "name": "cpu.contraction.x", "backend": "cpu", "family": "contraction", "schedule": "panel",
        "instruction": "fma_outer_6x4x16_fp32", "operand_dtypes": (DType.FP32,), "accumulate": DType.FP32,
    }  # fmt: skip
    return Variant(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"family": "other"},
        {"name": "cuda.contraction.x"},
        {"name": "cpu"},
        {"name": "cpu.Contraction X"},
        {"operand_dtypes": ()},
        {"priority": 100},
        {"priority": -1},
        {"schedule": ""},
        {"instruction": ""},
    ],
)
def test_malformed_variant(changes: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        make(**changes)


def test_variant_describes_and_round_trips() -> None:
    whole = make(
        requirements=(d.RequiresFeatures(("fma",)), r.RequiresIndexBits(31)),
        preferences=(r.Preference(r.RequiresExtent(0, -2, maximum=8), -5),),
        summary="register tiles",
    )
    assert Variant.from_json(whole.to_json()) == whole
    text = whole.describe()
    for piece in ("needs the instructions fma", "offsets below 2^31", "(-5)", "register tiles"):
        assert piece in text


def test_output_dtypes_limit_what_is_stored() -> None:
    assert make(output_dtypes=(DType.BF16,)).misfit(gemm()) == "stores bf16; the output is fp32"
    assert make(output_dtypes=(DType.FP32,)).misfit(gemm()) is None


def test_matrix_dtypes_are_those_the_op_states() -> None:
    op = GemmOp(4, 4, 4, dtype=DType.TF32)
    specs = [TensorSpec.contiguous((4, 4), DType.FP32) for _ in range(3)]
    assert matrix_dtypes(Problem(op, tuple(specs[:2]), specs[2])) == (DType.TF32, DType.TF32)


OWN_FILTERS = [
    (windows(groups=8), gemm(), "GemmOp has no filters"),
    (windows(groups=2), windows(groups=1), "1 groups have 8 input channels each"),
    (windows(groups=2), conv(2), "not channels-last"),
    (windows(groups=8, r=30), windows(groups=8, s=30), "filters of 3x30"),
]


@pytest.mark.parametrize(("good", "bad", "reason"), OWN_FILTERS)
def test_of_filters_for_channels_on_their_own(good: Problem, bad: Problem, reason: str) -> None:
    wanted = RequiresOwnFilters()
    assert wanted.reason(good, preset("h200")) is None and wanted.describe()
    assert reason in (wanted.reason(bad, preset("h200")) or "")
