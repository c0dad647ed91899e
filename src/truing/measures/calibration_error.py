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
    """Return the expected calibration error, Σ P(i) · |o_i − e_i| over bins of predictions.

    P(i) is the share of the weight in bin i, o_i its share of positives, e_i its mean prediction.
    Arguments are those of `reliability_curve`.

    It says by how much probabilities are off on average, in points of probability. It is never
    negative, so that with few cases it is above zero even for true probabilities: about
    sqrt(n_bins / N). It does not reward sharpness; do not choose a model by it.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration: non-parametric approach,
    arXiv:1401.3390.

    Examples
    --------
    >>> expected_calibration_error([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], n_bins=2)
    0.25
    """
    curve = reliability_curve(y_true, y_prob, n_bins, strategy, sample_weight, pos_label=pos_label)
    return float(curve.weight @ np.abs(curve.gaps) / curve.weight.sum())


def maximum_calibration_error(
    y_true: Any,
    y_prob: Any = None,
    n_bins: int = 10,
    strategy: str = "quantile",
    sample_weight: Any = None,
    *,
    pos_label: Hashable | None = None,
) -> float:
    """Return the maximum calibration error, max |o_i − e_i| over bins of predictions.

    Arguments are those of `reliability_curve`, what enters those of `expected_calibration_error`.
    It is the error of the worst bin, and so of the noisiest: compare it only between data of equal
    size, and prefer equal frequency, where no bin is nearly empty.

    Examples
    --------
    >>> round(maximum_calibration_error([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], n_bins=2), 12)
    0.3
    """
    curve = reliability_curve(y_true, y_prob, n_bins, strategy, sample_weight, pos_label=pos_label)
    return float(np.abs(curve.gaps).max())
