# SPDX-License-Identifier: MIT
"""Main loops of the largest bf16 tiles on CDNA against Triton's for the same tile and step, both read from their disassembly.

Triton is not part of this environment: ``TRACEA_TRITON_PYTHON`` names a Python that has it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.policy import budget
from tracea_core.policy.engine import PolicyEngine, topology_of
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import gemm

from benchmarks.row import Row

if TYPE_CHECKING:
    from tracea_hip.compile import CodeReport

DEVICES = ("mi210", "mi300x", "mi355x")
_SECONDS = 120
_REGISTERS, _DEALT, _MOST_WAVES, _SIMDS = 512, 8, 8, 4


def rows(given: argparse.Namespace) -> Iterator[Row]:
    """Yield spills, density of matrix instructions, and LDS traffic of each architecture's first configuration."""
    if re.search(given.only, "hip main loop") is None:
        return
    for device in DEVICES:
        try:
            yield from of_device(device)
        except BackendUnavailableError as error:
            yield Row(f"{device} hip main loop", "", 0.0, None, 0.0, at_most=True, pending=error.message)


def of_device(device: str) -> Iterator[Row]:
    """Yield the rows of one preset, those against Triton last.

    Raises
    ------
    BackendUnavailableError
        If no clang knows the architecture, or there is no disassembler.
    """
    from tracea_hip import compile as compiler
    from tracea_hip.mainloop import disassemble, main_loop
    from tracea_hip.plugin import emit
    from tracea_hip.variants import variants

    profile = preset(device)
    variant = next(v for v in variants(profile) if DType.BF16 in v.operand_dtypes)
    problem = gemm((4096, 4096, 4096), DType.BF16, "nt")
    lowered = lower(problem)
    config = first_buildable(lowered, PolicyEngine(profile).decide(problem, variant).heroes, profile, variant)
    kernel = build_kernel(lowered.contraction, config, profile, variant)
    code = compiler.binary(emit(kernel, certify(kernel, lowered.contraction, profile)))
    report, ours = compiler.report(code), main_loop(disassemble(code))
    words = f"{profile.arch} hip main loop, {config.tile_m}x{config.tile_n}x{config.tile_k} of {config.stages} stages"
    print(f"  {words}: {ours.describe()}; {report.describe()}")
    yield Row(f"{words}: registers spilled", "registers", report.spills, None, 0, at_most=True)
    predicted = budget.blocks_at_once(config, profile, topology_of(problem, variant))
    at_once = blocks_at_once(report, config.warps, profile.shared_bytes)
    name = f"{words}: blocks of a processor at once, by registers and LDS, beside what was predicted"
    yield Row(name, "blocks", at_once, predicted, predicted, at_most=False)
    steps = (config.tile_m, config.tile_n, config.tile_k, config.stages, config.warps)
    peer = triton_binary(profile.arch, steps)
    if isinstance(peer, str):
        yield Row(f"{words}: against Triton", "", 0.0, None, 0.0, at_most=True, pending=peer)
        return
    theirs = main_loop(disassemble(peer))
    print(f"  Triton's: {theirs.describe()}; {compiler.report(peer).describe()}")
    yield Row(f"{words}: matrix instructions of all", "", ours.density, theirs.density, theirs.density, at_most=False)
    name = f"{words}: LDS bytes a lane for each matrix instruction"
    yield Row(name, "bytes", ours.shared_bytes, theirs.shared_bytes, theirs.shared_bytes, at_most=True)


def blocks_at_once(report: CodeReport, waves: int, shared_bytes: int) -> int:
    """Return how many blocks of so many waves a compute unit of CDNA 2 to 4 holds.

    A SIMD has 512 vector registers of a lane, those for accumulation among them, dealt in eights to at most eight waves (LLVM, "User Guide
    for AMDGPU Backend", registers of gfx90a and later).
    """
    dealt = -(-max(report.vector_registers, 1) // _DEALT) * _DEALT
    by_registers = min(_REGISTERS // dealt, _MOST_WAVES) * _SIMDS // waves
    return min(by_registers, shared_bytes // max(report.shared_bytes, 1))


def triton_binary(arch: str, steps: tuple[int, ...]) -> bytes | str:
    """Return Triton's code object for (tile m, n, k, stages, warps), or why there is none."""
    python = os.environ.get("TRACEA_TRITON_PYTHON", sys.executable)
    script = Path(__file__).with_name("triton_product.py")
    with tempfile.TemporaryDirectory(prefix="tracea-triton-") as scratch:
        out = Path(scratch) / "product.hsaco"
        command = [python, str(script), arch, *map(str, steps), str(out)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"Triton takes more than {_SECONDS} s"
        if done.returncode or not out.exists():
            return "Triton does not compile: " + (done.stderr.strip().splitlines() or ["no message"])[-1][:200]
        return out.read_bytes()
