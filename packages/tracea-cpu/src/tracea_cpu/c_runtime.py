# SPDX-License-Identifier: MIT
"""Kernels of the processor in a library of C: position-independent objects, and the pool that runs them (``c/tracea_cpu.h``).

The objects use no more than the instructions that the profile names and every processor with them has, so that the library can ask
a processor whether it will do.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib import resources

from tracea_core.emit.source import KernelSource
from tracea_core.errors import UnsupportedError
from tracea_core.export.c_text import array, expression, number, string, structure
from tracea_core.plugin.c_runtime import CKernel, CRuntime
from tracea_core.runtime.checked import check_symbols
from tracea_core.target import CapabilityProfile
from tracea_llvm.barrier import machine_of

from tracea_cpu import compile as compiler
from tracea_cpu.deal import DEAL_TEXT, DEALT
from tracea_cpu.pool_text import has_futex, pool_text
from tracea_cpu.runtime import BARRIER_CALL, WORKERS

HEADER = "tracea_cpu.h"
MOST_WORKSPACES = 8
"""As ``tracea_cpu.h`` says."""
ASKED = (
    "sse4.2",
    "avx",
    "avx2",
    "fma",
    "bmi",
    "bmi2",
    "avx512f",
    "avx512bw",
    "avx512dq",
    "avx512vl",
    "avx512vnni",
    "avx512bf16",
    "amx-tile",
)
"""What a library asks an x86 processor for (``tracea_processor_has`` in ``tracea_cpu.h``)."""
_GENERIC = "x86-64-v3"  # the least that kernels are printed for; its other instructions came with AVX2
_SHARED = ("tracea_worker", "tracea_launch", "tracea_deal")
_INSTRUCTIONS = frozenset((*ASKED, "f16c", "amx-bf16", "amx-int8"))
"""Features of profiles that LLVM knows; others say how fast something is."""


def c_runtime(profile: CapabilityProfile) -> CRuntime:
    """Return what launches kernels on processors of a profile.

    Raises
    ------
    UnsupportedError
        If the profile is of a system whose threads the emitted pool cannot wake.
    """
    triple, cpu, features = _target(profile)
    if not has_futex(triple):
        raise UnsupportedError(
            f"libraries for processors run on Linux, not on {triple}", hint="Export on Linux, or for a preset"
        )
    return CRuntime(
        header=HEADER,
        files={HEADER: (resources.files("tracea_cpu") / "c" / HEADER).read_text()},
        suffix=".ll",
        define=functools.partial(_define, profile),
        objects=lambda prefix: {"workers.o": compiler.cross_object(_workers(prefix, triple), triple, cpu, features)},
        kernel=functools.partial(_kernel, (triple, cpu, features)),
        machine=machine_of(triple),
        flags=("-D_GNU_SOURCE", "-pthread"),
        libraries=("-pthread",),
    )


def _target(profile: CapabilityProfile) -> tuple[str, str, str]:
    """Return LLVM's triple, processor and features."""
    if profile.arch == compiler.host_cpu():
        triple, cpu, features = compiler.host_triple(), compiler.host_cpu(), compiler.flatten(compiler.host_features())
    else:
        triple, cpu, features = compiler.target_of(profile.arch)
    if machine_of(triple) != "x86_64":
        return triple, cpu, features
    return triple, _GENERIC, ",".join(f"+{name}" for name in profile.features if name in _INSTRUCTIONS)


def _workers(prefix: str, triple: str) -> str:
    """Return the pool and the dealing of shares, under names of one library."""
    return _renamed(pool_text(triple) + DEAL_TEXT, {name: f"{prefix}_{name}" for name in _SHARED})


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a module whose functions have other names, hidden from whoever loads the library."""
    for old, new in names.items():
        text = re.sub(rf"@{re.escape(old)}\b", f"@{new}", text)
        text = re.sub(rf"^define (?=\w+ @{re.escape(new)}\()", "define hidden ", text, flags=re.MULTILINE)
    return text


def _define(profile: CapabilityProfile, prefix: str) -> str:
    asked = [string(name) for name in ASKED if name in profile.features]
    macros = [f"#define {name.upper()} {prefix}_{name}" for name in _SHARED]
    return "\n".join((*macros, "", array("char *const", "tracea_cpu_features", [*asked, "0"])))


def _kernel(
    target: tuple[str, str, str], prefix: str, name: str, source: KernelSource, symbols: Mapping[str, int]
) -> CKernel:
    """Return a kernel's object, and the constant that describes it to ``tracea_cpu.h``."""
    check_symbols(source, symbols)
    if len(source.workspaces) > MOST_WORKSPACES:
        raise UnsupportedError(
            f"{source.entry} wants {len(source.workspaces)} workspaces; a library lends {MOST_WORKSPACES}"
        )
    entry = f"{prefix}_{name}_run"
    triple, cpu, features = target
    called = ",".join(part for part in (features, *compiler.features_of(source.text)) if part)
    code = compiler.cross_object(_renamed(source.text, {source.entry: entry}), triple, cpu, called)
    sizes, listed = [], []
    for space in source.workspaces:
        size = expression(space.bytes, symbols, WORKERS)
        sizes.append(f"static int64_t {name}_{space.name}(int64_t workers) {{ (void)workers; return {size}; }}")
        listed.append(f"{{{name}_{space.name}, {str(space.per_worker).lower()}}}")
    meets = BARRIER_CALL in source.text
    alone = int(symbols.get(WORKERS, 2)) <= 1
    shares = 0 if meets or alone else int(symbols.get(DEALT, 0))
    lines = (
        f"extern void {entry}(void *arguments, int64_t worker, int64_t workers);",
        *sizes,
        array("int64_t", f"{name}_symbols", [number(int(symbols[symbol.name])) for symbol in source.symbols]),
        array("TraceaCpuWorkspace", f"{name}_workspaces", listed),
        structure(
            "TraceaCpuKernel",
            name,
            {
                "run": entry,
                "pointer_count": len(source.parameters),
                "symbol_count": len(source.symbols),
                "workspace_count": len(listed),
                "symbols": f"{name}_symbols",
                "workspaces": f"{name}_workspaces",
                "alone": alone,
                "meets": meets,
                "shares": shares,
            },
        ),
    )
    return CKernel("\n".join(lines), code, ".o")
