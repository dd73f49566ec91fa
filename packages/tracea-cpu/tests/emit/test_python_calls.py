# SPDX-License-Identifier: MIT
"""Python functions that numba compiled, linked into kernels: what they compute, what is refused, and who imports numba."""

from __future__ import annotations

import ctypes
import functools
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import EmitError
from tracea_core.ops.elementwise import elementwise
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.trace import trace
from tracea_core.policy.config import PipelineConfig
from tracea_cpu import compile as compiler
from tracea_cpu.python_functions import LINKED_APART, PYTHON, Calls, scalar_text

pytest.importorskip("numba", reason="these functions are compiled by numba")

TILE = PipelineConfig(tile_m=4, tile_n=24, tile_k=4)
WEIGHTS = (0.5, 0.25, 0.125)


def leaky(x: float) -> float:
    if x > 0:
        return x
    return 0.1 * x


def steps(x: float) -> float:
    count = 0
    while abs(x) > 1.0 and count < 8:
        x *= 0.5
        count += 1
    return x + count


def helped(x: float) -> float:
    total = 0.0
    for weight in WEIGHTS:
        total += weight * leaky(x - weight)
    return total


def library(x: float) -> float:
    return math.tanh(x) if x < 0 else math.exp(-x) + math.erf(x) * math.atan2(x, 2.0)


def mixed(x: float, y: float) -> float:
    if x < y:
        return int(x)
    return math.floor(y) if y > 0 else x % 3.0


def factorial(n: float) -> float:
    return 1.0 if n < 2 else n * factorial(n - 1.0)


def _applied(function: Callable[..., float], lanes: int, element: str, *arrays: Any) -> Any:
    """What a linked function of vectors makes of arrays, called from a small kernel."""
    known, calls = elementwise(function), Calls()
    vector, size = f"<{lanes} x {element}>", 4 if element == "float" else 8
    names = [f"%a{place}" for place in range(len(arrays))]
    call = calls.call(known.name, known.digest, lanes, element, names)
    loads = "\n".join(
        f"  %p{place} = getelementptr i8, ptr %in, i64 {place * lanes * size}\n  {name} = load {vector}, ptr %p{place}, align {size}"
        for place, name in enumerate(names)
    )
    text = (
        "\n".join(sorted(calls.declarations()))
        + f"\ndefine void @probe(ptr %in, ptr %out) {{\n{loads}\n  %y = {call}\n"
        + f"  store {vector} %y, ptr %out, align {size}\n  ret void\n}}\n"
        + calls.text()
    )
    code = compiler.LoadedObject(compiler.compile_object(text))
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address("probe"))
    kind = np.float32 if element == "float" else np.float64
    given = np.ascontiguousarray(np.stack(arrays).astype(kind))
    result = np.full(lanes + 2, 77.0, kind)
    run(given.ctypes.data, result.ctypes.data)
    assert (result[lanes:] == 77.0).all()
    return result[:lanes]


@pytest.mark.parametrize("function", [leaky, steps, helped, library, factorial])
@pytest.mark.parametrize(
    ("lanes", "element"), [(4, "float"), (8, "float"), (16, "float"), (2, "double"), (8, "double")]
)
def test_each_lane_has_what_python_computes(function: Callable[[float], float], lanes: int, element: str) -> None:
    kind = np.float32 if element == "float" else np.float64
    for start in (-7.25, -0.5, 0.0, 3.0):
        x = (start + 0.37 * np.arange(lanes)).astype(kind)
        expected = np.array([function(float(value)) for value in x])
        got = _applied(function, lanes, element, x)
        assert np.allclose(got, expected, rtol=2e-7 if kind is np.float32 else 1e-15, atol=0)


def test_what_is_no_number_stays_none() -> None:
    x = np.array([np.nan, np.inf, -np.inf, -0.0])
    assert np.isnan(_applied(leaky, 4, "double", x)[0])
    assert _applied(leaky, 4, "double", x)[1:3].tolist() == [np.inf, -np.inf]
    assert np.signbit(_applied(leaky, 4, "double", x)[3])


def test_several_arguments_and_pythons_rounding() -> None:
    x, y = np.array([-7.5, 2.5, 9.75, -4.0]), np.array([3.0, 1.5, -2.0, -8.5])
    assert _applied(mixed, 4, "double", x, y).tolist() == [mixed(a, b) for a, b in zip(x, y, strict=True)]


def raising(x: float) -> float:
    if x < 0:
        raise ValueError("negative")
    return x


def speaking(x: float) -> float:
    print(x)
    return x


def lists(x: float) -> float:
    return sum([x, x + 1.0])


def wordy(x: float) -> str:
    return "much" if x > 0 else "little"


def drawing(x: float) -> float:
    return x + np.random.random()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (raising, "may raise"),
        (speaking, "may raise|more than arithmetic|cannot compile"),
        (lists, "may raise|more than arithmetic"),
        (wordy, "cannot compile"),
        (drawing, "may raise|more than arithmetic"),
    ],
)
def test_what_needs_more_than_arithmetic_is_refused(function: Callable[[float], Any], message: str) -> None:
    known = elementwise(function)
    with pytest.raises(EmitError, match=message):
        scalar_text(known.name, known.digest)


def test_text_is_the_same_each_time_and_names_no_file() -> None:
    known = elementwise(library)
    scalar_text.cache_clear()
    first = scalar_text(known.name, known.digest)
    scalar_text.cache_clear()
    assert scalar_text(known.name, known.digest) == first
    assert "Numba" not in first[1]
    assert __name__ not in first[1]


RAGGED = [(1, 1, 1), (4, 24, 4), (5, 25, 5), (13, 50, 0), (8, 48, 17), (37, 1, 9), (1, 71, 33)]


@pytest.mark.parametrize("function", [leaky, steps, library])
def test_kernels_agree_with_python_at_every_edge(
    function: Callable[[float], float], random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    for m, n, k in RAGGED:
        a = poisoned((m, k), DType.FP32, gap=3).fill(random.standard_normal((m, k)))
        b = poisoned((k, n), DType.FP32, (1, 0), gap=1).fill(random.standard_normal((k, n)))
        out = poisoned((m, n), DType.FP32, gap=2)
        check(GemmOp(m, n, k), (a, b), out, TILE, trace(function).epilogue)


def _banded(x: float, bias: float, residual: float, row: float, column: float) -> float:
    if column > row:
        return bias
    return max(x + bias, residual) - row


def test_a_function_of_five_values_with_row_and_column(
    random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    part, kinds = elementwise(_banded), (DType.FP32, DType.FP64)
    for (m, n, k), kind in [((13, 50, 9), kinds[0]), ((5, 25, 3), kinds[1]), ((24, 48, 16), kinds[0])]:
        a, b = (poisoned(shape, kind).fill(random.standard_normal(shape)) for shape in ((m, k), (k, n)))
        out = poisoned((m, n), kind, gap=1)
        rows = np.broadcast_to(np.arange(m)[:, np.newaxis], (m, n))
        columns, bias, residual = np.arange(n), random.standard_normal(n), random.standard_normal((m, n))
        traced = trace(lambda x, given=(bias, residual, rows, columns): part(x, *given))
        operands = [poisoned(array.shape, kind).fill(array) for array in traced.operands]
        tile = TILE if kind is DType.FP32 else PipelineConfig(tile_m=4, tile_n=12, tile_k=2)
        check(GemmOp(m, n, k, dtype=kind), (a, b), out, tile, traced.epilogue, operands)


def test_another_functions_text_is_found_out(
    random: Any, poisoned: Callable[..., Any], check: Callable[..., float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: the text of a function that is off by a thousandth."""
    monkeypatch.setattr("tracea_cpu.python_functions._compiled", functools.partial(_off, _original()))
    scalar_text.cache_clear()
    a, b = (poisoned((9, 9), DType.FP32).fill(random.standard_normal((9, 9))) for _ in range(2))
    with pytest.raises(AssertionError, match="differ"):
        check(
            GemmOp(9, 9, 9),
            (a, b),
            poisoned((9, 9), DType.FP32),
            TILE,
            trace(lambda x: x if x > 1 else 2.0 * x).epilogue,
        )
    scalar_text.cache_clear()


def _original() -> Callable[..., str]:
    from tracea_cpu.python_functions import _compiled

    return _compiled


def _off(compiled: Callable[..., str], function: Any, count: int) -> str:
    return compiled(function, count).replace("2.000000e+00", "2.002000e+00")


def _assembly(built: Callable[..., Any], epilogue: Epilogue, triple: str, cpu: str) -> tuple[str, str]:
    from tracea_core.ops.problem import Problem
    from tracea_core.ops.spec import TensorSpec

    specs = [TensorSpec.contiguous((48, 48), DType.FP32) for _ in range(3)]
    text = built(Problem(GemmOp(48, 48, 48), tuple(specs[:2]), specs[2], epilogue), TILE).source.text
    return text, compiler.assembly(text, triple, cpu)


def test_branches_become_vectors_and_the_kernel_stays_as_printed(built: Callable[..., Any]) -> None:
    text, code = _assembly(built, trace(leaky).epilogue, "x86_64-unknown-linux-gnu", "haswell")
    label = re.search(rf"(?m)^{PYTHON}leaky_\w+_v8f32:", code)
    assert label is not None
    body = code[label.end() : code.index(".Lfunc_end", label.end())]
    assert "vmulpd" in body
    assert "call" not in body
    assert LINKED_APART in text
    plain, _ = _assembly(built, trace(lambda x: x * 2).epilogue, "x86_64-unknown-linux-gnu", "haswell")
    assert LINKED_APART not in plain


def test_other_processors_have_it_too(built: Callable[..., Any]) -> None:
    _, code = _assembly(built, trace(steps).epilogue, "aarch64-unknown-linux-gnu", "neoverse-n1")
    assert f"{PYTHON}steps" in code


SCRIPT = """
import sys, numpy as np
from tracea import ops
def branch(x):
    return x if x > 0 else 0.25 * x
a = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
assert np.array_equal(ops.matmul(a, a.T, epilogue="relu"), np.maximum(a @ a.T, 0))
print("numba" in sys.modules)
product = a @ a.T
assert np.array_equal(ops.matmul(a, a.T, epilogue=branch), np.where(product > 0, product, 0.25 * product))
print("numba" in sys.modules)
"""


def test_numba_is_imported_only_to_compile_and_not_again(tmp_path: Path) -> None:
    environment = {**os.environ, "TRACEA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment, timeout=500
        ).stdout.split()
        for _ in range(2)
    ]
    assert said == [["False", "True"], ["False", "False"]]
