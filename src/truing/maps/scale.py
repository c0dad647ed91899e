"""The scale on which a map reads its scores: as they are, or as log-odds."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import SMALLEST, sigmoid

FURTHEST = float(np.finfo(np.float64).max)
DOUBLINGS = 2100  # from the smallest double to the largest
EVERY_LOG_ODDS = np.linspace(-745.0, 37.0, 3129)  # further out doubles have none

CHUNK = 1 << 14  # scores whose temporaries stay in the cache


class Scale(ABC):
    """How a score is read before a map's formula is applied to it."""

    kind: ClassVar[str]
    bounded: ClassVar[bool]  # whether scores must lie in [0, 1]

    @classmethod
    @abstractmethod
    def of(cls, scores: FloatArray) -> "Scale":
        """Return the scale for the given distinct scores, in increasing order."""

    @classmethod
    def within(cls, scores: FloatArray) -> "Scale":
        """Return the scale that reads nothing as further out than the given scores allow."""
        return cls.of(scores)

    @abstractmethod
    def read(self, scores: FloatArray) -> FloatArray:
        """Return the scores on this scale; never decreasing, always finite for finite scores."""

    @abstractmethod
    def place(self, values: FloatArray) -> FloatArray:
        """Return scores that are read as these values, as near as doubles come."""

    @abstractmethod
    def cover(self, values: FloatArray) -> FloatArray:
        """Return, in order, scores that are read as these values, and more up to the last ones."""

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

    def cover(self, values: FloatArray) -> FloatArray:
        """Return the values, then scores ever further out as far as doubles go."""
        with np.errstate(all="ignore"):  # what is no double is left out below
            reach = max(float(np.ptp(values)), SMALLEST) * 2.0 ** np.arange(DOUBLINGS)
            every = [values.min() - reach, values, values.max() + reach, [-FURTHEST, 0.0, FURTHEST]]
        places = np.concatenate(every)
        return np.unique(places[np.isfinite(places)])

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

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            distance = getattr(self, name)
            if not (isinstance(distance, float) and 0.0 < distance <= 0.5):
                raise DataError(f"{name} of a log-odds scale is {distance!r}; (0, 0.5] is allowed.")

    @classmethod
    def of(cls, scores: FloatArray) -> "LogOddsScale":
        """Return the scale for the given distinct scores, in increasing order."""
        low, high = cls.low, cls.high
        # At most a quarter, so that 0 and 1 are told apart where nothing lies between them.
        if scores[0] == 0.0:
            low = min(max(0.5 * float(scores[1]), SMALLEST), 0.25) if len(scores) > 1 else 0.25
        if scores[-1] == 1.0:
            high = min(0.5 * (1.0 - float(scores[-2])), 0.25) if len(scores) > 1 else 0.25
        return cls(low, high)

    @classmethod
    def within(cls, scores: FloatArray) -> "LogOddsScale":
        """Return the scale that reads no score as closer to 0 or 1 than half of the closest given.

        For curves that go on outside the data, whether exact 0 and 1 were among them or not.
        """
        first, end = np.searchsorted(scores, 0.0, side="right"), np.searchsorted(scores, 1.0)
        if first == end:
            return cls(0.25, 0.25)
        low = max(0.5 * float(scores[first]), SMALLEST)
        return cls(min(low, 0.25), min(0.5 * (1.0 - float(scores[end - 1])), 0.25))

    def read(self, scores: FloatArray) -> FloatArray:
        """Return the log-odds of the probabilities."""
        answer = np.empty(len(scores))
        for start in range(0, len(scores), CHUNK):
            odds = answer[start : start + CHUNK]
            np.clip(scores[start : start + CHUNK], self.low, 1.0 - self.high, out=odds)
            rest = 1.0 - odds
            odds /= np.maximum(rest, self.high, out=rest)  # 1 - high may have been rounded to 1
            np.log(odds, out=odds)
        return answer

    def place(self, values: FloatArray) -> FloatArray:
        """Return the probabilities that have these log-odds."""
        return sigmoid(values)

    def cover(self, values: FloatArray) -> FloatArray:
        """Return the probabilities, others that are evenly spaced in log-odds, and 0 and 1."""
        plain = [0.0, 1.0, self.low, 1.0 - self.high]
        return np.unique(np.concatenate([self.place(values), sigmoid(EVERY_LOG_ODDS), plain]))

    def to_dict(self) -> dict[str, Any]:
        """Return the scale as plain data."""
        return {"kind": self.kind, **asdict(self)}


SCALES: dict[str, type[Scale]] = {scale.kind: scale for scale in (ScoreScale, LogOddsScale)}


def scale_from_dict(data: Any) -> Scale:
    """Return the scale that plain data describe."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in SCALES:
        raise DataError(f"scale is {data!r}; its kind must be one of {list(SCALES)}.")
    given = {name: value for name, value in data.items() if name != "kind"}
    names = {field.name for field in fields(SCALES[kind])}  # type: ignore[arg-type]  # all are dataclasses
    if set(given) != names:
        raise DataError(f"scale is {data!r}; {kind!r} needs {sorted(names)} beside its kind.")
    return SCALES[kind](**given)
