# SPDX-License-Identifier: MIT
"""A Metal kernel with simdgroup matrices and both kinds of threadgroup memory is right, and its planted bugs are found."""

import struct
from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.errors import BackendUnavailableError, CompileError
from tracea_core.testing.simt import SimtProgram, SimtReport
from tracea_core.testing.simt.metal import check_address_spaces, translate

toolchain = pytest.mark.toolchain
Load = Callable[..., SimtProgram]


def multiply(program: SimtProgram, m: int, n: int, k: int, seed: int = 0) -> tuple[SimtReport, bool]:
    random = np.random.default_rng(seed + m + n + k)
    a = random.standard_normal((m, k)).astype(np.float32)
    b = random.standard_normal((k, n)).astype(np.float32)
    c = np.full((m, n), np.nan, np.float32)
    report = program.run((n // 32, m // 32), (128,), [a, b, c, n, k], shared_bytes=32 * 36 * 4, seed=seed)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = (k + 1) * 2.0**-23 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    return report, bool((np.abs(c - exact) <= bound).all())


@toolchain
@pytest.mark.parametrize("shape", [(32, 32, 32), (64, 96, 64)])
@pytest.mark.parametrize("seed", [0, 4])
def test_the_kernel_is_right_and_clean(load: Load, shape: tuple[int, int, int], seed: int) -> None:
    report, right = multiply(load("gemm_simdgroup.metal", target="m2"), *shape, seed=seed)
    report.require_clean()
    assert right
    m, n, k = shape
    assert report.counts["simdgroup_multiply_accumulate"] == m * n * k // 512


@toolchain
@pytest.mark.parametrize(("bug", "kind"), [("NO_BARRIER", "race"), ("DIVERGENT", "divergence")])
def test_a_planted_bug_is_found(load: Load, bug: str, kind: str) -> None:
    report, _ = multiply(load("gemm_simdgroup.metal", bug, target="m2"), 32, 32, 64, seed=2)
    assert kind in report.kinds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kernel void f(device float* a) {}", "needs an attribute"),
        ("kernel void f(device float* a [[buffer(1)]]) {}", "without gaps"),
        ("kernel void g() {}", "no kernel called f"),
    ],
)
def test_a_kernel_that_is_not_understood_is_refused(text: str, said: str) -> None:
    with pytest.raises(CompileError, match=said):
        translate(text, "f")


def test_lines_stay_where_they_are() -> None:
    text = "// one\nkernel void f(device float* a [[buffer(0)]],\n uint i [[thread_position_in_grid]]) {\n threadgroup float t[4];\n}\n"
    assert translate(text, "f").splitlines()[3] == " SIMT_THREADGROUP float t[4];"


WIDE = """#include <metal_stdlib>
using namespace metal;
struct Sizes { int n; long step; };
kernel void f(device uint* out [[buffer(0)]], constant Sizes& sizes [[buffer(1)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup uint4 tile[32];
  threadgroup uint* const words = reinterpret_cast<threadgroup uint*>(tile);
  *reinterpret_cast<threadgroup uint4*>(&words[i * 4]) = uint4(i, 1u, 2u, uint(sizes.n));
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint4 run = *reinterpret_cast<threadgroup const uint4*>(&words[i * 4]);
  out[i] = run[0] + run[3] + uint(isnan(rint(fabs(1.5f)))) + uint(sizes.step);
}
"""


@toolchain
def test_a_vector_moves_as_one_access_and_symbols_as_one_structure() -> None:
    try:
        program = SimtProgram(WIDE, language="metal", target="m1")
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    assert program.parameters == [(8, "p"), (16, "s")]
    out = np.zeros(32, np.uint32)
    report = program.run((1,), (32,), [out, struct.pack("@iq", 7, 100)])
    report.require_clean()
    assert out.tolist() == [i + 107 for i in range(32)]
    assert [(bank.width, bank.accesses) for bank in report.banks] == [(16, 1), (16, 1)]
    assert report.bank_conflicts == 0


@toolchain
def test_address_spaces_are_kept_apart() -> None:
    try:
        check_address_spaces(WIDE)
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    for right, wrong, said in (
        ("reinterpret_cast<threadgroup uint4*>", "reinterpret_cast<device uint4*>", "cast"),
        ("= *reinterpret_cast<threadgroup const uint4*>", "= *reinterpret_cast<const uint4*>", "cast"),
        ("device uint* out", "uint* out", "names no address space"),
        ("isnan(", "min(1u, 2) + isnan(", "ambiguous"),
    ):
        assert right in WIDE
        with pytest.raises(CompileError, match=said):
            check_address_spaces(WIDE.replace(right, wrong))
