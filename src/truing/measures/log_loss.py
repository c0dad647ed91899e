"""The log loss."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from truing.measures.cases import as_table, refuse_pos_label
from truing.measures.class_cases import as_class_cases, has_columns
from truing.numerics.arrays import FloatArray
from truing.table import door


def log_loss(
    y_true: Any,
    y_prob: Any = None,
    *,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    labels: door.ClassLabels = None,
) -> float:
    """Return the log loss, the weighted mean of −ln p of what happened.

    With y = 1 for positives it is the mean of −y · ln p − (1 − y) · ln(1 − p), what logistic
    regression minimises. A proper score, and the one that is hardest on wrong certainty: prefer it
    where a small probability must not be off by a factor. It is infinite if something happened
    that was told to be impossible. Nothing is clipped; scikit-learn's ``log_loss`` moves exact 0
    and 1 by 2e-16 and so answers some 36 for such a case.

    Takes labels and probabilities, or a `ScoreTable` alone; for many classes a column of
    probabilities for each, in the order of the sorted labels or of ``labels``. In scikit-learn:
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
    >>> round(log_loss(["a", "c"], [[0.5, 0.3, 0.2], [0.0, 0.5, 0.5]], labels=["a", "b", "c"]), 6)
    0.693147
    """
    if has_columns(y_true, y_prob):
        cases = as_class_cases(y_true, y_prob, sample_weight, labels)
        refuse_pos_label(pos_label)
        with np.errstate(divide="ignore"):
            return cases.mean(np.abs(np.log(cases.told)))
    table = as_table(y_true, y_prob, sample_weight, pos_label, labels)
    with np.errstate(divide="ignore"):
        lost = _lost(table.positives, np.log(table.scores))
        lost += _lost(table.negatives, np.log1p(-table.scores))
    return lost / table.total


def _lost(weights: FloatArray, logarithms: FloatArray) -> float:
    happened = weights > 0.0  # what did not happen is not lost, even where its logarithm is −inf
    return float((weights[happened] * np.abs(logarithms[happened])).sum())
