# SPDX-License-Identifier: MIT
"""Products dispatched by hand: into the caller's buffers on a device; on a preset they are only explained and printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.errors import BackendUnavailableError, DeviceError, OptionError, ShapeError, UnsupportedError

import tracea
from tracea import BiasAdd, Context, ReLU, SwiGLU


def draw(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape, dtype=np.float32)


def test_products_stand_in_the_callers_memory() -> None:
    context = Context("cpu")
    a, b, c, bias = draw(7, 5), draw(5, 9), np.full((7, 9), np.nan, np.float32), draw(9)
    assert context.execute(a, b, c, 7, 9, 5) is c
    np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-5)
    exact = np.maximum(a @ b + bias, 0)
    for epilogues in ([BiasAdd(bias), ReLU()], BiasAdd(bias) | ReLU(), (BiasAdd(bias), "relu")):
        c.fill(np.nan)
        context.execute(a, b, c, 7, 9, 5, epilogues)
        np.testing.assert_allclose(c, exact, rtol=1e-5, atol=1e-5)
    context.execute(a, b, c, 7, 9, 5, [])
    np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-5)


def test_buffers_and_strides_are_taken_as_they_are() -> None:
    a, b, c = draw(7, 5), draw(5, 9), np.full(70, np.nan, np.float32)
    Context().execute(a.ravel(), np.asfortranarray(b), c[:63], 7, 9, 5)
    np.testing.assert_allclose(c[:63].reshape(7, 9), a @ b, rtol=1e-5, atol=1e-5)
    assert np.isnan(c[63:]).all()
    wide = draw(5, 12)
    out = np.empty((7, 6), np.float32)
    Context().execute(a, wide, out, 7, 6, 5, SwiGLU())
    np.testing.assert_allclose(out, tracea.ops.matmul(a, wide, epilogue=SwiGLU()), rtol=1e-5, atol=1e-5)


def test_torch_tensors_of_the_device() -> None:
    torch = pytest.importorskip("torch")
    a, b, c = torch.randn(7, 5), torch.randn(5, 9), torch.empty(63)
    assert Context().execute(a, b, c, 7, 9, 5, ReLU()) is c
    torch.testing.assert_close(c.view(7, 9), (a @ b).relu())
    with pytest.raises(DeviceError, match="b is on meta, the context on cpu"):
        Context().execute(a, b.to("meta"), c, 7, 9, 5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"a": draw(5, 7)}, r"a has shape \(5, 7\), not \(7, 5\)"),
        ({"b": draw(44)}, "b has shape"),
        ({"c": draw(126)[::2]}, "c has shape"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], words: str) -> None:
    given = {"a": draw(7, 5), "b": draw(5, 9), "c": np.full((7, 9), np.nan, np.float32)} | change
    with pytest.raises(ShapeError, match=words):
        Context().execute(*given.values(), 7, 9, 5)


def test_nothing_is_left_to_another_library() -> None:
    half = np.ones((4, 4), np.complex64)
    with pytest.raises((UnsupportedError, tracea.DTypeError)):
        Context().execute(half, half, half.copy(), 4, 4, 4)
    with pytest.raises(BackendUnavailableError):
        Context("cuda:97")
    with pytest.raises((BackendUnavailableError, DeviceError)):
        Context("cpu", "no such backend")


@pytest.mark.parametrize("name", ["h200", "preset:h200"])
def test_a_preset_explains_and_prints_but_executes_nothing(name: str) -> None:
    pytest.importorskip("tracea_cuda")
    context = Context(name)
    assert context.device == "preset:h200" and context.backend == "cuda" and "preset:h200" in repr(context)
    explained = context.explain(512, 256, 128, "bias,relu", dtype="bf16")
    assert explained.problem.op.m == 512 and "H200" in explained.target.profile.name  # type: ignore[union-attr]
    assert [spec.dtype.value for spec in explained.problem.epilogue_inputs] == ["fp32"]
    text = context.emit(512, 256, 128, "bias,relu", dtype="bf16")
    assert explained.source is not None and explained.source.text in text and "__global__" in text
    given = context.explain(512, 256, 128, BiasAdd(np.ones(256, np.float16)), dtype="bf16")
    assert [spec.dtype.value for spec in given.problem.epilogue_inputs] == ["fp16"]
    matrix = np.ones((2, 2), np.float32)
    with pytest.raises(BackendUnavailableError, match="preset:h200 is no device"):
        context.execute(matrix, matrix, matrix.copy(), 2, 2, 2)


def test_what_is_explained_is_what_is_executed() -> None:
    explained = Context("cpu").explain(64, 48, 32, [BiasAdd(draw(48)), ReLU()])
    assert explained.target.device == "cpu" and explained.problem.output.shape == (64, 48)
    assert Context("cpu").emit(64, 48, 32, "relu")
    with pytest.raises(OptionError, match="extents are at least 0"):
        Context("cpu").explain(-1, 2, 3)
