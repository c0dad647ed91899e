"""A penalised spline in log-odds."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from truing.calibrators.log_odds import LogOddsCalibrator, positives_without_separation
from truing.maps import Curve, ProbabilityMap
from truing.numerics.arrays import FloatArray
from truing.numerics.cells import Cells, pool_cells
from truing.numerics.cubic_pieces import CubicPieces, natural_slopes, secants
from truing.numerics.log_odds import log_odds, sigmoid
from truing.numerics.penalised import Cases, fit_penalised, standardised
from truing.numerics.separation import parted, smoothed_targets
from truing.numerics.smoothing import fit_spline
from truing.options import flag, whole_number
from truing.table import ScoreTable

CELLS = 512
MOST_KNOTS = 64
CLOSEST = 1e-9  # run between knots, in units of the spread
FEATHER = 1e-9  # of all weight, at a place where there is no case
LARGEST = float(np.finfo(np.float64).max)


@dataclass(eq=False, repr=False)
class SplineCalibrator(LogOddsCalibrator):
    """A smooth curve in log-odds: a natural cubic spline, as smooth as the data ask it to be.

    p = 1 / (1 + exp(-f(z))), z the log-odds of a probability or a margin as it is. f maximises the
    log-likelihood minus ½ λ ∫ f''(z)² h(z)² dz, h the run between knots, which lie closer where
    there are more cases. λ is chosen by restricted maximum likelihood (REML, in Laplace's
    approximation). Straight lines are free of penalty: where the data show no bend, this is
    Platt's sigmoid. Outside the data f goes on straight, and probabilities are read up to half as
    far from 0 and 1 as the closest that was seen.

    Prefer it for any smooth shape, with a hundred cases and more. Jumps are smoothed over, and with
    few cases it is close to Platt's sigmoid. It costs the same for a million distinct scores as for
    a thousand: neighbours are pooled into 512 cells of equal mass. Margins of which a few are more
    than a thousand times as large as most are beyond it: the curve follows those few.

    Parameters
    ----------
    n_knots
        The most knots, up to 64, at quantiles of the mass of both classes. Since the penalty
        decides, more of them change little.
    monotone
        Whether f may never fall. Where it does, probabilities of neighbours are pooled as in
        isotonic regression, until they increase.
    smoothed_targets
        Whether to fit Platt's smoothed labels, (P + 1) / (P + 2) for positives and 1 / (N + 2) for
        negatives, with P and N the weights of the classes, instead of 1 and 0. They keep few cases
        from certainty. Without them they are used all the same where the score separates the
        classes, with a warning.

    References
    ----------
    Green and Silverman (1994), Nonparametric regression and generalized linear models. Wood (2011),
    Fast stable restricted maximum likelihood and marginal likelihood estimation of semiparametric
    generalized linear models, https://doi.org/10.1111/j.1467-9868.2010.00749.x. Lucena (2018),
    Spline-based probability calibration, arXiv:1809.07751.

    Examples
    --------
    >>> scores = np.linspace(0.05, 0.95, 200)
    >>> labels = np.arange(200) % 10 < 10 * (0.2 + 0.6 * np.sin(3 * scores) ** 2)
    >>> spline = SplineCalibrator().fit(scores, labels)
    >>> spline.transform([0.1, 0.5, 0.9]).round(2)
    array([0.37, 0.77, 0.32])
    """

    n_knots: int = 40
    monotone: bool = False
    smoothed_targets: bool = True

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the smoothest spline that the data allow."""
        most, monotone = self._most_knots(), flag("monotone", self.monotone)
        scale, places = self._places(table)
        unit, centre, spread = standardised(places.scores, places.weights)
        positives = self._positives(places)
        cells = pool_cells(unit, places.weights - positives, positives, most=CELLS)
        knots, values = _fit(cells, max(most, 2))
        slopes = natural_slopes(knots, values)
        if monotone:
            knots, values, slopes = _increasing(cells, knots, values, slopes)
        with np.errstate(over="ignore"):  # half of the doubles may lie between two scores
            at = np.clip(centre + spread * knots, places.scores[0], places.scores[-1])
            slopes = np.clip(slopes / spread, -LARGEST, LARGEST)
        apart = np.concatenate([[True], at[1:] > at[:-1]])
        return Curve(at[apart], values[apart], slopes[apart], slopes[apart], scale)

    def _most_knots(self) -> int:
        return whole_number("n_knots", self.n_knots, most=MOST_KNOTS)

    def _positives(self, places: ScoreTable) -> FloatArray:
        if not flag("smoothed_targets", self.smoothed_targets):
            held = places.positives > 0.0, places.has_negatives
            separated = len(places) > 1 and parted(*held)
            return positives_without_separation(places, "spline", separated=separated)
        negative = places.total - places.total_positive
        high, low = smoothed_targets(places.total_positive, negative)
        return high * places.positives + low * places.negatives


def _fit(cells: Cells, most: int) -> tuple[FloatArray, FloatArray]:
    """Return knots and values; of fewer than three knots those of the most likely line."""
    places, positives, weights = cells.places, cells.positives[0], cells.totals[0]
    knots = _apart(places if len(places) <= most else _quantiles(cells, most))
    if len(knots) > 2:
        spline = fit_spline(places, positives, weights, knots)
        return knots, spline.values
    line = [np.ones(len(places)), places][: len(knots)]
    fitted = fit_penalised(Cases(np.stack(line), positives, weights)).coefficients
    slope = fitted[1] if len(knots) > 1 else 0.0
    return knots, fitted[0] + slope * knots


def _quantiles(cells: Cells, count: int) -> FloatArray:
    """Return places between which there is equal mass, from the first cell to the last.

    They are read from straight lines between the cells, so that nothing jumps with the weights.
    """
    ranks = cells.ranks
    reached = (ranks - ranks[0]) / (ranks[-1] - ranks[0])
    return np.interp(np.linspace(0.0, 1.0, count), reached, cells.places)


def _apart(knots: FloatArray) -> FloatArray:
    """Return the knots without those that are next to the one before, but with both ends."""
    kept = np.concatenate([[True], np.diff(knots) > CLOSEST])
    if not kept[-1] and kept.sum() > 1:
        kept[np.flatnonzero(kept)[-1]], kept[-1] = False, True
    kept[0] = True
    apart: FloatArray = knots[kept]
    return apart


def _increasing(
    cells: Cells, knots: FloatArray, values: FloatArray, slopes: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return knots, values and slopes of the closest increasing curve; the same if it is one."""
    curve = CubicPieces(knots, values, slopes, slopes)
    if curve.increasing:
        return knots, values, slopes
    places = np.union1d(knots, cells.places)
    weights = np.full(len(places), FEATHER * cells.totals[0].sum())
    weights[np.searchsorted(places, cells.places)] += cells.totals[0]
    free = curve(places)
    pooled = isotonic_regression(sigmoid(free), weights=weights)
    alone = np.repeat(np.diff(pooled.blocks) == 1, np.diff(pooled.blocks))
    levels = np.where(alone, free, np.clip(log_odds(pooled.x), free.min(), free.max()))
    levels = np.maximum.accumulate(levels)
    lines = secants(places, levels)
    # The harmonic mean of both sides' slopes, 0 next to what is level (Fritsch and Butland 1984).
    both = lines[1:] * lines[:-1]
    mean = np.divide(2.0 * both, lines[1:] + lines[:-1], out=np.zeros(len(both)), where=both > 0.0)
    return places, levels, np.concatenate([lines[:1], mean, lines[-1:]])
