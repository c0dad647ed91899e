"""The log loss."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from truing.measures.cases import as_table
from truing.numerics.arrays import FloatArray


def log_loss(
    y_true: Any,
    y_prob: Any = None,
    *,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
) -> float:
    """Return the log loss, the weighted mean of −ln p of what happened.

    A proper score, and the one that is hardest on wrong certainty: it is infinite if something
    happened that was told to be impossible. Nothing is clipped; scikit-learn's ``log_loss`` moves
    exact 0 and 1 by 2e-16 and so answers some 36 for such a case.

    Examples
    --------
    >>> round(log_loss([0, 1], [0.2, 0.6]), 6)
    0.366985
    >>> log_loss([0, 1], [0.2, 0.0])
    inf
    """
    table = as_table(y_true, y_prob, sample_weight, pos_label)
    lost = _surprise(table.positives, table.scores) + _surprise(table.negatives, 1.0 - table.scores)
    return lost / table.total


def _surprise(weights: FloatArray, probabilities: FloatArray) -> float:
    happened = weights > 0.0
    with np.errstate(divide="ignore"):
        return float(-(weights[happened] @ np.log(probabilities[happened])))
