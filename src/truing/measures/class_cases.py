"""What measures of many classes take: labels and a column of probabilities for each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from truing.errors import DataError
from truing.measures.cases import NAMES
from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.pooling import sum_by_key, sum_by_row
from truing.table import ClassTable, ScoreTable, door
from truing.table.door import AnyArray


@dataclass(frozen=True, eq=False)
class ClassCases:
    """Rows of probabilities, the place of the class that happened, and weights.

    Attributes
    ----------
    chances
        The probabilities, a column for each class.
    codes
        The place of the class that happened among the classes.
    weights
        The weight of each case.
    classes
        The labels in the order of the columns.
    """

    chances: FloatArray
    codes: IntArray
    weights: FloatArray
    classes: AnyArray

    @property
    def told(self) -> FloatArray:
        """The probability of what happened, case by case."""
        return self.chances[np.arange(len(self.codes)), self.codes]

    @property
    def top(self) -> IntArray:
        """The place of the most probable class; between equals the one that comes first."""
        top: IntArray = self.chances.argmax(axis=1)
        return top

    def mean(self, terms: FloatArray) -> float:
        """Return the weighted mean of a term for each case, whatever the order of cases."""
        distinct, [weights] = sum_by_key(terms, self.weights)
        return float((distinct * weights).sum() / weights.sum())

    def shares(self) -> FloatArray:
        """Return the share of each class in what happened."""
        places, [weights] = sum_by_key(self.codes, self.weights)
        shares = np.zeros(len(self.classes))
        shares[places] = weights / weights.sum()
        return shares

    def total(self) -> float:
        """Return the weight of all cases."""
        _, [weights] = sum_by_key(np.zeros(len(self.codes)), self.weights)
        return float(weights[0])

    def as_class_table(self) -> ClassTable:
        """Return the cases pooled."""
        pooled = sum_by_row(self.chances, self.codes, self.weights)
        return ClassTable(*pooled, tuple(self.classes.tolist()))

    def table(self, place: int) -> ScoreTable:
        """Return the table of one class's probabilities against the rest."""
        return self._table(self.chances[:, place], self.codes == place)

    def top_table(self, place: int | None = None) -> ScoreTable:
        """Return the table of the top probabilities, positive where the top class happened.

        Of all cases, or of those in which a given class is at the top.
        """
        top = self.top
        rows = np.flatnonzero(top == place) if place is not None else slice(None)
        confidence = self.chances[np.arange(len(top)), top]
        return self._table(confidence[rows], (top == self.codes)[rows], self.weights[rows])

    def _table(self, scores: FloatArray, happened: Any, weights: Any = None) -> ScoreTable:
        weights = self.weights if weights is None else weights
        return ScoreTable.from_arrays(scores, happened, weights, classes=(False, True))


def has_columns(y_true: Any, y_prob: Any, least: int = 3) -> bool:
    """Whether a measure was given a column of probabilities for each of several classes."""
    if isinstance(y_true, ClassTable):
        return True
    return not isinstance(y_true, ScoreTable) and door.count_columns(y_prob) >= least


def as_class_cases(
    y_true: Any, y_prob: Any, sample_weight: Any = None, labels: door.ClassLabels = None
) -> ClassCases:
    """Return the cases that a measure of many classes is given, or say what is wrong with them."""
    if isinstance(y_true, ClassTable):
        return _of_table(y_true, y_prob=y_prob, sample_weight=sample_weight, labels=labels)
    chances = door.as_columns(y_prob, NAMES.scores)
    raw = door.as_vector(y_true, NAMES.labels)
    door.check_lengths({NAMES.labels: len(raw), NAMES.scores: len(chances)})
    weights = door.as_weights(sample_weight, NAMES.weights, len(chances), NAMES.scores)
    door.find_missing_rows(chances, NAMES.scores, "error", "Leave such cases out first")
    door.check_probability_columns(chances, NAMES.scores)
    codes, classes = door.encode_many(raw, NAMES.labels, labels, "labels")
    if len(classes) != chances.shape[1]:
        raise DataError(
            f"y_prob has shape {chances.shape}, y_true holds {len(classes)} classes "
            f"{door.shown(classes.tolist())}. Give a column for each class, and labels=[...], "
            "every label in the order of the columns, where the data lack one; two classes need "
            "one dimension, or two columns."
        )
    given = np.ones(len(codes)) if weights is None else weights
    counts = np.flatnonzero(given > 0.0)
    return ClassCases(chances[counts], codes[counts], given[counts], classes)


def _of_table(table: ClassTable, **beside: Any) -> ClassCases:
    given = [name for name, value in beside.items() if value is not None]
    if given:
        raise DataError(
            f"{' and '.join(given)} cannot be given beside a ClassTable, which has its "
            "probabilities, weights and classes in it."
        )
    door.check_probability_columns(table.scores, "scores of the ClassTable")
    return ClassCases(table.scores, table.codes, table.weights, door.as_classes(table.classes))
