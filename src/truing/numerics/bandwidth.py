"""Bandwidths for kernels: the rule of thumb, and the choice by leave-one-out likelihood."""

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.kernels import Kernel, KernelSums

CELLS = 4096  # points kept when bandwidths are compared
SHARES = 2.0 ** np.arange(-6.0, 3.01, 0.25)  # of the rule of thumb, from narrow to wide
WIDEST = 1e307  # so that a few bandwidths are still a double


def rule_of_thumb(points: FloatArray, weights: FloatArray) -> float:
    """Return 1.06 · s · N^(−1/5), s the unbiased standard deviation and N the weight of all.

    Where the points do not differ any bandwidth gives the same answer, and 1 is returned.

    >>> round(rule_of_thumb(np.array([0.0, 1.0]), np.array([50.0, 50.0])), 4)
    0.2121
    """
    total = float(weights.sum())
    centre = 0.5 * points[0] + 0.5 * points[-1]
    size = float(max(points[-1] - centre, centre - points[0]))
    if size == 0.0:
        return 1.0
    around = points - centre
    around /= size  # squares of the largest doubles would overflow
    around -= around @ weights / total
    around *= around
    squares = float(weights @ around)
    freedom = total - 1.0 if total > 1.0 else total
    return min(size * float(1.06 * np.sqrt(squares / freedom) * total**-0.2), WIDEST)


def best_left_out(
    points: FloatArray, negatives: FloatArray, positives: FloatArray, kernel: Kernel
) -> float:
    """Return the bandwidth under which every case is most likely, told by all the others.

    Tried are bandwidths from 1/64 to 8 times the rule of thumb. A share of exactly 0 or 1 counts as
    half a case's, and where no other case is within reach the share among all others counts. Of
    more than 4,096 points neighbours are pooled first, which is far finer than any bandwidth that
    so much data would choose.

    >>> from truing.numerics.kernels import KERNELS
    >>> points = np.linspace(0, 1, 101)
    >>> best_left_out(points, 1 - points, points, KERNELS["epanechnikov"]) > 0.1
    True
    """
    points, weights = _pooled(points, np.stack([negatives, positives]))
    start = rule_of_thumb(points, weights.sum(axis=0))
    tried = start * SHARES
    found = [_left_out_likelihood(points, weights, bandwidth, kernel) for bandwidth in tried]
    return float(tried[int(np.argmax(found))])


def _left_out_likelihood(
    points: FloatArray, weights: FloatArray, bandwidth: float, kernel: Kernel
) -> float:
    """Return the log likelihood of each case, its own weight (at most one) being left out."""
    sums, log_scale = KernelSums(points, weights, bandwidth, kernel).scaled(points)
    sums = sums * np.exp(log_scale)
    totals, likelihood = weights.sum(axis=1), 0.0
    floor = 0.5 / max(float(totals.sum()), 1.0)
    for label in (0, 1):
        own = np.minimum(weights[label], 1.0)  # a kernel is 1 at its centre
        same, other = np.maximum(sums[label] - own, 0.0), sums[1 - label]
        reached = same + other > 1e-12 * own
        alone = max(totals[label] - 1.0, 0.0) / max(float(totals.sum()) - 1.0, 1.0)
        share = np.divide(same, same + other, out=np.full(len(points), alone), where=reached)
        likelihood += float(weights[label] @ np.log(np.clip(share, floor, 1.0 - floor)))
    return likelihood


def _pooled(points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    if len(points) <= CELLS:
        return points, weights
    each = weights.sum(axis=0)
    reached = np.cumsum(each)
    cells = ((reached - 0.5 * each) / reached[-1] * CELLS).astype(np.intp)
    starts = np.flatnonzero(np.r_[True, cells[1:] != cells[:-1]])
    means = np.add.reduceat(points * each, starts) / np.add.reduceat(each, starts)
    return means, np.add.reduceat(weights, starts, axis=1)
