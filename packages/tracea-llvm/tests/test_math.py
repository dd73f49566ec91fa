# SPDX-License-Identifier: MIT
"""The emitted elementary functions keep their stated bounds over all magnitudes, and every special value."""

from __future__ import annotations

import ctypes
import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.errors import EmitError
from tracea_core.ops import polynomials
from tracea_core.ops.expr import BinaryFn, CompareFn, UnaryFn
from tracea_cpu import compile as compiler
from tracea_llvm import math as emitted

Array = npt.NDArray[Any]
TYPES: dict[str, Any] = {"float": np.float32, "double": np.float64}
LANES = {"float": 8, "double": 4}
BOUND_IN_ULP = 2.0
CALLED = (UnaryFn.EXP, UnaryFn.LOG, UnaryFn.TANH, UnaryFn.ERF, UnaryFn.RSQRT)
EXACT = {
    UnaryFn.NEG: np.negative,
    UnaryFn.ABS: np.abs,
    UnaryFn.SQRT: np.sqrt,
    UnaryFn.FLOOR: np.floor,
    UnaryFn.RINT: np.rint,
    UnaryFn.RECIPROCAL: np.reciprocal,
}
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -2.5, 3.5, 1e-40, -1e-40, 1e30, -1e30]


def _module(library: emitted.MathLibrary, right_hand_side: str, arguments: int, mask: bool = False) -> str:
    """A module whose ``apply(x, y, out, n)`` computes the right-hand side on vectors ``%x`` and ``%y``."""
    kind, vector, result = library.element, library.type, f"<{library.lanes} x i1>"
    inputs = "\n".join(
        f"  %p{name} = getelementptr {kind}, ptr %{name}s, i64 %i\n  %{name} = load {vector}, ptr %p{name}, align 4"
        for name in "xy"[:arguments]
    )
    store = f"  store {vector} %r, ptr %place, align 4"
    if mask:
        store = f"  %one = uitofp {result} %r to {vector}\n  store {vector} %one, ptr %place, align 4"
    return f"""{library.definitions()}

define void @apply(ptr %xs, ptr %ys, ptr %out, i64 %n) {{
entry:
  br label %step
step:
  %i = phi i64 [ 0, %entry ], [ %next, %step ]
{inputs}
  %r = {right_hand_side}
  %place = getelementptr {kind}, ptr %out, i64 %i
{store}
  %next = add i64 %i, {library.lanes}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %step, label %end
end:
  ret void
}}
"""


def run(text: str, lanes: int, *arrays: Array) -> Array:
    """Return what ``apply`` of a module computes."""
    code = compiler.LoadedObject(compiler.compile_object(text))
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    size = -(-arrays[0].size // lanes) * lanes
    padded = [np.resize(array, size) for array in arrays]
    out = np.empty_like(padded[0])
    kind(code.address("apply"))(padded[0].ctypes.data, padded[-1].ctypes.data, out.ctypes.data, size)
    return out[: arrays[0].size]


def unary(fn: UnaryFn, x: Array, lanes: int | None = None) -> Array:
    """Return the emitted function of every element."""
    element = "float" if x.dtype == np.float32 else "double"
    library = emitted.MathLibrary(lanes or LANES[element], element)
    return run(_module(library, library.unary(fn, "%x"), 1), library.lanes, x)


def ulps(got: Array, exact: Array, rounded: Array) -> Array:
    """Return the distance of `got` from `exact`, in units of the last place of `rounded`."""
    step = np.maximum(np.spacing(np.abs(rounded)), np.finfo(rounded.dtype).smallest_subnormal)
    return np.abs(got.astype(exact.dtype) - exact) / step.astype(exact.dtype)


def _domain(fn: UnaryFn, dtype: Any, steps: int) -> Array:
    """Return numbers of every magnitude, and many where the function is neither 0 nor constant."""
    unsigned = np.uint32 if dtype is np.float32 else np.uint64
    bits = np.linspace(0, float(np.iinfo(unsigned).max), steps).astype(np.float64)
    every = np.minimum(bits, float(np.iinfo(unsigned).max) * (1 - 2**-50)).astype(unsigned).view(dtype)
    reach = {UnaryFn.EXP: 710 if dtype is np.float64 else 105, UnaryFn.TANH: 12, UnaryFn.ERF: 6.5}.get(fn, 4)
    near = np.concatenate([np.linspace(-reach, reach, steps), np.linspace(-1.1, 1.1, steps)]).astype(dtype)
    x = np.concatenate([every[np.isfinite(every)], near])
    return np.abs(x[x != 0]) if fn in (UnaryFn.LOG, UnaryFn.RSQRT) else x


def _reference(fn: UnaryFn, x: Array) -> Array:
    with np.errstate(all="ignore"):
        if fn is UnaryFn.ERF:
            return np.asarray(np.frompyfunc(math.erf, 1, 1)(x), dtype=np.float64)
        return {
            UnaryFn.EXP: np.exp,
            UnaryFn.LOG: np.log,
            UnaryFn.TANH: np.tanh,
            UnaryFn.RSQRT: lambda v: 1 / np.sqrt(v),
        }[fn](x)


def _worst_single(fn: UnaryFn, steps: int = 200_001) -> float:
    x = _domain(fn, np.float32, steps)
    exact = _reference(fn, x.astype(np.float64))
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    got = unary(fn, x)
    finite = np.isfinite(rounded)
    assert np.array_equal(got[~finite], rounded[~finite])
    return float(ulps(got[finite], exact[finite], rounded[finite]).max())


@pytest.mark.parametrize("fn", CALLED)
def test_single_precision_keeps_its_bound(fn: UnaryFn) -> None:
    assert _worst_single(fn) <= BOUND_IN_ULP


@pytest.mark.parametrize("fn", CALLED)
def test_double_precision_keeps_its_bound(fn: UnaryFn) -> None:
    mp = pytest.importorskip("mpmath")
    functions = {"exp": mp.exp, "log": mp.log, "tanh": mp.tanh, "erf": mp.erf, "rsqrt": lambda v: 1 / mp.sqrt(v)}
    x = _domain(fn, np.float64, 1001)
    x = x[np.abs(x) < 800] if fn is UnaryFn.EXP else x
    got = unary(fn, x)
    with mp.workprec(100):
        for value, result in zip(x.tolist(), got.tolist(), strict=True):
            exact = functions[fn.value](mp.mpf(value))
            if abs(exact) > np.finfo(np.float64).max:
                assert result == math.copysign(math.inf, exact)
                continue
            step = max(float(np.spacing(abs(float(exact)))), 5e-324)
            assert abs(mp.mpf(result) - exact) / mp.mpf(step) <= BOUND_IN_ULP, (value, result)


def test_the_check_sees_a_wrong_coefficient(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, *others = polynomials.EXP["float"]
    monkeypatch.setitem(emitted.EXP, "float", (first, second * (1 + 2e-5), *others))
    assert _worst_single(UnaryFn.EXP, 20_001) > BOUND_IN_ULP


@pytest.mark.parametrize("element", TYPES)
def test_special_values(element: str) -> None:
    dtype = TYPES[element]
    x = np.array(SPECIAL, dtype)
    with np.errstate(all="ignore"):
        for fn in CALLED:
            expected = _reference(fn, x.astype(np.float64)).astype(dtype)
            got = unary(fn, x)
            special = ~np.isfinite(expected) | ~np.isfinite(x) | (expected == 0)
            assert np.array_equal(got[special], expected[special], equal_nan=True), fn
            if fn in (UnaryFn.TANH, UnaryFn.ERF):
                assert np.array_equal(np.signbit(got[:2]), [False, True]), fn
        for fn, function in EXACT.items():
            got, expected = unary(fn, x), function(x)
            assert np.array_equal(got, expected, equal_nan=True), fn
            known = ~np.isnan(expected)
            assert np.array_equal(np.signbit(got)[known], np.signbit(expected)[known]), fn


@pytest.mark.parametrize("element", TYPES)
def test_nan_stays_nan_whatever_it_carries(element: str) -> None:
    quiet, sign, unsigned = (
        (0x7FC00000, 1 << 31, np.uint32) if element == "float" else (0x7FF8 << 48, 1 << 63, np.uint64)
    )
    carried = [0, 1, 2, 3, 254, 255, 510, 1023, 1954, 4094]
    x = np.array([quiet + each for each in carried] + [sign + quiet + each for each in carried], unsigned)
    for fn in CALLED:
        assert np.isnan(unary(fn, x.view(TYPES[element]))).all(), fn


def test_results_stay_within_their_limits_and_in_order() -> None:
    x = np.linspace(-12, 12, 400_001).astype(np.float32)
    for fn in (UnaryFn.TANH, UnaryFn.ERF):
        got = unary(fn, x)
        assert np.abs(got).max() == 1.0
        assert np.array_equal(got, -got[::-1])
        assert (got[x > 10] == 1.0).all()
    assert (unary(UnaryFn.EXP, x) > 0).all()


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("fn", BinaryFn)
def test_binary_functions_are_numpys(fn: BinaryFn, element: str) -> None:
    x, y = (grid.ravel().astype(TYPES[element]) for grid in np.meshgrid(SPECIAL, SPECIAL))
    library = emitted.MathLibrary(LANES[element], element)
    got = run(_module(library, library.binary(fn, "%x", "%y"), 2), library.lanes, x, y)
    function = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}.get(fn.value)
    with np.errstate(all="ignore"):
        expected = (function or getattr(np, fn.value))(x, y)
    assert np.array_equal(got, expected, equal_nan=True)


@pytest.mark.parametrize("fn", CompareFn)
def test_comparisons_are_numpys(fn: CompareFn) -> None:
    x, y = (grid.ravel().astype(np.float32) for grid in np.meshgrid(SPECIAL, SPECIAL))
    library = emitted.MathLibrary(8, "float")
    got = run(_module(library, library.compare(fn, "%x", "%y"), 2, mask=True), 8, x, y)
    names = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal}
    assert np.array_equal(got, names.get(fn.value, np.not_equal)(x, y))


@pytest.mark.parametrize("lanes", [1, 2, 4, 16])
def test_any_number_of_lanes_gives_the_same_bits(lanes: int) -> None:
    if lanes == 16 and not compiler.host_features().get("avx512f"):
        pytest.skip("vectors of 512 bits call AVX-512")
    x = np.linspace(0.01, 20, 997).astype(np.float32)
    for fn in CALLED:
        assert np.array_equal(unary(fn, x, lanes), unary(fn, x)), fn


@pytest.mark.skipif(not compiler.host_features().get("avx512f"), reason="calls AVX-512")
@pytest.mark.parametrize("element", TYPES)
def test_scaling_by_one_instruction_rounds_as_two_factors_do(element: str) -> None:
    kind = TYPES[element]
    least, most = (-120.0, 95.0) if element == "float" else (-760.0, 720.0)
    x = np.concatenate([np.linspace(least, most, 100_003), SPECIAL, [-1e300, 1e300]]).astype(kind)
    assert np.array_equal(unary(UnaryFn.EXP, x, 64 // kind().itemsize), unary(UnaryFn.EXP, x), equal_nan=True)


TARGETS = {
    "avx2": ("x86_64-unknown-linux-gnu", "x86-64-v3", 8, 4),
    "avx512": ("x86_64-unknown-linux-gnu", "x86-64-v4", 16, 8),
    "neon": ("aarch64-unknown-linux-gnu", "neoverse-n1", 4, 2),
}


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("element", TYPES)
def test_no_target_calls_a_library(name: str, element: str) -> None:
    triple, cpu, *lanes = TARGETS[name]
    library = emitted.MathLibrary(lanes[element == "double"], element)
    steps, value = [], "%x"
    for number, fn in enumerate(UnaryFn):
        steps.append(f"  %u{number} = {library.unary(fn, value)}")
        value = f"%u{number}"
    for number, binary in enumerate(BinaryFn):
        steps.append(f"  %b{number} = {library.binary(binary, value, '%x')}")
        value = f"%b{number}"
    text = f"{library.definitions()}\ndefine {library.type} @all({library.type} %x) {{\n" + "\n".join(steps)
    listing = compiler.assembly(f"{text}\n  ret {library.type} {value}\n}}\n", triple, cpu)
    calls = [line.split() for line in listing.splitlines() if line.split()[:1] in (["callq"], ["call"], ["bl"])]
    assert calls
    assert all("tracea_" in call[1] for call in calls)


def test_a_function_is_defined_once_and_only_if_it_is_used() -> None:
    library = emitted.MathLibrary(8, "float")
    assert library.definitions() == ""
    for _ in range(3):
        library.unary(UnaryFn.TANH, "%x")
    assert library.functions().count("define internal") == 1
    assert library.declarations() == {line for line in library.definitions().splitlines() if line.startswith("declare")}


def test_other_element_types_are_refused() -> None:
    with pytest.raises(EmitError, match="half"):
        emitted.MathLibrary(8, "half")


def _tool() -> Any:
    pytest.importorskip("mpmath")
    path = Path(__file__).parents[1] / "tools" / "fit_polynomials.py"
    spec = importlib.util.spec_from_file_location("fit_polynomials", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["EXP", "LOG", "TANH", "ERF", "LOG_ERFC"])
def test_coefficients_are_what_the_tool_finds(name: str) -> None:
    found: Callable[[str, str], tuple[float, ...]] = _tool().coefficients
    table: dict[str, tuple[float, ...]] = getattr(polynomials, name)
    assert table == {element: found(name, element) for element in ("float", "double")}
