"""Which windows of a width around sorted points hold a query, by one guide over the points."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from truing.numerics.arrays import BoolArray, FloatArray, IntArray

__all__ = ["WindowGuide", "smallest_whole"]

CHUNK = 1 << 15  # queries whose temporaries stay in the cache
CELLS_PER_POINT = 16
FEW_CELLS, MOST_CELLS = 1 << 18, 1 << 20
SAMPLE, WELL_FILLED = 4096, 0.7  # of cells around points, to tell how many halvings are usual

_Passes: TypeAlias = Callable[[FloatArray, float], BoolArray]


def smallest_whole(largest: float) -> type[np.int32 | np.int64]:
    """Return the type for whole numbers up to the largest: what is half as wide stays in the cache.

    >>> smallest_whole(1e9).__name__, smallest_whole(1e10).__name__
    ('int32', 'int64')
    """
    return np.int32 if largest < 2**31 else np.int64


class WindowGuide:
    """Counts, for a query, the windows that have begun at or before it and that ended before it.

    The window of a point holds all x with ``abs(x - point) <= bandwidth`` in double arithmetic. The
    guide tells a point a little before the first that matters; halvings finish the search, by that
    very comparison: as many as a cell well filled needs, and for the few queries that are not there
    yet as many as two neighbouring cells as full as the fullest would need.

    >>> guide = WindowGuide(np.array([0.0, 1.5]), 1.0)
    >>> guide.begun(np.array([-1.0, 0.5, 9.0])), guide.ended(np.array([-1.0, 0.5, 9.0]))
    (array([1, 2, 2]), array([0, 0, 2]))
    """

    def __init__(self, points: FloatArray, bandwidth: float) -> None:
        self._bandwidth, self._low = bandwidth, float(points[0])
        cells = max(FEW_CELLS, min(len(points), MOST_CELLS))
        self._last = min(cells, CELLS_PER_POINT * len(points) + 1)
        with np.errstate(over="ignore", invalid="ignore"):
            width = float(points[-1] - points[0])
            # More than all roundings between a query and the cell of a point together.
            self._slack = 4.0 * float(np.spacing(np.abs(points[[0, -1]]).max() + bandwidth))
            usable = np.isfinite(width) and width > 0.0 and np.isfinite(self._slack)
            self._scale = min(self._last / width, 0.25 / self._slack) if usable else 0.0
        before = self._count_points(points)
        held = np.diff(before)
        some = held[self._cell(points[:: 1 + len(points) // SAMPLE], -self._low)]
        self._usual = _halvings(int(np.quantile(some, WELL_FILLED)))
        self._most = _halvings(2 * int(held.max()))
        self._first = before[:-1]
        self._points = np.append(points, np.full(4 << len(self._most), np.inf))

    def begun(self, queries: FloatArray) -> IntArray:
        """Return how many windows begin at or before each query."""
        return self._count(queries, self._bandwidth, np.less_equal)

    def ended(self, queries: FloatArray) -> IntArray:
        """Return how many windows end before each query."""
        return self._count(queries, -self._bandwidth, np.less)

    def _count_points(self, points: FloatArray) -> npt.NDArray[Any]:
        """Return how many points there are in the cells before each."""
        before = np.zeros(self._last + 3, smallest_whole(len(points)))
        behind = before[1:]
        for start in range(0, len(points), CHUNK):
            cell = self._cell(points[start : start + CHUNK], -self._low)
            # Of the points in a cell the last one is written last, and it knows how many there are.
            behind[cell] = np.arange(start + 1, start + len(cell) + 1, dtype=before.dtype)
        return np.maximum.accumulate(before, out=before)

    def _cell(self, values: FloatArray, move: float) -> IntArray:
        if self._scale == 0.0:  # points too far apart for cells, or none apart
            return np.zeros(len(values), np.intp)
        cell = values + move
        cell *= self._scale
        np.clip(cell, 0.0, self._last, out=cell)
        return cell.astype(np.intp)

    def _count(self, queries: FloatArray, bound: float, passes: _Passes) -> IntArray:
        counts = np.empty(len(queries), np.intp)
        move = bound - self._low - self._slack if self._scale else 0.0
        for start in range(0, len(queries), CHUNK):
            few = queries[start : start + CHUNK]
            # Every index is in range by construction; "wrap" is the cheapest way to say so.
            index = self._first.take(self._cell(few, move), mode="wrap").astype(np.intp)
            self._advance(index, few, self._usual, bound, passes)
            if len(self._usual) < len(self._most):
                late = np.flatnonzero(passes(self._points.take(index, mode="wrap") - few, bound))
                rest = index[late]
                self._advance(rest, few[late], self._most, bound, passes)
                index[late] = rest
            counts[start : start + CHUNK] = index
        return counts

    def _advance(
        self, index: IntArray, queries: FloatArray, steps: list[int], bound: float, passes: _Passes
    ) -> None:
        for step in steps:
            beside = self._points[step - 1 :].take(index, mode="wrap")
            beside -= queries
            passed = passes(beside, bound)
            index += passed if step == 1 else step * passed


def _halvings(count: int) -> list[int]:
    """Return the steps of a search among so many points."""
    return [1 << k for k in reversed(range(count.bit_length()))]
