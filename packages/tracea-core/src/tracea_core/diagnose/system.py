# SPDX-License-Identifier: MIT
"""Python, the machine, and how much of it this process may use."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable

from tracea_core.diagnose.report import System
from tracea_core.diagnose.text import readable
from tracea_core.plugin.manifest import Finding, Severity

OLDEST_PYTHON = (3, 11)


def examine_system() -> tuple[System, tuple[Finding, ...]]:
    """Return facts about Python and the machine; each one that cannot be found out is left empty and told."""
    findings: list[Finding] = []

    def ask(what: str, question: Callable[[], str]) -> str:
        try:
            return readable(question())
        except Exception as error:
            message = f"{what} cannot be determined ({type(error).__name__}: {error})"
            findings.append(Finding(Severity.WARNING, "system", message))
            return ""

    def count(what: str, question: Callable[[], int]) -> int:
        return int(ask(what, lambda: str(question())) or 0)

    system = System(
        python=ask("Python's version", platform.python_version),
        implementation=ask("Python's implementation", platform.python_implementation),
        executable=ask("Python's place", lambda: sys.executable or ""),
        platform=ask("the operating system", platform.platform),
        machine=ask("the machine type", platform.machine),
        cores=count("the number of cores", lambda: os.cpu_count() or 0),
        usable_cores=count("the number of usable cores", _usable_cores),
        memory_bytes=count("the memory", _memory_bytes),
    )
    findings += _judge(system)
    return system, tuple(findings)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 0


def _memory_bytes() -> int:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return 0
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _judge(system: System) -> list[Finding]:
    findings = []
    if sys.version_info < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        findings.append(
            Finding(Severity.ERROR, "python", f"Python {system.python} is too old", f"Use {oldest} or newer")
        )
    if 0 < system.usable_cores < system.cores:
        message = f"this process may use {system.usable_cores} of {system.cores} cores"
        hint = "Its affinity mask says so: look at taskset, OMP_PROC_BIND and the container's settings"
        findings.append(Finding(Severity.INFO, "threads", message, hint))
    if sys.byteorder != "little":
        findings.append(
            Finding(Severity.ERROR, "machine", "big-endian machines are not supported", "Use another machine")
        )
    if sys.maxsize < 2**32:
        message = "this is a 32-bit Python, and tensors are addressed with 64 bits"
        findings.append(Finding(Severity.ERROR, "python", message, "Install a 64-bit Python"))
    return findings
