"""Curves: log-odds as cubic pieces between knots, straight outside them."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from truing.errors import DataError
from truing.maps.checks import as_column, check_increasing, check_tolerance
from truing.maps.lines import Lines
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import Scale, ScoreScale, scale_from_dict
from truing.numerics.arrays import FloatArray
from truing.numerics.cubic_pieces import CubicPieces, natural_slopes, secants
from truing.numerics.log_odds import sigmoid
from truing.numerics.tabulation import draw_lines

COLUMNS = ("knots", "log_odds", "slopes_before", "slopes_after")


@dataclass(frozen=True, eq=False, repr=False)
class Curve(ProbabilityMap):
    """The probability 1 / (1 + exp(-f(z))), f cubic between knots and z the score on the scale.

    Between two knots f is the cubic that has the log-odds and the slopes given there; before the
    first knot and behind the last it is straight. So f is continuous whatever is given, a kink is
    where the slopes before and after a knot differ, and no unit of the scores is too large or too
    small. Where f nowhere decreases, answers increase in every bit.

    Splines, straight pieces in log-odds, and parabolas are curves. `through` and `natural` make
    those that take nothing but points.

    Parameters
    ----------
    knots
        Strictly increasing, at least one; on the map's scale.
    log_odds
        f at each knot; beyond ±1e100 they are read as that.
    slopes_before, slopes_after
        The slope of f on either side of each knot. The first ``slopes_before`` and the last
        ``slopes_after`` are those of the straight ends.
    scale
        How scores are read.

    Examples
    --------
    >>> curve = Curve.through([-1.0, 0.0, 2.0], [-2.0, 0.0, 1.0])
    >>> curve([-5.0, -1.0, 0.0, 1.0]).round(3)
    array([0.119, 0.119, 0.5  , 0.622])
    """

    knots: FloatArray
    log_odds: FloatArray
    slopes_before: FloatArray
    slopes_after: FloatArray
    scale: Scale = field(default_factory=ScoreScale)

    kind: ClassVar[str] = "curve"

    def __post_init__(self) -> None:
        for name in COLUMNS:
            object.__setattr__(self, name, as_column(getattr(self, name), name))
        lengths = {name: len(getattr(self, name)) for name in COLUMNS}
        if not len(self.knots) or len(set(lengths.values())) > 1:
            raise DataError(f"A curve needs columns of one length, not empty; these are {lengths}.")
        check_increasing(self.knots, "knots")

    @classmethod
    def through(
        cls, knots: npt.ArrayLike, log_odds: npt.ArrayLike, scale: Scale | None = None
    ) -> Self:
        """Return straight pieces in log-odds between points, constant outside them."""
        places, values = _points(knots, log_odds)
        slopes = secants(places, values)
        return cls(places, values, np.r_[0.0, slopes], np.r_[slopes, 0.0], scale or ScoreScale())

    @classmethod
    def natural(
        cls, knots: npt.ArrayLike, log_odds: npt.ArrayLike, scale: Scale | None = None
    ) -> Self:
        """Return the natural cubic spline through points in log-odds, straight outside them.

        Of all smooth curves through the points it bends least: it minimises ∫ f''².
        """
        places, values = _points(knots, log_odds)
        slopes = natural_slopes(places, values)
        return cls(places, values, slopes, slopes, scale or ScoreScale())

    @cached_property
    def _pieces(self) -> CubicPieces:
        return CubicPieces(self.knots, self.log_odds, self.slopes_before, self.slopes_after)

    def _evaluate(self, values: FloatArray) -> FloatArray:
        return sigmoid(self._pieces(values))

    @property
    def increasing(self) -> bool:
        """Whether a greater score is never given a smaller probability."""
        return self._pieces.increasing

    def _shift(self, log_odds: float) -> Self:
        """Return the curve raised by a constant."""
        return replace(self, log_odds=self.log_odds + log_odds)

    def tabulate(self, tolerance: float = 1e-6) -> Lines:
        """Return lines over plain scores that differ by no more than the tolerance."""
        check_tolerance(tolerance)
        knots = self.scale.cover(self._pieces.turns())
        return Lines(*draw_lines(self._log_odds_of, knots, tolerance, as_log_odds=True))

    def _log_odds_of(self, scores: FloatArray) -> FloatArray:
        return self._pieces(self.scale.read(scores))

    @classmethod
    def _read(cls, given: dict[str, Any]) -> "Curve":
        columns = {name: given[name] for name in COLUMNS}
        return cls(**columns, scale=scale_from_dict(given["scale"]))


def _points(knots: npt.ArrayLike, log_odds: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    places, values = as_column(knots, "knots"), as_column(log_odds, "log_odds")
    if len(places) != len(values):
        raise DataError(f"{len(places)} knots need as many log_odds, not {len(values)}.")
    check_increasing(places, "knots")
    return places, values
