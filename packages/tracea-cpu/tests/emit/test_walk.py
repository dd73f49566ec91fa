# SPDX-License-Identifier: MIT
"""Hand-made kernels run as the interpreter says: loops, branches, tables and every transfer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import EmitError
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Expr,
    Unary,
    UnaryFn,
)
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.fragment import FragmentAxis, FragmentLayout, Holder, Repeat
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, at_least, equal, less, maximum, minimum
from tracea_core.semantic.interpret import interpret
from tracea_core.semantic.kernel import (
    Actor,
    Direction,
    Fragment,
    Launch,
    Parameter,
    Role,
    SemanticKernel,
    Symbol,
)
from tracea_core.semantic.steps import Access, Compute, Extract, Fill, If, Let, Load, Loop, Node, Store, Transfer
from tracea_core.semantic.verify.certificate import Certificate
from tracea_cpu.emit.contraction import emit_contraction
from tracea_cpu.runtime import CpuRuntime

LANES = 4
F, ACC, N, I = DType.FP32, Accumulator(), Sym("n"), Sym("i")  # noqa: E741
ROW_OF_COLUMNS = FragmentLayout.from_bits((1, LANES), lane=((0, 1), (0, 2)), register=())
ONE = FragmentLayout.from_bits((1, 1), lane=((0, 0), (0, 0)), register=())
TWO_ROWS = ROW_OF_COLUMNS.repeat(rows=2)


def kernel(
    body: tuple[Node, ...], fragments: dict[str, tuple[DType, FragmentLayout]], **types: DType
) -> SemanticKernel:
    """Return a kernel with operands x (read) and y (updated) and the symbol n, which may be negative."""
    role = Role(
        "worker", Actor.WORKER, 0, LANES, tuple(Fragment(n, t, shape) for n, (t, shape) in fragments.items()), body
    )
    x, y = types.get("x", F), types.get("y", F)
    return SemanticKernel(
        name="probe", title="probe", family="contraction", variant="cpu.test", arch="x86-64-v3",
        configuration=PipelineConfig(),
        parameters=(Parameter("x", x, Direction.READ, x.bytes), Parameter("y", y, Direction.UPDATE, y.bytes)),
        symbols=(Symbol("n", minimum=-100, maximum=1 << 40),),
        buffers=(), rings=(), roles=(role,), launch=Launch(Sym("workers"), 1),
    )  # fmt: skip


def emit(kernel: SemanticKernel) -> KernelSource:
    """Print a kernel under an empty certificate."""
    return emit_contraction(kernel, Certificate(kernel.digest(), ()))


def launch(kernel: SemanticKernel, x: Any, y: Any, n: int) -> None:
    """Run a kernel on arrays as they are stored."""
    CpuRuntime().compile(emit(kernel)).prepare({"n": n, "workers": 1})(x.ctypes.data, y.ctypes.data)


def agree(
    body: tuple[Node, ...], fragments: dict[str, tuple[DType, FragmentLayout]], sizes: Any, size: int = 96
) -> None:
    """Check that machine and interpreter leave the same memory behind."""
    made = kernel(body, fragments)
    for n in sizes:
        x = np.arange(1, size + 1, dtype=np.float32)
        y = -np.arange(1, size + 1, dtype=np.float32)
        expected = interpret(made, {"n": n}, {"x": x, "y": y})["y"]
        launch(made, x, y, n)
        assert np.array_equal(y, expected), n


def _add(x: Expr, y: Expr) -> Expr:
    return Binary(BinaryFn.ADD, x, y)


SUM = Compute("s", _add(Accumulator(0), Accumulator(1)), F, ("s", "v"))
VECTORS = {name: (F, ROW_OF_COLUMNS) for name in ("s", "v", "t")}


# ---- loops and branches


@pytest.mark.parametrize("unroll", [1, 2, 3, 5])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("start", [Const(0), Const(2), N - 3])
def test_a_loop_carries_what_it_updates(unroll: int, step: int, start: Index) -> None:
    load = Load("v", Access("x", maximum(I, 0) * 2 + COLUMN), Transfer.VECTOR)
    loop = Loop("i", start, N, (load, SUM), step=step, unroll=unroll)
    body = (Fill("s", 1.5), loop, Store(Access("y", COLUMN), "s", Transfer.VECTOR))
    agree(body, VECTORS, (-2, 0, 1, 2, 3, 5, 7, 12))


def test_nested_loops_with_constant_bounds() -> None:
    load = Load("v", Access("x", I * 8 + Sym("j") * 4 + COLUMN), Transfer.VECTOR)
    inner = Loop("j", Const(0), Const(2), (load, SUM), unroll=2)
    empty = Loop("e", Const(3), Const(3), (Fill("s", 99.0),))
    body = (Fill("s"), Loop("i", Const(0), Const(5), (inner, empty)), Store(Access("y", COLUMN), "s", Transfer.VECTOR))
    agree(body, VECTORS, (1,))


def test_a_value_set_in_a_loop_lives_after_it() -> None:
    load = Load("v", Access("x", I + COLUMN), Transfer.VECTOR)
    loop = Loop("i", Const(0), N, (load,), unroll=2)
    body = (Fill("v", -1.0), loop, Store(Access("y", COLUMN), "v", Transfer.VECTOR))
    agree(body, VECTORS, (0, 1, 2, 5))


def test_branches_merge_what_they_set() -> None:
    choose = If(
        (less(I, 3), at_least(N, 4)),
        (Fill("v", 10.0), If((equal(I, 1),), (Fill("v", 20.0),))),
        (Load("v", Access("x", I + COLUMN), Transfer.VECTOR),),
    )
    half = If((less(I, 2),), (Compute("s", Unary(UnaryFn.NEG, ACC), F, ("s",)),))
    body = (
        Fill("s", 1.0),
        Loop("i", Const(0), N, (choose, SUM, half)),
        Store(Access("y", COLUMN), "s", Transfer.VECTOR),
    )
    agree(body, VECTORS, (0, 1, 2, 3, 4, 9))


def test_branches_that_are_known_print_one_side() -> None:
    body = (
        If((less(Const(1), 2),), (Fill("v", 3.0),), (Fill("v", 4.0),)),
        If((less(Const(2), 2),), (Fill("v", 5.0),)),
        Store(Access("y", COLUMN), "v", Transfer.VECTOR),
    )
    agree(body, VECTORS, (0,))


def test_division_is_not_moved_before_a_loop_that_never_runs() -> None:
    offset = (Const(7) + I) // N
    load = Load("v", Access("x", offset + COLUMN), Transfer.VECTOR)
    body = (Fill("s"), Loop("i", Const(0), N, (load, SUM)), Store(Access("y", COLUMN), "s", Transfer.VECTOR))
    agree(body, VECTORS, (0, 1, 3))


# ---- integers


@pytest.mark.parametrize("divisor", [3, 8, 24])
def test_division_rounds_down_below_zero(divisor: int) -> None:
    places = (Let("q", N // divisor), Let("r", N % divisor))
    at = minimum(maximum(Sym("q") + 40, 0), 80)
    body = (
        *places,
        Fill("v", 7.0),
        Store(Access("y", at), "v", Transfer.BROADCAST, (less(COLUMN, 1),)),
        Store(Access("y", Sym("r")), "v", Transfer.BROADCAST, (less(COLUMN, 1),)),
    )
    made = kernel(body, {"v": (F, ONE)})
    for n in (-50, -25, -24, -1, 0, 1, 23, 24, 95):
        y = np.zeros(96, np.float32)
        launch(made, y, y, n)
        assert set(np.flatnonzero(y)) == {min(max(n // divisor + 40, 0), 80), n % divisor}


def test_tables_divide_lane_by_lane() -> None:
    body = (
        Let("q", (N + COLUMN * 5) // 3, "v"),
        Let("r", (N + COLUMN * 5) % 3, "v"),
        Load("v", Access("x", Sym("q") * 3 + Sym("r") + 60), Transfer.GATHER),
        Store(Access("y", COLUMN), "v", Transfer.VECTOR),
    )
    agree(body, VECTORS, (-40, -7, -1, 0, 11))


# ---- transfers


@pytest.mark.parametrize("guard", [(), (less(COLUMN, N),), (less(ROW, N),), (less(ROW * 3 + COLUMN, N), less(0, N))])
@pytest.mark.parametrize("stride", [Const(1), Const(3), N + 2])
def test_gather_and_scatter(guard: tuple[Any, ...], stride: Index) -> None:
    shape = {"v": (F, TWO_ROWS)}
    body = (
        Load("v", Access("x", ROW * 30 + COLUMN * stride), Transfer.GATHER, guard, 2.5),
        Store(Access("y", ROW * 40 + COLUMN * stride), "v", Transfer.GATHER, guard),
    )
    agree(body, shape, (0, 1, 2, 3, 5))


def test_guarded_vectors_and_broadcasts() -> None:
    shape = {"v": (F, TWO_ROWS), "b": (F, ONE), "s": (F, TWO_ROWS)}
    body = (
        Load("v", Access("x", ROW * 8 + COLUMN), Transfer.VECTOR, (less(ROW * 4 + COLUMN, N),), -3.0),
        Load("b", Access("x", Const(5)), Transfer.BROADCAST, (less(2, N),), 100.0),
        Compute("s", _add(Accumulator(0), Accumulator(1)), F, ("v", "b")),
        Store(Access("y", ROW * 8 + COLUMN), "s", Transfer.VECTOR, (less(COLUMN, N), less(ROW, 7))),
    )
    agree(body, shape, (0, 1, 3, 4, 6, 9))


def test_a_masked_load_touches_no_memory() -> None:
    """The operand is a null pointer: only lanes whose guard holds may read it."""
    body = (
        Load("v", Access("x", COLUMN * 1000), Transfer.GATHER, (less(COLUMN, N),), 4.0),
        Store(Access("y", COLUMN), "v", Transfer.VECTOR),
        Load("b", Access("x", Const(0)), Transfer.BROADCAST, (less(0, N),), 5.0),
        Store(Access("y", Const(4)), "b", Transfer.BROADCAST),
        Load("v", Access("x", COLUMN), Transfer.VECTOR, (less(COLUMN, N),), 6.0),
        Store(Access("y", COLUMN + 5), "v", Transfer.VECTOR),
    )
    made = kernel(body, {"v": (F, ROW_OF_COLUMNS), "b": (F, ONE)})
    y = np.zeros(9, np.float32)
    CpuRuntime().compile(emit(made)).prepare({"n": 0, "workers": 1})(0, y.ctypes.data)
    assert y.tolist() == [4.0] * 4 + [5.0] + [6.0] * 4


def test_extract_names_a_part() -> None:
    body = (
        Load("w", Access("x", ROW * 8 + COLUMN), Transfer.VECTOR),
        Extract("v", "w", Const(1), Const(0)),
        Store(Access("y", COLUMN), "v", Transfer.VECTOR),
    )
    agree(body, {"w": (F, TWO_ROWS), "v": (F, ROW_OF_COLUMNS)}, (0,))
    shifted = (*body[:1], Extract("v", "w", Const(0), Const(1)), *body[2:])
    with pytest.raises(EmitError, match="other lanes"):
        emit(kernel(shifted, {"w": (F, TWO_ROWS), "v": (F, ROW_OF_COLUMNS)}))


def test_lanes_do_not_exchange_elements() -> None:
    across = FragmentLayout((1, 4), 2, 0, 0, 2, ROW_OF_COLUMNS.atom.select_rows((1, 0)))
    body = (
        Load("v", Access("x", COLUMN), Transfer.VECTOR),
        Compute("w", ACC, F, ("v",)),
        Store(Access("y", COLUMN), "w", Transfer.GATHER),
    )
    with pytest.raises(EmitError, match="other lanes"):
        agree(body, {"v": (F, ROW_OF_COLUMNS), "w": (F, across)}, (0,))


def test_a_fragment_that_holds_nothing_is_refused() -> None:
    with pytest.raises(EmitError, match="holds nothing"):
        emit(kernel((Store(Access("y", COLUMN), "v", Transfer.VECTOR),), VECTORS))


def test_repeats_along_both_axes() -> None:
    grid = ROW_OF_COLUMNS.replace(
        shape=(3, 8),
        repeats=(
            Repeat(Holder.REGISTER, FragmentAxis.ROW, 3, 1),
            Repeat(Holder.REGISTER, FragmentAxis.COLUMN, 2, 4),
        ),
    )
    rows = FragmentLayout(
        (3, 1), 2, 0, 0, 0, ROW_OF_COLUMNS.atom.select_rows(()), (Repeat(Holder.REGISTER, FragmentAxis.ROW, 3, 1),)
    )
    body = (
        Load("g", Access("x", ROW * 8 + COLUMN), Transfer.VECTOR),
        Load("r", Access("x", ROW * 5), Transfer.BROADCAST),
        Compute("o", Binary(BinaryFn.MUL, Accumulator(0), Accumulator(1)), F, ("g", "r")),
        Store(Access("y", ROW * 8 + COLUMN), "o", Transfer.VECTOR),
    )
    agree(body, {"g": (F, grid), "r": (F, rows), "o": (F, grid)}, (0,))


def test_the_harness_reads_what_was_stored(random: np.random.Generator) -> None:
    """A kernel that does nothing to y is told from one that does."""
    y = random.standard_normal(8).astype(np.float32)
    before = y.copy()
    launch(kernel((Fill("v"),), VECTORS), y, y, 0)
    assert np.array_equal(y, before)
