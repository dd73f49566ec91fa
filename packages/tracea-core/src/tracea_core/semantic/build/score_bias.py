# SPDX-License-Identifier: MIT
"""What is added to the scores of attention, as a mask in memory is: how the lanes that hold scores read it.

A bias is read in the lanes of the scores that it is added to, so it passes neither shared memory nor other lanes. One that is the
same for all rows (a mask of keys alone) is held once for each column, one that is the same for all keys once for each row. Whether
neighbouring keys are read together is known from the form: its symbols are multiples of so many then, and its address is aligned.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.semantic.build.multistage_lanes import projection, run, scalar
from tracea_core.semantic.chained import KEY, Chained
from tracea_core.semantic.contraction import I, Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, coefficient, less, minimum, substitute, symbols
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, If, Let, Load, Node, SchedulingFence, Transfer

_BASE = "bias_at"
_LAST_RUN = Sym("last_run")
"""Where the last run of keys begins, from the first key of those that are read on."""
_WORD = 4
_ARRIVING = {(2, 1): 3, (2, 2): 4, (1, 1): 8}
"""Eighths of a register for each run that is no word, by its bytes and elements."""
_LEAST_RUN = 2
"""Bytes of the narrowest run that languages load."""


class ScoreBias:
    """Reads what a form adds to scores that lanes hold.

    Parameters
    ----------
    piece : FragmentLayout
        Rows by keys, of which scores are so many `repeats` side by side.
    lanes : int
        Of an actor.
    """

    def __init__(self, form: Chained, piece: FragmentLayout, lanes: int, repeats: int = 1) -> None:
        self.f, self.piece, self.lanes, self.repeats = form, piece, lanes, repeats

    @property
    def names(self) -> tuple[str, ...]:
        """The fragment that holds it, for what is evaluated with it; nothing if there is no bias."""
        return tuple(f"{term.operand}_held" for term in self.f.added)

    def fragments(self) -> list[Fragment]:
        """Return the fragment that holds it, if there is a bias."""
        return [
            Fragment(name, term.dtype, self._held(term)) for name, term in zip(self.names, self.f.added, strict=True)
        ]

    @property
    def registers(self) -> int:
        """How many registers of a thread hold it, and arrive before smaller runs than words are put together, about.

        As many as leave no spills: kernels for every kind of mask were compiled, 64, 128 and 256 columns, with windows and without.
        """
        found = 0
        for one, term in zip(self.fragments(), self.f.added, strict=True):
            width, held, size = self._width(term), one.layout.registers, one.dtype.bytes
            arriving = held // width * _ARRIVING.get((width * size, width), 0) // 8
            found += -(-held * size // _WORD) + arriving
        return found

    @property
    def ahead(self) -> bool:
        """Whether it is read a block ahead: whole words, since smaller ones are waited for where they are put together."""
        return all(self._width(term) * term.dtype.bytes >= _WORD for term in self.f.added)

    def begin(self, rows: Sequence[Index], row_fragment: str) -> tuple[Node, ...]:
        """Name where the bias of a tile's rows begins, for parts of the rows with these first ones; the last row stands for further ones.

        Parameters
        ----------
        row_fragment : str
            The fragment whose elements are a part's rows.
        """
        nodes: list[Node] = []
        for term in self.f.added:
            start = substitute(term.offset, {I.name: Const(0), KEY.name: Const(0)})
            if I.name not in symbols(term.offset):
                nodes += [Let(f"{_BASE}{part}", start) for part in range(len(rows))]
                continue
            for part, row0 in enumerate(rows):
                place = minimum(row0 + ROW, self.f.m - 1) * _step(term, I)
                nodes.append(Let(f"{_BASE}{part}", start + place, row_fragment, wide=True))
        return tuple(nodes)

    def load(self, part: int, key0: Index) -> tuple[Node, ...]:
        """Read what is added to the scores of a part's rows and of keys from `key0` on, the last one in place of those beyond it.

        What stands for rows and keys that are not there is never used. Tests would divide the reads, each of which would be waited for.
        """
        nodes: list[Node] = []
        for name, term in zip(self.names, self.f.added, strict=True):
            nodes += self._load(name, term, part, key0)
        return tuple(nodes)

    def _load(self, name: str, term: Term, part: int, key0: Index) -> tuple[Node, ...]:
        wide, width = self._held(term).shape[1], self._width(term)
        at, step = Sym(f"{_BASE}{part}"), _step(term, KEY)
        if wide == 1:
            kind = Transfer.GATHER if I.name in symbols(term.offset) else Transfer.BROADCAST
            return (Load(name, Access(term.operand, at), kind),)
        start = Let(_LAST_RUN.name, self.f.keys - width - key0)
        last = minimum(COLUMN // width * width, _LAST_RUN) + COLUMN % width
        inside, edge = (
            Load(name, Access(term.operand, at + place * step), Transfer.GATHER, width=width)
            for place in (key0 + COLUMN, key0 + last)
        )
        # without the fence compilers join both branches, and work an address out for each run
        return (If((less(key0 + (wide - 1), self.f.keys),), (inside,), (start, edge, SchedulingFence())),)

    def _held(self, term: Term) -> FragmentLayout:
        used = symbols(term.offset)
        if I.name in used and KEY.name in used:
            return self.piece.repeat(columns=self.repeats)
        if KEY.name in used:
            return projection(self.piece, 1).repeat(columns=self.repeats)
        return projection(self.piece, 0) if I.name in used else scalar(self.lanes)

    def _width(self, term: Term) -> int:
        """Neighbouring keys that a lane holds and that the form promises to lie together, aligned."""
        if coefficient(term.offset, KEY.name) != Const(1):
            return 1
        multiples = {symbol.name: symbol.multiple for symbol in self.f.symbols}
        promised = [multiples.get(name, 1) for name in symbols(term.offset) | symbols(self.f.keys) if name in multiples]
        parameter = next(one for one in self.f.parameters if one.name == term.operand)
        together = min(run(self.piece, 1), parameter.alignment // term.dtype.bytes, *promised)
        return 2 if together >= 2 and 2 * term.dtype.bytes >= _LEAST_RUN else 1


def _step(term: Term, coordinate: Sym) -> Index:
    found = coefficient(term.offset, coordinate.name)
    assert found is not None  # strides are what the lowering makes offsets of
    return found
