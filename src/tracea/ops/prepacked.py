# SPDX-License-Identifier: MIT
"""Weights copied once into the panels that a processor multiplies from, for products that use them again and again.

A product packs its second operand at each call, since it cannot know that it has not changed. Whoever knows says so here. A torch
tensor counts its own changes, so it stays what it is and its copy is renewed when it has been written; a NumPy array does not, so
what is returned for it is a value of its own.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from tracea_core.errors import OptionError
from tracea_core.ops.problem import Options
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.prepack import PanelCopy, panel_copy

from tracea.arrays import NUMPY, adopt, kind_of

OPS = ("matmul", "linear")
"""Ops that take weights so, and how: ``matmul`` of shape (k, n), ``linear`` of shape (n, k)."""
_LINE = 64


class Prepacked:
    """A NumPy weight in panels: give it to `tracea.ops.matmul` or `tracea.ops.linear` in place of the array.

    Attributes
    ----------
    shape : tuple of int
        The weight's.
    op : str
        The op that it was packed for.
    dtype : numpy.dtype
        Its elements'.
    nbytes : int
        What the copy takes.
    """

    __slots__ = ("dtype", "kind", "matrix", "nbytes", "op", "options", "shape")

    def __init__(self, weight: Any, op: str) -> None:
        self.shape, self.dtype, self.op = tuple(weight.shape), weight.dtype, op
        matrix = weight.T if op == "linear" else weight
        copy = copy_of(NUMPY.spec(matrix))
        size = copy.elements * matrix.dtype.itemsize
        room = np.empty(size + _LINE, np.uint8)
        start = -room.ctypes.data % _LINE
        panels = room[start : start + size].view(matrix.dtype)
        copy.launch(NUMPY.pointer(matrix), NUMPY.pointer(panels))
        self.nbytes, self.options = size, options_of(copy.columns)
        self.kind = (self.dtype, op, copy.columns)  # what a plan depends on besides the matrix's shape and strides
        steps = (copy.columns * panels.itemsize, panels.itemsize)
        self.matrix = np.lib.stride_tricks.as_strided(panels, matrix.shape, steps, writeable=False)

    def __repr__(self) -> str:
        return f"Prepacked(shape={self.shape}, dtype={self.dtype}, op={self.op!r})"


def prepacked(weight: Any, op: str = "linear") -> Any:
    """Return a weight that products on the CPU use without packing it again.

    Parameters
    ----------
    weight : array
        Matrix of fp32 or fp64, of NumPy or PyTorch, any strides: shape (n, k) for ``linear``, (k, n) for ``matmul``.
    op : {"linear", "matmul"}
        Which op a NumPy array will be given to. A torch tensor serves both.

    Returns
    -------
    array or Prepacked
        A torch tensor: itself. `tracea.ops.linear`, `tracea.ops.matmul`, `tracea.torch` and compiled graphs that get this very
        tensor find the copy, made at its first use, renewed once its version counter or its address has changed, and freed with
        it. Writes that PyTorch does not count (through ``.data`` or an array that shares the memory) are not noticed.
        A NumPy array: a `Prepacked` with its present values; later changes of the array do not reach it.

    Raises
    ------
    OptionError
        If `op` is neither, or the tensor was made in inference mode, where PyTorch counts no changes.
    UnsupportedError
        If it is no matrix of fp32 or fp64 with elements, or not on the CPU.

    Examples
    --------
    >>> import numpy as np
    >>> from tracea.ops import linear
    >>> weight = prepacked(np.ones((3, 5), np.float32))
    >>> linear(np.ones((2, 5), np.float32), weight)
    array([[5., 5., 5.],
           [5., 5., 5.]], dtype=float32)
    """
    if op not in OPS:
        raise OptionError(f"weights are packed for {' or '.join(OPS)}, not for {op!r}", op="prepacked")
    if isinstance(weight, Prepacked):
        matching(weight, op)
        return weight
    if kind_of(weight) is None:
        weight = adopt(weight, "weight")
    if kind_of(weight) is not NUMPY:
        from tracea.torch import packed

        packed.register(weight)
        return weight
    return Prepacked(weight, op)


def matching(weight: Prepacked, op: str) -> Prepacked:
    """Return `weight` if it was packed for `op`.

    Raises
    ------
    OptionError
        If it was not.
    """
    if weight.op != op:
        raise OptionError(
            f"this weight was packed for {weight.op}", hint=f"prepacked(weight, op={op!r})", op=op, shape=weight.shape
        )
    return weight


@functools.lru_cache(maxsize=256)
def copy_of(spec: TensorSpec) -> PanelCopy:
    """Return the copy of such matrices into panels."""
    return panel_copy(spec, "cpu")


@functools.cache
def options_of(columns: int) -> Options:
    """Return the options of a product whose second operand lies in panels of so many columns."""
    return Options(panel_columns=columns)
