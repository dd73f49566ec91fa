# SPDX-License-Identifier: MIT
"""Lowering, the panel schedule and the interpreter together: every op of the family against its float64 reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError, UnsupportedError
from tracea_core.ops.activations import BatchNorm, BiasAdd, ReLU, Residual, Scale, SwiGLU
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.blocked import COLUMN_SPLITS, K_BLOCKS, ROW_BLOCKS
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.register_tile import ROW_SPLITS
from tracea_core.semantic.interpret import interpret
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.quotient import reciprocals

AVX2 = preset("avx2")
TILE = PipelineConfig(tile_m=4, tile_n=24, tile_k=4)
WINDOWS = PipelineConfig(tile_m=3, tile_n=8, tile_k=2, halo=True)
RNG = np.random.default_rng(7)


def integers(*shape: int) -> np.ndarray:
    """Small integers: sums of their products are exact in float64."""
    return RNG.integers(-9, 10, shape).astype(np.float64)


def spec(array: np.ndarray) -> TensorSpec:
    return TensorSpec(array.shape, DType.FP32, tuple(stride // array.itemsize for stride in array.strides))


def flat(array: np.ndarray) -> np.ndarray:
    """The memory behind an array with non-negative strides, from its first to its last element."""
    if not array.size:
        return np.zeros(0)
    reach = sum((extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)) // 8
    return np.lib.stride_tricks.as_strided(array, (reach + 1,), (8,))


def run(
    problem: Problem,
    tensors: list[np.ndarray],
    out: np.ndarray,
    config: PipelineConfig = TILE,
    workers: int = 2,
    splits: int = 1,
    more: dict[str, int] | None = None,
) -> tuple[Lowered, SemanticKernel, np.ndarray]:
    """Interpret the kernel of `problem`; tensors are inputs and then epilogue operands."""
    lowered = lower(problem)
    kernel = panel_kernel(lowered.contraction, config, AVX2, "cpu.contraction.test", "kernel")
    count = len(problem.inputs)
    known = {f"input{i}": x for i, x in enumerate(tensors[:count])} | {"output": out}
    known |= {f"epilogue{i}": x for i, x in enumerate(tensors[count:])}
    memory = {p.name: flat(known[name]) for p, name in zip(kernel.parameters, lowered.operands, strict=True)}
    symbols = {**lowered.symbols, ROW_SPLITS: splits, COLUMN_SPLITS: splits, ROW_BLOCKS: 2, **(more or {})}
    symbols |= reciprocals(symbols, ("n",))
    result = interpret(kernel, symbols, memory, workers=workers, seed=int(RNG.integers(1 << 30)))
    name = kernel.parameters[lowered.operands.index("output")].name
    return lowered, kernel, np.lib.stride_tricks.as_strided(result[name], out.shape, out.strides)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    m=st.integers(1, 11), n=st.integers(1, 60), k=st.integers(0, 19), transpose=st.tuples(*[st.booleans()] * 3),
    workers=st.integers(1, 3), splits=st.integers(1, 3), split_k=st.sampled_from([1, 1, 3]),
)  # fmt: skip
def test_matmul_of_any_shape_and_layout(
    m: int, n: int, k: int, transpose: tuple[bool, bool, bool], workers: int, splits: int, split_k: int
) -> None:
    a, b, out = (
        integers(y, x).T if flip else integers(x, y)
        for flip, (x, y) in zip(transpose, ((m, k), (k, n), (m, n)), strict=True)
    )
    problem = Problem(GemmOp(m, n, k), (spec(a), spec(b)), spec(out))
    _, kernel, got = run(problem, [a, b], out, TILE.replace(split_k=split_k), workers, splits)
    assert np.array_equal(got, a @ b)
    assert SemanticKernel.from_json(kernel.to_json()) == kernel


@pytest.mark.parametrize(
    "shapes", [((2, 3, 5, 4), (2, 3, 4, 7)), ((2, 1, 5, 4), (3, 4, 7)), ((3, 5, 4), (4, 7)), ((1, 5, 4), (2, 4, 7))]
)
def test_batches_broadcast(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = (integers(*shape) for shape in shapes)
    expected = a @ b
    out = np.zeros(expected.shape)
    batch = expected.shape[:-2]
    lowered, _, got = run(Problem(GemmOp(5, 7, 4, batch=batch), (spec(a), spec(b)), spec(out)), [a, b], out)
    assert np.array_equal(got, expected)
    if shapes[1] == (4, 7):
        assert lowered.symbols["m"] == 15, "a batch that shares its weights is folded into the rows"


def test_alpha_and_beta_become_the_epilogue() -> None:
    a, b, c = integers(6, 5), integers(5, 9), integers(6, 9)
    out = np.zeros((6, 9))
    problem = Problem(GemmOp(6, 9, 5, alpha=2.0, beta=0.5), (spec(a), spec(b), spec(c)), spec(out))
    lowered, _, got = run(problem, [a, b, c], out)
    assert np.array_equal(got, 2 * (a @ b) + 0.5 * c)
    assert lowered.operands == ("input0", "input1", "output", "input2")


def test_epilogues_ride_in_registers() -> None:
    a, b, residual = integers(6, 5), integers(5, 30), integers(6, 30)
    bias, scale = integers(30), integers(6)
    chain = BiasAdd(bias) | ReLU() | Residual(residual) | Scale(scale, axes="row")
    epilogue, operands = chain.bind()
    for flip in (False, True):
        out = np.zeros((30, 6)).T if flip else np.zeros((6, 30))
        problem = Problem(GemmOp(6, 30, 5), (spec(a), spec(b)), spec(out), epilogue, tuple(spec(x) for x in operands))
        _, _, got = run(problem, [a, b, *operands], out)
        assert np.array_equal(got, (np.maximum(a @ b + bias, 0) + residual) * scale[:, None])


def test_a_gated_epilogue_pairs_columns() -> None:
    a, b, out = integers(5, 4), integers(4, 2 * 13), np.zeros((5, 13))
    epilogue, _ = SwiGLU().bind()
    problem = Problem(GemmOp(5, 26, 4), (spec(a), spec(b)), spec(out), epilogue)
    _, kernel, got = run(problem, [a, b], out, PipelineConfig(tile_m=4, tile_n=8, tile_k=2))
    product = a @ b
    gate, up = product[:, :13], product[:, 13:]
    assert np.allclose(got, gate / (1 + np.exp(-gate)) * up, rtol=1e-12)
    assert {buffer.name for buffer in kernel.buffers} == {"panel0", "panel1"}


CONVOLUTIONS: list[dict[str, Any]] = [
    {},
    {"padding": (1, 1)},
    {"stride": (2, 1), "padding": (0, 2), "dilation": (1, 2)},
    {"groups": 2, "padding": (1, 0)},
    {"groups": 4},
    {"r": 1, "s": 1},
    {"r": 1, "s": 1, "stride": (2, 2)},
]


@pytest.mark.parametrize("options", CONVOLUTIONS)
@pytest.mark.parametrize("channels_last", [False, True])
def test_conv2d(options: dict[str, Any], channels_last: bool) -> None:
    size = {"r": 3, "s": 2, **options}
    op = Conv2dOp(2, 4, 7, 6, 8, **size)
    x, w = integers(2, 4, 7, 6), integers(8, 4 // op.groups, op.r, op.s)
    out = np.zeros(op.output_shape())
    if channels_last:
        x, w, out = (np.ascontiguousarray(t.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) for t in (x, w, out))
    mean, var = integers(8), np.abs(integers(8)) + 1
    epilogue, operands = (BatchNorm(mean, var) | ReLU()).bind()
    problem = Problem(op, (spec(x), spec(w)), spec(out), epilogue, tuple(spec(t) for t in operands))
    normalized = (op.reference(x, w) - mean[:, None, None]) / np.sqrt(var + 1e-5)[:, None, None]
    for splits, config in enumerate((TILE, WINDOWS), 1):
        contraction = lower(problem).contraction
        in_place = op.groups == 1 and not contraction.b.guard and channels_last
        if config.halo and contraction.halo is None and not in_place:
            with pytest.raises(ConfigurationError, match="one group"):
                run(problem, [x, w, *operands], out, config)
            continue
        _, _, got = run(problem, [x, w, *operands], out, config, splits=splits)
        assert np.allclose(got, np.maximum(normalized, 0), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("gap", [0, 2])
def test_windows_of_images_whose_pixels_lie_next_to_each_other_or_not(gap: int) -> None:
    """Lines of three channels are copied as runs where nothing lies between their pixels, else pixel by pixel."""
    stored = np.full((2, 7, 6, 3 + gap), np.nan)
    stored[..., :3] = integers(2, 7, 6, 3)
    x, w, op = (
        stored[..., :3].transpose(0, 3, 1, 2),
        integers(8, 3, 3, 2),
        Conv2dOp(2, 3, 7, 6, 8, 3, 2, padding=(1, 2)),
    )
    out = np.zeros(op.output_shape())
    for workers in (1, 3):
        problem = Problem(op, (spec(x), spec(w)), spec(out))
        _, _, got = run(problem, [x, w], out, WINDOWS, workers=workers)
        assert np.array_equal(got, op.reference(x, w))


def test_conv2d_into_an_output_with_gaps() -> None:
    x, w, op = integers(1, 3, 6, 5), integers(4, 3, 3, 3), Conv2dOp(1, 3, 6, 5, 4, 3, 3, padding=(1, 1))
    out = np.full((1, 4, 9, 11), np.nan)[:, :, 1:7, 2:7]
    for config in (TILE, WINDOWS):
        _, _, got = run(Problem(op, (spec(x), spec(w)), spec(out)), [x, w], out, config)
        assert np.array_equal(got, op.reference(x, w))


def test_conv2d_weights_in_any_order() -> None:
    x, w = integers(1, 3, 6, 6), integers(4, 3, 3, 3)
    strange = np.ascontiguousarray(w.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)[:, :, :, ::1]
    gapped = np.zeros((4, 3, 3, 6))[:, :, :, ::2]
    gapped[...] = w
    for weights in (strange, gapped):
        op = Conv2dOp(1, 3, 6, 6, 4, 3, 3, padding=(1, 1))
        out = np.zeros(op.output_shape())
        lowered, _, got = run(Problem(op, (spec(x), spec(weights)), spec(out)), [x, weights], out)
        assert np.array_equal(got, op.reference(x, w))
        assert lowered.contraction.a_step is not None


def test_what_does_not_fit_is_refused_with_the_reason() -> None:
    a, b, out = integers(4, 4), integers(4, 4), np.zeros((4, 4))
    problem = Problem(GemmOp(4, 4, 4), (spec(a), spec(b)), spec(out))
    with pytest.raises(ConfigurationError, match="needs 29 vector registers"):
        run(problem, [a, b], out, TILE.replace(tile_m=6, tile_n=32))
    with pytest.raises(ConfigurationError, match="multiple of the 8 lanes"):
        run(problem, [a, b], out, TILE.replace(tile_n=20))
    softmax = SoftmaxOp((4, 4))
    with pytest.raises(UnsupportedError, match="no contraction form"):
        lower(Problem(softmax, (spec(a),), spec(out)))


BLOCKED = {
    "blocks": TILE.replace(block_k=8),
    "rows packed": TILE.replace(block_k=8, pack_a=True),
    "rows packed, whole": TILE.replace(pack_a=True, tile_m=3),
    "streamed": TILE.replace(tile_m=2, block_k=8, pack_b=False),
    "streamed, fewer rows than lanes": TILE.replace(tile_m=1, block_k=3, pack_b=False),
    "streamed, not asked for ahead": TILE.replace(block_k=8, pack_b=False, stages=1),
    "in place": PipelineConfig(tile_m=3, tile_n=8, tile_k=2, pack_b=False),
    "in place, half vectors": PipelineConfig(tile_m=3, tile_n=4, tile_k=2, pack_b=False),
    "in place, not asked for ahead": PipelineConfig(tile_m=3, tile_n=8, tile_k=2, pack_b=False, stages=1),
    "in place, rows packed": PipelineConfig(tile_m=5, tile_n=8, tile_k=2, block_k=8, pack_b=False, pack_a=True),
}


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(sorted(BLOCKED)), m=st.integers(1, 11), n=st.integers(1, 60), k=st.integers(0, 35),
    transpose=st.tuples(*[st.booleans()] * 3), workers=st.integers(1, 3),
    splits=st.tuples(*[st.integers(1, 3)] * 4), batch=st.sampled_from([(), (2,)]),
)  # fmt: skip
def test_blocks_change_the_schedule_and_not_the_product(
    name: str, m: int, n: int, k: int, transpose: tuple[bool, bool, bool], workers: int,
    splits: tuple[int, int, int, int], batch: tuple[int, ...],
) -> None:  # fmt: skip
    a, b, out = (
        integers(*batch, y, x).swapaxes(-1, -2) if flip else integers(*batch, x, y)
        for flip, (x, y) in zip(transpose, ((m, k), (k, n), (m, n)), strict=True)
    )
    bias = integers(n)
    epilogue, operands = (BiasAdd(bias) | ReLU()).bind()
    problem = Problem(
        GemmOp(m, n, k, batch=batch), (spec(a), spec(b)), spec(out), epilogue, tuple(spec(x) for x in operands)
    )
    more = dict(zip((COLUMN_SPLITS, K_BLOCKS, ROW_BLOCKS), splits[1:], strict=True))
    _, kernel, got = run(problem, [a, b, *operands], out, BLOCKED[name], workers, splits[0], more)
    assert np.array_equal(got, np.maximum(a @ b + bias, 0))
    assert SemanticKernel.from_json(kernel.to_json()) == kernel


def test_a_gated_epilogue_keeps_two_sums_between_blocks() -> None:
    a, b, out = integers(5, 20), integers(20, 2 * 13), np.zeros((5, 13))
    epilogue, _ = SwiGLU().bind()
    problem = Problem(GemmOp(5, 26, 20), (spec(a), spec(b)), spec(out), epilogue)
    for pack in (True, False):
        config = PipelineConfig(tile_m=4, tile_n=8, tile_k=2, block_k=8, pack_b=pack)
        _, kernel, got = run(problem, [a, b], out, config, more={COLUMN_SPLITS: 2, K_BLOCKS: 3, ROW_BLOCKS: 2})
        product = a @ b
        gate, up = product[:, :13], product[:, 13:]
        assert np.allclose(got, gate / (1 + np.exp(-gate)) * up, rtol=1e-12)
        assert {buffer.name for buffer in kernel.buffers} >= {"sums0", "sums1"}


def test_blocks_are_refused_where_they_make_no_sense() -> None:
    x, w, op = integers(1, 3, 6, 5), integers(4, 3, 3, 3), Conv2dOp(1, 3, 6, 5, 4, 3, 3, padding=(1, 1))
    out = np.zeros(op.output_shape())
    with pytest.raises(ConfigurationError, match="single reduction axis"):
        run(Problem(op, (spec(x), spec(w)), spec(out)), [x, w], out, TILE.replace(block_k=8))
