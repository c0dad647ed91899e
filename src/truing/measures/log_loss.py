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

    With y = 1 for positives it is the mean of −y · ln p − (1 − y) · ln(1 − p), what logistic
    regression minimises. A proper score, and the one that is hardest on wrong certainty: prefer it
    where a small probability must not be off by a factor. It is infinite if something happened
    that was told to be impossible. Nothing is clipped; scikit-learn's ``log_loss`` moves exact 0
    and 1 by 2e-16 and so answers some 36 for such a case.

    Takes labels and probabilities, or a `ScoreTable` alone. In scikit-learn:
    ``make_scorer(log_loss, response_method="predict_proba", greater_is_better=False)``.

    References
    ----------
    Good (1952), Rational decisions, https://doi.org/10.1111/j.2517-6161.1952.tb00104.x.

    Examples
    --------
    >>> round(log_loss([0, 1], [0.2, 0.6]), 6)
    0.366985
    >>> log_loss([0, 1], [0.2, 0.0])
    inf
    """
    table = as_table(y_true, y_prob, sample_weight, pos_label)
    with np.errstate(divide="ignore"):
        lost = _lost(table.positives, np.log(table.scores))
        lost += _lost(table.negatives, np.log1p(-table.scores))
    return lost / table.total


def _lost(weights: FloatArray, logarithms: FloatArray) -> float:
    happened = weights > 0.0  # what did not happen is not lost, even where its logarithm is −inf
    return float((weights[happened] * np.abs(logarithms[happened])).sum())
