# SPDX-License-Identifier: MIT
"""Random work for GPUs: products, attention, softmaxes and norms, convolutions both ways, in few forms so that problems share kernels.

A form fixes what a kernel is compiled for (types, layouts, epilogue, filter) and the order of the sizes; sizes, gaps and addresses are
drawn for each problem. Most problems have rows of whole 16 bytes, as most matrices have; the others show what happens to those that do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import UNSET
from tracea_core.dtypes import DType
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.rowwise import NormalizeOp, NormKind, NormOp, SoftmaxOp
from tracea_core.ops.stages import as_chain

from benchmarks.fuzz_cases import Case, Show, random_epilogue
from tracea import ops

SHARED = 8
"""Problems in succession that have one form."""
KINDS = (DType.BF16,) * 4 + (DType.FP16,) * 3 + (DType.FP32, DType.INT8)
"""Types, 16-bit ones most often, for which a GPU has most kinds of kernel."""
_DIFFERENTIABLE = tuple(kind for kind in KINDS if kind.is_float)
_EDGES = (1, 7, 8, 16, 63, 64, 65, 120, 127, 128, 129, 136, 192, 255, 256, 257, 264)
_REACHES = (16, 136, 264, 600)
"""How far extents of a form go: those of one order mostly share a tile, and so a kernel."""
_CHANNELS = (3, 8, 16, 17, 24, 64, 64, 67, 72, 128, 192)
_COLUMNS = (8, 32, 40, 64, 64, 72, 128, 128, 256)
"""Of queries, keys and values; those that models have most often."""
_LENGTHS = (64, 300, 1024, 1100, 4200, 9000, 17000, 60000)
"""How long rows of a form are at most: held by a warp, by a block, and swept."""
_MOST_IN_ROWS = 200_000
_MOST_PRODUCTS = 200_000_000  # of a convolution with several images: float64 takes a second for them
_FILTERS = ((1, 1), (1, 1), (3, 3), (3, 3), (3, 2), (1, 3), (5, 5), (7, 7))


def make_for_device(seed: int, number: int, backend: str, show: Show, work: str = "all", shared: int = SHARED) -> Case:
    """Return random work number `number` of a seed for a GPU.

    Parameters
    ----------
    show : callable
        Puts an array on the device, as `fuzz_cases.present` shows one in host memory.
    work : str
        Which of `WORK`.
    shared : int
        Problems in succession that have one form.
    """
    form = np.random.default_rng((seed, number // shared, 1))
    families = WORK[work]
    family = families[int(form.integers(len(families)))]
    return family(form, np.random.default_rng((seed, number, 2)), backend, show)


def _product(form: np.random.Generator, random: np.random.Generator, backend: str, show: Show) -> Case:
    kind, whole = _one(form, KINDS), bool(form.random() < 0.75)
    across = [bool(form.random() < 0.5) for _ in range(2)]
    m, n, k = (_extent(random, _one(form, _REACHES), whole) for _ in range(3))
    batch = (int(random.integers(1, 4)),) if form.random() < 0.2 else ()
    tail = _tail(form, kind, n, (*batch, m, n), show)
    chain = as_chain(tail).epilogue
    op = GemmOp(m, n * (2 if chain.gated else 1), k, batch=batch, dtype=kind, out_dtype=chain.stored_dtype)
    inputs = [
        _matrix(random, shape, kind, whole, turned)
        for shape, turned in zip(((*batch, m, k), (*batch, k, op.n)), across, strict=True)
    ]
    a, b = (show(x, kind, True) for x in inputs)
    words = f"{op} strides {[x.strides for x in inputs]} at {a.data_ptr() % 16} {b.data_ptr() % 16} epilogue {chain.describe()}"
    call = lambda out: ops.matmul(a, b, out=out, epilogue=tail, backend=backend, fallback="error")  # noqa: E731
    return Case(op, inputs, tail, call, True, words)


def _convolution(form: np.random.Generator, random: np.random.Generator, backend: str, show: Show) -> Case:
    op, last = _drawn(form, random)
    tail = _tail(form, op.dtype, op.k, op.output_shape(), show, gated=False)
    chain = as_chain(tail).epilogue
    op = op.replace(out_dtype=chain.stored_dtype)
    inputs = [_pixels(random, shape, op.dtype, last) for shape in op.input_shapes()]
    x, w = (show(array, op.dtype, True) for array in inputs)
    call = lambda out: ops.conv2d(  # noqa: E731
        x,
        w,
        None,
        op.stride,
        op.padding,
        op.dilation,
        op.groups,
        out=out,
        epilogue=tail,
        backend=backend,
        fallback="error",
    )
    return Case(op, inputs, tail, call, True, f"{op} {_order(last)} epilogue {chain.describe()}")


def _image_gradient(form: np.random.Generator, random: np.random.Generator, backend: str, show: Show) -> Case:
    of, last = _drawn(form, random, _DIFFERENTIABLE)
    rows, columns = of.output_size
    least = ((of.h, of.w), (rows, columns), of.stride, of.padding, of.dilation, (of.r, of.s))
    rest = tuple(
        size - ((out - 1) * step - 2 * pad + apart * (taps - 1) + 1)
        for size, out, step, pad, apart, taps in zip(*least, strict=True)
    )
    given = (of.stride, of.padding, rest)
    op = ConvTranspose2dOp(of.n, of.k, rows, columns, of.c, of.r, of.s, *given, of.dilation, of.groups, dtype=of.dtype)
    tail = _tail(form, op.dtype, of.c, op.output_shape(), show, gated=False)
    chain = as_chain(tail).epilogue
    op = op.replace(out_dtype=chain.stored_dtype)
    inputs = [_pixels(random, shape, op.dtype, last) for shape in op.input_shapes()]
    x, w = (show(array, op.dtype, True) for array in inputs)
    call = lambda out: ops.conv_transpose2d(  # noqa: E731
        x, w, None, *given, of.groups, of.dilation, out=out, epilogue=tail, backend=backend, fallback="error"
    )
    return Case(op, inputs, tail, call, True, f"{op} {_order(last)} epilogue {chain.describe()}")


def _filter_gradient(form: np.random.Generator, random: np.random.Generator, backend: str, show: Show) -> Case:
    of, last = _drawn(form, random, _DIFFERENTIABLE)
    given = (of.stride, of.padding, of.dilation, of.groups)
    op = Conv2dFiltersOp(of.n, of.c, of.h, of.w, of.k, of.r, of.s, *given, dtype=of.dtype)
    inputs = [_pixels(random, shape, op.dtype, last) for shape in op.input_shapes()]
    x, gradient = (show(array, op.dtype, True) for array in inputs)
    call = lambda out: ops.conv2d_filters(x, gradient, (of.r, of.s), *given, out=out, backend=backend)  # noqa: E731
    return Case(op, inputs, None, call, True, f"{op} {_order(last)}")


def _attention(form: np.random.Generator, random: np.random.Generator, backend: str, show: Show) -> Case:
    kind, mask = _one(form, _DIFFERENTIABLE), _one(form, ("full", "causal", "window", "window"))
    whole, inside = bool(form.random() < 0.8), bool(form.random() < 0.5)
    columns, own = _one(form, _COLUMNS), _one(form, (None, None, None, *_COLUMNS))
    heads = _one(form, (1, 2, 4, 6))
    shared = _one(form, [count for count in range(1, heads + 1) if heads % count == 0])
    queries, keys = (int(random.integers(1, _one(form, _REACHES) + 1)) for _ in range(2))
    if form.random() < 0.25:  # a step of generation, whose keys several blocks may divide
        queries, keys = int(random.integers(1, 9)), int(random.integers(600, 5000))
    left, right = (int(random.integers(0, 200)) if mask == "window" else None for _ in range(2))
    bias = _one(form, (UNSET, UNSET, UNSET, kind, DType.UINT8))
    op = AttentionOp(
        int(random.integers(1, 4)), heads, queries, keys, columns, own, shared, mask == "causal", left, right, dtype=kind, bias=bias
    )  # fmt: skip
    inputs = [_heads(random, shape, kind, whole, inside) for shape in op.input_shapes()[:3]]
    q, k, v = (show(x, kind, True) for x in inputs)
    words, given = f"{op} strides {[x.strides for x in inputs]}", None
    if bias is not UNSET:
        stored = _mask(random, [extent if form.random() < 0.6 else 1 for extent in op.input_shapes()[3]], bias)
        given = show(stored, bias, True)
        given = given != 0 if bias is DType.UINT8 else given
        inputs.append(np.broadcast_to(stored, op.input_shapes()[3]))
        words += f" mask {stored.shape}"
    call = lambda out: ops.attention(  # noqa: E731
        q, k, v, causal=op.causal, left=op.left, right=op.right, mask=given, out=out, backend=backend, fallback="error"
    )
    return Case(op, inputs, None, call, True, words)


def _rows(form: np.random.Generator, random: np.random.Generator, backend: str, show: Show) -> Case:
    kind, whole = _one(form, _DIFFERENTIABLE), bool(form.random() < 0.7)
    name = _one(form, ("softmax", "log_softmax", "layer_norm", "rms_norm", "normalize"))
    columns = int(form.integers(1, _one(form, _LENGTHS) + 1))
    columns = -(-columns // 8) * 8 if whole else columns
    weighted, biased = (bool(form.random() < 0.6) for _ in range(2))
    shape = (int(random.integers(1, 1 + max(_MOST_IN_ROWS // columns, 4))), columns)
    x = _matrix(random, shape, kind, whole, False)
    count = 1 + biased if weighted and name == "layer_norm" else int(weighted and name == "rms_norm")
    operands = [_values(random, (columns,), kind) for _ in range(count)]
    tail = _tail(form, kind, columns, shape, show, gated=False)
    while as_chain(tail).epilogue.auxiliaries:  # rows store no second result
        tail = _tail(form, kind, columns, shape, show, gated=False)
    stored = as_chain(tail).epilogue.stored_dtype
    op: SoftmaxOp | NormOp | NormalizeOp
    if name.endswith("softmax"):
        op = SoftmaxOp(shape, kind, stored, name == "log_softmax", 1.0)
    elif name == "normalize":
        op = NormalizeOp(shape, 1e-12, kind, stored)
    else:
        op = NormOp(shape, NormKind(name.removesuffix("_norm")), 1e-5, count > 0, count > 1, kind, stored)
    shown = [show(one, kind, True) for one in (x, *operands)]
    call = lambda out: getattr(ops, name)(*shown, out=out, epilogue=tail, backend=backend, fallback="error")  # noqa: E731
    words = f"{op} strides {x.strides} at {shown[0].data_ptr() % 16} epilogue {as_chain(tail).epilogue.describe()}"
    return Case(op, [x, *operands], tail, call, True, words)


def _drawn(
    form: np.random.Generator, random: np.random.Generator, kinds: tuple[DType, ...] = KINDS
) -> tuple[Conv2dOp, bool]:
    """A convolution with the filter and channels of its form, and whether its tensors are channels-last."""
    kind, groups = _one(form, kinds), _one(form, (1, 1, 1, 2, 4))
    c, k = (groups * _one(form, _CHANNELS) for _ in range(2))
    r, s = _one(form, _FILTERS)
    stride = (_one(form, (1, 1, 2, 3)), _one(form, (1, 1, 2)))
    padding = (int(form.integers(r // 2 + 2)), int(form.integers(s // 2 + 2)))
    dilation = (_one(form, (1, 1, 1, 2)), _one(form, (1, 1, 1, 2)))
    last = bool(form.random() < 0.8)
    h, w = (
        max(int(random.integers(1, 25)), apart * (taps - 1) + 1 - 2 * pad, 1)
        for taps, pad, apart in zip((r, s), padding, dilation, strict=True)
    )
    n = max(1, min(_one(random, (1, 2, 3, 4, 8)), _MOST_PRODUCTS // (h * w * c * k // groups * r * s)))
    return Conv2dOp(n, c, h, w, k, r, s, stride, padding, dilation, groups, dtype=kind), last


def _tail(
    form: np.random.Generator, kind: DType, columns: int, full: tuple[int, ...], show: Show, gated: bool = True
) -> Any:
    """An epilogue of the form; its operands have the problem's sizes."""
    functions = np.random.default_rng(int(form.integers(1 << 30)))
    return (
        random_epilogue(functions, columns, full, True, gated, show) if kind.is_float and form.random() < 0.7 else None
    )


def _one(random: np.random.Generator, choices: Any) -> Any:
    return choices[int(random.integers(len(choices)))]


def _order(last: bool) -> str:
    return "channels last" if last else "channels second"


def _extent(random: np.random.Generator, reach: int, whole: bool) -> int:
    """An extent up to `reach`, or one around what instructions and tiles are."""
    extent = _one(
        random, (_one(random, [edge for edge in _EDGES if edge <= reach]), int(random.integers(1, reach + 1)))
    )
    return -(-extent // 8) * 8 if whole else extent


def _matrix(random: np.random.Generator, shape: tuple[int, ...], kind: DType, whole: bool, across: bool) -> np.ndarray:
    """Random values stored by rows or by columns, sometimes within a wider array."""
    stored = (*shape[:-2], shape[-1], shape[-2]) if across else shape
    wide = (*stored[:-1], stored[-1] + _one(random, (0, 0, 8, 24) if whole else (0, 1, 5)))
    values = _values(random, wide, kind)[..., : stored[-1]]
    return values.swapaxes(-1, -2) if across else values


def _heads(random: np.random.Generator, shape: tuple[int, ...], kind: DType, whole: bool, inside: bool) -> np.ndarray:
    """Random queries, keys or values, each head's together or all heads' of a position, sometimes within wider rows."""
    b, h, m, n = shape
    more = _one(random, (0, 0, 8, 64) if whole else (0, 1, 5))
    stored = (b, m, h, n + more) if inside else (b, h, m, n + more)
    values = _values(random, stored, kind)[..., :n]
    return values.transpose(0, 2, 1, 3) if inside else values


def _mask(random: np.random.Generator, shape: list[int], kind: DType) -> np.ndarray:
    """Random numbers that hide a fifth of the keys, or booleans as bytes that do."""
    hidden = random.random(shape) < 0.2
    return (
        kind.encode(np.where(hidden, -np.inf, random.standard_normal(shape)))
        if kind.is_float
        else (~hidden).astype(np.uint8)
    )


def _pixels(random: np.random.Generator, shape: tuple[int, ...], kind: DType, last: bool) -> np.ndarray:
    """Random images or filters in the order that is asked for, sometimes a slice of wider channels."""
    if not last:
        return _values(random, shape, kind)
    n, c, h, w = shape
    more = _one(random, (0, 0, 0, 8, 3))
    return _values(random, (n, h, w, c + more), kind)[..., :c].transpose(0, 3, 1, 2)


def _values(random: np.random.Generator, shape: tuple[int, ...], kind: DType) -> np.ndarray:
    if kind.is_float:
        return kind.encode(random.standard_normal(shape))
    return random.integers(int(kind.lowest), int(kind.largest), shape, endpoint=True).astype(kind.storage)


_CONVOLUTIONS: tuple[Callable[..., Case], ...] = (_convolution, _image_gradient, _filter_gradient)
WORK: dict[str, tuple[Callable[..., Case], ...]] = {
    "all": (_product, _product, *_CONVOLUTIONS, _attention, _rows),
    "products": (_product,),
    "attention": (_attention,),
    "rows": (_rows,),
    "convolutions": _CONVOLUTIONS,
}
"""Families of problems by what a run is asked for, each as often as it is listed."""
