# SPDX-License-Identifier: MIT
"""Real distributions, made in a temporary folder: metadata, entry points and a module, found as an installer leaves them."""

from __future__ import annotations

import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import pytest
from tracea_core.plugin.manager import PluginManager

_count = itertools.count()

BACKEND = """
from tracea_core.plugin.manifest import BackendManifest, Finding, ProbeReport, Severity
from tracea_core.plugin.spec import hookimpl
from tracea_core.target import CapabilityProfile, Target

PROFILE = CapabilityProfile(name="Toy", vendor="toy", arch="toy1", backend={name!r}, processors=1, lanes=1)


def open_runtime(device):
    raise RuntimeError("nothing to open")


def manifest(**changes):
    fields = dict(
        name={name!r}, version="1.0", plugin_api=(1, 0), priority=50, description="A toy backend",
        probe=lambda: ProbeReport(devices=(Target({name!r}, {name!r} + ":0", PROFILE),)),
        variants=lambda profile: (), emitters={{}}, open_runtime=open_runtime,
    )
    return BackendManifest(**{{**fields, **changes}})


{body}
"""

REGISTER = """
@hookimpl
def tracea_register_backend():
    return manifest({changes})
"""


class Site:
    """A folder of installed distributions."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def install(
        self,
        name: str,
        body: str | None = None,
        *,
        changes: str = "",
        distribution: str | None = None,
        group: str = "tracea.plugins_v1",
        entry_points: str | None = None,
    ) -> str:
        """Install a distribution whose plugin is called `name`; return the name of its module."""
        module = f"toy_plugin_{next(_count)}"
        source = textwrap.dedent(body) if body is not None else REGISTER.format(changes=changes)
        (self.path / f"{module}.py").write_text(BACKEND.format(name=name, body=source))
        title = distribution or f"toy-{name}"
        info = self.path / f"{title.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {title}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entry_points or f"[{group}]\n{name} = {module}\n")
        return module

    def manager(self) -> PluginManager:
        """Return a manager that sees these distributions only."""
        return PluginManager(lambda: metadata.distributions(path=[str(self.path)]))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("TRACEA_PLUGINS", raising=False)
    before = set(sys.modules)
    yield Site(tmp_path)
    for name in set(sys.modules) - before:
        if name.startswith("toy_plugin_"):
            del sys.modules[name]


@pytest.fixture
def imported() -> Callable[[str], bool]:
    return lambda module: module in sys.modules
