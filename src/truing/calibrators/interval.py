"""Calibrators that answer an interval beside the probability."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from truing.calibrators.calibrator import Calibrator
from truing.maps import ProbabilityMap
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
    """A calibrator whose table has two more maps: the ends of an interval for every score."""

    @abstractmethod
    def _ends(self, table: ScoreTable) -> tuple[ProbabilityMap, ProbabilityMap]:
        """Return the maps of the lower and of the upper end."""

    def fit_table(self, table: ScoreTable, *, partial: bool = False) -> Any:
        """Fit to a table from anywhere; see `Calibrator.fit_table`."""
        super().fit_table(table, partial=partial)
        self.__dict__.pop("_fitted_ends", None)
        return self

    @cached_property
    def _fitted_ends(self) -> tuple[ProbabilityMap, ProbabilityMap]:
        check_is_fitted(self, "map_")
        lower, upper = self._ends(self.table_)
        move = self._move_to_prior
        return move(lower, self.table_), move(upper, self.table_)

    @property
    def lower_(self) -> ProbabilityMap:
        """The map of the interval's lower end."""
        return self._fitted_ends[0]

    @property
    def upper_(self) -> ProbabilityMap:
        """The map of the interval's upper end."""
        return self._fitted_ends[1]

    def predict_interval(self, scores: Any) -> Interval:
        """Return the interval at each score."""
        return Interval(self._answer(scores, self.lower_), self._answer(scores, self.upper_))
