# SPDX-License-Identifier: MIT
"""Environment variables: those tracea reads, those it does not although their name says so, and those that change threads or devices."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping

from tracea_core.diagnose.report import Variable
from tracea_core.diagnose.text import readable
from tracea_core.plugin.discover import PluginRecord, unmatched
from tracea_core.plugin.manifest import Finding, Severity

KNOWN = {
    "TRACEA_ALLOW_WINOGRAD": "`0`: no convolution on a CPU takes minimal filtering unasked",
    "TRACEA_ASSERT_CACHE_HIT": "a plan that is in no cache is an error",
    "TRACEA_CACHE_DIR": "directory of compiled kernels and measurements",
    "TRACEA_FORCE_AUTOTUNE": "searches measure again, whatever is stored",
    "TRACEA_INTERPRET": "`1`, or a preset's name: kernels, or those of that device, are interpreted instead of compiled",
    "TRACEA_NUM_THREADS": "worker threads of the CPU backend",
    "TRACEA_NVTX": "launches are ranges that profilers show",
    "TRACEA_POOL": "`own`: the CPU backend keeps threads of its own beside PyTorch's",
    "TRACEA_PRINT_AUTOTUNING": "searches print each candidate with its time",
    "TRACEA_PLUGINS": "plugins to allow, or with a minus to leave out",
    "TRACEA_UPDATE_GOLDEN": "tests write golden files instead of comparing them",
    "TRACEA_VERBOSE": "the command line shows the traceback of an error",
}
"""Variables that tracea reads."""

FOREIGN = {
    "OMP_NUM_THREADS": "threads of OpenMP libraries beside tracea",
    "OMP_PROC_BIND": "binds OpenMP threads; it may shrink the affinity mask once such a library is loaded",
    "GOMP_CPU_AFFINITY": "binds OpenMP threads",
    "KMP_AFFINITY": "binds OpenMP threads",
    "CUDA_VISIBLE_DEVICES": "which NVIDIA GPUs a process sees",
    "HIP_VISIBLE_DEVICES": "which AMD GPUs a process sees",
    "ROCR_VISIBLE_DEVICES": "which AMD GPUs a process sees",
    "ONEAPI_DEVICE_SELECTOR": "which Intel devices a process sees",
}
"""Variables of others that change what tracea finds or how fast it runs."""


def examine_variables(
    records: list[PluginRecord], usable_cores: int, environment: Mapping[str, str] | None = None
) -> tuple[tuple[Variable, ...], tuple[Finding, ...]]:
    """Return the variables that are set and matter, and what is wrong with them."""
    held = os.environ if environment is None else environment
    variables, findings = [], []
    for name in sorted(held):
        ours = name.upper().startswith("TRACEA_")
        if not ours and name not in FOREIGN:
            continue
        value = readable(held[name])
        variables.append(Variable(readable(name), value, KNOWN.get(name) or FOREIGN.get(name, "")))
        if ours and name not in KNOWN:
            close = difflib.get_close_matches(name.upper(), KNOWN, n=1)
            hint = f"Did you mean {close[0]}?" if close else "tracea reads " + ", ".join(sorted(KNOWN))
            message = "nothing reads this variable"
            findings.append(Finding(Severity.WARNING, readable(name), message, hint))
        elif name.endswith("_VISIBLE_DEVICES") and value.strip() in ("", "-1", "NoDevFiles"):
            message = f"{name}={value} hides every GPU of that vendor"
            findings.append(Finding(Severity.INFO, name, message, f"Unset {name} to see them"))
    findings += _threads(held.get("TRACEA_NUM_THREADS"), usable_cores)
    findings += _plugins(held.get("TRACEA_PLUGINS"), records)
    return tuple(variables), tuple(findings)


def _threads(value: str | None, usable_cores: int) -> list[Finding]:
    name = "TRACEA_NUM_THREADS"
    if value is None:
        return []
    text = value.strip()
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        message = f"{readable(value)!r} is not a number of threads"
        return [Finding(Severity.WARNING, name, message, "Give a whole number from 1 on, or unset it")]
    if 0 < usable_cores < int(text):
        message = f"{text} threads share {usable_cores} usable cores"
        return [Finding(Severity.WARNING, name, message, f"Give at most {usable_cores}: workers spin while they wait")]
    return []


def _plugins(value: str | None, records: list[PluginRecord]) -> list[Finding]:
    names = unmatched(value, records)
    if not names:
        return []
    known = ", ".join(sorted({record.name for record in records})) or "none"
    message = f"no plugin is called {' or '.join(readable(name) for name in names)}"
    return [Finding(Severity.WARNING, "TRACEA_PLUGINS", message, f"Plugins found: {known}")]
