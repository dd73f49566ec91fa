# SPDX-License-Identifier: MIT
"""Discovery: every plugin is loaded on its own, and one that fails harms nobody else.

Entry points of the group `GROUP` are listed without importing anything; a plugin is imported when its backend (or all of them) is
asked for. pluggy's own loader has no ``try`` and one raising implementation aborts a whole hook call, so plugins are
imported, registered and called one by one here, and what went wrong is kept with its traceback for the doctor.
"""

from __future__ import annotations

import enum
import os
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

import pluggy

from tracea_core.errors import BackendUnavailableError, PluginError
from tracea_core.plugin import spec
from tracea_core.plugin.manifest import BackendManifest, Finding, ProbeReport, Severity

GROUP = "tracea.plugins_v1"
"""Entry-point group; its number is the major version of the plugin interface."""
_ANY_GROUP = "tracea.plugins_v"
VARIABLE = "TRACEA_PLUGINS"
"""Environment variable: a comma-separated list of plugin names to allow; a name after ``-`` is disabled instead."""


class Status(enum.Enum):
    """What became of a plugin."""

    FOUND = "found"  # listed, not imported yet
    LOADED = "loaded"
    FAILED = "failed"
    BLOCKED = "blocked"  # another distribution brings the same name
    DISABLED = "disabled"  # by TRACEA_PLUGINS
    INCOMPATIBLE = "incompatible"  # written for another plugin interface; never imported


@dataclass
class PluginRecord:
    """One plugin as found: where it comes from, what became of it, and why."""

    name: str
    distribution: str
    version: str
    target: str
    status: Status = Status.FOUND
    problem: str = ""
    trace: str = ""
    manifest: BackendManifest | None = None
    module: Any = None
    entry: metadata.EntryPoint | None = field(default=None, repr=False)


def allowed(name: str, setting: str | None) -> bool:
    """Whether `TRACEA_PLUGINS` with the value `setting` lets the plugin `name` in.

    Examples
    --------
    >>> allowed("cpu", None), allowed("cpu", "cuda"), allowed("cpu", "-cuda"), allowed("cuda", "-cuda")
    (True, False, True, False)
    """
    words = [word.strip() for word in (setting or "").split(",") if word.strip()]
    if f"-{name}" in words:
        return False
    wanted = [word for word in words if not word.startswith("-")]
    return not wanted or name in wanted


class PluginManager:
    """All plugins of this environment.

    Parameters
    ----------
    entry_points : callable, optional
        Returns every installed entry point; for tests.
    """

    def __init__(self, entry_points: Callable[[], Any] = metadata.entry_points) -> None:
        self._entry_points = entry_points
        self._guard = threading.RLock()
        self._records: list[PluginRecord] | None = None
        self._reports: dict[str, ProbeReport] = {}

    def records(self) -> list[PluginRecord]:
        """Return every plugin found, without importing any."""
        with self._guard:
            if self._records is None:
                self._records = self._discover()
            return list(self._records)

    def _discover(self) -> list[PluginRecord]:
        setting = os.environ.get(VARIABLE)
        records = []
        for entry in self._entry_points():
            if not entry.group.startswith(_ANY_GROUP):
                continue
            distribution = getattr(entry, "dist", None)
            record = PluginRecord(
                name=entry.name,
                distribution=getattr(distribution, "name", None) or "an unknown distribution",
                version=getattr(distribution, "version", None) or "unknown",
                target=entry.value,
                entry=entry,
            )
            if entry.group != GROUP:
                record.status = Status.INCOMPATIBLE
                record.problem = f"it registers in {entry.group}; this tracea-core reads {GROUP}"
            elif not allowed(entry.name, setting):
                record.status = Status.DISABLED
                record.problem = f"{VARIABLE}={setting} leaves it out"
            if record not in records:
                records.append(record)
        usable = [record for record in records if record.status is Status.FOUND]
        for record in usable:
            others = sorted({other.distribution for other in usable if other.name == record.name})
            if len(others) > 1:
                record.status = Status.BLOCKED
                record.problem = f"{' and '.join(others)} both bring a plugin called {record.name!r}; uninstall one"
        return sorted(records, key=lambda record: (record.name, record.distribution))

    def load(self, name: str) -> PluginRecord:
        """Return the record of the plugin `name`, imported if that works.

        Raises
        ------
        BackendUnavailableError
            If no plugin has that name.
        """
        with self._guard:
            matching = [record for record in self.records() if record.name == name]
            if not matching:
                known = sorted({record.name for record in self.records()})
                raise BackendUnavailableError(
                    f"no plugin is called {name!r}",
                    hint=f"Install it (pip install tracea[{name}]). Found: {', '.join(known) or 'none'}",
                    backend=name,
                )
            matching.sort(key=lambda record: record.status is Status.INCOMPATIBLE)
            record = matching[0]
            if record.status is Status.FOUND:
                self._import(record)
            return record

    def _import(self, record: PluginRecord) -> None:
        assert record.entry is not None
        try:
            record.module = record.entry.load()
            manifest = self._call(record, "tracea_register_backend")
            if manifest is not None and not isinstance(manifest, BackendManifest):
                raise PluginError(
                    f"tracea_register_backend returned a {type(manifest).__name__}, not a BackendManifest",
                    plugin=record.name,
                )
            if manifest is not None and manifest.incompatibility():
                record.status, record.problem = Status.INCOMPATIBLE, str(manifest.incompatibility())
                return
            if manifest is not None and manifest.name != record.name:
                raise PluginError(
                    f"the entry point is called {record.name!r} and its backend {manifest.name!r}; the names must agree",
                    plugin=record.name,
                )
            record.manifest = manifest
            record.status = Status.LOADED
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            record.status = Status.FAILED
            record.problem = f"{type(error).__name__}: {error}"
            record.trace = traceback.format_exc()

    def _call(self, record: PluginRecord, hook: str, **arguments: object) -> Any:
        """Call one hook of one plugin; None if it does not implement it."""
        manager = pluggy.PluginManager("tracea")
        manager.add_hookspecs(spec)
        manager.register(record.module, name=record.name)
        results = getattr(manager.hook, hook)(**arguments)
        return results[0] if results else None

    def call_each(self, hook: str, **arguments: object) -> list[tuple[PluginRecord, Any]]:
        """Call a hook of every loaded plugin; one that raises is marked failed and left out."""
        results = []
        for record in self.records():
            if record.status is Status.FOUND:
                self.load(record.name)
            if record.status is not Status.LOADED:
                continue
            try:
                result = self._call(record, hook, **arguments)
            except Exception as error:
                record.problem = f"{hook} raised {type(error).__name__}: {error}"
                record.trace = traceback.format_exc()
                result = None
            results.append((record, result))
        return results

    def manifest(self, name: str) -> BackendManifest:
        """Return the manifest of the backend `name`.

        Raises
        ------
        BackendUnavailableError
            If there is none, or its plugin cannot be used; the message says why.
        """
        record = self.load(name)
        if record.manifest is None:
            raise BackendUnavailableError(
                f"the backend {name!r} cannot be used: {record.problem or 'its plugin brings no backend'}",
                hint="`tracea doctor` shows the whole story",
                backend=name,
                status=record.status.value,
            )
        return record.manifest

    def manifests(self) -> list[BackendManifest]:
        """Return the manifests of all usable backends, highest priority first."""
        for record in self.records():
            if record.status is Status.FOUND:
                self.load(record.name)
        found = [record.manifest for record in self.records() if record.manifest is not None]
        return sorted(found, key=lambda manifest: (-manifest.priority, manifest.name))

    def probe(self, name: str) -> ProbeReport:
        """Return what the backend's probe found, asked once; a probe that raises has found no device."""
        with self._guard:
            if name not in self._reports:
                manifest = self.manifest(name)
                try:
                    report = manifest.probe()
                    if not isinstance(report, ProbeReport):
                        raise PluginError(f"the probe returned a {type(report).__name__}, not a ProbeReport")
                except Exception as error:
                    message = f"the probe raised {type(error).__name__}: {error}"
                    hint = f"Report this to the authors of {name}"
                    report = ProbeReport((), (Finding(Severity.ERROR, f"backend {name}", message, hint),))
                self._reports[name] = report
            return self._reports[name]


class _Default:
    guard = threading.Lock()
    manager: PluginManager | None = None


def plugins() -> PluginManager:
    """Return the plugins of this process."""
    with _Default.guard:
        if _Default.manager is None:
            _Default.manager = PluginManager()
        return _Default.manager


def reset_plugins() -> None:
    """Forget everything found so far; the next question discovers again."""
    with _Default.guard:
        _Default.manager = None
