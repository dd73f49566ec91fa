# SPDX-License-Identifier: MIT
"""Random problems through the public calls, each compared with float64.

    python -m benchmarks.fuzz --backend cpu --count 500 --seed 1

Shapes (ragged, tiny, empty), strides, batches, dtypes, epilogues and convolution options are drawn at random; outputs are poisoned and
stand inside guard bands. Reports how many agreed; exits with 1 if one did not.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.errors import TraceaError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import as_chain
from tracea_core.ops.tolerance import tolerance, worst

import tracea
from tracea import ops

_DTYPES = ("float32", "float32", "float64", "float16", "int8")
_SENTINEL = 77


def _dimension(random: np.random.Generator, largest: int) -> int:
    return int(random.choice([0, 1, 2, 3, 7, 8, 16, 23, 24, 25, int(random.integers(1, largest + 1))]))


def _array(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Random values behind random strides: permuted axes, steps of 2, reversed axes."""
    order = random.permutation(len(shape))
    steps = [int(random.choice([1, 1, 1, 2])) for _ in shape]
    big = [shape[axis] * steps[axis] for axis in order]
    values = random.standard_normal(big) if dtype.startswith("f") else random.integers(-100, 100, big)
    array = values.astype(dtype).transpose(np.argsort(order))
    array = array[tuple(slice(None, None, step) for step in steps)]
    flips = tuple(slice(None, None, -1) if random.random() < 0.1 else slice(None) for _ in shape)
    return array[flips]


def _epilogue(random: np.random.Generator, columns: int, full: tuple[int, ...]) -> Any:
    def bias() -> Any:
        return tracea.BiasAdd(random.standard_normal(columns).astype(np.float32))

    def norm() -> Any:
        vectors = [random.standard_normal(columns).astype(np.float32) for _ in range(3)]
        return tracea.BatchNorm(vectors[0], np.abs(vectors[1]) + 0.5, vectors[2], vectors[0])

    choices = [
        lambda: None,
        lambda: None,
        bias,
        lambda: bias() | tracea.ReLU(),
        lambda: bias() | tracea.Gelu(),
        lambda: tracea.Gelu("tanh"),
        lambda: tracea.Residual(random.standard_normal(full).astype(np.float32)) | tracea.SiLU(),
        lambda: norm() | tracea.ReLU(),
        lambda: tracea.Lambda(lambda x: np.tanh(x) * 2 + np.maximum(x, -1)),
        lambda: tracea.Clamp(-1.0, 1.5) | tracea.Sigmoid(),
    ]
    return choices[int(random.integers(len(choices)))]()


def _gemm(random: np.random.Generator) -> tuple[str, float]:
    dtype = str(random.choice(_DTYPES))
    m, n, k = (_dimension(random, 140) for _ in range(3))
    batch = tuple(int(random.integers(1, 4)) for _ in range(int(random.choice([0, 0, 0, 1, 2]))))
    a = _array(random, (*batch, m, k), dtype)
    b = _array(random, (*(batch if random.random() < 0.5 else ()), k, n), dtype)
    epilogue = _epilogue(random, n, (*batch, m, n)) if dtype == "float32" else None
    kind = DType.parse(dtype)
    op = GemmOp(m, n, k, batch=batch, dtype=kind)
    words = f"matmul {dtype} {batch} {m}×{n}×{k} strides {a.strides} {b.strides} epilogue {as_chain(epilogue).epilogue.describe()}"
    return words, _judge(
        random, op, [a, b], epilogue, lambda out: ops.matmul(a, b, out=out, epilogue=epilogue, backend=_BACKEND)
    )


def _conv(random: np.random.Generator) -> tuple[str, float]:
    groups = int(random.choice([1, 1, 2, 4]))
    c, k = groups * int(random.integers(1, 6)), groups * int(random.integers(1, 9))
    r, s = int(random.integers(1, 4)), int(random.integers(1, 4))
    stride, padding, dilation = (tuple(int(x) for x in random.integers(low, 3, 2)) for low in (1, 0, 1))
    h, w = ((size - 1) * d + 1 + int(random.integers(0, 12)) for size, d in zip((r, s), dilation, strict=True))
    images = int(random.integers(1, 4))
    x, weights = _array(random, (images, c, h, w), "float32"), _array(random, (k, c // groups, r, s), "float32")
    op = Conv2dOp(images, c, h, w, k, r, s, stride, padding, dilation, groups)
    epilogue = _epilogue(random, k, op.output_shape())
    words = f"{op} strides {x.strides} {weights.strides} epilogue {as_chain(epilogue).epilogue.describe()}"
    call = lambda out: ops.conv2d(  # noqa: E731
        x, weights, None, stride, padding, dilation, groups, out=out, epilogue=epilogue, backend=_BACKEND
    )
    return words, _judge(random, op, [x, weights], epilogue, call)


def _judge(random: np.random.Generator, op: Any, inputs: list[np.ndarray], epilogue: Any, call: Any) -> float:
    """Return how many bounds the worst element is off; infinity if memory around the output changed."""
    shape, stored = op.output_shape(), op.output_dtype().storage
    guarded = np.full([extent + 4 for extent in shape], _SENTINEL, stored)
    inside = tuple(slice(2, 2 + extent) for extent in shape)
    if random.random() < 0.3:
        guarded = np.asfortranarray(guarded)
    out = guarded[inside]
    out[...] = np.nan if stored.kind == "f" else -1
    call(out)
    outside = np.ones(guarded.shape, bool)
    outside[inside] = False
    if not (guarded[outside] == _SENTINEL).all():
        return float("inf")
    chain = as_chain(epilogue)
    specs = tuple(TensorSpec.contiguous(x.shape, DType.parse(x.dtype.name)) for x in inputs)
    operands = tuple(TensorSpec.contiguous(x.shape, DType.FP32) for x in chain.operands)
    problem = Problem(op, specs, TensorSpec.contiguous(shape, op.output_dtype()), chain.epilogue, operands)
    exact = [np.asarray(x, np.float64) for x in inputs]
    values = [np.asarray(x, np.float64) for x in chain.operands]
    if not out.size:
        return 0.0
    return worst(np.asarray(out, np.float64), problem.reference(*exact, *values), tolerance(problem, exact, values))


_BACKEND = "cpu"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    global _BACKEND
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    _BACKEND = given.backend
    agreed, failures, begin, largest = 0, [], time.perf_counter(), 0.0
    for number in range(given.count):
        random = np.random.default_rng((given.seed, number))
        try:
            words, off = (_conv if random.random() < 0.35 else _gemm)(random)
        except TraceaError as error:
            words, off = f"{type(error).__name__}: {error}", float("inf")
        if off <= 1.0:
            agreed, largest = agreed + 1, max(largest, off)
        else:
            failures.append((number, off, words))
        if sys.stderr.isatty():
            print(f"\r{number + 1} of {given.count}, {len(failures)} wrong", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    for number, off, words in failures[:20]:
        print(f"problem {number} (seed {given.seed}): {off:.3g} bounds off: {words}")
    print(f"{agreed} of {given.count} problems agreed with float64 on {given.backend} in {time.perf_counter() - begin:.0f} s; "
          f"the worst used {largest:.2f} of its bound")  # fmt: skip
    return 0 if not failures else 1


if __name__ == "__main__":
    raise SystemExit(main())
