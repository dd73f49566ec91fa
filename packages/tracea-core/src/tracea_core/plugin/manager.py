# SPDX-License-Identifier: MIT
"""Loading and calling plugins: each on its own, so that one that fails harms nobody else.

A plugin is imported when it is first asked for. pluggy's own loader has no ``try``, and one raising implementation aborts a
whole hook call; so plugins are imported, registered and called one by one here, and what went wrong is kept with its traceback
for the doctor.
"""

from __future__ import annotations

import logging
import os
import threading
import traceback
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pluggy

from tracea_core.errors import BackendUnavailableError, PluginError
from tracea_core.ops.named import Activation, register_activation
from tracea_core.plugin import spec
from tracea_core.plugin.discover import DEVICES, GROUP, VARIABLE, Fault, PluginRecord, Status, allowed, discover
from tracea_core.plugin.installed import candidates
from tracea_core.plugin.manifest import BackendManifest, Finding, ProbeReport, Severity
from tracea_core.target import Target

if TYPE_CHECKING:
    from importlib import metadata

__all__ = [
    "GROUP",
    "VARIABLE",
    "Fault",
    "PluginManager",
    "PluginRecord",
    "Status",
    "allowed",
    "plugins",
    "reset_plugins",
]

log = logging.getLogger("tracea.plugins")

_REGISTER = "tracea_register_backend"


class PluginManager:
    """All plugins of this environment. Safe to use from several threads; everything is asked once and remembered.

    Parameters
    ----------
    distributions : callable, optional
        Returns the installed distributions; for tests.
    """

    def __init__(self, distributions: Callable[[], Iterable[metadata.Distribution]] = candidates) -> None:
        self._distributions = distributions
        self._guard = threading.RLock()
        self._records: list[PluginRecord] | None = None
        self._reports: dict[str, ProbeReport] = {}
        self._activations: tuple[Activation, ...] | None = None

    def records(self) -> list[PluginRecord]:
        """Return every plugin found, without importing any."""
        with self._guard:
            if self._records is None:
                self._records = discover(os.environ.get(VARIABLE), self._distributions)
            return list(self._records)

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
                import difflib  # only who misspells a name waits for it

                known = sorted({record.name for record in self.records()})
                near = difflib.get_close_matches(name, known, 1)
                meant = f"Did you mean {near[0]!r}? If not, install it" if near else "Install it"
                raise BackendUnavailableError(
                    f"no plugin is called {name!r}",
                    hint=f"{meant} (pip install tracea[{name}]). Found: {', '.join(known) or 'none'}",
                    backend=name,
                )
            order = (Status.LOADED, Status.FOUND, Status.FAILED, Status.BLOCKED, Status.DISABLED, Status.INCOMPATIBLE)
            record = min(matching, key=lambda record: order.index(record.status))
            self._import(record)
            return record

    def _import(self, record: PluginRecord) -> None:
        """Import a plugin that was only found so far, and take its manifest."""
        if record.status is not Status.FOUND or record.entry is None:
            return
        try:
            record.module = record.entry.load()
            record.manifest = _manifest_of(record)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            record.fail(error)
        else:
            if record.manifest is not None and (reason := record.manifest.incompatibility()):
                record.status, record.problem, record.manifest = Status.INCOMPATIBLE, reason, None
            else:
                record.status = Status.LOADED
        if record.status is not Status.LOADED:
            log.info("the plugin %s of %s cannot be used: %s", record.name, record.distribution, record.problem)

    def load_all(self) -> list[PluginRecord]:
        """Return every record after importing what can be imported."""
        with self._guard:
            for record in self.records():
                self._import(record)
            return self.records()

    def call_each(self, hook: str, **arguments: object) -> list[tuple[PluginRecord, Any]]:
        """Call a hook of every loaded plugin that implements it.

        Returns
        -------
        list of (PluginRecord, result)
            Without those that raised: the fault is kept in their record.
        """
        results = []
        for record in self.load_all():
            if record.status is not Status.LOADED:
                continue
            try:
                result = _call(record, hook, **arguments)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                self.fault(record, hook, error)
            else:
                if result is not None:
                    results.append((record, result))
        return results

    def activations(self) -> tuple[Activation, ...]:
        """Make the activations that plugins bring known by name, once, and return them.

        One that is malformed, or whose name is taken, becomes a fault of its plugin; the others are registered.
        """
        with self._guard:
            if self._activations is None:
                taken: list[Activation] = []
                for record, offered in self.call_each("tracea_register_activations"):
                    try:
                        for activation in offered:
                            if not isinstance(activation, Activation):
                                raise PluginError(f"{activation!r} is not an Activation", plugin=record.name)
                            register_activation(activation)
                            taken.append(activation)
                    except Exception as error:
                        self.fault(record, "tracea_register_activations", error)
                self._activations = tuple(taken)
            return self._activations

    def adopt(self, record: PluginRecord) -> None:
        """Add a plugin that no distribution announces."""
        with self._guard:
            self._records = [*self.records(), record]

    def fault(self, record: PluginRecord, where: str, error: BaseException) -> Fault:
        """Keep what a loaded plugin did wrong in its record, once."""
        fault = Fault(where, f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))
        with self._guard:
            if (where, fault.problem) not in {(known.where, known.problem) for known in record.faults}:
                record.faults.append(fault)
                log.info("the plugin %s: %s raised %s", record.name, where, fault.problem)
        return fault

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

    def manifests(self, kind: str | None = None) -> list[BackendManifest]:
        """Return the manifests of all usable backends, or of those that may have devices of a kind (``cuda``), highest priority first.

        For a kind, no plugin is imported whose distribution says that it serves others.
        """
        with self._guard:
            asked = [one for one in self.records() if None in (kind, one.serves) or kind in (one.serves or ())]
            for record in asked:
                self._import(record)
        found = [one.manifest for one in asked if one.manifest is not None]
        if kind is not None:
            found = [manifest for manifest in found if manifest.serves is None or kind in manifest.serves]
        return sorted(found, key=lambda manifest: (-manifest.priority, manifest.name))

    def probe(self, name: str) -> ProbeReport:
        """Return what the backend's probe found, asked once; a probe that raises has found no device.

        Raises
        ------
        BackendUnavailableError
            If the backend itself cannot be used.
        """
        with self._guard:
            if name not in self._reports:
                manifest = self.manifest(name)
                try:
                    self._reports[name] = _checked_report(manifest)
                except BaseException as error:
                    if isinstance(error, KeyboardInterrupt):
                        raise
                    record = self.load(name)
                    message = f"the probe raised {self.fault(record, 'probe', error).problem}"
                    hint = f"Report this to the authors of {record.distribution}"
                    finding = Finding(Severity.ERROR, f"backend {name}", message, hint)
                    self._reports[name] = ProbeReport((), (finding,))
            return self._reports[name]


def _call(record: PluginRecord, hook: str, **arguments: object) -> Any:
    """Call one hook of one plugin; None if the plugin does not implement it."""
    manager = pluggy.PluginManager("tracea")
    manager.add_hookspecs(spec)
    manager.register(record.module, name=record.name)
    results = getattr(manager.hook, hook)(**arguments)
    return results[0] if results else None


def _manifest_of(record: PluginRecord) -> BackendManifest | None:
    """Return the manifest that a freshly imported plugin registers, or None if it brings no backend."""
    manifest = _call(record, _REGISTER)
    if manifest is None:
        unmarked = [hook for hook in spec.HOOKS if hasattr(record.module, hook) and not _marked(record.module, hook)]
        if unmarked:
            raise PluginError(
                f"{unmarked[0]} lacks the decorator @hookimpl of tracea_core.plugin.spec, so it is never called",
                plugin=record.name,
            )
        return None
    if not isinstance(manifest, BackendManifest):
        raise PluginError(
            f"{_REGISTER} returned a {type(manifest).__name__}, not a BackendManifest", plugin=record.name
        )
    if manifest.name != record.name:
        raise PluginError(
            f"the entry point is called {record.name!r} and its backend {manifest.name!r}; the names must agree",
            plugin=record.name,
        )
    if record.serves is not None and set(record.serves) != set(manifest.serves or ()):
        raise PluginError(
            f"its entry points of the group {DEVICES} say that it serves {', '.join(record.serves)}, its manifest "
            f"{'any device' if manifest.serves is None else ', '.join(manifest.serves)}; they must agree",
            plugin=record.name,
        )
    return manifest


def _marked(module: object, hook: str) -> bool:
    return hasattr(getattr(module, hook), "tracea_impl")


def _checked_report(manifest: BackendManifest) -> ProbeReport:
    """Return the probe's report if it keeps the contract, measured rates in the place of guessed ones."""
    report = manifest.probe()
    if not isinstance(report, ProbeReport):
        raise PluginError(f"the probe returned a {type(report).__name__}, not a ProbeReport")
    for target in report.devices:
        if not isinstance(target, Target) or target.backend != manifest.name or not target.executable:
            raise PluginError(f"the probe returned a device that is not its own: {target!r}")
    if not any(target.profile.memory_guessed for target in report.devices):
        return report
    from tracea_core.plugin.rates import with_measured  # which few devices need

    return report.replace(devices=tuple(map(with_measured, report.devices)))


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
