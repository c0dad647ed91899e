"""A parabola in log-odds."""

from dataclasses import dataclass, replace

import numpy as np

from truing.calibrators.log_odds import LogOddsCalibrator, positives_without_separation
from truing.maps import Curve, LogOddsScale, ProbabilityMap, Scale
from truing.numerics.penalised import Cases, fit_penalised, standardised
from truing.numerics.separation import separates
from truing.table import ScoreTable

LEAST = 4.25e-18  # a probability with log-odds -40
LARGEST = float(np.finfo(np.float64).max)


@dataclass(eq=False, repr=False)
class QuadraticCalibrator(LogOddsCalibrator):
    """A parabola in log-odds: p = 1 / (1 + exp(-(c + b z + a z²))), by maximum likelihood.

    Here z is the log-odds of a probability, or a margin as it is. The parabola holds between the
    least and the greatest z that were seen; outside it goes on straight. Probabilities are read up
    to half as far from 0 and 1 as the closest that was seen, and log-odds below -40 as -40, since
    one score far out would bend the whole curve.

    Prefer it to `PlattCalibrator` where a model errs differently at its two ends, with a few
    hundred cases and more. It need not be monotone. Where the parabola, or a line, could tell the
    classes apart without a fault none is most likely, and Platt's smoothed targets are used with a
    warning. Of two distinct scores it makes a line.

    Examples
    --------
    >>> margins = [-2.0, -2.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    >>> quadratic = QuadraticCalibrator().fit(margins, [0, 1, 0, 0, 0, 1, 0, 1, 1, 1])
    >>> quadratic.transform([-2.0, -1.0, 0.0, 1.0, 2.0]).round(3)
    array([0.441, 0.201, 0.247, 0.636, 0.974])
    """

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the most likely parabola."""
        scale, places = self._places(table)
        degree = min(2, len(places) - 1)
        held = places.positives > 0.0, places.has_negatives
        separated = separates(places.scores, *held, zeros=degree)
        positives = positives_without_separation(places, "parabola", separated=separated)
        unit, _, spread = standardised(places.scores, places.weights)
        design = np.stack([unit**power for power in range(degree + 1)])
        fitted = fit_penalised(Cases(design, positives, places.weights)).coefficients
        c, b, a = np.append(fitted, np.zeros(2 - degree))
        both = slice(None, None, max(len(places) - 1, 1))
        knots, ends = places.scores[both], unit[both]
        with np.errstate(over="ignore"):
            slopes = np.clip((b + 2.0 * a * ends) / spread, -LARGEST, LARGEST)
        return Curve(knots, c + ends * (b + a * ends), slopes, slopes, scale)

    def _places(self, table: ScoreTable) -> tuple[Scale, ScoreTable]:
        scale = self._kind_of_scale(table).within(table.scores)
        if isinstance(scale, LogOddsScale):
            scale = replace(scale, low=max(scale.low, LEAST))
        return scale, table.move(scale.read(table.scores))
