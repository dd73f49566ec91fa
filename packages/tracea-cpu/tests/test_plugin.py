# SPDX-License-Identifier: MIT
"""The manifest says what the backend is, importing it loads neither compiler nor runtime, and binaries fit their arch."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from tracea_core.emit.source import KernelSource
from tracea_cpu import __version__
from tracea_cpu.plugin import tracea_register_backend


def test_the_manifest() -> None:
    manifest = tracea_register_backend()
    assert (manifest.name, manifest.version, manifest.plugin_api) == ("cpu", __version__, (1, 0))
    assert set(manifest.emitters) == {"contraction", "rowwise", "chained"}
    assert manifest.open_runtime("cpu").device == "cpu"


def test_the_binary_is_for_the_processor_of_the_source(source: Callable[..., KernelSource]) -> None:
    compile_binary = tracea_register_backend().compile_binary
    assert compile_binary is not None
    made = source("define void @f() {\n  ret void\n}\n", "f", [])
    machines = {}
    for arch in (made.arch, "neoverse-n1", "x86-64-v3"):
        machines[arch] = compile_binary(made.replace(arch=arch))[18:20]
    assert machines["neoverse-n1"] == b"\xb7\x00"
    assert machines["x86-64-v3"] == b"\x3e\x00"


def test_registering_imports_no_compiler() -> None:
    script = (
        "import sys; from tracea_cpu.plugin import tracea_register_backend; tracea_register_backend(); "
        "print([name for name in ('llvmlite', 'numba', 'torch', 'tracea_cpu.runtime') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"
