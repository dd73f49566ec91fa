# SPDX-License-Identifier: MIT
"""SSA text with regions: each pure operation is printed once, in the outermost region where its operands are known.

A region is the body of a loop or of a branch. Printing an operation asks for its operands' depth, so what a loop does
not change stands before the loop; nothing moves out of a branch, because a branch may guard it. Equal right-hand sides
of pure operations are equal values, so their text is the key under which they are found again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from tracea_core.emit.writer import SourceWriter

Item: TypeAlias = "str | list[Item] | Region"


class Region:
    """Lines and inner regions in order, and the pure operations that are printed in it."""

    def __init__(self, *, is_branch: bool) -> None:
        self.items: list[Item] = []
        self.cursor = self.items
        self.known: dict[str, str] = {}
        self.is_branch = is_branch


class SsaText:
    """The text of one function: ``name = operation`` a line, names behind a percent sign, comments behind a semicolon."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self.root = Region(is_branch=True)
        self.regions = [self.root]
        self.block = "entry"
        self._names["entry"] = 0

    # ---- names and places

    def fresh(self, hint: str) -> str:
        """Return a name that nothing has yet: `hint`, or `hint` with a number."""
        count = self._names.get(hint)
        if count is None:
            self._names[hint] = 0
            return hint
        while True:
            count += 1
            candidate = f"{hint}.{count}"
            if candidate not in self._names:
                self._names[hint] = count
                self._names[candidate] = 0
                return candidate

    @property
    def depth(self) -> int:
        """Depth of the region that is being printed."""
        return len(self.regions) - 1

    @property
    def floor(self) -> int:
        """Depth of the innermost branch, out of which nothing moves."""
        return max(i for i, region in enumerate(self.regions) if region.is_branch)

    def place(self, depth: int) -> int:
        """Return the depth at which an operation on operands of `depth` is printed."""
        return max(depth, self.floor)

    # ---- lines

    def line(self, text: str) -> None:
        """Print a line in the current region."""
        self.regions[-1].cursor.append(text)

    def comment(self, text: str) -> None:
        """Print comment lines in the current region."""
        for part in text.split("\n"):
            self.line(f"; {part}")

    def value(self, text: str, hint: str) -> str:
        """Print an operation with an effect (a load) and return the name of its result."""
        name = f"%{self.fresh(hint)}"
        self.line(f"{name} = {text}")
        return name

    def pure(self, text: str, hint: str, depth: int | None = None) -> tuple[str, int]:
        """Print an operation without effect, unless it is known already; return the name of its result and its depth.

        Parameters
        ----------
        depth : int, optional
            Depth of the operands; the operation is printed there (but in no outer region than the innermost branch).
            The current region by default.
        """
        for found in range(self.depth, -1, -1):
            if text in self.regions[found].known:
                return self.regions[found].known[text], found
        target = self.depth if depth is None else self.place(depth)
        name = f"%{self.fresh(hint)}"
        region = self.regions[target]
        region.cursor.append(f"{name} = {text}")
        region.known[text] = name
        return name, target

    def here(self, text: str, hint: str) -> str:
        """Print an operation without effect in the current region, unless it is known; return its result's name."""
        return self.pure(text, hint)[0]

    def label(self, name: str) -> None:
        """Begin a basic block."""
        self.block = name
        self.line(f"{name}:")

    @contextmanager
    def region(self, *, is_branch: bool) -> Iterator[None]:
        """Print what follows one level deeper."""
        inner = Region(is_branch=is_branch)
        self.regions[-1].items.append(inner)
        self.regions.append(inner)
        try:
            yield
        finally:
            self.regions.pop()

    def slot(self) -> list[Item]:
        """Keep a place at the current line, to be filled later."""
        place: list[Item] = []
        self.regions[-1].items.append(place)
        return place

    @contextmanager
    def divert(self, place: list[Item]) -> Iterator[None]:
        """Until the end of this context, what moves into the current region goes to `place`."""
        region = self.regions[-1]
        region.cursor = place
        try:
            yield
        finally:
            region.cursor = region.items

    # ---- text

    def render(self, writer: SourceWriter) -> None:
        """Write everything; a region's lines are indented, labels stand one level out."""
        self._render(self.root.items, writer)

    def _render(self, items: list[Item], writer: SourceWriter) -> None:
        for item in items:
            if isinstance(item, str):
                writer.line(item)
            elif isinstance(item, Region):
                with writer.indented():
                    self._render(item.items, writer)
            else:
                self._render(item, writer)
