# SPDX-License-Identifier: MIT
"""The bouts on a device of PyTorch's: convolutions with batch norm and ReLU, weird shapes, square products, in 16-bit floats.

Peers run as their users would run them there: cuDNN in benchmark mode, eager, with batch norm folded, and fused with the ReLU where
PyTorch has that call; cuBLAS through ``torch.mm`` with room for the result. Every result is compared with float64 on the same device.

An element may be off by four times what one rounding of each of its parts allows: its own, and n + 8 in fp32 of the n products' sizes
(Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1); peers fold the norm into rounded weights, so each weight's own
rounding counts as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tracea.graduation.rounds import EPS, OURS, Bout, Layer

LAYERS = (
    Layer(64, 64, 56, 64, 3), Layer(64, 128, 28, 128, 3), Layer(64, 256, 14, 256, 3), Layer(64, 128, 56, 128, 3, 2),
    Layer(64, 256, 56, 64, 1), Layer(64, 3, 224, 64, 7, 2), Layer(1, 256, 14, 256, 3), Layer(1, 64, 224, 128, 3),
    Layer(32, 67, 55, 131, 3),
)  # fmt: skip
WEIRD = ((1111, 2222, 3333), (2049, 2047, 2045), (997, 1009, 1013), (1, 4096, 4096), (4096, 8, 4096), (37, 8191, 61))
SQUARE = (512, 1024, 2048, 4096, 8192)
_UNIT_FP32 = 2.0**-24


def device_bouts(quick: bool, device: str, dtype: Any = None) -> list[Callable[[], Bout]]:
    """Return what makes each bout of all rounds on a device; operands are made only when a bout begins.

    Parameters
    ----------
    device : str
        As PyTorch names it.
    dtype : torch.dtype, optional
        fp16 by default.
    """
    import torch

    element = dtype or torch.float16
    layers = LAYERS[2:3] + LAYERS[6:7] if quick else LAYERS
    made: list[Callable[[], Bout]] = [partial(convolution, layer, device, element) for layer in layers]
    weird, square = (WEIRD[2:5], SQUARE[1:3]) if quick else (WEIRD, SQUARE)
    made += [partial(product, "weird shapes", *sizes, device, element) for sizes in weird]
    made += [partial(product, "pure GEMM", size, size, size, device, element) for size in square]
    return made


def product(round_name: str, m: int, n: int, k: int, device: str, dtype: Any) -> Bout:
    """A product of two random matrices, results in memory that each contestant was given."""
    import torch

    from tracea import ops

    a, b = (torch.randn(shape, device=device).to(dtype) for shape in ((m, k), (k, n)))
    mine, other = (torch.empty(m, n, device=device, dtype=dtype) for _ in range(2))
    contestants: dict[str, Callable[[], Any]] = {
        OURS: lambda: ops.matmul(a, b, out=mine, fallback="error"),
        "torch": lambda: torch.mm(a, b, out=other),
    }
    exact = a.double() @ b.double()
    sizes = a.double().abs() @ b.double().abs()
    return Bout(round_name, f"{m}×{n}×{k}", 2 * m * n * k, contestants, judge(exact, sizes, k))


def convolution(layer: Layer, device: str, dtype: Any) -> Bout:
    """Convolution → batch norm → ReLU, channels-last, inference statistics. Every contestant allocates its result, as users do."""
    import torch
    import torch.nn.functional as F

    from tracea import BatchNorm, ReLU, ops

    pad, last = layer.filter // 2, torch.channels_last
    depth = layer.c * layer.filter**2
    x = torch.randn(layer.n, layer.c, layer.size, layer.size, device=device).to(dtype).contiguous(memory_format=last)
    w = torch.randn(layer.k, layer.c, layer.filter, layer.filter, device=device) / depth**0.5
    w = w.to(dtype).contiguous(memory_format=last)
    mean, beta = (torch.randn(layer.k, device=device) for _ in range(2))
    var, gamma = (torch.rand(layer.k, device=device) + 0.5 for _ in range(2))
    scale = gamma / torch.sqrt(var + EPS)
    folded = (w * scale[:, None, None, None]).to(dtype).contiguous(memory_format=last)
    shift = (beta - mean * scale).to(dtype)
    stored_mean, stored_var, gain, bias = (vector.to(dtype) for vector in (mean, var, gamma, beta))
    epilogue = BatchNorm(mean, var, gamma, beta, eps=EPS) | ReLU()
    torch.backends.cudnn.benchmark = True
    contestants: dict[str, Callable[[], Any]] = {
        OURS: lambda: ops.conv2d(x, w, stride=layer.stride, padding=pad, epilogue=epilogue, fallback="error"),
        "torch eager": lambda: F.relu(
            F.batch_norm(F.conv2d(x, w, None, layer.stride, pad), stored_mean, stored_var, gain, bias, False, 0.0, EPS)
        ),
        "torch, BN folded": lambda: F.relu(F.conv2d(x, folded, shift, layer.stride, pad)),
    }
    if x.is_cuda:
        pair = [layer.stride] * 2
        contestants["cuDNN, fused"] = lambda: torch.cudnn_convolution_relu(x, folded, shift, pair, [pad] * 2, [1, 1], 1)
    wide = scale.double()[:, None, None, None]
    offset = (beta.double() - mean.double() * scale.double())[:, None, None]
    exact = F.relu(F.conv2d(x.double(), w.double() * wide, None, layer.stride, pad) + offset)
    sizes = F.conv2d(x.double().abs(), (w.double() * wide).abs(), None, layer.stride, pad)
    sizes = sizes + (beta.double().abs() + (mean * scale).double().abs())[:, None, None]
    flops = 2 * exact.numel() * depth
    return Bout("fusion", f"{layer.name} channels-last", flops, contestants, judge(exact, sizes, depth, folds=True))


def judge(exact: Any, sizes: Any, depth: int, *, folds: bool = False) -> Callable[[Any], float]:
    """Return what says how many bounds the worst element of a result lies from `exact`; see the module's text.

    Parameters
    ----------
    exact, sizes : tensor
        In float64: the result, and the same with every operand's size in its place.
    depth : int
        Products of an element.
    folds : bool
        Whether parts of an element may have been rounded to the operands' type first.
    """
    import torch

    def off(result: Any) -> float:
        unit = torch.finfo(result.dtype).eps / 2
        parts = ((depth + 8) * _UNIT_FP32 + (2 * unit if folds else 0.0)) * sizes
        bound = 4 * (unit * exact.abs() + parts) + torch.finfo(result.dtype).tiny
        return float(((result.double() - exact).abs() / bound).nan_to_num(nan=float("inf")).max())

    return off


class DeviceClock:
    """Times one call by events on the device, its cache overwritten before.

    What overwrites the cache keeps the device busy for longer than a host needs to queue the call, so events see the kernels alone.
    """

    def __init__(self, device: str, cache_bytes: int = 256 << 20) -> None:
        import torch

        self.torch, self.device = torch, device
        self.cache = torch.empty(cache_bytes // 4, dtype=torch.int32, device=device)

    def once(self, call: Callable[[], object]) -> float:
        """Return the seconds that the device took."""
        cuda = self.torch.cuda
        begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        for _ in range(_FLUSHES):
            self.cache.zero_()
        begin.record()
        call()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) * 1e-3

    def rest(self) -> None:
        """Wait until nothing runs."""
        self.torch.cuda.synchronize(self.device)


_FLUSHES = 4
"""A host queues in some 20 µs what a flush of 60 µs hides; interrupted, it takes longer."""
