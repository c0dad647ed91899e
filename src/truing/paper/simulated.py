"""The paper's simulated data: a disc, and the ring around it."""

from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import LinearSVC

from truing.errors import OptionError
from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.log_odds import sigmoid
from truing.options import whole_number

INNER, OUTER = 2.0, 4.0


def circular_data(size: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Return points in the plane, as many in a disc (class 0) as in the ring around it (class 1).

    Angles are uniform; radii are uniform from 0 to 2 in class 0 and from 2 to 4 in class 1. No
    straight line parts the classes: a linear model ranks them no better than chance, and yet its
    score tells a lot, being far from zero in the ring alone. A quadratic model parts them.

    Parameters
    ----------
    size
        How many points, an even number.
    seed
        The same seed gives the same points.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration: non-parametric approach,
    arXiv:1401.3390.

    Examples
    --------
    >>> X, y = circular_data(4)
    >>> y
    array([0, 0, 1, 1])
    >>> (np.hypot(*X.T) > 2).astype(int)
    array([0, 0, 1, 1])
    """
    if whole_number("size", size) % 2:
        raise OptionError(f"size is {size}; it must be even, half of it for each class.")
    rng = np.random.default_rng(seed)
    label = np.repeat([0, 1], size // 2)
    angle = rng.uniform(0.0, 2.0 * np.pi, size)
    radius = rng.uniform(0.0, INNER, size) + label * (OUTER - INNER)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), label


def support_vector_machine(kind: str) -> Any:
    """Return the paper's linear or quadratic support vector machine, not fitted.

    The paper does not say which. Its base rows are those of a linear machine with squared hinge
    loss on the coordinates, or on them and their products with C = 0.1; the probability is the
    sigmoid of the margin (`svm_probabilities`).
    """
    if kind == "linear":
        return LinearSVC(random_state=0)
    products = PolynomialFeatures(2, include_bias=False)
    return make_pipeline(products, LinearSVC(C=0.1, random_state=0))


def svm_probabilities(model: Any, points: FloatArray) -> FloatArray:
    """Return the sigmoid of the margins, which the paper calibrates."""
    return sigmoid(np.asarray(model.decision_function(points), dtype=np.float64))
