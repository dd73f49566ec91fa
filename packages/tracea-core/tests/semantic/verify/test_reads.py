# SPDX-License-Identifier: MIT
"""What is read in place of what is not there, and the least aligned arguments that a kernel takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormKind, NormOp
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.build.warp_chain import warp_chain_kernel
from tracea_core.semantic.build.warp_rows import warp_rows_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.forms import Form
from tracea_core.semantic.index import Const, Sym, text
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import Let
from tracea_core.semantic.verify.certify import certify, prove_meaning
from tracea_core.semantic.verify.reads import check_reads
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.faults import faults
from tracea_core.testing.row_cases import row_problem

LAST = (0, 2, 3, 1)
A100, H200 = preset("a100"), preset("h200")
BF16 = DType.BF16
RING = PipelineConfig(
    tile_m=64, tile_n=32, tile_k=64, stages=2, in_flight=1, warps=8, vector_a=8, vector_b=8, vector_c=8,
    swizzle=SwizzleMode.B128, barrier_mode=BarrierMode.PRODUCER_CONSUMER,
)  # fmt: skip


def product() -> tuple[SemanticKernel, Form]:
    """A product whose a is stored by columns: the row after the last one begins where the next column does, not where memory ends."""
    form = lower(gemm((64, 64, 64), BF16, "tt")).contraction
    tile = PipelineConfig(tile_m=32, tile_n=64, tile_k=32, stages=2, warps=4, vector_a=2, vector_b=2, vector_c=2)
    return multistage_kernel(form, tile, A100, "v", "k", "mma_m16n8k16_bf16"), form


def convolved(op: Conv2dOp | Conv2dFiltersOp, **fields: int) -> tuple[SemanticKernel, Contraction]:
    *inputs, out = (
        dense(shape, BF16, LAST if len(shape) == 4 else None) for shape in (*op.input_shapes(), op.output_shape())
    )
    walked = isinstance(op, Conv2dFiltersOp)
    form = lower(Problem(op, tuple(inputs), out), pixels=not walked, walked=walked).contraction
    return specialized_kernel(form, RING.replace(**fields), H200, "v", "k"), form


def windows() -> tuple[SemanticKernel, Contraction]:
    return convolved(Conv2dOp(2, 16, 7, 9, 24, 3, 3, (1, 1), (1, 1), dtype=BF16))


def filters() -> tuple[SemanticKernel, Contraction]:
    op = Conv2dFiltersOp(2, 64, 7, 9, 72, 3, 3, (1, 1), (1, 1), dtype=BF16)
    return convolved(op, tile_n=64)


def attention() -> tuple[SemanticKernel, Form]:
    form = lower_chained(chain_problem(AttentionOp(2, 2, 40, 70, 16, left=9, right=4, dtype=BF16))).form
    tile = PipelineConfig(tile_m=64, tile_n=64, tile_k=16, stages=2, warps=4, vector_a=8, vector_b=8, vector_c=2)
    return warp_chain_kernel(form, tile, A100, "v", "k", "mma_m16n8k16_bf16"), form


def norm() -> tuple[SemanticKernel, Form]:
    form = lower_rowwise(row_problem(NormOp((64, 300), NormKind.LAYER, dtype=BF16))).form
    tile = PipelineConfig(tile_m=1, tile_n=512, tile_k=1, warps=4, vector_a=8, vector_b=8, vector_c=8, block_k=512)
    return warp_rows_kernel(form, tile, A100, "v", "k"), form


# ---- the last element


def refused(
    proof: Callable[[SemanticKernel, Form], object], kernel: SemanticKernel, form: Form, words: str = ""
) -> bool:
    try:
        proof(kernel, form)
    except CertificationError as error:
        assert words in str(error)
        return True
    return False


def test_a_read_stops_at_the_last_element() -> None:
    kernel, form = product()
    check_reads(kernel, form)
    changes = (
        "source.address offset: 0 for 1",
        "source.address offset: + for -",
    )  # min(x, n) for min(x, n - 1) among them
    planted = [fault.kernel for fault in faults(kernel) if fault.words.endswith(changes)]
    found = [wrong for wrong in planted if refused(check_reads, wrong, form, "behind the last element")]
    assert len(found) > 8
    assert not all(refused(prove_meaning, wrong, form) for wrong in found)  # some of these no run shows


def test_a_table_of_places_stops_at_the_last_window() -> None:
    op = Conv2dOp(2, 11, 7, 10, 8, 3, 3, padding=(1, 1))
    tensors = [dense(shape, DType.FP32, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    form = lower(Problem(op, tuple(tensors[:2]), tensors[2])).contraction
    kernel = panel_kernel(form, PipelineConfig(tile_m=3, tile_n=16, tile_k=2, halo=True), preset("avx2"), "v", "k")
    check_reads(kernel, form)
    planted = [fault.kernel for fault in faults(kernel) if fault.words == "worker: Let window: value: 0 for 1"]
    found = [
        refused(check_reads, wrong, form, "'window', where elements of 'a' are read, may be at") for wrong in planted
    ]
    assert sum(found) > 2


def test_a_stop_that_only_masks_compare_with_is_no_place() -> None:
    kernel, form = attention()
    stops = [node for node in walk(kernel.roles[0].body) if isinstance(node, Let) and node.name.startswith("keys_stop")]
    assert stops
    assert all("min(keys" in text(stop.value) for stop in stops)
    check_reads(kernel, form)


@pytest.mark.parametrize("make", [windows, filters])
def test_a_walk_goes_over_the_images_of_the_definition(
    make: Callable[[], tuple[SemanticKernel, Contraction]],
) -> None:
    kernel, form = make()
    certify(kernel, form, H200)
    planted = [fault.kernel for fault in faults(kernel) if "AsyncLoad: source.bound extents[3]" in fault.words]
    assert planted
    for wrong in planted:
        with pytest.raises(CertificationError):
            certify(wrong, form, H200)
    assert all(refused(check_reads, wrong, form, "not one over the images") for wrong in planted)


# ---- what a kernel takes


@pytest.mark.parametrize("make", [product, attention, norm, filters])
def test_multiples_that_a_kernel_does_not_need_to_ask_for_are_none(
    make: Callable[[], tuple[SemanticKernel, Form]],
) -> None:
    """A run with an odd multiple of each argument shows that half of it is not enough: vectors would not be aligned."""
    kernel, form = make()
    profile = H200 if make is filters else A100
    certify(kernel, form, profile)
    halved = [fault for fault in faults(kernel) if fault.words.endswith("multiple halved")]
    assert len(halved) >= 3
    for fault in halved:
        with pytest.raises(CertificationError):
            certify(fault.kernel, form, profile)


@pytest.mark.parametrize("tensor", ["q", "k_matrix", "v", "out"])
def test_sequences_of_a_batch_are_told_apart(tensor: str) -> None:
    kernel, form = attention()
    (role,) = kernel.roles
    body = replace_symbols(role.body, {f"{tensor}_batch": Sym(f"{tensor}_batch") * 0 + Const(0)})
    with pytest.raises(CertificationError):
        certify(kernel.replace(roles=(role.replace(body=body),)), form, A100)
