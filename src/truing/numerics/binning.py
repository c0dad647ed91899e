"""Where to cut sorted scores into bins."""

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray

# Sums of fractional weights depend on the order of adding by some 1e-16 of the total. Cuts are
# decided with more room than that, so that they do not.
ROOM = 1e-11


def equal_weight_cuts(weights: FloatArray, n_bins: int) -> IntArray:
    """Return the last place of each bin, for at most the given number of bins of equal weight.

    The k-th cut is where the weight up to and with a place is nearest to k / n_bins of all; of two
    equally near the first. Places are never split and bins never empty.

    >>> equal_weight_cuts(np.array([1.0, 1.0, 1.0, 5.0, 1.0, 1.0]), 3)
    array([2, 3, 5])
    """
    reached = np.cumsum(weights)
    total = reached[-1]
    if n_bins >= len(weights) and (weights == weights[0]).all():
        return np.arange(len(weights))
    targets = np.arange(1, n_bins) / n_bins * total
    after = np.searchsorted(reached, targets - ROOM * total)
    before = np.maximum(after - 1, 0)
    nearer = targets - reached[before] <= reached[after] - targets + ROOM * total
    cuts = np.where((after > 0) & nearer, before, after)
    return np.unique(np.r_[cuts[cuts < len(weights) - 1], len(weights) - 1])


def equal_width_cuts(scores: FloatArray, edges: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the last place of each bin that holds a score, and the cuts between such bins.

    A score on an edge belongs below it, as in scikit-learn's ``calibration_curve``. Between two
    neighbouring bins the cut is their edge; across empty bins it is the middle of what is empty.

    >>> equal_width_cuts(np.array([0.1, 0.15, 0.9]), np.linspace(0, 1, 6))
    (array([1, 2]), array([0.5]))
    """
    inner = edges[1:-1]
    held = np.searchsorted(inner, scores)
    lasts = np.flatnonzero(np.r_[held[1:] != held[:-1], True])
    ends, starts = inner[held[lasts[:-1]]], inner[held[lasts[1:]] - 1]
    return lasts, np.where(ends == starts, ends, 0.5 * ends + 0.5 * starts)


def midpoints(scores: FloatArray, lasts: IntArray) -> FloatArray:
    """Return the middles between each of these places and the next; always below the next."""
    left, right = scores[lasts], scores[lasts + 1]
    middles = 0.5 * left + 0.5 * right
    return np.where(middles < right, np.maximum(middles, left), left)
