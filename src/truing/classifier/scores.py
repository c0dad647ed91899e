"""What a fitted model says of cases, as one score each."""

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
class Reader:
    """Reads scores off a fitted model.

    Attributes
    ----------
    responses
        The model's methods that will do, the preferred one first.
    classes
        The classes of the data, in order.
    """

    responses: tuple[str, ...]
    classes: AnyArray

    def gives_margins(self, model: Any) -> bool:
        """Whether the scores are margins, which may lie in [0, 1] and be no probabilities."""
        return self._choose(model) == "decision_function"

    def _ask(self, model: Any, inputs: Any) -> tuple[str, FloatArray, list[Any]]:
        """Return the method that answered, its answer, and the classes that the model knows."""
        response = self._choose(model)
        known = self._known_classes(model)
        answer = np.asarray(getattr(model, response)(inputs), dtype=np.float64)
        shaped = answer.ndim == 2 and answer.shape[1] == len(known)
        if response == "predict_proba" and not shaped:
            raise DataError(
                f"predict_proba gave the shape {answer.shape}; a column for each of the model's "
                f"classes {known} is needed."
            )
        return response, answer, known

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


@dataclass(frozen=True)
class ScoreReader(Reader):
    """Reads the score of the positive of two classes.

    Attributes
    ----------
    position
        Which of the classes is the positive one.
    """

    position: int
    columns: ClassVar[int | None] = None

    def __call__(self, model: Any, inputs: Any) -> FloatArray:
        """Return one score for each case."""
        response, answer, known = self._ask(model, inputs)
        if response == "predict_proba":
            return self._from_probabilities(answer, known)
        return self._from_decisions(answer, known)

    def _from_probabilities(self, answer: FloatArray, known: list[Any]) -> FloatArray:
        positive = self.classes.tolist()[self.position]
        if positive not in known:  # the model never saw one, and gives it no chance
            return np.zeros(len(answer))
        return _as_probabilities(answer[:, known.index(positive)])

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


@dataclass(frozen=True)
class ColumnsReader(Reader):
    """Reads a score of every class.

    Of a class that the model never saw the probability is 0, and the margin the least of the row.
    """

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return len(self.classes)

    def __call__(self, model: Any, inputs: Any) -> FloatArray:
        """Return a row of scores for each case."""
        response, answer, known = self._ask(model, inputs)
        ours = self.classes.tolist()
        places = [ours.index(label) for label in known]
        if response == "predict_proba":
            scores = np.zeros((len(answer), len(ours)))
            scores[:, places] = _as_probabilities(answer.ravel()).reshape(answer.shape)
            return _with_sum_one(scores)
        margins = self._one_for_each(answer, known)
        least = margins.min(axis=1, keepdims=True) if margins.size else np.zeros((len(margins), 1))
        scores = np.repeat(least, len(ours), axis=1)
        scores[:, places] = margins
        return scores

    def _one_for_each(self, answer: FloatArray, known: list[Any]) -> FloatArray:
        if answer.ndim == 2 and answer.shape[1] == 1:
            answer = answer[:, 0]
        if answer.ndim == 1 and len(known) == 2:
            return np.column_stack([-0.5 * answer, 0.5 * answer])  # their difference is the margin
        if answer.ndim != 2 or answer.shape[1] != len(known):
            raise DataError(
                f"decision_function gave the shape {answer.shape}; a column for each of the "
                f"model's classes {known} is needed."
            )
        return answer


def _as_probabilities(answer: FloatArray) -> FloatArray:
    scores = _without_rounding(answer)
    door.check_probabilities(scores, "predict_proba", "a model's probabilities must lie in it")
    return scores


def _with_sum_one(scores: FloatArray) -> FloatArray:
    """Return rows that add up to one; of rows that are all zero every class has the same share."""
    sums = scores.sum(axis=1)
    off = np.abs(sums - 1.0) > ROUNDING
    if off.any():
        none = sums == 0.0
        scores[none], sums[none] = 1.0, scores.shape[1]
        scores[off] /= sums[off, None]
    return scores


def _without_rounding(probabilities: FloatArray) -> FloatArray:
    """Return probabilities that rounding led out of [0, 1] to its ends; leave all others alone."""
    inside = np.clip(probabilities, 0.0, 1.0)
    return np.where(np.abs(probabilities - inside) <= ROUNDING, inside, probabilities)
