# SPDX-License-Identifier: MIT
"""Calls whose kernels are interpreted: right on every kind of plan, whosever kernels they are, and refused with reasons."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.dtypes import DType
from tracea_core.environment import INTERPRET
from tracea_core.errors import DeviceError, LaunchError, OptionError, UnsupportedError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, tolerance
from tracea_core.pipeline import parts, plan
from tracea_core.pipeline.interpreted import Interpreted
from tracea_core.pipeline.path import trace
from tracea_core.policy import arrange_images, image_parts
from tracea_core.semantic.rewrite import map_indices
from tracea_core.testing.cases import dense, gemm

LAST = (0, 2, 3, 1)
Array = npt.NDArray[np.generic]


def conv(dtype: DType = DType.FP16, **fields: int) -> Problem:
    sizes = {"n": 2, "c": 64, "h": 7, "w": 6, "k": 64, "r": 3, "s": 3} | fields
    op = Conv2dOp(**sizes, padding=(1, 1), dtype=dtype)  # type: ignore[arg-type]
    tensors = [dense(shape, dtype, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2])


def fused() -> Problem:
    chain = parse_epilogue("bias,residual,relu")
    operands = (TensorSpec.contiguous((45,), DType.FP32), TensorSpec.contiguous((33, 45), DType.FP32))
    given = gemm((33, 45, 70), DType.FP32, "nt")
    return Problem(given.op, given.inputs, given.output, chain, operands)


def attention() -> Problem:
    op = AttentionOp(1, 4, 19, 40, 16, kv_heads=2, causal=True, dtype=DType.BF16)
    tensors = [dense(shape, DType.BF16) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:3]), tensors[3])


def transposed() -> Problem:
    op = ConvTranspose2dOp(1, 16, 5, 6, 8, 3, 3, (2, 2), (1, 1), dtype=DType.FP16)
    tensors = [dense(shape, DType.FP16, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2])


def rows() -> Problem:
    spec = TensorSpec.contiguous((37, 96), DType.FP16)
    return Problem(SoftmaxOp((37, 96), dtype=DType.FP16), (spec,), spec)


PROBLEMS = {
    "product": lambda: gemm((33, 45, 70), DType.FP32, "tn"), "epilogue": fused, "rows": rows, "attention": attention,
    "convolution": conv, "groups": lambda: conv(c=48, k=48, groups=3), "phases": transposed,
    "odd rows": lambda: gemm((1111, 24, 37), DType.BF16, "nt"),
}  # fmt: skip


def placed(spec: TensorSpec, random: np.random.Generator) -> Array:
    """An array of random numbers that lies as `spec` says."""
    flat = spec.dtype.encode(
        random.standard_normal(1 + sum((e - 1) * s for e, s in zip(spec.shape, spec.strides, strict=True)))
    )
    return np.lib.stride_tricks.as_strided(flat, spec.shape, tuple(flat.itemsize * s for s in spec.strides))


def run(problem: Problem, device: str | None = "cpu") -> tuple[bool, Array]:
    """Whether the plan's launch agrees with float64 in every element, and what it stored."""
    random = np.random.default_rng(5)
    inputs = [placed(spec, random) for spec in problem.inputs]
    operands = [placed(spec, random) for spec in problem.epilogue_inputs]
    output = placed(problem.output, random)
    output[...] = problem.output.dtype.encode(np.nan)
    made = plan(problem, device)
    assert made.known is not None
    used = [
        given if spec.dtype is kind else np.ascontiguousarray(kind.encode(spec.dtype.decode(given)))
        for given, spec, kind in zip(inputs, problem.inputs, made.known.inputs, strict=True)
    ]
    places = {f"input{i}": x for i, x in enumerate(used)} | {f"epilogue{i}": x for i, x in enumerate(operands)}
    places["output"] = output
    made.launch(*(places[name].__array_interface__["data"][0] for name in made.operands))
    exact = [spec.dtype.decode(x) for spec, x in zip(problem.inputs, inputs, strict=True)]
    beside = [spec.dtype.decode(x) for spec, x in zip(problem.epilogue_inputs, operands, strict=True)]
    bound = tolerance(problem, exact, beside)
    found = problem.output.dtype.decode(output)
    return bool(agrees(found, problem.reference(*exact, *beside), bound).all()), output


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("whose", ["1", "h200", "a100", "mi300x"])
def test_results_agree_whosever_kernels_they_are(name: str, whose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INTERPRET, whose)
    if (name, whose) == ("phases", "1"):  # a processor's phases read their filters from the end on
        with pytest.raises(UnsupportedError, match="input1 is read backwards"):
            run(PROBLEMS[name]())
    else:
        assert run(PROBLEMS[name]())[0]


def test_several_kernels_share_workspaces(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = conv(c=256, k=256, h=28, w=28, n=1, groups=32)
    path = trace(problem, preset="h200")
    assert path.arrangement.kernels == 2
    monkeypatch.setenv(INTERPRET, "h200")
    made = plan(problem, "cpu")
    assert isinstance(made.launch, Interpreted) and len(made.launch.steps) == 2 and set(made.launch.spaces) == {"copy1"}


def test_some_images_at_a_time_are_all_images(monkeypatch: pytest.MonkeyPatch) -> None:
    op = Conv2dOp(5, 32, 12, 10, 24, 3, 3, padding=(1, 1), dtype=DType.FP16)
    tensors = [dense(shape, DType.FP16) for shape in (*op.input_shapes(), op.output_shape())]
    problem = Problem(op, tuple(tensors[:2]), tensors[2])
    for module in (arrange_images, image_parts):
        monkeypatch.setattr(module, "ROOM", 45_000)
    monkeypatch.setattr(parts, "timed", lambda one, problem: None)  # so few are gathered by estimate
    path = trace(problem, preset="h200")
    assert [one.problem.op.n for one, _ in path.phases] == [2, 2, 1]
    monkeypatch.setenv(INTERPRET, "h200")
    assert run(problem)[0]


BANDS: dict[str, dict[str, Any]] = {
    "padding": {"padding": (1, 1)},
    "no padding": {},
    "a stride": {"padding": (1, 1), "stride": (2, 2), "h": 23},
    "far taps": {"padding": (2, 2), "dilation": (2, 2)},
    "few channels": {"c": 3, "r": 5, "s": 5, "padding": (2, 2), "stride": (2, 2), "h": 40, "w": 38},
    "odd channels": {"c": 19, "k": 13, "padding": (1, 1)},
}


@pytest.mark.parametrize("name", BANDS)
def test_lines_that_have_no_room_together_are_convolved_in_bands(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op = Conv2dOp(**({"n": 2, "c": 32, "h": 20, "w": 10, "k": 24, "r": 3, "s": 3, "dtype": DType.FP16} | BANDS[name]))
    tensors = [dense(shape, DType.FP16) for shape in (*op.input_shapes(), op.output_shape())]
    problem = Problem(op, tuple(tensors[:2]), tensors[2], parse_epilogue("bias,relu"), (dense((op.k,), DType.FP32),))
    room = 2 * arrange_images.needed_room(problem) // 5  # less than that of one image
    for module in (arrange_images, image_parts):
        monkeypatch.setattr(module, "ROOM", room)
    monkeypatch.setattr(parts, "timed", lambda one, problem: None)  # so few are gathered by estimate
    path = trace(problem, preset="h200")
    assert len(path.phases) >= 4 and {one.problem.op.n for one, _ in path.phases} == {1}
    assert sum(one.problem.output.shape[2] for one, _ in path.phases) == 2 * op.output_size[0]
    monkeypatch.setenv(INTERPRET, "h200")
    assert run(problem)[0]


def test_filters_that_have_no_room_together_are_multiplied_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    op = Conv2dOp(1, 32, 6, 10, 150, 3, 3, padding=(1, 1), dtype=DType.FP16)
    tensors = [dense(shape, DType.FP16) for shape in (*op.input_shapes(), op.output_shape())]
    chain = parse_epilogue("bias,relu")
    problem = Problem(op, tuple(tensors[:2]), tensors[2], chain, (dense((op.k,), DType.FP32),))
    for module in (arrange_images, image_parts):
        monkeypatch.setattr(module, "ROOM", 60_000)
    monkeypatch.setattr(parts, "timed", lambda one, problem: None)  # so few are gathered by estimate
    path = trace(problem, preset="h200")
    assert [one.problem.op.k for one, _ in path.phases] == [64, 64, 22]
    monkeypatch.setenv(INTERPRET, "h200")
    assert run(problem)[0]


def test_results_of_which_nothing_lies_together_are_not_copied_from_a_workspace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every second line of planes of two columns, of which a 1×1 filter at stride 2 writes the first: its pixels lie four apart."""
    op = ConvTranspose2dOp(4, 192, 4, 1, 16, 1, 1, (2, 2), output_padding=(0, 1), dtype=DType.BF16)
    tensors = [dense(shape, DType.BF16) for shape in (*op.input_shapes(), op.output_shape())]
    monkeypatch.setenv(INTERPRET, "h200")
    assert run(Problem(op, tuple(tensors[:2]), tensors[2]))[0]


def test_the_log_says_whose_kernels_run(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv(INTERPRET, "h200")
    with caplog.at_level(logging.WARNING, "tracea"):
        plan(rows(), "cpu")
    assert caplog.messages == [f"{INTERPRET}: softmax fp16 runs in the interpreter, as on h200"]


@pytest.mark.parametrize("off", ["", "0", " "])
def test_it_is_off_unless_it_is_asked_for(off: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INTERPRET, off)
    assert not isinstance(plan(rows(), "cpu").launch, Interpreted)


def test_what_is_not_interpreted_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INTERPRET, "h300")
    with pytest.raises(OptionError, match="h300 names no device"):
        plan(rows(), "cpu")
    monkeypatch.setenv(INTERPRET, "1")
    with pytest.raises(DeviceError, match="arrays are on cuda:0"):
        plan(rows(), "cuda:0")
    given = rows()
    backwards = TensorSpec((37, 96), DType.FP16, (-96, 1))
    with pytest.raises(UnsupportedError, match="input0 is read backwards"):
        plan(given.replace(inputs=(backwards,)), "cpu")


def test_a_wrong_kernel_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that goes a row too far, as no certificate would let it."""
    monkeypatch.setenv(INTERPRET, "1")
    problem = gemm((8, 8, 8), DType.FP32).replace(options=Options())
    assert isinstance(problem.op, GemmOp)
    made = plan(problem, "cpu")
    assert isinstance(made.launch, Interpreted)
    kernel, symbols, operands, shifts = made.launch.steps[0]
    moved = tuple(
        role.replace(body=map_indices(role.body, lambda index: index, lambda test: test.replace(right=test.right + 1)))
        for role in kernel.roles
    )
    made.launch.steps = [(kernel.replace(roles=moved), {**symbols, "m": 9}, operands, shifts)]
    arrays = [np.zeros((8, 8), np.float32) for _ in range(3)]
    with pytest.raises(LaunchError, match="the interpreter stopped"):
        made.launch(*(x.__array_interface__["data"][0] for x in arrays))
