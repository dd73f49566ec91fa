# SPDX-License-Identifier: MIT
"""The path of a call, stage by stage: the first file to read.

    Problem          what: op, shapes, dtypes, layouts, epilogue expression          tracea_core.ops
    Target           where: device and profile, resolved once and never again        tracea_core.plugin.select
    Choice           which variant, and why each other one was rejected              tracea_core.doctor.choose
    Configuration    every free parameter bound                                      tracea_core.pipeline.configure
    TileGraph        which tiles, in which order                                     tracea_core.policy
    SemanticKernel   how: a bound, complete schedule, certified                      tracea_core.semantic
    KernelSource     text, entry point, launch shape, digest                         the backend's emitter
    Kernel           compiled, cached, launched on the caller's stream               the backend's runtime

Each stage takes the value before it and returns frozen data; none looks back. `Path` holds them all.
"""

from __future__ import annotations

from tracea_core.pipeline.path import Path, trace
from tracea_core.pipeline.plan import Plan, plan

__all__ = ["Path", "Plan", "plan", "trace"]
