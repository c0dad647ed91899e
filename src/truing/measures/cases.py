"""What every measure takes: labels and probabilities, or a table of them.

Measures that are means add up with ``sum``, as the table adds up its total. Rounding is monotone,
so that terms which are nowhere greater have no greater sum, and no such measure passes 1.
"""

from collections.abc import Hashable
from typing import Any

import numpy as np

from truing.errors import DataError, OptionError
from truing.table import ArgumentNames, ScoreTable, door

NAMES = ArgumentNames(
    "y_prob",
    "y_true",
    "sample_weight",
    'Leave such cases out first, or measure a ScoreTable made with missing="drop"',
)


def as_table(
    y_true: Any,
    y_prob: Any = None,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    labels: door.ClassLabels = None,
) -> ScoreTable:
    """Return the table of predicted probabilities that a measure's arguments speak of.

    Two columns are the probabilities of both classes, in the order of the sorted labels, or of
    ``labels``.
    """
    if isinstance(y_true, ScoreTable):
        beside = {"y_prob": y_prob, "sample_weight": sample_weight, "pos_label": pos_label}
        _refuse_beside(**beside, labels=labels)
        if not len(y_true):
            raise DataError("The ScoreTable is empty; at least one case is needed.")
        door.check_probabilities(y_true.scores, "scores of the ScoreTable")
        return y_true
    if y_prob is None or isinstance(y_prob, ScoreTable):
        what = "missing" if y_prob is None else "a ScoreTable"
        raise DataError(f"y_prob is {what}; give labels and probabilities, or a ScoreTable alone.")
    if door.count_columns(y_prob) == 2:
        return _of_two_columns(y_true, y_prob, sample_weight, pos_label, labels)
    return ScoreTable.from_arrays(
        y_prob,
        y_true,
        sample_weight,
        pos_label=pos_label,
        classes=labels,
        probabilities=True,
        names=NAMES,
    )


def _of_two_columns(
    y_true: Any,
    y_prob: Any,
    sample_weight: Any,
    pos_label: Hashable | None,
    labels: door.ClassLabels,
) -> ScoreTable:
    both = door.as_columns(y_prob, NAMES.scores)
    sums = both.sum(axis=1)
    off = np.abs(sums - 1.0) > door.ROUNDING  # also where the sum is NaN: that is told below
    reason = "is not one; of two classes give both probabilities, or those of the positive class"
    door.refuse(off, sums, f"{NAMES.scores} has two columns: the row sum", reason)
    raw = door.as_vector(y_true, NAMES.labels)
    pair = None if labels is None else door.as_classes(labels, "labels").tolist()
    column = 1
    if pos_label is not None:
        pair = np.unique(raw).tolist() if pair is None else pair
        column = int(pair[0] != pos_label) if len(pair) == 2 else 1
    return ScoreTable.from_arrays(
        np.ascontiguousarray(both[:, column]),
        raw,
        sample_weight,
        pos_label=pos_label,
        classes=labels,
        probabilities=True,
        names=NAMES,
    )


def _refuse_beside(**arguments: Any) -> None:
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise DataError(
            f"{' and '.join(given)} cannot be given beside a ScoreTable, which has its "
            "probabilities, weights and positive class in it."
        )


def refuse_pos_label(pos_label: Hashable | None) -> None:
    """Refuse to be told the positive class where there are more than two."""
    if pos_label is not None:
        raise OptionError(f"pos_label is {door.shown(pos_label)}; it is for two classes.")
