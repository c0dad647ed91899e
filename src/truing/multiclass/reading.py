"""How rows of scores are read: probabilities or logits, as logarithms or as probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import SMALLEST
from truing.numerics.softmax import log_softmax, softmax
from truing.options import choose
from truing.table import door

SCALES = {"auto": None, "probabilities": True, "logits": False}
FARTHEST = 1e6  # logits further apart are measured by the largest of them
NEAREST = 1e-6


@dataclass(frozen=True)
class Reading:
    """How scores are read.

    Attributes
    ----------
    probabilities
        Whether scores are probabilities, or logits.
    floor
        The least probability of which a logarithm is taken: half of the least above 0 that was
        seen.
    unit
        What logits are measured by.
    """

    probabilities: bool
    floor: float = SMALLEST
    unit: float = 1.0

    @classmethod
    def of(cls, scores: FloatArray, scale: Any) -> "Reading":
        """Return how to read scores of which these have been seen."""
        said = choose("scale", scale, SCALES)
        if said or (said is None and door.hold_probabilities(scores)):
            door.check_probability_columns(scores, "scores")
            above = scores[scores > 0.0]
            least = float(above.min()) if above.size else 1.0
            return cls(probabilities=True, floor=max(0.5 * least, SMALLEST))
        with np.errstate(over="ignore"):  # what is beyond doubles is measured by the last of them
            size = float(np.abs(_centre(scores * 2.0**-8)).max()) * 2.0**8
        plain = NEAREST < size < FARTHEST or size == 0.0
        return cls(probabilities=False, unit=1.0 if plain else min(size, 1e307))

    def check(self, scores: FloatArray) -> None:
        """Refuse what is no row of probabilities where those were seen."""
        if self.probabilities:
            door.check_probability_columns(scores, "scores")

    def logs(self, scores: FloatArray) -> FloatArray:
        """Return the scores as logits, whose mean is 0 in every row."""
        return _centre(self.raw_logs(scores))

    def raw_logs(self, scores: FloatArray) -> FloatArray:
        """Return the logarithms of the probabilities."""
        if self.probabilities:
            return np.log(np.maximum(scores, self.floor))
        return log_softmax(scores / self.unit)

    def chances(self, scores: FloatArray) -> FloatArray:
        """Return the scores as probabilities."""
        return scores.copy() if self.probabilities else softmax(scores / self.unit)


def _centre(logs: FloatArray) -> FloatArray:
    centred: FloatArray = logs - logs.mean(axis=1, keepdims=True)
    return centred
