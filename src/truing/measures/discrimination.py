"""How well probabilities tell the classes apart: AUC and accuracy."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from truing.errors import DataError
from truing.measures.cases import as_table


def roc_auc(
    y_true: Any,
    y_prob: Any = None,
    *,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
) -> float:
    """Return the area under the ROC curve.

    It is the chance that a random positive is told a greater probability than a random negative,
    ties counting one half. It does not depend on calibration: only the order matters.

    Examples
    --------
    >>> roc_auc([0, 1, 0, 1], [0.2, 0.2, 0.5, 0.6])
    0.625
    """
    table = as_table(y_true, y_prob, sample_weight, pos_label)
    pairs = table.negatives.sum() * table.positives.sum()
    if not pairs:
        raise DataError("y_true holds one class only; the area under the curve needs both.")
    below = np.cumsum(table.negatives)
    below -= 0.5 * table.negatives
    return float(min(below @ table.positives / pairs, 1.0))  # rounding must not pass 1


def accuracy(
    y_true: Any,
    y_prob: Any = None,
    *,
    threshold: float = 0.5,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
) -> float:
    """Return the share of cases that are told right, taking p >= threshold for positive.

    Examples
    --------
    >>> accuracy([0, 1, 1], [0.2, 0.5, 0.4]) == 2 / 3
    True
    """
    table = as_table(y_true, y_prob, sample_weight, pos_label)
    called = table.scores >= threshold
    return float((table.positives[called].sum() + table.negatives[~called].sum()) / table.total)
