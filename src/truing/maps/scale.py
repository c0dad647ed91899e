"""The scale on which a map reads its scores: as they are, or as log-odds."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import SMALLEST, sigmoid


class Scale(ABC):
    """How a score is read before a map's formula is applied to it."""

    kind: ClassVar[str]
    bounded: ClassVar[bool]  # whether scores must lie in [0, 1]
    ends: ClassVar[tuple[float, ...]] = ()  # the outermost scores, where there are such

    @classmethod
    @abstractmethod
    def of(cls, scores: FloatArray) -> "Scale":
        """Return the scale for the given distinct scores, in increasing order."""

    @abstractmethod
    def read(self, scores: FloatArray) -> FloatArray:
        """Return the scores on this scale; never decreasing, always finite for finite scores."""

    @abstractmethod
    def place(self, values: FloatArray) -> FloatArray:
        """Return scores that are read as these values, as near as doubles come."""

    @abstractmethod
    def knots(self, centre: float, spread: float) -> FloatArray:
        """Return scores that cover every score there is, close together around the centre."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the scale as plain data."""


@dataclass(frozen=True)
class ScoreScale(Scale):
    """Scores as they are."""

    kind: ClassVar[str] = "score"
    bounded: ClassVar[bool] = False

    @classmethod
    def of(cls, scores: FloatArray) -> "ScoreScale":  # noqa: ARG003 - this scale needs no score
        """Return the scale."""
        return cls()

    def read(self, scores: FloatArray) -> FloatArray:
        """Return the scores."""
        return scores

    def place(self, values: FloatArray) -> FloatArray:
        """Return the values."""
        return values

    def knots(self, centre: float, spread: float) -> FloatArray:
        """Return scores around the centre, then ever further apart as far as doubles go."""
        inner = np.linspace(0.0, 64.0, 1025)[1:]
        with np.errstate(over="ignore"):
            out = spread * np.concatenate([inner, 64.0 * 2.0 ** np.arange(1, 2040)])
            every = np.concatenate([centre - out, [centre], centre + out])
        return np.unique(every[np.isfinite(every)])

    def to_dict(self) -> dict[str, Any]:
        """Return the scale as plain data."""
        return {"kind": self.kind}


@dataclass(frozen=True)
class LogOddsScale(Scale):
    """Probabilities as log-odds, ln(p / (1 - p)).

    Log-odds of exact 0 and 1 are infinite. Where the data held such scores, they and whatever comes
    closer to 0 or 1 are read as half the smallest distance to 0 or 1 that was seen; where the data
    held none, as the last double before.

    Parameters
    ----------
    low, high
        The smallest distance to 0, and to 1, that is told apart.
    """

    low: float = SMALLEST
    high: float = 2.0**-53

    kind: ClassVar[str] = "log-odds"
    bounded: ClassVar[bool] = True
    ends: ClassVar[tuple[float, ...]] = (0.0, 1.0)

    def __post_init__(self) -> None:
        if not (0.0 < self.low <= 0.5 and 0.0 < self.high <= 0.5):
            raise DataError(f"low and high of a log-odds scale must be in (0, 0.5]: {self}.")

    @classmethod
    def of(cls, scores: FloatArray) -> "LogOddsScale":
        """Return the scale for the given distinct scores, in increasing order."""
        low, high = cls.low, cls.high
        if scores[0] == 0.0:
            low = max(0.5 * scores[1] if len(scores) > 1 else 0.5, SMALLEST)
        if scores[-1] == 1.0:
            high = 0.5 * (1.0 - scores[-2]) if len(scores) > 1 else 0.5
        return cls(float(low), float(high))

    def read(self, scores: FloatArray) -> FloatArray:
        """Return the log-odds of the probabilities."""
        odds = np.maximum(scores, self.low)
        odds /= np.maximum(1.0 - scores, self.high)
        return np.log(odds, out=odds)

    def place(self, values: FloatArray) -> FloatArray:
        """Return the probabilities that have these log-odds."""
        return sigmoid(values)

    def knots(self, centre: float, spread: float) -> FloatArray:  # noqa: ARG002 - all of [0, 1] it is
        """Return probabilities that are evenly spaced in log-odds, with 0 and 1."""
        bounds = [self.low, 1.0 - self.high]
        every = np.concatenate([[0.0, 1.0], bounds, sigmoid(np.linspace(-745.0, 37.0, 3129))])
        return np.unique(every)

    def to_dict(self) -> dict[str, Any]:
        """Return the scale as plain data."""
        return {"kind": self.kind, **asdict(self)}


SCALES: dict[str, type[Scale]] = {scale.kind: scale for scale in (ScoreScale, LogOddsScale)}


def scale_from_dict(data: Any) -> Scale:
    """Return the scale that plain data describe."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind not in SCALES:
        raise DataError(f"scale is {data!r}; its kind must be one of {list(SCALES)}.")
    given = {name: value for name, value in data.items() if name != "kind"}
    try:
        return SCALES[kind](**given)
    except TypeError as error:
        raise DataError(f"scale is {data!r}: {error}.") from error
