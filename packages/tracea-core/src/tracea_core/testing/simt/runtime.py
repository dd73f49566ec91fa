# SPDX-License-Identifier: MIT
"""The emulator as a device: a runtime for emitted kernels, so that the conformance kit runs every backend without hardware.

A launch with any finding fails as loudly as a wrong result, and names the line of the emitted text.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tracea_core.doctor.presets import preset
from tracea_core.emit.source import BoxMap, KernelSource
from tracea_core.errors import LaunchError
from tracea_core.plugin.manifest import BackendManifest, ProbeReport
from tracea_core.runtime.arena import Arena
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.kernel import Direction
from tracea_core.target import CapabilityProfile, Target
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.simt.arguments import Array, Pointers, Region, value
from tracea_core.testing.simt.program import SimtProgram
from tracea_core.testing.simt.report import SimtReport
from tracea_core.testing.simt.tensor_map import Walk, encode
from tracea_core.testing.simt.toolchain import find_compiler

if TYPE_CHECKING:
    from tracea_core.testing.executions import Executions

_BLOCKS = "blocks"
_REPORTS = 64
_UNWRITTEN = 0xFF


class SimtMemory:
    """Bytes of the emulated device."""

    def __init__(self, content: npt.NDArray[np.uint8], guard_bytes: int) -> None:
        self._content = content.copy()
        self._array = Array(self._content, 0)
        self._guard = guard_bytes
        self.address = self._array.address

    def region(self, argument: int) -> Region:
        """Return what kernels may touch of it."""
        return Region(self.address + self._guard, self._content.nbytes - 2 * self._guard, 1, argument)

    def holds(self, address: int) -> bool:
        """Whether the address lies in it."""
        return self.address <= address <= self.address + self._content.nbytes

    def read(self) -> npt.NDArray[np.uint8]:
        """Return the bytes as they are now."""
        self._array.copy_back()
        return self._content.copy()


class SimtRuntime:
    """One emulated device; see `tracea_core.runtime.interface.Runtime`.

    Parameters
    ----------
    profile : CapabilityProfile
        The device.
    name : str
        How its targets call it.
    seed : int
        Order in which threads run; see `SimtProgram.run`.
    executions : Executions, optional
        Launches that need not be repeated; the conformance kit asks and tells it.

    Attributes
    ----------
    reports : deque of SimtReport
        What the last launches did, in order.
    placed : mapping of int to SimtMemory
        What kernels reach, by address; memory that nobody holds any more is no longer in it.
    scratch : Arena
        Workspaces of plans of several kernels.
    """

    memory = "device"

    def __init__(
        self, profile: CapabilityProfile, name: str, seed: int = 1, executions: Executions | None = None
    ) -> None:
        self.profile, self.device, self.seed, self.executions = profile, name, seed, executions
        self.reports: deque[SimtReport] = deque(maxlen=_REPORTS)
        self.placed: weakref.WeakValueDictionary[int, SimtMemory] = weakref.WeakValueDictionary()
        self._lent: dict[int, SimtMemory] = {}
        self.scratch = Arena(self._lend, self._take_back)

    @property
    def toolchain(self) -> str:
        """The host's compiler."""
        return find_compiler().version

    def place(self, content: npt.NDArray[np.uint8]) -> SimtMemory:
        """Return a copy of `content` that kernels reach."""
        return self.place_guarded(content, 0)

    def place_guarded(self, content: npt.NDArray[np.uint8], guard_bytes: int) -> SimtMemory:
        """Return a copy of `content` that kernels reach, all but `guard_bytes` at either end."""
        memory = SimtMemory(content, guard_bytes)
        self.placed[memory.address] = memory
        return memory

    def _lend(self, size: int) -> int:
        """Return the address of memory that holds NaNs, so that what no kernel wrote shows."""
        memory = self.place(np.full(size, _UNWRITTEN, np.uint8))
        self._lent[memory.address] = memory
        return memory.address

    def _take_back(self, address: int) -> None:
        del self._lent[address]

    def compile(self, source: KernelSource) -> SimtKernel:
        """Return `source` compiled for the emulator.

        Raises
        ------
        CompileError
            If the host's compiler rejects it.
        """
        program = SimtProgram(source.text, language=source.language, target=self.profile, entry=source.entry)
        return SimtKernel(source, program, self)


class SimtKernel:
    """One kernel; see `tracea_core.runtime.interface.CompiledKernel`."""

    def __init__(self, source: KernelSource, program: SimtProgram, runtime: SimtRuntime) -> None:
        self.source, self.program, self.runtime = source, program, runtime

    def prepare(self, symbols: Mapping[str, int]) -> SimtLauncher:
        """Bind the symbols and return what launches.

        Raises
        ------
        LaunchError
            If a symbol is missing.
        """
        missing = [symbol.name for symbol in self.source.symbols if symbol.name not in symbols]
        if missing:
            raise LaunchError(f"no value was given for {', '.join(missing)}", kernel=self.source.entry)
        return SimtLauncher(self, {name: int(number) for name, number in symbols.items()})


class SimtLauncher:
    """One kernel with its symbols bound; see `tracea_core.runtime.interface.Launcher`."""

    def __init__(self, kernel: SimtKernel, symbols: Mapping[str, int]) -> None:
        self._kernel, self._symbols = kernel, symbols
        source = kernel.source
        self.blocks = int(evaluate(source.launch.blocks, symbols))
        values = {**symbols, _BLOCKS: self.blocks}
        self._workspaces = [
            SimtMemory(
                np.zeros(int(evaluate(space.bytes, values)) * (self.blocks if space.per_worker else 1), np.uint8), 0
            )
            for space in source.workspaces
        ]

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Run the kernel; `stream` has no meaning here.

        Raises
        ------
        ConformanceError
            If the emulator finds a fault.
        """
        kernel, source = self._kernel, self._kernel.source
        arguments = self._arguments(pointers)
        regions = [
            memory.region(self._number(memory, pointers))
            for memory in (*kernel.runtime.placed.values(), *self._workspaces)
        ]
        report = kernel.program.launch(
            (self.blocks,), (source.launch.threads,), arguments, regions,
            shared_bytes=max(source.launch.shared_bytes - kernel.program.static_shared_bytes, 0),
            seed=kernel.runtime.seed, cluster=source.launch.cluster,
        )  # fmt: skip
        kernel.runtime.reports.append(report)
        if report.findings:
            raise ConformanceError(f"the emulator finds faults in {source.entry} on {kernel.runtime.device}:\n{report}")

    def _number(self, memory: SimtMemory, pointers: tuple[int, ...]) -> int:
        """Return the number of the argument that points into a piece of memory, for messages."""
        first = len(self._kernel.source.boxes)
        return next((first + i for i, pointer in enumerate(pointers) if memory.holds(pointer)), first + len(pointers))

    def _arguments(self, pointers: tuple[int, ...]) -> Pointers:
        source, parameters = self._kernel.source, self._kernel.program.parameters
        order = [parameter.name for parameter in source.parameters]
        given: list[int | bytes] = []
        for box in source.boxes:
            operand = source.parameters[order.index(box.operand)]
            given.append(self._box(box, pointers[order.index(box.operand)], operand.direction is not Direction.READ))
        given += pointers
        if parameters[len(given) : len(given) + 1] and parameters[len(given)][1] == "s":
            given.append(source.packed_symbols(self._symbols))
        else:
            given += [self._symbols[symbol.name] for symbol in source.symbols]
        given += [workspace.address for workspace in self._workspaces]
        if len(given) != len(parameters):
            raise LaunchError(
                f"the kernel has {len(parameters)} parameters, its source names {len(given)}", kernel=source.entry
            )
        packed = Pointers()
        for number, (argument, (size, kind)) in enumerate(zip(given, parameters, strict=True)):
            packed.add(value(argument, number, size, "i" if kind == "p" else kind))
        return packed

    def _box(self, box: BoxMap, address: int, writable: bool) -> bytes:
        element = box.dtype.bytes
        extents = [int(evaluate(extent, self._symbols)) for extent in box.extents]
        strides = [int(evaluate(stride, self._symbols)) * element for stride in box.strides]
        walk = None
        if box.pixels is not None:
            (left, top), (right, bottom), (across, down) = (
                [int(evaluate(part, self._symbols)) for part in parts]
                for parts in (box.pixels.first, box.pixels.last, box.pixels.step)
            )
            walk = Walk((left, top), (right - extents[1] + 1, bottom - extents[2] + 1), (across, down))
        return encode(address, element, extents, strides[1:], box.shape, box.swizzle_bytes, writable, walk)


def emulated(
    manifest: BackendManifest, device: str, seed: int = 1, executions: Executions | None = None
) -> BackendManifest:
    """Return `manifest` with the emulator in place of its device, for `tracea_core.testing.conformance`.

    Parameters
    ----------
    manifest : BackendManifest
        A backend whose language the emulator knows.
    device : str
        The preset to emulate (``"mi300x"``, ``"h200"``, ``"m2"``).
    executions : Executions, optional
        Launches that are known to end well, and are not repeated.
    """
    profile = preset(device).replace(probed=True)  # the emulator is at hand
    name = f"{manifest.name}:0"
    target = Target(manifest.name, name, profile)
    report = ProbeReport(devices=(target,))
    return dataclasses.replace(
        manifest, probe=lambda: report, open_runtime=lambda _: SimtRuntime(profile, name, seed, executions)
    )
