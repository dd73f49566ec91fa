# SPDX-License-Identifier: MIT
"""Problems as people type them: ``matmul M N K``, ``linear M N K``, ``conv2d N C H W K R S``."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec

from tracea.ops.call import know_plugin_activations

DIMENSIONS = {"matmul": "M N K", "linear": "M N K", "conv2d": "N C H W K R S"}


def make_problem(
    op: str,
    dims: list[int],
    dtype: str = "fp32",
    epilogue: str = "",
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
    layout: str = "nchw",
) -> Problem:
    """Return the problem of contiguous tensors that these words describe.

    Raises
    ------
    OptionError
        If the op is unknown, the number of dimensions is wrong, or a word means nothing.
    """
    if op not in DIMENSIONS:
        raise OptionError(f"no op is called {op!r}", hint="Known: " + ", ".join(DIMENSIONS))
    names = DIMENSIONS[op].split()
    if len(dims) != len(names):
        raise OptionError(f"{op} takes {DIMENSIONS[op]}, {len(dims)} numbers were given")
    if layout not in ("nchw", "nhwc"):
        raise OptionError(f"layout {layout!r} is unknown", hint="Use nchw or nhwc")
    know_plugin_activations()
    kind = DType.parse(dtype)
    tail = parse_epilogue(epilogue) if epilogue else Epilogue()
    if op == "conv2d":
        return _convolution(dims, kind, tail, (stride, padding, dilation, groups), layout)
    m, n, k = dims
    gemm = GemmOp(m, 2 * n if tail.gated else n, k, dtype=kind, out_dtype=tail.stored_dtype)
    weights = TensorSpec.contiguous((k, gemm.n), kind)
    if op == "linear":
        weights = TensorSpec((k, gemm.n), kind, (1, k))
    inputs = (TensorSpec.contiguous((m, k), kind), weights)
    output = TensorSpec.contiguous((m, n), gemm.output_dtype())
    return Problem(gemm, inputs, output, tail, _operands(tail, output, -1))


def _convolution(
    dims: list[int], kind: DType, tail: Epilogue, options: tuple[int, int, int, int], layout: str
) -> Problem:
    n, c, h, w, k, r, s = dims
    stride, padding, dilation, groups = options
    op = Conv2dOp(
        n, c, h, w, k, r, s, (stride,) * 2, (padding,) * 2, (dilation,) * 2, groups, dtype=kind, out_dtype=tail.stored_dtype
    )  # fmt: skip
    inputs = tuple(_image(shape, kind, layout) for shape in op.input_shapes())
    output = _image(op.output_shape(), op.output_dtype(), layout)
    return Problem(op, inputs, output, tail, _operands(tail, output, 1))


def _image(shape: tuple[int, ...], kind: DType, layout: str) -> TensorSpec:
    if layout == "nchw":
        return TensorSpec.contiguous(shape, kind)
    _, c, h, w = shape
    return TensorSpec(shape, kind, (h * w * c, 1, w * c, c))


def _operands(tail: Epilogue, output: TensorSpec, column_axis: int) -> tuple[TensorSpec, ...]:
    """Vectors in fp32 (in the output's type for 64-bit work), full operands laid out as the output."""
    kind = DType.FP64 if output.dtype is DType.FP64 else DType.FP32
    specs = []
    for slot in range(len(tail.operands)):
        shape = tail.operand_shape(slot, output.shape, column_axis)
        full = shape == output.shape
        specs.append(TensorSpec(shape, output.dtype, output.strides) if full else TensorSpec.contiguous(shape, kind))
    return tuple(specs)
