# SPDX-License-Identifier: MIT
"""What rounding may do to a network's results: its evaluation in a wider type, with noise of the size of roundings after every operator.

An operator that is computed in a type stores each value off by at most half a unit of its last place, and a sum of k terms in fp32 by about
√k roundings of the root mean square of such sums (N. J. Higham and T. Mary, "A New Approach to Probabilistic Rounding Error Analysis",
doi:10.1137/18M1226312). Here both are drawn at random in a type so wide that it adds nothing, and each draw is as good a computation in
the narrower type as any. How far draws are from the exact results is what the type allows: no library's own error comes into it.

A gradient that depends on the signs of values near zero (ReLU behind a batch norm) jumps, and draws of it are far apart. Where they are,
the network's worst gradient says how far jumps go. A jump may also be so rare that few draws of a gradient have it (of ResNet-50's in fp32,
one of ten draws was 200 to 700 times as far as the others), so where any of a network jumps, all that follow from such signs may.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

DRAWS = 4
_FACTOR = 2.0
"""How many times as far as the farthest draw a result may be: of four draws of a steady error none is twice the largest of the others
(1.3 times at most in 24 evaluations of five networks on an H200)."""
_STEADY = 2.0
"""Draws that are farther apart than this jump."""
_CHOOSING = frozenset(("threshold_backward", "max_pool2d_with_indices_backward"))
"""Operators whose results follow from choices of the forward pass; near a tie, a rounding makes the other one."""
_CHANGED = 0.1
"""How much what follows from a choice differs at least where all that do are doubled."""
_EXACT = frozenset(
    (
        "relu", "relu_", "threshold_backward", "max_pool2d_with_indices", "max_pool2d_with_indices_backward", "clone", "copy_",
        "cat", "detach", "zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "empty_like", "new_zeros", "new_empty",
        "fill_", "zero_", "_to_copy", "constant_pad_nd", "embedding", "neg", "lift_fresh", "slice_backward", "select_backward",
        "expand", "index", "where", "masked_fill", "tril", "triu", "arange", "stack", "repeat", "rand", "uniform_", "normal_",
    )
)  # fmt: skip
"""Operators that move values or choose among them."""
_PRODUCTS: dict[str, Callable[[Sequence[Any]], int]] = {
    "convolution": lambda given: given[1].numel() // given[1].shape[0],
    "mm": lambda given: given[0].shape[-1],
    "bmm": lambda given: given[0].shape[-1],
    "addmm": lambda given: given[1].shape[-1],
    "baddbmm": lambda given: given[1].shape[-1],
}
"""Terms of one sum of each kind of product, by its arguments."""


class Rounding(TorchDispatchMode):
    """Move what operators store by a random share of what rounding it would.

    Parameters
    ----------
    kind : dtype
        The type whose roundings are meant.
    generator : Generator
        Of the device on which the network runs.
    """

    def __init__(self, kind: torch.dtype, generator: torch.Generator) -> None:
        super().__init__()
        self._unit, self._sums = torch.finfo(kind).eps / 2, torch.finfo(torch.float32).eps / 2
        self._generator = generator

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call an operator, and move what it returns."""
        out = func(*args, **(kwargs or {}))
        name = func._schema.name.split("::")[-1]
        aliases = [returned.alias_info for returned in func._schema.returns]
        if name in _EXACT or any(alias is not None and not alias.is_write for alias in aliases):
            return out
        if any(alias is not None for alias in aliases):
            moves = isinstance(out, torch.Tensor) and out.is_floating_point()
            return self._shared(out, out) if moves else out
        if isinstance(out, torch.Tensor):
            return self._moved(out, terms(name, args, out, 0))
        if isinstance(out, tuple | list):
            only = (
                name.startswith("_scaled_dot_product") and "backward" not in name
            )  # the rest is for its backward pass
            return type(out)(
                value if only and place else self._moved(value, terms(name, args, value, place))
                for place, value in enumerate(out)
            )
        return out

    def _moved(self, value: Any, count: int) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
            return value
        if count == 1:
            return self._shared(value, torch.empty_like(value))
        sums = value.norm() * (self._sums * math.sqrt(count / value.numel()))
        size = value.abs().mul_(self._unit).add_(sums)
        return torch.where(value.isinf(), value, size.mul_(self._shares(value)).add_(value))  # masks ahead of softmaxes

    def _shared(self, value: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """Store values moved by a share of their own size; each pass over memory is one that a network of this size waits for."""
        shares = self._shares(value).masked_fill_(value.isinf(), 0)
        return out.copy_(torch.where(value.isinf(), value, torch.addcmul(value, shares, value, value=self._unit)))

    def _shares(self, value: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(value).uniform_(-1, 1, generator=self._generator)


class Doubling(TorchDispatchMode):
    """Double what follows from choices, so that every result that depends on one is seen to change."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call an operator, and double its result where that is one of `_CHOOSING`."""
        out = func(*args, **(kwargs or {}))
        return out * 2 if func._schema.name.split("::")[-1] in _CHOOSING else out


def terms(name: str, given: Sequence[Any], value: Any, place: int) -> int:
    """Return how many terms one sum of an operator's result has: 1 where nothing is summed."""
    if not isinstance(value, torch.Tensor) or not value.numel():
        return 1
    if name in _PRODUCTS:
        return int(_PRODUCTS[name](given))
    if name == "convolution_backward":  # of the image: over filters and their extent; of filters and bias: over pixels
        gradient, _, filters = given[:3]
        return int(filters.numel() // filters.shape[1] if place == 0 else gradient.numel() // gradient.shape[1])
    largest = max((one.numel() for one in given if isinstance(one, torch.Tensor)), default=1)
    return max(1, largest // value.numel())


def allowed(step: Callable[[], list[torch.Tensor]], exact: Sequence[torch.Tensor], kind: torch.dtype) -> list[float]:
    """Return how far each result may be off, relative to its norm.

    Parameters
    ----------
    step : callable
        Evaluates the network in the wider type, each time from the same state.
    exact : sequence of Tensor
        What it returns without noise.
    kind : dtype
        The type whose roundings are meant.
    """
    drawn = []
    for seed in range(DRAWS):
        generator = torch.Generator(exact[0].device).manual_seed(seed)
        with Rounding(kind, generator):
            moved = step()
        drawn.append([off(value, expected) for value, expected in zip(moved, exact, strict=True)])
    unit = torch.finfo(kind).eps / 2
    if not any(_jumps(values, unit) for values in zip(*drawn, strict=True)):
        return tolerances(drawn, unit)
    with Doubling():
        changed = step()
    return tolerances(drawn, unit, [off(*both) > _CHANGED for both in zip(changed, exact, strict=True)])


def tolerances(drawn: Sequence[Sequence[float]], unit: float, follows: Sequence[bool] = ()) -> list[float]:
    """Return how far each result may be off, from how far each draw's is: at least one rounding, `unit`, of its type.

    Parameters
    ----------
    follows : sequence of bool
        Whether each result depends on choices, of which some jump; by default no other does than those whose draws are far apart.
    """
    jump = max(
        (value for draw in drawn for value in draw if value <= 1), default=0.0
    )  # of what is noise in any case nothing follows
    found = []
    for place, values in enumerate(zip(*drawn, strict=True)):
        most = max(*values, unit)
        jumps = _jumps(values, unit) or (bool(follows) and follows[place])
        found.append(_FACTOR * (max(most, jump) if jumps else most))
    return found


def _jumps(values: Sequence[float], unit: float) -> bool:
    """Whether draws of a result are far apart."""
    return max(*values, unit) > _STEADY * max(min(values), unit)


def off(value: torch.Tensor, expected: torch.Tensor) -> float:
    """Return how far a tensor is from what was expected, relative to the norm of that."""
    return float((value.to(expected.dtype) - expected).norm()) / (float(expected.norm()) + 1e-12)
