# SPDX-License-Identifier: MIT
"""Sizes cut every range that is tested: of copies peeled apart, of stores of parts, of the border of an image."""

from __future__ import annotations

import numpy as np
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.contraction import ITEM, I, J
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.ranges import ranges
from tracea_core.semantic.verify.sizes import block_sizes, borders, divisors, strides
from tracea_core.testing.cases import dense, gemm


def uniform(layout: str, stages: int = 4) -> SemanticKernel:
    config = PipelineConfig(
        tile_m=32, tile_n=64, tile_k=32, stages=stages, warps=4, vector_a=8, vector_b=8, vector_c=2, swizzle=SwizzleMode.XOR4
    )  # fmt: skip
    lowered = lower(gemm((64, 64, 64), DType.BF16, layout))
    return multistage_kernel(lowered.contraction, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16")


def test_every_peeled_copy_has_a_range_of_its_own_and_some_size_ends_in_it() -> None:
    kernel = uniform("nn")  # rows of b run along n, so each copy of a slot holds half of its 32 steps of k
    found = ranges(kernel, "k")
    assert {(32 * slot + half, 32 * slot + half + 15) for slot in range(3) for half in (0, 16)} <= found
    depths = {k for _, _, k in block_sizes(kernel, "k")}
    for low, high in found:
        assert any(low < depth <= high for depth in depths), (low, high)


def test_parts_that_are_stored_apart_are_cut_in_both_directions() -> None:
    kernel = uniform("nt")
    sizes = block_sizes(kernel, "k")
    for low, high in ranges(kernel, "m"):
        assert any(low < m <= high or low <= m - 1 < high + 1 for m, _, _ in sizes)
    assert {0, 1, 31} <= {m for m, _, _ in sizes} and any(k == 0 and m and n for m, n, k in sizes)


def test_what_depends_on_no_extent_has_no_range() -> None:
    assert ranges(uniform("nt"), "nothing") == set()


def test_image_borders_lie_where_windows_end() -> None:
    op = Conv2dOp(2, 5, 7, 9, 6, 3, 3, (1, 1), (1, 1))
    tensors = tuple(dense(shape, DType.FP32, (0, 2, 3, 1)) for shape in op.input_shapes())
    lowered = lower(Problem(op, tensors, dense(op.output_shape(), DType.FP32, (0, 2, 3, 1))))
    form = lowered.contraction
    assert divisors(form) == {"out_width"}
    random = np.random.default_rng(0)
    reached = set()
    for _ in range(20):
        values = {**lowered.symbols, "out_width": 3, "n": 12}
        found = borders(form, values, random)
        assert set(found) == {"height", "width"}
        padded = next(term for term in (form.a, form.b) if term.guard)
        places = {**values, ITEM.name: 0, I.name: 0, J.name: np.arange(12)}
        places |= {axis.name: int(evaluate(axis.extent, values)) - 1 for axis in form.k_axes}
        for named in padded.hoisted:
            places[named.name] = evaluate(named.value, places)
        tests = [t for t in padded.guard if getattr(t.right, "name", "") == "height"]
        reached.add(int(np.max(evaluate(tests[0].left, places))) + 1 - found["height"])
    assert reached == {0, 1, 2}


def test_rows_do_not_share_memory_and_batches_stay_near() -> None:
    random = np.random.default_rng(0)
    plain = lower(gemm((30, 20, 50), DType.BF16, "nt"))
    found = strides(plain.contraction, plain.symbols, random)
    assert found and all(value >= 50 for value in found.values())
    batch = lower(gemm((30, 20, 50), DType.BF16, "nt", batch=(3,)))
    assert strides(batch.contraction, batch.symbols, random) == {}


def test_reductions_end_with_little_and_with_much_behind_whole_steps_of_whole_tiles() -> None:
    """Loads of the last step are seen where some of their elements are left out, and where hardly any is."""
    form = lower(gemm((96, 96, 64), DType.FP32, "nt")).contraction
    config = PipelineConfig(
        tile_m=16, tile_n=64, tile_k=16, stages=2, warps=1, vector_a=4, vector_b=4, vector_c=4, swizzle=SwizzleMode.NONE,
        barrier_mode=BarrierMode.NONE, unroll_k=2,
    )  # fmt: skip
    kernel = multistage_kernel(form, config, preset("a100"), "v", "k", "simt_4x8_4x8_fp32_paired")
    assert not ranges(kernel, "k", form)  # settled by their addresses, so that no range is cut for itself
    ends = {(k // 16, k % 16) for m, _, k in block_sizes(kernel, "k", form) if m > 8 and isinstance(k, int)}
    assert {(steps, 4) for steps in range(4)} | {(3, 12)} <= ends
