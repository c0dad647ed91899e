"""The sigmoid: a straight line in log-odds."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from truing.errors import DataError
from truing.maps.checks import as_number, check_tolerance
from truing.maps.lines import Lines
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import Scale, ScoreScale, scale_from_dict
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import sigmoid
from truing.numerics.tabulation import draw_lines

HALF_TURN = np.linspace(-64.0, 64.0, 1025)  # log-odds, further out than any probability tells


@dataclass(frozen=True, eq=False, repr=False)
class Sigmoid(ProbabilityMap):
    """The probability 1 / (1 + exp(-(intercept + slope · z))), z the score on the map's scale.

    Examples
    --------
    >>> Sigmoid(slope=2.0, intercept=0.0)([-1.0, 0.0, 1.0]).round(3)
    array([0.119, 0.5  , 0.881])
    """

    slope: float
    intercept: float
    scale: Scale = field(default_factory=ScoreScale)

    kind: ClassVar[str] = "sigmoid"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.slope) and np.isfinite(self.intercept)):
            raise DataError(
                f"slope {self.slope!r} and intercept {self.intercept!r} must be finite."
            )

    def _evaluate(self, values: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return sigmoid(self.slope * values + self.intercept)

    @property
    def increasing(self) -> bool:
        """Whether a greater score is never given a smaller probability."""
        return self.slope >= 0.0

    def _shift(self, log_odds: float) -> Self:
        """Return the sigmoid with its intercept raised by a constant."""
        return replace(self, intercept=self.intercept + log_odds)

    def tabulate(self, tolerance: float = 1e-6) -> Lines:
        """Return lines over plain scores that differ by no more than the tolerance."""
        check_tolerance(tolerance)
        with np.errstate(all="ignore"):  # where it hardly rises, its centre is beyond all doubles
            turn = (HALF_TURN - self.intercept) / np.float64(self.slope)
        turn = np.append(turn[np.isfinite(turn)], 0.0)
        return Lines(*draw_lines(self, self.scale.cover(turn), tolerance))

    @classmethod
    def _read(cls, given: dict[str, Any]) -> "Sigmoid":
        slope, intercept = (as_number(given[name], name) for name in ("slope", "intercept"))
        return cls(slope, intercept, scale_from_dict(given["scale"]))
