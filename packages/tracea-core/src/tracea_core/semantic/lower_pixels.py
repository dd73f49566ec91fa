# SPDX-License-Identifier: MIT
"""conv2d of channels-last tensors as a contraction: rows are the output pixels of all images, columns are output channels.

out[pixel, channel] = Σ over (r, s, c) of x[image(pixel), y(pixel, r), x(pixel, s), c]·w[channel, r, s, c] for each group. A tile then
covers as many images as it has room for, channels run fastest along the reduction, so that whole vectors of them move at once, and an
epilogue's columns are channels as in a matrix product. What a pixel's number decodes into does not depend on the reduction.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.pixels import pixel_step, ragged_channels, stored_in_planes
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, KAxis, Named, Term, Windows
from tracea_core.semantic.index import Const, Index, Sym, at_least, ceil_div, less
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import Lowered, SymbolTable, operand_pointers, pointer
from tracea_core.semantic.lower_conv import places_of_taps

AXES = ("r", "s", "c")
"""Reduction axes, slowest first."""
PITCH = Sym("w_pitch")
"""Elements of a filter from one row to the next, where those are more than a row has: of one phase of several."""


def lower_pixels(problem: Problem) -> Lowered:
    """Return the contraction form of a `Conv2dOp` problem of which `rows_are_pixels` or `pixels_are_decoded` holds."""
    return _PixelLowering(problem).lowered()


class _PixelLowering:
    def __init__(self, problem: Problem) -> None:
        assert isinstance(problem.op, Conv2dOp)
        self.problem, self.op, self.table = problem, problem.op, SymbolTable()
        self.x, self.w = problem.inputs[:2]
        self.group_step: Index | None = None
        if self.w.rank == 5:  # the filters of a group lie anywhere from those of another
            self.group_step = self.table.stride("w_group", self.w.strides[0], "w: next group")
            self.w = TensorSpec(self.w.shape[1:], self.w.dtype, self.w.strides[1:])
        self.operand = DType.TF32 if problem.op.dtype is DType.TF32 else self.x.dtype  # tf32 is fp32 in memory
        self.group: Index = ITEM if self.op.groups > 1 else Const(0)

    def lowered(self) -> Lowered:
        op, table, epilogue = self.op, self.table, self.problem.epilogue
        n, _, height, width = self.problem.output.shape
        m = table.extent("m", n * height * width, "output pixels of all images")
        columns = table.extent("n", op.k // op.groups, "output channels of a group")
        items = table.extent("items", op.groups, "groups of channels", 1) if op.groups > 1 else Const(1)
        lengths = dict(zip(AXES, (*self.w.shape[2:], self.w.shape[1]), strict=True))
        extents = {name: table.extent(f"k_{name}", lengths[name], f"reduction axis {name}") for name in AXES}
        image, windows = self._image_term(m, height, width, extents, items)
        weights, b_step = self._weights(columns, lengths, extents)
        out = self._pixels("out", self.problem.output, columns)
        terms = [
            self._epilogue_term(f"{operand.name}_{slot}", operand.axes, spec, columns)
            for slot, (operand, spec) in enumerate(zip(epilogue.operands, self.problem.epilogue_inputs, strict=True))
        ]
        form = Contraction(
            title=self._title(),
            m=m, n=columns, items=items,
            k_axes=tuple(KAxis(name, extents[name]) for name in AXES),
            a_step=None, b_step=b_step, runs_along_k=True, windows=windows,
            item_names=(),
            a=image, b=weights, out=out,
            gates=1,
            compute=op.accumulator,
            epilogue=epilogue,
            epilogue_terms=tuple(terms),
            parameters=(
                pointer("x", self.operand, Direction.READ),
                pointer("w", self.operand, Direction.READ),
                pointer("out", self.problem.output.dtype, Direction.WRITE),
                *operand_pointers(epilogue, terms),
            ),
            symbols=tuple(table.symbols), ragged=ragged_channels(self.problem),
        )  # fmt: skip
        tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
        return Lowered(form, tuple(table.values), ("input0", "input1", "output", *tail))

    def _factor(self, name: str, value: int, meaning: str) -> Index:
        """A factor of coordinates; 1 is fixed in the form."""
        return Const(1) if value == 1 else self.table.extent(name, value, meaning, 1)

    def _image_term(
        self, m: Index, height: int, width: int, extents: dict[str, Index], groups: Index
    ) -> tuple[Term, Windows]:
        op, table = self.op, self.table
        out_height = table.extent("out_height", height, "rows of the output image", 1)
        out_width = table.extent("out_width", width, "columns of the output image", 1)
        by_image, by_row, by_column = (
            table.stride(f"x_{name}", self.x.strides[axis], f"x: next {name}")
            for name, axis in (("image", 0), ("row", 2), ("column", 3))
        )
        step, spread = (
            [
                self._factor(f"{word}_{axis}", value, f"{word} along {axis}")
                for axis, value in zip("hw", pair, strict=True)
            ]
            for word, pair in (("stride", op.stride), ("dilation", op.dilation))
        )
        pad_h = table.extent("pad_h", op.padding[0], "rows of zeros above and below")
        pad_w = table.extent("pad_w", op.padding[1], "columns of zeros at both sides")
        rows = table.extent("height", self.x.shape[2], "rows of the image")
        columns = table.extent("width", self.x.shape[3], "columns of the image")
        line, image = Sym("line"), Sym("image")
        origin: tuple[Index, Index] = (Const(0), Const(0))
        if isinstance(op, CroppedConv2dOp) and op.origin != (0, 0):
            words = "of the padded image at which windows begin"
            origin = (
                table.extent("origin_h", op.origin[0], f"row {words}"),
                table.extent("origin_w", op.origin[1], f"column {words}"),
            )
        hoisted = (
            Named("line", I // out_width),
            Named("image", line // out_height),
            Named("y0", (line - image * out_height) * step[0] + origin[0] - pad_h),
            Named("x0", (I - line * out_width) * step[1] + origin[1] - pad_w),
        )
        down, across = (place * each for place, each in zip(places_of_taps(op, extents), spread, strict=True))
        windows = Windows(
            operand="x",
            extents=(Sym("k_c") * groups, columns, rows, ceil_div(m, out_height * out_width)),
            strides=(Const(1), by_column, by_row, by_image),
            first=(origin[1] - pad_w, origin[0] - pad_h),
            last=((out_width - 1) * step[1] + origin[1] - pad_w, (out_height - 1) * step[0] + origin[0] - pad_h),
            step=(step[1], step[0]),
            element=(across, down),
            named=len(hoisted),
        )
        base = image * by_image + Sym("y0") * by_row + Sym("x0") * by_column
        y, x = Sym("y0") + down, Sym("x0") + across
        offset = Sym("x_base") + (down * by_row + across * by_column + Sym("c"))
        guard = (at_least(y, 0), less(y, rows), at_least(x, 0), less(x, columns))
        return Term(
            "x", self.operand, offset, guard, (*hoisted, Named("x_base", base + self.group * Sym("k_c")))
        ), windows

    def _weights(self, columns: Index, lengths: dict[str, int], extents: dict[str, Index]) -> tuple[Term, Index | None]:
        """The filters, and their step along the reduction where one step describes it."""
        by_channel, by_row, by_column = self.w.strides[1:]
        strides = dict(zip(AXES, (by_row, by_column, by_channel), strict=True))
        by_filter = self.table.stride("w_out", self.w.strides[0], "w: next output channel")
        offset = (self.group * columns + J) * by_filter
        if self.group_step is not None:
            offset = self.group * self.group_step + J * by_filter
        lines = 1 in (lengths["r"], lengths["s"])
        if by_channel != 1 and lengths["c"] > 1 and min(by_row, by_column) > 0 and (lines or by_row % by_column == 0):
            # Elements of a filter lie at multiples of one distance, as those do whose channels have changed places.
            step = by_column if lengths["s"] > 1 else by_row
            pitch = extents["s"]
            if not lines and by_row != lengths["s"] * by_column:
                pitch = self.table.extent(PITCH.name, by_row // by_column, "elements of a filter from row to row", 1)
            along = self.table.stride("w_element", step, "w: next element of a filter")
            deep = self.table.stride("w_c", by_channel, "w: next along c")
            element = Sym("r") * pitch + Sym("s")
            return Term("w", self.operand, offset + element * along + Sym("c") * deep), None
        expected = 1
        for name in reversed(AXES):
            if lengths[name] > 1 and strides[name] != expected:
                for axis in AXES:
                    offset = offset + Sym(axis) * self.table.stride(f"w_{axis}", strides[axis], f"w: next along {axis}")
                return Term("w", self.operand, offset), None
            expected *= lengths[name]
        position = (Sym("r") * extents["s"] + Sym("s")) * extents["c"] + Sym("c")
        return Term("w", self.operand, offset + position), Const(1)

    def _pixels(self, name: str, spec: TensorSpec, columns: Index) -> Term:
        """A tensor of the output's shape: its pixels follow one another at one distance, or columns, rows and images at three."""
        channel = self.group * columns + J
        step = pixel_step(spec)
        if step is not None:
            along = self.table.stride(f"{name}_pixel", step, f"{name}: next pixel")
            return Term(name, spec.dtype, I * along + channel)
        if stored_in_planes(self.problem):
            return self._planes(name, spec)
        by_image, by_row, by_column = (
            self.table.stride(f"{name}_{word}", spec.strides[axis], f"{name}: next {word}")
            for word, axis in (("image", 0), ("row", 2), ("column", 3))
        )
        width, height = Sym("out_width"), Sym("out_height")
        line = I // width
        within = (I - line * width) * by_column + (line - line // height * height) * by_row
        return Term(name, spec.dtype, line // height * by_image + within + channel)

    def _planes(self, name: str, spec: TensorSpec) -> Term:
        """A tensor of the output's shape whose pixels follow one another in the plane of each channel."""
        by_image, by_channel = (
            self.table.stride(f"{name}_{word}", spec.strides[axis], f"{name}: next {word}")
            for axis, word in enumerate(("image", "channel"))
        )
        width, height = Sym("out_width"), Sym("out_height")
        image = I // width // height
        return Term(name, spec.dtype, image * by_image + (I - image * (height * width)) + J * by_channel)

    def _epilogue_term(self, name: str, axes: OperandAxes, spec: TensorSpec, columns: Index) -> Term:
        if axes is OperandAxes.FULL:
            return self._pixels(name, spec, columns)
        if axes is OperandAxes.SCALAR:
            return Term(name, spec.dtype, Const(0))
        step = spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0
        stride = self.table.stride(f"{name}_stride", step, f"{name}: next channel")
        return Term(name, spec.dtype, (self.group * columns + J) * stride)

    def _title(self) -> str:
        grouped = ", grouped" if self.op.groups > 1 else ""
        described = self.problem.epilogue.describe()
        words = f"conv2d {self.operand.value}, rows are pixels{grouped}"
        return f"{words}, epilogue {described}" if described else words
