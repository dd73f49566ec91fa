# SPDX-License-Identifier: MIT
"""The gradient of filters as a contraction over pixels: one factor is the gradient of the output, the other one the images' windows.

out[k, (c, r, s)] = Σ over (n, p, q) of g[n, k, p, q]·x[n, c, y(p, r), x(q, s)] for each group. It is the convolution's own addressing
with other roles: what was a window's place along the reduction is now a column, and a pixel's coordinates run along it, so the product of
im2colᵀ and the gradient needs no im2col. Elements of a filter are numbered as they lie in memory.

Where there is padding, or the schedule moves tiles (GPUs), rows are output channels and the images are gathered, their padding a guard.
A copy engine walks over the windows of channels-last images: a step of the reduction is some pixels, across rows and images.
A CPU that reads one operand in place takes images without padding as that one: rows are then the elements of a filter, whole vectors of
output channels are columns, and nothing is gathered.
"""

from __future__ import annotations

from tracea_core.errors import UnsupportedError
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.pixels import pixel_step
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, KAxis, Named, Term, Windows
from tracea_core.semantic.index import Const, Guard, Index, Sym, at_least, less
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import Lowered, SymbolTable, operand_pointers, pointer

AXES = ("image", "p", "q")
"""Reduction axes, slowest first."""
_PLACES = ("c", "r", "s")


def lower_filters(problem: Problem, *, in_place: bool, walked: bool = False) -> Lowered:
    """Return the contraction form of a `Conv2dFiltersOp` problem.

    Parameters
    ----------
    in_place : bool
        Images without padding are the operand that the schedule reads in place.
    walked : bool
        A copy engine walks over the images, of which `tracea_core.ops.pixels.filters_are_walked` holds.

    Raises
    ------
    UnsupportedError
        If the output's filters are no runs of memory, or the epilogue reads anything but scalars and tensors of the output's shape.
    """
    return _FilterLowering(problem, in_place, walked).lowered()


class _FilterLowering:
    def __init__(self, problem: Problem, in_place: bool, walked: bool) -> None:
        assert isinstance(problem.op, Conv2dFiltersOp)
        self.problem, self.op, self.table = problem, problem.op, SymbolTable()
        self.x, self.g = problem.inputs[:2]
        self.in_place, self.walked = in_place and self.op.padding == (0, 0), walked
        self.windows: Windows | None = None
        op, table = self.op, self.table
        self.channel, self.element = (J, I) if self.in_place else (I, J)
        tall, wide, first = (
            ("m", "n", "k") if walked else ("k", "elements", "k_image")
        )  # as schedules with rings call them
        self.channels = table.extent(tall, op.k // op.groups, "output channels of a group")
        self.elements = table.extent(wide, op.c // op.groups * op.r * op.s, "elements of a filter")
        self.items: Index = Const(1)
        if not walked or op.parts > 1:
            self.items = table.extent("items", op.parts * op.groups, "parts of the images times groups")
        self.names: tuple[Named, ...] = ()
        self.part: Index = ITEM if self.items != Const(1) else Const(0)
        self.group: Index = Const(0)
        if op.groups > 1:
            groups = table.extent("groups", op.groups, "groups of channels", 1)
            self.names = (Named("group", ITEM % groups), Named("part", ITEM // groups))
            self.part, self.group = Sym("part"), Sym("group")
        lengths = (op.n // op.parts, *op.convolution.output_size)
        meanings = ("images of a part", "rows of the output image", "columns of the output image")
        self.extents = {
            name: table.extent(first if name == "image" else f"k_{name}", length, meaning, 1)
            for name, length, meaning in zip(AXES, lengths, meanings, strict=True)
        }
        self.first = self.part * self.extents["image"]
        self.order = _PLACES[1:] + _PLACES[:1] if walked else self._order(problem.output)

    def lowered(self) -> Lowered:
        op, table = self.op, self.table
        images, gradient = self._images(), self._gradient()
        out = self._filters("out", self.problem.output)
        terms = tuple(
            self._epilogue_term(f"{operand.name}_{slot}", operand.axes, spec)
            for slot, (operand, spec) in enumerate(
                zip(self.problem.epilogue.operands, self.problem.epilogue_inputs, strict=True)
            )
        )
        pixels = images if self.in_place else gradient
        form = Contraction(
            title=self._title(),
            m=self.elements if self.in_place else self.channels,
            n=self.channels if self.in_place else self.elements,
            items=self.items,
            k_axes=tuple(KAxis(name, self.extents[name]) for name in AXES),
            a_step=None, item_names=self.names,
            a=pixels, b=gradient if self.in_place else images, out=out,
            gates=1, windows=self.windows,
            compute=op.accumulator,
            epilogue=self.problem.epilogue,
            epilogue_terms=terms,
            parameters=(
                pointer("x", self.x.dtype, Direction.READ),
                pointer("g", self.g.dtype, Direction.READ),
                pointer("out", self.problem.output.dtype, Direction.WRITE),
                *operand_pointers(self.problem.epilogue, terms),
            ),
            symbols=tuple(table.symbols),
        )  # fmt: skip
        tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
        return Lowered(form, tuple(table.values), ("input0", "input1", "output", *tail))

    def _order(self, out: TensorSpec) -> tuple[str, ...]:
        """The axes of a filter in the order in which the output holds them, slowest first."""
        extents, strides = out.shape[-3:], out.strides[-3:]
        order = sorted(range(3), key=lambda axis: (extents[axis] > 1, -strides[axis]))
        longer = [axis for axis in order if extents[axis] > 1]
        step = strides[longer[-1]] if longer else 1
        for axis in reversed(longer):
            if strides[axis] != step:
                raise UnsupportedError(
                    "the elements of a filter's gradient do not follow one another", op="conv2d_filters"
                )
            step *= extents[axis]
        return tuple(_PLACES[axis] for axis in order)

    def _decoded(self) -> dict[str, Index]:
        """The channel, row and column of a filter's element."""
        op = self.op
        length = {"c": op.c // op.groups, "r": op.r, "s": op.s}
        rest: Index = self.element
        found: dict[str, Index] = {}
        for name in reversed(self.order[1:]):
            extent = self.table.extent(f"filter_{name}", length[name], f"extent of a filter along {name}", 1)
            found[name], rest = rest % extent, rest // extent
        return found | {self.order[0]: rest}

    def _images(self) -> Term:
        op, table, at = self.op, self.table, self._decoded()
        by_image, by_channel, by_row, by_column = (
            table.stride(f"x_{name}", stride, f"x: next {name}")
            for name, stride in zip(("image", "channel", "row", "column"), self.x.strides, strict=True)
        )
        step, spread = (
            [
                self._factor(f"{word}_{axis}", value, f"{word} along {axis}")
                for axis, value in zip("hw", pair, strict=True)
            ]
            for word, pair in (("stride", op.stride), ("dilation", op.dilation))
        )
        y0, x0 = at["r"] * spread[0], at["s"] * spread[1]
        guard: Guard = ()
        down, across = Sym("p") * step[0], Sym("q") * step[1]
        if op.padding != (0, 0) or self.walked:
            pad_h = table.extent("pad_h", op.padding[0], "rows of zeros above and below")
            pad_w = table.extent("pad_w", op.padding[1], "columns of zeros at both sides")
            height = table.extent("height", self.x.shape[2], "rows of the image")
            width = table.extent("width", self.x.shape[3], "columns of the image")
            y, x = Sym("y0") + down, Sym("x0") + across
            guard = (at_least(y, 0), less(y, height), at_least(x, 0), less(x, width))
            if self.walked:
                strides, pads = (by_channel, by_column, by_row, by_image), (pad_w, pad_h)
                element = (Sym("s") * spread[1], Sym("r") * spread[0])
                self.windows = self._windows((width, height), strides, pads, (step[1], step[0]), element)
            y0, x0 = y0 - pad_h, x0 - pad_w
        deep: Index = Const(0)
        if op.groups > 1:
            deep = self.group * table.extent("deep", op.c // op.groups, "input channels of a group")
        base = self.first * by_image + (deep + at["c"]) * by_channel
        along = Sym("image") * by_image + down * by_row + across * by_column
        if self.in_place:
            return Term("x", self.x.dtype, base + y0 * by_row + x0 * by_column + along)
        hoisted = (
            Named("y0", y0),
            Named("x0", x0),
            Named("x_base", base + Sym("y0") * by_row + Sym("x0") * by_column),
        )
        return Term("x", self.x.dtype, Sym("x_base") + along, guard, hoisted)

    def _factor(self, name: str, value: int, meaning: str) -> Index:
        """A factor of coordinates; 1 is fixed in the form, and those that an engine follows are positive."""
        return (
            self.table.extent(name, value, meaning, 1)
            if self.walked and value != 1
            else self.table.stride(name, value, meaning)
        )

    def _windows(
        self, size: tuple[Index, Index], strides: tuple[Index, ...], pads: tuple[Index, Index], step: tuple[Index, Index],
        element: tuple[Index, Index],
    ) -> Windows:  # fmt: skip
        """The images as an engine walks over them; pairs are of columns and rows."""
        images = self.extents["image"] * self.items
        first = (Const(0) - pads[0], Const(0) - pads[1])
        last = tuple((self.extents[name] - 1) * step[axis] - pads[axis] for axis, name in enumerate(("q", "p")))
        return Windows(
            operand="x", extents=(Sym("filter_c"), *size, images), strides=strides, first=first, last=(last[0], last[1]), step=step,
            element=element, named=0,
        )  # fmt: skip

    def _gradient(self) -> Term:
        if self.walked:
            pixel = (Sym("image") * self.extents["p"] + Sym("p")) * self.extents["q"] + Sym("q")
            step = pixel_step(self.g)
            assert step is not None
            each = pixel * self.table.stride("g_pixel", step, "g: next pixel") + self.channel
            if self.items == Const(1):
                return Term("g", self.g.dtype, each)
            part = self.op.reduction_length() * step
            return Term("g", self.g.dtype, self.part * self.table.stride("g_part", part, "g: next part") + each)
        by_image, by_channel, by_row, by_column = (
            self.table.stride(f"g_{name}", stride, f"g: next {name}")
            for name, stride in zip(("image", "channel", "row", "column"), self.g.strides, strict=True)
        )
        offset = (self.first + Sym("image")) * by_image + (self.group * self.channels + self.channel) * by_channel
        return Term("g", self.g.dtype, offset + Sym("p") * by_row + Sym("q") * by_column)

    def _filters(self, name: str, spec: TensorSpec) -> Term:
        """A tensor of the output's shape."""
        if not self.walked and self._order(spec) != self.order:
            raise UnsupportedError("an operand of the epilogue does not lie as the output does", op="conv2d_filters")
        lying = [stride for extent, stride in zip(spec.shape[-3:], spec.strides[-3:], strict=True) if extent > 1]
        element = self.table.stride(f"{name}_element", min(lying, default=1), f"{name}: next element of a filter")
        channel = self.table.stride(f"{name}_channel", spec.strides[-4], f"{name}: next output channel")
        offset = (self.group * self.channels + self.channel) * channel + self.element * element
        if self.op.parts > 1:
            offset = offset + self.part * self.table.stride(f"{name}_part", spec.strides[0], f"{name}: next part")
        return Term(name, spec.dtype, offset)

    def _epilogue_term(self, name: str, axes: OperandAxes, spec: TensorSpec) -> Term:
        if axes is OperandAxes.FULL:
            return self._filters(name, spec)
        if axes is OperandAxes.SCALAR:
            return Term(name, spec.dtype, Const(0))
        raise UnsupportedError(
            "a gradient of filters has neither rows nor columns that an epilogue could name", op="conv2d_filters",
            hint="Give it a scalar or a tensor of the gradient's shape",
        )  # fmt: skip

    def _title(self) -> str:
        grouped = ", grouped" if self.op.groups > 1 else ""
        roles = ", rows are their elements" if self.in_place else ""
        described = self.problem.epilogue.describe()
        words = f"gradient of filters {self.x.dtype.value}{roles}{grouped}"
        return f"{words}, epilogue {described}" if described else words
