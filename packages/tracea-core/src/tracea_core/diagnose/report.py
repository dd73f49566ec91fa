# SPDX-License-Identifier: MIT
"""The report as data, and as plain text. Frozen, and the same after a JSON round trip."""

from __future__ import annotations

import msgspec

from tracea_core.data import Data
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.plugin.manifest import Finding, Severity
from tracea_core.plugin.rates import Rates
from tracea_core.target import Target


class System(Data, frozen=True, kw_only=True):
    """Python and the machine. `usable_cores` is what the affinity mask leaves of `cores`; 0 means unknown."""

    python: str = ""
    implementation: str = ""
    executable: str = ""
    platform: str = ""
    machine: str = ""
    cores: int = 0
    usable_cores: int = 0
    memory_bytes: int = 0


class Package(Data, frozen=True):
    """A distribution: its version (empty if it is not installed), and what came of importing it (empty if not tried)."""

    name: str
    version: str
    state: str = ""


class HookFault(Data, frozen=True):
    """Something a loaded plugin did wrong."""

    where: str
    problem: str
    trace: str


class Plugin(Data, frozen=True, kw_only=True):
    """One plugin and what became of it; `status` is one of ``loaded``, ``failed``, ``blocked``, ``disabled``, ``incompatible``."""

    name: str
    distribution: str
    version: str
    target: str
    status: str
    problem: str = ""
    trace: str = ""
    faults: tuple[HookFault, ...] = ()


class Backend(Data, frozen=True, kw_only=True):
    """A backend that could be loaded: its devices, and the variants it has for each (in the order of `devices`)."""

    name: str
    version: str
    description: str
    priority: int
    families: tuple[str, ...] = ()
    devices: tuple[Target, ...] = ()
    variants: tuple[tuple[Variant, ...], ...] = ()


class Cache(Data, frozen=True, kw_only=True):
    """The directory of compiled kernels and measurements. `free_bytes` is -1 where it is unknown."""

    directory: str = ""
    chosen_by: str = ""
    exists: bool = False
    usable: bool = False
    entries: int = 0
    damaged: int = 0
    bytes: int = 0
    measurements: int = 0
    free_bytes: int = -1


class Variable(Data, frozen=True):
    """An environment variable that is set; `meaning` is empty if nothing reads it."""

    name: str
    value: str
    meaning: str


class DoctorReport(Data, frozen=True, kw_only=True):
    """Everything the doctor found. The findings say what matters; the rest is what they were drawn from.

    Attributes
    ----------
    version : str
        Version of tracea-core.
    rates : dict of str to Rates
        How fast each device is, where that was measured.
    findings : tuple of Finding
        Errors first, then warnings, notes, and what is well.
    """

    version: str
    system: System = System()
    packages: tuple[Package, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    backends: tuple[Backend, ...] = ()
    cache: Cache = Cache()
    variables: tuple[Variable, ...] = ()
    rates: dict[str, Rates] = msgspec.field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def devices(self) -> tuple[Target, ...]:
        """Every device of every backend."""
        return tuple(target for backend in self.backends for target in backend.devices)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that keep something from working."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)

    def describe(self) -> str:
        """Return the report as plain text, most important things last, where a terminal shows them."""
        sections = (
            ("system", self._system_lines()),
            ("packages", [f"{p.name:<16}{p.version or 'not installed':<16}{p.state}".rstrip() for p in self.packages]),
            ("plugins", [_plugin_line(plugin) for plugin in self.plugins] or ["none found"]),
            ("backends", [line for backend in self.backends for line in _backend_lines(backend)] or ["none usable"]),
            ("rates", [_rates_line(target, self.rates) for target in self.devices if named(target) in self.rates]),
            ("cache", [_cache_line(self.cache)]),
            ("environment", [f"{v.name}={v.value}" + ("" if v.meaning else "  (unknown)") for v in self.variables]),
            ("findings", [line for finding in self.findings[::-1] for line in finding.describe().splitlines()]),
        )
        lines = [f"tracea-core {self.version}"]
        for title, content in sections:
            if content:
                lines += ["", title, *(f"  {line}" for line in content)]
        traces = [(plugin, plugin.trace) for plugin in self.plugins if plugin.trace]
        traces += [(plugin, fault.trace) for plugin in self.plugins for fault in plugin.faults if fault.trace]
        for plugin, trace in traces:
            lines += [
                "",
                f"traceback of {plugin.name} ({plugin.distribution})",
                *("  " + x for x in trace.splitlines()),
            ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.describe()

    def _system_lines(self) -> list[str]:
        s = self.system
        memory = f", {s.memory_bytes / 2**30:.1f} GiB" if s.memory_bytes else ""
        return [
            f"{s.implementation} {s.python} at {s.executable or 'an unknown place'}",
            s.platform,
            f"{s.usable_cores or 'unknown'} of {s.cores or 'unknown'} cores usable{memory}",
        ]


def _plugin_line(plugin: Plugin) -> str:
    line = f"{plugin.name:<12}{plugin.status:<14}{plugin.distribution} {plugin.version}"
    return f"{line}: {plugin.problem}" if plugin.problem else line


def _backend_lines(backend: Backend) -> list[str]:
    lines = [f"{backend.name} {backend.version}, priority {backend.priority}: {backend.description}"]
    for target, variants in zip(backend.devices, backend.variants, strict=False):
        lines.append(f"  {target.device}: {target.profile.name} ({target.profile.arch})")
        lines += [f"    {variant.name}" for variant in variants] or ["    no variants"]
    return lines if backend.devices else [*lines, "  no device"]


def named(target: Target) -> str:
    """Name a device, and its backend where the device's name does not say it."""
    return target.device if target.device.startswith(target.backend) else f"{target.device} ({target.backend})"


def _rates_line(target: Target, rates: dict[str, Rates]) -> str:
    """Return what was measured on a device beside what its profile says."""
    measured, profile = rates[named(target)], target.profile
    said = (
        f" of {profile.memory_gbps:,.0f} {'guessed' if profile.memory_guessed else 'nominal'}"
        if profile.memory_gbps
        else ""
    )
    products = [
        f"{dtype} {rate:,.0f}" + (f" of {peak:,.0f}" if (peak := profile.peak(DType(dtype))) else "")
        for dtype, rate in measured.products.items()
    ]
    return f"{named(target)}: memory {measured.memory_gbps:,.0f}{said} GB/s; products, GFLOP/s: {', '.join(products)}"


def _cache_line(cache: Cache) -> str:
    state = "usable" if cache.usable else "not usable"
    if not cache.exists:
        state = "not created yet" if cache.usable else "cannot be created"
    held = f"{cache.entries} kernels, {cache.bytes / 2**20:.1f} MiB, {cache.measurements} measurements"
    return f"{cache.directory or 'unknown'} ({state}; {held})"
