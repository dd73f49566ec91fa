# SPDX-License-Identifier: MIT
"""The manifest of the CUDA backend: it can be found and probed, and says that this version has no kernels to offer.

It lists the kinds of kernel whose schedules core can solve and certify, so that `tracea explain --preset h200` shows them; without an
emitter none of them is ever launched, and the doctor says so.
"""

from __future__ import annotations

from tracea_core.doctor.requirements import (
    RequiresAlignment,
    RequiresArch,
    RequiresAsyncCopy,
    RequiresOps,
    RequiresUnitStride,
)
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.spec import hookimpl
from tracea_core.runtime.interface import Runtime
from tracea_core.target import AsyncCopyKind, CapabilityProfile

from tracea_cuda import __version__
from tracea_cuda.probe import WAY_ON, probe


def variants(profile: CapabilityProfile) -> tuple[Variant, ...]:
    """Return the kinds of kernel whose schedules are solved for such a device; this version prints none of them yet."""
    return tuple(
        Variant(
            name=f"cuda.contraction.wgmma_{dtype.value}",
            backend="cuda",
            family="contraction",
            schedule="warp_specialized",
            instruction=f"wgmma_m64n256k16_{dtype.value}",
            operand_dtypes=(dtype,),
            accumulate=DType.FP32,
            priority=80,
            requirements=(
                RequiresArch(("sm_90a",)),
                RequiresAsyncCopy(AsyncCopyKind.TMA),
                RequiresOps(("GemmOp",)),
                RequiresAlignment(0, 16),
                RequiresAlignment(1, 16),
                RequiresUnitStride(0, (-1, -2)),
                RequiresUnitStride(1, (-1, -2)),
            ),
            summary="box copies into a ring, matrix instructions from shared memory, clusters that share loads",
        )
        for dtype in (DType.BF16, DType.FP16)
    )


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
        description="NVIDIA GPUs through CUDA (no kernels in this version)",
        probe=probe,
        variants=variants,
        emitters={},
        open_runtime=open_runtime,
        serves=("cuda",),
    )
