"""The nearest of sorted points."""

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.binning import midpoints

__all__ = ["nearest"]


def nearest(points: FloatArray, queries: FloatArray) -> IntArray:
    """Index of the point nearest to each query; of two equally near, the lower one.

    From one point to the next it changes right after the double that `midpoints` gives.

    Parameters
    ----------
    points : array of shape (n,), sorted, n >= 1
    queries : array of shape (m,), any order

    Notes
    -----
    Costs a sort of the queries and one binary search for each, which sorted queries do faster.

    Examples
    --------
    >>> nearest(np.array([0.0, 1.0, 4.0]), np.array([-7.0, 0.5, 0.6, 3.0, 99.0])).tolist()
    [0, 0, 1, 2, 2]
    """
    result = np.zeros(len(queries), dtype=np.int64)
    if len(points) > 1:
        order = np.argsort(queries)
        ordered = queries[order]
        below = np.searchsorted(points, ordered).clip(1, len(points) - 1) - 1
        result[order] = below + (ordered > midpoints(points, below))
    return result
