# SPDX-License-Identifier: MIT
"""What can be seen of OpenCL texts here: Intel's offline compiler on PVC and DG2, and numerics and speed on this machine's processor.

Drivers are those that the OpenCL loader finds (``OCL_ICD_VENDORS``): Intel's for processors is on PyPI, PoCL and Oclgrind are Debian's.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator

import numpy as np
from tracea_core.doctor.presets import preset
from tracea_core.doctor.variants import Variant
from tracea_core.errors import BackendUnavailableError, ConfigurationError
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify
from tracea_core.target import CapabilityProfile
from tracea_core.testing.cases import gemm

from benchmarks import dialects
from benchmarks.row import Row

DEVICES = ("pvc", "arc_a770")
_SIZE = 1024
_SHARE = 0.5
_REPEATS = 7


def rows(given: argparse.Namespace) -> Iterator[Row]:
    """Yield what ocloc says of each first configuration, numerics on each OpenCL device, and the speed of the processor."""
    wanted = re.compile(given.only)
    if wanted.search("sycl ocloc"):
        for device in DEVICES:
            try:
                yield from _compiled(preset(device))
            except BackendUnavailableError as error:
                yield dialects.pending(f"sycl ocloc {device}", error.message)
    if wanted.search("sycl numerics on OpenCL"):
        for where, count in (*((name, 500) for name in _devices()), ("oclgrind", 20)):
            yield from dialects.numerics("sycl", given, where, count)
    if wanted.search("sycl speed on the processor"):
        yield _speed()
    yield dialects.pending("sycl: OpenCL on an NVIDIA GPU against cuBLAS", "no such device is here")


def _compiled(profile: CapabilityProfile) -> Iterator[Row]:
    from tracea_sycl import offline
    from tracea_sycl.plugin import emit
    from tracea_sycl.variants import variants

    for variant in variants(profile):
        if variant.schedule == "depthwise":
            continue
        problem = gemm((4096, 4096, 4096), variant.operand_dtypes[0], "nt")
        form = lower(problem).contraction
        for hero in PolicyEngine(profile).decide(problem, variant).heroes:
            try:
                kernel = build_kernel(form, hero, profile, variant)
                break
            except ConfigurationError:
                continue
        source = emit(kernel, certify(kernel, form, profile))
        found = offline.report(offline.compile_text(source))
        words = (
            f"{profile.arch} sycl ocloc, {variant.name.rpartition('.')[2]} {hero.tile_m}x{hero.tile_n}x{hero.tile_k}"
        )
        print(f"  {words}: {found.describe()}")
        yield Row(f"{words}: scratch", "bytes", found.scratch_bytes, None, 0, at_most=True)
        shared, given = found.shared_bytes, source.launch.shared_bytes
        yield Row(
            f"{words}: local memory beside what was predicted", "bytes", abs(shared - given), None, 0, at_most=True
        )
        yield Row(f"{words}: registers", "registers", found.registers, None, _registers(profile), at_most=True)
        if _multiplies(variant):
            yield Row(f"{words}: dpas is there", "", float(found.matrix_instructions), None, 1, at_most=False)


def _multiplies(variant: Variant) -> bool:
    return variant.instruction.startswith("dpas")


def _registers(profile: CapabilityProfile) -> int:
    """Registers of a thread in the mode that the schedules are made for: one of a sub-group's lanes has as many words."""
    return profile.max_registers_per_thread


def _devices() -> list[str]:
    from tracea_sycl.probe import probe

    return [target.device for target in probe().devices if target.device != "cpu"]


def _speed() -> Row:
    """An fp32 product by OpenCL on the processor against the backend that is made for processors, in turns."""
    from tracea.ops import matmul

    name = f"sycl speed on the processor, fp32 {_SIZE}x{_SIZE}x{_SIZE}"
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((_SIZE, _SIZE), np.float32) for _ in range(2))
    times: dict[str, list[float]] = {"sycl": [], "cpu": []}
    try:
        for _ in range(_REPEATS):
            for backend, found in times.items():
                found.append(_timed(lambda backend=backend: matmul(a, b, backend=backend)))  # type: ignore[misc]
    except BackendUnavailableError as error:
        return dialects.pending(name, error.message)
    rates = {backend: 2 * _SIZE**3 / min(found) / 1e9 for backend, found in times.items()}
    return Row(name, "GFLOP/s", rates["sycl"], rates["cpu"], _SHARE * rates["cpu"], at_most=False)


def _timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin
