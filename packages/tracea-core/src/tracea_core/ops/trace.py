# SPDX-License-Identifier: MIT
"""From a Python function to an epilogue: call it once with symbols and keep what it built.

Arrays that the function uses from outside become operands. It is called twice, and both calls must build the same, so a
function that draws random numbers or counts its calls is refused instead of frozen at whatever it did first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tracea_core.errors import OptionError, TraceaError
from tracea_core.ops import functions as _functions  # fills the table that traced calls are looked up in
from tracea_core.ops.elementwise import Elementwise, elementwise
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.expr import Accumulator, Expr
from tracea_core.ops.proxy import Scope, UntraceableError, Value, lift

assert _functions.__all__


class Traced(NamedTuple):
    """A traced function: the epilogue, and the arrays it used from outside by slot."""

    epilogue: Epilogue
    operands: tuple[Any, ...]


def trace(function: Callable[..., Any], label: str | None = None) -> Traced:
    """Return what `function` computes of one element.

    Parameters
    ----------
    function : callable
        Takes the accumulator; or, for a gated epilogue, two of them (gate and up).
    label : str, optional
        What to call it; by default its name.

    Raises
    ------
    OptionError
        If it uses a function without a node, returns something else than a value, does not build the same when called twice, or
        raises; or if it branches on a value and cannot be compiled as it stands (see `tracea_core.ops.elementwise`).

    Examples
    --------
    >>> from tracea_core.ops.printing import text
    >>> text(trace(lambda x: abs(x) * 2).epilogue.expr)
    'abs(acc) * 2'
    """
    name = label or str(getattr(function, "__name__", type(function).__name__))
    count = _accumulators(function, name)
    try:
        (expr, scope), (again, scope_again) = _run(function, name, count), _run(function, name, count)
    except UntraceableError as error:
        compiled = _compiled(function, error)
        (expr, scope), (again, scope_again) = _run(compiled, name, count), _run(compiled, name, count)
    if expr != again or [id(thing) for thing in scope.objects] != [id(thing) for thing in scope_again.objects]:
        raise OptionError(
            f"{name} computes something else each time it is called",
            hint="An epilogue must depend on its argument only; create arrays outside of it",
        )
    epilogue = Epilogue(expr, tuple(scope.operands), count == 2, name.replace("<lambda>", "lambda"))
    return Traced(epilogue, tuple(scope.objects))


def _compiled(function: Callable[..., Any], error: UntraceableError) -> Elementwise:
    """Return what compiles `function` as it stands; raise the tracer's error, and why that is not possible either."""
    try:
        return elementwise(function)
    except OptionError as other:
        reason = f"{error.message}; and it cannot be compiled as it stands: {other.message}"
        part = "Or wrap the part that does in tracea.elementwise and call that with arrays as arguments"
        raise UntraceableError(reason, hint=f"{error.hint}. {part}") from other


def _accumulators(function: Callable[..., Any], name: str) -> int:
    """How many values the function takes."""
    import inspect  # slow to import, and most programs never trace

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1  # built-in functions need not have a signature
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    variable = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if len(required) > 2 or not (positional or variable):
        raise OptionError(
            f"{name} takes {len(required)} values",
            hint="An epilogue function takes the accumulator, or gate and up",
        )
    return max(1, len(required))


def _run(function: Callable[..., Any], name: str, count: int) -> tuple[Expr, Scope]:
    scope = Scope()
    arguments = [scope.value(Accumulator(index)) for index in range(count)]
    try:
        result = function(*arguments)
        value = lift(result, arguments[0])[0]
    except TraceaError:
        raise
    except Exception as error:
        raise OptionError(f"tracing {name} raised {type(error).__name__}: {error}") from error
    assert isinstance(value, Value)
    return value.expr, scope
