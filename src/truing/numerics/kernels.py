"""Sums of weights under a kernel, S(x) = sum_i w_i K((x - x_i) / h), fast and to the last digits.

Subtracting global prefix moments would be simpler, and wrong: where a window holds little weight,
or lies far from zero, the difference of two large numbers is noise. Here nothing is subtracted.
The points are cut into blocks no wider than the bandwidth, and each side of a window is then the
tail of one block and the head of the next. Tables hold the sum over every head and every tail, as
a polynomial in the query. Written in v = 1 - |u|, the distance to the window's rim, all terms of
all moments are positive, so that even a window with points only at its rim gets its digits.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import perm
from types import MappingProxyType
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.polynomial import Polynomial

from truing.numerics.arrays import BoolArray, FloatArray, IntArray
from truing.numerics.boxcar_steps import BoxcarSums, window_edges
from truing.numerics.gauss_transform import GaussTransform

__all__ = ["KERNELS", "Kernel", "KernelSums"]

Columns: TypeAlias = FloatArray | Sequence[FloatArray]

AT_ONCE = 2**14
"""Numbers worked on together: few enough for their temporaries to stay in the cache."""

CELLS_AT_ONCE = 2**16
"""Points whose moments are computed together, unless one block alone has more."""

RUN = 64
"""Terms added one after another; longer sums are sums of sums, so that rounding stays small."""


class ScaledSums(Protocol):
    """What a kernel makes of points and weights: sorted queries in, values and log scale out."""

    def __call__(self, queries: FloatArray, /) -> tuple[FloatArray, FloatArray]:
        """Values (columns, m) and log scale (m,) with sum = value * exp(log scale)."""


class Kernel(Protocol):
    """A kernel K(u), without its normalising constant."""

    @property
    def kinks(self) -> tuple[int, ...]:
        """Where the kernel is continuous and its slope is not, in bandwidths."""

    def sums(self, points: FloatArray, weights: Columns, bandwidth: float) -> ScaledSums:
        """Prepare the sums over sorted distinct points with weights (columns, n)."""


@dataclass(frozen=True)
class PolynomialKernel:
    """K(u) = sum_k coefficients[k] |u|^k for |u| <= 1, and 0 beyond."""

    coefficients: tuple[int, ...]

    def sums(self, points: FloatArray, weights: Columns, bandwidth: float) -> ScaledSums:
        """Prepare the sums by tables of block heads and tails."""
        return _InOrder(_PolynomialSums(points, np.stack(tuple(weights)), bandwidth, self))

    @property
    def kinks(self) -> tuple[int, ...]:
        """Where the kernel is continuous and its slope is not, in bandwidths."""
        at_centre = (0,) if self.coefficients[1] else ()
        at_rim = (-1, 1) if Polynomial(self.coefficients).deriv()(1.0) else ()
        return at_centre + at_rim

    def shift(self) -> FloatArray:
        """Matrix from moments sum_i w_i t_i^k / k! to the coefficients in d of sum_i w_i K.

        A point whose distance to the window's rim is v = d + t bandwidths adds, by Taylor,
        K = sum_j d^j / j! sum_k t^k / k! (j + k)! b_(j + k), where K = sum_k b_k v^k.
        """
        from_rim = Polynomial(self.coefficients)(Polynomial([1, -1])).coef
        matrix = np.zeros((len(from_rim), len(from_rim)))
        for power in range(len(from_rim)):
            for moment in range(len(from_rim) - power):
                degree = power + moment
                matrix[power, moment] = from_rim[degree] * perm(degree, moment)
        return matrix


@dataclass(frozen=True)
class GaussianKernel:
    """K(u) = exp(-u^2 / 2)."""

    kinks: ClassVar[tuple[int, ...]] = ()

    def sums(self, points: FloatArray, weights: Columns, bandwidth: float) -> ScaledSums:
        """Prepare the sums by a fast Gauss transform."""
        return _InOrder(GaussTransform(points, np.stack(tuple(weights)), bandwidth))


@dataclass(frozen=True)
class BoxcarKernel:
    """K(u) = 1 for |u| <= 1, and 0 beyond."""

    kinks: ClassVar[tuple[int, ...]] = ()

    def sums(self, points: FloatArray, weights: Columns, bandwidth: float) -> ScaledSums:
        """Prepare the sums by counting."""
        return BoxcarSums(points, weights, bandwidth)


@dataclass(frozen=True)
class _InOrder:
    """Sums of queries in any order by sums of sorted ones, neighbours sharing the cache."""

    sums: ScaledSums

    def __call__(self, queries: FloatArray) -> tuple[FloatArray, FloatArray]:
        order = np.argsort(queries)
        answers = [
            self.sums(queries[order[start : start + AT_ONCE]])
            for start in range(0, max(len(order), 1), AT_ONCE)
        ]
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        values = np.concatenate([value for value, _ in answers], axis=-1)
        log_scale = np.concatenate([scale for _, scale in answers])
        return values[..., back], log_scale[back]


KERNELS: Mapping[str, Kernel] = MappingProxyType(
    {
        "boxcar": BoxcarKernel(),
        "triangular": PolynomialKernel((1, -1)),
        "epanechnikov": PolynomialKernel((1, 0, -1)),
        "tricube": PolynomialKernel((1, 0, 0, -3, 0, 0, 3, 0, 0, -1)),
        "gaussian": GaussianKernel(),
    }
)
"""Kernels by name: 1, 1 - |u|, 1 - u^2 and (1 - |u|^3)^3 on |u| <= 1, and exp(-u^2 / 2)."""


class KernelSums:
    """Weighted kernel sums S(x) = sum_i w_i K((x - x_i) / h) over fixed points, at any x.

    Parameters
    ----------
    points : array of shape (n,), sorted and distinct, n >= 1
    weights : array of shape (n,) or (columns, n), or such columns, none negative
    bandwidth : float, positive
    kernel : one of `KERNELS`

    Notes
    -----
    A polynomial kernel of degree p costs p^2 n to build, 4 (p + 1) numbers of memory per point
    and column, and a query three binary searches and 4 (p + 1) multiplications, whatever n.
    A point is in the window if and only if ``abs(x - x_i) <= h`` in double arithmetic; boxcar sums
    of whole numbers are exact, and other sums are right to about 1e-13 of themselves (beside
    the rounding of x - x_i, which the definition shares). An empty window gives exactly 0. The
    Gaussian is right to 1e-9 of each sum; see `GaussTransform`.

    Examples
    --------
    >>> points, weights = np.array([0.0, 0.5, 2.0]), np.array([1.0, 1.0, 3.0])
    >>> sums = KernelSums(points, weights, 1.0, KERNELS["boxcar"])
    >>> sums(np.array([-1.0, 0.0, 1.0, 1.25, 3.01])).tolist()
    [1.0, 2.0, 5.0, 4.0, 0.0]
    """

    def __init__(
        self, points: FloatArray, weights: Columns, bandwidth: float, kernel: Kernel
    ) -> None:
        columns = (weights,) if isinstance(weights, np.ndarray) and weights.ndim == 1 else weights
        self._shape = () if columns is not weights else (len(columns),)
        with np.errstate(over="ignore"):  # an infinite distance is beyond every window, as it is
            self._sums = kernel.sums(points, columns, float(bandwidth))

    def __call__(self, queries: FloatArray) -> FloatArray:
        """Sum at each query: shape (m,), or (columns, m) for columns of weights."""
        values, log_scale = self.scaled(queries)
        values *= np.exp(log_scale)
        return values

    def scaled(self, queries: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values and log scale (m,), one for all columns, with sum = value * exp(log scale).

        Far from every point the Gaussian underflows, but the ratio of two columns does not; take
        it from the values.

        Examples
        --------
        >>> sums = KernelSums(np.array([0.0, 1.0]), np.eye(2), 1.0, KERNELS["gaussian"])
        >>> values, log_scale = sums.scaled(np.array([100.5]))
        >>> values.ravel().tolist() == [np.exp(-100.0), 1.0]
        True
        >>> log_scale.tolist()
        [-4950.125]
        """
        with np.errstate(over="ignore"):  # the same
            values, log_scale = self._sums(queries)
        return values.reshape(*self._shape, -1), log_scale


class _PolynomialSums:
    """Sums of a polynomial kernel: the points at or below the query, and those above."""

    def __init__(
        self, points: FloatArray, weights: FloatArray, bandwidth: float, kernel: PolynomialKernel
    ) -> None:
        first, last = window_edges(points, bandwidth)
        starts = _block_starts(points, last)
        self._points = points
        self._below = _OneSide(points, last, starts, weights, bandwidth=bandwidth, kernel=kernel)
        # Those above are those below in a mirror; the blocks serve both ways.
        stops = np.append(starts[1:], len(points))
        mirrored = len(points) - stops[::-1]
        self._above = _OneSide(
            -points[::-1],
            -first[::-1],
            mirrored,
            weights[:, ::-1],
            bandwidth=bandwidth,
            kernel=kernel,
        )

    def __call__(self, queries: FloatArray) -> tuple[FloatArray, FloatArray]:
        below = np.searchsorted(self._points, queries, side="right")
        values = self._below.sums(queries, below)
        values += self._above.sums(-queries, len(self._points) - below)
        return values, np.zeros(len(queries))


def _block_starts(points: FloatArray, last: FloatArray) -> IntArray:
    """Index of each block's first point; a block holds all that its first point's window holds.

    So a block is at most a bandwidth wide, and from one start to the next is more than that. No
    side of a window then meets more than two blocks, and it covers one of them to its end.
    """
    beyond = np.searchsorted(points, last, side="right").tolist()
    starts = [0]
    while beyond[starts[-1]] < len(points):
        starts.append(beyond[starts[-1]])
    return np.array(starts, dtype=np.int64)


class _OneSide:
    """Sums over those points of a window that lie at or below the query.

    `heads[:, :, i]` sums a block from its first point up to i, as a polynomial in that first
    point's distance to the window's rim; `tails[:, :, i]` sums it from i to its last point, as a
    polynomial in i's distance. Index n of both stands for no points.
    """

    def __init__(
        self,
        points: FloatArray,
        last: FloatArray,
        starts: IntArray,
        weights: FloatArray,
        *,
        bandwidth: float,
        kernel: PolynomialKernel,
    ) -> None:
        self._points, self._last, self._bandwidth = points, last, bandwidth
        lengths = np.diff(starts, append=len(points))
        self._start = np.repeat(starts, lengths)
        shift = kernel.shift()
        self._heads = np.zeros((len(shift), len(weights), len(points) + 1))
        self._tails = np.zeros_like(self._heads)
        for index, inside in _batches(starts, lengths):
            located = points[index]
            weighed = weights[:, index] * inside
            heads = _head_moments(located, weighed, bandwidth, len(shift))
            tails = _tail_moments(located, weighed, bandwidth, len(shift))
            places = index[inside]
            self._heads[:, :, places] = np.einsum("dk,kcbi->dcbi", shift, heads)[:, :, inside]
            self._tails[:, :, places] = np.einsum("dk,kcbi->dcbi", shift, tails)[:, :, inside]

    def sums(self, queries: FloatArray, count: IntArray) -> FloatArray:
        """Add up, shape (columns, m), where `count` points lie at or below each query."""
        nothing = len(self._points)
        lowest = np.searchsorted(self._last, queries, side="left")
        start = self._start[count - 1]
        head = np.where((lowest < count) & (lowest <= start), count - 1, nothing)
        tail = np.where((lowest < count) & (lowest != start), lowest, nothing)
        values = self._evaluate(self._heads, head, queries - self._points[start])
        values += self._evaluate(
            self._tails, tail, queries - self._points[tail.clip(max=nothing - 1)]
        )
        return values

    def _evaluate(self, table: FloatArray, index: IntArray, below: FloatArray) -> FloatArray:
        # Without the limits, an unused distance could overflow and make nan out of no points.
        to_rim = 1.0 - np.clip(below, 0.0, self._bandwidth) / self._bandwidth
        result: FloatArray = table[-1].take(index, axis=-1)
        for coefficients in table[-2::-1]:
            result *= to_rim
            result += coefficients.take(index, axis=-1)
        return result


def _batches(starts: IntArray, lengths: IntArray) -> Iterator[tuple[IntArray, BoolArray]]:
    """Blocks of like length as the rows of an index, padded to a power of two, and what is real."""
    exponents = np.frexp(lengths - 1)[1]
    for exponent in np.unique(exponents).tolist():
        blocks = np.flatnonzero(exponents == exponent)
        columns = np.arange(2**exponent)
        at_once = max(1, CELLS_AT_ONCE >> exponent)
        for start in range(0, len(blocks), at_once):
            rows = blocks[start : start + at_once]
            inside = columns < lengths[rows, None]
            yield starts[rows, None] + np.minimum(columns, lengths[rows, None] - 1), inside


def _head_moments(
    points: FloatArray, weights: FloatArray, bandwidth: float, orders: int
) -> FloatArray:
    """Moments sum w t^k / k! of each row up to each point, t the distance from the row's first."""
    offsets = (points - points[:, :1]) / bandwidth
    terms = weights
    moments = np.empty((orders, *weights.shape))
    for order in range(orders):
        moments[order] = _running_sums(terms)
        terms = terms * (offsets / (order + 1))
    return moments


def _tail_moments(
    points: FloatArray, weights: FloatArray, bandwidth: float, orders: int
) -> FloatArray:
    """Moments sum w t^k / k! of each row from each point on, t the distance from that point.

    From one point to the next below, all t grow by the gap g, and by the binomial theorem
    M_k grows by sum_(j < k) g^(k - j) / (k - j)! M_j: nothing negative, hence no cancellation.
    """
    gaps = np.diff(points, append=points[:, -1:])[:, ::-1] / bandwidth
    moments = np.zeros((orders, *weights.shape[:-1], weights.shape[-1] + 1))
    moments[0, ..., 1:] = _running_sums(weights[..., ::-1])
    for order in range(1, orders):
        growth = moments[0, ..., :-1].copy()
        for lower in range(1, order):
            growth *= gaps / (order - lower + 1)
            growth += moments[lower, ..., :-1]
        growth *= gaps
        moments[order, ..., 1:] = _running_sums(growth)
    return moments[..., :0:-1]


def _running_sums(terms: FloatArray) -> FloatArray:
    """Cumulative sums over the last axis, whose length is a power of two."""
    if terms.shape[-1] <= RUN:
        return np.cumsum(terms, axis=-1)
    runs = np.cumsum(terms.reshape(*terms.shape[:-1], -1, RUN), axis=-1)
    runs[..., 1:, :] += _running_sums(runs[..., -1])[..., :-1, None]
    return runs.reshape(terms.shape)
