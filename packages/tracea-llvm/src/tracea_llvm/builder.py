# SPDX-License-Identifier: MIT
"""LLVM's own on top of SSA text: intrinsics with their declarations, and stores that pass the caches."""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.emit.ssa import SsaText

from tracea_llvm.halves import join

NONTEMPORAL = "!0 = !{i32 1}"
"""The metadata that `Builder.stream` refers to."""


class Builder(SsaText):
    """The text of one function, and what it declares.

    Attributes
    ----------
    halves : dict
        Names of vectors of which only the lower and the upper half were printed: `shuffle` alone can take them (`tracea_llvm.halves`).
    """

    def __init__(self) -> None:
        super().__init__()
        self.declarations: set[str] = set()
        self.streams = False
        self.halves: dict[str, tuple[str, str]] = {}

    def stream(self, store: str) -> None:
        """Print a store that passes the caches."""
        self.streams = True
        self.line(f"{store}, !nontemporal !0")

    def settle(self) -> None:
        """Make what has passed the caches visible, before anybody is told that it is there: such stores may overtake others."""
        if self.streams:
            self.line("fence seq_cst")

    def depth_of(self, name: str) -> int | None:
        """Return the depth of the region that printed a pure operation's result, or None."""
        return next((depth for depth, region in enumerate(self.regions) if name in region.known.values()), None)

    def intrinsic(self, result: str, name: str, *arguments: tuple[str, str]) -> str:
        """Return a call of an intrinsic, whose (type, value) arguments are given, and declare it."""
        types = ", ".join(kind for kind, _ in arguments)
        self.declarations.add(f"declare {result} @{name}({types})")
        return f"call {result} @{name}({', '.join(f'{kind} {value}' for kind, value in arguments)})"

    def shuffle(self, kind: str, a: str, b: str, mask: Sequence[int]) -> str:
        """Print the vector of lanes `mask` of two vectors of type `kind`, the second's counted after the first's."""
        if a in self.halves:
            kind, a, b, mask = join(self.halves, kind, a, b, list(mask))
        lanes = ", ".join(f"i32 {i}" for i in mask)
        return self.value(f"shufflevector {kind} {a}, {kind} {b}, <{len(mask)} x i32> <{lanes}>", "turned")
