"""The paper's two measures: expected and maximum calibration error."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from truing.measures.reliability import reliability_curve


def expected_calibration_error(
    y_true: Any,
    y_prob: Any = None,
    n_bins: int = 10,
    strategy: str = "quantile",
    sample_weight: Any = None,
    *,
    pos_label: Hashable | None = None,
) -> float:
    """Return the expected calibration error, ECE = Σ P(i) · |o_i − e_i| over bins of predictions.

    P(i) is the share of the weight in bin i, o_i its share of positives, e_i its mean prediction.
    Arguments are those of `reliability_curve`, which has the bins. In scikit-learn:
    ``make_scorer(expected_calibration_error, response_method="predict_proba",
    greater_is_better=False)``.

    It says by how much probabilities are off on average, in points of probability: prefer it to
    tell people how far to trust them. It does not reward sharpness, so do not choose a model by it.
    It is never negative, so that even true probabilities have some: up to some
    0.4 · sqrt(n_bins / N) with N cases. It depends on the bins; tell their number with it.

    Where a border between bins of equal frequency falls among tied predictions, o_i is the mean
    over all orders of the tied cases, and the error is that of these means. It is at most the mean
    of the errors that the single orders have (Jensen's inequality), which would add the chance of
    the shuffling to the miscalibration: a constant prediction of the prevalence has no error here.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration: non-parametric approach,
    arXiv:1401.3390.

    Examples
    --------
    >>> expected_calibration_error([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], n_bins=2)
    0.25
    >>> expected_calibration_error([0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5], n_bins=2)
    0.0
    """
    curve = reliability_curve(y_true, y_prob, n_bins, strategy, sample_weight, pos_label=pos_label)
    return float((curve.weight * np.abs(curve.gaps)).sum() / curve.weight.sum())


def maximum_calibration_error(
    y_true: Any,
    y_prob: Any = None,
    n_bins: int = 10,
    strategy: str = "quantile",
    sample_weight: Any = None,
    *,
    pos_label: Hashable | None = None,
) -> float:
    """Return the maximum calibration error, MCE = max |o_i − e_i| over bins of predictions.

    Arguments are those of `reliability_curve`, what enters those of `expected_calibration_error`;
    tied predictions are treated as there. In scikit-learn:
    ``make_scorer(maximum_calibration_error, response_method="predict_proba",
    greater_is_better=False)``.

    It is the error of the worst bin: prefer it where no group of cases may be told far from the
    truth. The worst is often the noisiest, so compare it only between data of equal size, and
    prefer equal frequency, where no bin is nearly empty.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration: non-parametric approach,
    arXiv:1401.3390.

    Examples
    --------
    >>> round(maximum_calibration_error([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], n_bins=2), 12)
    0.3
    """
    curve = reliability_curve(y_true, y_prob, n_bins, strategy, sample_weight, pos_label=pos_label)
    return float(np.abs(curve.gaps).max())
