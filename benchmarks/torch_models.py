# SPDX-License-Identifier: MIT
"""Whole networks with random weights for the PyTorch rows, written out so that nothing is downloaded.

Sizes are those of the publications: ResNet-50 (arXiv:1512.03385), ConvNeXt-T (arXiv:2201.03545), ViT-B/16 (arXiv:2010.11929), BERT-base
(arXiv:1810.04805), GPT-2 (124 M), one Llama-2-7B layer with grouped queries (arXiv:2307.09288), one SDXL residual block (arXiv:2307.01952).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


class Bottleneck(nn.Module):
    """1×1, 3×3 and 1×1 convolutions with a way past."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        out = 4 * width
        sizes = ((channels, width, 1, 1), (width, width, 3, stride), (width, out, 1, 1))
        self.convolutions = nn.ModuleList(nn.Conv2d(i, o, k, s, k // 2, bias=False) for i, o, k, s in sizes)
        self.norms = nn.ModuleList(nn.BatchNorm2d(o) for _, o, _, _ in sizes)
        nn.init.constant_(
            self.norms[-1].weight, 0.1
        )  # or gradients in 16 bits are noise (arXiv:1706.02677 begins with 0)
        self.past: nn.Module = nn.Identity()
        if stride > 1 or channels != out:
            self.past = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x: Any) -> Any:
        """Return the block of an image."""
        y = x
        for place, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            y = norm(convolution(y))
            y = F.relu(y, inplace=True) if place < 2 else y
        y += self.past(x)
        return F.relu(y, inplace=True)


def resnet50() -> nn.Module:
    """Return ResNet-50."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(True),
        nn.MaxPool2d(3, 2, 1),
    ]
    channels = 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for place in range(count):
            layers.append(Bottleneck(channels, width, stride if place == 0 else 1))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


class ConvNeXtBlock(nn.Module):
    """Depthwise 7×7, norm, two products with GELU, layer scale."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(torch.full((width,), 1e-2))

    def forward(self, x: Any) -> Any:
        """Return the block of an image."""
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + (self.gamma * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)


class ChannelNorm(nn.LayerNorm):
    """Layer norm over the channels of an image."""

    def forward(self, input: Any) -> Any:
        """Return the normalized image."""
        return super().forward(input.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def convnext_tiny() -> nn.Module:
    """Return ConvNeXt-T."""
    layers: list[nn.Module] = [nn.Conv2d(3, 96, 4, 4), ChannelNorm(96)]
    for place, (width, count) in enumerate(((96, 3), (192, 3), (384, 9), (768, 3))):
        if place:
            layers += [ChannelNorm(width // 2), nn.Conv2d(width // 2, width, 2, 2)]
        layers += [ConvNeXtBlock(width) for _ in range(count)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(768), nn.Linear(768, 1000))


class Transformer(nn.Module):
    """One block: `first` puts norms ahead, else behind; GELU by the tanh formula if `tanh`."""

    def __init__(self, width: int, heads: int, first: bool, causal: bool = False, tanh: bool = False) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.heads, self.first, self.causal, self.how = heads, first, causal, "tanh" if tanh else "none"

    def attend(self, x: Any) -> Any:
        """Return the attention's output before the way past is added."""
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=self.causal).transpose(1, 2).flatten(2))

    def forward(self, x: Any) -> Any:
        """Return the block of a sequence."""
        if self.first:
            x = x + self.attend(self.norms[0](x))
            return x + self.down(F.gelu(self.up(self.norms[1](x)), approximate=self.how))
        x = self.norms[0](x + self.attend(x))
        return self.norms[1](x + self.down(F.gelu(self.up(x), approximate=self.how)))


class Llama(nn.Module):
    """RMS norm, grouped queries, SwiGLU with gate and up in one product."""

    def __init__(self, width: int = 4096, hidden: int = 11008, heads: int = 32, groups: int = 8) -> None:
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * groups * self.size, bias=False)
        self.gate_up, self.down = nn.Linear(width, 2 * hidden, bias=False), nn.Linear(hidden, width, bias=False)
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2))

    def forward(self, x: Any) -> Any:
        """Return the block of a sequence."""
        y = self.norms[0](x)
        q = self.q(y).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = (t.unflatten(-1, (self.groups, -1)).transpose(1, 2) for t in self.kv(y).chunk(2, -1))
        x = x + self.o(
            F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(1, 2).flatten(2)
        )
        gate, up = self.gate_up(self.norms[1](x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Diffusion(nn.Module):
    """SDXL's residual block at 640 channels."""

    def __init__(self, channels: int = 320, width: int = 640) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.GroupNorm(32, n) for n in (channels, width))
        self.first, self.second = nn.Conv2d(channels, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.time, self.past = nn.Linear(1280, width), nn.Conv2d(channels, width, 1)

    def forward(self, x: Any, time: Any) -> Any:
        """Return the block of an image at a time step."""
        y = self.first(F.silu(self.norms[0](x))) + self.time(F.silu(time))[:, :, None, None]
        return self.past(x) + self.second(F.silu(self.norms[1](y)))


class Vision(nn.Module):
    """ViT-B/16."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 768, 16, 16)
        self.blocks = nn.Sequential(*(Transformer(768, 12, True) for _ in range(12)))

    def forward(self, x: Any) -> Any:
        """Return the features of an image."""
        return self.blocks(self.patches(x).flatten(2).transpose(1, 2))


def _stack(count: int, make: Callable[[], nn.Module]) -> nn.Module:
    return nn.Sequential(*(make() for _ in range(count)))


def _images(batch: int) -> tuple[Any, ...]:
    return (torch.randn(batch, 3, 224, 224),)


@dataclass(frozen=True)
class Network:
    """A network: what makes it and its inputs for a batch, and whether convolutions are most of its work."""

    make: Callable[[], nn.Module]
    inputs: Callable[[int], tuple[Any, ...]]
    convolutional: bool


NETWORKS = {
    "ResNet-50": Network(resnet50, _images, True),
    "ConvNeXt-T": Network(convnext_tiny, _images, True),
    "SDXL block": Network(Diffusion, lambda n: (torch.randn(n, 320, 64, 64), torch.randn(n, 1280)), True),
    "ViT-B/16": Network(Vision, _images, False),
    "BERT-base": Network(
        lambda: _stack(12, lambda: Transformer(768, 12, False)), lambda n: (torch.randn(n, 384, 768),), False
    ),
    "GPT-2": Network(
        lambda: _stack(12, lambda: Transformer(768, 12, True, True, True)), lambda n: (torch.randn(n, 512, 768),), False
    ),
    "Llama layer": Network(Llama, lambda n: (torch.randn(n, 512, 4096),), False),
}
"""By name."""
