# SPDX-License-Identifier: MIT
"""The symbol that a traced function is called with: every operation on it builds an expression node.

It answers Python's operators and the override protocols of NumPy (`__array_ufunc__`, `__array_function__`) and PyTorch
(`__torch_function__`), so ``lambda x: torch.relu(x) * 2`` traces although nothing here imports PyTorch. Functions are found by
their name in `CALLS`, which `tracea_core.ops.functions` fills.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import EpilogueOperand, OperandAxes
from tracea_core.ops.expr import (
    MAX_DEPTH,
    Binary,
    BinaryFn,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Unary,
    UnaryFn,
    children,
)

CALLS: dict[str, Callable[..., Any]] = {}
"""What a function of NumPy or PyTorch becomes, by its name."""


class UntraceableError(OptionError):
    """A function needs a value itself, to branch on or to hand on: tracing cannot follow it, a compiler can."""


class Scope:
    """One trace: the arrays that the function used, in the order of their slots."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.operands: list[EpilogueOperand] = []
        self._sizes: dict[int, tuple[Expr, int]] = {}

    def operand(self, array: Any) -> Operand:
        """Return the node of an array: one element, one per column, or the shape of the output."""
        for slot, known in enumerate(self.objects):
            if known is array:
                return Operand(slot)
        shape = tuple(array.shape)
        axes = OperandAxes.FULL
        if math.prod(shape) == 1:
            axes = OperandAxes.SCALAR
        elif len(shape) == 1:
            axes = OperandAxes.COLUMN
        self.objects.append(array)
        self.operands.append(EpilogueOperand(f"array{len(self.operands)}", axes))
        return Operand(len(self.objects) - 1)

    def value(self, expr: Expr) -> Value:
        """Return the symbol of `expr`.

        Raises
        ------
        OptionError
            If it nests too deeply, as after a Python loop of many turns.
        """
        depth = 1 + max((self._sizes.get(id(part), (part, 1))[1] for part in children(expr)), default=0)
        if depth > MAX_DEPTH:
            raise OptionError(f"an epilogue nests at most {MAX_DEPTH} deep", hint="Compute part of it in another call")
        self._sizes[id(expr)] = (expr, depth)  # the expression is kept, so that its id stays its own
        return Value(self, expr)


class Value:
    """A number that is not known yet. Use it like one; choose with ``where(condition, x, y)``."""

    __slots__ = ("expr", "scope")

    def __init__(self, scope: Scope, expr: Expr) -> None:
        self.scope = scope
        self.expr = expr

    def __repr__(self) -> str:
        from tracea_core.ops.printing import text

        return f"Value({text(self.expr)})"

    # Arithmetic.
    def __add__(self, other: Any) -> Value:
        return binary(BinaryFn.ADD, self, other)

    def __radd__(self, other: Any) -> Value:
        return binary(BinaryFn.ADD, other, self)

    def __sub__(self, other: Any) -> Value:
        return binary(BinaryFn.SUB, self, other)

    def __rsub__(self, other: Any) -> Value:
        return binary(BinaryFn.SUB, other, self)

    def __mul__(self, other: Any) -> Value:
        return binary(BinaryFn.MUL, self, other)

    def __rmul__(self, other: Any) -> Value:
        return binary(BinaryFn.MUL, other, self)

    def __truediv__(self, other: Any) -> Value:
        return binary(BinaryFn.DIV, self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return binary(BinaryFn.DIV, other, self)

    def __floordiv__(self, other: Any) -> Value:
        return unary(UnaryFn.FLOOR, binary(BinaryFn.DIV, self, other))

    def __mod__(self, other: Any) -> Value:
        return binary(BinaryFn.SUB, self, (self // other) * other)

    def __pow__(self, exponent: Any) -> Any:
        return call("pow", (self, exponent), {})

    def __neg__(self) -> Value:
        return unary(UnaryFn.NEG, self)

    def __pos__(self) -> Value:
        return self

    def __abs__(self) -> Value:
        return unary(UnaryFn.ABS, self)

    # Comparisons and what combines them.
    def __lt__(self, other: Any) -> Value:
        return compare(CompareFn.LT, self, other)

    def __le__(self, other: Any) -> Value:
        return compare(CompareFn.LE, self, other)

    def __gt__(self, other: Any) -> Value:
        return compare(CompareFn.GT, self, other)

    def __ge__(self, other: Any) -> Value:
        return compare(CompareFn.GE, self, other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return compare(CompareFn.EQ, self, other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return compare(CompareFn.NE, self, other)

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Any) -> Value:
        return binary(BinaryFn.MINIMUM, truth(self), truth(self._lift(other)))

    def __or__(self, other: Any) -> Value:
        return binary(BinaryFn.MAXIMUM, truth(self), truth(self._lift(other)))

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Value:
        return compare(CompareFn.EQ, truth(self), 0.0)

    # What cannot be known while tracing.
    def __bool__(self) -> NoReturn:
        raise UntraceableError(
            "the function branches on a value that is not known while it is traced (if, while, and, or, not, in, min, max)",
            hint="Use where(condition, x, y), maximum and minimum, and & | ~ between comparisons",
        )

    def _needs_number(self) -> NoReturn:
        raise UntraceableError(
            "the function needs the number itself (float(), int(), math.*, round()), which is not known while it is traced",
            hint="Use the function of that name from tracea_core.ops.functions, NumPy or PyTorch",
        )

    def __float__(self) -> float:
        self._needs_number()

    def __int__(self) -> int:
        self._needs_number()

    def __index__(self) -> int:
        self._needs_number()

    def _needs_array(self, *_: Any) -> NoReturn:
        raise OptionError(
            "an epilogue sees one element at a time: it cannot be indexed, iterated, measured or turned into an array",
            hint="Do that in a call of its own",
        )

    __len__ = __iter__ = __getitem__ = __array__ = __matmul__ = __rmatmul__ = _needs_array

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in CALLS:
            raise AttributeError(f"a traced value has no {name}")
        return lambda *args, **kwargs: call(name, (self, *args), kwargs)

    # The protocols.
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__":
            raise OptionError(f"numpy.{ufunc.__name__}.{method} works across elements", hint="An epilogue cannot")
        return call(ufunc.__name__, inputs, kwargs)

    def __array_function__(
        self, function: Any, types: Sequence[type], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        return call(function.__name__, args, kwargs)

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return call(function.__name__, args, kwargs or {})

    def _lift(self, other: Any) -> Value:
        if isinstance(other, Value):
            if other.scope is not self.scope:
                raise OptionError("a value of another trace was used", hint="Do not keep traced values")
            return other
        if (hasattr(other, "shape") and math.prod(other.shape) != 1) or _is_tensor(other):
            return self.scope.value(self.scope.operand(other))
        try:
            return self.scope.value(Constant(float(other)))
        except (TypeError, ValueError) as error:
            if isinstance(error, OptionError):
                raise
            raise OptionError(f"{other!r} is neither a real number nor an array") from None


def _is_tensor(thing: Any) -> bool:
    """Whether a one-element array should stay an operand, as its value may change between calls or lie on a device."""
    return len(getattr(thing, "shape", ())) > 0 or (
        hasattr(thing, "__dlpack__") and not hasattr(thing, "__array_ufunc__")
    )


def _scope(*arguments: Any) -> Value:
    for argument in arguments:
        if isinstance(argument, Value):
            return argument
    raise OptionError("no argument is a traced value")


def unary(fn: UnaryFn, x: Value) -> Value:
    """Return the symbol of a function of one value."""
    return x.scope.value(Unary(fn, x.expr))


def binary(fn: BinaryFn, x: Any, y: Any) -> Value:
    """Return the symbol of a function of two values, at least one of them traced."""
    known = _scope(x, y)
    return known.scope.value(Binary(fn, known._lift(x).expr, known._lift(y).expr))


def compare(fn: CompareFn, x: Any, y: Any) -> Value:
    """Return the symbol of a comparison, at least one side of it traced."""
    known = _scope(x, y)
    return known.scope.value(Compare(fn, known._lift(x).expr, known._lift(y).expr))


def truth(x: Value) -> Value:
    """Return `x` if it is a comparison, else the symbol of ``x ≠ 0``."""
    return x if isinstance(x.expr, Compare) else compare(CompareFn.NE, x, 0.0)


def lift(known: Any, *others: Any) -> tuple[Value, ...]:
    """Return all arguments as symbols; at least one of them is."""
    first = _scope(known, *others)
    return tuple(first._lift(argument) for argument in (known, *others))


def call(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return what the function called `name` makes of symbols.

    Raises
    ------
    OptionError
        If there is no such function, or it does not take these arguments.
    """
    function = CALLS.get(name) or CALLS.get(name.strip("_"))
    if function is None:
        raise OptionError(f"{name} cannot be traced", hint="Known functions: " + ", ".join(sorted(CALLS)))
    chosen = {key: value for key, value in kwargs.items() if not (key == "inplace" or (key == "out" and value is None))}
    try:
        return function(*args, **chosen)
    except TypeError as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(f"{name} was traced with arguments that it does not take: {error}") from error
