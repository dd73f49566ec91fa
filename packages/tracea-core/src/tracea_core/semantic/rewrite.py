# SPDX-License-Identifier: MIT
"""Generic traversal of a semantic kernel's nodes: replace symbols, list the expressions a node holds.

Written once over the fields of the frozen data, so that a new step needs no case of its own here.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from tracea_core.data import Data
from tracea_core.ops.expr import Accumulator, Binary, Cast, Compare, Constant, Operand, Select, Unary
from tracea_core.semantic.index import EXPRESSIONS, Index, Test, substitute, substitute_test

_T = TypeVar("_T")
_EXPRESSIONS = frozenset(EXPRESSIONS)
_INDICES = frozenset((*EXPRESSIONS, Test))
_LEAVES = frozenset((str, int, float, bool, type(None)))
_OPAQUE = (Accumulator, Binary, Cast, Compare, Constant, Operand, Select, Unary)


def map_indices(value: _T, index: Callable[[Index], Index], test: Callable[[Test], Test]) -> _T:
    """Return `value` with `index` applied to every index expression in it and `test` to every test."""
    return _map(value, index, test)  # type: ignore[no-any-return]


def _map(value: Any, index: Callable[[Index], Index], test: Callable[[Test], Test]) -> Any:
    kind: Any = type(value)
    if kind in _EXPRESSIONS:
        return index(value)
    if kind is Test:
        return test(value)
    if kind is tuple:
        return tuple([_map(item, index, test) for item in value])
    changes = {}
    for name in _names(kind):
        old = getattr(value, name)
        if type(old) not in _LEAVES:
            new = _map(old, index, test)
            if new is not old and new != old:
                changes[name] = new
    return msgspec.structs.replace(value, **changes) if changes else value


def replace_symbols(value: _T, replacements: Mapping[str, Index]) -> _T:
    """Return `value` (a node, a tuple of nodes, an access, …) with symbols replaced in every expression it holds.

    Names bound inside `value` (loop variables, lets) must differ from the replaced ones; the verifier keeps names
    unique.
    """
    return map_indices(
        value, lambda expr: substitute(expr, replacements), lambda test: substitute_test(test, replacements)
    )


def indices(value: Any) -> Iterator[Index | Test]:
    """Yield every outermost index expression and test in `value`."""
    pending = [value]
    while pending:
        part = pending.pop()
        kind: Any = type(part)
        if kind in _INDICES:
            yield part
        elif kind is tuple:
            pending += part[::-1]
        else:
            pending += [one for one in _fields(kind)(part)[::-1] if type(one) not in _LEAVES]


@functools.cache
def _names(kind: Any) -> tuple[str, ...]:
    """The fields of objects of a kind that may hold expressions; none of any other."""
    return kind.__struct_fields__ if issubclass(kind, Data) and not issubclass(kind, _OPAQUE) else ()


@functools.cache
def _fields(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """What takes the fields of an object that may hold expressions; of any other, none."""
    names = _names(kind)
    take = operator.attrgetter(*names) if names else None
    if take is None:
        return lambda value: ()
    return take if len(names) > 1 else lambda value: (take(value),)
