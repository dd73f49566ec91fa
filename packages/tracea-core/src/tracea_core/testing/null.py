# SPDX-License-Identifier: MIT
"""The smallest backend that is one: it prints a kernel as its own JSON and runs that with core's interpreter.

It is correct and slow, needs nothing but NumPy, and shows authors what each part of the contract looks like when nothing else is
in the way. Broken copies of it are what the conformance kit is tested with.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.doctor.requirements import RequiresOps
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource, header
from tracea_core.errors import LaunchError
from tracea_core.plugin.manifest import BackendManifest, Finding, ProbeReport, Severity
from tracea_core.semantic.interpret import Array, Interpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.kernel import Direction, Parameter, SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import CapabilityProfile, Target

DEVICE = "null:0"
PROFILE = CapabilityProfile(
    name="core's interpreter", vendor="tracea", arch="interpreter", backend="null", processors=2, lanes=8,
    vector_registers=32, probed=True, source="made up",
)  # fmt: skip
_TYPES = ((DType.FP32, (DType.FP32, DType.BF16)), (DType.FP64, (DType.FP64,)), (DType.INT32, (DType.INT8, DType.UINT8)))


def probe() -> ProbeReport:
    """Return the one device, which is always there."""
    return ProbeReport((Target("null", DEVICE, PROFILE),), (Finding(Severity.OK, "null", "the interpreter is there"),))


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return one variant for each type of accumulator."""
    return tuple(
        Variant(
            name=f"null.contraction.{accumulate.value}", backend="null", family="contraction", schedule="panel",
            instruction=f"fma_outer_1x1x1_{accumulate.value}", operand_dtypes=operands, accumulate=accumulate, priority=1,
            requirements=(RequiresOps(("GemmOp", "Conv2dOp")),), summary="interpreted in float64",
        )
        for accumulate, operands in _TYPES
    )  # fmt: skip


def emit(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return `kernel` as JSON under a comment.

    Raises
    ------
    CertificationError
        If the certificate belongs to another kernel.
    """
    certificate.require(kernel)
    head = "\n".join(f"; {line}" for line in header(kernel, certificate).split("\n"))
    return KernelSource(
        language="json", arch=kernel.arch, entry=kernel.name, text=f"{head}\n{kernel.to_json()}\n",
        parameters=kernel.parameters, symbols=kernel.symbols, workspaces=(), launch=kernel.launch,
        kernel_digest=kernel.digest(), certificate=certificate.digest(),
    )  # fmt: skip


class Reachable(Memory):
    """An operand behind a bare address: elements are read and written where they lie."""

    def __init__(self, parameter: Parameter, address: int) -> None:
        super().__init__(parameter.name, np.zeros(0), np.zeros(0, np.int64), parameter.direction is not Direction.READ)
        self._dtype, self._address = parameter.dtype, address

    def check(self, offsets: npt.NDArray[np.int64], what: str) -> None:
        """Accept every offset: a pointer knows no size."""

    def _window(self, low: int, high: int) -> npt.NDArray[np.generic]:
        """The elements from `low` to `high` in place."""
        size = self._dtype.bytes
        block = (ctypes.c_uint8 * ((high - low + 1) * size)).from_address(self._address + low * size)
        return np.frombuffer(memoryview(block), self._dtype.storage)

    def read(self, offsets: npt.NDArray[np.int64]) -> Array:
        """Return the elements at `offsets`."""
        if not offsets.size:
            return np.zeros(offsets.shape)
        low = int(offsets.min())
        return self._dtype.decode(self._window(low, int(offsets.max()))[offsets - low])

    def write(self, offsets: npt.NDArray[np.int64], values: Array, distinct: bool = False) -> None:
        """Store `values` at `offsets`, rounded."""
        if offsets.size:
            low = int(offsets.min())
            self._window(low, int(offsets.max()))[offsets - low] = self._dtype.encode(values)


class NullLauncher:
    """A kernel with every symbol bound."""

    def __init__(self, kernel: SemanticKernel, symbols: Mapping[str, int]) -> None:
        for symbol in kernel.symbols:
            if symbol.name not in symbols or not symbol.admits(symbols[symbol.name]):
                raise LaunchError(f"{symbol.name} is missing or outside its domain", kernel=kernel.name)
        self._kernel, self._symbols = kernel, dict(symbols)

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Interpret the kernel on the memory behind `pointers`."""
        nothing = {parameter.name: np.zeros(0) for parameter in self._kernel.parameters}
        run = Interpreter(self._kernel, self._symbols, nothing, workers=self._symbols.get("workers", 1))
        for parameter, pointer in zip(self._kernel.parameters, pointers, strict=True):
            run.memory[parameter.name] = Reachable(parameter, pointer)
        run.run()


class NullKernel:
    """A kernel read back from its text."""

    def __init__(self, source: KernelSource) -> None:
        self.source = source
        self._kernel = SemanticKernel.from_json("".join(x for x in source.text.splitlines() if not x.startswith(";")))

    def prepare(self, symbols: Mapping[str, int]) -> NullLauncher:
        """Bind the symbols.

        Raises
        ------
        LaunchError
            If one is missing or outside its domain.
        """
        return NullLauncher(self._kernel, symbols)


class NullRuntime:
    """The interpreter as a device."""

    device = DEVICE
    memory = "host"
    toolchain = "core's interpreter"

    def compile(self, source: KernelSource) -> NullKernel:
        """Return `source`, read back.

        Raises
        ------
        MalformedDataError
            If the text is not a kernel.
        """
        return NullKernel(source)


def open_runtime(device: str) -> NullRuntime:
    """Return the runtime."""
    return NullRuntime()


def null_backend(**changes: Callable[..., Any] | Any) -> BackendManifest:
    """Return the manifest, with fields changed: broken copies are made this way."""
    fields: dict[str, Any] = {
        "name": "null", "version": "1.0", "plugin_api": (1, 0), "priority": 0, "description": "Core's interpreter as a device",
        "probe": probe, "variants": variants, "emitters": {"contraction": emit}, "open_runtime": open_runtime,
    }  # fmt: skip
    return BackendManifest(**{**fields, **changes})
