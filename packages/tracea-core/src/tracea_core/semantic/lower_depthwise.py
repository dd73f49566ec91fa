# SPDX-License-Identifier: MIT
"""conv2d with few channels in each group as filters of channels on their own (`tracea_core.semantic.depthwise`)."""

from __future__ import annotations

from tracea_core.doctor.plane_windows import PIECE
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import I as PIXEL
from tracea_core.semantic.contraction import J, Term
from tracea_core.semantic.depthwise import IMAGE, LINE, C, Depthwise, Image, LoweredDepthwise, R, S
from tracea_core.semantic.index import Const, Index
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import SymbolTable, operand_names, operand_pointers, plain_problem, pointer

_SHORT = 16
"""Pixels of a line up to which its length is fixed in the form: a strip takes it whole, and what is padding is known when printing."""
STRIPPED = 128
"""The same where the first and the last strips of a line are printed on their own."""


def lower_depthwise(problem: Problem, short_line: int = _SHORT, *, planes: bool = False) -> LoweredDepthwise:
    """Return the form of a channels-last `Conv2dOp` problem, or of one of `planes`, and the values of its symbols.

    Lines of up to `short_line` pixels have their length fixed in the form, of planes those of one piece.
    """
    plain = plain_problem(problem)
    op, (x, w), out, table = plain.op, plain.inputs[:2], plain.output, SymbolTable()
    assert isinstance(op, Conv2dOp)
    images, _, height, width = out.shape
    short = max(width, x.shape[3]) <= PIECE if planes else width <= short_line
    m: Index = Const(width) if short else table.extent("m", width, "pixels of an output line", 1)
    n = table.extent("n", op.k, "output channels")
    lines = table.extent("lines", height, "lines of an output image", 1)
    items = table.extent("items", images * height, "lines of all output images")
    image = _planes(table, op, x, short) if planes else _image(table, op, x, short)
    stored = Term("out", out.dtype, _pixel(table, "out", out, planes))
    terms = []
    for slot, (operand, spec) in enumerate(zip(plain.epilogue.operands, plain.epilogue_inputs, strict=True)):
        terms.append(_operand(table, f"{operand.name}_{slot}", operand.axes, spec, planes))
    described = plain.epilogue.describe()
    groups = "depthwise" if op.groups == op.c else "grouped"
    form = Depthwise(
        title=f"conv2d {x.dtype.value}, {groups}" + (f", epilogue {described}" if described else ""),
        m=m, n=n, items=items, lines=lines, taps=(op.r, op.s), deep=op.c // op.groups,
        stride=op.stride, padding=op.padding, dilation=op.dilation, image=image,
        b=Term("w", w.dtype, _filter(table, op, w)), out=stored, compute=op.accumulator,
        epilogue=plain.epilogue, epilogue_terms=tuple(terms),
        parameters=(
            pointer("x", x.dtype, Direction.READ), pointer("w", w.dtype, Direction.READ), pointer("out", out.dtype, Direction.WRITE),
            *operand_pointers(plain.epilogue, terms),
        ),
        symbols=tuple(
            symbol.replace(maximum=_apart(out)) if symbol.name == "n" and not planes else symbol for symbol in table.symbols
        ),
    )  # fmt: skip
    tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
    names = operand_names(("input0", "input1", "output", *tail), problem, plain)
    return LoweredDepthwise(form, tuple(table.values), names)


def _image(table: SymbolTable, op: Conv2dOp, x: TensorSpec, short: bool) -> Image:
    deep, each = op.c // op.groups, op.k // op.groups
    group: Index = J // each if each > 1 else J
    channel = group * deep + C if deep > 1 else group
    by_image, by_row = (
        table.stride(f"x_{name}", x.strides[axis], f"x: next {name}") for name, axis in (("image", 0), ("row", 2))
    )
    return Image(
        dtype=x.dtype, origin=IMAGE * by_image + channel, by_row=by_row, by_column=Const(_apart(x)),
        height=table.extent("height", x.shape[2], "rows of the image"),
        width=Const(x.shape[3]) if short else table.extent("width", x.shape[3], "columns of the image"),
    )  # fmt: skip


def _planes(table: SymbolTable, op: Conv2dOp, x: TensorSpec, short: bool) -> Image:
    """An image whose channels are planes, pixels of a row next to each other."""
    group: Index = J // (op.k // op.groups) if op.k > op.groups else J
    by_image, by_channel, by_row = (
        table.stride(f"x_{name}", x.strides[axis], f"x: next {name}")
        for name, axis in (("image", 0), ("channel", 1), ("row", 2))
    )
    return Image(
        dtype=x.dtype, origin=IMAGE * by_image + group * by_channel, by_row=by_row, by_column=Const(1),
        height=table.extent("height", x.shape[2], "rows of the image"),
        width=Const(x.shape[3]) if short else table.extent("width", x.shape[3], "columns of the image"),
    )  # fmt: skip


def _filter(table: SymbolTable, op: Conv2dOp, w: TensorSpec) -> Index:
    """Where an element of a filter lies; one that is a run of memory has one distance less to be given."""
    by_filter = table.stride("w_out", w.strides[0], "w: next filter")
    if w.strides[2] == op.s * w.strides[3] or op.r == 1:
        place: Index = (R * op.s + S) * table.stride("w_tap", w.strides[3], "w: next element of a filter")
    else:
        place = R * table.stride("w_row", w.strides[2], "w: next row") + S * table.stride(
            "w_column", w.strides[3], "w: next column"
        )
    if op.c == op.groups:
        return J * by_filter + place
    return J * by_filter + place + C * table.stride("w_c", w.strides[1], "w: next channel")


def _pixel(table: SymbolTable, name: str, spec: TensorSpec, planes: bool) -> Index:
    """An element of a tensor of the output's shape, channels next to each other or, in planes, pixels of a line."""
    by_image, by_line = (
        table.stride(f"{name}_{word}", spec.strides[axis], f"{name}: next {word}")
        for word, axis in (("image", 0), ("line", 2))
    )
    if planes:
        by_channel = table.stride(f"{name}_channel", spec.strides[1], f"{name}: next channel")
        return IMAGE * by_image + J * by_channel + LINE * by_line + PIXEL
    return IMAGE * by_image + LINE * by_line + PIXEL * _apart(spec) + J


def _apart(spec: TensorSpec) -> int:
    """The distance of neighbouring pixels, which is fixed in the form: what a lane loads then lies at fixed places from its first pixel."""
    return spec.strides[3] if spec.shape[3] > 1 else spec.shape[1]


def _operand(table: SymbolTable, name: str, axes: OperandAxes, spec: TensorSpec, planes: bool) -> Term:
    if axes is OperandAxes.FULL:
        return Term(name, spec.dtype, _pixel(table, name, spec, planes))
    if axes is OperandAxes.SCALAR:
        return Term(name, spec.dtype, Const(0))
    step = spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0
    return Term(name, spec.dtype, J * table.stride(f"{name}_stride", step, f"{name}: next channel"))
