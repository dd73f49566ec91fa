# SPDX-License-Identifier: MIT
"""Bayesian search: a Gaussian process says what each untried candidate may bring, the most promising is measured next.

The process models log(time) minus the logarithm of a roofline prior: multiplicative effects become sums, noise becomes
uniform, and only what the roofline does not know has to be learnt. The kernel is Matérn 5/2 with one length scale per
coordinate, so that fields without effect are found out (Snoek, Larochelle, Adams, NeurIPS 2012). Candidates are enumerated,
so the acquisition is simply computed for all of them.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tracea_core.errors import OptionError
from tracea_core.tuner.encode import encode
from tracea_core.tuner.evolution import EvolutionarySearch
from tracea_core.tuner.search import SequentialSearch, State, log

Vector = npt.NDArray[np.float64]
_LARGEST = 4096  # candidates that the acquisition is computed for at once; of more, a random part is taken each time
_SPREAD, _SPREAD_BLINDLY = 12, 6
_IN_TURN = 3  # a seed, what the prior likes best, what is far from all before
_FAILED = 0.15  # how much more than the worst time a failure counts, in natural logarithms
_ITERATIONS = 25  # of the optimizer of the kernel's parameters, which start from the last ones


class GaussianProcessSearch(SequentialSearch):
    """Bayesian search over enumerated candidates; evolutionary where scikit-learn is not installed.

    Parameters
    ----------
    acquisition : {"ei", "ucb"}
        Expected improvement, or the optimistic confidence bound.
    initial : int, optional
        Candidates spread over the space before the model is used, seeds included. By default 12 (three for each field that is
        usually free) of the half that the prior likes, since with fewer some landscapes are searched around the seeds for long before
        a far better region is seen; without a prior 6, as spreading over everything costs more than it tells. Where seeds
        are given, who gives them has left out what cannot be fast, and the prior is right more often: in turn the next seed
        is tried, the candidate that the prior likes best, and one far from all before. Further seeds are candidates like others.
    kappa : float
        How optimistic ``"ucb"`` is, in standard deviations.
    stop_below : float
        End the search when no candidate is expected to improve the best time by this share; 0 uses the whole budget.
    """

    name = "gaussian process"

    def __init__(
        self,
        *,
        acquisition: Literal["ei", "ucb"] = "ei",
        initial: int | None = None,
        kappa: float = 1.8,
        stop_below: float = 0.0,
    ) -> None:
        if acquisition not in ("ei", "ucb"):
            raise OptionError(f"unknown acquisition {acquisition!r}", hint="Use 'ei' or 'ucb'")
        if (initial is not None and initial < 2) or not kappa >= 0 or not stop_below >= 0:
            raise OptionError("initial is at least 2, kappa and stop_below at least 0")
        self.acquisition, self.initial, self.kappa, self.stop_below = acquisition, initial, kappa, stop_below
        self._substitute: EvolutionarySearch | None = None

    def begin(self, state: State) -> None:
        """Encode the candidates."""
        self._substitute = None
        try:
            self._threads = load_libraries()
        except Exception as error:  # not installed, or broken in one of the many ways compiled packages can be
            log.warning(
                "scikit-learn cannot be used (%s), so the search is evolutionary; pip install tracea-core[tune]", error
            )
            self._substitute = EvolutionarySearch()
            self._substitute.begin(state)
            return
        self._features, _ = encode(state.candidates)
        above = state.log_prior - state.log_prior.min(initial=np.inf) if state.candidates else state.log_prior
        if above.any():  # where the prior errs depends on what it says, so it is a coordinate as well as the mean
            self._features = np.column_stack([self._features, np.minimum(above / 2, 1.0)])
        self._kernel: Any = None
        self._fitted_at = 0
        self._spread_over = self.initial or (_SPREAD if above.any() else _SPREAD_BLINDLY)

    def seed(self, state: State) -> int | None:
        """Return the next seed at every third place while candidates are spread; without a prior all seeds come first."""
        if self._substitute is not None or not state.log_prior.any():
            return super().seed(state)
        due = len(state.tried) < self._spread_over and len(state.tried) % _IN_TURN == 0
        return super().seed(state) if due else None

    def propose(self, state: State) -> tuple[int, str] | None:
        """Return the candidate with the largest acquisition."""
        if self._substitute is not None:
            return self._substitute.propose(state)
        untried = state.untried
        if self._features.shape[1] == 0 or len(state.tried) < self._spread_over or len(state.measured) < 2:
            return self._spread(state, untried), "space filling"
        if len(untried) > _LARGEST:
            untried = np.sort(state.rng.choice(untried, _LARGEST, replace=False))
        # One thread: the matrices are small, and idle threads of a BLAS go on spinning into the next measurement.
        with self._threads.limit(limits=1, user_api="blas"):
            mean, deviation = self._predict(state, untried)
        best = float(np.nanmin(state.log_seconds))
        if self.acquisition == "ucb":
            scores = self.kappa * deviation - mean
        else:
            scores = expected_improvement(mean, deviation, best)
            if scores.max() < self.stop_below:
                return None
        return int(untried[np.argmax(scores)]), self.acquisition

    def _spread(self, state: State, untried: npt.NDArray[np.int64]) -> int:
        """Return a candidate far from all that were tried, among the half that the prior likes better."""
        prior = state.log_prior[untried]
        in_turn = state.seeds and len(state.tried) % _IN_TURN < 2 and bool(state.log_prior.any())
        if not state.tried or in_turn or self._features.shape[1] == 0:
            return int(untried[np.argmin(prior)])
        liked = untried[prior <= np.median(prior)]
        if len(liked) > _LARGEST:
            liked = np.sort(state.rng.choice(liked, _LARGEST, replace=False))
        gaps = self._features[liked][:, None, :] - self._features[state.tried][None, :, :]
        return int(liked[np.argmax((gaps**2).sum(axis=2).min(axis=1))])

    def _predict(self, state: State, untried: npt.NDArray[np.int64]) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of the log time of `untried`."""
        measured = state.measured
        trust = prior_trust(state.log_prior[measured], state.log_seconds[measured])
        residual = state.log_seconds - trust * state.log_prior
        # A failure says nothing about time, but its neighbourhood should not look attractive: it counts as worse than the worst seen.
        targets = residual[state.tried]
        targets = np.where(np.isnan(targets), np.nanmax(targets) + _FAILED, targets)
        process = self._fit(self._features[state.tried], targets)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # variances that rounding made negative are set to 0, which is what is wanted
            mean, deviation = process.predict(self._features[untried], return_std=True)
        return mean + trust * state.log_prior[untried], deviation

    def _fit(self, features: Vector, targets: Vector) -> Any:
        """Return a process through the targets. Its kernel's parameters are found anew as often as that can matter.

        They change little from one point to the next, and finding them is what takes the time, so they are found whenever
        a fifth more has been measured.
        """
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

        if self._kernel is None:
            scales = np.full(features.shape[1], 0.7)
            self._kernel = ConstantKernel(1.0, (0.05, 20.0)) * Matern(scales, (0.1, 20.0), nu=2.5) + WhiteKernel(
                1e-3, (1e-6, 0.2)
            )
        anew = len(targets) >= self._fitted_at * 1.2
        process = GaussianProcessRegressor(
            self._kernel, optimizer=_optimize if anew else None, normalize_y=True, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parameters at their bounds are expected: fields without effect
            process.fit(features, targets)
        if anew:
            self._kernel, self._fitted_at = process.kernel_, len(targets)
        return process


def load_libraries() -> Any:
    """Import what the search needs and return what limits the threads of the libraries underneath."""
    for name in ("sklearn.gaussian_process", "scipy.optimize", "scipy.special"):
        importlib.import_module(name)
    return importlib.import_module("threadpoolctl").ThreadpoolController()


def expected_improvement(mean: Vector, deviation: Vector, best: float) -> Vector:
    """Return E[max(best - X, 0)] for X normal with `mean` and `deviation` (Jones, Schonlau, Welch 1998, eq. 15)."""
    from scipy.special import ndtr

    gain = best - mean
    safe = np.maximum(deviation, 1e-12)
    z = gain / safe
    density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    return np.where(deviation > 1e-12, gain * ndtr(z) + safe * density, np.maximum(gain, 0.0))


def prior_trust(log_prior: Vector, log_seconds: Vector) -> float:
    """Return the share of the prior's log that explains the measurements: a slope in [0, 1], 1 until there are four."""
    if len(log_prior) < 4:
        return 1.0
    centred = log_prior - log_prior.mean()
    variance = float(centred @ centred)
    return float(np.clip(centred @ log_seconds / variance, 0.0, 1.0)) if variance > 1e-12 else 1.0


def _optimize(objective: Any, start: Vector, bounds: Vector) -> tuple[Vector, float]:
    """Find the kernel's parameters in a bounded number of steps: a rough optimum now beats a fine one too late."""
    from scipy.optimize import minimize

    found = minimize(objective, start, method="L-BFGS-B", jac=True, bounds=bounds, options={"maxiter": _ITERATIONS})
    return found.x, float(found.fun)
