"""What every fitted function is: scores in, probabilities out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from truing.errors import DataError, OptionError
from truing.maps.scale import Scale
from truing.numerics.arrays import FloatArray

VERSION = 1


class ProbabilityMap(ABC):
    """A fitted function from score to probability of the positive class.

    It evaluates itself, becomes plain data and back without loss, moves to another prevalence, and
    can be drawn as straight lines to any tolerance. Maps know nothing of the methods that made
    them, and export, plots and persistence know nothing but maps.
    """

    kind: ClassVar[str]
    scale: Scale

    def __call__(self, scores: npt.ArrayLike) -> FloatArray:
        """Return the probability at each score; a missing score (NaN) has a missing probability."""
        values = np.asarray(scores, dtype=np.float64)
        flat = values.reshape(-1)
        if not flat.size:
            return np.empty(values.shape)
        lowest, highest = flat.min(), flat.max()  # NaN if any score is
        absent = np.isnan(flat) if np.isnan(lowest) else None
        if absent is not None:
            flat = np.where(absent, 0.5, flat)
            lowest, highest = flat.min(), flat.max()
        if self.scale.bounded and not (lowest >= 0.0 and highest <= 1.0):
            worst = lowest if lowest < 0.0 else highest
            raise DataError(f"scores: {worst!r} is outside [0, 1]; this map takes probabilities.")
        answer = self._evaluate(self.scale.read(flat))
        if absent is not None:
            answer[absent] = np.nan
        return answer.reshape(values.shape)

    @abstractmethod
    def _evaluate(self, values: FloatArray) -> FloatArray:
        """Return the probabilities at values on the map's scale, none of them NaN."""

    @property
    @abstractmethod
    def increasing(self) -> bool:
        """Whether a greater score is never given a smaller probability."""

    @abstractmethod
    def shift(self, log_odds: float) -> "ProbabilityMap":
        """Return the map whose probabilities have their log-odds raised by a constant.

        This is what a change of prevalence does: from prevalence a to b by log-odds(b) minus
        log-odds(a). Probabilities of exactly 0 and 1 stay.
        """

    @abstractmethod
    def tabulate(self, tolerance: float = 1e-6) -> "ProbabilityMap":
        """Return steps or lines over plain scores that differ by no more than the tolerance."""

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain data, exact to the last bit."""
        told = {field.name: _told(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]
        return {"format": "truing.map", "version": VERSION, "kind": self.kind, **told}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "ProbabilityMap":
        """Return the map that plain data describe; what is not understood is refused by name."""
        if data.get("format") != "truing.map" or data.get("version") != VERSION:
            found = f"{data.get('format')!r} version {data.get('version')!r}"
            raise DataError(f"This is {found}; 'truing.map' version {VERSION} is needed.")
        kinds = {kind.kind: kind for kind in ProbabilityMap.__subclasses__()}
        if data.get("kind") not in kinds:
            raise DataError(f"kind of map is {data.get('kind')!r}; known are {sorted(kinds)}.")
        kind = kinds[data["kind"]]
        given = {
            name: value for name, value in data.items() if name not in {"format", "version", "kind"}
        }
        names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
        if set(given) != names:
            raise DataError(
                f"A map of kind {kind.kind!r} has {sorted(names)}, not {sorted(given)}."
            )
        return kind._read(given)  # noqa: SLF001 - of the family

    @classmethod
    @abstractmethod
    def _read(cls, given: dict[str, Any]) -> "ProbabilityMap":
        """Return the map with the given fields, once they are checked."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProbabilityMap):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.kind)

    def __getstate__(self) -> dict[str, Any]:
        # What evaluation keeps for its speed is made again when it is needed.
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


def check_tolerance(tolerance: float) -> None:
    """Refuse a tolerance that no table could meet."""
    if not 1e-12 <= tolerance < 1.0:
        raise OptionError(f"tolerance is {tolerance!r}; it must be from 1e-12 to 1.")


def as_column(values: Any, name: str) -> FloatArray:
    """Return a column of finite numbers that nobody can write to."""
    try:
        column = np.asarray(values, dtype=np.float64).view()
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} of a map must be numbers.") from error
    if column.ndim != 1 or not np.isfinite(column).all():
        raise DataError(f"{name} of a map must be a list of finite numbers.")
    column.setflags(write=False)
    return column


def as_number(value: Any, name: str) -> float:
    """Return one finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise DataError(f"{name} of a map is {value!r}; a finite number is needed.")
    return float(value)


def check_probability_column(values: FloatArray, name: str) -> None:
    """Refuse values of a map outside [0, 1]."""
    if not (values.min(initial=0.0) >= 0.0 and values.max(initial=1.0) <= 1.0):
        raise DataError(f"{name} of a map must lie in [0, 1].")


def check_increasing_column(values: FloatArray, name: str) -> None:
    """Refuse knots or edges that are not strictly increasing."""
    if (values[1:] <= values[:-1]).any():
        raise DataError(f"{name} of a map must be strictly increasing.")


def move_odds(probabilities: FloatArray, log_odds: float) -> FloatArray:
    """Return the probabilities with their log-odds raised by a constant; 0 and 1 stay."""
    if log_odds == 0.0:
        return probabilities
    # Of the two factors the one below 1 is used, so that nothing overflows.
    up, down = np.exp(min(log_odds, 0.0)), np.exp(min(-log_odds, 0.0))
    raised = probabilities * up
    return raised / (raised + (1.0 - probabilities) * down)


def _told(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, tuple):
        return list(value)
    return value.tolist() if isinstance(value, np.ndarray) else value
