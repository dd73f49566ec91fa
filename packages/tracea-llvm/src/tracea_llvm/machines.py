# SPDX-License-Identifier: MIT
"""What LLVM calls processors: the triple of an architecture's name, and the scheduling model under which a kernel's text comes out best."""

from __future__ import annotations

from tracea_core.semantic.kernel import SemanticKernel

_AVX512_BYTES = 64


def _is_arm(arch: str) -> bool:
    names = ("arm", "aarch64", "apple", "neoverse", "cortex", "ampere", "a64fx", "generic")
    return arch.startswith(names)


def triple_of(arch: str) -> str:
    """Return the triple whose instructions the barrier may use while it waits."""
    return "aarch64-unknown-linux-gnu" if _is_arm(arch) else "x86_64-unknown-linux-gnu"


def tuning(kernel: SemanticKernel) -> str:
    """Return the processor whose scheduling model LLVM shall use, whatever it compiles for.

    Some models (LLVM 22: znver4, neoverse-n1) move so many broadcasts ahead that accumulators of a full register tile
    are spilled in the innermost loop; these keep the tile in registers (``packages/tracea-cpu/tests/emit/test_assembly.py``).
    """
    if _is_arm(kernel.arch):
        return "generic"
    sums = [fragment.dtype.bytes * fragment.layout.lanes for fragment in kernel.roles[0].fragments]
    return "skylake-avx512" if max(sums, default=0) >= _AVX512_BYTES else "haswell"
