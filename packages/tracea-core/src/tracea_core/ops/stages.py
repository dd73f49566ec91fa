# SPDX-License-Identifier: MIT
"""What a user chains with ``|``: a structural epilogue together with the arrays that this call gives it.

The structural part decides which kernel runs, so it is made once and kept: equal chains share one `Epilogue` object, and `bind`
only returns what the stage already holds. The arrays are opaque objects with a ``shape``; nothing here looks at their data.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias, Union

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops import named
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.trace import trace
from tracea_core.tracing import constant_while_tracing, is_traced

Bound: TypeAlias = tuple[Epilogue, tuple[Any, ...]]
Structure: TypeAlias = Epilogue | str
"""An epilogue; or, in a stage that is made in code that PyTorch compiles, its JSON, since a tracer hands on no objects."""


@constant_while_tracing
def structure(name: str, *given: Any) -> Structure:
    """Return the structural part of a stage: what the function of this name in `tracea_core.ops.named` makes of what is given."""
    made: Epilogue = getattr(named, name)(*given)
    return _as_text(made) if is_traced() else made


def whole(made: Structure) -> Epilogue:
    """Return the epilogue itself."""
    if not isinstance(made, str):
        return made
    known = _WHOLE.get(made)
    return Epilogue.from_json(made) if known is None else known


def _as_text(made: Epilogue) -> str:
    text = made.to_json()
    if len(_WHOLE) >= _JOINED_LIMIT:
        _WHOLE.clear()
    _WHOLE[text] = made
    return text


@constant_while_tracing
def slots(made: Structure) -> int:
    """Return how many arrays an epilogue takes."""
    return len(whole(made).operands)


@constant_while_tracing
def _halved(first: Structure, second: Structure) -> tuple[int, ...]:
    """Return the operands of the first that a gate in the second splits in halves."""
    return whole(first).pre_gate_slots() if whole(second).gated else ()


_WHOLE: dict[str, Epilogue] = {}
_JOINED_LIMIT = 4096


class Stage:
    """One step of an epilogue with its arrays.

    Parameters
    ----------
    epilogue : Epilogue
        What it does.
    operands : tuple
        One array for each operand, by slot: NumPy arrays, torch tensors or other DLPack objects. They are read at every call that
        uses the stage, so changes in place are seen.
    """

    __slots__ = ("_bound",)

    def __init__(self, epilogue: Structure, operands: tuple[Any, ...] = ()) -> None:
        if slots(epilogue) != len(operands):
            raise OptionError(f"this epilogue takes {slots(epilogue)} arrays, {len(operands)} were given")
        self._bound: tuple[Structure, tuple[Any, ...]] = (epilogue, operands)

    def bind(self) -> Bound:
        """Return the structural epilogue and the arrays by slot."""
        made, operands = self._bound
        return (whole(made), operands) if isinstance(made, str) else self._bound  # type: ignore[return-value]

    @property
    def epilogue(self) -> Epilogue:
        """The structural part."""
        return whole(self._bound[0])

    @property
    def structure(self) -> Structure:
        """The structural part as it is kept, which a tracer can hand on."""
        return self._bound[0]

    @property
    def operands(self) -> tuple[Any, ...]:
        """The arrays by slot."""
        return self._bound[1]

    def __or__(self, other: StageLike) -> Chain:
        return Chain(self, as_chain(other))

    def __ror__(self, other: StageLike) -> Chain:
        return Chain(as_chain(other), self)

    def __repr__(self) -> str:
        shapes = ", ".join(str(tuple(array.shape)) for array in self.operands)
        return f"{type(self).__name__}({self.epilogue.describe()}{': ' if shapes else ''}{shapes})"


class Chain(Stage):
    """Stages one after the other, ``Chain(BiasAdd(b), ReLU())`` or ``BiasAdd(b) | ReLU()``.

    Ahead of a gate each stage happens to both halves, so its arrays that vary along columns have the product's 2·n columns; they are
    split into two views.
    """

    __slots__ = ("stages",)

    def __init__(self, *stages: Stage) -> None:
        self.stages: tuple[Stage, ...]
        flat: list[Stage] = []
        for stage in stages:
            flat.extend(stage.stages if isinstance(stage, Chain) else (stage,))
        self.stages = tuple(flat)
        bound: tuple[Structure, tuple[Any, ...]] = (IDENTITY, ())
        for stage in flat:
            bound = _join(bound, (stage.structure, stage.operands))
        super().__init__(*bound)


class Lambda(Stage):
    """A Python function of one element, traced once (see `tracea_core.ops.trace`).

    Parameters
    ----------
    function : callable
        Takes the value; or gate and up, for a gated epilogue. Arrays it uses become operands.

    Examples
    --------
    >>> Lambda(lambda x: x * 2).epilogue.operands
    ()
    """

    __slots__ = ()

    def __init__(self, function: Callable[..., Any], label: str | None = None) -> None:
        traced = trace(function, label)
        for array in traced.operands:
            check_array("an array of the function", array)
        super().__init__(traced.epilogue, traced.operands)


StageLike: TypeAlias = Union[Stage, Epilogue, Callable[..., Any], str, None]
"""What stands for a stage: one, a structural epilogue without arrays, a function of one element, names (``"relu"``), or nothing."""


def as_chain(stage: StageLike) -> Stage:
    """Return `stage` as something to `bind`.

    Raises
    ------
    OptionError
        If it is none of what `StageLike` lists.
    """
    if isinstance(stage, Stage):
        return stage
    if stage is None:
        return _NOTHING
    if isinstance(stage, Epilogue):
        return Stage(stage)
    if isinstance(stage, str):
        epilogue = structure("parse_epilogue", stage)
        if slots(epilogue):
            raise OptionError(
                f"the epilogue {stage!r} needs arrays",
                hint="Give them, as in BiasAdd(b) | Gelu()",
                operands=tuple(operand.name for operand in whole(epilogue).operands),
            )
        return Stage(epilogue)
    if isinstance(stage, type) and issubclass(stage, Stage):
        raise OptionError(f"{stage.__name__} is a class", hint=f"Call it: {stage.__name__}(...)")
    if callable(stage):
        return Lambda(stage)
    raise OptionError(f"{type(stage).__name__} is not an epilogue", hint="Give stages, a function, or names")


_NOTHING = Chain()

# Structural results by the identity of both parts, which the entry keeps alive: chaining costs no walk over expressions.
_JOINED: dict[tuple[int, int], tuple[Epilogue, Epilogue, Epilogue]] = {}


def join(first: Epilogue, second: Epilogue) -> Epilogue:
    """Return ``first.then(second)``; the same object for the same two objects."""
    if first is IDENTITY:
        return second
    if second is IDENTITY:
        return first
    key = (id(first), id(second))
    entry = _JOINED.get(key)
    if entry is None:
        if len(_JOINED) >= _JOINED_LIMIT:
            _JOINED.clear()
        entry = _JOINED[key] = (first, second, first.then(second))
    return entry[2]


@constant_while_tracing
def _join_structures(first: Structure, second: Structure) -> Structure:
    made = join(whole(first), whole(second))
    return _as_text(made) if isinstance(first, str) or isinstance(second, str) else made


@constant_while_tracing
def _name(made: Structure, slot: int) -> str:
    return whole(made).operands[slot].name


def _join(
    first: tuple[Structure, tuple[Any, ...]], second: tuple[Structure, tuple[Any, ...]]
) -> tuple[Structure, tuple[Any, ...]]:
    epilogue = _join_structures(first[0], second[0])
    halved = _halved(first[0], second[0]) if first[1] else ()
    if not halved:
        return epilogue, (*first[1], *second[1])
    lower, upper = list(first[1]), []
    for slot in halved:
        array = first[1][slot]
        columns = array.shape[-1]
        if columns % 2:
            raise ShapeError(
                "an array ahead of a gate has one value for each column of both halves, an even number",
                operand=_name(first[0], slot),
                shape=tuple(array.shape),
            )
        try:
            lower[slot] = array[..., : columns // 2]
            upper.append(array[..., columns // 2 :])
        except TypeError as error:
            raise OptionError(
                f"an array ahead of a gate is split into views, and {type(array).__name__} cannot be sliced",
                hint="Give a NumPy array or a torch tensor",
            ) from error
    return epilogue, (*lower, *upper, *second[1])


def check_array(name: str, array: Any, rank: int | None = None) -> tuple[int, ...]:
    """Return the shape of an operand.

    Raises
    ------
    OptionError
        If it is no array.
    ShapeError
        If it does not have `rank` axes.
    DTypeError
        If tracea knows no such element type (complex, bool, object, foreign byte order, …).
    """
    try:
        shape = tuple(array.shape)
    except (AttributeError, TypeError):
        raise OptionError(
            f"{name} must be an array, not {type(array).__name__}",
            hint="Give a NumPy array, a torch tensor or another DLPack object",
        ) from None
    if rank is not None and len(shape) != rank:
        raise ShapeError(f"{name} must have {rank} axes", shape=shape)
    dtype = getattr(array, "dtype", None)
    if dtype is not None:
        _know(dtype)
    return shape


@constant_while_tracing
def _know(dtype: Any) -> None:
    """Raise unless this is an element type that tracea knows."""
    if dtype not in _KNOWN_DTYPES:
        DType.parse(str(dtype))
        _KNOWN_DTYPES.add(dtype)


_KNOWN_DTYPES: set[Any] = set()


def check_number(name: str, value: Any, positive: bool = False) -> float:
    """Return `value` as a float.

    Raises
    ------
    OptionError
        If it is not a finite real number, or not positive where it must be.
    """
    if isinstance(value, bool | complex | str) or value is None:
        raise OptionError(f"{name} must be a number, not {value!r}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be a number, not {type(value).__name__}") from None
    except OverflowError:
        raise OptionError(f"{name} does not fit in a float") from None
    if not math.isfinite(number):
        raise OptionError(f"{name} must be finite, not {number}")
    if positive and number <= 0:
        raise OptionError(f"{name} must be positive, not {number}")
    return number
