# SPDX-License-Identifier: MIT
"""Which plugins this environment has, found without importing any of them.

A plugin is an entry point of the group `GROUP`. Distributions are read one by one: one whose metadata is damaged becomes a failed
record, and cannot hide the others (`importlib.metadata.entry_points` would raise for all). Which are read at all is decided by their
bytes (`tracea_core.plugin.installed`), so an environment with hundreds of distributions costs a few milliseconds.
"""

from __future__ import annotations

import enum
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tracea_core.plugin.installed import ANY_GROUP, NAME, candidates
from tracea_core.plugin.manifest import BackendManifest

if TYPE_CHECKING:
    from importlib import metadata

GROUP = "tracea.plugins_v1"
"""Entry-point group; its number is the major version of the plugin interface. Plugins of others are listed, never imported."""
DEVICES = "tracea.devices_v1"
"""Entry-point group in which a distribution may say which kinds of device its plugins serve: ``cuda = hip`` says that ``hip`` serves cuda.
A plugin that it says something of is imported for calls on those kinds alone."""
VARIABLE = "TRACEA_PLUGINS"
"""Environment variable: a comma-separated list of plugins to allow, by the name of the plugin or of its distribution; one
after ``-`` is left out instead."""


class Status(enum.Enum):
    """What became of a plugin."""

    FOUND = "found"  # listed, not imported yet
    LOADED = "loaded"
    FAILED = "failed"
    BLOCKED = "blocked"  # another distribution brings the same name
    DISABLED = "disabled"  # by TRACEA_PLUGINS
    INCOMPATIBLE = "incompatible"  # written for another plugin interface


@dataclass(frozen=True)
class Fault:
    """Something a loaded plugin did wrong: which hook or function, what, and the traceback."""

    where: str
    problem: str
    trace: str


@dataclass
class PluginRecord:
    """One plugin as found: where it comes from, what became of it, and why; `serves` are the kinds of device it says that it is for."""

    name: str
    distribution: str
    version: str
    target: str
    serves: tuple[str, ...] | None = None
    status: Status = Status.FOUND
    problem: str = ""
    trace: str = ""
    manifest: BackendManifest | None = None
    module: Any = None
    entry: metadata.EntryPoint | None = field(default=None, repr=False)
    faults: list[Fault] = field(default_factory=list)

    def fail(self, error: BaseException) -> None:
        """Mark the plugin failed by `error`, which is being handled."""
        self.status, self.problem = Status.FAILED, f"{type(error).__name__}: {error}"
        self.trace = "".join(traceback.format_exception(error))


def allowed(name: str, setting: str | None, distribution: str = "") -> bool:
    """Whether `TRACEA_PLUGINS` with the value `setting` lets the plugin `name` of `distribution` in.

    Examples
    --------
    >>> allowed("cpu", None), allowed("cpu", "cuda"), allowed("cpu", "-cuda"), allowed("cuda", "-cuda")
    (True, False, True, False)
    >>> allowed("cuda", "-fast-cuda", "fast-cuda"), allowed("cuda", "-fast-cuda", "tracea-cuda")
    (False, True)
    """
    wanted, refused = _words(setting)
    if any(_means(word, name, distribution) for word in refused):
        return False
    return not wanted or any(_means(word, name, distribution) for word in wanted)


def unmatched(setting: str | None, records: Iterable[PluginRecord]) -> tuple[str, ...]:
    """Return the names in `TRACEA_PLUGINS` that no plugin has: misspelt, or not installed."""
    wanted, refused = _words(setting)
    known = [(record.name, record.distribution) for record in records]
    return tuple(word for word in (*wanted, *refused) if not any(_means(word, *names) for names in known))


def _words(setting: str | None) -> tuple[list[str], list[str]]:
    """Return the names to allow and the names to leave out."""
    words = [word.strip() for word in (setting or "").split(",") if word.strip().strip("-")]
    return [w for w in words if not w.startswith("-")], [w[1:].strip() for w in words if w.startswith("-")]


def _means(word: str, name: str, distribution: str) -> bool:
    return word == name or _normal(word) == _normal(distribution)


def _normal(distribution: str) -> str:
    """Return a distribution's name as package indexes compare it."""
    return distribution.lower().replace("_", "-").replace(".", "-")


def discover(
    setting: str | None, distributions: Callable[[], Iterable[metadata.Distribution]] = candidates
) -> list[PluginRecord]:
    """Return every plugin of every version of the interface, sorted by name, with conflicts and exclusions marked.

    Parameters
    ----------
    setting : str, optional
        The value of `TRACEA_PLUGINS`.
    distributions : callable, optional
        Returns the installed distributions.
    """
    records: list[PluginRecord] = []
    seen: set[str] = set()
    for distribution in distributions():
        try:
            text = distribution.read_text("entry_points.txt") or ""
        except Exception:  # whose business this is, only the name can still say
            text = ANY_GROUP if NAME in _name_and_version(distribution)[0].lower() else ""
        if ANY_GROUP not in text:
            continue
        found = _of_distribution(distribution, setting)
        if found and found[0].distribution not in seen:  # a distribution found twice on the path counts once
            seen.add(found[0].distribution)
            records += found
    _block_conflicts([record for record in records if record.status is Status.FOUND])
    return sorted(records, key=lambda record: (record.name, record.distribution))


def _of_distribution(distribution: metadata.Distribution, setting: str | None) -> list[PluginRecord]:
    name, version = _name_and_version(distribution)
    try:
        every = distribution.entry_points
        entries = [entry for entry in every if entry.group.startswith(ANY_GROUP)]
        devices = [(entry.value, entry.name) for entry in every if entry.group == DEVICES]
    except Exception as error:
        broken = PluginRecord(name, name, version, "")
        broken.fail(error)
        broken.problem = f"its entry points cannot be read ({broken.problem}); reinstall {name}"
        return [broken]
    records = []
    for entry in dict.fromkeys(entries):
        kinds = tuple(sorted({kind for plugin, kind in devices if plugin == entry.name}))
        record = PluginRecord(entry.name, name, version, entry.value, kinds or None, entry=entry)
        if entry.group != GROUP:
            record.status = Status.INCOMPATIBLE
            record.problem = (
                f"it registers in {entry.group}; this tracea-core reads {GROUP}. Upgrade {_older(entry, name)}"
            )
        elif not allowed(entry.name, setting, name):
            record.status = Status.DISABLED
            record.problem = f"{VARIABLE}={setting} leaves it out"
        records.append(record)
    return records


def _older(entry: metadata.EntryPoint, distribution: str) -> str:
    """Return which side is behind: the plugin, or this core."""
    theirs, ours = (group.removeprefix(ANY_GROUP) for group in (entry.group, GROUP))
    return "tracea-core" if theirs.isdecimal() and int(theirs) > int(ours) else distribution


def _name_and_version(distribution: metadata.Distribution) -> tuple[str, str]:
    try:
        fields = _head(distribution)
        name, version = fields.get("name"), fields.get("version")
    except Exception:  # metadata is missing or damaged; the entry points may still be whole
        name, version = None, None
    place = str(getattr(distribution, "_path", "")).rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    return name or place or "an unknown distribution", version or "unknown"


def _head(distribution: metadata.Distribution) -> dict[str, str]:
    """Return the fields of a distribution's metadata by name in lower case, the first of each, without what `importlib.metadata` costs."""
    text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        if not line:
            break
        key, colon, value = line.partition(":")
        if colon and not key[:1].isspace():
            fields.setdefault(key.lower(), value.strip())
    return fields


def _block_conflicts(usable: list[PluginRecord]) -> None:
    """Block every plugin whose name another one has: nothing says which of them is meant."""
    for record in usable:
        rivals = [other for other in usable if other.name == record.name]
        if len(rivals) > 1:
            names = sorted(f"{other.distribution} ({other.target})" for other in rivals)
            record.status = Status.BLOCKED
            record.problem = (
                f"{' and '.join(names)} bring a plugin called {record.name!r}; uninstall one, "
                f"or leave one out with {VARIABLE}=-{record.distribution}"
            )
