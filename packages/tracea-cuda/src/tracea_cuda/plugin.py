# SPDX-License-Identifier: MIT
"""The manifest of the CUDA backend."""

from __future__ import annotations

from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime

from tracea_cuda import __version__
from tracea_cuda.emit.contraction import emit_contraction
from tracea_cuda.probe import WAY_ON, probe
from tracea_cuda.variants import variants


def open_runtime(device: str) -> Runtime:
    """Refuse to open a device, since there is nothing to run on it.

    Raises
    ------
    BackendUnavailableError
        Always, in this version.
    """
    raise BackendUnavailableError(
        f"tracea-cuda {__version__} brings no kernels", hint=WAY_ON, backend="cuda", device=device
    )


@hookimpl
def tracea_register_backend() -> BackendManifest:
    """Return the manifest of this backend."""
    return BackendManifest(
        name="cuda",
        version=__version__,
        plugin_api=(1, 0),
        priority=80,
        description="NVIDIA GPUs through CUDA",
        probe=probe,
        variants=variants,
        emitters={"contraction": emit_contraction},
        open_runtime=open_runtime,
        serves=("cuda",),
    )
