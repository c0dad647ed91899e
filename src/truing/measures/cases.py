"""What every measure takes: labels and probabilities, or a table of them."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from truing.errors import DataError
from truing.table import ArgumentNames, ScoreTable, door

NAMES = ArgumentNames("y_prob", "y_true", "sample_weight")


def as_table(
    y_true: Any, y_prob: Any = None, sample_weight: Any = None, pos_label: Hashable | None = None
) -> ScoreTable:
    """Return the table of predicted probabilities that a measure's arguments speak of."""
    if not isinstance(y_true, ScoreTable):
        if y_prob is None:
            raise DataError("y_prob is missing; give labels and probabilities, or a ScoreTable.")
        return ScoreTable.from_arrays(
            y_prob, y_true, sample_weight, pos_label=pos_label, probabilities=True, names=NAMES
        )
    if any(given is not None for given in (y_prob, sample_weight, pos_label)):
        raise DataError(
            "A ScoreTable has its probabilities, weights and positive class in it; "
            "nothing may be given beside it."
        )
    if not len(y_true):
        raise DataError("The ScoreTable is empty; at least one case is needed.")
    if not y_true.holds_probabilities:
        outside = (y_true.scores < 0.0) | (y_true.scores > 1.0)
        reason = "of the table is outside [0, 1]; measures take probabilities"
        door.refuse(np.asarray(outside), y_true.scores, "scores", reason)
    return y_true
