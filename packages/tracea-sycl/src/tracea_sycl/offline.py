# SPDX-License-Identifier: MIT
"""OpenCL C to a binary for an Intel GPU that is not there, by Intel's offline compiler (ocloc), and what the binary says of itself.

A kernel that needs scratch memory is refused, since its speed would be a surprise.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tracea_core.data import Data
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError, ScheduleError

DEVICES = {"pvc": "pvc", "dg2": "dg2"}
"""Architectures of profiles, and what ocloc calls them."""
OPTIONS = "-w -Dcl_intel_subgroup_matrix_multiply_accumulate=1 -cl-intel-256-GRF-per-thread"
"""The older compilers of distributions have the matrix functions without saying so."""
_INTERNAL = "-cl-intel-allow-zebin"
_SECONDS = 300


class BinaryReport(Data, frozen=True):
    """What a binary says of its kernel: registers of a thread, lanes of a sub-group, bytes of local and of scratch memory, XMX or not."""

    registers: int
    lanes: int
    shared_bytes: int
    scratch_bytes: int
    matrix_instructions: bool

    def describe(self) -> str:
        """Return one line for people."""
        words = "with" if self.matrix_instructions else "without"
        return (
            f"{self.registers} registers of a thread, sub-groups of {self.lanes}, {self.shared_bytes} bytes of local memory, "
            f"{self.scratch_bytes} of scratch, {words} dpas"
        )


def binary(source: KernelSource) -> bytes:
    """Return the binary of `source` for its architecture.

    Raises
    ------
    BackendUnavailableError
        If ocloc is not installed, or does not know the architecture.
    CompileError
        If it rejects the text, or the kernel needs scratch memory.
    """
    code = compile_text(source)
    found = report(code)
    if found.scratch_bytes:
        raise ScheduleError(
            f"{source.entry} does not fit the registers: {found.describe()}", hint="Choose smaller tiles", arch=source.arch
        )  # fmt: skip
    return code


def compile_text(source: KernelSource) -> bytes:
    """Return what ocloc makes of `source`, whatever it needs; see `binary`."""
    path, device = shutil.which("ocloc"), DEVICES.get(source.arch)
    if path is None:
        raise BackendUnavailableError(
            "Intel's offline compiler is not installed", hint="Install ocloc, or intel-opencl-icd", backend="sycl"
        )
    if device is None:
        raise BackendUnavailableError(f"{source.arch} is compiled where it runs", backend="sycl", known=sorted(DEVICES))
    with tempfile.TemporaryDirectory(prefix="tracea-sycl-") as scratch:
        folder = Path(scratch)
        (folder / "kernel.cl").write_text(source.text, "utf-8")
        command = [
            path, "compile", "-file", str(folder / "kernel.cl"), "-device", device, "-output", "kernel", "-out_dir", scratch,
            "-options", OPTIONS, "-internal_options", _INTERNAL,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        made = sorted(folder.glob("kernel*.bin"))
        if done.returncode or not made:
            raise CompileError(f"ocloc rejects {source.entry}:\n{(done.stdout + done.stderr)[:4000]}", arch=source.arch)
        return made[0].read_bytes()


def report(code: bytes) -> BinaryReport:
    """Return what a binary's description (section ``.ze_info``) says of its first kernel.

    Source: the format "zeInfo" of Intel's graphics compiler, documentation/visa and zebin.

    Raises
    ------
    CompileError
        If there is no such description.
    """
    start = code.find(b"kernels:")
    text = code[start : code.find(b"\0", start)].decode("utf-8", errors="replace") if start >= 0 else ""

    def number(name: str) -> int:
        match = re.search(rf"\b{name}:\s+(\d+)", text)
        return int(match[1]) if match else 0

    if not number("simd_size"):
        raise CompileError("the binary does not describe its kernel")
    memory = re.search(r"\n(\s*)per_thread_memory_buffers:\s*\n((?:\1 +.*\n)+)", text)
    scratch = sum(map(int, re.findall(r"\bsize:\s+(\d+)", memory[2]))) if memory else 0
    dpas = re.search(r"\bhas_dpas:\s+true", text) is not None
    return BinaryReport(number("grf_count"), number("simd_size"), number("slm_size"), scratch, dpas)
