# SPDX-License-Identifier: MIT
"""Results that pass the caches: what the schedule says of them, who chooses it, and which faults the certificate finds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.rows import rows_kernel
from tracea_core.semantic.interpret_registers import InterpretError, check_moved
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.steps import Access, Store, Transfer
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.types import check_types
from tracea_core.testing.row_cases import row_problem

AVX2 = preset("avx2")
STEP = PipelineConfig(tile_m=1, tile_n=16, tile_k=1, stages=1, warps=1, vector_c=4)


def _form(dtype: DType = DType.FP32) -> Rowwise:
    return lower_rowwise(row_problem(NormOp((64, 64), NormKind.LAYER, bias=True, dtype=dtype))).form


def _kernel(form: Rowwise, configuration: PipelineConfig = STEP) -> SemanticKernel:
    return rows_kernel(form, configuration, AVX2, "cpu.rowwise.avx2_fp32", "kernel")


def _stores(kernel: SemanticKernel) -> list[Store]:
    return [node for node in walk(kernel.roles[0].body) if isinstance(node, Store) and isinstance(node.target, Access)]


def test_whole_steps_pass_the_caches_and_the_rest_of_a_row_does_not() -> None:
    form = _form()
    kernel = _kernel(form)
    assert [(store.transfer, bool(store.guard)) for store in _stores(kernel)] == [
        (Transfer.STREAM, False),
        (Transfer.VECTOR, True),
    ]
    assert kernel.parameter("out").alignment == 16 and kernel.parameter("x").alignment == 4
    assert {s.name: s.multiple for s in kernel.symbols}["out_row"] == 4
    asked = {node.operand for node in walk(kernel.roles[0].body) if isinstance(node, Prefetch)}
    assert asked == {"x"}  # a line that is not read need not be asked for
    assert certify(kernel, form, AVX2).kernel == kernel.digest()


def test_a_narrow_result_passes_in_whole_chunks_too() -> None:
    form = _form(DType.BF16)
    kernel = _kernel(form, STEP.replace(vector_c=8))
    assert kernel.parameter("out").alignment == 16
    assert certify(kernel, form, AVX2).kernel == kernel.digest()


@pytest.mark.parametrize("changes", [{"vector_c": 2}, {"vector_c": 8}, {"tile_m": 2}])
def test_what_cannot_pass_is_refused(changes: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match="passes the caches"):
        _kernel(_form(), STEP.replace(**changes))


def test_a_masked_store_past_the_caches_is_found(edit: Callable[..., SemanticKernel]) -> None:
    form = _form()
    masked = edit(
        _kernel(form),
        "worker",
        lambda n: n.replace(transfer=Transfer.STREAM) if isinstance(n, Store) and n.guard else n,
    )
    with pytest.raises(CertificationError, match="only whole vectors"):
        check_types(masked, form)


def test_an_operand_that_promises_too_little_is_found() -> None:
    form = _form()
    kernel = _kernel(form)
    loose = tuple(p.replace(alignment=4) for p in kernel.parameters)
    with pytest.raises(CertificationError, match="not aligned to 16"):
        check_types(kernel.replace(parameters=loose), form)


def test_rows_that_begin_anywhere_are_found() -> None:
    form = _form()
    kernel = _kernel(form)
    loose = tuple(s.replace(multiple=1) for s in kernel.symbols)
    with pytest.raises(CertificationError, match="no multiple of 16 bytes"):
        certify(kernel.replace(symbols=loose), form, AVX2)


def test_each_vector_is_looked_at() -> None:
    kernel = _kernel(_form())
    store = _stores(kernel)[0]
    fragment = kernel.roles[0].fragment(store.fragment)
    places = np.arange(16).reshape(2, 8).T  # lanes first
    check_moved(store, fragment, places, np.ones_like(places, bool))
    with pytest.raises(InterpretError, match="no multiple of 16"):
        check_moved(store, fragment, np.add(places, [[0, 2]]), np.ones_like(places, bool))


def _passing(op: SoftmaxOp | NormOp, alignment: int = 16, processor: str = "avx2") -> tuple[int, int]:
    """Return the runs in which the policy stores a result first, and the longest that it offers; above 1 they pass the caches."""
    out = TensorSpec.contiguous(op.output_shape(), op.output_dtype())
    specs = tuple(TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True))
    problem = Problem(op, specs, out, options=Options(alignment=alignment))
    heroes = PolicyEngine(preset(processor)).decide(problem).heroes
    return heroes[0].vector_c, max(hero.vector_c for hero in heroes)


def test_results_that_fill_the_last_cache_may_pass_it() -> None:
    assert _passing(NormOp((4097, 1024), NormKind.LAYER)) == (1, 4)
    assert _passing(NormOp((4096, 1024), NormKind.LAYER)) == (1, 1)  # 16 + 16 MiB, as much as the cache holds
    assert _passing(SoftmaxOp((8193, 2048), DType.FP16)) == (1, 8)
    assert _passing(SoftmaxOp((4096, 4095))) == (1, 1)  # rows begin anywhere
    assert _passing(SoftmaxOp((4096, 4096)), alignment=4) == (1, 1)


def test_whole_lines_pass_the_caches_first() -> None:
    assert _passing(SoftmaxOp((4096, 4096)), processor="avx512") == (4, 4)
    assert _passing(SoftmaxOp((64, 4096)), processor="avx512") == (1, 1)  # fits the last cache
    assert _passing(SoftmaxOp((4096, 4096)), alignment=4, processor="avx512") == (1, 1)
