"""What every measure takes: labels and probabilities, or a table of them.

Measures that are means add up with ``sum``, as the table adds up its total. Rounding is monotone,
so that terms which are nowhere greater have no greater sum, and no such measure passes 1.
"""

from collections.abc import Hashable
from typing import Any

from truing.errors import DataError
from truing.table import ArgumentNames, ScoreTable, door

NAMES = ArgumentNames(
    "y_prob",
    "y_true",
    "sample_weight",
    'Leave such cases out first, or measure a ScoreTable made with missing="drop"',
)


def as_table(
    y_true: Any, y_prob: Any = None, sample_weight: Any = None, pos_label: Hashable | None = None
) -> ScoreTable:
    """Return the table of predicted probabilities that a measure's arguments speak of."""
    if isinstance(y_true, ScoreTable):
        _refuse_beside(y_prob=y_prob, sample_weight=sample_weight, pos_label=pos_label)
        if not len(y_true):
            raise DataError("The ScoreTable is empty; at least one case is needed.")
        door.check_probabilities(y_true.scores, "scores of the ScoreTable")
        return y_true
    if y_prob is None or isinstance(y_prob, ScoreTable):
        what = "missing" if y_prob is None else "a ScoreTable"
        raise DataError(f"y_prob is {what}; give labels and probabilities, or a ScoreTable alone.")
    return ScoreTable.from_arrays(
        y_prob, y_true, sample_weight, pos_label=pos_label, probabilities=True, names=NAMES
    )


def _refuse_beside(**arguments: Any) -> None:
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise DataError(
            f"{' and '.join(given)} cannot be given beside a ScoreTable, which has its "
            "probabilities, weights and positive class in it."
        )


def holds_both(table: ScoreTable) -> bool:
    """Whether there are cases of both classes."""
    return bool(table.positives.any() and table.negatives.any())
