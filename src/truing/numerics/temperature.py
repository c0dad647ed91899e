"""The slope of a softmax in one parameter, by safeguarded Newton steps on its logarithm."""

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.softmax import log_softmax

REACH = 12.0  # natural logarithms of the steepest slope, and of the flattest
WIDE = 2.0  # between the logarithms that are tried first
STEPS = 200
CLOSE = 1e-13


def fit_slope(
    logits: FloatArray, codes: IntArray, weights: FloatArray, spread: float = np.inf
) -> float:
    """Return the slope b for which softmax(b z) makes what happened most likely.

    ``spread`` is that of a normal prior on ln b around 0; where it is infinite, the likelihood
    alone decides, from exp(-12) to exp(12).

    >>> z = np.log([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.9, 0.1]])
    >>> slope = fit_slope(z, np.array([0, 0, 0, 1]), np.ones(4))
    >>> round(0.9**slope / (0.9**slope + 0.1**slope), 9)
    0.75
    """
    truth = logits[np.arange(len(codes)), codes]
    looseness = 1.0 / spread**2

    def derivatives(at: float) -> tuple[float, float, float]:
        slope = np.exp(at)
        logs = log_softmax(slope * logits)
        with np.errstate(under="ignore"):
            chances = np.exp(logs)
            means = (chances * logits).sum(axis=1)
            spreads = (chances * (logits - means[:, None]) ** 2).sum(axis=1)
        cost = -float((weights * logs[np.arange(len(codes)), codes]).sum())
        first = float((weights * (means - truth)).sum()) * slope
        second = float((weights * spreads).sum()) * slope**2 + first
        return cost + 0.5 * looseness * at**2, first + looseness * at, second + looseness

    grid = np.arange(-REACH, REACH + WIDE, WIDE)
    costs = [derivatives(at)[0] for at in grid]
    at = float(grid[int(np.argmin(costs))])
    low, high = max(at - WIDE, -REACH), min(at + WIDE, REACH)
    for _ in range(STEPS):
        _, first, second = derivatives(at)
        low, high = (low, at) if first > 0.0 else (at, high)
        step = at - first / second if second > 0.0 else np.nan
        after = step if low <= step <= high else 0.5 * (low + high)
        if abs(after - at) < CLOSE * max(1.0, abs(at)):
            break
        at = float(after)
    return float(np.exp(at))
