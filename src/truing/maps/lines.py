"""Lines: probabilities at knots, straight between them."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from truing.errors import DataError
from truing.maps.checks import (
    as_column,
    as_number,
    check_increasing,
    check_probabilities,
    check_tolerance,
)
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import Scale, ScoreScale, scale_from_dict
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import move_odds
from truing.numerics.lookup import Guide, Levels, look_up
from truing.numerics.tabulation import draw_lines


@dataclass(frozen=True, eq=False, repr=False)
class Lines(ProbabilityMap):
    """Straight lines between the points (knot, value); constant outside the first and the last.

    Isotonic regression with interpolation is such a map, and every curve that has been tabulated.

    Parameters
    ----------
    knots
        Strictly increasing, on the map's scale.
    values
        The probability at each knot.
    scale
        How scores are read.
    log_odds_shift
        What is added to the log-odds of the line, after it is read.

    Examples
    --------
    >>> lines = Lines([0.2, 0.6], [0.1, 0.9])
    >>> lines([0.0, 0.4, 0.6, 1.0])
    array([0.1, 0.5, 0.9, 0.9])
    """

    knots: FloatArray
    values: FloatArray
    scale: Scale = field(default_factory=ScoreScale)
    log_odds_shift: float = 0.0

    kind: ClassVar[str] = "lines"

    def __post_init__(self) -> None:
        object.__setattr__(self, "knots", as_column(self.knots, "knots"))
        object.__setattr__(self, "values", as_column(self.values, "values"))
        if not len(self.knots) or len(self.knots) != len(self.values):
            raise DataError(f"{len(self.knots)} knots need as many values, not {len(self.values)}.")
        check_increasing(self.knots, "knots")
        check_probabilities(self.values, "values")

    @cached_property
    def _pieces(self) -> tuple[Guide, tuple[FloatArray, FloatArray, FloatArray]]:
        """Where each piece starts, its value there and its slope; the outer two are constant."""
        knots, values = _without_overlong(self.knots, self.values)
        slopes = np.r_[0.0, _slopes(knots, values), 0.0]
        starts = np.r_[0.0, knots[:-1], 0.0]  # outside, so that no distance overflows
        columns = starts, np.r_[values[0], values], slopes
        return Guide(knots, side="right"), columns

    @cached_property
    def _levels(self) -> Levels | None:
        """Of isotonic regression of many cases nearly all is level: blocks between steep pieces."""
        guide, (_, values, slopes) = self._pieces
        return guide.levels(np.where(slopes == 0.0, values, np.nan))

    def _evaluate(self, values: FloatArray) -> FloatArray:
        levels = self._levels
        answer = self._search(values) if levels is None else levels.look_up(values, self._search)
        return move_odds(answer, self.log_odds_shift)

    def _search(self, values: FloatArray) -> FloatArray:
        answer = np.empty(len(values))
        for part, (start, value, slope) in look_up(*self._pieces, values):
            piece = values[part] - start
            piece *= slope
            np.add(piece, value, out=answer[part])
        return answer

    @property
    def increasing(self) -> bool:
        """Whether a greater score is never given a smaller probability."""
        return bool((self.values[1:] >= self.values[:-1]).all())

    def _shift(self, log_odds: float) -> Self:
        """Return the lines with the log-odds of what they answer raised by a constant."""
        return replace(self, log_odds_shift=self.log_odds_shift + log_odds)

    def tabulate(self, tolerance: float = 1e-6) -> "Lines":
        """Return lines over plain scores that differ by no more than the tolerance."""
        check_tolerance(tolerance)
        if isinstance(self.scale, ScoreScale) and self.log_odds_shift == 0.0:
            return self
        return Lines(*draw_lines(self, self.scale.cover(self.knots), tolerance))

    @classmethod
    def _read(cls, given: dict[str, Any]) -> "Lines":
        shift = as_number(given["log_odds_shift"], "log_odds_shift")
        return cls(given["knots"], given["values"], scale_from_dict(given["scale"]), shift)


def _without_overlong(knots: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the same lines, with a knot amid each piece whose length no double holds."""
    with np.errstate(over="ignore"):
        ends = np.flatnonzero(np.isinf(np.diff(knots))) + 1
    if not len(ends):
        return knots, values
    knot, value = (0.5 * column[ends - 1] + 0.5 * column[ends] for column in (knots, values))
    return np.insert(knots, ends, knot), np.insert(values, ends, value)


def _slopes(knots: FloatArray, values: FloatArray) -> FloatArray:
    """Return the slopes between knots, none so steep that rounding passes the next value.

    Rounding is monotone, so a piece that does not pass its end at its end does so nowhere: lines
    through increasing values are increasing in every bit, and none leaves [0, 1].
    """
    rise, run = np.diff(values), np.diff(knots)
    with np.errstate(over="ignore"):
        slopes = rise / run
    slopes = np.where(np.isfinite(slopes), slopes, 0.0)
    ends, sign = values[1:], np.sign(rise)
    for _ in range(64):
        too_far = (slopes * run + values[:-1] - ends) * sign > 0
        if not too_far.any():
            break
        slopes[too_far] = np.nextafter(slopes[too_far], 0.0)
    slopes[too_far] = 0.0
    return slopes
