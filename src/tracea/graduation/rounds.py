# SPDX-License-Identifier: MIT
"""The bouts: which work each round holds, who takes part, and what the right answer is.

Every contestant gets the same random operands and writes into memory of its own; each one's result is compared with float64 before
anything is timed. Peers run as their users would run them: PyTorch eager and with batch norm folded, NumPy's own product.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import tolerance, worst

from tracea import ops
from tracea.arrays import NUMPY
from tracea.ops.filtering import by_default, options_of

OURS = "tracea"
EPS = 1e-5


@dataclass(frozen=True)
class Bout:
    """One piece of work: contestants by name (tracea first), each returning its result as an array, and how to judge one.

    `off` returns how many error bounds the worst element of a result lies from the float64 reference.
    """

    round: str
    name: str
    flops: int
    contestants: dict[str, Callable[[], Any]]
    off: Callable[[Any], float]


def has_torch() -> bool:
    """Whether PyTorch can be a peer."""
    return importlib.util.find_spec("torch") is not None


def gemm(round_name: str, m: int, n: int, k: int, threads: int, matrices: tuple[Any, Any] | None = None) -> Bout:
    """A product of two fp32 matrices, random ones if none are given."""
    random = np.random.default_rng()
    a, b = matrices or (random.standard_normal((m, k), np.float32), random.standard_normal((k, n), np.float32))
    out, other = np.empty((m, n), np.float32), np.empty((m, n), np.float32)
    contestants: dict[str, Callable[[], Any]] = {
        OURS: lambda: ops.matmul(a, b, out=out),
        "numpy": lambda: np.matmul(a, b, out=other),
    }
    if has_torch():
        import torch

        torch.set_num_threads(threads)
        ta, tb, third = torch.from_numpy(a), torch.from_numpy(b), torch.empty(m, n)
        contestants["torch"] = lambda: torch.mm(ta, tb, out=third)
    problem = Problem(GemmOp(m, n, k), (NUMPY.spec(a), NUMPY.spec(b)), TensorSpec.contiguous((m, n), DType.FP32))
    return Bout(round_name, f"{m}×{n}×{k}", 2 * m * n * k, contestants, judge(problem, [a, b]))


@dataclass(frozen=True)
class Layer:
    """A convolution with batch norm and ReLU."""

    n: int
    c: int
    size: int
    k: int
    filter: int
    stride: int = 1

    @property
    def name(self) -> str:
        """The layer in a few characters."""
        text = f"n{self.n} {self.c}→{self.k} {self.size}² {self.filter}×{self.filter}"
        return text + (f" /{self.stride}" if self.stride > 1 else "")


def fused_convolution(layer: Layer, channels_last: bool, threads: int, allow_winograd: bool | None = None) -> Bout:
    """Convolution → batch norm → ReLU in fp32, inference statistics. Every contestant allocates its result, as users do.

    tracea filters by way of sums where `tracea.ops.conv2d` does by default, or as `allow_winograd` says, and is held to the bound of that.
    """
    from tracea import BatchNorm, ReLU

    random = np.random.default_rng()
    pad = layer.filter // 2
    op = Conv2dOp(
        layer.n, layer.c, layer.size, layer.size, layer.k, layer.filter, layer.filter, (layer.stride,) * 2, (pad, pad)
    )  # fmt: skip
    x = _image(random.standard_normal((layer.n, layer.c, layer.size, layer.size), np.float32), channels_last)
    w = random.standard_normal((layer.k, layer.c, layer.filter, layer.filter), np.float32)
    w = _image(w / np.float32((layer.c * layer.filter**2) ** 0.5), channels_last)
    mean, beta = random.standard_normal(layer.k, np.float32), random.standard_normal(layer.k, np.float32)
    var, gamma = random.random(layer.k, np.float32) + 0.5, random.random(layer.k, np.float32) + 0.5
    vectors: list[Any] = [mean, var, gamma, beta]
    contestants: dict[str, Callable[[], Any]] = {}
    image: Any
    weights: Any
    if has_torch():
        import torch

        torch.set_num_threads(threads)
        tensors = [torch.from_numpy(v) for v in (x, w)]
        vectors = [torch.from_numpy(v) for v in vectors]
        contestants = _torch_peers(layer, *tensors, *vectors)
        image, weights = tensors
    else:
        image, weights = x, w
        contestants["numpy, BN folded"] = lambda: _numpy_peer(layer, x, w, mean, var, gamma, beta)
    epilogue = BatchNorm(*vectors, eps=EPS) | ReLU()
    ours = {
        OURS: lambda: ops.conv2d(
            image,
            weights,
            stride=layer.stride,
            padding=pad,
            epilogue=epilogue,
            allow_winograd=allow_winograd,
            fallback="error",
        )
    }
    arrays = [x, w]
    operands = [np.asarray(t) for t in epilogue.operands]
    problem = by_default(Problem(
        op, tuple(NUMPY.spec(t) for t in arrays), TensorSpec.contiguous(op.output_shape(), DType.FP32), epilogue.epilogue,
        tuple(NUMPY.spec(t) for t in operands), options_of(allow_winograd, Options()),
    ), "cpu")  # fmt: skip
    order = "channels-last" if channels_last else "NCHW"
    return Bout(
        "fusion", f"{layer.name} {order}", op.flops(), {**ours, **contestants}, judge(problem, arrays, operands)
    )


def _image(array: Any, channels_last: bool) -> Any:
    """Return the same values laid out in memory as asked for."""
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) if channels_last else array


def _torch_peers(
    layer: Layer, x: Any, w: Any, mean: Any, var: Any, gamma: Any, beta: Any
) -> dict[str, Callable[[], Any]]:
    import torch
    import torch.nn.functional as F

    pad = layer.filter // 2
    scale = gamma / torch.sqrt(var + EPS)
    folded = w * scale[:, None, None, None]  # keeps the strides of w
    shift = beta - mean * scale
    return {
        "torch eager": lambda: F.relu(
            F.batch_norm(F.conv2d(x, w, None, layer.stride, pad), mean, var, gamma, beta, False, 0.0, EPS)
        ),
        "torch, BN folded": lambda: F.relu(F.conv2d(x, folded, shift, layer.stride, pad)),
    }


def _numpy_peer(layer: Layer, x: Any, w: Any, mean: Any, var: Any, gamma: Any, beta: Any) -> Any:
    """Gather the windows, multiply once with the folded weights: the fast way in NumPy."""
    pad, size = layer.filter // 2, (layer.filter, layer.filter)
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, size, (2, 3))[:, :, :: layer.stride, :: layer.stride]
    scale = gamma / np.sqrt(var + np.float32(EPS))
    product = np.tensordot(windows, w * scale[:, None, None, None], ((1, 4, 5), (1, 2, 3)))
    return np.maximum(product + (beta - mean * scale), 0).transpose(0, 3, 1, 2)


def judge(problem: Problem, inputs: list[Any], operands: list[Any] | None = None) -> Callable[[Any], float]:
    """Return what says how many error bounds the worst element of a result lies from the float64 reference of `inputs`."""
    exact = [np.asarray(x, np.float64) for x in inputs]
    epilogue = [np.asarray(x, np.float64) for x in operands or []]
    expected = problem.reference(*exact, *epilogue)
    # A peer may add in another order, fold the norm into the weights, or use Winograd: all get the bound of a sum four times as long.
    bound = 4 * tolerance(problem, exact, epilogue)
    return lambda result: worst(np.asarray(result, np.float64), expected, bound)


LAYERS = (
    Layer(8, 64, 56, 64, 3),
    Layer(8, 128, 28, 128, 3),
    Layer(8, 256, 14, 256, 3),
    Layer(8, 3, 112, 64, 3, 2),
    Layer(8, 64, 56, 256, 1),
    Layer(1, 64, 56, 64, 3),
)
WEIRD = ((1111, 2222, 3333), (2049, 2047, 2045), (997, 1009, 1013), (1, 4096, 4096), (4096, 1, 4096), (37, 8191, 61))
SQUARE = (256, 512, 1024, 2048)


def bouts(quick: bool, threads: int) -> list[Callable[[], Bout]]:
    """Return what makes each bout of all rounds; operands are made only when a bout begins."""
    made: list[Callable[[], Bout]] = []
    for layer in LAYERS[3:4] + LAYERS[5:] if quick else LAYERS:
        for channels_last in (False, True):
            made.append(lambda layer=layer, last=channels_last: fused_convolution(layer, last, threads))  # type: ignore[misc]
    for m, n, k in WEIRD[2:5] if quick else WEIRD:
        made.append(lambda m=m, n=n, k=k: gemm("weird shapes", m, n, k, threads))  # type: ignore[misc]
    for size in SQUARE[:2] if quick else SQUARE:
        made.append(lambda size=size: gemm("pure GEMM", size, size, size, threads))  # type: ignore[misc]
    return made
