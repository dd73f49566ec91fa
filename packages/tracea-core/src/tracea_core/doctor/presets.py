# SPDX-License-Identifier: MIT
"""Devices that are not there: a capability profile by name, so that every layer above a driver can be used without one.

`GPUInfo.h200()` and ``preset("h200")`` return the same value. The figures are the vendors' own, with their source in
the profile; a probed profile of the same device may differ where the vendor rounds.
"""

from __future__ import annotations

from tracea_core.doctor import presets_amd, presets_nvidia, presets_other
from tracea_core.errors import DeviceError
from tracea_core.target import CapabilityProfile, Target


class GPUInfo:
    """Published capability profiles. Every constructor takes nothing and returns a `CapabilityProfile`."""

    t4 = staticmethod(presets_nvidia.t4)
    rtx3070 = staticmethod(presets_nvidia.rtx3070)
    rtx4090 = staticmethod(presets_nvidia.rtx4090)
    a100 = staticmethod(presets_nvidia.a100)
    h100 = staticmethod(presets_nvidia.h100)
    h200 = staticmethod(presets_nvidia.h200)
    b200 = staticmethod(presets_nvidia.b200)
    mi210 = staticmethod(presets_amd.mi210)
    mi250x = staticmethod(presets_amd.mi250x)
    mi300x = staticmethod(presets_amd.mi300x)
    mi355x = staticmethod(presets_amd.mi355x)
    rx7900xtx = staticmethod(presets_amd.rx7900xtx)
    rx9070 = staticmethod(presets_amd.rx9070)
    pvc = staticmethod(presets_other.pvc)
    arc_a770 = staticmethod(presets_other.arc_a770)
    m1 = staticmethod(presets_other.m1)
    m2 = staticmethod(presets_other.m2)
    m3max = staticmethod(presets_other.m3max)
    avx2 = staticmethod(presets_other.avx2)
    avx512 = staticmethod(presets_other.avx512)
    neon = staticmethod(presets_other.neon)


_ALIASES = {
    "max1550": "pvc", "dg2": "arc_a770", "a770": "arc_a770", "gfx90a": "mi210", "gfx942": "mi300x", "gfx950": "mi355x",
    "gfx1100": "rx7900xtx", "gfx1201": "rx9070", "sm_75": "t4", "sm_80": "a100", "sm_86": "rtx3070", "sm_89": "rtx4090",
    "sm_90": "h100", "sm_90a": "h100", "sm_100": "b200", "sm_100a": "b200", "cpu_avx2": "avx2", "cpu_avx512": "avx512",
    "cpu_neon": "neon",
}  # fmt: skip


def preset_names() -> tuple[str, ...]:
    """Return the names `preset` knows, without aliases, in the order of their vendors."""
    return tuple(name for name in vars(GPUInfo) if not name.startswith("_"))


def preset(name: str) -> CapabilityProfile:
    """Return the published profile called `name`.

    Parameters
    ----------
    name : str
        One of `preset_names()`, or a compiler target that stands for one (``gfx942``, ``sm_90a``). Case, spaces and
        hyphens do not matter; ``preset:h200`` is the same as ``h200``.

    Raises
    ------
    DeviceError
        If no preset has that name.
    """
    key = name.removeprefix("preset:").strip().lower().replace("-", "_").replace(" ", "_")
    compact = key.replace("_", "")
    names = preset_names()
    for known in (key, _ALIASES.get(key, ""), *(other for other in names if other.replace("_", "") == compact)):
        if known in names:
            profile: CapabilityProfile = getattr(GPUInfo, known)()
            return profile
    import difflib  # only who misspells a name waits for it

    close = difflib.get_close_matches(key, names, n=1)
    meant = f"Did you mean {close[0]!r}? " if close else ""
    raise DeviceError(f"no device preset is called {name!r}", hint=f"{meant}Presets: {', '.join(names)}")


def preset_target(name: str) -> Target:
    """Return the target of a preset: it can be explained and emitted for, never launched on.

    Raises
    ------
    DeviceError
        If no preset has that name.
    """
    profile = preset(name)
    for known in preset_names():
        if getattr(GPUInfo, known)() == profile:
            return Target(profile.backend, f"preset:{known}", profile)
    raise DeviceError(f"no device preset is called {name!r}")
