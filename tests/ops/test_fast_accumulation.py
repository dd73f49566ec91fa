# SPDX-License-Identifier: MIT
"""`fast_accumulation`: it reaches the problem, changes nothing where sums are exact anyway, and is refused where it means nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.path import trace

from tracea import ops
from tracea.ops.matmul import matmul_problem
from tracea.ops.request import Request


def stated(dtype: DType, fast: bool) -> Problem:
    inputs = (TensorSpec.contiguous((256, 512), dtype), TensorSpec((512, 256), dtype, (1, 512)))
    return matmul_problem(1.0, 0.0, DType.BF16, Request(inputs, options=Options(fast_accumulation=fast)))


@pytest.mark.parametrize("fast", [False, True])
def test_sums_are_put_aside_unless_it_is_asked_for(fast: bool) -> None:
    path = trace(stated(DType.FP8_E4M3, fast), preset="h200")
    assert (path.configuration.block_k == 0) is fast
    assert path.choice.variant.name == "cuda.contraction.wgmma_fp8_e4m3"


@pytest.mark.parametrize("call", [ops.matmul, lambda a, b, **more: ops.linear(a, b.T, **more)])
def test_a_processor_adds_in_fp32_in_any_case(call: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    random = np.random.default_rng(5)
    a, b = (random.standard_normal(shape).astype(ml_dtypes.float8_e4m3fn) for shape in ((5, 40), (40, 7)))
    assert (call(a, b, fast_accumulation=True) == call(a, b)).all()


@pytest.mark.parametrize("call", [ops.matmul, lambda a, b, **more: ops.linear(a, b.T, **more)])
def test_other_types_refuse_it(call: Any) -> None:
    a, b = np.ones((4, 6), np.float32), np.ones((6, 3), np.float32)
    with pytest.raises(OptionError, match=r"sums of fp8; a is fp32.*Leave it out"):
        call(a, b, fast_accumulation=True)
    with pytest.raises(OptionError, match="sums of fp8"):
        call(a[0], b, fast_accumulation=True)


def test_torch_tensors_take_it_too() -> None:
    torch = pytest.importorskip("torch")
    random = torch.Generator().manual_seed(5)
    a, b = (torch.randn(*shape, generator=random) for shape in ((5, 40), (40, 7)))
    with pytest.raises(OptionError, match="sums of fp8"):
        ops.matmul(a, b, fast_accumulation=True)
    short, other = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
    fast = ops.matmul(short, other, fast_accumulation=True, out_dtype="fp32")
    assert torch.equal(fast, ops.matmul(short, other, out_dtype="fp32"))
    with pytest.raises(OptionError, match="sums of fp8"):
        ops.linear(a, b.t(), fast_accumulation=True)
