"""The boxcar kernel's sums: counts of windows begun and ended, exact for every double."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.summation import exact_parts
from truing.numerics.window_guide import WindowGuide, smallest_whole

__all__ = ["BoxcarSums", "StepSums", "boxcar_steps", "merge_steps", "window_edges"]

AT_ONCE = 2**14
"""Numbers worked on together: few enough for their temporaries to stay in the cache."""

FURTHEST = float(np.finfo(np.float64).max)

NEXT = 2.0**-53 * (1.0 + 2.0**-51)
"""A little over half the relative distance between doubles."""


def window_edges(points: FloatArray, bandwidth: float) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest double x with ``abs(x - point) <= bandwidth``, for each point.

    ``point - bandwidth`` and ``point + bandwidth`` miss them by a rounding, which on lattices
    such as 0.1 k moves whole points into or out of a window.

    Parameters
    ----------
    points : array of shape (n,)
    bandwidth : float, positive

    Examples
    --------
    >>> first, last = window_edges(np.array([0.2]), 0.1)
    >>> 0.2 + 0.1, float(last[0])
    (0.30000000000000004, 0.3)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return -_furthest(-points, bandwidth), _furthest(points, bandwidth)


def _furthest(points: FloatArray, bandwidth: float) -> FloatArray:
    """Largest double x with fl(x - point) <= bandwidth, a cacheful of points at a time."""
    furthest = np.empty_like(points)
    half_unit = np.spacing(bandwidth) / 2
    for start in range(0, len(points), AT_ONCE):
        few = points[start : start + AT_ONCE]
        total = few + bandwidth
        # Knuth's two-sum: point + bandwidth = total + rest, exactly.
        added = total - few
        rest = (few - (total - added)) + (bandwidth - added)
        # Differences up to half a unit beyond the bandwidth round down to it.
        edge = total + (rest + half_unit)
        # The doubles next to it, as Rump's successor and predecessor: two roundings, no branches.
        unit = np.abs(edge) * NEXT + 5e-324
        below, beyond = edge - unit, edge + unit
        edge = np.where(edge - few <= bandwidth, edge, below)
        furthest[start : start + AT_ONCE] = np.where(beyond - few <= bandwidth, beyond, edge)
    furthest[np.isnan(furthest)] = FURTHEST  # the window ends beyond all doubles
    return furthest


class BoxcarSums:
    """Sums of the weights in each window, by counting the windows that begin and end before it.

    Build costs a prefix sum of each column, a query two look-ups, whatever n. The sums are those of
    exact arithmetic, rounded once or twice: a window of tiny weight beside huge ones keeps its
    digits, an empty one is 0.

    >>> sums = BoxcarSums(np.array([0.0, 1.5]), np.array([[2.0, 3.0]]), 1.0)
    >>> sums(np.array([-1.0, 0.5, 9.0]))[0].tolist()
    [[2.0, 5.0, 0.0]]
    """

    def __init__(self, points: FloatArray, weights: Iterable[FloatArray], bandwidth: float) -> None:
        self._windows = WindowGuide(points, bandwidth)
        # Where every point weighs one, counting is all there is to do.
        self._prefixes = [
            [] if (column == 1.0).all() else list(_exact_prefix_sums(column)) for column in weights
        ]

    def __call__(self, queries: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values (columns, m), and a log scale of 0."""
        values = np.zeros((len(self._prefixes), len(queries)))
        begun, ended = self._windows.begun(queries), self._windows.ended(queries)
        for row, prefixes in enumerate(self._prefixes):
            for prefix in prefixes:
                ahead = prefix.take(begun, mode="wrap")
                ahead -= prefix.take(ended, mode="wrap")
                values[row] += ahead
            if not prefixes:
                np.subtract(begun, ended, out=values[row])
        return values, np.zeros(len(queries))


class StepSums(NamedTuple):
    """A function of x that only steps: ``sums[..., k]`` for edges[k - 1] < x <= edges[k].

    The step of x is ``np.searchsorted(edges, x)``.
    """

    edges: FloatArray
    sums: FloatArray


def boxcar_steps(points: FloatArray, weights: FloatArray, bandwidth: float) -> StepSums:
    """All values of the boxcar sum S(x) = sum of w_i over ``abs(x - x_i) <= h``, as steps.

    Parameters
    ----------
    points : array of shape (n,), sorted and distinct
    weights : array of shape (n,) or (columns, n)
    bandwidth : float, positive

    Returns
    -------
    StepSums
        At most 2 n edges, strictly increasing; exact for every double x. Sums are those of exact
        arithmetic, rounded once or twice: a window of tiny weight beside huge ones keeps its
        digits, an empty one is 0.

    Notes
    -----
    Costs one linear merge of the windows' beginnings and ends. Columns with points or bandwidths
    of their own: `merge_steps`.

    Examples
    --------
    >>> steps = boxcar_steps(np.array([0.0, 1.5]), np.array([2, 3]), 1.0)
    >>> steps.sums.tolist()
    [0.0, 2.0, 5.0, 3.0, 0.0]
    >>> steps.sums[np.searchsorted(steps.edges, [-1.0, 0.5, 1.0, 1.01])].tolist()
    [2.0, 5.0, 5.0, 3.0]
    """
    first, last = window_edges(points, bandwidth)
    with np.errstate(over="ignore"):  # a window may begin before all doubles
        before = np.maximum(np.nextafter(first, -np.inf), -FURTHEST)
    edges, (begun, ended) = _merge(before, last)
    columns = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    sums = np.zeros((len(columns), len(begun)))
    for row, column in enumerate(columns):
        for part in _exact_prefix_sums(column):
            for start in range(0, len(begun), AT_ONCE):
                steps = slice(start, start + AT_ONCE)
                sums[row, steps] += part.take(begun[steps]) - part.take(ended[steps])
    return StepSums(edges, sums.reshape(*np.shape(weights)[:-1], -1))


def merge_steps(*functions: StepSums) -> StepSums:
    """Several step functions over one set of edges, their columns one below another.

    Examples
    --------
    >>> one = boxcar_steps(np.array([0.0]), np.array([1.0]), 1.0)
    >>> two = boxcar_steps(np.array([1.0]), np.array([5.0]), 0.5)
    >>> merge_steps(one, two).sums.tolist()
    [[0.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 5.0, 5.0, 0.0]]
    """
    edges, counts = _merge(*(function.edges for function in functions))
    columns = [
        np.atleast_2d(function.sums)[:, count]
        for function, count in zip(functions, counts, strict=True)
    ]
    return StepSums(edges, np.concatenate(columns))


def _merge(*runs: FloatArray) -> tuple[FloatArray, list[IntArray]]:
    """Distinct edges of several sorted runs, and how many of each run lie before each step."""
    joined = np.concatenate(runs)
    order = np.argsort(joined, kind="stable")  # finds the runs and merges them in linear time
    edges = joined[order]
    distinct = edges[1:] != edges[:-1]
    steps = np.concatenate([[0], np.flatnonzero(distinct) + 1, [len(edges)]])
    ends = np.cumsum([len(run) for run in runs[:-1]], dtype=np.int64)
    before = [np.append(0, np.cumsum(order < end)).take(steps) for end in ends]
    before = [np.zeros_like(steps), *before, steps]
    return edges[steps[1:] - 1], [upper - lower for lower, upper in pairwise(before)]


def _exact_prefix_sums(weights: FloatArray) -> Iterator[npt.NDArray[Any]]:
    """Prefix sums without any rounding, of parts that add up to the weights; least part first.

    Those of whole numbers come as such, in half the memory where they are small enough.
    """
    for part in reversed(list(exact_parts(weights))):
        total = float(part.sum())
        whole = total < 2.0**53 and (part == np.rint(part)).all()
        kind = smallest_whole(total) if whole else np.float64
        prefix = np.empty(len(part) + 1, kind)
        prefix[0], prefix[1:] = 0, part
        yield np.cumsum(prefix, dtype=kind, out=prefix)
