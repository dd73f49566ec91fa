# SPDX-License-Identifier: MIT
"""One way to compute a product, as a value: which operands are copied first, whether the reduction is divided, and what it should take."""

from __future__ import annotations

import math

from tracea_core.data import Data
from tracea_core.doctor.choose import Choice
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec

CHUNK = 16
"""Bytes that wide copies move, and that rows and addresses are then multiples of."""


class Packing(Data, frozen=True, kw_only=True):
    """An operand that is copied into a workspace before the product.

    Attributes
    ----------
    operand : int
        Which input.
    copied : TensorSpec
        How it lies in the workspace: the same shape, aligned rows.
    along : int
        The axis along which rows run, -1 or -2.
    depth : int
        Elements that are written in each row, zeros included.
    reason : str
        Why it is not read in place.
    transposed : bool
        Whether its rows run across those that it has.
    pixel : int
        Elements of a pixel, where rows are whole lines of images or filters; 0 where they are not.
    lead : int
        Pixels of zeros before each line.
    together : int
        Lines of an image that share such a row, the pixels of a column next to each other.
    above : int
        Lines of zeros above each image, where lines share rows.
    merged : int
        Groups of filters that become one, the channels of the others zero in each; 0 where groups stay as they are.
    window : tuple of int, optional
        Lines and columns of a window, where rows are windows that do not overlap.
    channels_last : bool
        Whether channels run fastest in such a window, or slowest.
    """

    operand: int
    copied: TensorSpec
    along: int
    depth: int
    reason: str
    transposed: bool = False
    pixel: int = 0
    lead: int = 0
    together: int = 1
    above: int = 0
    merged: int = 0
    window: tuple[int, int] | None = None
    channels_last: bool = False

    @property
    def bytes(self) -> int:
        """Size of the workspace."""
        matrices = math.prod(self.copied.shape[:-2])
        across = self.copied.shape[-3 - self.along]
        return matrices * across * self.copied.strides[-3 - self.along] * self.copied.dtype.bytes


class Arrangement(Data, frozen=True, kw_only=True):
    """One way to compute a product.

    Attributes
    ----------
    problem : Problem
        What the contraction computes: the product asked for, reading copies; or partial sums of it, one matrix for each part.
    packed : tuple of Packing
        The operands that are copied.
    partial : TensorSpec, optional
        The partial sums, shape (parts, m, n), where the reduction is divided.
    stored : TensorSpec, optional
        The output as the contraction stores it, in a workspace with aligned rows, from where it is copied.
    seconds : float
        The estimate; see the module's text.
    reason : str
        The estimate's terms.
    """

    problem: Problem
    packed: tuple[Packing, ...] = ()
    partial: TensorSpec | None = None
    stored: TensorSpec | None = None
    seconds: float = 0.0
    reason: str = ""

    @property
    def parts(self) -> int:
        """Kernels' worth of reduction whose sums are added afterwards; 1 if it is not divided."""
        return 1 if self.partial is None else self.partial.shape[0]

    @property
    def stored_bytes(self) -> int:
        """Size of the workspace that the output is stored in, 0 if there is none."""
        if self.stored is None:
            return 0
        return math.prod(self.stored.shape[:-1]) * self.stored.strides[-2] * self.stored.dtype.bytes

    @property
    def kernels(self) -> int:
        """Kernels of the plan."""
        return 1 + len(self.packed) + (self.partial is not None) + (self.stored is not None)

    def describe(self) -> str:
        """Return the arrangement in a line."""
        words = [
            f"input {p.operand} {'transposed' if p.transposed else 'copied'} into rows of {_row(p)} bytes ({p.bytes:,} in all)"
            for p in self.packed
        ]
        if self.partial is not None:
            words.append(f"k in {self.parts} parts, sums added afterwards ({self.partial.bytes:,} bytes)")
        if self.stored is not None:
            row = self.stored.strides[-2] * self.stored.dtype.bytes
            words.append(f"output stored in rows of {row} bytes and copied ({self.stored_bytes:,} in all)")
        exchanged = "factors exchanged, " if self.problem.options.exchanged else ""
        text = exchanged + (" and ".join(words) or "one kernel, operands read in place")
        return f"{text}: {self.reason}" if self.reason else text


class Arranged(Data, frozen=True):
    """An arrangement and the variant that was chosen for its contraction."""

    arrangement: Arrangement
    choice: Choice


def _row(packing: Packing) -> int:
    return packing.copied.strides[-3 - packing.along] * packing.copied.dtype.bytes
