"""What a fitted model says of cases, as one score each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from truing.errors import DataError, OptionError
from truing.numerics.arrays import FloatArray
from truing.table import door
from truing.table.door import AnyArray

RESPONSES = {
    "auto": ("predict_proba", "decision_function"),
    "predict_proba": ("predict_proba",),
    "decision_function": ("decision_function",),
}
ROUNDING = 1e-6  # how far single precision may lead a probability out of [0, 1]


@dataclass(frozen=True)
class ScoreReader:
    """Reads the score of the positive class off a fitted model.

    Attributes
    ----------
    responses
        The model's methods that will do, the preferred one first.
    classes
        The classes of the data, in order.
    position
        Which of them is the positive one.
    """

    responses: tuple[str, ...]
    classes: AnyArray
    position: int

    def __call__(self, model: Any, inputs: Any) -> FloatArray:
        """Return one score for each case."""
        response = self._choose(model)
        known = self._known_classes(model)
        answer = np.asarray(getattr(model, response)(inputs), dtype=np.float64)
        return self._read[response](self, answer, known)

    def gives_margins(self, model: Any) -> bool:
        """Whether the scores are margins, which may lie in [0, 1] and be no probabilities."""
        return self._choose(model) == "decision_function"

    def _choose(self, model: Any) -> str:
        response = next((name for name in self.responses if hasattr(model, name)), None)
        if response is None:
            raise OptionError(
                f"{type(model).__name__} has no {' and no '.join(self.responses)}; the model must "
                'give scores. response_method="auto" takes whichever of the two there is.'
            )
        return response

    def _known_classes(self, model: Any) -> list[Any]:
        ours = self.classes.tolist()
        known: list[Any] = np.asarray(getattr(model, "classes_", ours)).tolist()
        if any(label not in ours for label in known):
            raise DataError(f"y holds the classes {ours}; {type(model).__name__} knows {known}.")
        return known

    def _from_probabilities(self, answer: FloatArray, known: list[Any]) -> FloatArray:
        if answer.ndim != 2 or answer.shape[1] != len(known):
            raise DataError(
                f"predict_proba gave the shape {answer.shape}; a column for each of the model's "
                f"classes {known} is needed."
            )
        positive = self.classes.tolist()[self.position]
        if positive not in known:  # the model never saw one, and gives it no chance
            return np.zeros(len(answer))
        scores = _without_rounding(answer[:, known.index(positive)])
        door.check_probabilities(scores, "predict_proba", "a model's probabilities must lie in it")
        return scores

    def _from_decisions(self, answer: FloatArray, known: list[Any]) -> FloatArray:
        if answer.ndim == 2 and answer.shape[1] == 1:
            answer = answer[:, 0]
        if answer.ndim != 1:
            raise DataError(
                f"decision_function gave the shape {answer.shape}; one number for each case is "
                "needed."
            )
        positive = self.classes.tolist()[self.position]
        return answer if known[-1] == positive else -answer

    _read: ClassVar[dict[str, Callable[["ScoreReader", FloatArray, list[Any]], FloatArray]]] = {
        "predict_proba": _from_probabilities,
        "decision_function": _from_decisions,
    }


def _without_rounding(probabilities: FloatArray) -> FloatArray:
    """Return probabilities that rounding led out of [0, 1] to its ends; leave all others alone."""
    inside = np.clip(probabilities, 0.0, 1.0)
    return np.where(np.abs(probabilities - inside) <= ROUNDING, inside, probabilities)
