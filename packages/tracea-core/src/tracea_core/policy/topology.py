# SPDX-License-Identifier: MIT
"""What a policy needs to know of an operator: its extents, its types, and which part of the products is wanted.

A topology names no tensors, so a policy can be asked about work that exists nowhere yet. A problem of the contraction,
the row-wise or the chained family becomes one by `topology_of`.
"""

from __future__ import annotations

import math

import msgspec

from tracea_core.data import Data
from tracea_core.doctor.depthwise import OF_PLANES, filters_channels
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError, UnsupportedError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.grouped import GroupedGemmOp, likely_rows
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.pixels import ragged_channels, read_by_windows, rows_are_pixels, tested_in_place
from tracea_core.ops.problem import Problem
from tracea_core.ops.product_rows import computed_transposed, continues_rows
from tracea_core.ops.rowwise import NormalizeOp, NormOp, SoftmaxOp
from tracea_core.ops.scaled import ScaledGemmOp
from tracea_core.ops.sparse import BlockSparseGemmOp
from tracea_core.policy.channelwise import channelwise, lines
from tracea_core.policy.kinds import AnyTopology, BlockSparse, Causal, Dense, Grouped, LowRank, Rows, Windowed
from tracea_core.policy.runs import aligned_pairs, alignment, boxed_scales, span, whole_runs

_RUN_BYTES = 16
"""What lanes move together at most."""
_SECTOR_BYTES, _LINE_BYTES = 32, 128


class OperatorTopology(Data, frozen=True):
    """An operator as the policy sees it.

    Attributes
    ----------
    op_id : int
        The caller's number for it.
    name, op_type : str
        The caller's name, and the kind of op (``Gemm``, ``Attention``, …), for messages.
    m, n, k : int
        Extents of one matrix of the batch. With a gated epilogue n counts stored columns.
    kind : AnyTopology
        Which products are wanted.
    batch : int
        Number of matrices.
    dtype, out_dtype, accumulate : DType
        Types of the operands, of what is stored, and of the sums (by default those that follow from `dtype`).
    gates : int
        Accumulators per stored element: 2 with a gated epilogue.
    reduction_axes : int
        Axes that k consists of: 1, or 3 in a convolution.
    alignment : int
        Largest power of two, in bytes and up to 16, that the rows of both operands are aligned to.
    whole_runs : int
        Largest power of two, in bytes and up to 16, that divides the contiguous axis of both operands.
    stored_alignment : int
        The same for the output and what the epilogue reads.
    instruction : str
        Name of the instruction of the variant that was chosen; empty leaves the choice to the policy.
    a_along_m, b_along_k : bool
        Whether the neighbours in memory of A's elements follow m (they usually follow k), and those of B's follow k
        (they usually follow n; in a convolution B is the image, and k begins with its channels).
    stored_along_m : bool
        Whether the neighbours in memory of the output's elements follow m (they usually follow n).
    fast_accumulation : bool
        Whether sums of fp8 may be kept in the fewer bits of a matrix unit (`tracea_core.ops.problem.Options`).
    whole_sectors, whole_lines : bool
        Whether rows of both operands start at multiples of 32 bytes, of which caches read as many as it takes, and of 128.
    panel_columns : int
        Columns of the panels in which B lies already, 0 if it is an ordinary matrix.
    innermost : int
        Length of the runs of k that a step does not cross: the channels of windows that a copy engine walks over; 0 where steps cross
        whatever k consists of.
    image, columns_image : int
        Elements of the images that windows are taken from, fewer than A's m·k or B's k·n (of a batch's part); 0 for a matrix.
    masked : bool
        Whether a mask in memory takes registers beside the scores of a chain.
    first_depth : int
        Length of the first of two chained reductions (in attention the columns of q and k); k is that of the second.
    tested_image : int
        Elements of an image whose windows can be swept in place with tests for its padding (`tracea_core.ops.pixels.tested_in_place`); 0
        where they cannot.
    windows, ragged, paired : bool
        Whether `tracea_core.ops.pixels.read_by_windows`; `tracea_core.ops.pixels.ragged_channels`;
        whether what the epilogue reads is aligned to pairs of its elements (`tracea_core.policy.runs.aligned_pairs`).
    listed : bool
        Whether which blocks of k are wanted is data that the kernel reads.
    boxed_scales : int
        How many columns share a scale along k, where every row has its own and a copy engine can bring both
        (`tracea_core.policy.runs.boxed_scales`); else 0.
    """

    op_id: int
    name: str
    op_type: str
    m: int
    n: int
    k: int
    kind: AnyTopology = Dense()
    batch: int = 1
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None
    gates: int = 1
    reduction_axes: int = 1
    alignment: int = 16
    stored_alignment: int = 16
    instruction: str = ""
    whole_runs: int = 16
    a_along_m: bool = False
    b_along_k: bool = False
    stored_along_m: bool = False
    windows: bool = False
    fast_accumulation: bool = False
    whole_sectors: bool = True
    whole_lines: bool = True
    panel_columns: int = 0
    innermost: int = 0
    image: int = 0
    columns_image: int = 0
    first_depth: int = 0
    masked: bool = False
    ragged: bool = False
    paired: bool = True
    listed: bool = False
    tested_image: int = 0
    boxed_scales: int = 0

    def __post_init__(self) -> None:
        if min(self.m, self.n, self.k, self.batch) < 0:
            raise ConfigurationError("extents of an operator are at least 0", op=self.name, shape=self.shape)
        if not {self.alignment, self.stored_alignment} <= {1, 2, 4, 8, 16}:
            raise ConfigurationError("alignment is a power of two up to 16 bytes", op=self.name)
        if self.gates not in (1, 2) or self.reduction_axes < 1:
            raise ConfigurationError("an operator has 1 or 2 accumulators and a reduction", op=self.name)
        if isinstance(self.kind, Grouped) and sum(self.kind.rows) != self.m:
            raise ConfigurationError("m of a grouped operator is the sum of its rows", op=self.name, m=self.m)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Batch, m, n, k."""
        return self.batch, self.m, self.n, self.k

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    @property
    def stored(self) -> DType:
        """Type of what is stored."""
        return self.out_dtype or (self.dtype if self.dtype.is_float else DType.INT32)

    @property
    def evenly(self) -> OperatorTopology:
        """What stands for rows that fall into groups where each of them is a product: a batch of groups of average length."""
        if not isinstance(self.kind, Grouped):
            return self
        groups = len(self.kind.rows)
        return self.replace(kind=Dense(), batch=self.batch * groups, m=-(-self.m // groups))

    @property
    def share(self) -> float:
        """Share of the dense products that is wanted (for windows and causal masks, from their area)."""
        match self.kind:
            case BlockSparse(density=density):
                return density
            case Windowed(left=left, right=right):
                return _band_share(self.m, self.k, left, right)
            case Causal():
                return _band_share(self.m, self.k, None, 0)
            case _:
                return 1.0

    @property
    def work(self) -> float:
        """Multiply-adds that are wanted."""
        if isinstance(self.kind, LowRank):
            return float(self.batch * self.m * self.kind.r * (self.k + self.n))
        return float(self.batch * self.m * self.n * self.gates * self.k) * self.share

    @property
    def depth(self) -> float:
        """Multiply-adds per accumulator: k, or less where part of the products is not wanted."""
        return self.work / max(self.batch * self.m * self.n * self.gates, 1)

    def padded_depth(self, tile_k: int) -> float:
        """Return `depth` in whole steps of `tile_k`, as many as it takes."""
        run = self.innermost or self.depth
        return math.ceil(run / tile_k) * tile_k * (self.depth / run if run else 0.0)

    @property
    def traffic(self) -> float:
        """Fewest bytes that must move: operands once, output once."""
        size, out = self.dtype.bytes, self.batch * self.m * self.n * self.stored.bytes
        if isinstance(self.kind, LowRank):
            return float(self.batch * (self.m * self.k + self.kind.r * (self.k + self.n)) * size + out)
        several = len(self.kind.rows) if isinstance(self.kind, Grouped) else 1
        weights = several * self.k * self.n * self.gates * (self.share if isinstance(self.kind, BlockSparse) else 1.0)
        return float(self.batch * ((self.image or self.m * self.k) + (self.columns_image or weights)) * size + out)


def _band_share(m: int, k: int, left: int | None, right: int | None) -> float:
    """Share of an m × k matrix inside a band whose diagonal ends at the bottom right, summed over at most 4096 rows."""
    if m == 0 or k == 0:
        return 1.0
    rows = range(0, m, -(-m // 4096))
    offset = k - m
    wanted = 0
    for row in rows:
        low = 0 if left is None else max(row + offset - left, 0)
        high = k if right is None else min(row + offset + right + 1, k)
        wanted += max(high - low, 0)
    return wanted / (len(rows) * k)


PIXEL_SCHEDULES = ("multistage", "warp_specialized")
"""Schedules whose rows are output pixels where a convolution's tensors are channels-last."""


def takes_pixels(variant: Variant | None) -> bool:
    """Whether the schedule of `variant` takes output pixels as the rows of a channels-last convolution."""
    return variant is not None and variant.schedule in PIXEL_SCHEDULES


def topology_of(problem: Problem, variant: Variant | None = None) -> OperatorTopology:
    """Return the topology of a problem of the contraction, the row-wise or the chained family.

    A batch that shares its second operand counts as rows, unless each matrix is computed as its transpose; an output stored
    column by column counts as its transpose, and a convolution as one matrix product of output channels by output pixels for each
    image and group; to a `variant` that `takes_pixels`, where `rows_are_pixels`, as one of the output pixels of all images by output
    channels for each group.

    Raises
    ------
    UnsupportedError
        If the op is of another family.
    """
    op, gates = problem.op, 2 if problem.epilogue.gated else 1
    walked = variant is not None and variant.schedule == "warp_specialized"
    if isinstance(op, GemmOp):
        batch, m, n = math.prod(op.batch), op.m, problem.output.shape[-1]
        if batch > 1 and math.prod(problem.inputs[1].shape[:-2]) == 1 and continues_rows(problem):
            batch, m = 1, batch * m
        a, b, out = (spec.settled().strides[-2:] for spec in (*problem.inputs[:2], problem.output))
        if computed_transposed(problem):
            m, n = n, m
            a, b, out = b[::-1], a[::-1], out[::-1]
        found = _gemm("matmul", "Gemm", (batch, m, n, op.k), problem, gates, axes=1)
        return found.replace(a_along_m=_only_first(a), b_along_k=_only_first(b), stored_along_m=_only_first(out))
    if isinstance(op, Conv2dOp) and filters_channels(variant):
        x, found = problem.inputs[0], _gemm("conv2d", "Conv2d", lines(op), problem, gates, axes=1)
        read = min(problem.options.aligned(0), alignment(x))
        of_planes = variant is not None and variant.schedule in OF_PLANES
        return found.replace(kind=channelwise(op, planes=of_planes), alignment=read, whole_runs=whole_runs(x))
    if isinstance(op, Conv2dOp):
        height, width = op.output_size
        shape = (op.n * op.groups, op.k // op.groups, height * width, op.reduction_length())
        if takes_pixels(variant) and rows_are_pixels(problem, walked):
            shape = (op.groups, op.n * height * width, op.k // op.groups, op.reduction_length())
            along_k = problem.inputs[1].strides[-3] == 1
            found = _gemm("conv2d", "Conv2d", shape, problem, gates, axes=3)
            image = span(problem.inputs[0]) // op.groups if walked else 0
            ragged, innermost = walked and ragged_channels(problem), op.c // op.groups if walked else 0
            sectors = found.whole_sectors and (
                op.groups == 1 or shape[3] // (op.r * op.s) * op.dtype.bytes % _SECTOR_BYTES == 0
            )
            return found.replace(
                b_along_k=along_k, innermost=innermost, image=image, ragged=ragged, whole_sectors=sectors
            )
        found, along_k = _gemm("conv2d", "Conv2d", shape, problem, gates, axes=3), problem.inputs[0].strides[1] == 1
        windows, channels_last = read_by_windows(problem), problem.output.strides[1] == 1 and op.k > 1
        tested = (
            op.c * op.h * op.w if tested_in_place(problem) and (variant is None or variant.schedule == "panel") else 0
        )
        return found.replace(b_along_k=along_k, windows=windows, stored_along_m=channels_last, tested_image=tested)
    if isinstance(op, Conv2dFiltersOp):
        channels, elements = op.k // op.groups, op.c // op.groups * op.r * op.s
        if op.padding == (0, 0) and not takes_pixels(variant):  # as `tracea_core.semantic.lower_filters` has it
            channels, elements = elements, channels
        shape = (op.parts * op.groups, channels, elements, op.reduction_length())
        found = _gemm("conv2d_filters", "Conv2dFilters", shape, problem, gates, axes=3)
        image = span(problem.inputs[0]) // op.parts
        return found.replace(a_along_m=True, b_along_k=False, columns_image=image) if walked else found
    if isinstance(op, GroupedGemmOp):
        shape = (1, op.m, problem.output.shape[-1], op.k)
        found = _gemm("grouped_matmul", "GroupedGemm", shape, problem, gates, axes=1)
        a_along_m, b_along_k = (_only_first(spec.settled().strides[-2:]) for spec in problem.inputs[:2])
        kind, boxed = Grouped(likely_rows(op.m, op.groups)), boxed_scales(problem)
        return found.replace(kind=kind, a_along_m=a_along_m, b_along_k=b_along_k, boxed_scales=boxed)
    if isinstance(op, BlockSparseGemmOp):
        return _listed(problem, op, gates)
    if isinstance(op, ScaledGemmOp):
        found = _gemm("scaled_matmul", "ScaledGemm", (1, op.m, op.n, op.k), problem, gates, axes=1)
        return found.replace(boxed_scales=boxed_scales(problem))
    if isinstance(op, SoftmaxOp | NormOp | NormalizeOp):
        return _rows(problem)
    if isinstance(op, AttentionOp):
        return _attention(problem, op)
    if isinstance(op, LowRankOp):
        shape = (1, math.prod(op.batch) * op.m, op.n, op.k)
        return _chained("low_rank_mlp", "LowRank", shape, problem, LowRank(max(op.rank, 1)))
    raise UnsupportedError(f"{type(op).__name__} is no contraction, so it has no topology of tiles")


def _listed(problem: Problem, op: BlockSparseGemmOp, gates: int) -> OperatorTopology:
    """A product for each line of blocks, as `tracea_core.semantic.lower_sparse` has it."""
    a, b, out = (spec.settled().strides[-2:] for spec in (*problem.inputs[:2], problem.output))
    m, n = (op.width, op.extent) if op.of_a else (op.extent, op.width)
    found = _gemm("block_sparse_matmul", "BlockSparseGemm", (op.lines, m, n, op.k), problem, gates, axes=1)
    return found.replace(
        kind=BlockSparse(op.width, op.depth, min(op.density, 1.0)), listed=True, a_along_m=_only_first(a), b_along_k=_only_first(b),
        stored_along_m=_only_first(out),
    )  # fmt: skip


def _attention(problem: Problem, op: AttentionOp) -> OperatorTopology:
    right = 0 if op.causal else op.right
    kind: AnyTopology = Dense()
    if op.left is not None or right is not None:
        kind = Causal() if op.left is None and right == 0 else Windowed(op.left, right)
    shape = (op.batch * op.heads, op.queries, op.values_extent, op.keys)
    return _chained("attention", "Attention", shape, problem, kind).replace(
        first_depth=op.head_dim, masked=op.bias is not msgspec.UNSET
    )


def _chained(
    name: str, op_type: str, shape: tuple[int, int, int, int], problem: Problem, kind: AnyTopology
) -> OperatorTopology:
    batch, m, n, k = shape
    assert isinstance(problem.op, AttentionOp | LowRankOp)
    return OperatorTopology(
        0, name, op_type, m, n, k, kind, batch, problem.inputs[0].dtype, problem.output.dtype, problem.op.accumulator,
        alignment=min(min(problem.options.aligned(i), alignment(spec)) for i, spec in enumerate(problem.inputs[:3])),
        stored_alignment=min(problem.options.alignment, alignment(problem.output)),
        whole_runs=min(whole_runs(spec) for spec in problem.inputs[:3]),
    )  # fmt: skip


def _rows(problem: Problem) -> OperatorTopology:
    shape, dtype, name = problem.output.shape, problem.inputs[0].dtype, type(problem.op).__name__.removesuffix("Op")
    return OperatorTopology(
        0, name.lower(), name, math.prod(shape[:-1]), shape[-1], 1, Rows(), 1, dtype, problem.output.dtype, dtype.accumulator,
        alignment=_alignment_of_rows(problem), stored_alignment=min(problem.options.alignment, alignment(problem.output)),
    )  # fmt: skip


def _alignment_of_rows(problem: Problem) -> int:
    """Return how many bytes of a row lie together at a multiple of their size, in every row and in all that is read and stored with it."""
    specs, columns = (*problem.inputs, problem.output, *problem.epilogue_inputs), problem.output.shape[-1]
    steps = [
        step for spec in specs for extent, step in zip(spec.shape[:-1], spec.strides[:-1], strict=True) if extent > 1
    ]
    elements, size = math.gcd(_RUN_BYTES, columns, *steps), problem.inputs[0].dtype.bytes
    if problem.options.alignment < _RUN_BYTES:  # runs of none are longer than what addresses are multiples of
        elements = min(elements, max(problem.options.alignment // max(spec.dtype.bytes for spec in specs), 1))
    return min(elements * size, _RUN_BYTES)


def _only_first(strides: tuple[int, ...]) -> bool:
    return strides[0] == 1 and strides[1] != 1


def _gemm(
    name: str, op_type: str, shape: tuple[int, int, int, int], problem: Problem, gates: int, axes: int
) -> OperatorTopology:
    batch, m, n, k = shape
    assert isinstance(
        problem.op, GemmOp | Conv2dOp | Conv2dFiltersOp | GroupedGemmOp | ScaledGemmOp | BlockSparseGemmOp
    )
    aligned = min(alignment(spec, _LINE_BYTES) for spec in problem.inputs[:2])
    return OperatorTopology(
        0, name, op_type, m, n, k, Dense(), batch, problem.inputs[0].dtype, problem.output.dtype, problem.op.accumulator, gates, axes,
        min(min(problem.options.aligned(i), alignment(spec)) for i, spec in enumerate(problem.inputs[:2])),
        min(problem.options.alignment, *(alignment(spec) for spec in (problem.output, *problem.epilogue_inputs))),
        whole_runs=min(whole_runs(spec) for spec in problem.inputs[:2]), paired=aligned_pairs(problem),
        fast_accumulation=problem.options.fast_accumulation, panel_columns=problem.options.panel_columns,
        whole_sectors=aligned % _SECTOR_BYTES == 0, whole_lines=aligned == _LINE_BYTES,
    )  # fmt: skip
