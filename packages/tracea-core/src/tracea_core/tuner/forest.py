# SPDX-License-Identifier: MIT
"""Search with a forest of random trees: no assumption of smoothness, steps and interactions of fields come naturally.

Extremely randomized trees (P. Geurts, D. Ernst, L. Wehenkel, *Machine Learning* 63, 2006) each fit the log of the time
minus that of the prior; their mean and spread at an untried candidate give its expected improvement, as in SMAC (F.
Hutter, H. Hoos, K. Leyton-Brown, LION 2011).
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.errors import OptionError
from tracea_core.tuner.bayes import expected_improvement, prior_trust
from tracea_core.tuner.encode import encode
from tracea_core.tuner.evolution import EvolutionarySearch, favour
from tracea_core.tuner.search import SequentialSearch, State, log

_LARGEST = 4096  # candidates that are judged at once; of more, a random part is taken each time


class ForestSearch(SequentialSearch):
    """Expected improvement under a forest; evolutionary where scikit-learn is not installed.

    Parameters
    ----------
    trees : int
        Size of the forest.
    initial : int
        Candidates drawn before the forest is used, besides the seeds, favouring those that the prior likes: seeds alone
        are too much alike to learn from.
    exploration : float
        Share of later candidates that are drawn so too, as trees are sure of what they have never seen.
    """

    name = "forest"

    def __init__(self, *, trees: int = 16, initial: int = 4, exploration: float = 0.1) -> None:
        if trees < 2 or initial < 2 or not 0 <= exploration <= 1:
            raise OptionError(
                "a forest has at least 2 trees, starts from at least 2 candidates, and explores a share of 0 to 1"
            )
        self.trees, self.initial, self.exploration = trees, initial, exploration
        self._substitute: EvolutionarySearch | None = None

    def begin(self, state: State) -> None:
        """Encode the candidates."""
        self._substitute = None
        self._drawn = 0
        try:
            self._ensemble = importlib.import_module("sklearn.ensemble")
        except Exception as error:  # not installed, or broken in one of the many ways compiled packages can be
            log.warning(
                "scikit-learn cannot be used (%s), so the search is evolutionary; pip install tracea-core[tune]", error
            )
            self._substitute = EvolutionarySearch()
            self._substitute.begin(state)
            return
        features, _ = encode(state.candidates)
        self._features = np.column_stack([features, state.log_prior])

    def propose(self, state: State) -> tuple[int, str] | None:
        """Return the candidate that the forest expects to improve the best time most."""
        if self._substitute is not None:
            return self._substitute.propose(state)
        untried, measured = state.untried, state.measured
        self._drawn += 1
        if self._drawn <= self.initial or len(measured) < 2 or state.rng.random() < self.exploration:
            return favour(state, untried), "prior"
        if len(untried) > _LARGEST:
            untried = np.sort(state.rng.choice(untried, _LARGEST, replace=False))
        trust = prior_trust(state.log_prior[measured], state.log_seconds[measured])
        residual = state.log_seconds - trust * state.log_prior
        # A failure counts as the worst time seen, so that its neighbourhood does not look attractive.
        targets = residual[state.tried]
        targets = np.where(np.isnan(targets), np.nanmax(targets), targets)
        mean, deviation = self._predict(state, targets, untried)
        mean = mean + trust * state.log_prior[untried]
        scores = expected_improvement(mean, deviation, float(np.nanmin(state.log_seconds)))
        return int(untried[np.argmax(scores)]), "ei"

    def _predict(
        self, state: State, targets: npt.NDArray[np.float64], untried: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return mean and standard deviation over the trees of what the prior does not explain."""
        forest: Any = self._ensemble.ExtraTreesRegressor(
            n_estimators=self.trees, bootstrap=True, random_state=int(state.rng.integers(1 << 31)), n_jobs=1
        )
        forest.fit(self._features[state.tried], targets)
        votes = np.stack([tree.predict(self._features[untried]) for tree in forest.estimators_])
        return votes.mean(axis=0), votes.std(axis=0)
