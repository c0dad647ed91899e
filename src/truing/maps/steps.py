"""Steps: a probability per interval of scores."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from truing.errors import DataError
from truing.maps.checks import as_column, check_increasing, check_probabilities, check_tolerance
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import Scale, ScoreScale, scale_from_dict
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import move_odds
from truing.numerics.lookup import Guide, Levels, look_up


@dataclass(frozen=True, eq=False, repr=False)
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
        check_increasing(self.edges, "edges")
        check_probabilities(self.values, "values")

    @cached_property
    def _guide(self) -> Guide:
        return Guide(self.edges, side="left")

    @cached_property
    def _levels(self) -> Levels | None:
        return self._guide.levels(self.values)

    def _evaluate(self, values: FloatArray) -> FloatArray:
        levels = self._levels
        return self._search(values) if levels is None else levels.look_up(values, self._search)

    def _search(self, values: FloatArray) -> FloatArray:
        answer = np.empty(len(values))
        for part, (value,) in look_up(self._guide, (self.values,), values):
            answer[part] = value
        return answer

    @property
    def increasing(self) -> bool:
        """Whether a greater score is never given a smaller probability."""
        return bool((self.values[1:] >= self.values[:-1]).all())

    def _shift(self, log_odds: float) -> Self:
        """Return the steps with the log-odds of their values raised by a constant."""
        return replace(self, values=move_odds(self.values, log_odds))

    def tabulate(self, tolerance: float = 1e-6) -> "Steps":
        """Return the same steps over plain scores; they need no tolerance."""
        check_tolerance(tolerance)
        if isinstance(self.scale, ScoreScale):
            return self
        reached = self.edges >= self.scale.read(np.zeros(1))  # no score is read as less
        edges, values = _last_scores(self.scale, self.edges[reached]), self.values[:-1][reached]
        # Edges that no double tells apart bound a step that no score can reach.
        apart = np.diff(edges, prepend=-1.0) > 0.0
        return Steps(edges[apart], np.append(values[apart], self.values[-1]))

    @classmethod
    def _read(cls, given: dict[str, Any]) -> "Steps":
        return cls(given["edges"], given["values"], scale_from_dict(given["scale"]))


def on_common_edges(*steps: Steps) -> tuple[FloatArray, list[FloatArray]]:
    """Return the edges of all steps together, and the values of each between them.

    >>> edges, values = on_common_edges(Steps([0.5], [0.1, 0.8]), Steps([0.2], [0.3, 0.4]))
    >>> edges, values
    (array([0.2, 0.5]), [array([0.1, 0.1, 0.8]), array([0.3, 0.4, 0.4])])
    """
    edges = np.unique(np.concatenate([each.edges for each in steps]))
    # A step is known by the edge at which it ends; the last one is behind all edges.
    ends = [np.append(np.searchsorted(each.edges, edges), len(each.edges)) for each in steps]
    return edges, [each.values[end] for each, end in zip(steps, ends, strict=True)]


def _last_scores(scale: Scale, edges: FloatArray) -> FloatArray:
    """Return the greatest probability in [0, 1] that the scale reads as no more than each edge."""
    low, high = np.zeros(len(edges), np.int64), np.full(len(edges), np.float64(1.0).view(np.int64))
    while (high - low > 1).any():  # bits of doubles in [0, 1] are in the order of the doubles
        middle = (low + high) // 2
        below = scale.read(middle.view(np.float64)) <= edges
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    at_end = scale.read(np.ones(len(edges))) <= edges
    return np.where(at_end, 1.0, low.view(np.float64))
