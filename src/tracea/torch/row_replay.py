# SPDX-License-Identifier: MIT
"""The shortest way of a softmax, norm or attention of plain tensors that was planned before, with ``out`` or not, without an epilogue.

A norm of a few rows takes less time than preparing for epilogues, modes and gradients. Everything a plan depends on is still compared, by
the check with which PyTorch's compiler guards, and addresses that were not met before are checked for overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tracea.arrays import TORCH, kind_of
from tracea.dispatch import BoundPlan, derived, find
from tracea.ops import rows
from tracea.torch import replay
from tracea.torch.forward_mode import is_forward
from tracea.torch.functional import _plain

_LIMIT = 4096
_SETS = 1024


class _Known(NamedTuple):
    """What tensors of some shape were launched with.

    Attributes
    ----------
    check : callable
        Whether tensors are what they were, as in `tracea.torch.replay._Bound`.
    recordable : bool
        Whether autograd would record a call where it records at all.
    deterministic : bool
        What `torch.use_deterministic_algorithms` said.
    apart : set
        Addresses that were found not to overlap.
    """

    check: Callable[..., bool]
    recordable: bool
    deterministic: bool
    plan: BoundPlan
    apart: set[tuple[int, ...]]


_known: dict[tuple[Any, ...], _Known] = derived({})


def again(asked: tuple[Any, ...], tensors: tuple[Any, ...], out: Any) -> Any:
    """Launch the plan of this call again if it has one; return the result, or None if nothing was launched.

    Parameters
    ----------
    asked : tuple
        Everything besides tensors that the call depends on, hashable.
    tensors : tuple
        The inputs that there are.
    out : array or None
        Where the result goes.

    Raises
    ------
    AliasError
        If `out` shares memory with an input.
    """
    if replay._is_traced() or type(tensors[0]) not in replay.PLAIN or is_forward():
        return None
    known = _known.get((asked, out is None, tensors[0].shape))
    given = tensors if out is None else (*tensors, out)
    if known is None or not known.check(*given) or replay._functions():
        return None
    if known.deterministic != replay._deterministic() or (known.recordable and replay._records()):
        return None
    plan = known.plan
    assert plan.launch is not None
    if out is None:
        result = plan.allocate()
        pointers = tuple([tensor.data_ptr() for tensor in (*tensors, result)])
    else:
        result, pointers = out, tuple([tensor.data_ptr() for tensor in given])
        if pointers not in known.apart:
            plan.check_overlap(list(pointers), len(tensors))
            if len(known.apart) >= _SETS:
                known.apart.clear()
            known.apart.add(pointers)
    plan.launch(*[pointers[place] for place in plan.order])
    return result


def keep(
    asked: tuple[Any, ...],
    tensors: tuple[Any, ...],
    out: Any,
    key: tuple[Any, ...],
    filed: tuple[Any, ...] | None = None,
) -> None:
    """Remember the plan of a call that has just returned, if it was a kernel's.

    Parameters
    ----------
    asked, tensors, out
        As for `again`.
    key : tuple
        What the plan is filed under before the keys of the arrays.
    filed : tuple, optional
        Arrays by whose keys it is filed, if they are not those of the call: views of them, and a result that was allocated before.
    """
    if replay._is_traced():
        return
    given = tensors if out is None else (*tensors, out)
    if not _plain(given) or any(kind_of(tensor) is not TORCH for tensor in given):
        return
    recordable = any(tensor.requires_grad for tensor in given)
    if recordable and replay._records():
        return
    plan = find((*key, *[TORCH.key(tensor) for tensor in (given if filed is None else filed)]))
    if plan is None or plan.launch is None or plan.converted:
        return
    check = replay.checker(*given)
    if check is None:
        return
    with replay._guard:
        if len(_known) >= _LIMIT:
            _known.clear()
        known = _Known(check, recordable, replay._deterministic(), plan, set())
        _known[asked, out is None, tensors[0].shape] = known


rows.again = again
