# SPDX-License-Identifier: MIT
"""What names stand for while a body is printed: sums of printed values, one for each register of a fragment where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from tracea_core.emit import linear
from tracea_core.emit.linear import Atom, Linear
from tracea_core.emit.registers import partner, registers
from tracea_core.errors import EmitError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.kernel import Fragment, Role
from tracea_core.semantic.steps import Let

from tracea_llvm.indices import IndexPrinter, Lookup


@dataclass(frozen=True)
class Table:
    """A value for every element of a fragment: one sum for each of its registers."""

    layout: FragmentLayout
    entries: tuple[Linear, ...]


Environment: TypeAlias = Mapping[str, Linear | Table]


class Symbols:
    """The names that are bound where the walk stands.

    Attributes
    ----------
    environment : mapping
        What each of them stands for.
    """

    def __init__(self, role: Role, index: IndexPrinter) -> None:
        self.role, self.index = role, index
        self.environment: Environment = {}

    @contextmanager
    def scope(self, environment: Environment) -> Iterator[dict[str, Linear | Table]]:
        """Bind names for one body."""
        before, own = self.environment, dict(environment)
        self.environment = own
        try:
            yield own
        finally:
            self.environment = before

    def scalar(self, name: str) -> Linear:
        """Return what `name` stands for, wherever it is read.

        Raises
        ------
        EmitError
            If it is not bound, or differs between elements.
        """
        found = self.environment.get(name)
        if not isinstance(found, Linear):
            raise EmitError(f"{name!r} has no single value here", role=self.role.name)
        return found

    def at(self, fragment: Fragment, number: int) -> Lookup:
        """Return the look-up of symbols at one register of a fragment."""
        register = registers(fragment.layout)[number]

        def lookup(name: str) -> Linear:
            if name == "row":
                return register.row
            if name == "column":
                return register.column
            found = self.environment.get(name)
            if isinstance(found, Table):
                return found.entries[partner(fragment.layout, found.layout, number, f"the table {name!r}")]
            return self.scalar(name)

        return lookup

    def let(self, let: Let) -> Linear | Table:
        """Print what a name shall stand for, once or for each register of its fragment."""
        if let.fragment is None:
            return self.pin(self.index.evaluate(let.value, self.scalar, let.name), let.name)
        fragment = self.role.fragment(let.fragment)
        entries = []
        for number, register in enumerate(registers(fragment.layout)):
            name = f"{let.name}_{register.suffix}" if register.suffix else let.name
            entries.append(self.pin(self.index.evaluate(let.value, self.at(fragment, number), name), name))
        return Table(fragment.layout, tuple(entries))

    def pin(self, value: Linear, name: str) -> Linear:
        """Print a sum where it stands, under `name`; constants stay constants."""
        if value.is_constant:
            return value
        if value.has_lanes:
            printed, depth = self.index.vector_value(value, name)
            return linear.of(Atom(printed, depth, True, value.non_negative))
        printed, depth = self.index.scalar(value, name, pin=True)
        return linear.of(Atom(printed, depth, False, value.non_negative))
