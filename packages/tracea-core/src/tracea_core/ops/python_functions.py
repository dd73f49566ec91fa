# SPDX-License-Identifier: MIT
"""Python functions of numbers that no trace can follow, known to expressions by what they compute rather than by who they are.

A function with loops, branches or `math` calls stays a function: an expression names it by a digest of its bytecode, its constants and
everything outside that it reads, so that equal functions share kernels and a changed one shares none. Its meaning is what Python
computes, one element at a time; a backend that can compile it (`tracea_cpu.python_functions`, by numba) looks it up here.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.errors import OptionError

_MODULES = ("math", "numpy")
"""Modules whose functions mean the same in Python and to the compiler, and depend on nothing but their arguments."""

_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME")
_WRITES = ("STORE_GLOBAL", "STORE_DEREF", "DELETE_GLOBAL", "IMPORT_NAME", "YIELD_VALUE")
_ERRORS = (ValueError, ZeroDivisionError, OverflowError)


class PythonFunction(NamedTuple):
    """A function of `arity` numbers, under the name and the digest that expressions use."""

    name: str
    digest: str
    function: Any
    arity: int


_KNOWN: dict[str, PythonFunction] = {}


def python_function(function: Callable[..., Any]) -> PythonFunction:
    """Return `function` as expressions name it, and know it from now on.

    Parameters
    ----------
    function : callable
        A Python function with positional parameters only. It may read numbers, tuples of numbers, other such functions, and `math` and
        `numpy` from outside.

    Raises
    ------
    OptionError
        If it is none, or reads something else.
    """
    plain = plain_function(function)
    if plain is None:
        raise OptionError(f"{type(function).__name__} is no Python function of numbers")
    code = plain.__code__
    if code.co_flags & 0x0C or code.co_kwonlyargcount or not code.co_argcount:  # *args, **kwargs
        raise OptionError(f"{plain.__name__} must take its numbers one by one, by place")
    described = [list(sys.version_info[:2]), numba_version(), _describe(plain, plain.__name__, ())]
    digest = hashlib.sha256(json.dumps(described).encode()).hexdigest()
    name = re.sub(r"\W", "_", plain.__name__.replace("<lambda>", "lambda"), flags=re.ASCII)[:32]
    return _KNOWN.setdefault(digest, PythonFunction(name, digest, plain, code.co_argcount))


def known_function(name: str, digest: str) -> PythonFunction:
    """Return the function of this digest.

    Raises
    ------
    OptionError
        If this process has not met it.
    """
    found = _KNOWN.get(digest)
    if found is None:
        raise OptionError(
            f"the Python function {name} [{digest[:12]}] is not known in this process",
            hint="Expressions name a function; whoever evaluates or compiles them must have been given it",
        )
    return found


def evaluate(name: str, digest: str, arguments: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Return what the function makes of each element in float64; NaN where Python raises an error of arithmetic."""
    function = known_function(name, digest).function

    def element(*values: Any) -> float:
        try:
            with np.errstate(all="ignore"):
                return float(function(*values))
        except _ERRORS:
            return math.nan

    spread = np.broadcast_arrays(*arguments)
    flat = (element(*values) for values in zip(*(array.ravel() for array in spread), strict=True))
    return np.fromiter(flat, np.float64, spread[0].size).reshape(spread[0].shape)


def plain_function(thing: Any) -> FunctionType | None:
    """Return the Python function that `thing` is or wraps (as numba's dispatchers do), or None."""
    inner = getattr(thing, "py_func", thing)
    return inner if isinstance(inner, FunctionType) else None


@functools.cache
def numba_version() -> str:
    """Return the version of numba that is installed, from its metadata; empty without one."""
    from importlib import metadata  # slow to import, and most programs never ask

    try:
        return metadata.version("numba")
    except metadata.PackageNotFoundError:
        return ""


def outside(function: FunctionType) -> dict[str, Any]:
    """Return what a function reads from outside, by name: what its closure holds and its globals, but not built-in names."""
    steps = [step for code in _codes(function.__code__) for step in _instructions(code)]
    names = sorted({step.argval for step in steps if step.opname in _GLOBAL})
    found = {name: function.__globals__[name] for name in names if name in function.__globals__}
    cells: tuple[CellType, ...] = function.__closure__ or ()
    return found | {name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, cells, strict=True)}


def _instructions(code: CodeType) -> Iterator[Any]:
    import dis  # as above

    return dis.get_instructions(code)


def _codes(code: CodeType) -> list[CodeType]:
    return [code, *(inner for part in code.co_consts if isinstance(part, CodeType) for inner in _codes(part))]


def _describe(thing: Any, name: str, within: tuple[int, ...]) -> Any:
    """Return what a value means to a function that reads it, as JSON."""
    plain = plain_function(thing)
    if plain is not None:
        if id(plain) in within:
            return ["itself", within.index(id(plain))]
        inner = (*within, id(plain))
        for code in _codes(plain.__code__):
            banned = [step.opname for step in _instructions(code) if step.opname in _WRITES]
            if banned:
                raise OptionError(f"{plain.__name__} does more than compute a number ({banned[0]})")
        read = {key: _describe(value, key, inner) for key, value in outside(plain).items()}
        return [
            "function",
            _code(plain.__code__, inner),
            [_describe(v, name, inner) for v in plain.__defaults__ or ()],
            read,
        ]
    if thing is None or isinstance(thing, bool | int | float | str):
        return [type(thing).__name__, repr(thing)]
    if isinstance(thing, np.generic) and thing.dtype.kind in "biuf":
        return [thing.dtype.str, repr(thing.item())]
    if isinstance(thing, tuple):
        return ["tuple", [_describe(part, name, within) for part in thing]]
    if isinstance(thing, CodeType):
        return ["code", _code(thing, within)]
    if isinstance(thing, ModuleType) and thing.__name__ in _MODULES:
        return ["module", thing.__name__]
    own = getattr(thing, "__module__", "") in (*_MODULES, "builtins")
    if own and isinstance(thing, BuiltinFunctionType | type | np.ufunc):
        return ["library", thing.__module__ if not isinstance(thing, np.ufunc) else "numpy", thing.__name__]
    if isinstance(thing, np.ufunc):
        return ["library", "numpy", thing.__name__]
    raise OptionError(
        f"it reads {name}, which is {type(thing).__name__}",
        hint="A function of numbers reads numbers, tuples of them, such functions, math and numpy; give an array as an argument",
    )


def _code(code: CodeType, within: tuple[int, ...]) -> list[Any]:
    constants = [_describe(constant, "a constant", within) for constant in code.co_consts]
    names = [list(code.co_names), list(code.co_varnames), list(code.co_freevars), list(code.co_cellvars)]
    return [code.co_code.hex(), code.co_argcount, constants, names, code.co_exceptiontable.hex()]
