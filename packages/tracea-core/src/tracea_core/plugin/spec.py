# SPDX-License-Identifier: MIT
"""The hooks a plugin may implement, with their exact arguments. None of them lies on the path of a launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pluggy

from tracea_core.plugin.manifest import BackendManifest, Finding

if TYPE_CHECKING:
    from tracea_core.ops.named import Activation

HOOKS = ("tracea_register_backend", "tracea_register_activations", "tracea_doctor_checks")
"""Every hook, by name."""

hookspec = pluggy.HookspecMarker("tracea")
hookimpl = pluggy.HookimplMarker("tracea")
"""Marks a function of a plugin module as the implementation of the hook of its name."""


@hookspec
def tracea_register_backend() -> BackendManifest:  # type: ignore[empty-body]
    """Return the manifest of the backend that this plugin brings."""


@hookspec
def tracea_register_activations() -> Sequence[Activation]:  # type: ignore[empty-body]
    """Return activations by name; they become usable wherever a built-in one is."""


@hookspec
def tracea_doctor_checks(device: str | None) -> Sequence[Finding]:  # type: ignore[empty-body]
    """Return findings for the doctor's report; `device` narrows them to one device, None asks about everything."""
