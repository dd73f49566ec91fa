# SPDX-License-Identifier: MIT
"""The shapes and peers of the table of convolutions on NVIDIA GPUs, with the bars that each group has to meet.

Tensors are channels-last and cuDNN chooses among its algorithms by measuring them (benchmark mode). Batch norm is folded into filters
and bias on both sides where the peer is cuDNN's own fusion, and left as it is where the peer is eager PyTorch. Gradients, and the memory
that calls take, stand in `benchmarks.cuda_conv_training`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.cuda_cases import Bench, Case, Group, bench_of, compiled


@dataclass(frozen=True)
class Layer:
    """A convolution: images, channels, extent, filters, their extent, and what goes with them."""

    n: int
    c: int
    size: int
    k: int
    r: int = 3
    stride: int = 1
    groups: int = 1

    @property
    def padding(self) -> int:
        """Padding that keeps the extent, at stride 1; none where windows do not overlap."""
        return 0 if self.stride == self.r else self.r // 2

    @property
    def flops(self) -> float:
        """Additions and multiplications."""
        out = (self.size + 2 * self.padding - self.r) // self.stride + 1
        return 2.0 * self.n * out * out * self.k * self.c // self.groups * self.r * self.r

    def __str__(self) -> str:
        words = f"n{self.n} c{self.c} {self.size}² k{self.k} r{self.r}"
        words += f" s{self.stride}" if self.stride > 1 else ""
        return words + (f" g{self.groups}" if self.groups > 1 else "")


def resnet50(n: int) -> tuple[Layer, ...]:
    """Return the distinct layers of ResNet-50 (v1.5: the 3×3 filters stride) for `n` images of 224²."""
    wide = ((64, 56), (128, 28), (256, 14), (512, 7))
    found = [Layer(n, 3, 224, 64, 7, 2)]
    found += [Layer(n, c, size, c) for c, size in wide]
    found += [Layer(n, c, 2 * size, c, 3, 2) for c, size in wide[1:]]
    found += [Layer(n, 64, 56, 64, 1)]
    for c, size in wide:
        found += [Layer(n, c, size, 4 * c, 1), Layer(n, 4 * c, size, c, 1)]
    for c, size in wide[1:]:
        found += [Layer(n, 2 * c, 2 * size, c, 1), Layer(n, 2 * c, 2 * size, 4 * c, 1, 2)]
    return tuple(found)


OTHERS = (Layer(1, 64, 224, 128), Layer(8, 320, 64, 320))


def in_groups(n: int) -> tuple[Layer, ...]:
    """Return 3×3 layers of ResNeXt-50 (32×4d) and of RegNets for `n` images: 4 to 112 channels in each group."""
    resnext = [Layer(n, c, size, c, groups=32) for c, size in ((128, 56), (256, 28), (512, 14), (1024, 7))]
    resnext += [Layer(n, c, size, c, 3, 2, 32) for c, size in ((256, 56), (512, 28), (1024, 14))]
    small = ((64, 56, 4), (160, 28, 10), (400, 14, 25))
    middle = ((72, 56, 3), (216, 28, 9), (576, 14, 24), (1512, 7, 63))
    large = ((224, 56, 2), (448, 28, 4), (1232, 14, 11), (3024, 7, 27))
    return (*resnext, *(Layer(n, c, size, c, groups=groups) for c, size, groups in (*small, *middle, *large)))


FIRST = (
    Layer(64, 3, 224, 32, 3, 2),
    Layer(64, 3, 224, 64, 7, 2),
    Layer(1, 3, 224, 64, 7, 2),
    Layer(8, 3, 640, 32, 3, 2),
    Layer(128, 3, 32, 64),
    Layer(64, 3, 224, 96, 4, 4),
    Layer(64, 3, 224, 768, 16, 16),
    Layer(1, 3, 224, 768, 16, 16),
    Layer(64, 3, 224, 1024, 14, 14),
    Layer(64, 3, 224, 768, 32, 32),
)
"""First layers: of MobileNets, ResNets, detectors and small images; patches of ConvNeXt and of vision transformers."""
RAGGED = (Layer(32, 67, 55, 131),)
DEPTHWISE = (Layer(64, 384, 14, 384, 7, 1, 384),)
OWN_FILTERS = tuple(
    Layer(64, c, size, c, r, stride, c)
    for c, size, r, stride in (
        (144, 56, 3, 1),
        (96, 112, 3, 2),
        (384, 14, 3, 1),
        (960, 7, 3, 1),
        (240, 28, 5, 2),
        (384, 14, 7, 1),
    )
)
"""Depthwise layers as MobileNets, EfficientNets and ConvNeXt have them."""
DIFFUSION = (
    *(Layer(2, c, size, k) for c, size, k in (
        (320, 64, 320), (640, 64, 640), (640, 32, 640), (960, 32, 640), (1280, 32, 1280), (1280, 16, 1280), (2560, 16, 1280),
        (1280, 8, 1280), (2560, 8, 1280),
    )),
    *(Layer(1, c, size, k) for c, size, k in (
        (512, 64, 512), (512, 128, 512), (512, 256, 512), (256, 512, 256), (128, 512, 128), (128, 512, 3),
    )),
    Layer(1, 3, 1024, 64, 7, 2), Layer(1, 64, 1024, 64),
)  # fmt: skip
"""Layers of a diffusion model's U-Net, of the decoder of its images, and of one large image: filters or an image of them have no room."""
DEEP = DIFFUSION[2:9]
"""Those of them whose pixels are few and whose reductions are long."""
SINGLE_PIXELS = (
    *(layer for layer in resnet50(64) if layer.r == 1),
    Layer(8, 256, 56, 64, 1), Layer(2, 640, 64, 640, 1), Layer(1, 512, 128, 512, 1), Layer(1, 256, 512, 128, 1),
)  # fmt: skip
"""Layers whose filters have one element: ResNet-50's, and some of few images."""
PLANES_APART = (
    *OWN_FILTERS,
    *(
        Layer(n, c, size, c, r, stride, c)
        for n, c, size, r, stride in (
            (64, 32, 112, 3, 1),
            (64, 144, 56, 3, 2),
            (64, 192, 28, 3, 1),
            (64, 480, 14, 5, 1),
            (64, 1152, 7, 5, 1),
            (64, 96, 56, 7, 1),
            (64, 192, 28, 7, 1),
            (64, 768, 7, 7, 1),
            (1, 144, 56, 3, 1),
            (1, 96, 56, 7, 1),
        )
    ),
)
"""The same and more, for images in planes."""


def groups(quick: bool, draw: random.Random) -> tuple[Group, ...]:
    """Return the table; with `quick`, a few shapes of each group. Nothing is drawn."""
    from benchmarks.cuda_conv_training import gradient

    trained = (resnet50(64)[1], resnet50(64)[3], resnet50(64)[5], resnet50(64)[10]) if quick else resnet50(64)[1:]
    every = (*resnet50(64), *resnet50(1), *OTHERS)
    kept = (resnet50(64)[1], resnet50(64)[5], resnet50(64)[10], resnet50(1)[3], *OTHERS) if quick else every
    kept_planes = PLANES_APART[:2] if quick else PLANES_APART
    table: tuple[tuple[str, float, float, tuple[Layer, ...], Callable[[Layer], Callable[[str], Case]]], ...] = (
        ("conv+BN+ReLU, cuDNN fused", 1.10, 0.95, kept, lambda layer: fused(layer)),
        ("conv+BN+ReLU, eager", 2.0, 0.0, kept, lambda layer: fused(layer, eager=True)),
        ("conv", 1.03, 0.93, kept, lambda layer: plain(layer)),
        (
            "tf32",
            1.05,
            0.0,
            OTHERS if quick else (*resnet50(64)[1:5], *OTHERS),
            lambda layer: plain(layer, "float32", tf32=True),
        ),
        ("ragged channels", 1.8, 0.0, RAGGED, lambda layer: plain(layer)),
        (
            "channels in groups",
            1.03,
            0.93,
            in_groups(64)[1:3] if quick else (*in_groups(64), *in_groups(1)),
            lambda layer: plain(layer),
        ),
        ("NCHW", 1.03, 0.93, resnet50(64)[1:4] if quick else resnet50(64)[1:], lambda layer: plain(layer, planes=True)),
        (
            "diffusion, NCHW",
            1.10,
            0.80,
            DIFFUSION[1::6] if quick else DIFFUSION,
            lambda layer: plain(layer, planes=True),
        ),
        (
            "tf32, NCHW",
            1.0,
            0.0,
            DIFFUSION[1:2] if quick else (*resnet50(64)[1:5], *DIFFUSION[1::3]),
            lambda layer: plain(layer, "float32", tf32=True, planes=True),
        ),
        (
            "tf32, NCHW, single pixels",
            1.0,
            0.8,
            SINGLE_PIXELS[:2] if quick else SINGLE_PIXELS,
            lambda layer: plain(layer, "float32", tf32=True, planes=True),
        ),
        (
            "diffusion",
            1.0,
            0.85,
            DEEP[:2] if quick else DEEP,
            lambda layer: plain(layer),
        ),
        ("first layers", 1.10, 0.95, FIRST[::3] if quick else FIRST, lambda layer: plain(layer)),
        ("first layers, NCHW", 1.10, 0.95, FIRST[::3] if quick else FIRST, lambda layer: plain(layer, planes=True)),
        ("depthwise", 2.0, 0.0, DEPTHWISE, lambda layer: plain(layer)),
        ("gradients of images", 0.95, 0.0, trained, lambda layer: gradient(layer, False)),
        ("gradients of filters", 0.95, 0.0, trained, lambda layer: gradient(layer, True)),
        (
            "depthwise beside a copy of its bytes",
            0.0,
            0.0,
            OWN_FILTERS[:2] if quick else OWN_FILTERS,
            lambda layer: copied(layer),
        ),
        ("depthwise, NCHW", 1.2, 0.95, kept_planes, lambda layer: plain(layer, planes=True)),
        (
            "depthwise, NCHW, beside a copy of its bytes",
            0.0,
            0.0,
            kept_planes,
            lambda layer: copied(layer, planes=True),
        ),
    )
    return tuple(
        Group(name, bar, least, tuple(make(layer)(name) for layer in layers))
        for name, bar, least, layers, make in table
    )


def copied(layer: Layer, planes: bool = False) -> Callable[[str], Case]:
    """Return a convolution beside a copy that reads and writes as many bytes: what memory alone would take."""

    def make(options: Any) -> Bench:
        import torch

        bench = plain(layer, planes=planes)("").make(options)
        x, w, _, out = tensors(options, layer, "float16", planes)
        source = torch.empty((x.numel() + w.numel() + out.numel()) // 2, dtype=x.dtype, device=x.device).normal_()
        target = torch.empty_like(source)
        bench.peers = {"copy": lambda: target.copy_(source)}
        return bench

    return lambda group: Case(group, str(layer), layer.flops, make)


def plain(layer: Layer, dtype: str = "float16", tf32: bool = False, planes: bool = False) -> Callable[[str], Case]:
    """Return a convolution alone against cuDNN, of channels-last tensors or of planes."""

    def make(options: Any) -> Bench:
        import torch
        from torch.nn import functional as F

        from tracea import ops

        torch.backends.cudnn.benchmark, torch.backends.cudnn.allow_tf32 = True, tf32
        x, w, _, out = tensors(options, layer, dtype, planes)
        settings = (layer.stride, layer.padding, 1, layer.groups)
        return bench_of(
            lambda: ops.conv2d(x, w, None, *settings, out=out, fallback="error"),
            {"cuDNN": lambda: F.conv2d(x, w, None, *settings)},
            out,
            lambda: F.conv2d(x.double(), w.double(), None, *settings),
            describe=lambda: _kernel(x, w, None, settings),
        )

    return lambda group: Case(group, str(layer), layer.flops, make)


def fused(layer: Layer, eager: bool = False) -> Callable[[str], Case]:
    """Return a convolution, batch norm and ReLU: against cuDNN's fusion of the folded layer, or against eager PyTorch."""

    def make(options: Any) -> Bench:
        import torch
        from torch.nn import functional as F

        import tracea
        from tracea import ops

        torch.backends.cudnn.benchmark = True
        x, w, bias, out = tensors(options, layer, "float16")
        mean, gain = (torch.randn_like(bias) for _ in range(2))
        variance = torch.rand_like(bias) + 0.5
        scale = gain / (variance + 1e-5).sqrt()
        folded = (w * scale[:, None, None, None]).contiguous(memory_format=torch.channels_last)
        shift = bias - mean * scale
        settings = (layer.stride, layer.padding, 1, layer.groups)

        def separate(x: Any, w: Any) -> Any:
            return F.relu(F.batch_norm(F.conv2d(x, w, None, *settings), mean, variance, gain, bias))

        peers: dict[str, Callable[[], Any]] = {"eager": lambda: separate(x, w)}
        if not eager:
            steps, spread = (layer.stride,) * 2, (1, 1)
            peers = {
                "cuDNN fused": lambda: torch.cudnn_convolution_relu(
                    x, folded, shift, steps, (layer.padding,) * 2, spread, layer.groups
                ),
                "cuDNN, ReLU": lambda: F.relu(F.conv2d(x, folded, shift, *settings)),
            }
            if options.compile:
                peers["torch.compile"] = compiled(separate, x, w)
        stage = tracea.BiasAdd(shift) | tracea.ReLU()
        return bench_of(
            lambda: ops.conv2d(x, folded, None, *settings, out=out, epilogue=stage, fallback="error"), peers, out,
            lambda: F.relu(F.conv2d(x.double(), folded.double(), shift.double(), *settings)),
            describe=lambda: _kernel(x, folded, stage, settings),
        )  # fmt: skip

    return lambda group: Case(group, str(layer), layer.flops, make)


def tensors(options: Any, layer: Layer, dtype: str, planes: bool = False) -> tuple[Any, Any, Any, Any]:
    """Return images, filters, bias and room for the result, channels-last or in `planes`, of random normal values."""
    import torch

    kind = {"dtype": getattr(torch, dtype), "device": options.device}
    lying = torch.contiguous_format if planes else torch.channels_last
    deep = layer.c // layer.groups
    x = torch.randn(layer.n, layer.c, layer.size, layer.size, **kind).contiguous(memory_format=lying)
    w = (torch.randn(layer.k, deep, layer.r, layer.r, **kind) / (deep * layer.r**2) ** 0.5).contiguous(
        memory_format=lying
    )
    size = (layer.size + 2 * layer.padding - layer.r) // layer.stride + 1
    out = torch.empty((layer.n, layer.k, size, size), memory_format=lying, **kind)
    return x, w, torch.randn(layer.k, **kind), out


def _kernel(x: Any, w: Any, epilogue: Any, settings: tuple[int, ...]) -> str:
    """Return variant and configuration of the kernel that computes a convolution."""
    from tracea_core.ops.stages import as_chain
    from tracea_core.pipeline import trace

    from tracea.torch.kernels import problem_of

    bound, operands = as_chain(epilogue).bind()
    stride, padding, dilation, groups = settings
    pairs = ((stride,) * 2, (padding,) * 2, (dilation,) * 2, groups)
    path = trace(problem_of("conv2d", [x, w, *operands], bound, pairs), str(x.device))
    return f"{path.choice.variant.name} {path.configuration.describe()}"
