# SPDX-License-Identifier: MIT
"""Python functions of numbers as LLVM IR: the only file that imports numba, when the first kernel that calls one is printed.

numba compiles a function in double precision to IR that takes numbers and returns a number; what needs Python's objects, the GIL or an
error on the way is refused. A kernel's text ends with that IR and, for each type of vector, a function that applies it lane by lane. It
is optimized apart from the kernel (`tracea_cpu.compile`), where LLVM puts the one into the other and, where no call of the C library
and no loop keeps it from that, computes lanes side by side; then both are linked.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from types import CellType, FunctionType
from typing import Any

from tracea_core.errors import BackendUnavailableError, EmitError
from tracea_core.ops.python_functions import known_function, outside, plain_function

LINKED_APART = "; what follows is optimized apart and then linked\n"
"""The line of a kernel's text behind which functions from elsewhere stand, as a module of their own."""

PYTHON = "tracea_python_"
"""How the names of these functions begin."""

_LIBRARY = frozenset(
    (
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf", "erfc",
        "exp", "exp2", "expm1", "fabs", "floor", "fmax", "fmin", "fmod", "hypot", "ldexp", "lgamma", "log", "log10", "log1p",
        "log2", "nextafter", "pow", "remainder", "rint", "round", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc",
    )
)  # fmt: skip
"""Functions of C's mathematical library, which every process has."""

_DEFINED = re.compile(r"^define .*?@\"?([^\"( ]+)\"?\(", re.M)
_DECLARED = re.compile(r"^declare .*?@\"?([^\"( ]+)\"?\(", re.M)
_STATUS = re.compile(r"^  ret i32 (.+)$", re.M)
_TABLE = re.compile(
    r"^@\"?([^\"= ]+)\"? = (private|internal) unnamed_addr constant \[\d+ x (?:double|float|i\d+)\] ", re.M
)
_ENVIRONMENT = re.compile(r"^@\S*NumbaEnv\S* = .*\n", re.M)
_HINT = "A function that kernels call computes with numbers and math only, and raises nothing"


class Calls:
    """The Python functions that one module calls, each for the types of vectors that it is applied to."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, int, str], str] = {}
        self._names: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._used)

    def call(self, name: str, digest: str, lanes: int, element: str, values: Sequence[str]) -> str:
        """Return the right-hand side that applies a function to vectors of `lanes` elements."""
        vector = f"<{lanes} x {element}>"
        symbol = f"{_symbol(name, digest)}_v{lanes}{'f32' if element == 'float' else 'f64'}"
        self._names[digest] = name
        self._used[digest, lanes, element] = symbol
        return f"call {vector} @{symbol}({', '.join(f'{vector} {value}' for value in values)})"

    def declarations(self) -> frozenset[str]:
        """Return the declarations that the kernel needs."""
        return frozenset(
            f"declare {_vector(lanes, element)} @{symbol}({', '.join([_vector(lanes, element)] * self._count(digest))})"
            for (digest, lanes, element), symbol in self._used.items()
        )

    def text(self) -> str:
        """Return the functions as a module of their own, behind `LINKED_APART`.

        Raises
        ------
        EmitError
            If numba cannot compile one to plain arithmetic.
        """
        compiled = {digest: scalar_text(name, digest) for digest, name in sorted(self._names.items())}
        declared = sorted({line for lines, _ in compiled.values() for line in lines})
        bodies = [body for _, body in compiled.values()]
        vectors = [
            _lane_by_lane(symbol, _symbol(self._names[digest], digest), self._count(digest), lanes, element)
            for (digest, lanes, element), symbol in sorted(self._used.items())
        ]
        return LINKED_APART + "\n".join(["\n".join(declared), *bodies, *vectors])

    def _count(self, digest: str) -> int:
        return known_function(self._names[digest], digest).arity


@functools.lru_cache(maxsize=256)
def scalar_text(name: str, digest: str) -> tuple[frozenset[str], str]:
    """Return what the function declares, and the IR of ``double @…(double, …)``.

    Raises
    ------
    BackendUnavailableError
        If numba cannot be imported.
    EmitError
        If numba cannot compile the function, or it needs more than arithmetic.
    """
    known = known_function(name, digest)
    raw = _compiled(known.function, known.arity)
    text = _ENVIRONMENT.sub("", re.sub(r"(?m)^(;|source_filename|target |attributes |![^\n]*=).*\n", "", raw))
    text = re.sub(r"(?m) #\d+( \{)?$", r"\1", re.sub(r", ![\w.]+ !\d+", "", text))
    if any(value != "0" for value in _STATUS.findall(text)):
        raise EmitError(f"the Python function {name} may raise an error", hint=_HINT)
    declared = _DECLARED.findall(text)
    foreign = sorted(found for found in declared if not found.startswith("llvm.") and found not in _LIBRARY)
    tables, defined = [found[0] for found in _TABLE.findall(text)], _DEFINED.findall(text)
    others = sorted(set(re.findall(r"(?m)^@\"?([^\"= ]+)\"? =", text)) - set(tables))
    if foreign or others or "NumbaEnv" in text:
        needs = ", ".join([*foreign, *others]) or "an environment"
        raise EmitError(f"the Python function {name} needs more than arithmetic: {needs}", hint=_HINT)
    symbol = _symbol(name, digest)
    for number, inner in enumerate([*defined, *tables]):
        text = re.sub(rf'@"?{re.escape(inner)}"?(?![\w.$])', f"@{symbol}_{number}", text)
    text = re.sub(r"(?m)^define (?:linkonce_odr |internal |private )*", "define internal ", text)
    head = re.search(r"(?m)^define .*%retptr", text)
    assert head is not None
    entry = head.group().split("@")[1].split("(")[0]
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("declare")]
    declarations = frozenset(line for line in text.splitlines() if line.startswith("declare"))
    return declarations, "\n".join([*lines, _number(symbol, entry, known.arity)])


def _symbol(name: str, digest: str) -> str:
    return f"{PYTHON}{name}_{digest[:12]}"


def _vector(lanes: int, element: str) -> str:
    return f"<{lanes} x {element}>"


def _number(symbol: str, inner: str, count: int) -> str:
    """A function of numbers around numba's, which stores its result and returns a status that is 0."""
    names = [f"double %x{place}" for place in range(count)]
    return "\n".join(
        [
            f"define internal double @{symbol}({', '.join(names)}) alwaysinline nounwind {{",
            "  %result = alloca double",
            "  %error = alloca ptr",
            "  store double 0.0, ptr %result",
            f"  %status = call i32 @{inner}({', '.join(['ptr %result', 'ptr %error', *names])})",
            "  %value = load double, ptr %result",
            "  ret double %value",
            "}",
        ]
    )


def _lane_by_lane(symbol: str, scalar: str, count: int, lanes: int, element: str) -> str:
    """A function of vectors that calls one of numbers for each lane."""
    vector, wide = _vector(lanes, element), element == "double"
    text = [
        f"define {vector} @{symbol}({', '.join(f'{vector} %v{place}' for place in range(count))}) noinline nounwind {{",
        "entry:",
        f"  %result = alloca {vector}, align 64",
        *(f"  %lanes{place} = alloca {vector}, align 64" for place in range(count)),
        *(f"  store {vector} %v{place}, ptr %lanes{place}, align 64" for place in range(count)),
        "  br label %lane",
        "lane:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %lane ]",
    ]
    for place in range(count):
        text.append(f"  %place{place} = getelementptr inbounds {element}, ptr %lanes{place}, i64 %i")
        text.append(f"  %{'x' if wide else 'narrow'}{place} = load {element}, ptr %place{place}")
        if not wide:
            text.append(f"  %x{place} = fpext float %narrow{place} to double")
    text.append(f"  %y = call double @{scalar}({', '.join(f'double %x{place}' for place in range(count))})")
    if not wide:
        text.append("  %rounded = fptrunc double %y to float")
    text += [
        f"  %out = getelementptr inbounds {element}, ptr %result, i64 %i",
        f"  store {element} {'%y' if wide else '%rounded'}, ptr %out",
        "  %next = add nuw nsw i64 %i, 1",
        f"  %more = icmp ult i64 %next, {lanes}",
        "  br i1 %more, label %lane, label %end",
        "end:",
        f"  %whole = load {vector}, ptr %result, align 64",
        f"  ret {vector} %whole",
        "}",
    ]
    return "\n".join(text)


def _compiled(function: FunctionType, count: int) -> str:
    """Return numba's IR of a function of doubles."""
    try:
        import numba
    except ImportError as error:
        raise BackendUnavailableError(
            f"numba cannot be imported: {error}", hint="pip install 'tracea-cpu[numba]'", backend="cpu"
        ) from error
    jitted = numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, nogil=True)
    signature = f"float64({', '.join(['float64'] * count)})"
    try:
        dispatcher = _with_compiled_helpers(function, jitted, {})
        dispatcher.compile(signature)
        return str(dispatcher.inspect_llvm(dispatcher.signatures[0]))
    except numba.core.errors.NumbaError as error:
        first = next((line.strip() for line in str(error).splitlines() if line.strip() and "pipeline" not in line), "")
        raise EmitError(f"numba cannot compile the Python function {function.__name__}: {first}", hint=_HINT) from error


def _with_compiled_helpers(function: FunctionType, jitted: Any, known: dict[int, Any]) -> Any:
    """Return numba's dispatcher of `function`, and of the Python functions that it calls in their places: numba takes none as it is."""
    if id(function) in known:
        return known[id(function)]
    read = outside(function)
    cells = {name: CellType() for name in function.__code__.co_freevars}
    scope = dict(function.__globals__)
    copy = FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, tuple(cells.values()) or None
    )
    dispatcher = known[id(function)] = jitted(copy)
    for name, value in read.items():
        plain = plain_function(value)
        inner = value if plain is None else _with_compiled_helpers(plain, jitted, known)
        if name in cells:
            cells[name].cell_contents = inner
        else:
            scope[name] = inner
    return dispatcher
