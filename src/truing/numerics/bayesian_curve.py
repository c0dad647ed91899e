"""The Bayesian curve: in log-odds the identity plus bias, slope, asymmetry and a smooth rest."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import ndtr, ndtri

from truing.numerics.arrays import FloatArray
from truing.numerics.cells import Cells
from truing.numerics.log_odds import sigmoid
from truing.numerics.posterior import Posterior, Problems, find_posterior

WAVES = 20
DECAY = 2.0  # of the waves' prior scales
PARAMETRIC = (0.15, 0.5, 1.5, 5.0, 20.0)  # prior scales of slope and asymmetry; twice for the bias
SMOOTH = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)  # prior scales of the smooth rest
TIMID = 0.4  # the power of the evidence: none of the priors is the true one
HALVINGS = 60


@dataclass(frozen=True, eq=False)
class BayesianCurves:
    """For each set of counts: a curve under every prior, and how much each prior is believed.

    Attributes
    ----------
    log_odds, deviations
        The mode at each knot and the posterior's standard deviation: (set, prior, knot).
    weights
        (set, prior); they add up to 1.
    """

    log_odds: FloatArray
    deviations: FloatArray
    weights: FloatArray

    def mean(self) -> FloatArray:
        """Return the log-odds of the posterior mean of the probability: (set, knot)."""
        # The mean of a sigmoid under a normal, after MacKay 1992.
        softened = self.log_odds / np.sqrt(1.0 + np.pi / 8.0 * np.square(self.deviations))
        share, rest = (
            np.einsum("sp,spk->sk", self.weights, sigmoid(sign * softened)) for sign in (1.0, -1.0)
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
    scales from a small grid. Each posterior is Laplace's approximation; curves are averaged by
    their evidence to the power of 0.4.
    """
    scales = np.array([_scales(*pair) for pair in product(PARAMETRIC, SMOOTH)])
    wide = _design(cells)
    found = _solve(cells, cells.at_places(wide.T).T, scales)
    sets, shape = len(cells.totals), (len(cells.totals), len(scales), len(wide))
    unit = np.tile(scales, (sets, 1))
    log_odds = cells.knots + (found.mode * unit) @ wide.T
    root = np.linalg.inv(np.linalg.cholesky(found.curvature)) * unit[:, None, :]
    deviations = np.sqrt(np.square(root @ wide.T).sum(axis=1))
    evidence = TIMID * found.log_evidence.reshape(shape[:2])
    weights = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return BayesianCurves(log_odds.reshape(shape), deviations.reshape(shape), weights)


def _scales(parametric: float, smooth: float) -> list[float]:
    return [2.0 * parametric, parametric, parametric] + [smooth] * (WAVES + 1)


def _design(cells: Cells) -> FloatArray:
    """Return the columns at the knots: bias, slope, asymmetry; a line and waves over ranks."""
    ranks, waves = cells.extend(cells.ranks), np.arange(1, WAVES + 1)
    cosines = np.sqrt(2.0) * np.cos(np.pi * np.outer(ranks, waves)) / waves**DECAY
    bent = (cells.knots, np.logaddexp(0.0, cells.knots))
    parametric = [
        column - np.average(cells.at_places(column), weights=cells.totals[0]) for column in bent
    ]
    return np.column_stack([np.ones(len(ranks)), *parametric, 2.0 * ranks - 1.0, cosines])


def _solve(cells: Cells, design: FloatArray, scales: FloatArray) -> Posterior:
    """Find the posteriors of all cases first: those of the folds are near."""
    priors = len(scales)

    def problems(rows: slice) -> Problems:
        positives, totals = (
            np.repeat(column[rows], priors, axis=0) for column in (cells.positives, cells.totals)
        )
        repeated = np.tile(scales, (len(totals) // priors, 1))
        return Problems(design, cells.places, positives, totals, repeated)

    full, folds = find_posterior(problems(slice(1))), len(cells.totals) - 1
    if not folds:
        return full
    others = find_posterior(problems(slice(1, None)), np.tile(full.mode, (folds, 1)))
    return Posterior(
        np.concatenate([full.mode, others.mode]),
        np.concatenate([full.objective, others.objective]),
        np.concatenate([full.curvature, others.curvature]),
    )
