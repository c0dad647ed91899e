"""Shares of positives smoothed by a kernel over ranks, its window weighed by cross-validation.

The rank of a score is the mass below it and half its own, where each class has half of all mass: so
tied scores share one rank, ranks fill [0, 1], and a window of ranks is narrow in scores where
either class crowds and wide where both are rare.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.folds import fold_weights

CELLS = 512  # beyond so many scores neighbours are pooled, and no window is narrower than a cell
FOLDS = 5
TRIED = 0.64 * 2.0 ** -np.arange(0.0, 5.01, 0.5)  # standard deviations for a thousand cases
SHRINKING = -1.0 / 3.0  # a thousand times the cases, a tenth of the windows
NARROWEST = 1e-100  # distances in windows, and their squares, must be doubles
RIM = 1.0 + 1e-9  # so that rounding of ranks does not decide what is at a window's rim


def _cube(values: FloatArray) -> FloatArray:
    return values * values * values


SHAPES: dict[str, Callable[[FloatArray], FloatArray]] = {  # of distances in bandwidths
    "boxcar": lambda u: (u <= RIM).astype(np.float64),
    "triangular": lambda u: 1.0 - np.minimum(u, 1.0),
    "epanechnikov": lambda u: 1.0 - np.minimum(u, 1.0) ** 2,
    "tricube": lambda u: _cube(1.0 - _cube(np.minimum(u, 1.0))),
    "gaussian": lambda u: np.exp(-0.5 * u * u),
}
# The standard deviation of each, so that the windows tried reach equally far whatever the kernel.
DEVIATIONS = {
    "boxcar": 3**-0.5,
    "triangular": 6**-0.5,
    "epanechnikov": 5**-0.5,
    "tricube": (35 / 243) ** 0.5,
    "gaussian": 1.0,
}


class RankCells(NamedTuple):
    """Cases of neighbouring scores that share one rank, and the scores at which shares are told."""

    ranks: FloatArray
    negatives: FloatArray
    positives: FloatArray
    knots: IntArray  # positions among the scores
    knot_ranks: FloatArray
    least_window: float


def rank_cells(negatives: FloatArray, positives: FloatArray) -> RankCells:
    """Return the cells of scores whose weights in both classes are given in order of scores.

    Up to 512 scores are a cell each. More are pooled into that many cells of equal mass at most,
    and shares are told at the first score of each and at the last of all.

    >>> rank_cells(np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])).ranks
    array([0.125, 0.5  , 0.875])
    """
    mass = 0.5 * (negatives / negatives.sum() + positives / positives.sum())
    ranks = np.cumsum(mass) - 0.5 * mass
    every = np.arange(len(ranks))
    if len(ranks) <= CELLS:
        return RankCells(ranks, negatives, positives, every, ranks, NARROWEST)
    cells = np.floor(ranks * CELLS)
    starts = every[np.append(True, cells[1:] > cells[:-1])]
    negatives, positives, mass, moment = (
        np.add.reduceat(column, starts) for column in (negatives, positives, mass, ranks * mass)
    )
    knots = np.union1d(starts, every[-1])
    return RankCells(moment / mass, negatives, positives, knots, ranks[knots], 1.0 / CELLS)


def windows_to_try(total: float, kernel: str) -> FloatArray:
    """Return bandwidths from wide to narrow for so many cases, in shares of the mass."""
    windows: FloatArray = TRIED * (total / 1000.0) ** SHRINKING / DEVIATIONS[kernel]
    return windows


def smooth_log_odds(cells: RankCells, windows: FloatArray, kernel: str) -> FloatArray:
    """Return the log-odds of the smoothed share of positives at each knot.

    A window's share is (Σ K n₊ + b) / (Σ K n + 1), the sums over all cells, b the prevalence: one
    case is added that knows nothing but this. Shares are averaged over the windows, each weighed by
    how likely it makes the labels of each fifth of the cases, told by the other four.

    >>> cells = rank_cells(np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0]))
    >>> smooth_log_odds(cells, np.array([0.1]), "boxcar").round(3)
    array([-0.847,  0.   ,  0.847])
    """
    windows = np.unique(np.maximum(windows, cells.least_window))
    weights = np.ones(1)
    if len(windows) > 1:
        likelihoods = _left_out_likelihoods(cells, windows, kernel)
        weights = np.exp(likelihoods - likelihoods.max())
    distances = np.abs(cells.ranks[:, None] - cells.knot_ranks)
    held, prior = _classes(cells)
    shares = np.zeros((2, len(cells.knots)))
    for weight, window in zip(weights / weights.sum(), windows, strict=True):
        sums = _weighted(held, SHAPES[kernel](distances / window)) + prior
        shares += weight * (sums / sums.sum(axis=0))
    against, positive = np.log(shares)
    log_odds: FloatArray = positive - against
    return log_odds


def _left_out_likelihoods(cells: RankCells, windows: FloatArray, kernel: str) -> FloatArray:
    """Return the log likelihood of all labels under each window, told by the other folds."""
    distances = np.abs(cells.ranks[:, None] - cells.ranks)
    held, prior = _classes(cells)
    left_out = np.stack([fold_weights(each, FOLDS, label) for label, each in enumerate(held)])
    others = np.maximum(held[:, None] - left_out, 0.0)
    likelihoods = np.empty(len(windows))
    for number, window in enumerate(windows):
        sums = _weighted(others, SHAPES[kernel](distances / window)) + prior[:, None]
        likelihoods[number] = (left_out * np.log(sums / sums.sum(axis=0))).sum()
    return likelihoods


def _weighted(held: FloatArray, kernels: FloatArray) -> FloatArray:
    """Return the product, in an order of terms that no number of threads changes."""
    sums: FloatArray = np.einsum("...c,ck->...k", held, kernels)
    return sums


def _classes(cells: RankCells) -> tuple[FloatArray, FloatArray]:
    """Return what each cell has of either class, negatives first, and the share of each of all."""
    held = np.stack([cells.negatives, cells.positives])
    return held, held.sum(axis=1, keepdims=True) / held.sum()
