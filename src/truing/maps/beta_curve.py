"""The beta curve: the logarithms of a probability and of its complement, weighed apart."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from truing.errors import DataError
from truing.maps.checks import as_number, check_tolerance
from truing.maps.lines import Lines
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import LogOddsScale, Scale, scale_from_dict
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import log_sigmoid, sigmoid
from truing.numerics.tabulation import draw_lines

TURN = np.linspace(-64.0, 64.0, 1025)  # log-odds, further out than any probability tells
NUMBERS = ("a", "b", "c")


@dataclass(frozen=True, eq=False, repr=False)
class BetaCurve(ProbabilityMap):
    """The probability whose log-odds are a ln(s) - b ln(1 - s) + c, for a score s in (0, 1).

    It is the ratio of two beta densities. With a = b it is the sigmoid in log-odds, with a = b = 1
    and c = 0 the identity. On the map's scale, s is the probability with log-odds z.

    Examples
    --------
    >>> BetaCurve(a=2.0, b=0.5, c=0.0)([0.2, 0.5, 0.8]).round(3)
    array([0.043, 0.261, 0.589])
    """

    a: float
    b: float
    c: float
    scale: Scale = field(default_factory=LogOddsScale)

    kind: ClassVar[str] = "beta-curve"

    def __post_init__(self) -> None:
        if not all(np.isfinite(getattr(self, name)) for name in NUMBERS):
            raise DataError(f"a {self.a!r}, b {self.b!r} and c {self.c!r} must be finite.")

    def _evaluate(self, values: FloatArray) -> FloatArray:
        return sigmoid(self._log_odds(values))

    def _log_odds(self, values: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            first = log_sigmoid(values)
            first *= self.a
            second = log_sigmoid(-values)
            second *= self.b
            first -= second
            first += self.c
        return first

    @property
    def increasing(self) -> bool:
        """Whether a greater score is never given a smaller probability."""
        return self.a >= 0.0 and self.b >= 0.0

    def _shift(self, log_odds: float) -> Self:
        """Return the curve raised by a constant."""
        return replace(self, c=self.c + log_odds)

    def tabulate(self, tolerance: float = 1e-6) -> Lines:
        """Return lines over plain scores that differ by no more than the tolerance."""
        check_tolerance(tolerance)
        a, b = np.float64(self.a), np.float64(self.b)
        with np.errstate(all="ignore"):  # what is no place is left out below
            ends = [(TURN - self.c) / slope for slope in (a, b)]
            top = np.log(-a) - np.log(b), np.log(a) - np.log(-b)  # where a / s + b / (1 - s) = 0
        places = np.concatenate([TURN, *ends, top])
        knots = self.scale.cover(np.unique(places[np.isfinite(places)]))
        return Lines(*draw_lines(self._log_odds_of, knots, tolerance, as_log_odds=True))

    def _log_odds_of(self, scores: FloatArray) -> FloatArray:
        return self._log_odds(self.scale.read(scores))

    @classmethod
    def _read(cls, given: dict[str, Any]) -> "BetaCurve":
        a, b, c = (as_number(given[name], name) for name in NUMBERS)
        return cls(a, b, c, scale_from_dict(given["scale"]))
