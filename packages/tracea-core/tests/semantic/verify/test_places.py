# SPDX-License-Identifier: MIT
"""A place beyond its axis has no text; one that a test, a loop or an expression keeps within it has."""

from __future__ import annotations

import re

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.policy.config import PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.index import COLUMN, Index, Sym, as_index, at_least, less
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import AsyncCopy, If, Let, Loop, Node, Staged
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.places import require_axes
from tracea_core.testing.cases import gemm


@pytest.fixture(scope="module")
def kernel() -> SemanticKernel:
    config = PipelineConfig(
        tile_m=32, tile_n=32, tile_k=32, stages=2, warps=4, vector_a=8, vector_b=8, vector_c=2, swizzle=SwizzleMode.XOR4
    )
    lowered = lower(gemm((64, 64, 64), DType.BF16, "nt"))
    return multistage_kernel(lowered.contraction, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16")


def copying(kernel: SemanticKernel, column: Index) -> AsyncCopy:
    """A copy of the kernel's into its first tile, at another column of 32."""
    copy = next(node for node in walk(kernel.roles[0].body) if isinstance(node, AsyncCopy))
    return copy.replace(target=copy.target.replace(coordinates=(as_index(0), column)))


def with_body(kernel: SemanticKernel, *body: Node) -> SemanticKernel:
    return kernel.replace(roles=(kernel.roles[0].replace(body=body),))


def test_a_certified_kernel_stays_within_its_axes(kernel: SemanticKernel) -> None:
    require_axes(kernel)


@pytest.mark.parametrize("beyond", [1, 32, -1, -64])
def test_a_shifted_coordinate_is_refused_by_name(kernel: SemanticKernel, beyond: int) -> None:
    changed = with_body(kernel, copying(kernel, COLUMN + beyond))
    worst = (beyond + 31) if beyond > 0 else beyond
    with pytest.raises(CertificationError, match=re.escape(f"leaves axis 'k' of 32: it reaches {worst}")) as caught:
        require_axes(changed)
    assert "'column" in str(caught.value) and "'a_tile'" in str(caught.value) and "AsyncCopy" in str(caught.value)


def test_a_certificate_lets_no_such_kernel_be_printed(kernel: SemanticKernel) -> None:
    changed = with_body(kernel, copying(kernel, COLUMN + 32))
    with pytest.raises(CertificationError, match="leaves axis 'k' of 32"):
        Certificate(changed.digest(), ()).require(changed)


def test_a_column_that_a_test_excludes_may_lie_beyond(kernel: SemanticKernel) -> None:
    copy = copying(kernel, COLUMN + 8)
    require_axes(with_body(kernel, copy.replace(guard=(less(COLUMN, 24),))))
    require_axes(with_body(kernel, If((less(COLUMN, 24),), (copy,))))
    require_axes(with_body(kernel, If((at_least(COLUMN, 24),), (), (copy,))))
    for guard in (less(COLUMN, 25), at_least(COLUMN, 24)):
        with pytest.raises(CertificationError, match="leaves axis"):
            require_axes(with_body(kernel, copy.replace(guard=(guard,))))


def test_the_last_round_of_a_loop_counts_and_none_is_none(kernel: SemanticKernel) -> None:
    def looped(stop: int, column: Index) -> SemanticKernel:
        loop = Loop("i", as_index(0), as_index(stop), (Staged(1, (copying(kernel, column),)),))
        return with_body(kernel, loop)

    require_axes(looped(4, Sym("i") * 8 + COLUMN % 8))
    with pytest.raises(CertificationError, match="it reaches 39"):
        require_axes(looped(5, Sym("i") * 8 + COLUMN % 8))
    require_axes(looped(0, COLUMN + 32))


def test_names_stand_for_what_they_hold_and_unknown_values_may_lie_anywhere(kernel: SemanticKernel) -> None:
    first = Let("first", Sym("block") % 4 * 8)
    require_axes(with_body(kernel, first, copying(kernel, Sym("first") + COLUMN % 8)))
    require_axes(
        with_body(kernel, first, copying(kernel, Sym("first") + COLUMN % 16))
    )  # nobody knows which block it is
    with pytest.raises(CertificationError, match="leaves axis"):
        require_axes(with_body(kernel, first, copying(kernel, Sym("first") + 32)))
    table = Let("table", COLUMN + 32, fragment=kernel.roles[0].fragments[0].name)
    require_axes(with_body(kernel, table, copying(kernel, Sym("table"))))
