"""The paper's simulated data: a disc, and the ring around it."""

import numpy as np

from truing.errors import OptionError
from truing.numerics.arrays import FloatArray, IntArray
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
