"""Average: the weighted mean of what several maps answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from truing.errors import DataError
from truing.maps.checks import as_column, as_number, check_tolerance
from truing.maps.lines import Lines
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import Scale, ScoreScale
from truing.maps.steps import Steps, on_common_edges
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import move_odds
from truing.numerics.tabulation import draw_lines


@dataclass(frozen=True)
class _Probabilities(ScoreScale):
    """Scores as they are, where a map among those averaged takes probabilities alone."""

    bounded: ClassVar[bool] = True


@dataclass(frozen=True, eq=False, repr=False)
class Average(ProbabilityMap):
    """The weighted mean of the probabilities that several maps answer.

    Parameters
    ----------
    maps
        At least one, none of them an average itself.
    weights
        One for each, above 0; only their proportions count.
    log_odds_shift
        What is added to the log-odds of the mean.

    Examples
    --------
    >>> from truing.maps import Lines, Steps
    >>> mean = Average([Steps([0.5], [0.2, 0.6]), Lines([0.0, 1.0], [0.0, 1.0])], [1.0, 3.0])
    >>> mean([0.4, 0.8])
    array([0.35, 0.75])
    """

    maps: Sequence[ProbabilityMap]
    weights: FloatArray
    log_odds_shift: float = 0.0

    kind: ClassVar[str] = "average"

    def __post_init__(self) -> None:
        maps, weights = tuple(self.maps), as_column(self.weights, "weights")
        if not maps or len(maps) != len(weights):
            raise DataError(f"{len(maps)} maps need as many weights, not {len(weights)}.")
        for each in maps:
            if not isinstance(each, ProbabilityMap) or isinstance(each, Average):
                raise DataError(f"An average is of maps, not of {type(each).__name__}.")
        if weights.min() <= 0.0:
            raise DataError(f"weights of a map: {weights.min()} is not above 0.")
        object.__setattr__(self, "maps", maps)
        object.__setattr__(self, "weights", weights)

    @cached_property
    def scale(self) -> Scale:  # type: ignore[override]  # it follows from the maps
        """Scores as they are."""
        bounded = any(each.scale.bounded for each in self.maps)
        return _Probabilities() if bounded else ScoreScale()

    def _evaluate(self, values: FloatArray) -> FloatArray:
        shares, total = self.weights / self.weights.max(), np.zeros(len(values))
        for each, share in zip(self.maps, shares, strict=True):
            total += share * each(values)
        # The sum of the shares is rounded as the sum of certainties is, so that 1 stays 1.
        everything = 0.0
        for share in shares.tolist():
            everything += share
        return move_odds(np.minimum(total / everything, 1.0), self.log_odds_shift)

    @property
    def increasing(self) -> bool:
        """Whether a greater score is never given a smaller probability."""
        return all(each.increasing for each in self.maps)

    def _shift(self, log_odds: float) -> Self:
        """Return the average with the log-odds of what it answers raised by a constant."""
        return replace(self, log_odds_shift=self.log_odds_shift + log_odds)

    def tabulate(self, tolerance: float = 1e-6) -> ProbabilityMap:
        """Return steps if all maps are, else lines that differ by no more than the tolerance."""
        check_tolerance(tolerance)
        drawn = [each.tabulate(tolerance) for each in self.maps]
        steps = [each for each in drawn if isinstance(each, Steps)]
        edges, _ = on_common_edges(*steps, Steps(np.empty(0), np.full(1, 0.5)))
        if len(steps) == len(drawn):
            inner = Average(steps, self.weights, self.log_odds_shift)
            return Steps(edges, inner(np.append(edges, np.nextafter(edges[-1:], np.inf))))
        lines = [each.knots for each in drawn if isinstance(each, Lines)]
        with np.errstate(over="ignore"):
            both_sides = np.concatenate([edges, np.nextafter(edges, np.inf)])
        knots = np.unique(np.concatenate([*lines, both_sides[np.isfinite(both_sides)]]))
        if self.scale.bounded:
            knots = np.unique(np.clip(knots, 0.0, 1.0))
        return Lines(*draw_lines(self, knots, tolerance))

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain data, exact to the last bit."""
        return {**super().to_dict(), "maps": [each.to_dict() for each in self.maps]}

    @classmethod
    def _read(cls, given: dict[str, Any]) -> "Average":
        maps = given["maps"]
        if not isinstance(maps, list):
            raise DataError(f"maps of an average are {type(maps).__name__}; a list is needed.")
        for each in maps:  # before it is read: plain data may be nested without end
            if isinstance(each, Mapping) and each.get("kind") == cls.kind:
                raise DataError("An average is of maps, not of averages.")
        shift = as_number(given["log_odds_shift"], "log_odds_shift")
        return cls([ProbabilityMap.from_dict(each) for each in maps], given["weights"], shift)
