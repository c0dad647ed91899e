"""Calibrators that answer an interval beside the probability."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from truing.calibrators.calibrator import Calibrator
from truing.maps import ProbabilityMap, Steps
from truing.numerics.arrays import FloatArray
from truing.table import ScoreTable

__all__ = ["Interval", "IntervalCalibrator"]


class Interval(NamedTuple):
    """The lower and the upper end of an interval for every score.

    Attributes
    ----------
    low, high
        The ends, probabilities both.
    """

    low: FloatArray
    high: FloatArray


@dataclass(eq=False, repr=False)
class IntervalCalibrator(Calibrator):
    """A calibrator that fits two more maps: the ends of an interval for every score.

    Attributes
    ----------
    lower_, upper_
        The maps of the interval's ends, beside `map_`.
    """

    @abstractmethod
    def _solve_all(self, table: ScoreTable) -> tuple[Steps, Steps, Steps]:
        """Return the maps of the probability, of the lower and of the upper end."""

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the steps of the probability."""
        return self._solve_all(table)[0]

    def _keep(self, *maps: ProbabilityMap) -> None:
        super()._keep(*maps)
        _, self.lower_, self.upper_ = maps

    def predict_interval(self, scores: Any) -> Interval:
        """Return the interval at each score."""
        check_is_fitted(self, "map_")
        return Interval(self._answer(scores, self.lower_), self._answer(scores, self.upper_))
