# SPDX-License-Identifier: MIT
"""The manifest, and what it is made of: one device that is always there, and one variant for each type of accumulator."""

from __future__ import annotations

from tracea_core.doctor.requirements import RequiresOps
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.plugin.manifest import BackendManifest, Finding, ProbeReport, Severity
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import CapabilityProfile, Target

from tracea_backend_example import __version__

_MACHINE = CapabilityProfile(
    name="the example machine",
    vendor="example",
    arch="example1",
    backend="example",
    processors=2,
    lanes=8,
    vector_registers=32,
    probed=True,
    source="as it is written in machine.py",
)
_OPERANDS = {DType.FP32: (DType.FP32, DType.BF16), DType.FP64: (DType.FP64,), DType.INT32: (DType.INT8,)}


def probe() -> ProbeReport:
    """Return the one device. It works on NumPy arrays and CPU tensors, so it is called what they call theirs: ``cpu``."""
    found = Finding(Severity.OK, "example", "the machine is made of Python and always there")
    return ProbeReport((Target("example", "cpu", _MACHINE),), (found,))


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel there are for `profile`: none for anyone else's device."""
    if profile.backend != "example":
        return ()
    return tuple(
        Variant(
            name=f"example.contraction.{accumulate.value}",
            backend="example",
            family="contraction",
            schedule="panel",
            instruction=f"fma_outer_1x1x{profile.lanes}_{accumulate.value}",
            operand_dtypes=operands,
            accumulate=accumulate,
            priority=10,
            requirements=(RequiresOps(("GemmOp", "Conv2dOp")),),
            summary="register tiles over packed panels, in NumPy",
        )
        for accumulate, operands in _OPERANDS.items()
    )


def emit_contraction(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return `kernel` in the example's language. Imported when the first kernel is printed, to keep discovery cheap."""
    from tracea_backend_example.emit import emit

    return emit(kernel, certificate)


def open_runtime(device: str) -> Runtime:
    """Return the machine."""
    from tracea_backend_example.runtime import ExampleRuntime

    return ExampleRuntime()


@hookimpl
def tracea_register_backend() -> BackendManifest:
    """Return the manifest. Priority 1: whoever has a faster backend for ``cpu`` keeps using that unless asked."""
    return BackendManifest(
        name="example",
        version=__version__,
        plugin_api=(1, 0),
        priority=1,
        description="An example to start from: schedules as text, run in NumPy",
        probe=probe,
        variants=variants,
        emitters={"contraction": emit_contraction},
        open_runtime=open_runtime,
    )
