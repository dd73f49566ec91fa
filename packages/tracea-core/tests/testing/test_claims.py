# SPDX-License-Identifier: MIT
"""Kernels that differ by a claim alone are one program; those that do something else are two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.index import COLUMN, ROW, Index, evaluate
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Access, AsyncCopy, BufferRef, Load, Transfer
from tracea_core.semantic.verify.certify import prove_meaning
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.claims import program, without_claims
from tracea_core.testing.faults import faults


def kernel() -> SemanticKernel:
    config = PipelineConfig(
        tile_m=32, tile_n=32, tile_k=32, stages=2, warps=4, vector_a=8, vector_b=8, vector_c=2, swizzle=SwizzleMode.XOR4
    )
    lowered = lower(gemm((64, 64, 64), DType.BF16, "nt"))
    return multistage_kernel(lowered.contraction, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16")


def same(original: SemanticKernel, wanted: Callable[[str], bool]) -> list[bool]:
    found = [program(fault.kernel) == program(original) for fault in faults(original) if wanted(fault.words)]
    assert found
    return found


def test_claims_do_not_tell_kernels_apart() -> None:
    original = kernel()
    for words in ("a_tile_map: bits 0 and 1 exchanged", "a0: bits 3 and 4 exchanged"):
        assert all(same(original, lambda text, words=words: words in text)), words  # type: ignore[misc]


def test_addresses_and_elements_do() -> None:
    original = kernel()
    for words in ("a_tile_map: bits 3 and 4 exchanged", "a0: transposed", "source.address offset + 1", "left out"):
        assert not any(same(original, lambda text, words=words: words in text)), words  # type: ignore[misc]


def test_a_budget_that_nothing_deals_out_is_a_claim() -> None:
    assert all(same(kernel(), lambda words: words.endswith("registers +8")))


def shared_load(width: int, coordinate: Index) -> Index:
    """The coordinate along k of a load from shared memory, as it is without claims."""
    original = kernel()
    (role,) = original.roles
    copy = next(node for node in walk(role.body) if isinstance(node, AsyncCopy) and node.target.buffer == "a_tile")
    place = copy.target.replace(coordinates=(copy.target.coordinates[0], coordinate))
    load = Load(copy.fragment, place, Transfer.GATHER, width=width)
    plain = without_claims(original.replace(roles=(role.replace(body=(load,)),)))
    (found,) = plain.roles[0].body
    assert isinstance(found, Load) and isinstance(found.source, BufferRef) and found.width == 1
    return found.source.coordinates[1]


def test_a_coordinate_beyond_its_axis_is_no_claim() -> None:
    columns = np.arange(32)
    for beyond in (32, -64, 1):
        assert np.array_equal(evaluate(shared_load(1, COLUMN + beyond), {"column": columns}), columns + beyond)


def test_a_wide_access_says_where_its_run_begins() -> None:
    columns = np.arange(32)
    backwards = shared_load(8, COLUMN // 8 * 8 - COLUMN % 8)
    assert np.array_equal(evaluate(backwards, {"column": columns}), columns)
    assert np.array_equal(evaluate(shared_load(8, COLUMN + 8), {"column": columns}), columns + 8)
    assert not np.array_equal(evaluate(shared_load(1, COLUMN // 8 * 8 - COLUMN % 8), {"column": columns}), columns)


def fetch(width: int, offset: Index) -> Index:
    """Where the elements of a load of runs lie in an operand, as it is without claims."""
    original = kernel()
    (role,) = original.roles
    copy = next(node for node in walk(role.body) if isinstance(node, AsyncCopy) and node.target.buffer == "a_tile")
    load = Load(copy.fragment, Access("a", offset), Transfer.GATHER, width=width)
    (found,) = without_claims(original.replace(roles=(role.replace(body=(load,)),))).roles[0].body
    assert isinstance(found, Load) and isinstance(found.source, Access)
    return found.source.offset


def test_elements_of_a_run_follow_from_its_first() -> None:
    """A wide load says where each run begins; what its offset says of the other elements is a claim."""
    columns = np.arange(32)
    said = evaluate(fetch(8, ROW * 64 + COLUMN - 2 * (COLUMN % 8)), {"row": 3, "column": columns})
    assert np.array_equal(said, 3 * 64 + columns)
    each = evaluate(fetch(1, ROW * 64 - COLUMN), {"row": 3, "column": columns})
    assert np.array_equal(each, 3 * 64 - columns)


def test_a_gathered_kernel_is_right_without_its_claims() -> None:
    """Names that stand for what each element has of its own are no offset of a run's first element."""
    op = Conv2dOp(2, 16, 7, 9, 24, 3, 3, (1, 1), (1, 1), dtype=DType.BF16)
    tensors = [dense(shape, DType.BF16, (0, 2, 3, 1)) for shape in (*op.input_shapes(), op.output_shape())]
    form = lower(Problem(op, tuple(tensors[:2]), tensors[2])).contraction
    config = PipelineConfig(tile_m=32, tile_n=32, tile_k=32, stages=2, warps=2, vector_a=8, vector_b=8, vector_c=2)
    for device, name in (("a100", "mma_m16n8k16_bf16"), ("mi300x", "mfma_16x16x16_bf16")):
        gathered = multistage_kernel(form, config, preset(device), "v", "k", name)
        prove_meaning(without_claims(gathered), form, 1009, elsewhere=True)
