# SPDX-License-Identifier: MIT
"""Oclgrind as a device: OpenCL kernels interpreted one work-item at a time, with races, bounds and uninitialised reads looked for.

Each launch is one run of ``oclgrind-kernel`` on a description of the arguments. It knows no sub-groups and no matrix instructions, and an
element takes microseconds: for few and small problems. Its search for uninitialised reads follows words, not bits, so kernels that pack
16-bit elements into words would be reported wrongly: it is given fp32.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, UnsupportedError
from tracea_core.plugin.manifest import BackendManifest, ProbeReport
from tracea_core.runtime.checked import check_symbols, launched_blocks
from tracea_core.semantic.kernel import Direction
from tracea_core.target import CapabilityProfile, Target
from tracea_core.testing.errors import ConformanceError

_OPTIONS = ("--data-races", "--uninitialized", "--build-options", "-w -cl-opt-disable")
"""Optimized code holds an instruction that the search for uninitialised reads does not know."""
_SECONDS = 300
_ELEMENT = re.compile(r"^\s+\w+\[\d+\] = 0x([0-9a-f]+)$", re.MULTILINE)
_WARNINGS = re.compile(r"^\d+ warnings? generated\.$", re.MULTILINE)
"""What its compiler says of parentheses."""
_WORD = 4


class Bytes:
    """Bytes that kernels reach; guard bands are left to Oclgrind, which watches every address."""

    def __init__(self, content: npt.NDArray[np.uint8], guard: int) -> None:
        self.content, self.guard = content.copy(), guard
        self.address = int(self.content.ctypes.data)

    @property
    def inside(self) -> npt.NDArray[np.uint8]:
        """All but the guard bands."""
        return self.content[self.guard : self.content.size - self.guard]

    def read(self) -> npt.NDArray[np.uint8]:
        """Return the bytes as they are now."""
        return self.content.copy()


class OclgrindRuntime:
    """See `tracea_core.runtime.interface.Runtime`."""

    memory = "device"
    device = "oclgrind"

    def __init__(self) -> None:
        found = shutil.which("oclgrind-kernel")
        if found is None:
            raise BackendUnavailableError("oclgrind-kernel is not installed", hint="Install oclgrind", backend="sycl")
        self.path = found
        self.placed: dict[int, Bytes] = {}

    def place(self, content: npt.NDArray[np.uint8]) -> Bytes:
        """Return a copy of `content` that kernels reach."""
        return self.place_guarded(content, 0)

    def place_guarded(self, content: npt.NDArray[np.uint8], guard_bytes: int) -> Bytes:
        """Return a copy of `content` that kernels reach, all but `guard_bytes` at either end."""
        memory = Bytes(content, guard_bytes)
        self.placed[memory.address + guard_bytes] = memory
        return memory

    def compile(self, source: KernelSource) -> OclgrindKernel:
        """Return the kernel; its text is compiled by each launch."""
        return OclgrindKernel(source, self)


@dataclasses.dataclass(frozen=True)
class OclgrindKernel:
    """See `tracea_core.runtime.interface.CompiledKernel`."""

    source: KernelSource
    runtime: OclgrindRuntime

    def prepare(self, symbols: Mapping[str, int]) -> OclgrindLauncher:
        """Bind the symbols."""
        check_symbols(self.source, symbols)
        return OclgrindLauncher(self.source, self.runtime, dict(symbols))


@dataclasses.dataclass(frozen=True)
class OclgrindLauncher:
    """One kernel with every symbol bound; see `tracea_core.runtime.interface.Launcher`."""

    source: KernelSource
    runtime: OclgrindRuntime
    symbols: dict[str, int]

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Interpret the kernel and store what it wrote.

        Raises
        ------
        UnsupportedError
            If an array does not begin where its memory does, or the launch takes too long.
        ConformanceError
            With what Oclgrind says, if it says anything.
        """
        if any(pointer not in self.runtime.placed for pointer in pointers):
            raise UnsupportedError("arrays begin where their memory does here")
        memories = [self.runtime.placed[pointer] for pointer in pointers]
        with tempfile.TemporaryDirectory(prefix="tracea-oclgrind-") as scratch:
            folder = Path(scratch)
            (folder / "kernel.cl").write_text(self.source.text, "utf-8")
            (folder / "kernel.sim").write_text(self._description(folder / "kernel.cl", memories))
            command = [self.runtime.path, *_OPTIONS, str(folder / "kernel.sim")]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
            except subprocess.TimeoutExpired as error:
                raise UnsupportedError(f"oclgrind takes more than {_SECONDS} s", kernel=self.source.entry) from error
        said = _WARNINGS.sub("", done.stderr).strip()
        if said or done.returncode:
            raise ConformanceError(f"oclgrind says of {self.source.entry}:\n{said[:2000]}", code=done.returncode)
        _store(done.stdout, [m for m, p in zip(memories, self.source.parameters, strict=True) if _written(p.direction)])

    def _description(self, text: Path, memories: list[Bytes]) -> str:
        """The arguments as ``oclgrind-kernel`` reads them: pointers as words in hexadecimal, then integers."""
        source = self.source
        threads = source.launch.threads
        lines = [str(text), source.entry, f"{launched_blocks(source, self.symbols) * threads} 1 1", f"{threads} 1 1"]
        for parameter, memory in zip(source.parameters, memories, strict=True):
            words = np.frombuffer(memory.inside.tobytes() + b"\0" * (-memory.inside.size % _WORD), np.uint32)
            dump = " dump" if _written(parameter.direction) else ""
            lines.append(f"<size={words.nbytes} uint hex{dump}>\n" + " ".join(f"{word:x}" for word in words))
        for symbol in source.symbols:
            kind = "size=8 long" if symbol.wide else "size=4 int"
            lines.append(f"<{kind}>\n{self.symbols[symbol.name]}")
        return "\n".join(lines) + "\n"


def _written(direction: Direction) -> bool:
    return direction is not Direction.READ


def _store(printed: str, memories: list[Bytes]) -> None:
    """Store the words that Oclgrind printed for each array that the kernel writes."""
    parts = printed.split("Argument '")[1:]
    for part, memory in zip(parts, memories, strict=True):
        words = np.array([int(word, 16) for word in _ELEMENT.findall(part)], np.uint32)
        memory.inside[...] = words.view(np.uint8)[: memory.inside.size]


def interpreted(manifest: BackendManifest, profile: CapabilityProfile) -> BackendManifest:
    """Return the manifest with Oclgrind as its only device."""
    runtime = OclgrindRuntime()
    report = ProbeReport((Target(manifest.name, runtime.device, profile),), ())
    return dataclasses.replace(manifest, probe=lambda: report, open_runtime=lambda device: runtime)
