# SPDX-License-Identifier: MIT
"""Random work for the public calls: arrays behind random strides, epilogues of known stages and of random functions.

Problems in succession have one form (type, order of memory, epilogue, how far each extent goes), so that most of them share a kernel:
to prove and to compile it takes many times what a problem takes. Extents, values and operands are drawn for each problem.

Arrays are NumPy's, in the storage of their type; `Case.present` shows them to the call as the library under test sees them (bfloat16
exists only there).
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.problem import Options
from tracea_core.ops.python_functions import numba_version
from tracea_core.ops.stages import as_chain

import tracea
from tracea import ops

SHARED = 16
"""Problems in succession that have one form."""
HAS_TORCH = importlib.util.find_spec("torch") is not None
KINDS = (DType.FP32, DType.FP32, DType.FP64, DType.FP16, DType.INT8, DType.UINT8, DType.BF16)
_REACHES: tuple[tuple[int, ...], ...] = (
    (0, 1, 2, 3, 4),
    (7, 8, 9, 12, 15, 16, 17),
    (23, 24, 25, 31, 32, 33, 48),
    tuple(range(34, 141)),
)
"""Extents that a form may have along one axis: those of one order mostly share a tile, and so a kernel."""


@dataclass
class Case:
    """One call: the op, its operands as stored, the epilogue with operands of its own, how to call it with an `out`, what is allowed."""

    op: Any
    inputs: list[np.ndarray]
    epilogue: Any
    call: Callable[[Any], Any]
    torch: bool
    words: str = ""
    options: Options = field(default_factory=Options)
    operands: list[np.ndarray] = field(init=False)

    def __post_init__(self) -> None:
        self.operands = [host(operand) for operand in as_chain(self.epilogue).operands]

    @property
    def kinds(self) -> tuple[DType, ...]:
        """The types of the inputs."""
        return tuple(self.op.input_dtypes())


def host(operand: Any) -> np.ndarray:
    """Return an operand's values as they are now, in host memory."""
    return np.asarray(operand.cpu() if hasattr(operand, "cpu") else operand)


def present(array: np.ndarray, kind: DType, torch: bool, written: bool = False) -> Any:
    """Return stored values, or what is to be `written`, as the library under test has them, sharing memory."""
    if not torch:
        return array
    import torch as library

    if kind is DType.BF16:
        return library.from_numpy(array.view(np.int16)).view(library.bfloat16)
    return library.from_numpy(array)


Show: TypeAlias = Callable[..., Any]


def make(seed: int, number: int, backend: str, shared: int = SHARED) -> Case:
    """Return random work number `number` of a seed for a backend that works on host memory.

    Parameters
    ----------
    shared : int
        How many problems in succession have one form.
    """
    form = np.random.default_rng((seed, number // shared, 1))
    family = _convolution if form.random() < 0.35 else _product
    if backend == "cpu" and np.random.default_rng((seed, number // shared, 3)).random() < _FILTERED:
        family = _filtered
    if backend == "cpu" and np.random.default_rng((seed, number // shared, 4)).random() < _RAGGED:
        family = _grouped
    return family(form, np.random.default_rng((seed, number, 2)), backend)


def _product(form: np.random.Generator, random: np.random.Generator, backend: str) -> Case:
    kind = KINDS[int(form.integers(len(KINDS)))]
    if kind is DType.BF16 and not HAS_TORCH:
        kind = DType.FP32
    torch = kind is DType.BF16 or (HAS_TORCH and form.random() < 0.3)
    m, n, k = (_extent(form, random) for _ in range(3))
    batch = tuple(int(random.integers(1, 4)) for _ in range(int(form.choice([0, 0, 0, 1, 2]))))
    tail = _tail(form, random, n, (*batch, m, n), torch, backend=backend) if kind.is_float else None
    chain = as_chain(tail).epilogue
    n *= 2 if chain.gated else 1
    alpha, beta = 1.0, 0.0
    if kind.is_float and form.random() < 0.15:
        alpha, beta = float(form.choice([-0.5, 2.0])), 0.0 if chain.gated else float(form.choice([0.0, 0.25]))
    op = GemmOp(m, n, k, batch=batch, dtype=kind, out_dtype=chain.stored_dtype, alpha=alpha, beta=beta)
    a = _array(form, random, (*batch, m, k), kind, torch)
    b = _array(form, random, (*(batch if form.random() < 0.5 else ()), k, n), kind, torch)
    inputs = [a, b]
    settings: dict[str, Any] = {"epilogue": tail, "alpha": alpha, "beta": beta, "backend": backend, "fallback": "error"}
    if beta:
        inputs.append(_array(form, random, (*batch, m, n), op.output_dtype(), torch))
        settings["c"] = present(inputs[2], op.output_dtype(), torch)
    shown = [present(x, kind, torch) for x in inputs[:2]]
    words = f"{op} {'torch' if torch else 'numpy'} strides {a.strides} {b.strides} epilogue {chain.describe()}"
    return Case(op, inputs, tail, lambda out: ops.matmul(*shown, out=out, **settings), torch, words)


_FILTERED, _CANCELLING = 0.04, 0.3
"""Of problems on a CPU, those that minimal filtering is allowed for; and of them, those with a few large pixels."""
_RAGGED = 0.06
"""Of problems on a CPU, those whose rows fall into groups."""
_APART, _WIDE_FILTER = 0.25, 8
"""Of convolutions, those that filter each channel on its own; and more than the rows and columns of their filters."""
_LAST, _FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
"""The axes of images with channels last, as they lie, and back."""


def _convolution(form: np.random.Generator, random: np.random.Generator, backend: str) -> Case:
    apart = form.random() < _APART  # a filter for each channel, channels last
    groups = int(form.integers(2, 40)) if apart else int(form.choice([1, 1, 2, 4]))
    c, k = (groups * (1 if apart else int(form.integers(1, most))) for most in (6, 9))
    r, s = (int(form.integers(1, _WIDE_FILTER if apart else 4)) for _ in range(2))
    stride, padding, dilation = (tuple(int(x) for x in form.integers(low, 3, 2)) for low in (1, 0, 1))
    h, w = ((size - 1) * d + 1 + int(random.integers(0, 12)) for size, d in zip((r, s), dilation, strict=True))
    kind = DType.FP32 if form.random() < 0.7 else (DType.FP64, DType.FP16, DType.BF16)[int(form.integers(3))]
    if kind is DType.BF16 and not HAS_TORCH:
        kind = DType.FP32
    torch = kind is DType.BF16 or (HAS_TORCH and form.random() < 0.3)
    op = Conv2dOp(int(random.integers(0, 4)), c, h, w, k, r, s, stride, padding, dilation, groups, dtype=kind)
    tail = _tail(form, random, k, op.output_shape(), torch, gated=False, backend=backend)
    chain = as_chain(tail).epilogue
    op = op.replace(out_dtype=chain.stored_dtype)
    inputs = [_array(form, random, shape, kind, torch) for shape in op.input_shapes()]
    if apart:
        inputs[0] = np.ascontiguousarray(inputs[0].transpose(_LAST)).transpose(_FIRST)
    shown = [present(x, kind, torch) for x in inputs]
    words = f"{op} {'torch' if torch else 'numpy'} strides {[x.strides for x in inputs]} epilogue {chain.describe()}"
    call = lambda out: ops.conv2d(  # noqa: E731
        *shown, None, stride, padding, dilation, groups, out=out, epilogue=tail, backend=backend, fallback="error"
    )
    return Case(op, inputs, tail, call, torch, words)


def _filtered(form: np.random.Generator, random: np.random.Generator, backend: str) -> Case:
    """Draw a convolution that may be computed by minimal filtering, which asks for 64 tiles, and for a vector of channels at least."""
    torch = HAS_TORCH and form.random() < 0.3
    padding = tuple(int(x) for x in form.permutation([1, int(form.integers(0, 3))]))
    c, k = (int(x) for x in random.integers(16, 50, 2))
    n, h, w = int(random.integers(1, 4)), int(random.integers(18, 27)), int(random.integers(18, 27))
    op = Conv2dOp(n, c, h, w, k, 3, 3, padding=padding, dtype=DType.FP32)
    tail = _tail(form, random, k, op.output_shape(), torch, gated=False, backend=backend)
    chain = as_chain(tail).epilogue
    op = op.replace(out_dtype=chain.stored_dtype)
    inputs = [_array(form, random, shape, DType.FP32, torch) for shape in op.input_shapes()]
    if form.random() < _CANCELLING:
        inputs[0][:, :, ::3, ::4] *= 1e5
    shown = [present(x, DType.FP32, torch) for x in inputs]
    words = f"{op} filtered {'torch' if torch else 'numpy'} strides {[x.strides for x in inputs]} epilogue {chain.describe()}"
    call = lambda out: ops.conv2d(  # noqa: E731
        *shown, padding=padding, out=out, epilogue=tail, allow_winograd=True, backend=backend, fallback="error"
    )
    return Case(op, inputs, tail, call, torch, words, Options(allow_winograd=True))


def _grouped(form: np.random.Generator, random: np.random.Generator, backend: str) -> Case:
    """Draw rows in ragged groups, many of them empty or of one row, of any kind of weights."""
    kind = KINDS[int(form.integers(len(KINDS)))]
    if kind in (DType.UINT8, DType.BF16) and not (kind is DType.BF16 and HAS_TORCH):
        kind = DType.FP32
    torch = kind is DType.BF16 or (HAS_TORCH and form.random() < 0.3)
    n, k = (_extent(form, random) for _ in range(2))
    groups, longest = int(random.integers(1, 12)), int(form.choice([2, 9, 40, 150]))
    sizes = random.integers(0, longest, groups) * (random.random(groups) < 2 / 3)
    m = int(sizes.sum())
    tail = _tail(form, random, n, (m, n), torch, backend=backend) if kind.is_float else None
    chain = as_chain(tail).epilogue
    n *= 2 if chain.gated else 1
    op = GroupedGemmOp(m, groups, n, k, dtype=kind, out_dtype=chain.stored_dtype)
    x, w = (_array(form, random, shape, kind, torch) for shape in ((m, k), (groups, k, n)))
    ends = np.cumsum(sizes).astype(np.int32)
    shown = [present(array, kind, torch) for array in (x, w)]
    words = f"{op} groups of {sizes.tolist()} {'torch' if torch else 'numpy'} strides {x.strides} {w.strides} epilogue {chain.describe()}"
    call = lambda out: ops.grouped_matmul(  # noqa: E731
        *shown, ends, out=out, epilogue=tail, backend=backend, fallback="error"
    )
    return Case(op, [x, w, ends], tail, call, torch, words)


def _extent(form: np.random.Generator, random: np.random.Generator) -> int:
    return int(random.choice(_REACHES[int(form.integers(len(_REACHES)))]))


def _tail(
    form: np.random.Generator,
    random: np.random.Generator,
    columns: int,
    full: tuple[int, ...],
    torch: bool,
    gated: bool = True,
    backend: str = "cpu",
) -> Any:
    """The epilogue of the form; the values of its operands are the problem's."""
    if backend == "cpu" and numba_version() and form.random() < _BRANCHING:
        return tracea.BiasAdd(
            present(random.standard_normal(columns).astype(np.float32), DType.FP32, torch)
        ) | _branching(form)
    return random_epilogue(
        np.random.default_rng(int(form.integers(1 << 30))), columns, full, torch, gated, values=random
    )


def _array(
    form: np.random.Generator, random: np.random.Generator, shape: tuple[int, ...], kind: DType, torch: bool
) -> np.ndarray:
    """Random values behind the form's strides: permuted axes, steps of 2, and (torch has none) reversed axes."""
    order = form.permutation(len(shape))
    steps = [int(form.choice([1, 1, 1, 2])) for _ in shape]
    big = [shape[axis] * steps[axis] for axis in order]
    if kind.is_float:
        values = kind.encode(random.standard_normal(big))
    else:
        values = random.integers(int(kind.lowest), int(kind.largest), big, endpoint=True).astype(kind.storage)
    array = values.transpose(np.argsort(order))[tuple(slice(None, None, step) for step in steps)]
    if not torch:
        array = array[tuple(slice(None, None, -1) if form.random() < 0.1 else slice(None) for _ in shape)]
    return array


def random_epilogue(
    random: np.random.Generator,
    columns: int,
    full: tuple[int, ...],
    torch: bool,
    gated: bool = True,
    show: Show = present,
    values: np.random.Generator | None = None,
) -> Any:
    """Return one of the stages that users write, with operands for a result of shape `full` with so many columns.

    Values of operands are drawn from `values`, or as the stages are.
    """
    values = random if values is None else values

    def stored(shape: tuple[int, ...]) -> Any:
        return tracea.Auxiliary(show(np.full(shape, np.nan, np.float32), DType.FP32, torch, written=True))

    def vector(shape: tuple[int, ...] | int = columns) -> Any:
        return show(values.standard_normal(shape).astype(np.float32), DType.FP32, torch)

    def norm() -> Any:
        return tracea.BatchNorm(vector(), abs(vector()) + 0.5, vector(), vector())

    choices: list[Callable[[], Any]] = [
        lambda: None,
        lambda: tracea.BiasAdd(vector()) | tracea.ReLU(),
        lambda: tracea.BiasAdd(vector()) | tracea.Gelu(),
        lambda: tracea.Gelu("tanh"),
        lambda: tracea.Residual(vector(full)) | tracea.SiLU(),
        lambda: norm() | tracea.ReLU(),
        lambda: tracea.Clamp(-1.0, 1.5) | tracea.Sigmoid() | tracea.Tanh(),
        lambda: tracea.Scale(float(random.uniform(-2, 2))) | tracea.BiasAdd(vector()),
        lambda: tracea.Quantize("int8", 0.25, 3),
        lambda: tracea.BiasAdd(vector()) | tracea.Lambda(_function(random)) | tracea.Residual(vector(full)),
        lambda: tracea.Lambda(_function(random)),
        lambda: tracea.BiasAdd(vector()) | stored(full) | tracea.Gelu(),
        lambda: stored(full) | tracea.ReLU() | tracea.Residual(vector(full)) | stored(full) | tracea.Scale(0.5),
    ]
    if gated:
        choices.append(tracea.SwiGLU)
        choices.append(lambda: stored((*full[:-1], 2 * full[-1])) | tracea.SwiGLU())
    return choices[int(random.integers(len(choices)))]()


_BRANCHING = 0.05
"""Of epilogues for a CPU, those that no trace can follow."""


def _branching(random: np.random.Generator) -> Callable[[Any], Any]:
    """Return a random function of one value with a branch, a loop or functions of `math`: it is compiled as it stands."""
    c, d = (float(np.float32(value)) for value in random.uniform(0.5, 2, 2))

    def bent(x: Any) -> Any:
        return x if abs(x) < c else math.copysign(c + d * math.log1p(abs(x) - c), x)

    def averaged(x: Any) -> Any:
        total, turn = 0.0, 0
        while turn < 3:
            total += max(x - c * turn, -d)
            turn += 1
        return total / 3

    def waved(x: Any) -> Any:
        if x < -c:
            return math.exp(x + c) * math.sin(d * x)
        return math.sin(d * x) if x < c else math.sin(d * c)

    return (bent, averaged, waved)[int(random.integers(3))]


def _function(random: np.random.Generator) -> Callable[[Any], Any]:
    """Return a random function of one value, built of what users write."""
    c, d = (float(np.float32(value)) for value in random.uniform(-2, 2, 2))
    steps: list[Callable[[Any], Any]] = [
        lambda x: np.tanh(x) * c,
        lambda x: np.maximum(x, c) + d,
        lambda x: np.minimum(abs(x), 3.0),
        lambda x: np.where(x > c, x, d * x),
        lambda x: np.exp(-abs(x)),
        lambda x: x / (1 + abs(x)),
        lambda x: np.sqrt(x * x + 1.0),
        lambda x: 1 / (1 + np.exp(-x)) - d,
        lambda x: -x * c,
    ]
    chosen = [steps[int(index)] for index in random.integers(len(steps), size=int(random.integers(1, 4)))]

    def function(x: Any) -> Any:
        for step in chosen:
            x = step(x)
        return x

    return function
