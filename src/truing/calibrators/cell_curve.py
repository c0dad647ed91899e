"""What the curves share that are found on cells of log-odds."""

from abc import ABC
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from truing.calibrators.log_odds import LogOddsCalibrator
from truing.maps import Curve, LogOddsScale, Scale
from truing.numerics.arrays import FloatArray
from truing.numerics.cells import BEYOND, Cells, pool_cells
from truing.numerics.logistic import fit_logistic
from truing.numerics.separation import separates, smoothed_targets
from truing.options import flag
from truing.table import ScoreTable

LEAST_RISE = 0.1  # of the log-odds that margins are read as, over a standard deviation
FURTHEST = 745.0  # log-odds of the smallest double
OUTLYING = 1e9  # spreads of the middle half of margins; one beyond hides what all others say
NO_WEIGHT = 1e-9  # of a knot outside the data, in a regression


class Line(NamedTuple):
    """Which log-odds a place on the scale stands for: level + rise · (place / size − centre).

    Places below `low` and above `high` are read as these: there is nothing beyond.
    """

    size: float = 1.0
    centre: float = 0.0
    rise: float = 1.0
    level: float = 0.0
    low: float = -np.inf
    high: float = np.inf

    def read(self, places: FloatArray) -> FloatArray:
        """Return the log-odds, as far as doubles have any."""
        unit = np.clip(places, self.low, self.high) / self.size
        told = self.level + self.rise * (unit - self.centre)
        return np.clip(told, -FURTHEST, FURTHEST)

    def place(self, log_odds: FloatArray) -> FloatArray:
        """Return the places that are read as these log-odds; infinite where there is none."""
        with np.errstate(over="ignore"):
            return self.size * (self.centre + (log_odds - self.level) / self.rise)


class Reading(NamedTuple):
    """The cells of a table, and how their places, log-odds all, come from its scores."""

    scale: Scale
    line: Line
    cells: Cells

    def curve(self, log_odds: FloatArray, *, monotone: bool) -> Curve:
        """Return the map of a curve that is told at the knots of the cells."""
        if monotone:
            weights = np.full(len(log_odds), NO_WEIGHT)
            held = self.cells.at_places(weights)
            held[:] = np.maximum(self.cells.totals[0], NO_WEIGHT)
            log_odds = np.maximum.accumulate(isotonic_regression(log_odds, weights=weights).x)
        knots = self.line.place(self.cells.knots)
        apart = np.isfinite(knots)
        apart[: len(BEYOND)] &= np.isinf(self.line.low)
        apart[-len(BEYOND) :] &= np.isinf(self.line.high)
        apart[1:] &= knots[1:] > np.maximum.accumulate(knots)[:-1]
        return Curve.through(knots[apart], log_odds[apart], self.scale)


@dataclass(eq=False, repr=False)
class CellCurveCalibrator(LogOddsCalibrator, ABC):
    """A calibrator whose curve is found on at most 400 cells of log-odds.

    Of margins, Platt's sigmoid says which log-odds they are taken for to begin with.

    Parameters
    ----------
    monotone
        Whether a greater score is never given a smaller probability. It costs a little.
    """

    monotone: bool = False

    def _read(self, table: ScoreTable, n_folds: int = 0) -> Reading:
        flag("monotone", self.monotone)
        scale, places = self._places(table)
        line = Line() if isinstance(scale, LogOddsScale) else _line_of_margins(places)
        told = places.transform(line.read)
        return Reading(
            scale, line, pool_cells(told.scores, told.negatives, told.positives, n_folds)
        )


def _line_of_margins(table: ScoreTable) -> Line:
    """Return Platt's sigmoid of margins, rising at least a little."""
    low, high = _outlying(table)
    kept = np.clip(table.scores, low, high)
    size = max(float(np.abs(kept[[0, -1]]).max()), 1e-300)
    places = kept / size
    centre = float(np.average(places, weights=table.weights))
    spread = float(np.sqrt(np.average(np.square(places - centre), weights=table.weights)))
    positive, negative = table.total_positive, table.total - table.total_positive
    if spread <= 1e-12 * abs(centre) or spread == 0.0:
        level = float(np.log(positive) - np.log(negative))
        return Line(size, centre, 1.0, level, low, high)
    has = table.positive_weights > 0, table.has_negatives
    targets = (1.0, 0.0)
    if separates(places, *has, zeros=1):
        targets = smoothed_targets(positive, negative)
    unit = (places - centre) / spread
    slope, level = fit_logistic(unit, table.positive_weights, table.weights, targets)
    return Line(size, centre, max(slope, LEAST_RISE) / spread, level, low, high)


def _outlying(table: ScoreTable) -> tuple[float, float]:
    """Return below and above which margins are outlying; infinite where there are none."""
    below = np.cumsum(table.weights)
    # A little less than a quarter, so that the rounding of a sum moves neither.
    ends = np.searchsorted(below, below[-1] * np.array([0.2499999, 0.7499999]))
    lower, upper = table.scores[ends].tolist()
    reach = OUTLYING * (0.5 * upper - 0.5 * lower)
    if reach == 0.0:
        return -np.inf, np.inf
    low, high = lower - reach, upper + reach
    return (
        low if low > table.scores[0] else -np.inf,
        high if high < table.scores[-1] else np.inf,
    )
