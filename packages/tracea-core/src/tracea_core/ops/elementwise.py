# SPDX-License-Identifier: MIT
"""A Python function of numbers as something that epilogues call: on traced values a node, on numbers and arrays what Python computes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tracea_core.errors import OptionError
from tracea_core.ops import python_functions
from tracea_core.ops.expr import Call
from tracea_core.ops.proxy import Value, lift

__all__ = ["Elementwise", "elementwise"]


class Elementwise:
    """What `elementwise` returns."""

    def __init__(self, function: Callable[..., Any]) -> None:
        known = python_functions.python_function(function)
        if not python_functions.numba_version():
            raise OptionError(
                f"{known.name} has to be compiled, and numba is not installed", hint="pip install 'tracea-cpu[numba]'"
            )
        self.name, self.digest, self.count = known.name, known.digest, known.arity
        self._defaults = known.function.__defaults__ or ()
        functools.update_wrapper(self, known.function)

    def __call__(self, *arguments: Any) -> Any:
        """Return the function's values, one for each element.

        Raises
        ------
        OptionError
            If the number of arguments is wrong.
        """
        missing = self.count - len(arguments)
        if not 0 <= missing <= len(self._defaults):
            raise OptionError(f"{self.name} takes {self.count} values, {len(arguments)} were given")
        given = (*arguments, *self._defaults[len(self._defaults) - missing :])
        if any(isinstance(argument, Value) for argument in given):
            first = next(argument for argument in given if isinstance(argument, Value))
            values = lift(first, *given)[1:]
            return first.scope.value(Call(self.name, self.digest, tuple(value.expr for value in values)))
        return python_functions.evaluate(self.name, self.digest, [np.asarray(x, np.float64) for x in given])


def elementwise(function: Callable[..., Any]) -> Elementwise:
    """Return `function` for use in epilogues, compiled as it stands: with its branches, its loops and its calls of `math`.

    Kernels of a CPU hold it, compiled by numba; others refuse it. Functions that can be traced need not be given here, and all backends
    have those.

    Parameters
    ----------
    function : callable
        A Python function of one or more numbers that returns a number. It may call others, read numbers and use `math`; what it reads
        from outside counts as a constant. It must not raise, and is given float64 values.

    Raises
    ------
    OptionError
        If it reads arrays or does more than compute a number, or numba is not installed.

    Examples
    --------
    >>> import math
    >>> @elementwise
    ... def soft_clip(x, limit):
    ...     if abs(x) < limit:
    ...         return x
    ...     return math.copysign(limit + math.log1p(abs(x) - limit), x)
    >>> float(soft_clip(1.5, 2.0)), round(float(soft_clip(-3.0, 2.0)), 4)
    (1.5, -2.6931)
    """
    return Elementwise(function)
