# SPDX-License-Identifier: MIT
"""From what a caller says (a device, a backend, a preset, or nothing) to one target. Resolved once, never again."""

from __future__ import annotations

from dataclasses import dataclass

from tracea_core.doctor.presets import preset_target
from tracea_core.errors import BackendUnavailableError, DeviceError
from tracea_core.plugin.manager import PluginManager, plugins
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.target import Target


@dataclass(frozen=True)
class Selection:
    """A target and the manifest of the backend that serves it."""

    target: Target
    manifest: BackendManifest


def resolve(
    device: str | None = None,
    backend: str | None = None,
    preset: str | None = None,
    manager: PluginManager | None = None,
) -> Selection:
    """Return the target that a call runs on.

    Parameters
    ----------
    device : str, optional
        ``cpu``, ``cuda:0``, … as tensors name it. ``cuda`` means ``cuda:0``.
    backend : str, optional
        Name of a backend; by default (or ``auto``) the usable one with the highest priority that has the device.
    preset : str, optional
        Name of a published profile instead of a device.

    Raises
    ------
    BackendUnavailableError
        If the backend cannot be used, or none serves the device.
    DeviceError
        If a backend has no such device, or no preset has that name.
    """
    manager = manager or plugins()
    if preset is not None or (device or "").startswith("preset:"):
        target = preset_target(preset if preset is not None else str(device))
        if backend not in (None, "auto"):  # a device may have several, each with a language of its own
            target = target.replace(backend=str(backend))
        return Selection(target, manager.manifest(target.backend))
    if backend not in (None, "auto"):
        manifest = manager.manifest(str(backend))
        targets = manager.probe(manifest.name).devices
        for target in targets:
            if device is None or _same(device, target.device):
                return Selection(target, manifest)
        if not targets:
            findings = manager.probe(manifest.name).findings
            told = next((f"{finding.message}. {finding.hint}" for finding in findings if finding.hint), "")
            raise BackendUnavailableError(
                f"the backend {backend!r} finds no device", hint=told or "See `tracea doctor`", backend=backend
            )
        raise DeviceError(
            f"the backend {backend!r} has no device {device!r}",
            hint="It has " + ", ".join(target.device for target in targets),
        )
    wanted = device or "cpu"
    for manifest in manager.manifests(wanted.split(":")[0]):
        for target in manager.probe(manifest.name).devices:
            if _same(wanted, target.device):
                return Selection(target, manifest)
    raise BackendUnavailableError(
        f"no usable backend serves the device {wanted!r}", hint=_way_out(wanted, manager), device=wanted
    )


def _way_out(wanted: str, manager: PluginManager) -> str:
    """Say what became of the backend named like the device, if there is one, and how to get it otherwise."""
    name = wanted.split(":")[0]
    for record in manager.records():
        if record.name != name:
            continue
        if record.problem:
            return f"Its plugin is {record.status.value}: {record.problem}"
        if record.manifest is not None:
            report = manager.probe(name)
            if report.devices:
                return "It has " + ", ".join(target.device for target in report.devices)
            told = [f"{finding.message}. {finding.hint}" for finding in report.findings if finding.hint]
            return told[0] if told else f"The backend {name!r} finds no device; see `tracea doctor`"
    served = sorted({target.device for m in manager.manifests() for target in manager.probe(m.name).devices})
    return f"Install one (pip install tracea[{name}]). Devices here: {', '.join(served) or 'none; see `tracea doctor`'}"


def _same(wanted: str, device: str) -> bool:
    return wanted == device or f"{wanted}:0" == device
