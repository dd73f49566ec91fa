# SPDX-License-Identifier: MIT
"""Tensors whose copy in panels products use: found by identity, renewed when the tensor has been written, freed with it.

A copy belongs to a tensor's version counter and address. It is made at the first use in an orientation, on the caller's thread, and a
stale one is replaced, never written: whoever still multiplies from it holds it.
"""

from __future__ import annotations

import threading
import weakref
from typing import NamedTuple

import torch
from tracea_core.errors import OptionError, UnsupportedError
from tracea_core.ops.problem import Options

from tracea.arrays import TORCH
from tracea.ops.prepacked import copy_of, options_of

_LINE = 64


class Panels(NamedTuple):
    """A copy: the tensor that products are given, of shape (k, n) and with the strides within a panel, and their options."""

    matrix: torch.Tensor
    options: Options
    made_of: tuple[int, int]


class _Held:
    """What is known of one registered tensor."""

    __slots__ = ("copies", "guard", "owner")

    def __init__(self, owner: weakref.ref[torch.Tensor]) -> None:
        self.owner, self.guard = owner, threading.Lock()
        self.copies: dict[str, Panels] = {}


held: dict[int, _Held] = {}
"""What is known of registered tensors, by their identity; empty for those who register none."""
_guard = threading.Lock()


def register(tensor: torch.Tensor) -> None:
    """Let products that are given this very tensor use a copy of it in panels.

    Raises
    ------
    OptionError
        If PyTorch does not count its changes.
    UnsupportedError
        If it is not on the CPU, or no matrix that can be copied.
    """
    if tensor.device.type != "cpu":
        raise UnsupportedError(
            f"weights are copied into panels for processors; this one is on {tensor.device}",
            hint="Give the weight itself",
        )
    if tensor.is_inference():
        raise OptionError(
            "PyTorch counts no changes of a tensor that was made in inference mode",
            hint="Make it outside of inference mode, or clone it there",
        )
    copy_of(TORCH.spec(tensor.detach()))  # says now what cannot be copied
    name = id(tensor)

    def forget(_: object) -> None:
        with _guard:
            held.pop(name, None)

    with _guard:
        known = held.get(name)
        if known is None or known.owner() is not tensor:
            held[name] = _Held(weakref.ref(tensor, forget))


def registered(tensor: torch.Tensor) -> bool:
    """Whether `register` was called for this very tensor."""
    known = held.get(id(tensor))
    return known is not None and known.owner() is tensor


def panels_of(name: str, tensor: torch.Tensor) -> Panels | None:
    """Return the copy of a registered tensor as the op `name` reads it, made now if there is none or it is stale; else None."""
    known = held.get(id(tensor))
    if known is None or known.owner() is not tensor:
        return None
    now = (tensor._version, tensor.data_ptr())
    found = known.copies.get(name)
    if found is not None and found.made_of == now:
        return found
    with known.guard:
        found = known.copies.get(name)
        if found is None or found.made_of != now:
            try:
                found = known.copies[name] = _copied(name, tensor.detach(), now)
            except UnsupportedError:  # it has become another tensor since it was registered
                return None
    return found


def _copied(name: str, tensor: torch.Tensor, made_of: tuple[int, int]) -> Panels:
    matrix = tensor.t() if name == "linear" else tensor
    copy = copy_of(TORCH.spec(matrix))
    room = torch.empty(copy.elements + _LINE // matrix.element_size(), dtype=matrix.dtype)
    start = -room.data_ptr() % _LINE // matrix.element_size()
    copy.launch(matrix.data_ptr(), room.data_ptr() + start * matrix.element_size())
    view = room.as_strided(matrix.shape, (copy.columns, 1), start)
    return Panels(view, options_of(copy.columns), made_of)
