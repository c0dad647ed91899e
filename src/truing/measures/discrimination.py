"""How well probabilities tell the classes apart: AUC and accuracy."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from truing.errors import DataError, OptionError
from truing.measures.cases import as_table, refuse_pos_label
from truing.measures.class_cases import as_class_cases, has_columns
from truing.options import share
from truing.table import door


def roc_auc(
    y_true: Any,
    y_prob: Any = None,
    *,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
) -> float:
    """Return the area under the ROC curve.

    It is the chance that a random positive is told a greater probability than a random negative,
    ties counting one half: P(p⁺ > p⁻) + P(p⁺ = p⁻) / 2. Prefer it to ask whether cases are put in
    the right order, whatever the prevalence. It does not see calibration: any increasing function
    of the probabilities has the same area. Data of one class have none, and are refused.

    Takes labels and probabilities, or a `ScoreTable` alone. In scikit-learn:
    ``make_scorer(roc_auc, response_method="predict_proba")``.

    References
    ----------
    Hanley and McNeil (1982), The meaning and use of the area under a receiver operating
    characteristic curve, https://doi.org/10.1148/radiology.143.1.7063747.

    Examples
    --------
    >>> roc_auc([0, 1, 0, 1], [0.2, 0.2, 0.5, 0.6])
    0.625
    """
    table = as_table(y_true, y_prob, sample_weight, pos_label)
    if not table.holds_both:
        raise DataError("y_true holds one class only; the area under the curve needs both.")
    below = np.cumsum(table.negatives)
    total = below[-1]
    below -= 0.5 * table.negatives
    below /= total  # first, so that it is exactly 1 for who stands above all
    below *= table.positives
    return float(below.sum() / table.positives.sum())


def accuracy(
    y_true: Any,
    y_prob: Any = None,
    *,
    threshold: float = 0.5,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    labels: door.ClassLabels = None,
) -> float:
    """Return the share of cases that are told right, taking p >= threshold for positive.

    What most people ask for first, and the least to be learnt from: it looks at the probabilities
    at one point only, and where positives are rare it is high for who never tells one. Prefer a
    proper score, `brier_score` or `log_loss`, to compare probabilities.

    Takes labels and probabilities, or a `ScoreTable` alone; the threshold is from 0 to 1. For three
    classes and more, with a column of probabilities for each in the order of the sorted labels or
    of ``labels``, the most probable class is told, between equals the first; there is no threshold
    then. In scikit-learn: ``make_scorer(accuracy, response_method="predict_proba")``.

    Examples
    --------
    >>> accuracy([0, 1, 1], [0.2, 0.5, 0.4]) == 2 / 3
    True
    """
    share("threshold", threshold, ends=True)
    if has_columns(y_true, y_prob):
        cases = as_class_cases(y_true, y_prob, sample_weight, labels)
        refuse_pos_label(pos_label)
        if threshold != 0.5:
            raise OptionError(f"threshold is {threshold!r}; it is for two classes.")
        return cases.mean((cases.top == cases.codes).astype(np.float64))
    table = as_table(y_true, y_prob, sample_weight, pos_label, labels)
    told = np.where(table.scores >= threshold, table.positives, table.negatives)
    return float(told.sum() / table.total)
