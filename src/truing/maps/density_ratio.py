"""The ratio of two class densities, each a mixture, by Bayes' rule."""

from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from truing.errors import DataError
from truing.maps.checks import as_column, as_number, check_fields, check_tolerance
from truing.maps.lines import Lines
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import Scale, ScoreScale, scale_from_dict
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import sigmoid
from truing.numerics.student_mixture import StudentMixture
from truing.numerics.tabulation import draw_lines

CLASSES = ("negatives", "positives")
# In scales from a component's centre: close together, then ever further out.
_OUT = np.concatenate([np.linspace(0.0, 64.0, 1025)[1:], 64.0 * 2.0 ** np.arange(1, 512)])
AROUND = np.concatenate([-_OUT[::-1], [0.0], _OUT])


@dataclass(frozen=True, eq=False, repr=False)
class DensityRatio(ProbabilityMap):
    """Bayes' rule: prior odds times the ratio of the positives' and the negatives' density.

    Parameters
    ----------
    negatives, positives
        The density of each class, on the map's scale.
    log_prior_odds
        ln(P(positive) / P(negative)).
    scale
        How scores are read.
    """

    negatives: StudentMixture
    positives: StudentMixture
    log_prior_odds: float
    scale: Scale = field(default_factory=ScoreScale)

    kind: ClassVar[str] = "density-ratio"

    def _evaluate(self, values: FloatArray) -> FloatArray:
        return sigmoid(self._log_odds(values))

    def _log_odds(self, values: FloatArray) -> FloatArray:
        log_ratio = self.positives.log_density(values) - self.negatives.log_density(values)
        return log_ratio + self.log_prior_odds

    @property
    def increasing(self) -> bool:
        """Nothing is promised."""
        return False

    def _shift(self, log_odds: float) -> Self:
        """Return the map with other prior odds."""
        return replace(self, log_prior_odds=self.log_prior_odds + log_odds)

    def tabulate(self, tolerance: float = 1e-6) -> Lines:
        """Return lines over plain scores that differ by no more than the tolerance."""
        check_tolerance(tolerance)
        with np.errstate(over="ignore"):  # there are no scores where there are no doubles
            places = [
                centre + spread * AROUND
                for mixture in (self.negatives, self.positives)
                for centre, spread in zip(mixture.locations, mixture.scales, strict=True)
            ]
        every = np.concatenate(places)
        knots = self.scale.cover(every[np.isfinite(every)])
        return Lines(*draw_lines(self._log_odds_of, knots, tolerance, as_log_odds=True))

    def _log_odds_of(self, scores: FloatArray) -> FloatArray:
        return self._log_odds(self.scale.read(scores))

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain data, exact to the last bit."""
        mixtures = {
            name: {
                part.name: np.asarray(getattr(getattr(self, name), part.name)).tolist()
                for part in fields(StudentMixture)
            }
            for name in CLASSES
        }
        return {**super().to_dict(), **mixtures}

    @classmethod
    def _read(cls, given: dict[str, Any]) -> "DensityRatio":
        odds = as_number(given["log_prior_odds"], "log_prior_odds")
        negatives, positives = (_read_mixture(given[name], name) for name in CLASSES)
        return cls(negatives, positives, odds, scale_from_dict(given["scale"]))


def _read_mixture(data: Any, name: str) -> StudentMixture:
    names = [part.name for part in fields(StudentMixture)]
    check_fields(data, set(names), f"{name} of a density ratio")
    columns = {part: as_column(data[part], f"{part} of {name}") for part in names}
    energies = columns.pop("free_energies")
    count = len(columns["weights"])
    if not count or any(len(column) != count for column in columns.values()):
        raise DataError(f"{name} of a density ratio need columns of one length, not empty.")
    for part in ("weights", "scales", "degrees"):
        if (columns[part] <= 0.0).any():
            raise DataError(f"{part} of {name} of a density ratio must be above 0.")
    return StudentMixture(**columns, free_energies=tuple(energies.tolist()))
