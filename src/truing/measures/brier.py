"""The Brier score and its root."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from truing.measures.cases import as_table, refuse_pos_label
from truing.measures.class_cases import as_class_cases, has_columns
from truing.table import door


def brier_score(
    y_true: Any,
    y_prob: Any = None,
    *,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    labels: door.ClassLabels = None,
) -> float:
    """Return the Brier score, the weighted mean of (p − y)².

    A proper score: no forecast is expected to do better than the true probabilities. It counts
    calibration and sharpness together and never exceeds 1, so that no single case decides it:
    prefer it to `log_loss` where labels may be wrong. It says little of rare events, where telling
    everybody the prevalence π already scores π · (1 − π).

    Takes labels and probabilities, or a `ScoreTable` alone. For three classes and more, with a
    column of probabilities for each in the order of the sorted labels or of ``labels``, it is
    Brier's own sum over classes, the mean of Σ_k (p_k − y_k)², from 0 to 2. In scikit-learn:
    ``make_scorer(brier_score, response_method="predict_proba", greater_is_better=False)``.

    References
    ----------
    Brier (1950), Verification of forecasts expressed in terms of probability,
    https://doi.org/10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2 (his score of both classes is
    twice this one).

    Examples
    --------
    >>> round(brier_score([0, 1], [0.2, 0.6]), 12)
    0.1
    >>> round(brier_score(["a", "b", "c"], [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5]]), 6)
    0.333333
    """
    if has_columns(y_true, y_prob):
        cases = as_class_cases(y_true, y_prob, sample_weight, labels)
        refuse_pos_label(pos_label)
        off = cases.chances.copy()
        off[np.arange(len(off)), cases.codes] -= 1.0
        return cases.mean((off * off).sum(axis=1))
    table = as_table(y_true, y_prob, sample_weight, pos_label, labels)
    missed = table.negatives * table.scores**2 + table.positives * (1.0 - table.scores) ** 2
    return float(missed.sum() / table.total)


def root_mean_squared_error(
    y_true: Any,
    y_prob: Any = None,
    *,
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    labels: door.ClassLabels = None,
) -> float:
    """Return the root of the Brier score, which the paper calls RMSE.

    It ranks forecasts as `brier_score` does, in points of probability. In scikit-learn:
    ``make_scorer(root_mean_squared_error, response_method="predict_proba",
    greater_is_better=False)``.

    Examples
    --------
    >>> round(root_mean_squared_error([0, 1], [0.2, 0.6]), 6)
    0.316228
    """
    score = brier_score(
        y_true, y_prob, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    return float(np.sqrt(score))
