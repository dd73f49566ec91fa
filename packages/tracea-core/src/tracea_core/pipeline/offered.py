# SPDX-License-Identifier: MIT
"""What a backend offers for a target: kinds of kernel, and memory for what lies between kernels."""

from __future__ import annotations

from tracea_core.doctor.variants import Variant
from tracea_core.errors import TraceaError
from tracea_core.pipeline.runtimes import broken, runtime
from tracea_core.plugin.select import Selection
from tracea_core.runtime.interface import ScratchRuntime
from tracea_core.target import Target


def has_scratch(target: Target) -> bool:
    """Whether plans may use workspaces: on what has memory to lend, and on profiles, which are only explained."""
    return not target.executable or isinstance(runtime(target.backend, target.device), ScratchRuntime)


def variants_of(selection: Selection) -> tuple[Variant, ...]:
    """Return what the backend offers for the target.

    Raises
    ------
    BackendUnavailableError
        If its `variants` raises.
    """
    try:
        return tuple(selection.manifest.variants(selection.target.profile))
    except TraceaError:
        raise
    except Exception as error:
        raise broken(selection.manifest.name, "variants", error) from error
