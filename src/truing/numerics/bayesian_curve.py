"""The Bayesian curve: in log-odds the identity plus bias, slope, asymmetry and a smooth rest."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import ndtr, ndtri

from truing.numerics.arrays import FloatArray
from truing.numerics.cells import Cells
from truing.numerics.posterior import (
    Posterior,
    Problems,
    find_posterior,
    mean_from_mode,
    mean_of_sigmoid,
)

WAVES = 20
DECAY = 2.0  # of the waves' prior scales
PARAMETRIC = (0.15, 0.5, 1.5, 5.0, 20.0)  # prior scales of slope and asymmetry; twice for the bias
SMOOTH = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)  # prior scales of the smooth rest
FREE = 10.0  # prior scale, in log-odds per standard deviation: next to none
TIMID = 0.4  # the power of the evidence: none of the priors is the true one
HALVINGS = 60


@dataclass(frozen=True, eq=False)
class BayesianCurves:
    """For each set of counts: a curve under every prior, and how much each prior is believed.

    Attributes
    ----------
    log_odds, deviations
        The posterior's mean and standard deviation at each knot: (set, prior, knot).
    weights
        (set, prior); they add up to 1.
    """

    log_odds: FloatArray
    deviations: FloatArray
    weights: FloatArray

    def mean(self) -> FloatArray:
        """Return the log-odds of the posterior mean of the probability: (set, knot)."""
        rarer = mean_of_sigmoid(-np.abs(self.log_odds), self.deviations)
        is_low = self.log_odds < 0.0
        share, rest = (
            np.einsum("sp,spk->sk", self.weights, np.where(low, rarer, 1.0 - rarer))
            for low in (is_low, ~is_low)
        )
        told: FloatArray = np.log(np.maximum(share, 1e-300)) - np.log(np.maximum(rest, 1e-300))
        return told

    def quantile(self, share: float) -> FloatArray:
        """Return the log-odds below which the true ones are with this probability: (set, knot)."""
        ends = self.log_odds + ndtri(share) * self.deviations
        low, high = ends.min(axis=1), ends.max(axis=1)
        spread = np.maximum(self.deviations, 1e-300)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            below = ndtr((middle[:, None] - self.log_odds) / spread)
            above = np.einsum("sp,spk->sk", self.weights, below) >= share
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        told: FloatArray = high
        return told


def bayesian_curves(cells: Cells) -> BayesianCurves:
    """Return the curves of all sets of counts.

    With u the rank and z the log-odds of a score, the curve is z + a + b z + c ln(1 + exp(z)) +
    d (2u − 1) + Σ e_k √2 cos(π k u) / k²; every coefficient has a normal prior of mean 0, with
    scales from a small grid. Each posterior is Laplace's approximation, its mean moved from the
    mode by the third derivatives; curves are averaged by their evidence to the power of 0.4.
    """
    scales = np.array([_scales(*pair) for pair in product(PARAMETRIC, SMOOTH)])
    wide, shape = _design(cells), (len(cells.totals), len(scales), len(cells.knots))
    problems, found, weights = _fit_all(cells, wide, scales)
    deviations = found.deviations(wide, problems.scales)
    moved = mean_from_mode(problems, found, cells.at_places(deviations))
    log_odds = cells.knots + (moved * problems.scales) @ wide.T
    return BayesianCurves(log_odds.reshape(shape), deviations.reshape(shape), weights)


def free_curve(cells: Cells) -> FloatArray:
    """Return a smoothing curve of each set of counts, at the knots: its line is free.

    It is the Bayesian curve without asymmetry and with next to no prior on bias and slope, the most
    likely one under each prior of the smooth rest, fitted to Platt's smoothed labels; averaged by
    evidence likewise.
    """
    smoothed = cells.with_smoothed_labels()
    line = cells.in_spreads(cells.knots[:, None])
    wide = np.column_stack([np.ones(len(line)), line, _waves(cells)])
    scales = np.array([[FREE, FREE] + [smooth] * (WAVES + 1) for smooth in SMOOTH])
    problems, found, believed = _fit_all(smoothed, wide, scales)
    modes = cells.knots + (found.mode * problems.scales) @ wide.T
    modes = modes.reshape(len(cells.totals), len(scales), len(cells.knots))
    return BayesianCurves(modes, np.zeros_like(modes), believed).mean()


def _fit_all(
    cells: Cells, wide: FloatArray, scales: FloatArray
) -> tuple[Problems, Posterior, FloatArray]:
    """Fit every set of counts under every prior; say how much each prior is believed."""
    problems = _problems(cells, cells.at_places(wide.T).T, scales)
    found = _solve(problems, len(scales))
    evidence = TIMID * found.log_evidence.reshape(len(cells.totals), len(scales))
    weights = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    return problems, found, weights / weights.sum(axis=1, keepdims=True)


def _scales(parametric: float, smooth: float) -> list[float]:
    return [2.0 * parametric, parametric, parametric] + [smooth] * (WAVES + 1)


def _design(cells: Cells) -> FloatArray:
    """Return the columns at the knots: bias, slope, asymmetry; a line and waves over ranks."""
    bent = (cells.knots, np.logaddexp(0.0, cells.knots))
    parametric = [
        column - np.average(cells.at_places(column), weights=cells.totals[0]) for column in bent
    ]
    return np.column_stack([np.ones(len(cells.knots)), *parametric, _waves(cells)])


def _waves(cells: Cells) -> FloatArray:
    ranks, waves = cells.extend(cells.ranks), np.arange(1, WAVES + 1)
    cosines = np.sqrt(2.0) * np.cos(np.pi * np.outer(ranks, waves)) / waves**DECAY
    return np.column_stack([2.0 * ranks - 1.0, cosines])


def _problems(cells: Cells, design: FloatArray, scales: FloatArray) -> Problems:
    """Return every set of counts under every prior."""
    positives, totals = (
        np.repeat(column, len(scales), axis=0) for column in (cells.positives, cells.totals)
    )
    return Problems(
        design, cells.places, positives, totals, np.tile(scales, (len(cells.totals), 1))
    )


def _solve(problems: Problems, priors: int) -> Posterior:
    """Find the posteriors of all cases first: those of the folds are near."""
    rows = np.arange(len(problems.totals))
    full, folds = find_posterior(problems.those(rows[:priors])), len(rows) // priors - 1
    if not folds:
        return full
    others = find_posterior(problems.those(rows[priors:]), np.tile(full.mode, (folds, 1)))
    return Posterior(
        np.concatenate([full.mode, others.mode]),
        np.concatenate([full.objective, others.objective]),
        np.concatenate([full.curvature, others.curvature]),
    )
