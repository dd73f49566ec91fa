# SPDX-License-Identifier: MIT
"""What can be seen of OpenCL texts here: Intel's offline compiler on PVC and DG2, and numerics and speed on this machine's processor.

Drivers are those that the OpenCL loader finds (``OCL_ICD_VENDORS``): Intel's for processors is on PyPI, PoCL and Oclgrind are Debian's.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, ConfigurationError
from tracea_core.ops.activations import BiasAdd, Gelu, Residual
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify
from tracea_core.target import CapabilityProfile
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.simt.served import Served

from benchmarks import dialects, fuzz_emulated
from benchmarks.row import Row

DEVICES = ("pvc", "arc_a770")
_SIZE = 1024
_SHARE = 0.5
_REPEATS = 7
ON_NVIDIA, _OF_CUBLAS, _LARGE = "sycl: OpenCL on an NVIDIA GPU", 0.6, 4096
_WARM, _MEASURED = 2.0, 1.0
_MOST_DEVICES = 16


def rows(given: argparse.Namespace) -> Iterator[Row]:
    """Yield what ocloc says of each first configuration, numerics on each device of OpenCL and SYCL, and the speed of the processor."""
    wanted = re.compile(given.only)
    if wanted.search("sycl ocloc"):
        for device in DEVICES:
            try:
                yield from _compiled(preset(device))
            except BackendUnavailableError as error:
                yield dialects.pending(f"sycl ocloc {device}", error.message)
    for backend, others in (("sycl", ("oclgrind",)), ("oneapi", ())):
        for where in _asked(backend, others, wanted):
            yield from dialects.numerics(backend, given, where, 20 if where in others else 500)
    if wanted.search("sycl speed on the processor"):
        yield _speed()
    if wanted.search(ON_NVIDIA):
        yield from _on_nvidia()


def _compiled(profile: CapabilityProfile) -> Iterator[Row]:
    from tracea_sycl import offline
    from tracea_sycl.plugin import emit
    from tracea_sycl.variants import variants

    for variant in variants(profile):
        if variant.family != "contraction" or variant.schedule == "depthwise":
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


def _devices(backend: str) -> list[str]:
    known = fuzz_emulated.manifest_of(backend).probe().devices
    return [target.device for target in known if target.device != "cpu"]


def _asked(backend: str, others: tuple[str, ...], wanted: re.Pattern[str]) -> list[str]:
    """Return which of this machine's devices and of `others` a pattern asks numerics of; what it leaves out is not looked for."""
    numbered = [f"{backend}:{number}" for number in range(_MOST_DEVICES)]
    asked = [where for where in (*numbered, *others) if wanted.search(f"{backend} numerics on {where}, ")]
    known = _devices(backend) if set(asked) & set(numbered) else []
    return [where for where in asked if where in known or where in others]


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


def _on_nvidia() -> Iterator[Row]:
    """The fp32 product on NVIDIA's OpenCL against cuBLAS on the same GPU, and an epilogue there against float64."""
    from tracea_sycl import driver

    try:
        device = next((device for device in driver.devices() if device.is_nvidia), None)
        import torch
    except (BackendUnavailableError, ImportError) as error:
        yield dialects.pending(ON_NVIDIA, str(error))
        return
    if device is None or not torch.cuda.is_available():
        yield dialects.pending(ON_NVIDIA, "no such device is here")
        return
    for layout in ("nn", "nt"):
        ours, theirs = _against_cublas(device.name, layout)
        flops = 2 * _LARGE**3 / 1e12
        name = f"{ON_NVIDIA}, fp32 {_LARGE}x{_LARGE}x{_LARGE} {layout}, against cuBLAS in fp32"
        yield Row(name, "TFLOP/s", flops / ours, flops / theirs, _OF_CUBLAS * flops / theirs, at_most=False)
    epilogue, arrays = (BiasAdd(np.ones(804)) | Gelu() | Residual(np.ones((801, 804)))).bind()
    extra = tuple(dense(np.shape(array), DType.FP32) for array in arrays)
    problem = gemm((801, 804, 500), DType.FP32, epilogue=epilogue, extra=extra)
    manifest = fuzz_emulated.served_by(fuzz_emulated.manifest_of("sycl"), device.name)
    wrong = 0
    try:
        Served.on_first_device(manifest, problem).run(problem)
    except ConformanceError as error:
        print(f"  {error}")
        wrong = 1
    yield Row(f"{ON_NVIDIA}, bias, gelu, residual: wrong", "problems", wrong, None, 0, at_most=True)


def _against_cublas(device: str, layout: str) -> tuple[float, float]:
    """Return medians of seconds, of the first configuration as the host's clock sees its launches, and of cuBLAS, in turns."""
    import torch
    from tracea_sycl.runtime import open_runtime

    manifest = fuzz_emulated.served_by(fuzz_emulated.manifest_of("sycl"), device)
    target = manifest.probe().devices[0]
    problem = gemm((_LARGE, _LARGE, _LARGE), DType.FP32, layout)
    variant = choose(problem, target, manifest.variants(target.profile)).variant
    lowered = lower(problem)
    heroes = PolicyEngine(target.profile).decide(problem, variant).heroes
    config = first_buildable(lowered, heroes, target.profile, variant)
    kernel = build_kernel(lowered.contraction, config, target.profile, variant)
    source = manifest.emitters["contraction"](kernel, certify(kernel, lowered.contraction, target.profile))
    runtime = open_runtime(device)
    launch = runtime.compile(source).prepare(lowered.symbols)
    random = np.random.default_rng(0)
    filled = {name: random.standard_normal((_LARGE, _LARGE), np.float32) for name in dict.fromkeys(lowered.operands)}
    held = {name: runtime.place(array.reshape(-1).view(np.uint8)) for name, array in filled.items()}
    given = [held[name].address for name in lowered.operands]
    a, b = (torch.from_numpy(filled[name]).cuda() for name in ("input0", "input1"))
    b = b.t() if layout == "nt" else b

    def cublas() -> None:
        torch.matmul(a, b)
        torch.cuda.synchronize()

    torch.backends.cuda.matmul.allow_tf32 = False
    times: tuple[list[float], list[float]] = ([], [])
    begin = time.perf_counter()
    while time.perf_counter() - begin < _WARM + _MEASURED:  # an idle GPU's clock takes a while to rise
        pair = _timed(lambda: launch(*given)), _timed(cublas)
        if time.perf_counter() - begin > _WARM:
            times[0].append(pair[0])
            times[1].append(pair[1])
    return statistics.median(times[0]), statistics.median(times[1])


def _timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin
