# SPDX-License-Identifier: MIT
"""Random valid kernels, of every schedule, which must not be refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import UNSET
from tracea_core.doctor.choose import choose
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError, TraceaError, UnsupportedError
from tracea_core.ops.activations import BiasAdd, Gelu, ReLU, Residual
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp, SparseOperand
from tracea_core.ops.spec import TensorSpec
from tracea_core.plugin.manager import plugins
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyDecision, PolicyEngine
from tracea_core.policy.order import Order
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.row_cases import row_problem

from benchmarks.mutant_kernels import SPECIMENS, ring
from benchmarks.mutant_problems import EXACT, LAST, PLANES, convolution, fused


def valid(seed: int | tuple[int, ...]) -> Iterator[tuple[str, str, str | None]]:
    """Yield (schedule, words, why it was refused or None) of random kernels, for ever.

    Problems are small and of every kind; configurations are drawn from what the policy offers and from the fields that a
    schedule leaves free. What a schedule itself says it cannot build is drawn again: no kernel exists then.
    """
    random = np.random.default_rng(seed)
    recipes = {(r.backend, r.preset, r.schedule): r for r in SPECIMENS.values() if r.schedule not in ("copy", "sum")}
    places = list(recipes.values())
    while True:
        recipe = places[int(random.integers(len(places)))]
        target = recipe.target
        offered = plugins().manifest(recipe.backend).variants(target.profile)
        variants = tuple(v for v in offered if v.schedule == recipe.schedule)
        if not variants:
            continue
        variant = variants[int(random.integers(len(variants)))]
        problem = _random_problem(random, variant.operand_dtypes[0], recipe.schedule)
        try:
            choice = choose(problem, target, variants)
            decision = PolicyEngine(target.profile).decide(choice.problem, choice.variant)
            configuration = _random_configuration(random, recipe.schedule, decision)
            lowered = lower_any(choice.problem, choice.variant)
            kernel = build_kernel(lowered.form, configuration, target.profile, choice.variant)
        except (ConfigurationError, UnsupportedError):
            continue
        inputs = ", ".join(str((spec.shape, spec.strides)) for spec in choice.problem.inputs)
        words = f"{choice.variant.name}, {lowered.form.title}, {inputs}, {configuration.describe()}"
        try:
            certify(kernel, lowered.form, target.profile)
        except TraceaError as error:
            yield recipe.schedule, words, f"{type(error).__name__}: {error}"
        else:
            yield recipe.schedule, words, None


def _random_problem(random: np.random.Generator, dtype: DType, schedule: str) -> Problem:
    if schedule in ("rows", "warp_rows"):
        return _random_rows(random, dtype)
    if schedule in ("chain", "warp_chain", "staged_chain"):
        return _random_chain(random, dtype)
    if schedule == "low_rank":
        m, n, k = (int(extent) for extent in random.integers(1, 200, 3))
        return chain_problem(LowRankOp(m, n, k, int(random.integers(1, 60)), dtype=dtype))
    if schedule == "winograd":
        return _random_minimal(random, dtype)
    if schedule in ("depthwise", "planes", "plane_lanes", "strips"):
        return _random_depthwise(random, dtype, PLANES if schedule.startswith("plane") else LAST)
    if dtype.is_float:
        if schedule in ("panel", "multistage") and random.random() < _SHARE_OF_CONVOLUTIONS:
            channels = int(random.integers(1, 5)) * 8, int(random.integers(1, 5)) * 8
            return convolution(dtype, channels)
        if schedule in ("panel", "multistage") and random.random() < _SHARE_OF_LISTS:
            return _random_lists(random, dtype)
        if schedule in ("warp_specialized", "multistage") and random.random() < _SHARE_OF_LISTS:
            return _random_groups(random, dtype)
    step = 8 if schedule == "warp_specialized" else int(random.choice([1, 8]))
    m, n, k = (int(random.integers(1, 40)) * step for _ in range(3))
    m = int(random.integers(1, 17)) if schedule == "few_rows" else m
    layout = str(random.choice(["nn", "nt", "tn", "tt"]))
    batch = tuple(int(random.integers(1, 4)) for _ in range(int(random.choice([0, 0, 1, 2]))))
    if dtype.is_float and not batch and random.random() < 0.4:
        stages = [BiasAdd(np.ones(n)), ReLU(), Gelu(), Residual(np.ones((m, n)))]
        chosen = [stages[int(i)] for i in random.permutation(4)[: int(random.integers(1, 4))]]
        return fused((m, n, k), dtype, *chosen, layout=layout)
    return gemm((m, n, k), dtype, layout, batch)


def _random_depthwise(random: np.random.Generator, dtype: DType, order: tuple[int, ...]) -> Problem:
    """Channels with filters of their own, of any extents, strides and paddings."""
    taps = int(random.choice([1, 2, 3, 3, 5, 7])), int(random.choice([1, 2, 3, 3, 5, 7]))
    padding = int(random.integers(0, taps[0])), int(random.integers(0, taps[1]))
    height, width = (int(random.integers(max(t - 2 * p, 1), 24)) for t, p in zip(taps, padding, strict=True))
    images, channels = int(random.integers(1, 4)), int(random.integers(1, 12)) * int(random.choice([1, 4, 8]))
    stride = int(random.integers(1, 3)), int(random.integers(1, 3))
    op = Conv2dOp(images, channels, height, width, channels, *taps, stride, padding, groups=channels, dtype=dtype)
    tensors = [dense(shape, dtype, order) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2], options=EXACT)


def _random_minimal(random: np.random.Generator, dtype: DType) -> Problem:
    """A convolution for minimal filtering, of any extents that repay it."""
    images, c, k, height, width = (int(extent) for extent in random.integers((1, 8, 8, 32, 32), (4, 40, 40, 60, 60)))
    op = Conv2dOp(images, c, height, width, k, 3, 3, (1, 1), (1, 1), dtype=dtype)
    tensors = [dense(shape, dtype, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2], options=EXACT.replace(allow_winograd=True))


def _random_lists(random: np.random.Generator, dtype: DType) -> Problem:
    """A product with a matrix of few blocks of any extents."""
    block = tuple(int(random.choice([1, 3, 16, 32, 64])) for _ in range(2))
    mask = random.random((int(random.integers(1, 6)), int(random.integers(1, 6)))) < 0.4
    sparse = [SparseOperand.A, SparseOperand.B][int(random.integers(2))]
    op = BlockSparseGemmOp.of(int(random.integers(1, 100)), BlockPattern.from_mask(mask, *block), sparse, dtype)
    tensors = tuple(map(dense, op.input_shapes(), op.input_dtypes()))
    return Problem(op, tensors, dense(op.output_shape(), op.output_dtype()), options=EXACT)


def _random_groups(random: np.random.Generator, dtype: DType) -> Problem:
    """Rows in groups, each with a matrix of its own."""
    m, n, k = (int(random.integers(1, 40)) * 8 for _ in range(3))
    op = GroupedGemmOp(m, int(random.integers(1, 6)), n, k, dtype=dtype)
    shapes = op.input_shapes()
    order = [(0, 2, 1), (0, 1, 2)][int(random.integers(2))]
    inputs = (dense(shapes[0], dtype), dense(shapes[1], dtype, order), dense(shapes[2], DType.INT32))
    return Problem(op, inputs, dense(op.output_shape(), op.output_dtype()), options=EXACT)


def _random_rows(random: np.random.Generator, dtype: DType) -> Problem:
    shape = tuple(int(extent) for extent in random.integers(1, 90, int(random.integers(1, 4))))
    kinds = [NormKind.LAYER, NormKind.RMS]
    op = (
        SoftmaxOp(shape, dtype=dtype)
        if random.random() < 0.4
        else NormOp(shape, kinds[int(random.integers(2))], dtype=dtype)
    )
    return row_problem(op)


def _random_chain(random: np.random.Generator, dtype: DType) -> Problem:
    m, n, k, deep = (int(extent) for extent in random.integers(1, 60, 4))
    if random.random() < 0.3:
        return chain_problem(LowRankOp(m, n, k, deep, dtype=dtype))
    heads, group = int(random.integers(1, 4)), int(random.integers(1, 3))
    sides: list[dict[str, Any]] = [
        {},
        {"causal": True},
        {"left": int(random.integers(0, 30)), "right": int(random.integers(0, 30))},
    ]
    columns = int(random.choice([8, 16, 24, 64]))
    side: dict[str, Any] = sides[int(random.integers(3))]
    if random.random() < 0.3:
        side["bias"] = dtype if random.random() < 0.5 else DType.UINT8
    op = AttentionOp(1 + deep % 2, heads * group, m, n, columns, columns, heads, dtype=dtype, **side)
    if op.bias is UNSET:
        return chain_problem(op)
    shape = op.input_shapes()[3]
    own = [extent if random.random() < 0.6 else 1 for extent in shape]
    steps = [math.prod(own[axis + 1 :]) if extent > 1 else 0 for axis, extent in enumerate(own)]
    return chain_problem(op, input3=TensorSpec(shape, op.bias, tuple(steps)))


def _random_configuration(random: np.random.Generator, schedule: str, decision: PolicyDecision) -> PipelineConfig:
    hero = decision.heroes[int(random.integers(len(decision.heroes)))]
    if schedule == "panel":
        return hero.replace(
            split_k=int(random.choice([1, 1, 2, 3])), row_block=int(random.choice([0, 0, hero.tile_m * 2]))
        )
    if schedule == "warp_specialized":
        consumers = int(random.integers(1, 3))
        cluster = [(1, 1), (1, 1), (2, 1), (1, 2), (2, 2)][int(random.integers(5))]
        stages = int(random.integers(1, 9))
        fields = ring(
            tile_m=64 * consumers, tile_n=int(random.choice([16, 32, 48, 64, 96, 112, 128])), warps=4 * (consumers + 1),
            stages=stages, in_flight=min(1, stages - 1), cluster_m=cluster[0], cluster_n=cluster[1],
            order=_ORDERS[int(random.integers(len(_ORDERS)))], group=int(random.integers(1, 9)), returning=int(random.integers(2)),
        )  # fmt: skip
        return hero.replace(**{name: value for name, value in fields.items() if not name.startswith("vector_")})
    if schedule != "multistage":
        return hero
    tile = {name: int(random.choice([16, 32, 64, 128])) for name in ("tile_m", "tile_n")}
    if random.random() < _SHARE_OF_HEROES:
        tile = {}
    return hero.replace(
        **tile, warps=hero.warps if not tile else int(random.choice([1, 2, 4, 8])), stages=int(random.choice(_DEPTHS)),
        group=int(random.integers(1, 9)), order=[Order.ROW, Order.GROUPED][int(random.integers(2))],
    )  # fmt: skip


_ORDERS = (Order.ROW, Order.COLUMN, Order.GROUPED, Order.SERPENTINE)
_DEPTHS = (1, 2, 2, 2, 3, 4, 5, 6, 7, 8)
_SHARE_OF_CONVOLUTIONS = 0.1
_SHARE_OF_LISTS = 0.07
_SHARE_OF_HEROES = 0.1
"""How often a tile is one that the policy would choose: large, and so slow to prove."""
