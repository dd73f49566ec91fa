# SPDX-License-Identifier: MIT
"""The sizes and strides that kernels are evaluated at: outputs without overlaps, in memory not much larger than they are."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import Sym, evaluate
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.steps import Let, Loop, Node
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.meaning import Instance
from tracea_core.semantic.verify.sample_sizes import periods
from tracea_core.semantic.verify.samples import samples
from tracea_core.testing.cases import dense, gemm


def test_free_strides_of_many_batch_axes_keep_elements_apart_and_memory_small() -> None:
    op = GemmOp(5, 7, 3, batch=(2, 3, 2))
    inputs = (TensorSpec.contiguous((2, 3, 2, 5, 3), DType.FP32), TensorSpec.contiguous((2, 3, 2, 3, 7), DType.FP32))
    out = TensorSpec((2, 3, 2, 5, 7), DType.FP32, (7, 140, 14, 420, 1))  # rows outermost: no two axes merge into one
    lowered = lower(Problem(op, inputs, out))
    tile = PipelineConfig(tile_m=4, tile_n=24, tile_k=4)
    kernel = panel_kernel(lowered.contraction, tile, preset("avx2"), "cpu.test", "kernel")
    strides = [symbol.name for symbol in lowered.contraction.symbols if symbol.name.startswith("out_")]
    assert len(strides) == 4
    sizes = []
    for values, _ in samples(kernel, lowered.contraction, 0):
        offsets, _ = Instance(lowered.contraction, values, 0).expected()
        if offsets.size:
            assert len(np.unique(offsets)) == offsets.size
            assert offsets.max() < 100 * offsets.size + 1000
            sizes.append(offsets.size)
    assert max(sizes) > 24


def _convolution(channels: int, dtype: DType, pixels: bool = False) -> Lowered:
    op = Conv2dOp(2, channels, 7, 9, 24, 3, 3, (1, 1), (1, 1), dtype=dtype)
    tensors = tuple(dense(shape, dtype, (0, 2, 3, 1)) for shape in op.input_shapes())
    return lower(Problem(op, tensors, dense(op.output_shape(), dtype, (0, 2, 3, 1))), pixels=pixels)


def _extents(kernel: SemanticKernel, contraction: Contraction) -> list[list[int]]:
    extents = [axis.extent for axis in contraction.k_axes]
    return [[int(evaluate(e, values)) for e in extents] for values, _ in samples(kernel, contraction, 0)]


def test_rings_over_windows_are_as_deep_as_asked_for() -> None:
    """Each element of a filter takes whole steps, so a filter of many elements would be many times as deep as its ring."""
    contraction = _convolution(16, DType.BF16, pixels=True).contraction
    config = PipelineConfig(
        tile_m=64, tile_n=32, tile_k=64, stages=3, in_flight=1, warps=8, vector_a=8, vector_b=8, vector_c=8,
        swizzle=SwizzleMode.B128, barrier_mode=BarrierMode.PRODUCER_CONSUMER,
    )  # fmt: skip
    kernel = specialized_kernel(contraction, config, preset("h200"), "v", "k")
    found = _extents(kernel, contraction)
    steps = [rows * columns * -(-channels // config.tile_k) for rows, columns, channels in found]
    assert config.stages < max(steps) <= 2 * config.stages + 2 and 0 in steps and 1 in steps
    assert all(max(each[axis] for each in found) >= 3 for axis in (0, 1)) and max(c for _, _, c in found) > 64


def test_uniform_kernels_decode_reductions_deeper_than_their_ring() -> None:
    contraction = _convolution(16, DType.BF16).contraction
    config = PipelineConfig(tile_m=32, tile_n=64, tile_k=32, stages=3, warps=4, vector_a=8, vector_b=8, vector_c=2)
    kernel = multistage_kernel(contraction, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16")
    found = _extents(kernel, contraction)
    deep = [math.prod(each) for each in found]
    assert max(deep) >= (2 * config.stages + 1) * config.tile_k and 0 in deep
    assert all(max(each[axis] for each in found) > 3 for axis in range(3))  # each axis is the long one in some run


def test_the_rows_of_a_tile_count_pixels_where_the_kernel_has_it_so() -> None:
    lowered = _convolution(5, DType.FP32)
    tile = PipelineConfig(tile_m=6, tile_n=16, tile_k=4, halo=True)
    kernel = panel_kernel(lowered.contraction, tile, preset("avx2"), "cpu.test", "kernel")
    assert periods(kernel, lowered.contraction)[:2] == (16, 6)
    assert max(values["n"] for values, _ in samples(kernel, lowered.contraction, 0)) < 6 * 6


def _filters() -> tuple[SemanticKernel, Contraction]:
    """A gradient of filters, whose extents are called otherwise than a product's, and whose image has two divisors."""
    op = Conv2dFiltersOp(2, 16, 7, 9, 24, 3, 3, (1, 1), (1, 1), dtype=DType.BF16)
    tensors = tuple(dense(shape, DType.BF16, (0, 2, 3, 1)) for shape in op.input_shapes())
    form = lower(Problem(op, tensors, dense(op.output_shape(), op.output_dtype(), (0, 2, 3, 1)))).contraction
    config = PipelineConfig(tile_m=32, tile_n=32, tile_k=32, stages=2, warps=4, vector_c=2)
    return multistage_kernel(form, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16"), form


def _told() -> str:
    return repr([sorted(values.items()) for values, _ in samples(*_filters(), 0)])


@pytest.mark.parametrize("seed", ["0", "2"])
def test_sizes_do_not_follow_from_how_python_orders_sets(seed: str) -> None:
    code = f"import runpy; print(runpy.run_path({__file__!r})['_told']())"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == _told()


def test_no_run_of_a_gradient_of_filters_is_passed_over() -> None:
    kernel, form = _filters()
    for values, _ in samples(kernel, form, 0):
        offsets, _ = Instance(form, values, 0).expected()
        assert offsets.size == len(np.unique(offsets))


def test_images_go_on_beyond_their_windows_where_a_tile_is_cut_and_a_last_step_is_full_but_for_one() -> None:
    kernel, form = _filters()
    roomy = []
    for values, _ in samples(kernel, form, 0):
        deep = values["k_image"] * values["k_p"] * values["k_q"]
        if values["pad_w"] == values["pad_h"] == 0 and values["width"] > values["k_q"] and values["elements"] < 32:
            roomy.append(deep % 32)
    assert 1 in roomy and 31 in roomy


BLOCKS = PipelineConfig(tile_m=4, tile_n=24, tile_k=4, block_k=8)


@pytest.mark.parametrize(
    "configuration", [BLOCKS, BLOCKS.replace(pack_b=False), BLOCKS.replace(pack_a=True, block_k=0)]
)
def test_each_choice_at_launch_is_made_alone(configuration: PipelineConfig) -> None:
    """Where rows are in two parts of one block each, and where sums wait for a second block of k, panels and tiles are whole."""
    lowered = lower(gemm((64, 64, 64), DType.FP32))
    kernel = panel_kernel(lowered.contraction, configuration, preset("avx2"), "cpu.test", "kernel")
    chosen = {symbol.name for symbol in kernel.symbols} - {symbol.name for symbol in lowered.contraction.symbols}
    found = [
        {name for name in chosen if values[name] == 2}
        for values, _ in samples(kernel, lowered.contraction, 0)
        if values["m"] in (9, 17) and values["n"] == 48 and all(values[name] <= 2 for name in chosen)
    ]
    assert len(chosen) >= 3 and all({name} in found for name in chosen)


@pytest.mark.parametrize(("word", "number"), [("row_part", 1), ("panel", 0)])
def test_one_block_or_panel_too_many_is_seen(word: str, number: int) -> None:
    """Tiles that another part also computes are written twice; a panel too many has sums that nothing keeps."""
    lowered = lower(gemm((64, 64, 64), DType.FP32))
    kernel = panel_kernel(lowered.contraction, BLOCKS.replace(pack_b=False), preset("avx2"), "cpu.test", "kernel")

    def more(node: Node) -> Node:
        if number and isinstance(node, Loop) and node.var == word:
            return node.replace(stop=node.stop + 1)
        if not number and isinstance(node, Let) and node.name == "panels":
            return node.replace(value=(Sym("n") + 24) // 24)
        return node

    def everywhere(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        changed = (more(node) for node in nodes)
        return tuple(node.replace(body=everywhere(node.body)) if isinstance(node, Loop) else node for node in changed)

    roles = tuple(role.replace(body=everywhere(role.body)) for role in kernel.roles)
    with pytest.raises(CertificationError, match=r"written 2 times|repetitions"):
        certify(kernel.replace(roles=roles), lowered.contraction, preset("avx2"))
