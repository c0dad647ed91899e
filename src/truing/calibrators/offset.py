"""An offset in log-odds."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from truing.calibrators.log_odds import LogOddsCalibrator
from truing.maps import ProbabilityMap, Sigmoid
from truing.numerics.arrays import FloatArray
from truing.numerics.penalised import CELLS, FEW, Cases, fit_penalised
from truing.table import ScoreTable

MOST = 1e4  # log-odds beyond say no more than this one does


@dataclass(eq=False, repr=False)
class OffsetCalibrator(LogOddsCalibrator):
    """An offset: p = 1 / (1 + exp(-(z + b))), by maximum likelihood.

    Here z is the log-odds of a probability, or a margin as it is. The offset b is the one with
    which probabilities add up to the number of positives, Σ w p = Σ w y. Log-odds are read up to
    half as far from 0 and 1 as the closest score that was seen.

    Prefer it where a model is sound but for its base rate: negatives were sampled, or the world has
    moved on. It has the least to learn of all methods and can mend nothing else.

    References
    ----------
    Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori
    probabilities: a simple procedure.

    Examples
    --------
    >>> offset = OffsetCalibrator().fit([0.2, 0.5, 0.8, 0.8], [0, 0, 0, 1])
    >>> offset.transform([0.2, 0.5, 0.8]).round(3)
    array([0.041, 0.146, 0.406])
    >>> float(offset.transform([0.2, 0.5, 0.8, 0.8]).sum().round(9))
    1.0
    """

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the most likely sigmoid of slope 1."""
        scale, places = self._places(table)
        ones = np.ones((1, len(places)))
        line = np.clip(places.scores, -MOST, MOST)
        cases = Cases(ones, places.positives, places.weights, line)
        if len(places) <= FEW:
            return Sigmoid(1.0, _root(cases, line), scale)
        cells = cases.pooled(CELLS)
        start = np.array([_root(cells, np.asarray(cells.offset))])
        [offset] = fit_penalised(cases, start=start).coefficients
        return Sigmoid(1.0, float(offset), scale)


def _root(cases: Cases, line: FloatArray) -> float:
    positive, total = float(cases.positives.sum()), float(cases.weights.sum())
    middle = np.log(positive) - np.log(total - positive)
    # With the first every probability is at most the share of positives, with the other at least.
    low, high = middle - line.max() - 1.0, middle - line.min() + 1.0

    def surplus(offset: float) -> float:
        return float(cases.weights @ expit(line + offset)) - positive

    return float(brentq(surplus, low, high, xtol=1e-14, rtol=1e-15, maxiter=1000))
