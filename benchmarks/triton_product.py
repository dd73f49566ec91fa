# SPDX-License-Identifier: MIT
"""A matrix product by Triton, compiled for an AMD GPU without one: the peer of tracea's main loops. Run by whichever Python has Triton.

    python benchmarks/triton_product.py gfx942 256 256 32 2 8 out.hsaco

Arguments: architecture, tile (m, n, k), stages, warps, file to write. Both operands lie along k, and sizes are multiples of the tile.
"""

from __future__ import annotations

import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def product(
    a, b, c, M, N, K, a_row, b_column, c_row, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr
):
    """One tile of c = a · b, tiles in bands of G rows."""
    place, columns = tl.program_id(0), tl.cdiv(N, BN)
    first = place // (G * columns) * G
    size = min(tl.cdiv(M, BM) - first, G)
    row, column = first + place % (G * columns) % size, place % (G * columns) // size
    rows, across, deep = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN), tl.arange(0, BK)
    at_a = a + rows[:, None] * a_row + deep[None, :]
    at_b = b + deep[:, None] + across[None, :] * b_column
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        sums += tl.dot(tl.load(at_a), tl.load(at_b))
        at_a += BK
        at_b += BK
    tl.store(c + rows[:, None] * c_row + across[None, :], sums.to(tl.bfloat16))


def main(arch: str, tile: tuple[int, ...], stages: int, warps: int, path: str) -> None:
    """Compile and write the code object."""
    constants = dict(zip(("BM", "BN", "BK", "G"), (*tile, 4), strict=True))
    signature = {name: "*bf16" for name in "abc"}
    signature |= dict.fromkeys(("M", "N", "K", "a_row", "b_column", "c_row"), "i32") | dict.fromkeys(
        constants, "constexpr"
    )
    divisible = {(place,): [["tt.divisibility", 16]] for place in range(9)}
    source = ASTSource(fn=product, signature=signature, constexprs=constants, attrs=divisible)
    made = triton.compile(source, target=GPUTarget("hip", arch, 64), options={"num_warps": warps, "num_stages": stages})
    Path(path).write_bytes(made.asm["hsaco"])


if __name__ == "__main__":
    main(sys.argv[1], tuple(map(int, sys.argv[2:5])), int(sys.argv[5]), int(sys.argv[6]), sys.argv[7])
