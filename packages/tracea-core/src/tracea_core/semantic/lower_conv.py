# SPDX-License-Identifier: MIT
"""conv2d as a contraction without an im2col buffer: rows are output channels, columns are output pixels.

For one image and group, out[channel, pixel] = Σ over (c, r, s) of w[channel, c, r, s]·x[c, y(pixel, r), x(pixel, s)].
The weights are read in place, the image is gathered into panels with its padding as a guard, and both NCHW and
channels-last are merely strides. The pixel's coordinates are hoisted: they are divided out once a panel, never in the
reduction.
"""

from __future__ import annotations

from collections.abc import Mapping

from tracea_core.errors import UnsupportedError
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.pixels import copied_pixels
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import (
    HALO_CHANNEL,
    HALO_COLUMN,
    HALO_ROW,
    ITEM,
    Contraction,
    Halo,
    I,
    J,
    KAxis,
    Named,
    Term,
)
from tracea_core.semantic.index import Const, Guard, Index, Sym, at_least, ceil_div, less
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import Lowered, SymbolTable, operand_pointers, pointer


def places_of_taps(op: Conv2dOp, extents: Mapping[str, Index]) -> tuple[Index, Index]:
    """Return where in a window the taps of a filter's row ``r`` and column ``s`` lie, in taps: from its end on where filters lie turned.

    Parameters
    ----------
    extents : mapping
        Those of the filter, by the names ``r`` and ``s``.
    """
    if isinstance(op, CroppedConv2dOp) and op.turned:
        return extents["r"] - 1 - Sym("r"), extents["s"] - 1 - Sym("s")
    return Sym("r"), Sym("s")


def lower_conv2d(problem: Problem) -> Lowered:
    """Return the contraction form of a `Conv2dOp` problem.

    Raises
    ------
    UnsupportedError
        If an epilogue operand has one value per output row, which a convolution does not have, or the epilogue is
        gated.
    """
    return _ConvLowering(problem).lowered()


_TAPS = ("k_r", "k_s")


def of_three_taps(lowered: Lowered) -> Lowered:
    """Return the form of a convolution for filters of 3×3 elements alone, what a schedule of minimal filtering takes."""
    form = lowered.contraction
    fixed = (s.replace(minimum=3, maximum=3) if s.name in _TAPS else s for s in form.symbols)
    return lowered.replace(contraction=form.replace(symbols=tuple(fixed)))


class _ConvLowering:
    def __init__(self, problem: Problem) -> None:
        assert isinstance(problem.op, Conv2dOp)
        self.problem, self.op = problem, problem.op
        self.x, self.w = problem.inputs[:2]
        self.out = problem.output
        self.table = SymbolTable()
        self.group_step: Index | None = None
        if self.w.rank == 5:  # the filters of a group lie anywhere from those of another
            self.group_step = self.table.stride("w_group", self.w.strides[0], "w: next group")
            self.w = TensorSpec(self.w.shape[1:], self.w.dtype, self.w.strides[1:])
        self.columns_out = self.table.extent("out_width", self.out.shape[3], "columns of the output image", 1)
        self.image: Index = ITEM
        self.group: Index = Const(0)
        self.item_names: tuple[Named, ...] = ()
        if self.op.groups > 1:
            groups = self.table.extent("groups", self.op.groups, "groups of channels", 1)
            self.item_names = (Named("group", ITEM % groups), Named("image", ITEM // groups))
            self.image, self.group = Sym("image"), Sym("group")
        self.row_out, self.column_out = J // self.columns_out, J % self.columns_out
        self._halo: Halo | None = None

    def lowered(self) -> Lowered:
        op, epilogue = self.op, self.problem.epilogue
        if epilogue.gated:
            raise UnsupportedError("a gated epilogue pairs columns of a matrix product", op="conv2d")
        channels = self.w.shape[1]
        table = self.table
        m = table.extent("m", op.k // op.groups, "output channels of a group")
        n = table.extent("n", self.out.shape[2] * self.out.shape[3], "output pixels of an image")
        items = table.extent("items", self.x.shape[0] * op.groups, "images times groups")
        extents = {"c": channels, "r": self.w.shape[2], "s": self.w.shape[3]}
        extent = {name: table.extent(f"k_{name}", value, f"reduction axis {name}") for name, value in extents.items()}
        strides = dict(zip("crs", self.w.strides[1:], strict=True))
        order = sorted("crs", key=lambda name: -abs(strides[name]) if extents[name] > 1 else 0)
        flat, a_step = self._flat(order, extents, strides)
        by_filter = table.stride("w_out", self.w.strides[0], "w: next output channel")
        weights = (self.group * m + I) * by_filter
        if self.group_step is not None:
            weights = self.group * self.group_step + I * by_filter
        steps = (
            {name: self.table.stride(f"w_{name}", strides[name], f"w: next along {name}") for name in order}
            if not flat
            else {}
        )
        for name, stride in steps.items():
            weights = weights + Sym(name) * stride
        if a_step is not None:
            position: Index = Const(0)
            for name in order:
                position = position * extent[name] + Sym(name)
            weights = weights + position * a_step
        terms = [
            self._epilogue_term(slot, operand.name, operand.axes, spec, m)
            for slot, (operand, spec) in enumerate(zip(epilogue.operands, self.problem.epilogue_inputs, strict=True))
        ]
        image = self._image_term(extent)
        form = Contraction(
            title=self._title(),
            m=m, n=n, items=items,
            k_axes=tuple(KAxis(name, extent[name]) for name in order),
            a_step=a_step,
            item_names=self.item_names,
            a=Term("w", self.w.dtype, weights),
            b=image,
            out=self._output_term("out", self.out, m),
            gates=1,
            compute=op.accumulator,
            epilogue=epilogue,
            epilogue_terms=tuple(terms),
            halo=self._halo,
            parameters=(
                pointer("x", self.x.dtype, Direction.READ),
                pointer("w", self.w.dtype, Direction.READ),
                pointer("out", self.out.dtype, Direction.WRITE),
                *operand_pointers(epilogue, terms),
            ),
            symbols=tuple(table.symbols),
        )  # fmt: skip
        tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
        return Lowered(form, tuple(table.values), ("input0", "input1", "output", *tail))

    def _flat(self, order: list[str], extents: dict[str, int], strides: dict[str, int]) -> tuple[bool, Index | None]:
        """Whether the weights of one output channel lie at a constant step in the order in which K is packed."""
        step = 1
        inner = [name for name in order if extents[name] > 1]
        if inner:
            step = strides[inner[-1]]
        expected = step
        for name in reversed(inner):
            if strides[name] != expected:
                return False, None
            expected *= extents[name]
        return True, self.table.stride("w_step", step, "w: next along the reduction")

    def _factor(self, name: str, value: int, meaning: str) -> Index:
        return self.table.stride(name, value, meaning)

    def _image_term(self, extent: dict[str, Index]) -> Term:
        op, spec, table = self.op, self.x, self.table
        names = ("x_image", "x_c", "x_row", "x_column")
        strides = tuple(
            table.stride(name, stride, f"x: {name[2:]} stride")
            for name, stride in zip(names, spec.strides, strict=True)
        )
        by_image, by_channel, by_row, by_column = strides
        base = self.image * by_image + self.group * Sym("k_c") * by_channel
        pointwise = (
            op.r == op.s == 1 and op.stride == (1, 1) and op.padding == (0, 0) and op.output_size == (op.h, op.w)
        )
        linear = spec.strides[2] == spec.shape[3] * spec.strides[3] or spec.shape[2] == 1
        alone = copied_pixels(self.problem)
        if pointwise and linear:
            if alone:
                places = (Const(1), Const(0), Const(0)), (Sym("n"), J, HALO_COLUMN * by_column)
                self._halo = self._pixels_alone(*places, base + HALO_CHANNEL * by_channel)
            return Term("x", spec.dtype, base + Sym("c") * by_channel + J * by_column)
        step = [
            self._factor(f"stride_{axis}", value, f"stride along {axis}")
            for axis, value in zip("hw", op.stride, strict=True)
        ]
        spread = [
            self._factor(f"dilation_{axis}", value, f"dilation along {axis}")
            for axis, value in zip("hw", op.dilation, strict=True)
        ]
        y0, x0 = self.row_out * step[0], self.column_out * step[1]
        if isinstance(op, CroppedConv2dOp) and op.origin != (0, 0):
            y0 = y0 + table.extent("origin_h", op.origin[0], "row of the padded image at which windows begin")
            x0 = x0 + table.extent("origin_w", op.origin[1], "column of the padded image at which windows begin")
        first = (y0, x0)
        guard: Guard = ()
        if op.padding != (0, 0):
            y0 = y0 - table.extent("pad_h", op.padding[0], "rows of zeros above and below")
            x0 = x0 - table.extent("pad_w", op.padding[1], "columns of zeros at both sides")
        found = Named("x_base", base + Sym("y0") * by_row + Sym("x0") * by_column)
        if alone:
            rows = (ceil_div(Sym("n"), self.columns_out), self.row_out, HALO_ROW * step[0] * by_row)
            columns = (self.columns_out, self.column_out, HALO_COLUMN * step[1] * by_column)
            self._halo = self._pixels_alone(rows, columns, base + HALO_CHANNEL * by_channel)
            hoisted = (Named("y0", y0), Named("x0", x0), found)
            return Term("x", spec.dtype, Sym("x_base") + Sym("c") * by_channel, (), hoisted)
        down, across = (place * each for place, each in zip(places_of_taps(op, extent), spread, strict=True))
        if op.padding != (0, 0):
            height = table.extent("height", spec.shape[2], "rows of the image")
            width = table.extent("width", spec.shape[3], "columns of the image")
            y, x = Sym("y0") + down, Sym("x0") + across
            pads = (Sym("pad_h"), Sym("pad_w"))
            if op.groups == 1:
                self._halo = self._image_with_padding((height, width), pads, strides, first, spread)
            guard = (at_least(y, 0), less(y, height), at_least(x, 0), less(x, width))
        hoisted = (Named("y0", y0), Named("x0", x0), found)
        offset = Sym("x_base") + Sym("c") * by_channel + down * by_row + across * by_column
        return Term("x", spec.dtype, offset, guard, hoisted)

    def _pixels_alone(
        self, rows: tuple[Index, Index, Index], columns: tuple[Index, Index, Index], offset: Index
    ) -> Halo:
        """Return how pixels that are windows are copied: along each axis their number, which one a window is, and how far it lies."""
        (height, first_row, down), (width, first_column, across) = rows, columns
        return Halo(
            height=height, width=width, channels=Sym("k_c"), source=Term("x", self.x.dtype, offset + down + across),
            first_row=first_row, first_column=first_column, down=Const(0), across=Const(0), image=(height, width),
        )  # fmt: skip

    def _image_with_padding(
        self,
        extents: tuple[Index, Index],
        pads: tuple[Index, Index],
        strides: tuple[Index, ...],
        first: tuple[Index, Index],
        spread: list[Index],
    ) -> Halo:
        """Return how the image is copied with its padding, and where the windows lie in the copy."""
        (height, width), (pad_h, pad_w) = extents, pads
        y, x = HALO_ROW - pad_h, HALO_COLUMN - pad_w
        by_image, by_channel, by_row, by_column = strides
        offset = self.image * by_image + HALO_CHANNEL * by_channel + y * by_row + x * by_column
        guard = (at_least(HALO_ROW, pad_h), less(y, height), at_least(HALO_COLUMN, pad_w), less(x, width))
        return Halo(
            height=height + pad_h * 2, width=width + pad_w * 2, channels=Sym("k_c"),
            source=Term("x", self.x.dtype, offset, guard),
            first_row=first[0], first_column=first[1], down=spread[0], across=spread[1],
            image=(Sym("height"), Sym("width")),
        )  # fmt: skip

    def _output_term(self, name: str, spec: TensorSpec, m: Index) -> Term:
        by_image, by_channel, by_row, by_column = (
            self.table.stride(f"{name}_{axis}", stride, f"{name}: next {axis}")
            for axis, stride in zip(("image", "channel", "row", "column"), spec.strides, strict=True)
        )
        base = self.image * by_image + (self.group * m + I) * by_channel
        if spec.strides[2] == spec.shape[3] * spec.strides[3] or spec.shape[2] == 1:
            return Term(name, spec.dtype, base + J * by_column)
        hoisted = (Named("pixel_row", self.row_out), Named("pixel_column", self.column_out))
        return Term(name, spec.dtype, base + Sym("pixel_row") * by_row + Sym("pixel_column") * by_column, (), hoisted)

    def _epilogue_term(self, slot: int, operand: str, axes: OperandAxes, spec: TensorSpec, m: Index) -> Term:
        name = f"{operand}_{slot}"
        if axes is OperandAxes.FULL:
            return self._output_term(name, spec, m)
        if axes is OperandAxes.SCALAR:
            return Term(name, spec.dtype, Const(0))
        if axes is OperandAxes.ROW:
            raise UnsupportedError(
                f"the epilogue operand {operand!r} has one value per matrix row; a convolution has channels",
                hint="Give it one value per output channel",
                op="conv2d",
            )
        step = spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0
        stride = self.table.stride(f"{name}_stride", step, f"{name}: next channel")
        return Term(name, spec.dtype, (self.group * m + I) * stride)

    def _title(self) -> str:
        op = self.op
        words = f"conv2d {self.x.dtype.value}"
        if op.groups > 1:
            words += ", grouped"
        described = self.problem.epilogue.describe()
        return f"{words}, epilogue {described}" if described else words
