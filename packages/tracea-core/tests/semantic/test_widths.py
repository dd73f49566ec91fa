# SPDX-License-Identifier: MIT
"""32-bit integers: launches that fit are let through, overflows in every kind of place are found."""

from __future__ import annotations

import functools

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import LaunchError
from tracea_core.pipeline.path import Path, trace
from tracea_core.semantic.index import Index, Sym, less
from tracea_core.semantic.kernel import Actor, Direction, Fragment, Launch, Parameter, Role, SemanticKernel, Symbol
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, If, Let, Load, Loop, Node, Transfer
from tracea_core.semantic.widths import require_widths, width_fault
from tracea_core.testing.cases import gemm

H200 = preset("h200")
LANES = FragmentLayout.from_bits((1, 32), tuple((0, 1 << bit) for bit in range(5)), ())
N, WIDE = Sym("n"), Sym("stride")


@functools.cache
def path(layout: str = "nt") -> Path:
    return trace(gemm((4096, 4096, 4096), DType.BF16, layout), preset="h200")


def kernel(*body: Node) -> SemanticKernel:
    role = Role("warp", Actor.WARP, 1, 32, (Fragment("held", DType.BF16, LANES),), body, 64)
    return SemanticKernel(
        name="kernel", title="a test", family="contraction", variant="test", arch="sm_90a", configuration=path().configuration,
        parameters=(Parameter("x", DType.BF16, Direction.READ, 2),),
        symbols=(Symbol("n", maximum=(1 << 31) - 4096), Symbol("stride", minimum=-(2**62))),
        buffers=(), rings=(), roles=(role,), launch=Launch(N // 128 + 1, 32),
    )  # fmt: skip


def load(offset: Index) -> Load:
    return Load("held", Access("x", offset), Transfer.GATHER)


FITS, LARGE = 1 << 20, (1 << 31) - 8192
OVERFLOWS: dict[str, tuple[Node, ...]] = {
    "a product of sizes": (Let("tiles", N * N),),
    "a sum of sizes": (Let("both", N + N),),
    "a difference": (Let("less", (N * -1) - N),),
    "a product in a bound": (Loop("i", Sym("n") * 0, N * 3, ()),),
    "a loop variable that ends beyond": (Loop("i", N * 0, N, (), step=1 << 20),),
    "what a loop multiplies": (Loop("i", N * 0, N, (Let("place", Sym("i") * 2),)),),
    "a guard": (If((less(N * 2, N),), ()),),
    "a table": (Let("places", WIDE + N, "held"),),
    "a block's first element": (Let("first", Sym("block") * 256),),
    "a sum within an address": (load((N + N) * WIDE),),
}


@pytest.mark.parametrize("name", OVERFLOWS)
def test_overflows_are_found(name: str) -> None:
    made = kernel(*OVERFLOWS[name])
    assert width_fault(made, {"n": 2048, "stride": 4096}) is None, "what fits is let through"
    fault = width_fault(made, {"n": LARGE, "stride": LARGE})
    assert fault is not None and "could reach" in fault
    with pytest.raises(LaunchError, match="32-bit indices"):
        require_widths(made, {"n": LARGE, "stride": LARGE})


def test_products_of_addresses_and_wide_symbols_may_be_large() -> None:
    made = kernel(load(N * WIDE + N * N), Let("far", WIDE * N), Let("near", N % 1024 + N // 2))
    assert width_fault(made, {"n": LARGE, "stride": 1 << 40}) is None


def test_processors_that_count_in_64_bits_are_not_asked() -> None:
    (role,) = kernel(*OVERFLOWS["a product of sizes"]).roles
    made = kernel().replace(roles=(role.replace(actor=Actor.WORKER),))
    assert width_fault(made, {"n": LARGE, "stride": 1}) is None


@pytest.mark.parametrize("layout", ["nt", "tn"])
def test_shipped_kernels_fit_at_large_sizes_and_are_refused_beyond(layout: str) -> None:
    found = path(layout)
    values = found.lowered.symbols
    for sizes in ((1 << 20, 1 << 20, 1 << 20), ((1 << 31) - 8192, 256, 4096), (256, 4096, (1 << 31) - 8192)):
        large = values | dict(zip(("m", "n", "k"), sizes, strict=True))
        assert width_fault(found.kernel, large) is None, sizes
    too_many = values | {"m": 1 << 30, "n": 1 << 30}
    assert "tile" in str(width_fault(found.kernel, too_many))


def test_plans_are_refused_before_anything_is_compiled() -> None:
    copied = trace(gemm((1111, 2222, 3333), DType.BF16, "nt"), preset="h200")
    for one in (*copied.before, *copied.after):
        assert width_fault(one.kernel, one.lowered.symbols) is None
        rows = one.lowered.symbols | {"m": 1 << 30, "n": 1 << 30}
        assert width_fault(one.kernel, rows) is not None
