# SPDX-License-Identifier: MIT
"""Typed scalar expressions: what an epilogue does to one element of the accumulator.

A user's activation, a chain of stages and a traced lambda all end up as these few nodes; interpreters evaluate them
and emitters map exactly these functions, so a new activation touches no backend.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Callable, Hashable, Iterator
from typing import TypeAlias, Union

import msgspec

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError

MAX_NODES = 4096
"""Largest number of nodes an epilogue's expression may have, written out as a tree."""
MAX_DEPTH = 100
"""Deepest nesting of an epilogue's expression; keeps every recursion over it, JSON decoding included, far from the limit."""


class UnaryFn(enum.Enum):
    """Functions of one argument."""

    NEG = "neg"
    ABS = "abs"
    EXP = "exp"
    LOG = "log"
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    RECIPROCAL = "reciprocal"
    TANH = "tanh"
    ERF = "erf"
    FLOOR = "floor"
    RINT = "rint"


class BinaryFn(enum.Enum):
    """Functions of two arguments; maximum and minimum propagate NaN, as NumPy's do."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    MAXIMUM = "maximum"
    MINIMUM = "minimum"


class CompareFn(enum.Enum):
    """Comparisons; all but `NE` are false for NaN."""

    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    EQ = "eq"
    NE = "ne"


class Accumulator(Data, frozen=True, tag=True):
    """The accumulated sum; index 1 is the second one of a gated epilogue."""

    index: int = 0


class Constant(Data, frozen=True, tag=True):
    """A finite number."""

    value: float

    def __post_init__(self) -> None:
        if type(self.value) is not float:  # 2 and 2.0 are equal, so their JSON and digests must be, too
            msgspec.structs.force_setattr(self, "value", float(self.value))
        if not math.isfinite(self.value):
            raise OptionError(f"an epilogue constant must be finite, not {self.value}")


class Operand(Data, frozen=True, tag=True):
    """An element of the epilogue's operand `slot` (a bias, a residual, …)."""

    slot: int


class Unary(Data, frozen=True, tag=True):
    """A function of one expression."""

    fn: UnaryFn
    x: Expr


class Binary(Data, frozen=True, tag=True):
    """A function of two expressions."""

    fn: BinaryFn
    x: Expr
    y: Expr


class Compare(Data, frozen=True, tag=True):
    """A comparison; its value is 1 where it holds and 0 elsewhere, and `Select` takes it as a condition."""

    fn: CompareFn
    x: Expr
    y: Expr


class Select(Data, frozen=True, tag=True):
    """`x` where the condition is not 0, else `y`."""

    condition: Expr
    x: Expr
    y: Expr


class Cast(Data, frozen=True, tag=True):
    """`x` rounded to a type, to nearest with ties to even.

    With `saturate`, values beyond its range, infinities included, become its largest or smallest finite value; without, they
    become infinite (NaN in fp8 e4m3, which has no infinities). Integers always saturate, and take 0 for NaN.
    """

    dtype: DType
    x: Expr
    saturate: bool = True


class Auxiliary(Data, frozen=True, tag=True):
    """`x`, which is also stored where `place` lies: a second result of the output's shape (`tracea_core.ops.auxiliary`)."""

    x: Expr
    place: Operand


class Call(Data, frozen=True, tag=True):
    """A Python function of numbers that is compiled instead of traced (`tracea_core.ops.python_functions`).

    `code` is a digest of what it computes; `name` is for people and for symbols.
    """

    name: str
    code: str
    arguments: tuple[Expr, ...]

    def __post_init__(self) -> None:
        if not (_NAME.fullmatch(self.name) and _DIGEST.fullmatch(self.code) and self.arguments):
            raise OptionError(f"{self.name!r} of {len(self.arguments)} values names no Python function of numbers")


Expr: TypeAlias = Union[Accumulator, Constant, Operand, Unary, Binary, Compare, Select, Cast, Call, Auxiliary]
_NAME, _DIGEST = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}"), re.compile(r"[0-9a-f]{64}")


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the direct subexpressions."""
    if isinstance(expr, Unary | Cast):
        return (expr.x,)
    if isinstance(expr, Binary | Compare):
        return (expr.x, expr.y)
    if isinstance(expr, Select):
        return (expr.condition, expr.x, expr.y)
    if isinstance(expr, Auxiliary):
        return (expr.x, expr.place)
    return expr.arguments if isinstance(expr, Call) else ()


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield `expr` and all its subexpressions, outermost first."""
    yield expr
    for child in children(expr):
        yield from walk(child)


def linearize(expr: Expr) -> tuple[tuple[Expr, tuple[int, ...]], ...]:
    """Return the distinct subexpressions, each with the places of its arguments, arguments first and `expr` last.

    Equal subexpressions appear once, so this is the straight-line program an emitter prints: SiLU uses its argument twice, and a
    chain of them would grow exponentially as a tree.

    Examples
    --------
    >>> x = Accumulator()
    >>> [places for _, places in linearize(Binary(BinaryFn.MUL, x, x))]
    [(), (0, 0)]
    """
    numbers: dict[Hashable, int] = {}
    seen: dict[int, int] = {}
    program: list[tuple[Expr, tuple[int, ...]]] = []

    def number(node: Expr) -> int:
        if id(node) in seen:
            return seen[id(node)]
        arguments = tuple(number(child) for child in children(node))
        key = (type(node), _payload(node), arguments)
        place = numbers.get(key)
        if place is None:
            place = numbers[key] = len(program)
            program.append((node, arguments))
        seen[id(node)] = place
        return place

    number(expr)
    return tuple(program)


def program(expr: Expr) -> tuple[tuple[Expr, tuple[int, ...]], ...]:
    """``linearize(expr)``, kept for the expressions asked for last: the same few are evaluated again and again."""
    known = _PROGRAMS.get(id(expr))
    if known is None:
        while len(_PROGRAMS) >= _MOST_PROGRAMS:
            _PROGRAMS.pop(next(iter(_PROGRAMS)), None)
        known = _PROGRAMS[id(expr)] = (expr, linearize(expr))  # with the expression, whose identity stays its own
    return known[1]


def named(expr: Expr) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return which accumulators and which operands an expression uses, ascending.

    >>> named(Binary(BinaryFn.ADD, Accumulator(1), Binary(BinaryFn.MUL, Operand(2), Operand(0))))
    ((1,), (0, 2))
    """
    leaves = [node for node, arguments in program(expr) if not arguments]
    indices = sorted(leaf.index for leaf in leaves if isinstance(leaf, Accumulator))
    return tuple(indices), tuple(sorted(leaf.slot for leaf in leaves if isinstance(leaf, Operand)))


_MOST_PROGRAMS = 256
_PROGRAMS: dict[int, tuple[Expr, tuple[tuple[Expr, tuple[int, ...]], ...]]] = {}


def _payload(node: Expr) -> Hashable:
    """What distinguishes two nodes of one class with equal arguments; constants by their bits, as 0.0 == -0.0."""
    if isinstance(node, Constant):
        return node.value.hex()
    if isinstance(node, Accumulator):
        return node.index
    if isinstance(node, Operand):
        return node.slot
    if isinstance(node, Cast):
        return node.dtype, node.saturate
    if isinstance(node, Call):
        return node.code
    return None if isinstance(node, Select | Auxiliary) else node.fn


def rewrite(expr: Expr, leaf: Callable[[Expr], Expr], whole: Callable[[Expr], Expr | None] = lambda node: None) -> Expr:
    """Return `expr` with every leaf replaced by ``leaf(leaf)``; what was shared stays shared.

    `whole` is asked about every subexpression first, outermost first: what it returns takes that one's place.

    Before, with ``leaf`` mapping ``Accumulator()`` to ``relu(acc)``: ``acc * 2``. After: ``relu(acc) * 2``.
    """
    done: dict[int, Expr] = {}

    def visit(node: Expr) -> Expr:
        if id(node) in done:
            return done[id(node)]
        result: Expr
        given = whole(node)
        if given is not None:
            result = given
        elif isinstance(node, Unary):
            result = Unary(node.fn, visit(node.x))
        elif isinstance(node, Cast):
            result = Cast(node.dtype, visit(node.x), node.saturate)
        elif isinstance(node, Binary):
            result = Binary(node.fn, visit(node.x), visit(node.y))
        elif isinstance(node, Compare):
            result = Compare(node.fn, visit(node.x), visit(node.y))
        elif isinstance(node, Select):
            result = Select(visit(node.condition), visit(node.x), visit(node.y))
        elif isinstance(node, Auxiliary):
            place = visit(node.place)
            assert isinstance(place, Operand)
            result = Auxiliary(visit(node.x), place)
        elif isinstance(node, Call):
            result = Call(node.name, node.code, tuple(map(visit, node.arguments)))
        else:
            result = leaf(node)
        done[id(node)] = result
        return result

    return visit(expr)


def check_size(expr: Expr) -> None:
    """Raise if `expr` is larger than `MAX_NODES` or deeper than `MAX_DEPTH`.

    Raises
    ------
    OptionError
        Naming the count.
    """
    sizes: list[int] = []
    depths: list[int] = []
    try:
        program = linearize(expr)
    except RecursionError:
        raise OptionError(f"an epilogue nests at most {MAX_DEPTH} deep", hint=_SPLIT) from None
    for _, arguments in program:
        sizes.append(1 + sum(sizes[place] for place in arguments))
        depths.append(1 + max((depths[place] for place in arguments), default=0))
    if sizes[-1] > MAX_NODES or depths[-1] > MAX_DEPTH:
        raise OptionError(
            f"an epilogue has at most {MAX_NODES} nodes and nests at most {MAX_DEPTH} deep; this one has {sizes[-1]} "
            f"and nests {depths[-1]} deep",
            hint=_SPLIT,
        )


_SPLIT = "Compute part of it in a call of its own"
