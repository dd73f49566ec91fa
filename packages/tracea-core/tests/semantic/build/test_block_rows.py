# SPDX-License-Identifier: MIT
"""Rows that the warps of a block hold together: what is certified, which faults are found, what is refused, and who chooses it."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.activations import BiasAdd
from tracea_core.ops.expr import Accumulator, BinaryFn, Select
from tracea_core.ops.rowwise import NormalizeOp, NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.block_rows import block_rows_kernel
from tracea_core.semantic.index import COLUMN, Const, Sym, less
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.row_steps import Fold, Mask
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.steps import Access, Barrier, BufferRef, Compute, If, Let, Load, Loop, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.runs import launched
from tracea_core.target import CapabilityProfile
from tracea_core.testing.edit import edited
from tracea_core.testing.row_cases import row_problem

H200 = preset("h200")
SOFTMAX, RMS = SoftmaxOp((9, 160)), NormOp((9, 160), NormKind.RMS)
SHARED = PipelineConfig(tile_m=1, tile_n=64, tile_k=1, stages=1, warps=4, block_k=64, row_block=1)


def _made(
    op: SoftmaxOp | NormOp | NormalizeOp, configuration: PipelineConfig = SHARED, profile: CapabilityProfile = H200
) -> tuple[SemanticKernel, Rowwise]:
    form = lower_rowwise(row_problem(op)).form
    return block_rows_kernel(form, configuration, profile, "cuda.rowwise.warp_fp32", "kernel"), form


@pytest.mark.parametrize(
    "op",
    [
        SOFTMAX, RMS, SoftmaxOp((9, 160), log=True, scale=0.5), NormOp((9, 160), NormKind.LAYER, bias=True),
        NormalizeOp((9, 160)), NormOp((9, 160), NormKind.LAYER, bias=True, dtype=DType.BF16),
    ],
)  # fmt: skip
@pytest.mark.parametrize("changes", [{}, {"warps": 2}, {"vector_a": 2}])
def test_kernels_are_certified(op: SoftmaxOp | NormOp | NormalizeOp, changes: dict[str, int]) -> None:
    kernel, form = _made(op, SHARED.replace(**changes))
    assert certify(kernel, form, H200).kernel == kernel.digest()
    assert {s.name: s.maximum for s in kernel.symbols}["n"] == 64 * kernel.configuration.warps


def test_sub_groups_of_16_share_rows_too() -> None:
    pvc = preset("pvc")
    kernel, form = _made(SOFTMAX, SHARED, pvc)
    assert certify(kernel, form, pvc).kernel == kernel.digest()
    with pytest.raises(
        ConfigurationError, match="32 warps of 16 lanes do not share"
    ):  # whose lanes would fetch too little
        _made(SOFTMAX, SHARED.replace(warps=32), pvc)


def _found(node: Node) -> bool:
    """Whether a step moves what a warp has found."""
    place = node.target if isinstance(node, Store) else node.source if isinstance(node, Load) else None
    return isinstance(place, BufferRef)


BUGS: dict[str, Callable[[Node], Node | tuple[Node, ...]]] = {
    "no barrier": lambda n: () if isinstance(n, Barrier) else n,
    "columns beyond the end": lambda n: () if isinstance(n, Mask) and n.fragment == "term" else n,
    "a warp too few": lambda n: n.replace(guard=(less(COLUMN, 3),), width=1) if _is_load(n) else n,
    "a shorter row taken for the longest": lambda n: (
        n.replace(guard=(less(Sym("n"), 4 * 64 - 1),)) if isinstance(n, If) and n.otherwise else n
    ),
    "no chain": lambda n: n.replace(chains=1) if isinstance(n, Fold) else n,
    "more chains than elements": lambda n: n.replace(chains=5) if isinstance(n, Fold) and n.source == "across" else n,
    "every lane leaves it": lambda n: n.replace(guard=()) if isinstance(n, Store) and _found(n) else n,
    "nobody leaves it": lambda n: () if isinstance(n, Store) and _found(n) else n,
    "one place for all warps": lambda n: _at_first(n) if isinstance(n, Store) and _found(n) else n,
    "a lane's own part": lambda n: () if isinstance(n, Fold) and n.source == "across" else n,
    "another fold": lambda n: n.replace(fn=BinaryFn.MAXIMUM) if isinstance(n, Fold) and n.source == "across" else n,
    "the row below": lambda n: n.replace(value=n.value + 1) if isinstance(n, Let) and n.name == "at_row" else n,
    "a store without its guard": lambda n: (
        n.replace(guard=()) if isinstance(n, Store) and isinstance(n.target, Access) else n
    ),
}


def _is_load(node: Node) -> bool:
    return isinstance(node, Load) and _found(node)


def _at_first(node: Store) -> Store:
    assert isinstance(node.target, BufferRef)
    statistic, _ = node.target.coordinates
    return node.replace(target=node.target.replace(coordinates=(statistic, Const(0))))


NOT_OF_SUMS = ("columns beyond the end",)
"""What is not loaded is 0, which adds nothing."""


@pytest.mark.parametrize(
    ("name", "op"), [(name, op) for op in (SOFTMAX, RMS) for name in BUGS if op is SOFTMAX or name not in NOT_OF_SUMS]
)
def test_planted_mistakes_are_found(name: str, op: SoftmaxOp | NormOp, edit: Callable[..., SemanticKernel]) -> None:
    kernel, form = _made(op)
    wrong = edit(kernel, "warp", BUGS[name])
    with pytest.raises(CertificationError):
        certify(wrong, form, H200)


PARTS = SHARED.replace(tile_n=64, block_k=64, warps=3, unroll_k=2, vector_a=1, vector_b=1, vector_c=1)
"""Two parts of single elements, each asked for itself whether it is whole."""


@pytest.mark.parametrize("number", range(4))
def test_no_part_is_left_out_of_a_maximum(number: int) -> None:
    """Whole and one short, at the end of a row: what no element towers in would not be missed."""
    kernel, form = _made(SOFTMAX, PARTS)
    certify(kernel, form, H200)
    shares = itertools.count()

    def leave_out(node: Node) -> Node | None:
        share = isinstance(node, Compute) and node.target == "top_part"
        return None if share and next(shares) == number else node

    wrong = edited(kernel, leave_out)
    assert next(shares) == 4, "two parts, masked and whole"
    with pytest.raises(CertificationError):
        certify(wrong, form, H200)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"row_block": 2}, "take one row together"),
        ({"warps": 1}, "1 warps of 32 lanes do not share"),
        ({"tile_n": 48, "block_k": 48}, "a multiple of 32 columns"),
        ({"warps": 32, "tile_n": 1024, "block_k": 1024}, "registers of a thread's"),
    ],
)
def test_what_cannot_be_shared_is_refused(changes: dict[str, int], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        _made(SOFTMAX, SHARED.replace(**changes))


@pytest.mark.parametrize("op", [SOFTMAX, RMS, NormOp((9, 160), NormKind.LAYER, bias=True, dtype=DType.BF16)])
@pytest.mark.parametrize("changes", [{}, {"warps": 2}, {"warps": 3, "vector_a": 2}])
def test_blocks_sweep_rows_that_they_cannot_hold(op: SoftmaxOp | NormOp, changes: dict[str, int]) -> None:
    kernel, form = _made(op, SHARED.replace(block_k=0, **changes))
    assert certify(kernel, form, H200).kernel == kernel.digest()
    assert {s.name: s.maximum for s in kernel.symbols}["n"] == (1 << 31) - 1


SWEEP_BUGS: dict[str, Callable[[Node], Node | tuple[Node, ...]]] = {
    "steps of a warp instead of a block": lambda n: (
        n.replace(value=Sym("n") // 64) if isinstance(n, Let) and n.name == "steps" else n
    ),
    "no last step": lambda n: () if isinstance(n, Loop) else n,
    "no mask": lambda n: () if isinstance(n, Mask) else n,
    "no barrier": lambda n: () if isinstance(n, Barrier) else n,
}


@pytest.mark.parametrize("name", SWEEP_BUGS)
def test_planted_mistakes_of_sweeps_are_found(name: str, edit: Callable[..., SemanticKernel]) -> None:
    kernel, form = _made(SOFTMAX, SHARED.replace(block_k=0))
    with pytest.raises(CertificationError):
        certify(edit(kernel, "warp", SWEEP_BUGS[name]), form, H200)


PARTS = SHARED.replace(unroll_k=2)


@pytest.mark.parametrize("op", [SOFTMAX, RMS, NormOp((9, 160), NormKind.LAYER, bias=True, dtype=DType.BF16)])
@pytest.mark.parametrize("changes", [{}, {"warps": 2}, {"tile_n": 128, "block_k": 128, "vector_a": 2}])
def test_rows_are_worked_on_in_parts(op: SoftmaxOp | NormOp, changes: dict[str, int]) -> None:
    kernel, form = _made(op, PARTS.replace(**changes))
    assert certify(kernel, form, H200).kernel == kernel.digest()
    fragments = {fragment.name: fragment.layout.shape[1] for fragment in kernel.roles[0].fragments}
    part = kernel.configuration.tile_n // 2
    assert fragments["elements0"] == fragments["elements1"] == fragments["result"] == part, (
        "terms and results are those of a part"
    )


def test_sixteen_bit_rows_in_parts_leave_a_thread_64_registers() -> None:
    parts = SHARED.replace(tile_n=1024, block_k=1024, vector_a=8, vector_b=8, vector_c=8, unroll_k=4)
    layer = NormOp((9, 32768), NormKind.LAYER, bias=True, dtype=DType.BF16)
    together = [_made(layer, parts.replace(warps=warps))[0].launch.together for warps in (8, 16, 32)]
    assert together == [4, 2, 1]
    assert _made(layer, parts.replace(warps=5))[0].launch.together == 1, "nothing is known of as many warps"
    assert _made(layer, parts.replace(warps=8, unroll_k=2))[0].launch.together == 1, "nor of longer parts"
    with pytest.raises(ConfigurationError, match="registers of a thread's"):
        _made(layer, parts.replace(warps=32, unroll_k=1))


PART_BUGS: dict[str, Callable[[Node], Node | tuple[Node, ...]]] = {
    "a part twice": lambda n: (
        n.replace(fragment="elements0") if isinstance(n, Load) and n.fragment == "elements1" else n
    ),
    "a part's own columns": lambda n: (
        n.replace(target=n.target.replace(offset=n.target.offset + 1))
        if isinstance(n, Store) and isinstance(n.target, Access) and n.fragment == "result" and not n.guard
        else n
    ),
    "the mask of another run": lambda n: n.replace(guard=(less(COLUMN, 1),)) if isinstance(n, Mask) else n,
    "no mask": lambda n: () if isinstance(n, Mask) else n,
}


@pytest.mark.parametrize("name", PART_BUGS)
def test_planted_mistakes_of_parts_are_found(name: str, edit: Callable[..., SemanticKernel]) -> None:
    kernel, form = _made(SOFTMAX, PARTS.replace(tile_n=128, block_k=128, vector_a=2))
    with pytest.raises(CertificationError):
        certify(edit(kernel, "warp", PART_BUGS[name]), form, H200)


def test_what_is_swept_is_not_cut_into_parts() -> None:
    with pytest.raises(ConfigurationError, match="only a row that stays in registers"):
        _made(SOFTMAX, PARTS.replace(block_k=0))
    with pytest.raises(ConfigurationError, match="a multiple of 128 columns"):
        _made(SOFTMAX, PARTS.replace(unroll_k=4))


@pytest.mark.parametrize(
    "op", [SOFTMAX, SoftmaxOp((9, 160), log=True, scale=0.5), SoftmaxOp((9, 160), log=True, dtype=DType.BF16)]
)
@pytest.mark.parametrize("changes", [{}, {"warps": 2, "vector_a": 2}])
def test_a_swept_softmax_reads_its_row_twice(op: SoftmaxOp, changes: dict[str, int]) -> None:
    kernel, form = _made(op, SHARED.replace(block_k=0, **changes))
    assert certify(kernel, form, H200).kernel == kernel.digest()
    sweeps = [node for node in walk(kernel.roles[0].body) if isinstance(node, Loop)]
    assert len(sweeps) == 2, "one for the maximum and the sum, one to store"


RUNNING_BUGS: dict[str, Callable[[Node], Node | tuple[Node, ...]]] = {
    "a sum that does not follow the maximum": lambda n: (
        n.replace(expr=n.expr.y) if isinstance(n, Compute) and isinstance(n.expr, Select) else n
    ),
    "a lane's sum in terms of its own maximum": lambda n: (
        () if isinstance(n, Compute) and n.target == "share_part" and n.operands == ("top",) else n
    ),
    "the maximum before the sum": lambda n: (
        (n.replace(target="power", expr=Accumulator(1), accumulators=("power", "term")), n)
        if isinstance(n, Compute) and n.target == "share_part" and "power" in n.accumulators
        else n
    ),
    "what is behind the end is the maximum": lambda n: () if isinstance(n, Mask) and n.fragment == "term" else n,
}


@pytest.mark.parametrize("name", RUNNING_BUGS)
def test_planted_mistakes_of_running_sums_are_found(name: str, edit: Callable[..., SemanticKernel]) -> None:
    kernel, form = _made(SOFTMAX, SHARED.replace(block_k=0))
    with pytest.raises(CertificationError):
        certify(edit(kernel, "warp", RUNNING_BUGS[name]), form, H200)


def test_what_is_behind_the_end_of_a_row_of_infinities_does_not_count(edit: Callable[..., SemanticKernel]) -> None:
    """Nothing of such a row has a share, so 0/0 is stored; a lane that saw nothing but its own end would bring one in."""
    kernel, form = _made(SOFTMAX, SHARED.replace(block_k=0))
    counted = edit(kernel, "warp", lambda n: () if isinstance(n, Mask) and n.fragment == "power" else n)
    values = {symbol.name: 1 for symbol in kernel.symbols} | {"m": 2, "n": 250, "x_row": 250, "out_row": 250}
    offsets = np.arange(500).reshape(2, 250)
    found = []
    for one in (kernel, counted):
        run = interpreter(one, *launched(one, form.out.operand, values, {"x": np.full(500, -np.inf)}, offsets, 2, 1))
        with np.errstate(all="ignore"):
            run.run()
        found.append(run.memory[form.out.operand].values[offsets])
    assert np.isnan(found[0]).all() and not np.isnan(found[1]).any()


def test_blocks_fit_a_processor_by_what_they_hold() -> None:
    """Eight of 128 threads of an RMS norm in bf16 whose lanes hold 32 elements, at 56 registers, seven of a layer norm, at 72."""
    wide = SHARED.replace(tile_n=1024, block_k=1024, vector_a=8, vector_b=8, vector_c=8)
    rms, layer = NormOp((9, 4096), dtype=DType.BF16), NormOp((9, 4096), NormKind.LAYER, bias=True, dtype=DType.BF16)
    assert _made(rms, wide)[0].launch.together == 8
    assert _made(layer, wide)[0].launch.together == 7
    assert _made(rms, wide, preset("a100"))[0].launch.together == 1, "nothing is known of other compilers"
    assert _made(rms, wide.replace(block_k=0))[0].launch.together == 1


@pytest.mark.parametrize(
    ("columns", "dtype", "chosen"),
    [
        (1024, DType.BF16, "1x1024x1 s1 va8 vb8 vc8 kb1024"),
        (2048, DType.BF16, "1x1024x1 s1 w2 va8 vb8 vc8 rb1 kb1024"),
        (4096, DType.BF16, "1x1024x1 s1 va8 vb8 vc8 rb1 kb1024"),
        (4096, DType.FP32, "1x512x1 s1 w8 va4 vb4 vc4 rb1 kb512"),
        (8192, DType.BF16, "1x1024x1 s1 w8 va8 vb8 vc8 u4 rb1 kb1024"),
        (5120, DType.BF16, "1x1024x1 s1 w5 va8 vb8 vc8 rb1 kb1024"),
        (12288, DType.BF16, "1x1024x1 s1 w12 va8 vb8 vc8 rb1 kb1024"),
        (16384, DType.BF16, "1x1024x1 s1 w16 va8 vb8 vc8 u4 rb1 kb1024"),
        (32000, DType.FP16, "1x1024x1 s1 w32 va8 vb8 vc8 u4 rb1 kb1024"),
        (20480, DType.BF16, "1x1024x1 s1 w20 va8 vb8 vc8 u4 rb1 kb1024"),
        (32000, DType.FP32, "1x512x1 s1 w16 va4 vb4 vc4 rb1"),
        (768, DType.BF16, "1x768x1 s1 va8 vb8 vc8 kb768"),
        (1003, DType.BF16, "1x256x1 s1 rb1 kb256"),
        (3002, DType.BF16, "1x512x1 s1 w6 va2 vb2 vc2 rb1 kb512"),
        (50257, DType.BF16, "1x256x1 s1 w16 rb1"),
        (6007, DType.FP32, "1x512x1 s1 w12 rb1 kb512"),
        (3001, DType.FP32, "1x512x1 s1 w6 rb1 kb512"),
        (301, DType.BF16, "1x512x1 s1 kb512"),
        (8001, DType.BF16, "1x1024x1 s1 w8 rb1 kb1024"),
        (16001, DType.BF16, "1x256x1 s1 w8 rb1"),
        (16001, DType.FP32, "1x256x1 s1 w16 rb1"),
        (40000, DType.BF16, "1x1024x1 s1 w8 va8 vb8 vc8 rb1 kb40960"),
        (50304, DType.BF16, "1x1024x1 s1 w8 va8 vb8 vc8 rb1 kb57344"),
        (65536, DType.BF16, "1x512x1 s1 w16 va8 vb8 vc8 rb1"),
        (8192, DType.FP32, "1x512x1 s1 w16 va4 vb4 vc4 rb1 kb512"),
        (12288, DType.FP32, "1x512x1 s1 w8 va4 vb4 vc4 rb1 kb12288"),
    ],
)
def test_long_rows_are_held_by_blocks_or_wait_and_the_longest_are_swept(
    columns: int, dtype: DType, chosen: str
) -> None:
    problem = row_problem(NormOp((4096, columns), dtype=dtype))
    assert PolicyEngine(H200).decide(problem).heroes[0].describe() == chosen


@pytest.mark.parametrize(
    ("alignment", "chosen"), [(16, "va8 vb8 vc8"), (8, "va4 vb4 vc4"), (4, "va2 vb2 vc2"), (2, "w8 rb1 kb512")]
)
def test_runs_are_no_longer_than_addresses_are_aligned(alignment: int, chosen: str) -> None:
    problem = row_problem(NormOp((64, 4096), weight=False, dtype=DType.BF16))
    problem = problem.replace(options=problem.options.replace(alignment=alignment))
    assert chosen in PolicyEngine(H200).decide(problem).heroes[0].describe()


def test_operands_of_wider_elements_shorten_runs_of_few_bytes() -> None:
    """A bias of fp32 whose address is a multiple of 4 bytes moves one by one, and so do elements of 2 bytes beside it."""
    bias = BiasAdd(np.zeros(4096, np.float32)).bind()[0]
    problem = row_problem(
        NormOp((64, 4096), dtype=DType.BF16), epilogue=bias, extra=(TensorSpec.contiguous((4096,), DType.FP32),)
    )
    problem = problem.replace(options=problem.options.replace(alignment=4))
    assert PolicyEngine(H200).decide(problem).heroes[0].vector_a == 1
