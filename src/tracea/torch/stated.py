# SPDX-License-Identifier: MIT
"""Operators that other modules define and `tracea.torch.kernels` plans and runs as its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from tracea_core.ops.problem import Problem

from tracea.torch import shapes


class Stated(NamedTuple):
    """What an operator of another module is: its problem (`tracea.ops.call.run`), its result's layout, and PyTorch's computation of it.

    `layout_of` takes both inputs, the epilogue and the settings; `in_torch` inputs and settings.
    """

    problem_of: Callable[..., Problem]
    layout_of: Callable[..., shapes.Layout]
    in_torch: Callable[..., torch.Tensor]


STATED: dict[str, Stated] = {}
"""Operators of other modules that are planned and run as those here."""
