# SPDX-License-Identifier: MIT
"""The shapes and peers of the table of attention on NVIDIA GPUs, with the bars that each group has to meet.

Peers are PyTorch's ways of `scaled_dot_product_attention`, each by itself: FlashAttention's kernel, cuDNN's, and, under a mask that
these lack, the one that reads it from memory; with ``--compile`` flex attention too. Masks in memory are read by tracea as well, and by
cuDNN and that one; booleans become numbers there, for which PyTorch runs a kernel of its own. Queries, keys and values lie head by head.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.cuda_cases import Bench, Case, Group, bench_of


@dataclass(frozen=True)
class Heads:
    """Sequences, query heads of each, queries, keys, columns; who sees whom, and query heads that share keys."""

    batch: int
    heads: int
    queries: int
    keys: int
    columns: int
    causal: bool = False
    left: int | None = None
    share: int = 1
    mask: str = ""
    """Axes of ``bhqk`` along which a mask in memory differs: numbers, or booleans if it begins with a question mark."""

    @property
    def flops(self) -> float:
        """Additions and multiplications of scores that a row sees, and of their values."""
        rows, behind = np.arange(self.queries) + self.keys - self.queries, self.left is not None
        stop = np.minimum(rows + 1, self.keys) if self.causal or behind else np.full(self.queries, self.keys)
        first = np.maximum(rows - self.left, 0) if self.left is not None else np.zeros(self.queries, int)
        seen = int(np.maximum(stop - first, 0).sum())
        return 4.0 * self.batch * self.heads * seen * self.columns

    def __str__(self) -> str:
        words = f"{self.batch}×{self.heads} heads, {self.queries}×{self.keys} of {self.columns}"
        words += f", {self.share} share keys" if self.share > 1 else ""
        words += f", {'booleans' if self.mask[0] == '?' else 'numbers'} of {self.mask.lstrip('?')}" if self.mask else ""
        return words + (f", {self.left} back" if self.left is not None else ", causal" if self.causal else "")


_LENGTHS = (128, 196, 256, 384, 512, 768, 1024, 2048)
NARROW = (*(Heads(8, 12, n, n, 64) for n in _LENGTHS), Heads(8, 6, 1370, 1370, 64), Heads(4, 16, 4096, 4096, 64))
"""As BERT, ViT, DINOv2 and diffusion models have them."""
WIDE = (
    *(Heads(8, 16, n, n, 128) for n in (256, 512, 1024, 2048)),
    Heads(4, 16, 4096, 4096, 128),
    Heads(4, 8, 1024, 1024, 256),
)
NARROW_CAUSAL = (*(Heads(8, 12, n, n, 64, True) for n in (256, 512, 1024, 2048)), Heads(4, 16, 4096, 4096, 64, True))
WIDE_CAUSAL = (
    *(Heads(8, 16, n, n, 128, True) for n in (256, 512, 1024, 2048)), Heads(4, 16, 4096, 4096, 128, True),
    Heads(1, 32, 2048, 2048, 128, True, share=4), Heads(1, 32, 8192, 8192, 128, True, share=8),
)  # fmt: skip
"""As language models have them, the last two with heads that share keys."""
WINDOWS = (Heads(1, 32, 8192, 8192, 128, left=1023, share=4), Heads(2, 16, 4096, 4096, 64, left=511))
FEW = (Heads(8, 32, 1, 4096, 128), Heads(8, 32, 16, 4096, 128), Heads(8, 12, 16, 512, 64))
"""Queries of a step of generation, or of a few positions that were guessed."""
DECODING = (
    Heads(1, 32, 1, 2048, 128, share=4), Heads(1, 32, 1, 8192, 128, share=4), Heads(1, 32, 1, 32768, 128, share=4),
    Heads(1, 64, 1, 131072, 128, share=8), Heads(4, 32, 1, 1000, 128, share=4), Heads(8, 32, 1, 4096, 128, share=4),
    Heads(64, 32, 1, 1024, 128, share=4), Heads(1, 32, 1, 4096, 128), Heads(2, 16, 1, 16384, 128, share=8),
    Heads(1, 16, 1, 16384, 128, share=16), Heads(1, 8, 1, 4096, 256, share=2), Heads(1, 16, 1, 8192, 64),
    Heads(1, 20, 1, 1500, 64), Heads(1, 32, 16, 8192, 128, share=4),
)  # fmt: skip
"""Steps of generation for one conversation and for many, of models with shared keys and without, and on a share of their heads."""

BOOLEANS = (
    Heads(32, 12, 512, 512, 64, mask="?bk"), Heads(32, 12, 128, 128, 64, mask="?bk"), Heads(8, 16, 384, 384, 64, mask="?bk"),
    Heads(8, 20, 1024, 77, 64, mask="?bk"), Heads(32, 12, 512, 512, 64, mask="?bqk"), Heads(8, 16, 2048, 2048, 128, mask="?bqk"),
    Heads(4, 32, 2048, 2048, 128, share=4, mask="?bqk"), Heads(16, 32, 1, 2048, 128, share=4, mask="?bk"),
)  # fmt: skip
"""Words of several lengths, as encoders are given them, images that attend to them, and language models that begin at several places."""
NUMBERS = (
    Heads(32, 12, 512, 512, 64, mask="bk"), Heads(8, 16, 384, 384, 64, mask="bqk"), Heads(8, 12, 512, 512, 64, mask="hqk"),
    Heads(8, 16, 1024, 1024, 64, mask="bhqk"), Heads(8, 16, 2048, 2048, 128, mask="bqk"), Heads(4096, 3, 49, 49, 32, mask="hqk"),
    Heads(256, 12, 49, 49, 32, mask="hqk"), Heads(64, 12, 144, 144, 32, mask="hqk"), Heads(2, 12, 1000, 1001, 64, mask="bhqk"),
)  # fmt: skip
"""Biases of positions, as T5 and windows of images have them, and masks that frameworks have turned into numbers."""


def groups(quick: bool, draw: random.Random) -> tuple[Group, ...]:
    """Return the table; with `quick`, a few shapes of each group. Nothing is drawn."""
    table: tuple[tuple[str, float, float, tuple[Heads, ...]], ...] = (
        ("64 columns", 1.0, 0.9, NARROW),
        ("128 and 256 columns", 1.0, 0.9, WIDE),
        ("64 columns, causal", 1.0, 0.9, NARROW_CAUSAL),
        ("128 columns, causal", 1.0, 0.9, WIDE_CAUSAL),
        ("windows", 1.0, 0.0, WINDOWS),
        ("few queries", 0.95, 0.9, FEW),
        ("decoding", 1.0, 0.9, DECODING),
        ("masks of booleans in memory", 1.0, 0.9, BOOLEANS),
        ("numbers added to scores", 1.0, 0.9, NUMBERS),
    )
    return tuple(
        Group(name, bar, least, tuple(case(shape, name) for shape in (shapes[::3] if quick else shapes)))
        for name, bar, least, shapes in table
    )


def case(shape: Heads, group: str, dtype: str = "bfloat16") -> Case:
    """Return the line of one shape."""
    return Case(group, str(shape), shape.flops, lambda options: _bench(shape, dtype, options))


def _bench(shape: Heads, dtype: str, options: Any) -> Bench:
    import torch
    from torch.nn import functional as F

    from tracea import ops

    def drawn(heads: int, length: int) -> Any:
        return torch.randn(
            shape.batch, heads, length, shape.columns, device=options.device, dtype=getattr(torch, dtype)
        )

    q, (k, v) = drawn(shape.heads, shape.queries), (drawn(shape.heads // shape.share, shape.keys) for _ in range(2))
    out, grouped = torch.empty_like(q), shape.share > 1
    right = 0 if shape.left is not None else None
    stored = _stored(shape, q) if shape.mask else None
    mask = _seen(shape, options.device) if shape.left is not None else stored
    given = {"causal": shape.causal, "left": shape.left, "right": right}

    def exact() -> Any:
        wide = [x.double() for x in (q, k.repeat_interleave(shape.share, 1), v.repeat_interleave(shape.share, 1))]
        numbers = mask if mask is None or mask.dtype is torch.bool else mask.double()
        return F.scaled_dot_product_attention(*wide, attn_mask=numbers, is_causal=shape.causal)

    return bench_of(
        lambda: ops.attention(q, k, v, out=out, mask=stored, fallback="error", **given),
        _peers(shape, (q, k, v), mask, grouped, options), out, exact, describe=lambda: _kernel((q, k, v), stored, given),
    )  # fmt: skip


def _peers(
    shape: Heads, inputs: tuple[Any, ...], mask: Any, grouped: bool, options: Any
) -> dict[str, Callable[[], Any]]:
    """PyTorch's attention by each of its kernels, and flex attention where it is asked for."""
    import torch
    from torch.nn import functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def by(backend: Any) -> Callable[[], Any]:
        def call() -> Any:
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(
                    *inputs, attn_mask=mask, is_causal=shape.causal, enable_gqa=grouped
                )

        return call

    if torch.device(options.device).type == "cpu":
        kinds = {"PyTorch": SDPBackend.MATH}
    else:
        kinds = {"cuDNN": SDPBackend.CUDNN_ATTENTION}
        kinds |= {} if shape.mask else {"flash": SDPBackend.FLASH_ATTENTION}
        kinds |= {"mask in memory": SDPBackend.EFFICIENT_ATTENTION} if mask is not None and not grouped else {}
    found = {name: by(backend) for name, backend in kinds.items()}
    if mask is not None and options.compile:
        found["flex attention"] = _flex(shape, inputs, grouped, options.device)
    return found


def _flex(shape: Heads, inputs: tuple[Any, ...], grouped: bool, device: str) -> Callable[[], Any]:
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def sees(b: Any, h: Any, i: Any, j: Any) -> Any:
        return (j <= i) & (i - j <= shape.left)

    blocks = create_block_mask(sees, None, None, shape.queries, shape.keys, device=device)
    compiled = torch.compile(flex_attention)
    return lambda: compiled(*inputs, block_mask=blocks, enable_gqa=grouped)


def _seen(shape: Heads, device: str) -> Any:
    """Which query sees which key, as a mask in memory."""
    import torch

    assert shape.left is not None
    distance = torch.arange(shape.keys, device=device)[None, :] - torch.arange(shape.queries, device=device)[:, None]
    distance = distance - (shape.keys - shape.queries)
    return (distance <= 0) & (distance >= -shape.left)


def _stored(shape: Heads, like: Any) -> Any:
    """A mask in memory: a sixth of the keys is hidden by booleans, which hide from no query all keys; else random numbers."""
    import torch

    extents = (shape.batch, shape.heads, shape.queries, shape.keys)
    own = [extent if axis in shape.mask else 1 for axis, extent in zip("bhqk", extents, strict=True)]
    if shape.mask[0] != "?":
        return torch.randn(own, device=like.device, dtype=like.dtype)
    seen = torch.rand(own, device=like.device) < 5 / 6
    seen[..., 0] = True
    return seen


def _kernel(inputs: tuple[Any, ...], stored: Any, given: dict[str, Any]) -> str:
    """Name what a call runs: its kind and its configuration."""
    from tracea_core.ops.epilogue import IDENTITY
    from tracea_core.pipeline import trace

    from tracea.arrays import kind_of
    from tracea.ops.chains import attention_problem, on_scores
    from tracea.ops.request import Request

    masks = () if stored is None else (on_scores(stored, *inputs[:2]),)
    specs = tuple(kind_of(x).spec(x) for x in (*inputs, *masks))
    asked = Request(specs, IDENTITY, (), None)
    path = trace(attention_problem(given["causal"], given["left"], given["right"], None, asked), str(inputs[0].device))
    return f"{path.choice.variant.name} {path.configuration.describe()}"
