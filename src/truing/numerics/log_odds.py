"""Log-odds and back, exact to the last digits also next to 0 and 1."""

import numpy as np

from truing.numerics.arrays import FloatArray

SMALLEST = 5e-324  # the smallest double above 0
LARGEST = 1.0 - 2.0**-53  # the largest double below 1
NEGLIGIBLE = 1e-17  # beside 1
FURTHEST = 700.0  # log-odds whose exponential is a double


def log_odds(probabilities: FloatArray) -> FloatArray:
    """Return ln(p / (1 - p)); minus infinity at 0 and infinity at 1.

    >>> log_odds(np.array([0.0, 0.5, 0.75]))
    array([      -inf, 0.        , 1.09861229])
    """
    with np.errstate(divide="ignore"):
        odds = probabilities / (1.0 - probabilities)
        return np.log(odds, out=odds)


def sigmoid(values: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-z)), the inverse of the log-odds.

    What is far out is computed from its distance to the nearer of 0 and 1, so that it neither
    overflows nor reaches them before doubles end. Every rounding keeps the order of the values.

    >>> sigmoid(np.array([-1000.0, 0.0, 1.0]))
    array([0.        , 0.5       , 0.73105858])
    """
    distance = np.abs(values)
    np.negative(distance, out=distance)
    with np.errstate(under="ignore", over="ignore", divide="ignore"):
        np.exp(distance, out=distance)
        nearer = 1.0 / distance  # not distance / (1 + distance), in which one rises as one falls
    nearer += 1.0
    np.divide(1.0, nearer, out=nearer)
    np.copyto(nearer, distance, where=distance < NEGLIGIBLE)
    return np.where(values < 0.0, nearer, 1.0 - nearer)


def log_sigmoid(values: FloatArray) -> FloatArray:
    """Return ln(1 / (1 + exp(-z))), the logarithm of the probability with log-odds z.

    Exact to a rounding of 1, also where z is far out; every rounding keeps the order of values.

    >>> log_sigmoid(np.array([-1000.0, 0.0, 1000.0])).round(6) + 0.0
    array([-1.00000e+03, -6.93147e-01,  0.00000e+00])
    """
    near = np.maximum(values, -FURTHEST)
    with np.errstate(under="ignore"):
        against = np.exp(-near)
    against += 1.0
    np.log(against, out=against)
    return np.minimum(values - near, 0.0) - against


def move_odds(probabilities: FloatArray, log_odds: float) -> FloatArray:
    """Return the probabilities with their log-odds raised by a constant; 0 and 1 stay.

    >>> move_odds(np.array([0.0, 0.5, 1.0]), np.log(3.0))
    array([0.  , 0.75, 1.  ])
    """
    if log_odds == 0.0:
        return probabilities
    # Of the two factors the one below 1 is used, so that nothing overflows.
    up, down = np.exp(min(log_odds, 0.0)), np.exp(min(-log_odds, 0.0))
    raised, rest = probabilities * up, (1.0 - probabilities) * down
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        against = rest / raised
        moved = 1.0 / (1.0 + against)  # each rounding keeps the order of probabilities
        moved = np.where(np.isinf(against), raised / rest, moved)
    return np.where(np.isnan(against), probabilities, moved)  # both vanish at 0 or 1 only
