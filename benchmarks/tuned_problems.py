# SPDX-License-Identifier: MIT
"""The products of the table of NVIDIA GPUs (`benchmarks.cuda_cases`) as problems that are tuned: what a call states, and operands.

Shapes that are drawn at run time are left out: they are there to show what nobody tuned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.ops.activations import BiasAdd, Gelu, ReLU, Residual, SiLU, SwiGLU
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import GROUP
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import Stage, as_chain
from tracea_core.testing.cases import dense

from benchmarks.cuda_cases import ALIGNED, FUSED, ODD, SKINNY, SQUARE
from benchmarks.cuda_grouped import SHAPES, ragged
from tracea.arrays import torch_dtype
from tracea.ops.grouped import grouped_problem
from tracea.ops.matmul import matmul_problem
from tracea.ops.request import Request
from tracea.ops.scaled import OWN_TYPE, scaled_problem


class Kind(NamedTuple):
    """Type of the factors, type of the result where it is another, and what the caller allows."""

    dtype: DType
    stored: DType | None = None
    options: Options = Options()


KINDS = {
    "bf16": Kind(DType.BF16),
    "fp16": Kind(DType.FP16),
    "tf32": Kind(DType.FP32, options=Options(allow_tf32=True)),
    "fp32": Kind(DType.FP32),
    "int8": Kind(DType.INT8, DType.INT32),
    "fp8 fast": Kind(DType.FP8_E4M3, DType.BF16, Options(fast_accumulation=True)),
    "fp8 accurate": Kind(DType.FP8_E4M3, DType.BF16),
    "fp8 by groups": Kind(DType.FP8_E4M3, DType.BF16, OWN_TYPE),
}
TAILS = ("", "relu", "residual", "gelu", "silu", "swiglu")
_AFTER: dict[str, Callable[[], Stage]] = {"relu": ReLU, "gelu": Gelu, "silu": SiLU}


@dataclass(frozen=True)
class Asked:
    """A problem of the suite: type, (m, n, k), how both operands are stored (N by rows, T by columns), epilogue, batch, ragged groups."""

    kind: str
    shape: tuple[int, ...]
    layout: str = "NT"
    tail: str = ""
    batch: int = 0
    groups: int = 0

    @property
    def title(self) -> str:
        """The problem in words."""
        lead = f"{self.batch}×" if self.batch else ""
        tail = f" bias, {self.tail}" if self.tail in _AFTER or self.tail == "residual" else f" {self.tail}"
        groups = f" in {self.groups} groups" if self.groups else ""
        return f"{self.kind} {lead}{'×'.join(map(str, self.shape))} {self.layout}{tail.rstrip()}{groups}"

    def problem(self) -> Problem:
        """Return it as a call states it."""
        m, n, k = self.shape
        kind = KINDS[self.kind]
        lead = (self.batch or self.groups,) if self.batch or self.groups else ()
        left = () if self.groups else lead
        columns = 2 * n if self.tail == "swiglu" else n
        inputs = (self._factor((*left, m, k), 0), self._factor((*lead, k, columns), 1))
        if self.groups:
            return grouped_problem(None, Request((*inputs, TensorSpec.contiguous(lead, DType.INT32))))
        if self.kind == "fp8 by groups":
            scales = tuple(dense(shape, DType.FP32, (1, 0)) for shape in ((m, k // GROUP), (k // GROUP, n // GROUP)))
            return scaled_problem(1, GROUP, DType.BF16, Request((*inputs, *scales), options=kind.options))
        stage = self.stage(np.zeros(n, np.float32), np.zeros((m, n), np.float32) if self.tail == "residual" else None)
        bound, arrays = as_chain(stage).bind() if stage is not None else (IDENTITY, ())
        operands = tuple(TensorSpec.contiguous(np.shape(array), kind.dtype) for array in arrays)
        out = TensorSpec.contiguous((*left, m, n), kind.stored or kind.dtype)
        asked = kind.stored if kind.dtype.is_float else None  # int32 is what sums of int8 are stored as anyhow
        return matmul_problem(1.0, 0.0, asked, Request(inputs, bound, operands, out, kind.options))

    def _factor(self, shape: tuple[int, ...], place: int) -> TensorSpec:
        axes = tuple(range(len(shape) - 2))
        order = None if self.layout[place] == "N" else (*axes, len(axes) + 1, len(axes))
        return dense(shape, KINDS[self.kind].dtype, order)

    def stage(self, bias: Any, residual: Any) -> Stage | None:
        """Return its epilogue on these operands."""
        if self.tail == "swiglu":
            return SwiGLU()
        if self.tail == "residual":
            return BiasAdd(bias) | Residual(residual)
        return BiasAdd(bias) | _AFTER[self.tail]() if self.tail else None

    def filled(self, name: str, spec: TensorSpec, device: str) -> Any:
        """Return a tensor of PyTorch for an operand of its kernel: ends of groups as they fall, other values drawn as the table does.

        That is in the operand's own type where it has 16 bits or more: zeros in the last bits save power, and what is fastest follows it.
        """
        import torch

        tensor = torch.empty_strided(spec.shape, spec.strides, dtype=torch_dtype(spec.dtype), device=device)
        if self.groups and name == "input2":
            rows = torch.tensor(ragged(self.shape[0], self.groups, self.groups), device=device)
            return tensor.copy_(rows.cumsum(0, dtype=torch.int32))
        if not spec.dtype.is_float:
            return tensor.random_(-127, 128) if spec.dtype is DType.INT8 else tensor.zero_()
        if spec.dtype is DType.FP32 and name in ("input2", "input3"):
            return tensor.uniform_()  # scales
        deviation = self.shape[2] ** -0.5 if name == "input1" and self.tail else 1.0
        drawn = torch.bfloat16 if tensor.element_size() == 1 else tensor.dtype
        return tensor.copy_(torch.randn(spec.shape, dtype=drawn, device=device) * deviation)


def suite() -> Iterator[Asked]:
    """Yield the products of the table that a bar is set for."""
    for kind in ("bf16", "fp16"):
        yield from (Asked(kind, shape) for shape in ALIGNED)
    yield from (Asked("bf16", shape) for shape in SKINNY)
    yield from (Asked(kind, (4096,) * 3, layout) for kind in ("bf16", "fp16") for layout in ("NN", "TN", "TT"))
    yield Asked("bf16", (1024,) * 3, batch=64)
    yield from (Asked("tf32", shape) for shape in SQUARE)
    yield from (Asked("bf16", shape, tail=tail) for tail in TAILS[1:5] for shape in FUSED)
    yield from (Asked("int8", shape) for shape in SQUARE)
    yield from (Asked(kind, shape) for kind in ("fp8 fast", "fp8 accurate", "fp8 by groups") for shape in ALIGNED)
    yield Asked("bf16", (4096, 14336, 4096), tail="swiglu")
    yield from (Asked("bf16", (m, n, k), groups=groups) for m, groups, n, k in SHAPES)
    rows, groups, n, k = SHAPES[0]
    yield Asked("bf16", (rows, n, k), "NN", groups=groups)
    yield from (Asked("bf16", shape) for shape in ODD)
    yield from (Asked("fp32", shape) for shape in SQUARE[:2])
