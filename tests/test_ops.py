# SPDX-License-Identifier: MIT
"""The public calls on real arrays: right results on NumPy and torch, no copies, clear refusals."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, tolerance

import tracea
from tracea import ops

RNG = np.random.default_rng(11)


def random(*shape: int, dtype: str = "float32") -> np.ndarray:
    values = RNG.standard_normal(shape) if dtype.startswith("f") else RNG.integers(-100, 100, shape)
    return values.astype(dtype)


def check(got: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """Compare a product with float64 within the bound for its length and type."""
    kind = DType.parse(a.dtype.name)
    op = GemmOp(a.shape[-2], b.shape[-1], a.shape[-1], batch=got.shape[:-2], dtype=kind)
    specs = tuple(TensorSpec.contiguous(x.shape, kind) for x in (a, b))
    problem = Problem(op, specs, TensorSpec.contiguous(op.output_shape(), op.output_dtype()))
    exact = [np.asarray(x, np.float64) for x in (a, b)]
    assert agrees(np.asarray(got, np.float64), exact[0] @ exact[1], tolerance(problem, exact)).all()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 30, 7), (64, 1, 100), (1, 129, 33), (97, 101, 103)])
def test_matmul_of_every_dtype(dtype: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
    got = ops.matmul(a, b)
    assert got.dtype == (np.int32 if dtype == "int8" else a.dtype)
    check(got, a, b)


def test_bfloat16_arrays_of_ml_dtypes() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a, b = (random(13, 13).astype(ml_dtypes.bfloat16) for _ in range(2))
    got = ops.matmul(a, b)
    assert got.dtype == a.dtype
    assert np.allclose(got.astype(np.float64), a.astype(np.float64) @ b.astype(np.float64), rtol=2e-2, atol=2e-2)


def test_any_strides_are_taken_as_they_are() -> None:
    big = random(40, 60)
    for a, b in (
        (big[::2, ::3], big[:20, :7]), (big.T[:30, :11], big[5:16, ::-1]), (big[::-1], big.T), (big[:, :1], big[:1]),
    ):  # fmt: skip
        check(ops.matmul(a, b), a, b)


def test_batches_broadcast_as_numpy_does() -> None:
    for left, right in (
        ((2, 3, 4, 5), (5, 6)),
        ((2, 1, 4, 5), (3, 5, 6)),
        ((5,), (5, 6)),
        ((4, 5), (5,)),
        ((5,), (5,)),
        ((2, 4, 5), (5,)),
    ):
        a, b = random(*left), random(*right)
        got = ops.matmul(a, b)
        assert got.shape == (a @ b).shape
        assert np.allclose(got, a.astype(np.float64) @ b.astype(np.float64), atol=1e-5)


def test_out_is_written_in_place_and_nothing_around_it() -> None:
    a, b = random(7, 9), random(9, 30)
    guarded = np.full((11, 40), np.float32(np.nan))
    out = guarded[2:9, 5:35]
    assert ops.matmul(a, b, out=out) is out
    check(out, a, b)
    outside = np.ones_like(guarded, bool)
    outside[2:9, 5:35] = False
    assert np.isnan(guarded[outside]).all()
    transposed = np.full((30, 7), np.float32(np.nan)).T
    ops.matmul(a, b, out=transposed)
    check(transposed, a, b)


def test_epilogues() -> None:
    a, b, bias, residual = random(9, 8), random(8, 26), random(26), random(9, 26)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    close = {"rtol": 1e-4, "atol": 1e-4}
    assert np.allclose(
        ops.matmul(a, b, epilogue=tracea.BiasAdd(bias) | tracea.ReLU()), np.maximum(exact + bias, 0), **close
    )
    assert np.allclose(
        ops.matmul(a, b, epilogue=tracea.Residual(residual) | tracea.Tanh()), np.tanh(exact + residual), **close
    )
    assert np.allclose(ops.matmul(a, b, epilogue=lambda x: np.exp(-np.abs(x)) + 1), np.exp(-np.abs(exact)) + 1, **close)
    gate, up = exact[:, :13], exact[:, 13:]
    assert np.allclose(ops.matmul(a, b, epilogue=tracea.SwiGLU()), gate / (1 + np.exp(-gate)) * up, **close)
    quantized = ops.matmul(a, b, epilogue=tracea.Quantize("int8", scale=0.1))
    assert quantized.dtype == np.int8
    assert np.abs(quantized - np.clip(np.rint(exact / 0.1), -128, 127)).max() <= 1
    updated = residual.copy()
    ops.matmul(a, b, out=updated, epilogue=tracea.Residual(updated))
    assert np.allclose(updated, exact + residual, **close)
    assert np.allclose(ops.matmul(a, b, alpha=2.0, beta=0.5, c=residual), 2 * exact + 0.5 * residual, **close)


def test_changed_operands_are_seen() -> None:
    a, b, bias = random(4, 4), random(4, 8), np.zeros(8, np.float32)
    stage = tracea.BiasAdd(bias)
    first = ops.matmul(a, b, epilogue=stage)
    bias += 1
    assert np.allclose(ops.matmul(a, b, epilogue=stage), first + 1)


def test_zero_sizes() -> None:
    assert ops.matmul(np.zeros((0, 3), np.float32), np.zeros((3, 4), np.float32)).shape == (0, 4)
    assert ops.matmul(np.zeros((2, 0), np.float32), np.zeros((0, 4), np.float32)).tolist() == [[0] * 4] * 2
    bias = np.arange(4, dtype=np.float32)
    empty = ops.matmul(np.zeros((2, 0), np.float32), np.zeros((0, 4), np.float32), epilogue=tracea.BiasAdd(bias))
    assert empty.tolist() == [bias.tolist()] * 2
    assert ops.matmul(np.zeros((0, 2, 3), np.float32), np.zeros((3, 4), np.float32)).shape == (0, 2, 4)
    assert ops.conv2d(np.zeros((0, 3, 5, 5), np.float32), np.zeros((2, 3, 3, 3), np.float32)).shape == (0, 2, 3, 3)


def conv_reference(x: Any, w: Any, b: Any, **options: Any) -> Any:
    torch = pytest.importorskip("torch")
    return torch.nn.functional.conv2d(x.double(), w.double(), None if b is None else b.double(), **options)


@pytest.mark.parametrize(
    "options",
    [{}, {"padding": 1}, {"stride": 2, "padding": (1, 0)}, {"dilation": 2}, {"groups": 2}, {"groups": 8, "padding": 1}],
)
@pytest.mark.parametrize("channels_last", [False, True])
def test_conv2d_on_torch_tensors(options: dict[str, Any], channels_last: bool) -> None:
    torch = pytest.importorskip("torch")
    x, w, b = torch.randn(2, 8, 11, 9), torch.randn(16, 8 // options.get("groups", 1), 3, 3), torch.randn(16)
    if channels_last:
        x = x.to(memory_format=torch.channels_last)
    got = ops.conv2d(x, w, b, **options, epilogue="relu", fallback="error")
    assert torch.allclose(got.double(), torch.relu(conv_reference(x, w, b, **options)), atol=1e-4)
    assert got.is_contiguous(memory_format=torch.channels_last) == channels_last


def test_linear_on_torch_tensors() -> None:
    torch = pytest.importorskip("torch")
    x, w, b = torch.randn(2, 3, 33), torch.randn(20, 33), torch.randn(20)
    for dtype, close in ((torch.float32, 1e-4), (torch.float64, 1e-12), (torch.bfloat16, 0.1), (torch.float16, 0.05)):
        given = [t.to(dtype) for t in (x, w, b)]
        got = ops.linear(*given, fallback="error")
        assert got.dtype is dtype and got.shape == (2, 3, 20)
        exact = torch.nn.functional.linear(*(t.double() for t in given))
        assert torch.allclose(got.double(), exact, atol=close, rtol=close)


def test_nothing_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """The launch gets the very addresses of the caller's arrays."""
    torch = pytest.importorskip("torch")
    from tracea import dispatch

    seen: list[tuple[int, ...]] = []
    x, w, out = torch.randn(6, 7).T, torch.randn(6, 9), torch.empty(7, 9)
    ops.matmul(x, w, out=out)
    for plan in dispatch._plans.values():
        if plan.launch is not None:
            launch = plan.launch
            monkeypatch.setattr(plan, "launch", lambda *p, _launch=launch, **k: (seen.append(p), _launch(*p, **k))[1])
    ops.matmul(x, w, out=out)
    assert seen == [(x.data_ptr(), w.data_ptr(), out.data_ptr())]
    a, b = random(3, 4)[:, ::2], random(2, 5)
    ops.matmul(a, b)
    from tracea.arrays import NUMPY

    assert NUMPY.pointer(a) == a.__array_interface__["data"][0]
    assert NUMPY.pointer(a[::-1, ::-1]) == a[::-1, ::-1].__array_interface__["data"][0]


def test_gradients_agree_with_pytorch() -> None:
    torch = pytest.importorskip("torch")
    x, w = torch.randn(3, 4), torch.randn(5, 4, requires_grad=True)
    ops.linear(x, w, epilogue=tracea.Gelu(), fallback="error").sum().backward()
    other = w.detach().clone().requires_grad_()
    torch.nn.functional.gelu(torch.nn.functional.linear(x, other)).sum().backward()
    assert torch.allclose(w.grad, other.grad, atol=1e-5)


class Exporter:
    """An array of another library: it offers DLPack and nothing else."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class OnDevice:
    """An array of a library that tracea does not know, on a CUDA device."""

    __dlpack__ = None

    def __dlpack_device__(self) -> Any:
        return 2, 0


def test_arrays_of_other_libraries_on_a_device_are_reached_through_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    given, tensor = OnDevice(), torch.ones(2, 2)
    monkeypatch.setattr(torch.utils.dlpack, "from_dlpack", lambda x: tensor if x is given else None)
    assert ops.matmul(given, tensor).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    with pytest.raises(tracea.DeviceError, match=r"out is a OnDevice.*Give a torch tensor"):
        ops.matmul(np.ones((2, 2)), np.ones((2, 2)), out=given)

    def fail(x: Any) -> Any:
        raise RuntimeError("no CUDA here")

    monkeypatch.setattr(torch.utils.dlpack, "from_dlpack", fail)
    with pytest.raises(tracea.DeviceError, match="a cannot be reached through DLPack: no CUDA here"):
        ops.matmul(given, tensor)


class Interface:
    """An array with nothing but the CUDA Array Interface, as Numba's are."""

    def __init__(self, tensor: Any, **more: Any) -> None:
        self.__cuda_array_interface__ = {"data": (tensor.data_ptr(), False), "version": 3, **more}


@pytest.mark.parametrize("stream", [None, 1, 4711])
def test_the_cuda_array_interface_is_read_where_it_lies_after_its_stream(
    monkeypatch: pytest.MonkeyPatch, stream: int | None
) -> None:
    torch = pytest.importorskip("torch")
    tensor, waited = torch.ones(2, 2), []
    current = SimpleNamespace(wait_stream=waited.append)
    monkeypatch.setattr(torch, "as_tensor", lambda x, device: tensor)
    monkeypatch.setattr(torch.cuda, "ExternalStream", lambda handle, device: (handle, device))
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: current)
    assert ops.matmul(Interface(tensor, stream=stream), tensor).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert waited == ([] if stream is None else [(stream, tensor.device)])
    with pytest.raises(tracea.DeviceError, match=r"Interface lies on another GPU.*torch.cuda.device"):
        ops.matmul(Interface(torch.ones(2, 2)), tensor)
    with pytest.raises(tracea.DeviceError, match=r"out is a Interface.*Give a torch tensor"):
        ops.matmul(np.ones((2, 2)), np.ones((2, 2)), out=Interface(tensor))

    def fail(x: Any, device: str) -> Any:
        raise RuntimeError("no CUDA here")

    monkeypatch.setattr(torch, "as_tensor", fail)
    with pytest.raises(tracea.DeviceError, match="a cannot be reached through the CUDA Array Interface: no CUDA here"):
        ops.matmul(Interface(tensor), tensor)


def test_dlpack_objects_are_arrays() -> None:
    a, b = random(4, 5), random(5, 6)
    assert np.allclose(ops.matmul(Exporter(a), Exporter(b)), a @ b, atol=1e-5)


def bad_inputs() -> list[tuple[str, Any, type[Exception], str]]:
    a, b = random(4, 5), random(5, 6)
    locked = np.zeros((4, 6), np.float32)
    locked.flags.writeable = False
    image, weights = random(1, 4, 5, 5), random(8, 4, 3, 3)
    repeated = np.lib.stride_tricks.as_strided(np.zeros(6, np.float32), (4, 6), (0, 4))
    huge = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (2**31, 1), (0, 4))
    return [
        ("inner extents", lambda: ops.matmul(a, b[:3]), tracea.ShapeError, "inner extents differ"),
        ("batches", lambda: ops.matmul(random(2, 4, 5), random(3, 5, 6)), tracea.ShapeError, "do not broadcast"),
        ("scalars", lambda: ops.matmul(np.zeros((), np.float32), b), tracea.ShapeError, "at least one axis"),
        ("types", lambda: ops.matmul(a.astype(np.int8), b), tracea.DTypeError, "all integer"),
        ("complex", lambda: ops.matmul(a.astype(np.complex64), b), tracea.DTypeError, "complex64"),
        ("byte order", lambda: ops.matmul(a.astype(">f4"), b), tracea.DTypeError, "byte order"),
        ("a list", lambda: ops.matmul([[1.0]], b), tracea.DTypeError, "not an array"),
        ("alpha", lambda: ops.matmul(a, b, alpha=float("nan")), tracea.OptionError, "finite"),
        ("beta", lambda: ops.matmul(a, b, beta=float("inf"), c=locked), tracea.OptionError, "finite"),
        ("beta without c", lambda: ops.matmul(a, b, beta=1.0), tracea.ShapeError, "beta needs c"),
        ("out's shape", lambda: ops.matmul(a, b, out=np.zeros((4, 5), np.float32)), tracea.ShapeError, "must have shape"),
        ("out's type", lambda: ops.matmul(a, b, out=np.zeros((4, 6))), tracea.TraceaError, "fp64"),
        ("out read-only", lambda: ops.matmul(a, b, out=locked), tracea.AliasError, "read-only"),
        ("out repeated", lambda: ops.matmul(a, b, out=repeated), tracea.AliasError, "share memory"),
        ("out aliased", lambda: ops.matmul(random(4, 4), b[:4, :4], out=b[:4, :4]), tracea.AliasError, "shares memory"),
        ("huge", lambda: ops.matmul(huge, huge.T), tracea.TraceaError, "63 bits"),
        ("bias length", lambda: ops.matmul(a, b, epilogue=tracea.BiasAdd(random(5))), tracea.ShapeError, "bias"),
        ("scale", lambda: tracea.Scale(float("inf")), tracea.OptionError, "finite"),
        ("epilogue", lambda: ops.matmul(a, b, epilogue="frobnicate"), tracea.OptionError, "frobnicate"),
        ("fallback", lambda: ops.matmul(a, b, fallback="maybe"), tracea.OptionError, "fallback"),
        ("backend", lambda: ops.matmul(a, b, backend="nosuch"), tracea.BackendUnavailableError, "nosuch"),
        ("weight", lambda: ops.linear(a, b), tracea.ShapeError, "transposed"),
        ("stride", lambda: ops.conv2d(image, weights, stride=0), tracea.OptionError, "stride"),
        ("padding", lambda: ops.conv2d(image, weights, padding="some"), tracea.OptionError, "padding"),
        ("groups", lambda: ops.conv2d(image, weights, groups=3), tracea.TraceaError, "groups"),
        ("channels", lambda: ops.conv2d(image, weights[:, :2]), tracea.ShapeError, "shape"),
        ("filter", lambda: ops.conv2d(image[:, :, :2], weights), tracea.ShapeError, "does not fit"),
        ("rank", lambda: ops.conv2d(image[0], weights), tracea.ShapeError, "shape"),
        ("eps", lambda: ops.rms_norm(a, eps="small"), tracea.OptionError, "eps must be a number, not 'small'"),
        ("eps of a length", lambda: ops.normalize(a, eps=None), tracea.OptionError, "eps must be a number"),
        ("scale of rows", lambda: ops.softmax(a, scale=None), tracea.OptionError, "scale must be a number, not None"),
        ("scale of scores", lambda: ops.attention(image, image, image, scale=""), tracea.OptionError, "scale must"),
        ("a device", lambda: tracea.AutoTuner("h200"), tracea.OptionError, r"GPUInfo\.h200"),
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(len(bad_inputs())))
def test_bad_input_is_refused_before_anything_runs(number: int) -> None:
    _, call, kind, words = bad_inputs()[number]
    with pytest.raises(kind, match=words) as caught:
        call()
    assert isinstance(caught.value, tracea.TraceaError)


def test_mixed_devices_are_an_error() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(tracea.DeviceError, match="different devices"):
        ops.matmul(torch.ones(2, 2), torch.ones(2, 2, device="meta"))


def test_concurrent_callers_get_their_own_results() -> None:
    a = [random(50, 60) for _ in range(6)]
    b = random(60, 70)
    expected = [x @ b for x in a]
    wrong: list[int] = []

    def work(index: int) -> None:
        for _ in range(50):
            if not np.allclose(ops.matmul(a[index], b), expected[index], atol=1e-4):
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_broken_cache_never_fails_a_call(tmp_path: Any) -> None:
    import os
    import subprocess
    import sys

    code = "import numpy as np, tracea; print(tracea.ops.matmul(np.ones((2, 3), 'f4'), np.ones((3, 2), 'f4')).sum())"
    place = tmp_path / "cache"
    place.write_text("a file where the directory should be")
    for directory in (place, tmp_path / "fresh", "/proc/nowhere"):
        environment = os.environ | {"TRACEA_CACHE_DIR": str(directory)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=500
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "12.0"
    for path in (tmp_path / "fresh").rglob("*"):
        if path.is_file():
            path.write_bytes(b"garbage")
    environment = os.environ | {"TRACEA_CACHE_DIR": str(tmp_path / "fresh")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0 and done.stdout.strip() == "12.0", done.stderr
