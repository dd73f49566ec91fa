# SPDX-License-Identifier: MIT
"""Products of ragged groups against PyTorch's grouped product: as many rows for each expert as chance gives it, none to some."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

from benchmarks.cuda_cases import Bench, Case, bench_of

SHAPES = ((8192, 8, 2048, 4096), (16384, 16, 4096, 2048), (16384, 64, 1408, 2048), (4096, 64, 2048, 2048))
"""Rows, groups, columns and length of the reduction, as in layers with 8, 16 and 64 experts."""


def ragged(rows: int, groups: int, seed: int) -> list[int]:
    """Return lengths of groups that are `rows` together: uneven ones, and where there are more than eight, some empty."""
    draw = random.Random(seed)
    shares = [0.0 if groups > 8 and draw.random() < 0.1 else draw.random() + 0.25 for _ in range(groups)]
    found = [int(rows * share / sum(shares)) for share in shares]
    found[-1] += rows - sum(found)
    return found


def grouped(shape: tuple[int, int, int, int], weights: str = "T") -> Callable[[str], Case]:
    """Return one product of ragged groups; weights of a group are stored by columns (T, along k) or by rows (N)."""
    m, groups, n, k = shape

    def make(options: Any) -> Bench:
        import torch

        from tracea import ops

        def drawn(*size: int) -> Any:
            return torch.randn(size, dtype=torch.bfloat16, device=options.device)

        x = drawn(m, k)
        w = drawn(groups, n, k).transpose(1, 2) if weights == "T" else drawn(groups, k, n)
        ends = torch.tensor(ragged(m, groups, groups), device=options.device).cumsum(0, dtype=torch.int32)
        out = torch.empty((m, n), dtype=x.dtype, device=x.device)

        def expected() -> Any:
            bounds = [0, *ends.tolist()]
            return torch.cat([x[a:b].float() @ w[g].float() for g, (a, b) in enumerate(itertools.pairwise(bounds))])

        return bench_of(
            lambda: ops.grouped_matmul(x, w, ends, out=out, fallback="error"),
            {"_grouped_mm": lambda: torch._grouped_mm(x, w, offs=ends)}, out, expected, describe=lambda: _kernel(x, w, ends),
        )  # fmt: skip

    words = f"{m}×{n}×{k} in {groups} groups" + ("" if weights == "T" else f" {weights}")
    return lambda group: Case(group, words, 2.0 * m * n * k, make)


def _kernel(*tensors: Any) -> str:
    """Return variant and configuration of the kernel that computes a product."""
    from tracea_core.ops.epilogue import IDENTITY
    from tracea_core.pipeline import trace

    from tracea.arrays import TORCH
    from tracea.ops.grouped import grouped_problem
    from tracea.ops.request import PLAIN, Request

    problem = grouped_problem(None, Request(tuple(TORCH.spec(t) for t in tensors), IDENTITY, (), None, PLAIN))
    path = trace(problem, str(tensors[0].device))
    return f"{path.choice.variant.name} {path.configuration.describe()}"
