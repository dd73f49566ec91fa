# SPDX-License-Identifier: MIT
"""The stages that users write, as in ``BiasAdd(b) | Gelu()`` or ``BatchNorm(mean, var, gamma, beta) | ReLU()``.

Each checks what it is given when it is made, so a wrong vector is reported where it was written and not at some later call.
"""

from __future__ import annotations

import math
from typing import Any

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.named import (
    Activation,
    activation,
    activation_names,
    parse_epilogue,
    register_activation,
    stage_names,
)
from tracea_core.ops.stages import Chain, Lambda, Stage, StageLike, as_chain, check_array, check_number, structure

__all__ = [
    "Activate", "Activation", "Auxiliary", "BatchNorm", "BiasAdd", "Chain", "Clamp", "GeGLU", "Gelu", "Lambda", "Quantize", "ReLU",
    "Residual", "Scale", "SiLU", "Sigmoid", "Stage", "StageLike", "SwiGLU", "Tanh", "activation", "activation_names", "as_chain",
    "parse_epilogue", "register_activation", "stage_names",
]  # fmt: skip


class BiasAdd(Stage):
    """x + b, one value for each output column (channel of a convolution).

    Parameters
    ----------
    b : array of shape (n,)
        NumPy array, torch tensor or other DLPack object.

    Raises
    ------
    ShapeError
        If `b` does not have one axis.
    """

    __slots__ = ()

    def __init__(self, b: Any) -> None:
        check_array("the bias", b, rank=1)
        super().__init__(structure("bias"), (b,))


class Residual(Stage):
    """x + r, where `r` has the shape of the output."""

    __slots__ = ()

    def __init__(self, r: Any) -> None:
        check_array("the residual", r)
        super().__init__(structure("residual"), (r,))


class Auxiliary(Stage):
    """x, which is also stored to `out`: a second result, such as the value ahead of an activation, which training needs.

    ``BiasAdd(b) | Auxiliary(pre) | Gelu()`` writes x @ w + b to `pre` in the same pass, rounded to its type; what follows takes the
    value as it was in registers.

    Parameters
    ----------
    out : array
        Of the result's shape (ahead of a gate, of the product's, with twice the columns), in a floating-point type.
        It must overlap neither the result nor anything that is read.
    """

    __slots__ = ()

    def __init__(self, out: Any) -> None:
        check_array("an auxiliary result", out)
        super().__init__(structure("auxiliary"), (out,))


class Scale(Stage):
    """x · value.

    Parameters
    ----------
    value : float or array
        A number, which becomes part of the kernel; or an array, which does not: of one element, of shape (n,) with one for each
        column, or of the output's shape.
    axes : OperandAxes or str, optional
        How an array is spread, where its shape does not say it: ``row`` for one value per row.

    Raises
    ------
    OptionError
        If the number is not finite.
    ShapeError
        If the array does not have the shape that `axes` asks for.
    """

    __slots__ = ()

    def __init__(self, value: Any, axes: OperandAxes | str | None = None) -> None:
        if not hasattr(value, "shape") or (axes is None and not hasattr(value, "__dlpack__")):
            if axes is not None:
                raise OptionError("only an array has axes")
            super().__init__(structure("scale_constant", check_number("a scale", value)))
            return
        super().__init__(structure("scale_by", _axes("the scale", value, axes)), (value,))


class BatchNorm(Stage):
    """(x − mean)/√(var + eps)·gamma + beta with stored statistics, per column (channel of a convolution).

    Parameters
    ----------
    mean, var : arrays of shape (n,)
        Running statistics.
    gamma, beta : arrays of shape (n,), optional
        Learned scale and shift.
    eps : float
        Added to the variance; positive.

    Raises
    ------
    OptionError
        If `eps` is not positive and finite.
    ShapeError
        If the vectors differ in length.
    """

    __slots__ = ()

    def __init__(self, mean: Any, var: Any, gamma: Any = None, beta: Any = None, eps: float = 1e-5) -> None:
        epsilon = check_number("eps", eps, positive=True)
        given = {"mean": mean, "var": var, "gamma": gamma, "beta": beta}
        vectors = {name: vector for name, vector in given.items() if vector is not None or name in ("mean", "var")}
        shapes = {name: check_array(name, vector, rank=1) for name, vector in vectors.items()}
        if len(set(shapes.values())) > 1:
            raise ShapeError(
                "the vectors of a batch norm have one value for each channel", op="batch_norm", shapes=shapes
            )
        super().__init__(
            structure("batch_norm", epsilon, gamma is not None, beta is not None),
            tuple(vectors.values()),
        )


class Clamp(Stage):
    """x kept between `lo` and `hi`; either may be None.

    Raises
    ------
    OptionError
        If both are None, one is not finite, or ``lo > hi``.
    """

    __slots__ = ()

    def __init__(self, lo: float | None = None, hi: float | None = None) -> None:
        low = None if lo is None else check_number("the lower bound", lo)
        high = None if hi is None else check_number("the upper bound", hi)
        if low is not None and high is not None and low > high:
            raise OptionError(f"the lower bound {low} is above the upper bound {high}", op="clamp")
        super().__init__(structure("clamp", low, high))


class Quantize(Stage):
    """x/scale + zero_point rounded to nearest even and stored as `dtype`; values beyond its range saturate.

    Parameters
    ----------
    dtype : DType or str
        The stored type; the op's ``out_dtype`` must be the same.
    scale : float or array
        A positive number, an array of one element, or one of shape (n,).
    zero_point : int
        Added after rounding; only for integer types, and within their range.

    Raises
    ------
    OptionError
        If the scale is not finite and positive, or the zero point does not fit.
    """

    __slots__ = ()

    def __init__(
        self, dtype: DType | str, scale: Any = 1.0, zero_point: int = 0, axes: OperandAxes | str | None = None
    ) -> None:
        kind = DType.parse(dtype) if isinstance(dtype, str) else dtype
        if isinstance(zero_point, bool) or not isinstance(zero_point, int):
            raise OptionError(f"a zero point is an integer, not {zero_point!r}")
        if zero_point and (kind.is_float or not kind.lowest <= zero_point <= kind.largest):
            raise OptionError(f"the zero point {zero_point} does not fit {kind.value}")
        if hasattr(scale, "__dlpack__"):
            super().__init__(structure("quantize", kind, _axes("the scale", scale, axes), zero_point), (scale,))
        else:
            factor = check_number("a scale", scale, positive=True)
            super().__init__(structure("quantize", kind, factor, zero_point))


class Activate(Stage):
    """The activation called `name`; plugins add theirs (see `register_activation`)."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        super().__init__(structure("activation_epilogue", name))


class ReLU(Stage):
    """max(x, 0); NaN stays NaN."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(structure("activation_epilogue", "relu"))


class Gelu(Stage):
    """x·Φ(x), exactly (``"none"``) or by the ``"tanh"`` formula."""

    __slots__ = ()

    def __init__(self, approximate: str = "none") -> None:
        _check_gelu(approximate)
        super().__init__(structure("activation_epilogue", "gelu" if approximate == "none" else "gelu_tanh"))


class SiLU(Stage):
    """x/(1 + e⁻ˣ), also called swish."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(structure("activation_epilogue", "silu"))


class Sigmoid(Stage):
    """1/(1 + e⁻ˣ)."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(structure("activation_epilogue", "sigmoid"))


class Tanh(Stage):
    """The hyperbolic tangent."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(structure("activation_epilogue", "tanh"))


class SwiGLU(Stage):
    """silu(gate)·up: the first half of the product's columns gates the second, so the output has half as many."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(structure("swiglu"))


class GeGLU(Stage):
    """gelu(gate)·up, the gate exactly (``"none"``) or by the ``"tanh"`` formula; halves of the columns are as for `SwiGLU`."""

    __slots__ = ()

    def __init__(self, approximate: str = "none") -> None:
        _check_gelu(approximate)
        super().__init__(structure("geglu", approximate))


def _check_gelu(approximate: str) -> None:
    if approximate not in ("none", "tanh"):
        raise OptionError(f"gelu has no approximation {approximate!r}", hint="Use 'none' or 'tanh'")


def _axes(name: str, array: Any, axes: OperandAxes | str | None) -> OperandAxes:
    """Return how an array is spread over the output."""
    shape = check_array(name, array)
    if axes is None:
        if math.prod(shape) == 1:
            return OperandAxes.SCALAR
        return OperandAxes.COLUMN if len(shape) == 1 else OperandAxes.FULL
    known = {member.value: member for member in OperandAxes if member is not OperandAxes.SUMS}  # which nothing reads
    chosen = axes if isinstance(axes, OperandAxes) else known.get(axes)
    if chosen is None or chosen is OperandAxes.SUMS:
        raise OptionError(f"{axes!r} are no axes", hint="Known: " + ", ".join(known))
    if chosen is OperandAxes.SCALAR and math.prod(shape) != 1:
        raise ShapeError(f"{name} must have one element", shape=shape)
    if chosen in (OperandAxes.ROW, OperandAxes.COLUMN) and len(shape) != 1:
        raise ShapeError(f"{name} must have one axis", shape=shape, axes=chosen.value)
    return chosen
