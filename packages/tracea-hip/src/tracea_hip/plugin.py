# SPDX-License-Identifier: MIT
"""The manifest of the HIP backend: it can be found and probed, and says that this version has no kernels to offer.

A backend without variants is never chosen, so nothing here pretends. Profiles and lane maps of such
devices are in core already.
"""

from __future__ import annotations

from tracea_core.doctor.variants import Variant
from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.target import CapabilityProfile

from tracea_hip import __version__
from tracea_hip.probe import WAY_ON, probe


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel this version has for such a device: none."""
    return ()


def open_runtime(device: str) -> Runtime:
    """Refuse to open a device, since there is nothing to run on it.

    Raises
    ------
    BackendUnavailableError
        Always, in this version.
    """
    raise BackendUnavailableError(
        f"tracea-hip {__version__} brings no kernels", hint=WAY_ON, backend="hip", device=device
    )


@hookimpl
def tracea_register_backend() -> BackendManifest:
    """Return the manifest of this backend."""
    return BackendManifest(
        name="hip",
        version=__version__,
        plugin_api=(1, 0),
        priority=75,
        description="AMD GPUs through HIP (no kernels in this version)",
        probe=probe,
        variants=variants,
        emitters={},
        open_runtime=open_runtime,
        serves=("cuda", "hip"),  # PyTorch calls AMD's devices cuda
    )
