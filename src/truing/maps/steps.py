"""Steps: a probability per interval of scores."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from truing.errors import DataError
from truing.maps.probability_map import (
    ProbabilityMap,
    as_column,
    check_increasing_column,
    check_probability_column,
    check_tolerance,
    move_odds,
)
from truing.maps.scale import Scale, ScoreScale, scale_from_dict
from truing.numerics.arrays import FloatArray
from truing.numerics.lookup import Guide, look_up


@dataclass(frozen=True, eq=False)
class Steps(ProbabilityMap):
    """The probability ``values[k]`` for scores above ``edges[k-1]`` up to and with ``edges[k]``.

    Histogram binning, isotonic regression without interpolation and the boxcar kernel are steps.

    Parameters
    ----------
    edges
        Where one step ends and the next begins, strictly increasing; on the map's scale.
    values
        The probabilities, one more than edges.
    scale
        How scores are read.

    Examples
    --------
    >>> steps = Steps([0.5], [0.1, 0.8])
    >>> steps([0.0, 0.5, 0.6])
    array([0.1, 0.1, 0.8])
    """

    edges: FloatArray
    values: FloatArray
    scale: Scale = field(default_factory=ScoreScale)

    kind: ClassVar[str] = "steps"

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", as_column(self.edges, "edges"))
        object.__setattr__(self, "values", as_column(self.values, "values"))
        if len(self.values) != len(self.edges) + 1:
            raise DataError(f"{len(self.edges)} edges need one value more, not {len(self.values)}.")
        check_increasing_column(self.edges, "edges")
        check_probability_column(self.values, "values")

    @cached_property
    def _guide(self) -> Guide:
        return Guide(self.edges, side="left")

    def _evaluate(self, values: FloatArray) -> FloatArray:
        answer = np.empty(len(values))
        for part, (value,) in look_up(self._guide, (self.values,), values):
            answer[part] = value
        return answer

    @property
    def increasing(self) -> bool:
        """Whether a greater score is never given a smaller probability."""
        return bool((self.values[1:] >= self.values[:-1]).all())

    def shift(self, log_odds: float) -> "Steps":
        """Return the steps with the log-odds of their values raised by a constant."""
        return replace(self, values=move_odds(self.values, log_odds))

    def tabulate(self, tolerance: float = 1e-6) -> "Steps":
        """Return the same steps over plain scores; they need no tolerance."""
        check_tolerance(tolerance)
        if isinstance(self.scale, ScoreScale):
            return self
        edges = _last_scores(self.scale, self.edges)
        kept = np.r_[True, edges[1:] > edges[:-1]] if len(edges) else np.empty(0, bool)
        # Edges that no double tells apart bound a step that no score can reach.
        last = np.r_[kept[1:], True] if len(edges) else kept
        return Steps(edges[last], np.r_[self.values[:-1][kept], self.values[-1]])

    @classmethod
    def _read(cls, given: dict[str, Any]) -> "Steps":
        return cls(given["edges"], given["values"], scale_from_dict(given["scale"]))


def _last_scores(scale: Scale, edges: FloatArray) -> FloatArray:
    """Return the greatest probability in [0, 1] that the scale reads as no more than each edge."""
    low, high = np.zeros(len(edges), np.int64), np.full(len(edges), np.float64(1.0).view(np.int64))
    while (high - low > 1).any():  # bits of doubles in [0, 1] are in the order of the doubles
        middle = (low + high) // 2
        below = scale.read(middle.view(np.float64)) <= edges
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    at_end = scale.read(np.ones(len(edges))) <= edges
    return np.where(at_end, 1.0, low.view(np.float64))
