# SPDX-License-Identifier: MIT
"""Problems as people type them: an op's name, its dimensions, and words such as ``--causal`` that some ops know."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import NamedTuple

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import GROUP, ScaledGemmOp
from tracea_core.ops.spec import TensorSpec

from tracea.cli.words import DIMENSIONS, Words
from tracea.ops.call import know_plugin_activations
from tracea.ops.chains import attention_problem, low_rank_problem
from tracea.ops.filtering import options_of
from tracea.ops.grouped import grouped_problem
from tracea.ops.request import PLAIN, Request
from tracea.ops.rows import norm_problem, normalize_problem, softmax_problem
from tracea.ops.scaled import scaled_problem


class _Kind(NamedTuple):
    """What makes the problem of an op, and the words that mean something to it and not to every op."""

    make: Callable[[list[int], DType, Epilogue, Words], Problem]
    words: tuple[str, ...] = ()


def make_problem(op: str, dims: list[int], words: Words | None = None) -> Problem:
    """Return the problem of contiguous tensors that these words describe.

    Raises
    ------
    OptionError
        If the op is unknown, the number of dimensions is wrong, or a word means nothing, or nothing to this op.
    """
    words = words or Words()
    if op not in DIMENSIONS:
        near = difflib.get_close_matches(op, DIMENSIONS, 1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        raise OptionError(f"no op is called {op!r}", hint=f"{meant}Known: {', '.join(DIMENSIONS)}")
    kind = _KINDS[op]
    if len(dims) != len(DIMENSIONS[op].split()):
        raise OptionError(
            f"{op} takes {DIMENSIONS[op]}, {len(dims)} numbers were given",
            hint="`tracea explain --help` lists the dimensions of every op",
        )
    usual = Words()
    for name in Words.__struct_fields__:
        if name not in ("dtype", "epilogue", *kind.words) and getattr(words, name) != getattr(usual, name):
            takers = ", ".join(other for other in _KINDS if name in _KINDS[other].words)
            raise OptionError(f"--{name.replace('_', '-')} means nothing to {op}", hint=f"It belongs to {takers}")
    if words.layout not in ("nchw", "nhwc"):
        raise OptionError(f"layout {words.layout!r} is unknown", hint="Use nchw or nhwc")
    know_plugin_activations()
    tail = parse_epilogue(words.epilogue) if words.epilogue else Epilogue()
    return kind.make(dims, DType.parse(words.dtype), tail, words)


def _product(weight_by_row: bool) -> Callable[[list[int], DType, Epilogue, Words], Problem]:
    """Return what makes the problem of a product whose weight is stored as (k, n), or by row as (n, k)."""

    def make(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
        m, n, k = dims
        gemm = GemmOp(m, 2 * n if tail.gated else n, k, dtype=dtype, out_dtype=tail.stored_dtype)
        weights = TensorSpec.contiguous((k, gemm.n), dtype)
        if weight_by_row:
            weights = TensorSpec((k, gemm.n), dtype, (1, k))
        inputs = (TensorSpec.contiguous((m, k), dtype), weights)
        output = TensorSpec.contiguous((m, n), gemm.output_dtype())
        return Problem(gemm, inputs, output, tail, _operands(tail, output, -1))

    return make


def _convolution(kind: type[Conv2dOp | Conv2dFiltersOp]) -> Callable[[list[int], DType, Epilogue, Words], Problem]:
    """Return what makes the problem of a convolution, or of the gradient of its filters."""

    def make(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
        step, edge, apart = ((size, size) for size in (words.stride, words.padding, words.dilation))
        n, c, h, w, k, r, s = dims
        op = kind(n, c, h, w, k, r, s, step, edge, apart, words.groups, dtype=dtype, out_dtype=tail.stored_dtype)
        return _of_images(op, tail, words)

    return make


def _transposed(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
    n, c, h, w, k, r, s = dims
    op = ConvTranspose2dOp(
        n, c, h, w, k, r, s, (words.stride,) * 2, (words.padding,) * 2, (words.output_padding,) * 2, (words.dilation,) * 2,
        words.groups, dtype=dtype, out_dtype=tail.stored_dtype,
    )  # fmt: skip
    return _of_images(op, tail, words)


def _of_images(op: Conv2dOp | Conv2dFiltersOp | ConvTranspose2dOp, tail: Epilogue, words: Words) -> Problem:
    inputs = tuple(_image(shape, op.dtype, words.layout) for shape in op.input_shapes())
    output = _image(op.output_shape(), op.output_dtype(), words.layout)
    options = options_of(words.allow_winograd, PLAIN)
    return Problem(op, inputs, output, tail, _operands(tail, output, 1), options)


def _softmax(log: bool) -> Callable[[list[int], DType, Epilogue, Words], Problem]:
    def make(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
        x = TensorSpec.contiguous(tuple(dims), dtype)
        return softmax_problem(log, 1.0, None, Request((x,), tail, _operands(tail, x, -1)))

    return make


def _normalize(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
    x = TensorSpec.contiguous(tuple(dims), dtype)
    return normalize_problem(1e-12, None, Request((x,), tail, _operands(tail, x, -1)))


def _norm(kind: str, parameters: int) -> Callable[[list[int], DType, Epilogue, Words], Problem]:
    """Return what makes the problem of a norm with a weight, and with a bias if there are two parameters."""

    def make(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
        x = TensorSpec.contiguous(tuple(dims), dtype)
        vectors = (TensorSpec.contiguous((dims[1],), dtype),) * parameters
        asked = Request((x, *vectors), tail, _operands(tail, x, -1))
        return norm_problem(kind, 1e-5, True, parameters > 1, None, asked)

    return make


def _attention(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
    batch, heads, queries, keys, depth = dims
    q = TensorSpec.contiguous((batch, heads, queries, depth), dtype)
    k = TensorSpec.contiguous((batch, words.kv_heads or heads, keys, depth), dtype)
    output = TensorSpec.contiguous(q.shape, tail.stored_dtype or dtype)
    asked = Request((q, k, k), tail, _operands(tail, output, -1))
    return attention_problem(words.causal, words.left, words.right, None, asked)


def _low_rank(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
    m, n, k, rank = dims
    inputs = tuple(TensorSpec.contiguous(shape, dtype) for shape in ((m, k), (k, rank), (rank, n)))
    output = TensorSpec.contiguous((m, n), tail.stored_dtype or dtype)
    return low_rank_problem(IDENTITY, Request(inputs, tail, _operands(tail, output, -1)))


def _grouped(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
    m, n, k, groups = dims
    weights = TensorSpec.contiguous((groups, k, 2 * n if tail.gated else n), dtype)
    inputs = (TensorSpec.contiguous((m, k), dtype), weights, TensorSpec.contiguous((groups,), DType.INT32))
    output = TensorSpec.contiguous((m, n), tail.stored_dtype or dtype)
    return grouped_problem(None, Request(inputs, tail, _operands(tail, output, -1)))


def _scaled(dims: list[int], dtype: DType, tail: Epilogue, words: Words) -> Problem:
    """Groups of k in the rows of activations, blocks of weights that are stored by row."""
    m, n, k = dims
    op = ScaledGemmOp(m, n, k, dtype=dtype, out_dtype=tail.stored_dtype)
    _, _, *scales = (TensorSpec.contiguous(*one) for one in zip(op.input_shapes(), op.input_dtypes(), strict=True))
    factors = (TensorSpec.contiguous((m, k), dtype), TensorSpec((k, n), dtype, (1, k)))
    operands = _operands(tail, TensorSpec.contiguous((m, n), op.output_dtype()), -1)
    asked = Request((*factors, *scales), tail, operands, options=Options(allow_fallback=False))
    return scaled_problem(1, GROUP, op.output_dtype(), asked)


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


_CONVOLVED = ("stride", "padding", "dilation", "groups", "layout")
_KINDS = {
    "matmul": _Kind(_product(weight_by_row=False)),
    "linear": _Kind(_product(weight_by_row=True)),
    "conv2d": _Kind(_convolution(Conv2dOp), (*_CONVOLVED, "allow_winograd")),
    "conv2d_filters": _Kind(_convolution(Conv2dFiltersOp), _CONVOLVED),
    "conv_transpose2d": _Kind(_transposed, (*_CONVOLVED, "output_padding")),
    "softmax": _Kind(_softmax(log=False)),
    "log_softmax": _Kind(_softmax(log=True)),
    "layer_norm": _Kind(_norm("layer", 2)),
    "rms_norm": _Kind(_norm("rms", 1)),
    "normalize": _Kind(_normalize),
    "attention": _Kind(_attention, ("causal", "left", "right", "kv_heads")),
    "low_rank_mlp": _Kind(_low_rank),
    "grouped_matmul": _Kind(_grouped),
    "scaled_matmul": _Kind(_scaled),
}
"""How each op of `DIMENSIONS` is understood."""
