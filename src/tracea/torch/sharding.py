# SPDX-License-Identifier: MIT
"""Distributed tensors (``torch.distributed.tensor.DTensor``): along which axes an operator's tensors may be divided among processes.

Each process then calls the same operator on its parts. Images, rows and batches are divided with the result; columns of weights with the
result's columns, unless a gate wants two of them side by side; and the axis that is summed over where the epilogue only adds, so that sums
of parts are parts of the sum. Whatever else lies in another way is gathered, as PyTorch does for its own operators.

Nothing here imports PyTorch's distributed part: what it wants to know is told to it once it is there.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import Epilogue, OperandAxes
from tracea_core.ops.evaluate import evaluate

from tracea.torch import shapes
from tracea.torch.epilogues import epilogue_of
from tracea.torch.slopes import is_one, slopes_of

_log = logging.getLogger("tracea")
_DTENSOR = "torch.distributed.tensor"
PARTIAL = "sum"
"""Every process holds an addend."""
Place = int | str | None
"""An axis that is divided, `PARTIAL`, or None: every process holds all of it."""
Shape = tuple[int, ...]
_told = False


class Way(NamedTuple):
    """How a result may lie, if its tensors, then the operands of the epilogue, lie so."""

    result: Place
    tensors: tuple[Place, ...]
    operands: tuple[Place, ...] = ()


class Call(NamedTuple):
    """A call by its shapes.

    Attributes
    ----------
    tensors : tuple
        Shapes of those ahead of the operands; None for what may be missing and is.
    operands : tuple
        Shapes of the epilogue's.
    settings : tuple
        The arguments behind the epilogue's text.
    processes : int
        How many there are.
    """

    tensors: tuple[Shape | None, ...]
    operands: tuple[Shape, ...]
    text: str
    settings: tuple[Any, ...]
    processes: int

    @property
    def given(self) -> tuple[Shape, ...]:
        """The shapes of the tensors that there are."""
        return tuple(shape for shape in self.tensors if shape is not None)


def ways(name: str, call: Call) -> list[Way]:
    """Return the ways in which an operator's tensors may be divided along one axis of processes, the undivided one first."""
    whole = Way(None, (None,) * len(call.given), (None,) * len(call.operands))
    epilogue = epilogue_of(call.text)
    rule = _RULES.get(name)
    if rule is None or epilogue.written:
        return [whole]
    rank = max(len(shape) for shape in call.given)
    column = shapes.column_axis(name) % rank
    found = [whole]
    for result, tensors in rule(call, epilogue):
        if result == PARTIAL:
            if _only_adds(call.text, epilogue):
                found.append(Way(result, tensors, (PARTIAL,) * len(call.operands)))
        elif not (epilogue.gated and result == column):
            assert isinstance(result, int)
            places = zip(epilogue.operands, call.operands, strict=True)
            operands = tuple(_place(operand.axes, shape, result, rank, column) for operand, shape in places)
            found.append(Way(result, tensors, operands))
    return found


def _only_adds(text: str, epilogue: Epilogue) -> bool:
    """Whether sums of parts may be added behind the epilogue: it is the sum of the product and its operands, in the same type."""
    if epilogue.gated or epilogue.stored_dtype is not None:
        return False
    try:
        slopes = slopes_of(text)
    except OptionError:
        return False
    straight = slopes.outer is None and all(is_one(slope) for slope in (*slopes.sums, *slopes.operands))
    zeros = [np.zeros(()) for _ in epilogue.operands]
    return (
        straight and not evaluate(epilogue.expr, [np.zeros(())], zeros).any()
    )  # a constant would be added by each process


def _place(axes: OperandAxes, shape: Shape, result: int, rank: int, column: int) -> Place:
    """Return how an operand lies beside a result that is divided along an axis."""
    if axes is OperandAxes.FULL:
        own = result - (rank - len(shape))
        return own if own >= 0 and shape[own] > 1 else None
    if axes is OperandAxes.COLUMN:
        return 0 if result == column else None
    return 0 if axes is OperandAxes.ROW and result == rank - 2 else None


_Pairs = list[tuple[Place, tuple[Place, ...]]]
"""Ways without operands."""


def _linear(call: Call, epilogue: Epilogue) -> _Pairs:
    last = len(call.given[0]) - 1
    return [*((axis, (axis, None)) for axis in range(last)), (last, (None, 0)), (PARTIAL, (last, 1))]


def _matmul(call: Call, epilogue: Epilogue) -> _Pairs:
    a, b = (len(shape) for shape in call.given)
    rank = max(a, b)
    found: _Pairs = []
    for axis in range(rank - 2):
        own = [axis - (rank - len(shape)) for shape in call.given]
        places = tuple(
            place if place >= 0 and shape[place] > 1 else None for place, shape in zip(own, call.given, strict=True)
        )
        found += [(axis, places)] if places != (None, None) else []
    found += [(rank - 2, (a - 2, None)), (rank - 1, (None, b - 1))]
    out_dtype, deterministic, *_ = call.settings
    return found if out_dtype is not None or deterministic else [*found, (PARTIAL, (a - 1, b - 2))]


def _conv2d(call: Call, epilogue: Epilogue) -> _Pairs:
    images: _Pairs = [(0, (0, None))]
    return images if call.settings[3] > 1 else [*images, (1, (None, 0)), (PARTIAL, (1, 1))]


def _conv_transpose2d(call: Call, epilogue: Epilogue) -> _Pairs:
    images: _Pairs = [(0, (0, None))]
    return images if call.settings[4] > 1 else [*images, (1, (None, 1)), (PARTIAL, (1, 0))]


def _conv2d_filters(call: Call, epilogue: Epilogue) -> _Pairs:
    groups, parts = call.settings[4:6]
    if parts > 1:
        return []
    images: _Pairs = [(PARTIAL, (0, 0))]
    return images if groups > 1 else [*images, (0, (None, 1)), (1, (1, None))]


def _attention(call: Call, epilogue: Epilogue) -> _Pairs:
    q, k, _ = call.given
    same = q[1] == k[1] or k[1] % call.processes == 0  # else a process would hold queries of another's keys
    batch: _Pairs = [(0, (0, 0, 0))]
    return [*batch, (1, (1, 1, 1))] if same else batch


def _low_rank_mlp(call: Call, epilogue: Epilogue) -> _Pairs:
    last = len(call.given[0]) - 1
    found: _Pairs = [*((axis, (axis, None, None)) for axis in range(last)), (last, (None, None, 1))]
    return found if epilogue_of(call.settings[0]).gated else [*found, (PARTIAL, (None, 1, 0))]


def _rows(call: Call, epilogue: Epilogue) -> _Pairs:
    shared = (None,) * (len(call.given) - 1)
    return [(axis, (axis, *shared)) for axis in range(len(call.given[0]) - 1)]


_RULES: dict[str, Callable[[Call, Epilogue], _Pairs]] = {
    "linear": _linear, "matmul": _matmul, "conv2d": _conv2d, "conv_transpose2d": _conv_transpose2d, "attention": _attention,
    "conv2d_filters": _conv2d_filters, "low_rank_mlp": _low_rank_mlp, "softmax": _rows, "norm": _rows,
}  # fmt: skip
"""Operators that may be divided; all others want every process to hold all."""


def ready() -> None:
    """Tell PyTorch's distributed tensors about every operator, where they have been imported and do not know yet."""
    if not _told and _DTENSOR in sys.modules:
        _tell()


def forget() -> None:
    """Another operator has been registered."""
    global _told
    _told = False


def _tell() -> None:
    global _told
    import torch

    from tracea.torch.registration import OPERATORS

    _told = True
    try:
        from torch.distributed.tensor import DTensor
        from torch.distributed.tensor._op_schema import RuntimeSchemaInfo

        register = DTensor._op_dispatcher.sharding_propagator.register_op_strategy
    except (ImportError, AttributeError) as error:  # a version of PyTorch that keeps them elsewhere
        _log.debug("distributed tensors are not told about operators: %s", error)
        return
    for name, each in OPERATORS.items():
        count = each.schema.split("Tensor[] operands")[0].count("Tensor")
        # What follows the operands decides how they may lie, so it belongs to what PyTorch keeps answers by.
        info = RuntimeSchemaInfo(count + 1, needs_pytree=True)
        register(getattr(torch.ops.tracea, name).default, _strategy(name, count), info)


def _strategy(name: str, count: int) -> Callable[[Any], Any]:
    """Return what PyTorch asks for the ways of an operator with so many tensors ahead of its operands."""

    def strategy(asked: Any) -> Any:
        from torch.distributed.tensor import Partial, Replicate, Shard
        from torch.distributed.tensor._ops.utils import expand_to_full_mesh_op_strategy

        def placement(place: Place) -> Any:
            return Replicate() if place is None else Partial() if isinstance(place, str) else Shard(place)

        arguments = asked.args_schema
        mesh = asked.get_mesh_from_args(validate=False)
        tensors = tuple(None if given is None else tuple(given.shape) for given in arguments[:count])
        given = getattr(arguments[count], "children", arguments[count])
        operands = tuple(tuple(operand.shape) for operand in given)
        text, *settings = arguments[count + 1 :] if "epilogue" in _schema(name) else ("", *arguments[count + 1 :])
        found = ways(name, Call(tensors, operands, text, tuple(settings), mesh.size()))
        lists = [[placement(place) for place in (way.result, *way.tensors, *way.operands)] for way in found]
        return expand_to_full_mesh_op_strategy(mesh, asked, lists, input_index=1)

    return strategy


def _schema(name: str) -> str:
    from tracea.torch.registration import OPERATORS

    return OPERATORS[name].schema
