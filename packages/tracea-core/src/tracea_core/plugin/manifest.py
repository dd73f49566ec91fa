# SPDX-License-Identifier: MIT
"""What a backend says about itself, checked when it is said: one frozen manifest, and the report its probe gives.

A manifest holds functions, not results: building one imports no driver and touches no device, so discovering a backend
is free and a broken driver can only break the probe that asks it. A manifest that breaks the contract cannot be built.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tracea_core.data import Data
from tracea_core.doctor.variants import FAMILIES, Variant
from tracea_core.errors import PluginError
from tracea_core.target import CapabilityProfile, Target

if TYPE_CHECKING:
    from tracea_core.emit.source import KernelSource
    from tracea_core.plugin.c_runtime import CRuntime
    from tracea_core.runtime.interface import Runtime
    from tracea_core.semantic.kernel import SemanticKernel
    from tracea_core.semantic.verify.certificate import Certificate

PLUGIN_API = (1, 0)
"""The plugin interface of this core. A plugin of the same major and no newer minor version is accepted."""

RESERVED_NAMES = frozenset({"auto", "preset", "all", "none"})
"""Words that mean something else where a backend name may stand."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_VERSION = re.compile(r"\d+(\.\d+)*([-._+]?[A-Za-z0-9]+)*")


class Severity(enum.Enum):
    """How much a finding matters; only an error keeps something from working."""

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Finding(Data, frozen=True):
    """One thing a check found.

    Attributes
    ----------
    severity : Severity
        How much it matters.
    subject : str
        What it is about, in a word or two: ``driver``, ``cache``, ``plugin cuda``.
    message : str
        What was found, in one sentence.
    hint : str
        What the reader can do about it; empty if nothing need be done.
    """

    severity: Severity
    subject: str
    message: str
    hint: str = ""

    def describe(self) -> str:
        """Return the finding as one line, with the hint on a second one."""
        line = f"[{self.severity.value}] {self.subject}: {self.message}"
        return f"{line}\n    -> {self.hint}" if self.hint else line


class ProbeReport(Data, frozen=True):
    """What a backend's probe found: devices that can be used now, and everything worth saying about the others."""

    devices: tuple[Target, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class BackendManifest:
    """Everything core needs to know about a backend.

    Parameters
    ----------
    name : str
        Name of the backend, and the part before the colon of its devices' names: ``cpu``, ``cuda``.
    version : str
        Version of the distribution it comes from.
    plugin_api : tuple of int
        The (major, minor) of the plugin interface it was written against: `PLUGIN_API` as it stood then, as a literal.
        Checked when the plugin is loaded.
    priority : int
        0 to 100; ``auto`` takes the usable backend with the highest.
    description : str
        One line for people.
    probe : callable
        ``probe() -> ProbeReport``. Must not raise; one that does is reported and treated as having no device.
    variants : callable
        ``variants(profile) -> tuple of Variant``, the kinds of kernel this backend has for such a device. Must be pure.
    emitters : mapping
        From kernel family to ``emit(kernel, certificate) -> KernelSource``; each a pure function of the semantic kernel,
        giving the same bytes in every process, and refusing a certificate of another kernel. Empty in a backend that can only be probed.
    open_runtime : callable
        ``open_runtime(device) -> Runtime``; called once per device, when the first kernel is to run there.
    compile_binary : callable, optional
        ``compile_binary(source) -> bytes``, for backends whose compiler needs no device.
    serves : tuple of str, optional
        Kinds of device it may have, the part of their names before the colon (``cpu``, ``cuda``); a call on another kind then does
        not even probe it. By default it may have any.
    libraries : tuple of str, optional
        Imported packages beside its own whose code makes its kernels, such as a printer that several backends share: what is remembered
        of kernels names their code too.
    c_runtime : callable, optional
        ``c_runtime(profile) -> CRuntime``, for backends whose kernels can be exported as a library of C (`tracea_core.export`).

    Raises
    ------
    PluginError
        If a field breaks the contract.
    """

    name: str
    version: str
    plugin_api: tuple[int, int]
    priority: int
    description: str
    probe: Callable[[], ProbeReport]
    variants: Callable[[CapabilityProfile], tuple[Variant, ...]]
    emitters: Mapping[str, Callable[[SemanticKernel, Certificate], KernelSource]]
    open_runtime: Callable[[str], Runtime]
    compile_binary: Callable[[KernelSource], bytes] | None = None
    serves: tuple[str, ...] | None = None
    libraries: tuple[str, ...] = ()
    c_runtime: Callable[[CapabilityProfile], CRuntime] | None = None

    def __post_init__(self) -> None:
        self._check(
            isinstance(self.name, str) and bool(_NAME.fullmatch(self.name)) and self.name not in RESERVED_NAMES,
            "name",
            "a name is lower-case letters, digits and underscores, starts with a letter, has at most 32 characters "
            "and is none of " + ", ".join(sorted(RESERVED_NAMES)),
        )
        self._check(
            isinstance(self.version, str) and bool(_VERSION.fullmatch(self.version)),
            "version",
            "a version is like '1.2.0'",
        )
        self._check(
            _is_version_pair(self.plugin_api), "plugin_api", "it is a pair (major, minor) of non-negative integers"
        )
        self._check(
            _is_integer(self.priority) and 0 <= self.priority <= 100, "priority", "it is an integer from 0 to 100"
        )
        self._check(
            isinstance(self.description, str) and bool(self.description.strip()), "description", "it is a line of text"
        )
        for field in ("probe", "variants", "open_runtime"):
            self._check(callable(getattr(self, field)), field, "it is a function")
        self._check(
            self.compile_binary is None or callable(self.compile_binary), "compile_binary", "it is a function or None"
        )
        self._check(self.c_runtime is None or callable(self.c_runtime), "c_runtime", "it is a function or None")
        self._check(
            self.serves is None
            or (isinstance(self.serves, tuple) and all(isinstance(kind, str) for kind in self.serves)),
            "serves",
            "it is a tuple of kinds of device, or None for any",
        )
        self._check(
            isinstance(self.libraries, tuple) and all(isinstance(name, str) for name in self.libraries),
            "libraries",
            "it is a tuple of names of packages",
        )
        self._check(isinstance(self.emitters, Mapping), "emitters", "it is a mapping from kernel family to function")
        for family, emit in self.emitters.items():
            self._check(
                family in FAMILIES, "emitters", f"{family!r} is not a kernel family; these are: " + ", ".join(FAMILIES)
            )
            self._check(callable(emit), "emitters", f"the emitter of {family!r} is not a function")
        object.__setattr__(self, "emitters", MappingProxyType(dict(self.emitters)))

    def _check(self, holds: bool, field: str, rule: str) -> None:
        if not holds:
            value: Any = getattr(self, field)
            raise PluginError(
                f"{field} of a backend manifest breaks the contract: {rule}", backend=self.name, value=repr(value)
            )

    def incompatibility(self) -> str | None:
        """Return why this core cannot use the plugin interface the backend was written for, or None if it can."""
        major, minor = self.plugin_api
        if major != PLUGIN_API[0]:
            return (
                f"it speaks plugin interface {major}.{minor} and this tracea-core speaks "
                f"{PLUGIN_API[0]}.{PLUGIN_API[1]}; the majors must be equal"
            )
        if minor > PLUGIN_API[1]:
            return (
                f"it needs plugin interface {major}.{minor} and this tracea-core offers "
                f"{PLUGIN_API[0]}.{PLUGIN_API[1]}; upgrade tracea-core"
            )
        return None


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_version_pair(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(_is_integer(part) and part >= 0 for part in value)
