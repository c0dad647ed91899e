"""What every fitted function is: scores in, probabilities out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from truing.errors import DataError
from truing.maps.checks import as_number, check_fields
from truing.maps.scale import Scale
from truing.numerics.arrays import FloatArray

FORMAT, VERSION = "truing.map", 1
MOST_SHOWN = 6  # numbers of a column, where a map is shown


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
        answer = self.at(flat)
        if absent is not None:
            answer[absent] = np.nan
        return answer.reshape(values.shape)

    def at(self, scores: FloatArray) -> FloatArray:
        """Return the probability at each of a column of scores that were checked already."""
        return self._evaluate(self.scale.read(scores))

    @abstractmethod
    def _evaluate(self, values: FloatArray) -> FloatArray:
        """Return the probabilities at values on the map's scale, none of them NaN."""

    @property
    @abstractmethod
    def increasing(self) -> bool:
        """Whether a greater score is never given a smaller probability."""

    def shift(self, log_odds: float) -> Self:
        """Return the map whose probabilities have their log-odds raised by a constant.

        This is what a change of prevalence does: from prevalence a to b by log-odds(b) minus
        log-odds(a). Probabilities of exactly 0 and 1 stay.
        """
        return self._shift(as_number(log_odds, "log_odds to shift by"))

    @abstractmethod
    def _shift(self, log_odds: float) -> Self:
        """Return the map with its log-odds raised by a finite number."""

    @abstractmethod
    def tabulate(self, tolerance: float = 1e-6) -> "ProbabilityMap":
        """Return steps or lines over plain scores that differ by no more than the tolerance."""

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain data, exact to the last bit."""
        told = {name: _told(getattr(self, name)) for name in _names(type(self))}
        return {"format": FORMAT, "version": VERSION, "kind": self.kind, **told}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "ProbabilityMap":
        """Return the map that plain data describe; what is not understood is refused by name."""
        if not isinstance(data, Mapping):
            raise DataError(f"A map is {type(data).__name__}; a dictionary is needed.")
        if data.get("format") != FORMAT or data.get("version") != VERSION:
            found = f"{data.get('format')!r} version {data.get('version')!r}"
            raise DataError(f"This is {found}; {FORMAT!r} version {VERSION} is needed.")
        kinds = {kind.kind: kind for kind in ProbabilityMap.__subclasses__()}
        name = data.get("kind")
        if not isinstance(name, str) or name not in kinds:
            raise DataError(f"kind of map is {name!r}; known are {sorted(kinds)}.")
        names = _names(kinds[name])
        check_fields(data, {"format", "version", "kind", *names}, f"A map of kind {name!r}")
        return kinds[name]._read({field: data[field] for field in names})  # noqa: SLF001 - of the family

    @classmethod
    @abstractmethod
    def _read(cls, given: dict[str, Any]) -> "ProbabilityMap":
        """Return the map with the given fields, once they are checked."""

    def __repr__(self) -> str:
        told = (f"{name}={_shown(getattr(self, name))}" for name in _names(type(self)))
        return f"{type(self).__name__}({', '.join(told)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProbabilityMap):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.kind)

    def __getstate__(self) -> dict[str, Any]:
        # What evaluation keeps for its speed is made again when it is needed.
        return {name: getattr(self, name) for name in _names(type(self))}


def _names(kind: type[ProbabilityMap]) -> list[str]:
    return [field.name for field in fields(kind)]  # type: ignore[arg-type]  # all of the family are dataclasses


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray) and len(value) > MOST_SHOWN:
        return f"<{len(value)} numbers from {value.min():.6g} to {value.max():.6g}>"
    return str(value.tolist()) if isinstance(value, np.ndarray) else repr(value)


def _told(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, tuple):
        return list(value)
    return value.tolist() if isinstance(value, np.ndarray) else value
