# SPDX-License-Identifier: MIT
"""The examination: every section on its own, the slow and dangerous ones in children side by side, and a verdict at the end."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import tracea_core
from tracea_core.diagnose.backends import Entry, Examined, examine_plugin
from tracea_core.diagnose.cache import examine_cache
from tracea_core.diagnose.packages import KNOWN, Known, check_import, examine_packages
from tracea_core.diagnose.report import Backend, Cache, DoctorReport, Package, Plugin, System
from tracea_core.diagnose.system import examine_system
from tracea_core.diagnose.text import readable
from tracea_core.diagnose.variables import examine_variables
from tracea_core.plugin.discover import PluginRecord
from tracea_core.plugin.manager import PluginManager
from tracea_core.plugin.manifest import Finding, Severity

_Value = TypeVar("_Value")
_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2, Severity.OK: 3}


def diagnose(
    *,
    limit_s: float = 30.0,
    manager: PluginManager | None = None,
    packages: Sequence[Known] = KNOWN,
    device: str | None = None,
) -> DoctorReport:
    """Return what is there, what is broken, and what to do about it. Never raises.

    Parameters
    ----------
    limit_s : float
        How long one child process (one plugin, or the import of one package) may take, in seconds.
    manager : PluginManager, optional
        Plugins to look at instead of all that are installed.
    packages : sequence of Known
        Distributions to look at.
    device : str, optional
        Keep only this device (or backend) among the backends of the report.

    Examples
    --------
    >>> report = diagnose(packages=())
    >>> report.version == tracea_core.__version__ and "findings" in report.describe()
    True
    """
    findings: list[Finding] = []

    def section(name: str, question: Callable[[], _Value]) -> _Value | None:
        try:
            return question()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            findings.append(_failed(name, error))
            return None

    system, found = section("system", examine_system) or (System(), ())
    findings += found
    records = section("plugins", (manager or PluginManager()).records) or []
    known = tuple(packages)
    listed, found = section("packages", lambda: examine_packages(known)) or ((), ())
    findings += found
    imports = tuple(item for item in known if item.module)
    examined, states = section("child processes", lambda: _in_children(records, imports, limit_s)) or ([], [])
    for item in examined:
        findings += item.findings
    for _, found in states:
        findings += found
    outcome = {item.distribution: state for item, (state, _) in zip(imports, states, strict=False)}
    cache, found = section("cache", examine_cache) or (Cache(), ())
    findings += found
    variables, found = section("environment", lambda: examine_variables(records, system.usable_cores)) or ((), ())
    findings += found
    backends = tuple(item.backend for item in examined if item.backend is not None)
    findings += section("verdict", lambda: _verdict(examined, backends)) or []
    if device is not None:
        backends = tuple(_only(backend, device) for backend in backends)
    return DoctorReport(
        version=tracea_core.__version__,
        system=system,
        packages=tuple(Package(p.name, p.version, outcome.get(p.name, "")) for p in listed),
        plugins=tuple(_readable_plugin(item.plugin) for item in examined),
        backends=tuple(sorted(backends, key=lambda backend: (-backend.priority, backend.name))),
        cache=cache,
        variables=variables,
        findings=tuple(sorted(map(_readable_finding, findings), key=lambda finding: _RANK[finding.severity])),
    )


def _in_children(
    records: Sequence[PluginRecord], imports: Sequence[Known], limit_s: float
) -> tuple[list[Examined], list[tuple[str, tuple[Finding, ...]]]]:
    """Examine plugins and packages, a few at a time."""
    with ThreadPoolExecutor(max_workers=max(2, min(4, os.cpu_count() or 1))) as pool:
        plugins = [pool.submit(_plugin_or_fault, record, limit_s) for record in records]
        packages = [pool.submit(_import_or_fault, item, limit_s) for item in imports]
        return [future.result() for future in plugins], [future.result() for future in packages]


def _plugin_or_fault(record: PluginRecord, limit_s: float) -> Examined:
    try:
        return examine_plugin(record, limit_s)
    except Exception as error:
        entry = Entry(record.name, record.target, record.distribution, record.version)
        plugin = Plugin(**{f: getattr(entry, f) for f in entry.__struct_fields__}, status="failed", problem=str(error))
        return Examined(plugin, None, (_failed(f"plugin {record.name}", error),))


def _import_or_fault(item: Known, limit_s: float) -> tuple[str, tuple[Finding, ...]]:
    try:
        return check_import(item, limit_s)
    except Exception as error:
        return "not tried", (_failed(item.distribution, error),)


def _verdict(examined: Sequence[Examined], backends: Sequence[Backend]) -> list[Finding]:
    """Say whether anything can run here."""
    devices = [target.device for backend in backends for target in backend.devices]
    if devices:
        return [Finding(Severity.OK, "devices", "kernels can run on " + ", ".join(devices))]
    if not examined:
        message, hint = (
            "no backend is installed, so nothing can run",
            "pip install tracea, which brings the CPU backend",
        )
    else:
        message, hint = (
            "no backend has a device, so nothing can run",
            "The other findings say why; start with the errors",
        )
    return [Finding(Severity.ERROR, "devices", message, hint)]


def _only(backend: Backend, device: str) -> Backend:
    """Return the backend with no other device than `device`."""
    kept = [
        index
        for index, target in enumerate(backend.devices)
        if device in (backend.name, target.device) or f"{device}:0" == target.device
    ]
    return backend.replace(
        devices=tuple(backend.devices[index] for index in kept),
        variants=tuple(backend.variants[index] for index in kept if index < len(backend.variants)),
    )


def _failed(name: str, error: BaseException) -> Finding:
    place = traceback.extract_tb(error.__traceback__)
    where = f" at {place[-1].filename}:{place[-1].lineno}" if place else ""
    message = f"this check itself failed{where}: {type(error).__name__}: {error}"
    return Finding(Severity.WARNING, name, readable(message), "The rest of the report stands; please report this")


def _readable_finding(finding: Finding) -> Finding:
    """Return the finding with text that JSON can hold, whatever bytes a plugin put into it."""
    return Finding(finding.severity, readable(finding.subject), readable(finding.message), readable(finding.hint))


def _readable_plugin(plugin: Plugin) -> Plugin:
    return plugin.replace(
        name=readable(plugin.name),
        distribution=readable(plugin.distribution),
        version=readable(plugin.version),
        target=readable(plugin.target),
        problem=readable(plugin.problem),
        trace=readable(plugin.trace, 20_000),
    )
