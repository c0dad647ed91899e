"""Sums of Gaussians on a line, to nine digits of each sum, however far into the tails.

The plain way costs one exponential for each pair of query and point. Here the points are cut into
narrow blocks, each block keeps a few moments, and a query adds up the blocks that can matter.

References
----------
Greengard and Strain (1991), The fast Gauss transform, https://doi.org/10.1137/0912004.
Departures: moments are those of the tilted Taylor series (Yang, Duraiswami and Gumerov 2003),
blocks narrow as a query moves away from the points, and the nearest point's exponential is left
out of the sum, so that nothing underflows.
"""

from dataclasses import dataclass

import numpy as np

from truing.numerics.arrays import BoolArray, FloatArray, IntArray
from truing.numerics.log_odds import SMALLEST
from truing.numerics.nearest import nearest

TERMS = 20
"""Terms of the series. With |offset * query| <= 2.32 the rest is below 1e-10 of a block's sum."""

HALF_WIDTH = 0.25
"""Half a block's width in bandwidths, for queries that look out no further than `RADIUS`."""

RADIUS = 9.0
"""Bandwidths that a query looks out with blocks of full width; twice as far, half the width."""

LEVELS_KEPT = 3
"""Levels of blocks kept for later queries; narrower ones are made of the few points in reach."""

OUTSKIRTS = 1e100
"""Bandwidths from which on queries are all answered alike, so that squares do not overflow."""

NEGLIGIBLE = 1e-10
"""The share of a sum that may be left out with the blocks too far away."""


class GaussTransform:
    """Sums sum_i w_i exp(-((x - x_i) / h)^2 / 2), with exp(-d^2 / 2) of the nearest point apart.

    Parameters
    ----------
    points : array of shape (n,), sorted and distinct
    weights : array of shape (columns, n), none negative
    bandwidth : float, positive

    Notes
    -----
    A block of points c + h t, all |t| small, adds

        exp(-y^2 / 2) sum_k y^k M_k,    M_k = sum_i w_i exp(-t_i^2 / 2) t_i^k / k!,

    to a query at c + h y. Build costs 20 n, a query about 20 numbers for each of at most some 40
    blocks. Each column looks out from its own nearest point, so each sum is right to 1e-9 of
    itself, also where a column's points are much further away than another's. A nearest point d
    bandwidths away rounds the log scale by about 1e-16 d^2, as the definition does, but not the
    values, whose ratios stay right.
    """

    def __init__(self, points: FloatArray, weights: FloatArray, bandwidth: float) -> None:
        self._bandwidth = bandwidth
        self._points = points[(weights > 0).any(axis=0)]
        self._columns = [_Column(points, column, bandwidth) for column in weights if column.any()]
        self._filled: BoolArray = np.any(weights, axis=1)

    def __call__(self, queries: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values (columns, m) and log scale (m,) with sum = value * exp(log scale)."""
        values = np.zeros((len(self._filled), len(queries)))
        if not self._filled.any():
            return values, np.zeros(len(queries))
        outskirts = OUTSKIRTS * self._bandwidth
        queries = queries.clip(self._points[0] - outskirts, self._points[-1] + outskirts)
        reference = self._points[nearest(self._points, queries)]
        values[self._filled] = [column.sums(queries, reference) for column in self._columns]
        return values, -0.5 * ((queries - reference) / self._bandwidth) ** 2


@dataclass(frozen=True)
class _Blocks:
    """Neighbouring points gathered into blocks, and the moments M_k of each, times scale^k."""

    first: FloatArray
    last: FloatArray
    centre: FloatArray
    moments: FloatArray
    scale: float


class _Column:
    """One column of weights over the points where it is not zero."""

    def __init__(self, points: FloatArray, weights: FloatArray, bandwidth: float) -> None:
        self._points = points[weights > 0]
        self._weights = weights[weights > 0]
        self._bandwidth = bandwidth
        self._kept: dict[int, _Blocks] = {}
        self._log_shares = np.log(self._weights) - np.log(self._weights.sum())

    def sums(self, queries: FloatArray, reference: FloatArray) -> FloatArray:
        """Sum of w_i exp((d^2 - u_i^2) / 2), d from the query to a reference point of its own."""
        lower, upper, radius = self._reach(queries)
        levels = np.maximum(np.ceil(np.log2(radius / RADIUS)), 0).astype(np.int64)
        values = np.zeros(len(queries))
        for level in np.unique(levels).tolist():
            rows = np.flatnonzero(levels == level)
            blocks = self._blocks(level, lower[rows], upper[rows])
            start = np.searchsorted(blocks.last, lower[rows], side="left")
            stop = np.searchsorted(blocks.first, upper[rows], side="right")
            while len(rows):
                values[rows] += self._sums_of(blocks, start, queries[rows], reference[rows])
                start += 1
                more = start < stop
                rows, start, stop = rows[more], start[more], stop[more]
        return values

    def _reach(self, queries: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Lower and upper end of what a query needs to look at, and its radius in bandwidths.

        Everything further weighs less than NEGLIGIBLE times the nearest point alone.
        """
        index = nearest(self._points, queries)
        near = self._points[index]
        distance = np.minimum(np.abs(queries - near) / self._bandwidth, OUTSKIRTS)
        excess = -2 * (np.log(NEGLIGIBLE) + self._log_shares[index])
        radius = np.sqrt(distance**2 + excess)
        # Far away, the query would swallow the little that it looks beyond the nearest point.
        beyond = excess / (radius + distance) * self._bandwidth
        width = radius * self._bandwidth
        lower = np.where(near <= queries, near - beyond, queries - width)
        upper = np.where(near >= queries, near + beyond, queries + width)
        return lower, upper, radius

    def _sums_of(
        self, blocks: _Blocks, block: IntArray, queries: FloatArray, reference: FloatArray
    ) -> FloatArray:
        """Sum over one block for each query."""
        centre = blocks.centre[block]
        y = ((queries - centre) / self._bandwidth).clip(-OUTSKIRTS, OUTSKIRTS)
        x = (queries - reference) / self._bandwidth
        # With both on one side of a far query, |x| - |y| would be a difference of large numbers.
        between = np.sign(y) * (centre - reference) / self._bandwidth
        nearer = np.where(y * x > 0, between, np.abs(x) - np.abs(y))
        series = _polynomial(blocks.moments[:, block], y / blocks.scale)
        series *= np.exp(0.5 * nearer * (np.abs(x) + np.abs(y)))
        return series

    def _blocks(self, level: int, lower: FloatArray, upper: FloatArray) -> _Blocks:
        """Blocks of one level: all of them, or at a deep level those that the queries reach."""
        if level >= LEVELS_KEPT:
            size = len(self._points) + 1
            start = np.searchsorted(self._points, lower, side="left")
            stop = np.searchsorted(self._points, upper, side="right")
            depth = np.bincount(start, minlength=size) - np.bincount(stop, minlength=size)
            needed = np.cumsum(depth)[:-1] > 0
            return self._make(level, self._points[needed], self._weights[needed])
        if level not in self._kept:
            self._kept[level] = self._make(level, self._points, self._weights)
        return self._kept[level]

    def _make(self, level: int, points: FloatArray, weights: FloatArray) -> _Blocks:
        """Blocks of width 2 * HALF_WIDTH / 2^level bandwidths; empty ones are left out."""
        width = max(2 * HALF_WIDTH * self._bandwidth * 0.5**level, SMALLEST)
        keys = np.floor((points - points[0]) / width)
        # Far from the first point keys of different blocks may be rounded to one.
        apart = (keys[1:] > keys[:-1]) | (np.diff(points) > width)
        start = np.flatnonzero(np.concatenate([[True], apart]))
        stop = np.append(start[1:], len(keys))
        first, last = points[start], points[stop - 1]
        centre = first + (last - first) / 2
        offsets = (points - np.repeat(centre, stop - start)) / self._bandwidth
        scale = 2.0**level
        moments = _moments(offsets, weights, scale, start)
        return _Blocks(first, last, centre, moments, scale)


def _moments(offsets: FloatArray, weights: FloatArray, scale: float, start: IntArray) -> FloatArray:
    """M_k of every block, times scale^k, which keeps those of narrow blocks from underflow."""
    moments = np.empty((TERMS, len(start)))
    terms = weights * np.exp(-0.5 * offsets**2)
    for order in range(TERMS):
        moments[order] = np.add.reduceat(terms, start)
        terms *= offsets * (scale / (order + 1))
    return moments


def _polynomial(coefficients: FloatArray, argument: FloatArray) -> FloatArray:
    """Horner's rule over the first axis, lowest degree first."""
    result: FloatArray = coefficients[-1].copy()
    for coefficient in coefficients[-2::-1]:
        result *= argument
        result += coefficient
    return result
