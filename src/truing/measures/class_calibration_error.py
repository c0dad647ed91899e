"""Calibration errors of many classes: class by class, and of the most probable class."""

from typing import Any

import numpy as np

from truing.measures.calibration_error import expected_calibration_error
from truing.measures.class_cases import as_class_cases
from truing.options import flag
from truing.table import door


def classwise_calibration_error(
    y_true: Any,
    y_prob: Any = None,
    *,
    n_bins: int = 10,
    strategy: str = "quantile",
    sample_weight: Any = None,
    labels: door.ClassLabels = None,
) -> float:
    """Return the mean over classes of the expected calibration error of each class's probability.

    For each class it is the `expected_calibration_error` of that class against the rest, bins and
    tied predictions included. Prefer it where the probabilities of all classes are used, not only
    the greatest. With many classes most probabilities are close to 0, and so is this mean: compare
    it only between models of the same classes. Else its limits are those of the error it averages.

    Parameters
    ----------
    y_true, y_prob
        Labels, and probabilities in a column for each class, two or more, in the order of the
        sorted labels; or a `ClassTable` alone.
    n_bins, strategy
        As in `reliability_curve`.
    sample_weight
        Weights; a case of weight 3 is three cases.
    labels
        Every label in the order of the columns, where the data lack a class or the order differs.

    References
    ----------
    Kull, Perello-Nieto, Kängsepp, Silva Filho, Song and Flach (2019), Beyond temperature scaling:
    obtaining well-calibrated multiclass probabilities with Dirichlet calibration, arXiv:1910.12656.

    Examples
    --------
    >>> told = [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.2, 0.8]]
    >>> round(classwise_calibration_error(["a", "b", "c"], told, n_bins=1), 6)
    0.044444
    """
    cases = as_class_cases(y_true, y_prob, sample_weight, labels)
    places = range(len(cases.classes))
    errors = [
        expected_calibration_error(cases.table(place), n_bins=n_bins, strategy=strategy)
        for place in places
    ]
    return float(np.mean(errors))


def top_label_calibration_error(
    y_true: Any,
    y_prob: Any = None,
    *,
    n_bins: int = 10,
    strategy: str = "quantile",
    sample_weight: Any = None,
    labels: door.ClassLabels = None,
    by_class: bool = False,
) -> float:
    """Return the expected calibration error of the most probable class's probability.

    It is the `expected_calibration_error` of the top probability, the confidence, as a prediction
    that the top class happens: what is often called the ECE of a classifier of many classes. With
    ``by_class=True`` it is the mean of these errors over the predicted classes, weighted by how
    often each is predicted, so that errors of one class do not make up for those of another.

    Prefer it where only the predicted class and its confidence are used. Of equally probable
    classes the first is the predicted one.

    Parameters
    ----------
    y_true, y_prob, n_bins, strategy, sample_weight, labels
        As in `classwise_calibration_error`.
    by_class
        Whether errors are taken class by class of those predicted.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks,
    arXiv:1706.04599. Gupta and Ramdas (2022), Top-label calibration and multiclass-to-binary
    reductions, arXiv:2107.08353 (for ``by_class``).

    Examples
    --------
    >>> told = [[0.6, 0.4, 0.0], [0.6, 0.4, 0.0], [0.0, 0.2, 0.8]]
    >>> round(top_label_calibration_error(["a", "b", "c"], told, n_bins=1), 6)
    0.0
    >>> round(top_label_calibration_error(["a", "b", "c"], told, n_bins=1, by_class=True), 6)
    0.133333
    """
    cases = as_class_cases(y_true, y_prob, sample_weight, labels)
    several = flag("by_class", by_class)
    tables = [cases.top_table(place) for place in np.unique(cases.top).tolist()] if several else []
    tables = tables or [cases.top_table()]
    errors = [
        expected_calibration_error(table, n_bins=n_bins, strategy=strategy) for table in tables
    ]
    weights = np.array([table.total for table in tables])
    return float((weights * errors).sum() / weights.sum())
