# SPDX-License-Identifier: MIT
"""Search by variation and selection: good candidates have good neighbours, and halves of good candidates combine.

It needs no model and no library, makes no assumption about smoothness, and costs nothing between evaluations, which makes
it the alternative where scikit-learn is missing. Selection is by tournament, and old members stay as long as they are
among the best (a steady-state evolution, after Whitley's GENITOR, ICGA 1989).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tracea_core.errors import OptionError
from tracea_core.tuner.encode import codes
from tracea_core.tuner.search import SequentialSearch, State


class EvolutionarySearch(SequentialSearch):
    """Breeds new candidates from the best ones so far.

    Parameters
    ----------
    population : int
        How many of the best are parents.
    initial : int
        Candidates drawn before breeding begins (seeds count), favouring those that the prior likes.
    crossover : float
        Share of children that mix two parents; the others change one parent in as few fields as possible.
    exploration : float
        Share of candidates drawn as in the beginning, so that no region is given up.
    """

    name = "evolutionary"

    def __init__(
        self, *, population: int = 6, initial: int = 8, crossover: float = 0.3, exploration: float = 0.1
    ) -> None:
        if population < 1 or initial < 1 or not 0 <= crossover <= 1 or not 0 <= exploration <= 1:
            raise OptionError("population and initial are at least 1, crossover and exploration lie in [0, 1]")
        self.population, self.initial = population, initial
        self.crossover, self.exploration = crossover, exploration

    def begin(self, state: State) -> None:
        """Number the values of each field, so that distance is the number of fields that differ."""
        self._codes = codes(state.candidates)

    def propose(self, state: State) -> tuple[int, str] | None:
        """Return a child of good parents that has not been tried."""
        untried, measured = state.untried, state.measured
        if len(state.tried) < self.initial or len(measured) < 2 or state.rng.random() < self.exploration:
            return favour(state, untried), "prior"
        parents = measured[np.argsort(state.log_seconds[measured], kind="stable")][: self.population]
        first = self._tournament(state, parents)
        wanted = self._codes[first]
        origin = "mutation"
        if state.rng.random() < self.crossover:
            second = self._tournament(state, parents)
            mask = state.rng.random(wanted.size) < 0.5
            wanted = np.where(mask, wanted, self._codes[second])
            origin = "crossover"
        distance = np.count_nonzero(self._codes[untried] != wanted, axis=1)
        return favour(state, untried[distance == distance.min()]), origin

    def _tournament(self, state: State, ranked: npt.NDArray[np.int64]) -> int:
        """Return the better of two parents drawn at random from a list that is sorted by time."""
        return int(ranked[int(state.rng.integers(len(ranked), size=2).min())])


def favour(state: State, among: npt.NDArray[np.int64]) -> int:
    """Return one of `among`, drawn with a probability that halves for each tenth that the prior expects it to be slower."""
    above = state.log_prior[among] - state.log_prior[among].min()
    weights = np.exp2(-above / np.log(1.1))
    return int(state.rng.choice(among, p=weights / weights.sum()))
