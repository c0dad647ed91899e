"""The table of many classes: every case, pooled by its row of scores and its class."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import BoolArray, FloatArray, IntArray
from truing.numerics.folds import fold_weights
from truing.numerics.pooling import sum_by_row
from truing.table import door
from truing.table.score_table import ScoreTable
from truing.table.sealed import Sealed


@dataclass(frozen=True, eq=False, repr=False)
class ClassTable(Sealed):
    """The distinct rows of scores with their classes, in order, and what weighs at each.

    Everything about calibrating scores of many classes is a function of this table: the order of
    rows carries nothing, and a row of weight 3 is three rows.

    Attributes
    ----------
    scores
        The rows of scores, a column for each class.
    codes
        The place of each row's class among the classes.
    weights
        The weight of the cases of each row.
    classes
        The labels, in the order of the columns.
    left_out
        How many rows were left out, by reason.

    Examples
    --------
    >>> table = ClassTable.from_arrays([[0.2, 0.8], [0.7, 0.3], [0.2, 0.8]], ["b", "a", "b"])
    >>> table
    ClassTable(3 cases, 2 classes ('a', 'b'), 2 distinct rows)
    >>> table.against_rest(1, table.scores[:, 1])
    ScoreTable(3 cases, 2 positive (True), 2 distinct scores from 0.3 to 0.8)
    """

    scores: FloatArray
    codes: IntArray
    weights: FloatArray
    classes: tuple[Hashable, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_arrays(
        cls,
        scores: Any,
        labels: Any,
        weights: Any = None,
        *,
        classes: door.ClassLabels = None,
        missing: str = "error",
        names: door.ArgumentNames = door.ArgumentNames(),  # noqa: B008 - frozen
    ) -> "ClassTable":
        """Pool arrays of scores, a column for each class, and labels.

        Parameters
        ----------
        scores, labels, weights
            Any containers. Columns are in the order of the classes.
        classes
            Every label in the order of the columns, if that is not the order of the labels seen.
        missing
            ``"error"``; ``"drop"`` or ``"propagate"`` leave rows that lack a score out and count
            them in `left_out`.
        names
            What errors call the arguments.
        """
        door.check_missing_option(missing)
        values = door.as_columns(scores, names.scores)
        raw = door.as_vector(labels, names.labels)
        door.check_lengths({names.scores: len(values), names.labels: len(raw)})
        given = door.as_weights(weights, names.weights, len(values), names.scores)
        absent = door.find_missing_rows(values, names.scores, missing, names.missing_advice)
        codes, known = door.encode_many(raw, names.labels, classes)
        _check_columns(values, known, names)
        counted = np.ones(len(values)) if given is None else given
        keep = counted > 0.0 if absent is None else (counted > 0.0) & ~absent
        if not keep.any():
            raise DataError("No row has all scores and a weight above 0; at least one is needed.")
        pooled = sum_by_row(values[keep] + 0.0, codes[keep], counted[keep])
        left_out = {} if absent is None else {"missing": int(np.count_nonzero(absent))}
        return cls(*pooled, tuple(known.tolist()), left_out)

    @cached_property
    def totals(self) -> FloatArray:
        """The weight of the cases of each class."""
        totals: FloatArray = np.zeros(len(self.classes))
        np.add.at(totals, self.codes, self.weights)
        return totals

    @cached_property
    def total(self) -> float:
        """The weight of all cases."""
        return float(self.totals.sum())

    @property
    def present(self) -> BoolArray:
        """Which classes have cases."""
        return self.totals > 0.0

    def against_rest(self, place: int, scores: FloatArray, rows: Any = slice(None)) -> ScoreTable:
        """Return the table of one score for each row, positive where a class happened."""
        happened = self.codes[rows] == place
        return self.of(scores, happened, rows)

    def of(self, scores: FloatArray, positive: BoolArray, rows: Any = slice(None)) -> ScoreTable:
        """Return the table of one score and one of two outcomes for each row."""
        both = (False, True)
        return ScoreTable.from_arrays(scores, positive, self.weights[rows], classes=both)

    def folds(self, n_folds: int = 5) -> "list[tuple[ClassTable, ClassTable]]":
        """Return pairs of tables (train, test) for cross-validation, drawn from the weights.

        Each class is dealt out on its own, in the order of rows in the table, as
        `truing.numerics.folds` says. So the folds depend neither on the order in which rows came
        nor on how cases were put into rows.

        >>> table = ClassTable.from_arrays(np.eye(4)[:, :2] + 0.1, ["a", "b", "a", "b"])
        >>> [(train.total, test.total) for train, test in table.folds(2)]
        [(2.0, 2.0), (2.0, 2.0)]
        """
        dealt = np.zeros((n_folds, len(self)))
        for place in np.flatnonzero(self.present):
            rows = np.flatnonzero(self.codes == place)
            dealt[:, rows] = fold_weights(self.weights[rows], n_folds, int(place))
        return [
            (self._part(np.delete(dealt, fold, axis=0).sum(axis=0)), self._part(dealt[fold]))
            for fold in range(n_folds)
        ]

    def with_scores(self, scores: FloatArray) -> "ClassTable":
        """Return the table of the same cases with other scores."""
        pooled = sum_by_row(scores + 0.0, self.codes, self.weights)
        return ClassTable(*pooled, self.classes, self.left_out)

    def _part(self, weights: FloatArray) -> "ClassTable":
        held = weights > 0.0
        return ClassTable(self.scores[held], self.codes[held], weights[held], self.classes)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        named = ", ".join(door.shown(label) for label in self.classes[:5])
        more = ", ..." if len(self.classes) > 5 else ""
        known = f"{len(self.classes)} classes ({named}{more})"
        return f"ClassTable({self.total:.10g} cases, {known}, {len(self)} distinct rows)"


def _check_columns(scores: FloatArray, classes: Any, names: door.ArgumentNames) -> None:
    if scores.shape[1] == len(classes):
        return
    raise DataError(
        f"{names.scores} has {scores.shape[1]} columns, {names.labels} holds {len(classes)} "
        f"{'class' if len(classes) == 1 else 'classes'} {door.shown(classes.tolist())}; a column "
        "for each class is needed. Where the data lack a class, say classes=[...]: every label in "
        "the order of the columns."
    )
