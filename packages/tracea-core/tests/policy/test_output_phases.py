# SPDX-License-Identifier: MIT
"""A transposed convolution as convolutions onto the phases of its output: equal to the whole, and no more work than it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import msgspec
import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError, UnsupportedError
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Neighbour, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.output_phases import output_phases, taps_of
from tracea_core.testing.cases import dense

STRIDES = [(1, 1), (2, 2), (3, 2), (4, 1)]
PADDINGS = [(0, 0), (1, 1), (2, 0), (1, 3)]
DILATIONS = [(1, 1), (2, 1), (2, 3)]
FILTERS = [(1, 1), (2, 2), (3, 3), (4, 3)]


def stated(op: ConvTranspose2dOp, order: tuple[int, ...] = (0, 1, 2, 3)) -> Problem:
    inputs = tuple(dense(shape, DType.FP32, order) for shape in op.input_shapes())
    return Problem(op, inputs, dense(op.output_shape(), DType.FP32, order))


def view(memory: Any, spec: TensorSpec, shift: int) -> Any:
    strides = [stride * memory.itemsize for stride in spec.strides]
    return np.lib.stride_tricks.as_strided(memory[shift:], spec.shape, strides)


def memory_of(tensor: Any, spec: TensorSpec) -> Any:
    memory = np.zeros(tensor.size)
    view(memory, spec, 0)[...] = tensor
    return memory


@pytest.mark.parametrize(
    ("order", "turned", "overlapping"),
    [((0, 1, 2, 3), False, False), ((0, 2, 3, 1), True, False), ((0, 2, 3, 1), True, True)],
)
@pytest.mark.parametrize(("stride", "padding"), list(itertools.product(STRIDES, PADDINGS)))
def test_phases_are_the_whole(
    stride: tuple[int, int], padding: tuple[int, int], order: tuple[int, ...], turned: bool, overlapping: bool
) -> None:
    rng = np.random.default_rng(5)
    seen = 0
    for dilation, taps, groups, extra in itertools.product(DILATIONS, FILTERS, (1, 2), ((0, 0), (1, 0))):
        try:
            op = ConvTranspose2dOp(2, 4, 5, 4, 6, *taps, stride, padding, extra, dilation, groups)
        except (ShapeError, OptionError):
            continue  # such padding leaves no output, or such an extra row is no rest of a stride
        whole = stated(op, order)
        x, w = (rng.standard_normal(shape) for shape in op.input_shapes())
        given = [memory_of(tensor, spec) for tensor, spec in zip((x, w), whole.inputs, strict=True)]
        out = np.full(math.prod(op.output_shape()), np.nan)
        for phase in output_phases(whole, turned=turned, overlapping=overlapping):
            part = phase.problem
            assert not turned or min(part.inputs[1].strides) > 0
            if isinstance(part.op, GemmOp):
                place = view(out, part.output, phase.shifts["output"])
                assert overlapping and not part.op.k and np.isnan(place).all()
                place[...] = 0.0
                continue
            read = [view(given[i], spec, phase.shifts[f"input{i}"]) for i, spec in enumerate(part.inputs)]
            place = view(out, part.output, phase.shifts["output"])
            zeros = part.inputs[0].shape[1] == 0
            assert np.isnan(place).all() or (not zeros and not place.any())  # each is written once, or after zeros
            place[...] = part.op.reference(*read)
        np.testing.assert_allclose(view(out, whole.output, 0), op.reference(x, w), atol=1e-12)
        seen += 1
    assert seen >= 8


def test_no_product_is_in_vain() -> None:
    """Phases multiply what lies inside the output, which is no more than the whole does and its padding."""
    op = ConvTranspose2dOp(1, 8, 28, 28, 8, 4, 4, (2, 2), (1, 1))
    found = [phase.problem.op for phase in output_phases(stated(op))]
    assert len(found) == 4 and sum(one.flops() for one in found) == op.flops()
    assert all((one.r, one.s, one.stride) == (2, 2, (1, 1)) for one in found if isinstance(one, Conv2dOp))


def test_plain_convolutions_where_the_padding_is_even() -> None:
    (one,) = output_phases(stated(ConvTranspose2dOp(1, 4, 7, 7, 8, 3, 3, padding=(1, 1))))
    assert type(one.problem.op) is Conv2dOp and one.problem.op.padding == (1, 1)
    kinds = {
        type(phase.problem.op)
        for phase in output_phases(stated(ConvTranspose2dOp(1, 4, 7, 7, 8, 4, 4, (2, 2), (1, 1))))
    }
    assert kinds == {CroppedConv2dOp}


def test_a_phase_without_taps_has_no_channels() -> None:
    phases = output_phases(stated(ConvTranspose2dOp(1, 4, 7, 7, 8, 1, 1, (2, 2), output_padding=(1, 1))))
    assert [phase.problem.inputs[0].shape[1] for phase in phases] == [0, 4], "all of the output, then what has taps"
    assert [phase.problem.output.shape[2:] for phase in phases] == [(14, 14), (7, 7)]
    assert [phase.problem.options.neighbour for phase in phases] == [Neighbour.FIRST, Neighbour.AFTER]
    read = dense((1, 8, 14, 14), DType.FP32)
    residual = stated(ConvTranspose2dOp(1, 4, 7, 7, 8, 1, 1, (2, 2), output_padding=(1, 1)))
    residual = residual.replace(epilogue=parse_epilogue("residual"), epilogue_inputs=(read,))
    assert [phase.problem.inputs[0].shape[1] for phase in output_phases(residual)] == [4, 0, 0, 0], (
        "it may be the output"
    )


def test_parts_that_need_nothing_of_each_other_may_run_beside_each_other() -> None:
    phases = output_phases(stated(ConvTranspose2dOp(1, 8, 28, 28, 8, 3, 3, (2, 2), (1, 1), (1, 1))))
    assert [phase.problem.options.neighbour for phase in phases] == [Neighbour.FIRST, *[Neighbour.BESIDE] * 3]
    (one,) = output_phases(stated(ConvTranspose2dOp(1, 4, 7, 7, 8, 3, 3, padding=(1, 1))))
    assert one.problem.options.neighbour is msgspec.UNSET
    several = output_phases(stated(ConvTranspose2dOp(1, 4, 7, 7, 8, 2, 1, (2, 4), output_padding=(1, 1))))
    assert [phase.problem.inputs[0].shape[1] for phase in several] == [0, 4, 4]
    assert {phase.problem.options.neighbour for phase in several} == {msgspec.UNSET}, (
        "the last could not be sure of the zeros"
    )


def test_the_longest_phase_comes_first_where_kernels_overlap() -> None:
    whole = stated(ConvTranspose2dOp(1, 8, 28, 28, 8, 3, 3, (2, 2), (1, 1), (1, 1)), (0, 2, 3, 1))
    work = [phase.problem.op.flops() for phase in output_phases(whole, turned=True, overlapping=True)]
    assert work == sorted(work, reverse=True) and work[0] == 4 * work[-1]
    assert [phase.problem.op.flops() for phase in output_phases(whole, turned=True)] == work[::-1]


def test_zeros_that_no_epilogue_changes_are_written_once_and_by_themselves() -> None:
    """Odd rows as they lie, then odd columns of even rows; whoever multiplies waits for neither."""
    whole = stated(ConvTranspose2dOp(2, 4, 7, 7, 8, 1, 1, (2, 2), output_padding=(1, 1)), (0, 2, 3, 1))
    phases = output_phases(whole, overlapping=True)
    assert [phase.problem.output.shape for phase in phases] == [(7, 14, 8), (14, 112), (2, 8, 7, 7)]
    assert [phase.shifts["output"] for phase in phases] == [8, 112, 0]
    assert [phase.problem.options.neighbour for phase in phases] == [Neighbour.FIRST, *[Neighbour.BESIDE] * 2]
    biased = whole.replace(epilogue=parse_epilogue("bias"), epilogue_inputs=(TensorSpec.contiguous((8,), DType.FP32),))
    apart = stated(ConvTranspose2dOp(2, 4, 7, 7, 8, 1, 1, (2, 2), output_padding=(1, 1)))
    uneven = stated(ConvTranspose2dOp(2, 4, 7, 7, 8, 1, 1, (2, 2)), (0, 2, 3, 1))
    wide = stated(ConvTranspose2dOp(2, 4, 7, 7, 8, 1, 1, (4, 4), output_padding=(3, 3)), (0, 2, 3, 1))
    for other in (biased, apart, uneven, wide):
        kinds = [phase.problem.options.neighbour for phase in output_phases(other, overlapping=True)]
        assert kinds == [Neighbour.FIRST, Neighbour.AFTER], "all of the output is zeros first"


def test_an_output_that_no_tap_meets_is_one_pass_of_zeros() -> None:
    whole = stated(ConvTranspose2dOp(2, 4, 2, 7, 8, 1, 1, (2, 2), (1, 0)), (0, 2, 3, 1))
    (only,) = output_phases(whole, overlapping=True)
    assert isinstance(only.problem.op, GemmOp) and not only.problem.op.k
    assert math.prod(only.problem.output.shape) == math.prod(whole.output.shape) and not only.shifts["output"]
    assert only.problem.options.neighbour is msgspec.UNSET, "there is none"


def test_taps_of_an_axis() -> None:
    assert [one.taps for one in taps_of(4, 1, 2, 3, 9)] == [0, 1, 0, 2]


def test_shifts_are_part_of_what_addresses_are_multiples_of() -> None:
    op = ConvTranspose2dOp(1, 8, 6, 6, 8, 2, 2, (2, 2), dtype=DType.FP16)
    specs = tuple(dense(shape, DType.FP16, (0, 2, 3, 1)) for shape in (*op.input_shapes(), op.output_shape()))
    fused = parse_epilogue("bias,residual")
    bias = TensorSpec.contiguous((8,), DType.FP32)
    last = output_phases(Problem(op, specs[:2], specs[2], fused, (bias, specs[2])))
    assert [phase.problem.options.alignment for phase in last] == [16] * 4
    assert [phase.shifts["epilogue1"] for phase in last] == [0, 8, 8 * 12, 8 * 13]
    assert {phase.shifts["epilogue0"] for phase in last} == {0}
    first = TensorSpec.contiguous(op.output_shape(), DType.FP16)
    assert [phase.problem.options.alignment for phase in output_phases(Problem(op, specs[:2], first))][1] == 2


def test_refusals() -> None:
    with pytest.raises(UnsupportedError, match="convolutions"):
        output_phases(stated(ConvTranspose2dOp(1, 4, 7, 7, 8, 5, 5, (5, 5))))
