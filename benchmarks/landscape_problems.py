# SPDX-License-Identifier: MIT
"""Problems whose landscapes are recorded on a GPU, and the wide spaces that configurations are drawn from."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.testing.cases import dense

PC, PP = BarrierMode.PRODUCER_CONSUMER, BarrierMode.PING_PONG
ROLES = ((PC, 64, 8), (PC, 128, 8), (PC, 128, 12), (PC, 192, 16), (PC, 256, 12), (PP, 64, 12), (PP, 128, 12))
"""Who multiplies, rows of a tile, warps."""
PAIRS = ((1, 1), (2, 1), (1, 2))


@dataclass(frozen=True)
class Axes:
    """What a wide space varies besides roles, depth of the ring and groups in flight, and how many are drawn of it and of the policy's.

    Columns of a tile, bytes of a step along k, blocks of a cluster, parts of k, rows of a band.
    """

    columns: tuple[int, ...]
    steps: tuple[int, ...] = (128,)
    clusters: tuple[tuple[int, int], ...] = PAIRS
    splits: tuple[int, ...] = (1,)
    groups: tuple[int, ...] = (4, 8, 16)
    drawn: int = 500
    pruned: int = 150

    def configurations(self, dtype: DType, base: PipelineConfig) -> Iterator[PipelineConfig]:
        """Yield every combination, whether it fits or not; what is not varied is as in `base`."""
        order = Order.GROUPED if len(self.groups) > 1 else base.order
        for (mode, rows, warps), n, step, (m2, n2), parts, group, flight, stages in itertools.product(
            ROLES, self.columns, self.steps, self.clusters, self.splits, self.groups, (0, 1), range(2, 9)
        ):
            if parts > 1 and mode is PP:
                continue  # consumers that take turns do not divide k
            yield base.replace(
                tile_m=rows, tile_n=n, tile_k=step // dtype.bytes, stages=stages, warps=warps, barrier_mode=mode, cluster_m=m2,
                cluster_n=n2, split_k=parts, order=order, group=group, in_flight=flight, swizzle=SwizzleMode.B128,
            )  # fmt: skip


WIDE = Axes((64, 96, 128, 160, 176, 192, 208, 256))
FEW = Axes((64, 128, 256), (128, 256), PAIRS[:2], (1, 2, 4), (8,), 350, 120)
WINDOWS = Axes((64, 96, 128, 144, 160, 192, 256), (128, 256), PAIRS[:2], drawn=350)
PARTS = Axes((32, 64, 96, 128), (128, 256), ((1, 1),), (1, 2, 4, 8), (4, 8), 300)
EIGHT = Axes((64, 96, 128, 160, 176, 192, 208, 256), drawn=350)
RAGGED = replace(WIDE, pruned=60)
TF32 = Axes((64, 96, 128, 144, 160, 192, 256), groups=(8,), drawn=300)


def product(kind: DType, m: int, n: int, k: int) -> Problem:
    """Return a product of rows by rows; fp8 gives bf16, and sums stay in the matrix unit."""
    eight, tf32 = kind is DType.FP8_E4M3, kind is DType.FP32
    op = GemmOp(m, n, k, dtype=kind, out_dtype=DType.BF16 if eight else None)
    out = dense((m, n), op.output_dtype())
    inputs = (dense((m, k), kind), dense((k, n), kind, (1, 0)))
    return Problem(op, inputs, out, IDENTITY, (), Options(allow_tf32=tf32, fast_accumulation=eight))


def convolution(n: int, c: int, size: int, k: int, r: int) -> Problem:
    """Return a convolution of channels-last bf16 that keeps its extent."""
    op, last = Conv2dOp(n, c, size, size, k, r, r, (1, 1), (r // 2, r // 2), dtype=DType.BF16), (0, 2, 3, 1)
    first, second, out = (dense(shape, DType.BF16, last) for shape in (*op.input_shapes(), op.output_shape()))
    return Problem(op, (first, second), out, IDENTITY)


PROBLEMS: dict[str, tuple[Callable[[], Problem], Axes]] = {
    "matmul-4096x4096x4096-bf16": (lambda: product(DType.BF16, 4096, 4096, 4096), WIDE),
    "matmul-1672x1768x4112-bf16": (lambda: product(DType.BF16, 1672, 1768, 4112), WIDE),
    "matmul-2296x2392x4456-bf16": (lambda: product(DType.BF16, 2296, 2392, 4456), WIDE),
    "conv2d-64x128x28x28-128x3x3-bf16": (lambda: convolution(64, 128, 28, 128, 3), WINDOWS),
    "matmul-128x8192x8192-bf16": (lambda: product(DType.BF16, 128, 8192, 8192), FEW),
    "matmul-4096x4096x4096-fp8": (lambda: product(DType.FP8_E4M3, 4096, 4096, 4096), EIGHT),
    "matmul-16384x1024x1024-bf16": (lambda: product(DType.BF16, 16384, 1024, 1024), WIDE),
    "matmul-64x8192x8192-bf16": (lambda: product(DType.BF16, 64, 8192, 8192), FEW),
    "conv2d-1x256x14x14-256x3x3-bf16": (lambda: convolution(1, 256, 14, 256, 3), PARTS),
    "matmul-2048x2048x2048-tf32": (lambda: product(DType.FP32, 2048, 2048, 2048), TF32),
    "matmul-2536x4360x8112-bf16": (lambda: product(DType.BF16, 2536, 4360, 8112), RAGGED),
    "matmul-1672x4560x2568-bf16": (lambda: product(DType.BF16, 1672, 4560, 2568), RAGGED),
    "matmul-992x3664x9584-bf16": (lambda: product(DType.BF16, 992, 3664, 9584), RAGGED),
    "matmul-9448x1848x1280-bf16": (lambda: product(DType.BF16, 9448, 1848, 1280), RAGGED),
    "matmul-3112x4392x8992-bf16": (lambda: product(DType.BF16, 3112, 4392, 8992), RAGGED),
    "matmul-8192x8192x8192-bf16": (lambda: product(DType.BF16, 8192, 8192, 8192), WIDE),
    "matmul-1024x8192x4096-fp8": (lambda: product(DType.FP8_E4M3, 1024, 8192, 4096), EIGHT),
}
"""By name; those of one space and form share their kernels."""
