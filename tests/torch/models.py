# SPDX-License-Identifier: MIT
"""Small models with the blocks that real networks are made of, written by hand so that tests download nothing."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


class ResNetBlock(nn.Module):
    """Two convolutions with batch norm, a projection on the way past, ReLU in place (He et al., arXiv:1512.03385)."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(8, 16, 3, 2, 1, bias=False), nn.Conv2d(16, 16, 3, 1, 1, bias=False)
        self.past = nn.Conv2d(8, 16, 1, 2, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(16) for _ in range(3))
        self.relu = nn.ReLU(inplace=True)
        self.head = nn.Linear(16, 10)

    def forward(self, x: Any) -> Any:
        past = self.norms[0](self.past(x))
        y = self.relu(self.norms[1](self.first(x)))
        y = self.norms[2](self.second(y))
        y += past
        return self.head(self.relu(y).mean((2, 3)))


class ConvNeXtBlock(nn.Module):
    """Depthwise convolution, layer norm, two products with GELU and a layer scale (Liu et al., arXiv:2201.03545)."""

    def __init__(self) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(16, 16, 7, padding=3, groups=16)
        self.norm = nn.LayerNorm(16)
        self.up, self.down = nn.Linear(16, 64), nn.Linear(64, 16)
        self.gamma = nn.Parameter(torch.full((16,), 0.5))

    def forward(self, x: Any) -> Any:
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.gamma * self.down(F.gelu(self.up(y)))
        return x + y.permute(0, 3, 1, 2)


class Attention(nn.Module):
    """Multi-head attention with one product for queries, keys and values."""

    def __init__(self, width: int, heads: int, causal: bool = False) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads, self.causal = heads, causal

    def forward(self, x: Any) -> Any:
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).flatten(2))


class ViTBlock(nn.Module):
    """Norms first, then attention and an MLP with GELU (Dosovitskiy et al., arXiv:2010.11929)."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(2))
        self.attention = Attention(32, 4)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Dropout(0.0), nn.Linear(64, 32))

    def forward(self, x: Any) -> Any:
        x = x + self.attention(self.norms[0](x))
        return x + self.mlp(self.norms[1](x))


class BertBlock(nn.Module):
    """Norms last, with dropout between product and residual (Devlin et al., arXiv:1810.04805)."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention(32, 4)
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(2))
        self.dropout = nn.Dropout(0.0)

    def forward(self, x: Any) -> Any:
        x = self.norms[0](self.dropout(self.attention(x)) + x)
        return self.norms[1](self.dropout(self.down(F.gelu(self.up(x)))) + x)


class GPT2Block(nn.Module):
    """Weights of shape (in, out) through ``addmm`` and a GELU spelled out, as GPT-2's own code has them."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(2))
        self.attention = Attention(32, 4, causal=True)
        self.up, self.down = (nn.Parameter(torch.randn(i, o) * 0.1) for i, o in ((32, 128), (128, 32)))
        self.up_bias, self.down_bias = nn.Parameter(torch.randn(128) * 0.1), nn.Parameter(torch.randn(32) * 0.1)

    def forward(self, x: Any) -> Any:
        x = x + self.attention(self.norms[0](x))
        y = self.norms[1](x)
        h = torch.addmm(self.up_bias, y.view(-1, 32), self.up).view(*y.shape[:-1], 128)
        h = 0.5 * h * (1.0 + torch.tanh(0.7978845608 * (h + 0.044715 * torch.pow(h, 3.0))))
        return x + torch.addmm(self.down_bias, h.view(-1, 128), self.down).view(y.shape)


class LlamaBlock(nn.Module):
    """RMS norm, grouped queries and SwiGLU (Touvron et al., arXiv:2307.09288)."""

    def __init__(self, packed: bool = False) -> None:
        super().__init__()
        self.q, self.kv, self.o = (nn.Linear(32, n, bias=False) for n in (32, 32, 32))
        self.packed = packed
        self.gate = nn.Linear(32, 96 if packed else 48, bias=False)
        self.up = nn.Linear(32, 48, bias=False)
        self.down = nn.Linear(48, 32, bias=False)
        self.norms = nn.ModuleList(nn.RMSNorm(32) for _ in range(2))

    def forward(self, x: Any) -> Any:
        y = self.norms[0](x)
        q = self.q(y).unflatten(-1, (4, 8)).transpose(1, 2)
        k, v = (t.unflatten(-1, (2, 8)).transpose(1, 2).repeat_interleave(2, 1) for t in self.kv(y).chunk(2, -1))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + self.o(attended)
        y = self.norms[1](x)
        if self.packed:
            gate, up = self.gate(y).chunk(2, -1)
            return x + self.down(F.silu(gate) * up)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class DiffusionBlock(nn.Module):
    """Group norm and SiLU ahead of each convolution, a time embedding added between (Podell et al., arXiv:2307.01952)."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.GroupNorm(4, n) for n in (8, 16))
        self.first, self.second = nn.Conv2d(8, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1)
        self.time, self.past = nn.Linear(12, 16), nn.Conv2d(8, 16, 1)

    def forward(self, x: Any, time: Any) -> Any:
        y = self.first(F.silu(self.norms[0](x)))
        y = y + self.time(F.silu(time))[:, :, None, None]
        y = self.second(F.silu(self.norms[1](y)))
        return self.past(x) + y


def image() -> tuple[Any, ...]:
    """Images of eight channels."""
    return (torch.randn(2, 8, 12, 12),)


def tokens() -> tuple[Any, ...]:
    """Sequences of width 32."""
    return (torch.randn(2, 7, 32),)


MODELS: dict[str, tuple[Any, Any]] = {
    "resnet": (ResNetBlock, image),
    "convnext": (ConvNeXtBlock, lambda: (torch.randn(2, 16, 9, 9),)),
    "vit": (ViTBlock, tokens),
    "bert": (BertBlock, tokens),
    "gpt2": (GPT2Block, tokens),
    "llama": (LlamaBlock, tokens),
    "llama, packed gate": (lambda: LlamaBlock(packed=True), tokens),
    "sdxl": (DiffusionBlock, lambda: (torch.randn(2, 8, 6, 6), torch.randn(2, 12))),
}
"""By name: what makes the model, and what makes its inputs."""
