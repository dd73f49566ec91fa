# SPDX-License-Identifier: MIT
"""The layers of one call, from problem to source, as text or JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from tracea_core.pipeline import Path
from tracea_core.semantic.show import show

_SOURCE_LINES = 40


def layers(path: Path) -> list[tuple[str, str]]:
    """Return (layer, text) for every stage of a path."""
    problem, target = path.problem, path.target
    profile = target.profile
    stages = [
        (
            "Problem",
            f"{problem.op}\n"
            + "\n".join(
                f"input {i}: {s.shape} {s.dtype.value}, strides {s.strides}" for i, s in enumerate(problem.inputs)
            )
            + f"\noutput: {problem.output.shape} {problem.output.dtype.value}, strides {problem.output.strides}"
            + f"\nepilogue: {problem.epilogue.describe() or 'none'}"
            + f"\n{problem.flops() / 1e9:.4g} GFLOP, {problem.op.bytes() / 1e6:.4g} MB at least",
        ),
        (
            "Target",
            f"{target.device} through {target.backend}: {profile.name}, {profile.arch}, {profile.processors} processors, "
            f"{profile.lanes} lanes\nsource: {profile.source}",
        ),
        ("Choice", path.choice.describe()),
        (
            "Configuration",
            f"{path.configuration.describe()} ({path.configured.origin.value})\n{path.configured.decision.describe()}",
        ),
        ("Tile graph", path.tile_graph().describe()),
        ("Semantic kernel", show(path.kernel)),
        ("Certificate", path.certificate.describe()),
    ]
    if path.source is None:
        text = f"the backend {target.backend!r} prints no {path.choice.variant.family} kernels in this version; the path ends here"
    else:
        lines = path.source.text.splitlines()
        text = f"{path.source.language}, {len(lines)} lines, digest {path.source.text_digest}\n" + "\n".join(
            lines[:_SOURCE_LINES]
        )
        text += f"\n… {len(lines) - _SOURCE_LINES} more lines: tracea emit" if len(lines) > _SOURCE_LINES else ""
    stages.append(("Source", text))
    return stages


def as_json(path: Path) -> dict[str, Any]:
    """Return every stage as plain values."""
    return {
        "problem": msgspec.to_builtins(path.problem),
        "target": msgspec.to_builtins(path.target),
        "choice": msgspec.to_builtins(path.choice),
        "configuration": msgspec.to_builtins(path.configured),
        "tile_graph": path.tile_graph().describe(),
        "kernel": msgspec.to_builtins(path.kernel),
        "certificate": msgspec.to_builtins(path.certificate),
        "source": None if path.source is None else path.source.text,
    }
