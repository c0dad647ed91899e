"""Temperature scaling."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from truing.calibrators.log_odds import LogOddsCalibrator, positives_without_separation
from truing.maps import ProbabilityMap, Sigmoid
from truing.numerics.penalised import Cases, fit_penalised
from truing.numerics.separation import separates
from truing.table import ScoreTable

LARGEST = float(np.finfo(np.float64).max)


@dataclass(eq=False, repr=False)
class TemperatureCalibrator(LogOddsCalibrator):
    """Temperature scaling: p = 1 / (1 + exp(-z / T)), by maximum likelihood.

    Here z is the log-odds of a probability, or a margin as it is. A temperature above 1 cools an
    over-confident model down, one below 1 warms an under-confident one up; one half stays one half,
    so that no prediction changes its class. Log-odds are read up to half as far from 0 and 1 as the
    closest score that was seen.

    Prefer it where a model is right on average at one half and cases are few; where it is not,
    `PlattCalibrator` moves one half, too, for one parameter more. Of scores that rank the classes
    the wrong way round it makes one half everywhere, an infinite temperature. Where scores above
    one half are all of one class and those below of the other, no temperature is most likely, and
    Platt's smoothed targets are used with a warning.

    Attributes
    ----------
    temperature_
        T.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks.

    Examples
    --------
    >>> scores = [0.1, 0.1, 0.1, 0.9, 0.9, 0.9]
    >>> temperature = TemperatureCalibrator().fit(scores, [0, 0, 1, 0, 1, 1])
    >>> temperature.transform([0.1, 0.5, 0.9]).round(3)
    array([0.333, 0.5  , 0.667])
    >>> round(temperature.temperature_, 3)
    3.17
    """

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the most likely sigmoid that tells one half where the score does."""
        scale, places = self._places(table)
        size = float(np.abs(places.scores[[0, -1]]).max())
        if size == 0.0:
            return Sigmoid(1.0, 0.0, scale)
        held = places.positives > 0.0, places.has_negatives
        separated = separates(places.scores, *held, zeros=1, fixed_zero=0.0)
        positives = positives_without_separation(places, "temperature", separated=separated)
        design = (places.scores / size)[None]
        [share] = fit_penalised(Cases(design, positives, places.weights)).coefficients
        with np.errstate(over="ignore"):
            slope = float(np.clip(share / size, 0.0, LARGEST))
        return Sigmoid(slope, 0.0, scale)

    @property
    def temperature_(self) -> float:
        """The fitted temperature T."""
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            return float(1.0 / np.float64(cast("Sigmoid", self.map_).slope))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # A margin of 0 stays one half, wherever the classes part.
        tags.classifier_tags.poor_score = True
        return tags
