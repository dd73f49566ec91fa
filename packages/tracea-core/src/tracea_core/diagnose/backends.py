# SPDX-License-Identifier: MIT
"""Plugins and their devices: each plugin is loaded, probed and asked for its checks in a child process of its own.

A plugin runs foreign code down to drivers, which can raise, exit, hang, print, or take the process with it. In a child all of
that becomes a line in the report.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import TypeVar

import msgspec

from tracea_core.data import Data
from tracea_core.diagnose.children import Ended, run_python
from tracea_core.diagnose.report import Backend, HookFault, Plugin
from tracea_core.doctor.variants import Variant
from tracea_core.errors import MalformedDataError
from tracea_core.plugin.discover import GROUP, PluginRecord, Status
from tracea_core.plugin.manager import PluginManager
from tracea_core.plugin.manifest import Finding, Severity
from tracea_core.target import CapabilityProfile

_CODE = "from tracea_core.diagnose.backends import child\nchild(sys.argv[2])\n"
_MARK = "\x1etracea-plugin-report "
_Value = TypeVar("_Value")


class Entry(Data, frozen=True):
    """What a child needs to know to load one plugin."""

    name: str
    target: str
    distribution: str
    version: str


class Examined(Data, frozen=True):
    """What came of one plugin."""

    plugin: Plugin
    backend: Backend | None = None
    findings: tuple[Finding, ...] = ()


def examine_plugin(record: PluginRecord, limit_s: float) -> Examined:
    """Return what becomes of a plugin that was found; in this process only if no child can be started."""
    entry = Entry(record.name, record.target, record.distribution, record.version)
    if record.status is not Status.FOUND:
        return Examined(_plugin(record), None, _status_findings(record.status, entry, record.problem))
    ended = run_python(_CODE, [entry.to_json()], limit_s)
    if not ended.began:
        finding = Finding(
            Severity.WARNING,
            "child process",
            f"a child process {ended.how}",
            "Plugins were examined in this process instead",
        )
        examined = examine_here(entry)
        return examined.replace(findings=(finding, *examined.findings))
    _, mark, text = ended.output.rpartition(_MARK)
    if mark:
        with contextlib.suppress(MalformedDataError):
            return Examined.from_json(text)
    return _died(entry, ended)


def _died(entry: Entry, ended: Ended) -> Examined:
    problem = f"its process {ended.how or 'ended without a report'}"
    if ended.last_line:
        problem += f": {ended.last_line}"
    plugin = Plugin(
        name=entry.name, distribution=entry.distribution, version=entry.version, target=entry.target,
        status=Status.FAILED.value, problem=problem, trace=ended.errors[-20_000:],
    )  # fmt: skip
    return Examined(plugin, None, _status_findings(Status.FAILED, entry, problem))


def child(text: str) -> None:
    """Examine one plugin and write the report; runs in the child. Whatever the plugin prints goes to standard error."""
    sys.stdout.flush()
    channel = os.dup(1)
    os.dup2(2, 1)
    examined = examine_here(Entry.from_json(text))
    sys.stdout.flush()
    with open(channel, "wb") as stream:
        stream.write(_MARK.encode() + msgspec.json.encode(examined))
    os._exit(0)  # a driver's exit handlers have nothing to add, and may hang


def examine_here(entry: Entry) -> Examined:
    """Load, probe and ask one plugin in this process."""
    manager = PluginManager(lambda: ())
    record = PluginRecord(
        entry.name, entry.distribution, entry.version, entry.target,
        entry=metadata.EntryPoint(entry.name, entry.target, GROUP),
    )  # fmt: skip
    manager.adopt(record)
    manager.load(record.name)
    findings: list[Finding] = []
    backend = None
    if record.manifest is not None:
        report = manager.probe(record.name)
        findings += report.findings
        variants = tuple(
            _guarded(manager, record, "variants", functools.partial(_variants, record, target.profile))
            for target in report.devices
        )
        manifest = record.manifest
        backend = Backend(
            name=manifest.name, version=manifest.version, description=manifest.description, priority=manifest.priority,
            families=tuple(manifest.emitters), devices=report.devices, variants=variants,
        )  # fmt: skip
    for _, result in manager.call_each("tracea_doctor_checks", device=None):
        findings += _guarded(manager, record, "tracea_doctor_checks", functools.partial(_findings, result))
    findings = [*_status_findings(record.status, entry, record.problem), *findings]
    for fault in record.faults:
        if fault.where != "probe":  # the probe's own finding says it already
            findings.append(
                Finding(
                    Severity.WARNING, f"plugin {entry.name}", f"{fault.where} raised {fault.problem}",
                    f"Report this to the authors of {entry.distribution}",
                )
            )  # fmt: skip
    return Examined(_plugin(record), backend, tuple(findings))


def _guarded(
    manager: PluginManager, record: PluginRecord, where: str, question: Callable[[], tuple[_Value, ...]]
) -> tuple[_Value, ...]:
    """Return the answer to `question`; nothing, with a fault recorded, where it raises."""
    try:
        return question()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        manager.fault(record, where, error)
        return ()


def _variants(record: PluginRecord, profile: CapabilityProfile) -> tuple[Variant, ...]:
    assert record.manifest is not None
    found = record.manifest.variants(profile)
    if not isinstance(found, tuple) or not all(isinstance(variant, Variant) for variant in found):
        raise TypeError("variants must return a tuple of Variant")
    return found


def _findings(result: object) -> tuple[Finding, ...]:
    if not isinstance(result, Sequence) or not all(isinstance(finding, Finding) for finding in result):
        raise TypeError("tracea_doctor_checks must return a sequence of Finding")
    return tuple(result)


def _plugin(record: PluginRecord) -> Plugin:
    return Plugin(
        name=record.name, distribution=record.distribution, version=record.version, target=record.target,
        status=record.status.value, problem=record.problem, trace=record.trace,
        faults=tuple(HookFault(fault.where, fault.problem, fault.trace) for fault in record.faults),
    )  # fmt: skip


def _status_findings(status: Status, entry: Entry, problem: str) -> tuple[Finding, ...]:
    reinstall = f"pip install --force-reinstall {entry.distribution}, or leave it out with TRACEA_PLUGINS=-{entry.name}"
    severity, hint = {
        Status.FAILED: (Severity.ERROR, reinstall),
        Status.BLOCKED: (Severity.ERROR, f"pip uninstall {entry.distribution}, or the other one"),
        Status.INCOMPATIBLE: (Severity.WARNING, f"pip install --upgrade tracea-core {entry.distribution}"),
        Status.DISABLED: (Severity.INFO, "Unset TRACEA_PLUGINS to use it"),
    }.get(status, (Severity.OK, ""))
    if severity is Severity.OK:
        return ()
    message = f"{entry.distribution} {entry.version} is {status.value}: {problem}"
    return (Finding(severity, f"plugin {entry.name}", message, hint),)
