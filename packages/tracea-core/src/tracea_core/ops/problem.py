# SPDX-License-Identifier: MIT
"""A problem: an op together with the tensors of one call, its epilogue and its options."""

from __future__ import annotations

import enum
import math
from typing import TypeAlias, Union

import msgspec
import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import AliasError, DTypeError, OptionError, ShapeError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.base import Array
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Expr, Operand
from tracea_core.ops.gemm import FusedGemmOp, GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.rowwise import NormalizeOp, NormOp, SoftmaxOp
from tracea_core.ops.scaled import ScaledGemmOp, ScaledGroupedGemmOp
from tracea_core.ops.sparse import BlockSparseGemmOp
from tracea_core.ops.spec import TensorSpec

AnyOp: TypeAlias = Union[
    GemmOp,
    FusedGemmOp,
    Conv2dOp,
    CroppedConv2dOp,
    Conv2dFiltersOp,
    ConvTranspose2dOp,
    AttentionOp,
    SoftmaxOp,
    NormOp,
    NormalizeOp,
    LowRankOp,
    BlockSparseGemmOp,
    GroupedGemmOp,
    ScaledGemmOp,
    ScaledGroupedGemmOp,
]
"""Any op; decodes from JSON by the class name stored with it."""

_STORE_TWICE = (
    GemmOp, FusedGemmOp, Conv2dOp, ConvTranspose2dOp, BlockSparseGemmOp, GroupedGemmOp, ScaledGemmOp, ScaledGroupedGemmOp,
)  # fmt: skip
"""Ops of one contraction, which has the values ahead of an activation in registers."""
_SUMMED = (GemmOp, FusedGemmOp, Conv2dOp)
"""Ops whose columns can be summed in the same pass; of products, those of two matrices."""
_MATRIX_OPS = (GemmOp, LowRankOp, BlockSparseGemmOp, GroupedGemmOp)
"""Ops whose output is a matrix product, so that a gate can pair its columns."""


class Neighbour(enum.Enum):
    """Where on its stream a part of a larger problem runs, of which the other parts write other elements of the same output."""

    FIRST = "first"
    BESIDE = "beside"  # needs nothing of the part before it
    AFTER = "after"  # overwrites elements that the part before it has written


class Options(Data, frozen=True):
    """What a caller allows.

    Attributes
    ----------
    deterministic : bool
        The same bits on every run.
    allow_fallback : bool
        A wider precision may stand in where no variant takes the dtype (visibly).
    allow_fp16 : bool
        fp16 may stand in for bf16, although its range is smaller.
    allow_tf32 : bool
        fp32 products may be rounded to tf32 first.
    tf32x3 : bool
        fp32 products may be made of three products of tf32: each factor is the sum of two, and what the three leave out is below
        3 · 2^-22 of the product. An infinite factor gives NaN.
    fast_accumulation : bool
        Sums of fp8 products may be kept in the about 14 bits of a matrix unit, instead of in fp32 after every 128 of them.
    alignment : int
        Bytes, a power of two up to 16, that every address is a multiple of.
    placed : tuple of int
        Inputs that a plan has put into workspaces of its own, aligned to 16 bytes whatever `alignment` says.
    exchanged : bool
        A plan gives the factors of a product each other's roles: columns of the output become rows of its tiles.
    panel_columns : int
        The second input of a product lies in panels of so many columns (`tracea_core.semantic.panels`), and its strides are those
        within a panel; 0 if it is an ordinary matrix.
    allow_winograd : bool, optional
        3×3 convolutions may multiply sums of pixels by sums of weights (Winograd's minimal filtering); a result may then be off by what
        is lost where large pixels of a window, or large weights, cancel.
    neighbour : Neighbour, optional
        Set for a part of a plan (`tracea_core.policy.output_phases`), so that its kernel may overlap those of other parts.
    """

    deterministic: bool = False
    allow_fallback: bool = True
    allow_fp16: bool = False
    allow_tf32: bool = False
    alignment: int = 16
    placed: tuple[int, ...] = ()
    fast_accumulation: bool = False
    exchanged: bool = False
    panel_columns: int = 0
    tf32x3: bool = False
    neighbour: Neighbour | msgspec.UnsetType = msgspec.UNSET
    allow_winograd: bool | msgspec.UnsetType = msgspec.UNSET

    def aligned(self, operand: int) -> int:
        """Return the bytes, up to 16, that the address of an input is a multiple of."""
        return 16 if operand in self.placed else self.alignment

    def __post_init__(self) -> None:
        if self.alignment not in (1, 2, 4, 8, 16):
            raise OptionError(f"addresses are aligned to 1, 2, 4, 8 or 16 bytes, not {self.alignment}")


class Problem(Data, frozen=True):
    """What is asked for, down to strides; two calls with equal problems share a plan.

    Attributes
    ----------
    op : AnyOp
        What is computed.
    inputs : tuple of TensorSpec
        In the op's order. Inputs of a GEMM may have batch axes of extent 1, or none, where they are shared.
    output : TensorSpec
        Where the result goes.
    epilogue : Epilogue
        What happens to the result before it is stored.
    epilogue_inputs : tuple of TensorSpec
        One for each operand of the epilogue.
    options : Options
        What the caller allows.

    Raises
    ------
    ShapeError, DTypeError, OptionError, AliasError
        If tensors do not fit the op, an epilogue operand does not fit the output, or the output overlaps itself.
    """

    op: AnyOp
    inputs: tuple[TensorSpec, ...]
    output: TensorSpec
    epilogue: Epilogue = IDENTITY
    epilogue_inputs: tuple[TensorSpec, ...] = ()
    options: Options = Options()

    def __post_init__(self) -> None:
        name = type(self.op).__name__
        shapes, dtypes = self.op.input_shapes(), self.op.input_dtypes()
        if len(self.inputs) != len(shapes):
            raise ShapeError(f"{name} takes {len(shapes)} inputs, {len(self.inputs)} were given")
        shared = isinstance(self.op, GemmOp | FusedGemmOp)
        for index, (spec, shape, dtype) in enumerate(zip(self.inputs, shapes, dtypes, strict=True)):
            if spec.shape != shape and not (shared and index < 2 and _broadcasts(spec.shape, shape)):
                raise ShapeError(
                    f"input {index} of {name} must have shape {shape}, not {spec.shape}",
                    shapes=tuple(given.shape for given in self.inputs),
                )
            if not _same_storage(spec.dtype, dtype):
                raise DTypeError(
                    f"input {index} of {name} must be {dtype.value}, not {spec.dtype.value}",
                    hint="Convert it, or state the op with its dtype",
                )
        self._check_gate(name)
        expected = self.output_shape
        if self.output.shape != expected:
            raise ShapeError(
                f"the output of {name} must have shape {expected}, not {self.output.shape}",
                inputs=tuple(given.shape for given in self.inputs),
            )
        self._check_output_dtype(name)
        if overlaps_itself(self.output):
            raise AliasError(
                "elements of the output share memory",
                hint="Give a contiguous out=, or a view that does not repeat elements",
                shape=self.output.shape,
                strides=self.output.strides,
            )
        self._check_epilogue(name)
        self._check_auxiliaries(name)

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of what is stored: the op's, with half the columns for a gated epilogue."""
        return self.epilogue.output_shape(self.op.output_shape())

    @property
    def gate_bytes(self) -> int:
        """Bytes from the columns of one gate to those of the next in a row of the second input; 0 if rows do not hold them."""
        rows = self.inputs[1].settled() if self.epilogue.gated else None
        return rows.shape[-1] // 2 * rows.dtype.bytes if rows is not None and rows.strides[-1] == 1 else 0

    def _check_gate(self, name: str) -> None:
        if not self.epilogue.gated:
            return
        if not isinstance(self.op, _MATRIX_OPS):
            raise OptionError("a gated epilogue pairs columns of a matrix product", op=name)
        if isinstance(self.op, GemmOp) and self.op.beta:
            raise OptionError("beta has no meaning with a gated epilogue", hint="Add c with Residual instead", op=name)
        if self.op.output_shape()[-1] % 2:
            raise ShapeError("a gated epilogue needs an even number of columns", op=name, shape=self.op.output_shape())

    def _check_output_dtype(self, name: str) -> None:
        declared, given = self.op.output_dtype(), self.output.dtype
        if not _same_storage(given, declared):
            raise DTypeError(
                f"the output of {name} must be {declared.value}, not {given.value}",
                hint="State the op with this out_dtype",
            )
        epilogue = self.op.epilogue if isinstance(self.op, FusedGemmOp) and self.epilogue.is_identity else self.epilogue
        narrowed = not given.is_float and (given is not DType.INT32 or self.op.input_dtypes()[0].is_float)
        if narrowed and epilogue.stored_dtype is not given:
            raise DTypeError(
                f"{name} of {self.op.input_dtypes()[0].value} cannot be stored as {given.value} without saying how to round",
                hint=f"End the epilogue with Quantize({given.value!r}, scale)",
            )

    def _check_epilogue(self, name: str) -> None:
        operands, specs = self.epilogue.operands, self.epilogue_inputs
        if len(specs) != len(operands):
            raise ShapeError(f"the epilogue takes {len(operands)} operands, {len(specs)} were given", op=name)
        for slot, (operand, spec) in enumerate(zip(operands, specs, strict=True)):
            if operand.axes is OperandAxes.ROW and self.op.column_axis != -1:
                raise OptionError(
                    f"the epilogue operand {operand.name!r} has one value per matrix row; a convolution has channels",
                    hint="Give it one value per output channel",
                    op=name,
                )
            shape = self.epilogue.operand_shape(slot, self.output.shape, self.op.column_axis)
            if operand.axes is OperandAxes.FULL:
                fits, wanted = spec.shape == shape, f"the output's shape {shape}"
            elif operand.axes is OperandAxes.SUMS:
                fits, wanted = spec.shape == shape, f"shape {shape}: three for each block of rows and each column"
            elif operand.axes is OperandAxes.SCALAR:
                fits, wanted = spec.size == 1, "a single element"
            else:
                extent = shape[0]
                fits = spec.rank >= 1 and spec.shape[-1] == extent and all(e == 1 for e in spec.shape[:-1])
                fits = fits or self.by_group(slot)
                wanted = f"shape ({extent},): one element per {operand.axes.value}"
                if isinstance(self.op, GroupedGemmOp) and operand.axes is OperandAxes.COLUMN:
                    wanted += f", or ({self.op.groups}, {extent}): a row of them per group"
            if not fits:
                raise ShapeError(
                    f"the epilogue operand {operand.name!r} must have {wanted}; its shape is {spec.shape}", op=name
                )

    def _check_auxiliaries(self, name: str) -> None:
        for slot in self.epilogue.auxiliaries:
            spec = self.epilogue_inputs[slot]
            if not isinstance(self.op, _STORE_TWICE):
                raise OptionError(f"{name} stores no second result", hint="Compute it in a call of its own", op=name)
            if not spec.dtype.is_float:
                raise DTypeError(
                    f"a second result is a floating-point number, not {spec.dtype.value}", hint="Give another array"
                )
            if overlaps_itself(spec):
                raise AliasError("elements of a second result share memory", hint="Give a contiguous array")

        if self.epilogue.sums is None:
            return
        spec = self.epilogue_inputs[-1]
        if not isinstance(self.op, _SUMMED) or isinstance(self.op, CroppedConv2dOp) or len(self.output.shape) == 3:
            raise OptionError(f"{name} sums no columns", hint="Compute the sums in a call of their own")
        wanted = DType.FP64 if self.output.dtype is DType.FP64 else DType.FP32
        if spec.dtype is not wanted or not self.output.dtype.is_float:
            raise DTypeError(
                f"columns of {self.output.dtype.value} have no sums of {spec.dtype.value}",
                hint=f"Give an array of {wanted.value} for results in floating point",
            )
        if not spec.is_contiguous:
            raise ShapeError("sums of columns are stored to a contiguous array", strides=spec.strides)

    def auxiliary(self, slot: int) -> Problem:
        """Return the problem whose result is what this one stores to the epilogue operand in `slot`, normalized: of the same tensors."""
        plain = self.normalized()
        place = slot + len(self.inputs) - len(plain.inputs)
        spec, op = plain.epilogue_inputs[place], plain.op
        if "out_dtype" in op.__struct_fields__:
            op = op.replace(out_dtype=spec.dtype)
        epilogue = plain.epilogue.replace(expr=plain.epilogue.auxiliaries[place])
        return plain.replace(op=op, output=spec, epilogue=epilogue)

    def by_group(self, slot: int) -> bool:
        """Whether an epilogue operand with one element per column has a row of them for each group of a grouped product."""
        if not isinstance(self.op, GroupedGemmOp) or self.epilogue.operands[slot].axes is not OperandAxes.COLUMN:
            return False
        return self.epilogue_inputs[slot].shape == (self.op.groups, self.output.shape[-1])

    def flops(self) -> int:
        """Return the op's operations."""
        return self.op.flops()

    def bytes(self) -> int:
        """Return the fewest bytes that must move; what is broadcast is read once."""
        return sum(spec.bytes for spec in (*self.inputs, *self.epilogue_inputs, self.output))

    @property
    def is_empty(self) -> bool:
        """Whether the output has no element."""
        return math.prod(self.output.shape) == 0

    def signature(self) -> str:
        """Return a key that is the same in every process for equal problems."""
        return self.digest()

    def normalized(self) -> Problem:
        """Return an equal problem in which everything that follows the sum is in the epilogue.

        Before: ``GemmOp(…, alpha=2, beta=1)`` with inputs a, b, c and epilogue ReLU. After: ``GemmOp(…)`` with inputs a, b and the
        epilogue ``relu(acc·2 + c·1)``, whose operand 0 is c. A `FusedGemmOp` is taken apart in the same way. The tensors keep their order
        (inputs, then epilogue operands) but for the output, so a launch passes the same pointers.
        """
        op = self.op
        if isinstance(op, FusedGemmOp):
            count = len(op.gemm.input_shapes())
            return Problem(
                op.gemm,
                self.inputs[:count],
                self.output,
                op.epilogue.then(self.epilogue),
                (*self.inputs[count:], *self.epilogue_inputs),
                self.options,
            ).normalized()
        if not isinstance(op, GemmOp) or (op.alpha == 1.0 and op.beta == 0.0):
            return self
        expr: Expr = Accumulator()
        if op.alpha != 1.0:
            expr = Binary(BinaryFn.MUL, expr, Constant(op.alpha))
        operands: tuple[EpilogueOperand, ...] = ()
        if op.beta:
            added: Expr = Operand(0)
            if op.beta != 1.0:
                added = Binary(BinaryFn.MUL, added, Constant(op.beta))
            expr = Binary(BinaryFn.ADD, expr, added)
            operands = (EpilogueOperand("c", OperandAxes.FULL),)
        first = Epilogue(expr, operands)
        return Problem(
            op.replace(alpha=1.0, beta=0.0),
            self.inputs[:2],
            self.output,
            first.then(self.epilogue),
            (*self.inputs[2:], *self.epilogue_inputs),
            self.options,
        )

    def reference(self, *tensors: npt.ArrayLike) -> Array:
        """Return the result in float64.

        Parameters
        ----------
        *tensors : array_like
            Values of the inputs, then of the epilogue's operands.

        Raises
        ------
        ShapeError
            If there are more or fewer than the problem takes.
        """
        count = len(self.inputs)
        if len(tensors) != count + len(self.epilogue_inputs):
            raise ShapeError(f"the problem takes {count} inputs and {len(self.epilogue_inputs)} epilogue operands")
        values = [np.asarray(tensor, np.float64) for tensor in tensors]
        flat, operands = self.spread_groups(values[:count], values[count:])
        return flat.epilogue.reference(self.op.reference(*values[:count]), operands, self.op.column_axis)

    def spread_groups(self, inputs: list[Array], operands: list[Array]) -> tuple[Problem, list[Array]]:
        """Return an equal problem none of whose epilogue operands has rows by group, and its operands: those rows, repeated."""
        if not any(map(self.by_group, range(len(operands)))):
            return self, operands
        assert isinstance(self.op, GroupedGemmOp)
        stated, specs = list(self.epilogue.operands), list(self.epilogue_inputs)
        for slot in filter(self.by_group, range(len(operands))):
            spread = np.zeros(self.output.shape)
            for group, rows in enumerate(self.op.rows(inputs[2])):
                spread[rows.start : rows.stop] = operands[slot][group]
            operands = [*operands[:slot], spread, *operands[slot + 1 :]]
            stated[slot] = EpilogueOperand(stated[slot].name, OperandAxes.FULL)
            specs[slot] = TensorSpec.contiguous(self.output.shape, specs[slot].dtype)
        epilogue = self.epilogue.replace(operands=tuple(stated))
        return self.replace(epilogue=epilogue, epilogue_inputs=tuple(specs)), operands


def _same_storage(given: DType, wanted: DType) -> bool:
    """Whether a tensor of one type serves where the other is asked for; tf32 is fp32 in memory."""
    single = (DType.FP32, DType.TF32)
    return given is wanted or (given in single and wanted in single)


def _broadcasts(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether `given` has the matrix axes of `wanted` and batch axes that broadcast to it."""
    if given == wanted:
        return True
    if len(given) > len(wanted) or len(given) < 2 or given[-2:] != wanted[-2:]:
        return False
    return all(g in (1, w) for g, w in zip(reversed(given[:-2]), reversed(wanted[:-2]), strict=False))


def overlaps_itself(spec: TensorSpec) -> bool:
    """Whether two elements may share memory: sorted strides must each step over all that the smaller ones reach."""
    if 0 in spec.shape:
        return False
    reach = 0
    for stride, extent in sorted((abs(s), e) for s, e in zip(spec.strides, spec.shape, strict=True) if e > 1):
        if stride <= reach:
            return True
        reach += stride * (extent - 1)
    return False
