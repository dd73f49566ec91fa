# SPDX-License-Identifier: MIT
"""A manifest that breaks the contract cannot be built."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.errors import PluginError
from tracea_core.plugin.manifest import (
    PLUGIN_API,
    RESERVED_NAMES,
    BackendManifest,
    Finding,
    ProbeReport,
    Severity,
)


def make(**changes: Any) -> BackendManifest:
    fields: dict[str, Any] = {
        "name": "toy", "version": "1.2.0", "plugin_api": (1, 0), "priority": 5, "description": "A toy",
        "probe": ProbeReport, "variants": lambda profile: (), "emitters": {"contraction": len}, "open_runtime": str,
    }  # fmt: skip
    return BackendManifest(**{**fields, **changes})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""), ("name", "Toy"), ("name", "toy-one"), ("name", "9toy"), ("name", "x" * 33), ("name", "auto"),
        ("name", 5), ("version", ""), ("version", "one two"), ("version", None), ("plugin_api", (1,)),
        ("plugin_api", "1.0"), ("plugin_api", (1, -1)), ("plugin_api", (True, 0)), ("priority", -1), ("priority", 101),
        ("priority", 1.5), ("priority", True), ("description", " "), ("description", None), ("probe", None),
        ("variants", ()), ("open_runtime", "cpu"), ("emitters", [("contraction", len)]), ("emitters", {"other": len}),
        ("emitters", {"contraction": "text"}), ("compile_binary", "gcc"),
        ("libraries", "tracea_llvm"), ("libraries", (5,)),
    ],
)  # fmt: skip
def test_bad_field_is_named(field: str, value: Any) -> None:
    with pytest.raises(PluginError, match=f"{field} of a backend manifest breaks the contract"):
        make(**{field: value})


def test_good_manifest_is_frozen_and_its_emitters_are_too() -> None:
    emitters = {"contraction": len}
    manifest = make(emitters=emitters)
    emitters.clear()
    assert list(manifest.emitters) == ["contraction"]
    with pytest.raises(AttributeError):
        manifest.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        manifest.emitters["rowwise"] = len  # type: ignore[index]


def test_reserved_names_are_refused() -> None:
    for name in RESERVED_NAMES:
        with pytest.raises(PluginError):
            make(name=name)


def test_interface_versions() -> None:
    major, minor = PLUGIN_API
    assert make(plugin_api=(major, minor)).incompatibility() is None
    assert "majors" in str(make(plugin_api=(major + 1, 0)).incompatibility())
    assert "upgrade tracea-core" in str(make(plugin_api=(major, minor + 1)).incompatibility())


def test_finding_prints_its_hint_and_survives_json() -> None:
    finding = Finding(Severity.WARNING, "cache", "is full", "Remove something")
    assert finding.describe() == "[warning] cache: is full\n    -> Remove something"
    report = ProbeReport(findings=(finding,))
    assert ProbeReport.from_json(report.to_json()) == report
