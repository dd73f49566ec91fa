# SPDX-License-Identifier: MIT
"""Attention as one op: softmax(scale·q·kᵀ)·v with causal and sliding-window masks, grouped heads and varying lengths."""

from __future__ import annotations

import math
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError
from tracea_core.ops.base import (
    Array,
    Op,
    Shape,
    check_accumulate,
    check_extents,
    check_finite,
    check_inputs,
)
from tracea_core.ops.rowwise import check_float

_NARROWEST = 2
"""Bytes of the numbers of a mask that are not of the queries' type, at least."""


class AttentionOp(Op, frozen=True, tag=True):
    """out = softmax(scale·q·kᵀ + bias + mask)·v for each head; a query that sees no key gives 0.

    Query i sees key j iff ``−left ≤ j − (i + keys − queries) ≤ right``: masks are aligned with the last query and key, as
    FlashAttention and decoding with a cache have it. Causal is ``right = 0``.

    Attributes
    ----------
    batch, heads : int
        Sequences, and query heads of each.
    queries, keys : int
        Length of the query and of the key sequence.
    head_dim : int
        Extent of q and k; `value_dim` that of v where it differs.
    kv_heads : int, optional
        Key and value heads; each serves ``heads / kv_heads`` query heads. As many as `heads` by default.
    causal : bool
        Whether keys after the query are hidden.
    left, right : int, optional
        Keys before and after the query that are seen (a sliding window); None leaves that side open.
    scale : float, optional
        Multiplies the scores; 1/√head_dim by default.
    lengths : bool
        Whether there is a fourth input, int32 of shape (batch,), with the number of valid keys of each sequence.
    bias : DType, optional
        Type of a fourth input of shape (batch, heads, queries, keys), a mask in memory: numbers of `dtype`, or of 16 bits to those of sums,
        that are added to the scaled scores (one that is −∞ then, or no more than the lowest number of the sums' type, is hidden), or, in
        uint8, 0 where a key is hidden. Not together with `lengths`.
    """

    family: ClassVar[str] = "chained"

    batch: int
    heads: int
    queries: int
    keys: int
    head_dim: int
    value_dim: int | None = None
    kv_heads: int | None = None
    causal: bool = False
    left: int | None = None
    right: int | None = None
    scale: float | None = None
    lengths: bool = False
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None
    bias: DType | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        name = "attention"
        check_extents(name, batch=self.batch, heads=self.heads, queries=self.queries, keys=self.keys)
        check_extents(name, head_dim=self.head_dim, value_dim=self.values_extent, kv_heads=self.groups_of_keys)
        if self.heads and (not self.groups_of_keys or self.heads % self.groups_of_keys):
            raise OptionError(
                f"{self.groups_of_keys} key heads must divide {self.heads} query heads", op=name, hint="Check kv_heads"
            )
        for side, value in (("left", self.left), ("right", self.right)):
            if value is not None and (type(value) is not int or value < 0):
                raise OptionError(f"{side} must be a non-negative integer or None, not {value!r}", op=name)
        if self.causal and self.right:
            raise OptionError(f"causal attention sees no key after the query, but right={self.right}", op=name)
        if self.scale is not None:
            check_finite(name, scale=self.scale)
        if self.head_dim == 0 and self.scale is None and self.queries * self.keys:
            raise OptionError(
                "head_dim is 0, so the default scale 1/√head_dim does not exist", op=name, hint="Set scale"
            )
        if self.bias is not msgspec.UNSET:
            if self.bias is not DType.UINT8:
                check_float(name, self.bias)
                if self.bias is not self.dtype and not _NARROWEST <= self.bias.bytes <= self.accumulator.bytes:
                    raise DTypeError(
                        f"a mask of {self.bias.value} is not added to sums of {self.accumulator.value}", op=name,
                        hint="Convert it to the type of the queries", dtype=self.bias.value,
                    )  # fmt: skip
            if self.lengths:
                raise OptionError(
                    "attention takes lengths or a bias of its scores, not both", op=name, hint="Hide keys by the bias"
                )
        check_float(name, self.dtype, self.out_dtype, self.accumulate)
        check_accumulate(name, (self.dtype,), self.accumulate)
        self.check_tensors()

    @property
    def values_extent(self) -> int:
        """Extent of v and of the output."""
        return self.head_dim if self.value_dim is None else self.value_dim

    @property
    def groups_of_keys(self) -> int:
        """Number of key and value heads."""
        return self.heads if self.kv_heads is None else self.kv_heads

    @property
    def factor(self) -> float:
        """What scores are multiplied by."""
        if self.scale is not None:
            return self.scale
        return 1 / math.sqrt(self.head_dim) if self.head_dim else 1.0

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of q, k, v and, if there are any, of the lengths or of the bias."""
        shapes = (
            (self.batch, self.heads, self.queries, self.head_dim),
            (self.batch, self.groups_of_keys, self.keys, self.head_dim),
            (self.batch, self.groups_of_keys, self.keys, self.values_extent),
        )
        if self.bias is not msgspec.UNSET:
            return (*shapes, (self.batch, self.heads, self.queries, self.keys))
        return (*shapes, (self.batch,)) if self.lengths else shapes

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return (self.batch, self.heads, self.queries, self.values_extent)

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of the inputs."""
        extra = DType.INT32 if self.lengths else self.bias
        return (self.dtype,) * 3 + (() if extra is msgspec.UNSET else (extra,))

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or self.dtype

    def visible(self, keys: int | None = None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return for each query the first key it sees and the one after the last, with `keys` valid keys (all by default)."""
        valid = self.keys if keys is None else keys
        diagonal = np.arange(self.queries, dtype=np.int64) + valid - self.queries
        right = 0 if self.causal else self.right
        first = np.zeros_like(diagonal) if self.left is None else np.maximum(diagonal - self.left, 0)
        after = np.full_like(diagonal, valid) if right is None else np.minimum(diagonal + right + 1, valid)
        return first, np.maximum(after, first)

    def mask(self, keys: int | None = None) -> npt.NDArray[np.bool_]:
        """Return which query (row) sees which key (column)."""
        first, after = self.visible(keys)
        column = np.arange(self.keys)
        seen: npt.NDArray[np.bool_] = (column >= first[:, np.newaxis]) & (column < after[:, np.newaxis])
        return seen

    def flops(self) -> int:
        """Return 2·(head_dim + value_dim) for each pair of a query and a key it sees (all lengths full)."""
        first, after = self.visible()
        pairs = int((after - first).sum())
        return 2 * self.batch * self.heads * pairs * (self.head_dim + self.values_extent)

    def reduction_length(self) -> int:
        """Return the longest of both sums."""
        return max(self.keys, self.head_dim)

    def reference(self, *inputs: Array) -> Array:
        """Return the attention in float64."""
        weights = self.probabilities(*inputs)
        return np.asarray(np.einsum("bhij,bhjd->bhid", weights, self._shared(inputs[2]), optimize=True))

    def probabilities(self, *inputs: Array) -> Array:
        """Return softmax(scale·q·kᵀ + bias + mask), of shape (batch, heads, queries, keys), in float64."""
        check_inputs(self, inputs)
        scores = self.factor * np.einsum("bhid,bhjd->bhij", inputs[0], self._shared(inputs[1]), optimize=True)
        if not scores.size:
            return np.asarray(scores)
        counts = [int(count) for count in inputs[3]] if self.lengths else [None] * self.batch
        seen = np.stack([self.mask(count) for count in counts])[:, np.newaxis]
        if self.bias is not msgspec.UNSET:
            hides = self.bias is DType.UINT8
            scores = np.where(inputs[3] == 0, -np.inf, scores) if hides else scores + inputs[3]
            seen = seen & (scores > self.accumulator.lowest)
        scores = np.where(seen, scores, -np.inf)
        top = scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores - np.where(np.isneginf(top), 0.0, top))
        total = weights.sum(axis=-1, keepdims=True)
        return np.asarray(weights / np.where(total == 0, 1.0, total))

    def _shared(self, array: Array) -> Array:
        """Repeat key or value heads for the query heads that share them."""
        return np.repeat(array, self.heads // max(self.groups_of_keys, 1), axis=1)
