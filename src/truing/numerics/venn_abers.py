"""Venn-Abers prediction: isotonic regression with one more case at every score there may be.

With (W_k, P_k) the weight of all and of the positive cases among the k smallest scores, isotonic
regression is the slope of the greatest convex minorant of these points, k = 0, …, n. One positive
case more, behind the k smallest, moves the points from k on by (1, 1). Its slope there turns out to
be at least v exactly if, for some a ≤ k,

    (P_a − v W_a) − min_b (P_b − v W_b) ≤ 1 − v,

which says that the line of slope v through (W_a − 1, P_a − 1) lies below all points. So each such
point that is not above the minorant has a greatest v, the slope of its tangent to the points on its
right, and the answer is the greatest of these over a ≤ k.

These are the numbers of Vovk, Petej and Fedorova (2015), Large-scale probabilistic predictors with
and without guarantees of validity, arXiv:1511.00213, whose algorithms follow one corner after the
other with a stack; here all tangents are found at once by bisection over the corners.
"""

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.isotonic import isotonic_blocks

CHUNK = 1 << 15  # points whose temporaries stay in the cache


def venn_abers(
    positives: FloatArray, weights: FloatArray, negatives: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return p0 and p1 behind the k smallest scores, k = 0, …, n.

    Between the k-th and the next score they are p0[k] and p1[k]; at the k-th, counted from 1, they
    are p0[k] and p1[k - 1].

    >>> low, high = venn_abers(np.array([0.0, 1.0]), np.ones(2), np.array([1.0, 0.0]))
    >>> low, high
    (array([0. , 0. , 0.5]), array([0.5, 1. , 1. ]))
    """
    high = _with_a_positive(positives, weights)
    # Turned around, with the classes swapped, a negative case more is a positive one.
    turned = _with_a_positive(negatives[::-1], weights[::-1])
    return 1.0 - turned[::-1], high


def _with_a_positive(positives: FloatArray, weights: FloatArray) -> FloatArray:
    reached = np.concatenate([[0.0], np.cumsum(weights)])
    held = np.concatenate([[0.0], np.cumsum(positives)])
    corners = np.append(isotonic_blocks(positives, weights), len(weights))
    across, up = reached[corners], held[corners]
    # Before the first corner there is nothing that a point could be above of.
    below = held - 1.0 <= np.interp(reached - 1.0, across, up)
    below |= reached <= 1.0
    places = np.flatnonzero(below)
    slopes = np.full(len(reached), -np.inf)
    for start in range(0, len(places), CHUNK):
        part = places[start : start + CHUNK]
        slopes[part] = _tangents(reached[part] - 1.0, held[part] - 1.0, across, up)
    return np.minimum(np.maximum.accumulate(slopes), 1.0)


def _tangents(x: FloatArray, y: FloatArray, across: FloatArray, up: FloatArray) -> FloatArray:
    """Return the least slope from each point to a corner on its right."""
    low: IntArray = np.searchsorted(across, x, side="right")
    high = np.full(len(x), len(across) - 1)
    rise, run = np.append(np.diff(up), 1.0), np.append(np.diff(across), 1.0)
    while (low < high).any():
        middle = (low + high) // 2
        # The tangent touches where the minorant begins to rise faster than the line to the point.
        touches = rise[middle] * (across[middle] - x) >= run[middle] * (up[middle] - y)
        high = np.where(touches, middle, high)
        low = np.where(touches, low, middle + 1)
    low = np.minimum(low, high)
    slopes: FloatArray = (up[low] - y) / (across[low] - x)
    return slopes
