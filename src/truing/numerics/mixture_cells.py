"""Cells: many scores that share their responsibilities in a mixture, pooled by weight and width."""

from typing import NamedTuple

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray

__all__ = ["Cells", "coarse_cells", "labelled_cells", "pooled_cells"]

_CELLS_BY_WEIGHT = 512
_CELLS_BY_WIDTH = 512
_FINE_PER_COARSE = 4
_EXACT_UP_TO = 1500  # distinct scores; beyond, the cells cost less than the scores themselves
# Cuts at this irrational part of a step never fall on a score at a round share of the weight, where
# rounding would decide on which side it stands.
_OFFSET = (3 - 5**0.5) / 2


class Cells(NamedTuple):
    """Rows that share their responsibilities, on the standardised scale."""

    weights: FloatArray
    means: FloatArray
    variances: FloatArray
    moments: FloatArray  # 1, mean and mean square of each cell, one column each; then the label

    @property
    def labels(self) -> FloatArray | None:
        """1 for cells of positives and 0 for those of negatives, where they are labelled."""
        return self.moments[3] if len(self.moments) > 3 else None

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.weights.sum())


def pooled_cells(scores: FloatArray, weights: FloatArray) -> Cells:
    """Cells of the standardised scores: each its own if they are few, else neighbours together."""
    moments = np.stack([np.ones_like(scores), scores, scores**2])
    cells = Cells(weights, scores, np.zeros_like(scores), moments)
    if scores.size <= _EXACT_UP_TO:
        return cells
    return _merged(cells, _cell_starts(scores, weights))


def coarse_cells(cells: Cells) -> Cells:
    """Merge cells that stand for many rows; good enough to find out where to split.

    Each coarse cell is a union of fine ones, so the fine ones can only lower the free energy.
    """
    if not cells.variances.any():
        return cells
    return _merged(cells, np.arange(0, cells.weights.size, _FINE_PER_COARSE))


def labelled_cells(negatives: Cells, positives: Cells) -> Cells:
    """Cells of both classes in order of their means; the fourth moment is 1 for positives."""
    weights, means, variances = (
        np.concatenate(columns) for columns in zip(negatives[:3], positives[:3], strict=True)
    )
    labels = np.repeat([0.0, 1.0], [negatives.weights.size, positives.weights.size])
    moments = np.vstack([np.hstack([negatives.moments, positives.moments]), labels])
    order = np.lexsort([labels, means])
    return Cells(weights[order], means[order], variances[order], moments[:, order])


def _merged(cells: Cells, starts: IntArray) -> Cells:
    """Put together the cells from each start up to the next."""
    weights = np.add.reduceat(cells.weights, starts)
    means = np.add.reduceat(cells.weights * cells.means, starts) / weights
    deviations = cells.means - np.repeat(means, np.diff(starts, append=cells.weights.size))
    squares = cells.variances + deviations**2  # about the new mean, where little cancels
    variances = np.add.reduceat(cells.weights * squares, starts) / weights
    moments = np.stack([np.ones_like(means), means, means**2 + variances])
    return Cells(weights, means, variances, moments)


def _cell_starts(scores: FloatArray, weights: FloatArray) -> IntArray:
    """Index of the first score of each cell.

    Equal weights resolve where the cases are, equal widths where they are rare, and halving the
    last cell's weight again and again resolves a tail whose end lies far outside.
    """
    ends = np.cumsum(weights)
    shares = (ends - weights / 2) / ends[-1]
    steps = np.arange(_CELLS_BY_WEIGHT) + _OFFSET
    widths = np.arange(_CELLS_BY_WIDTH) + _OFFSET
    tails = 2.0 ** -(np.arange(9, 50) + _OFFSET)
    cuts = np.concatenate([steps / _CELLS_BY_WEIGHT, tails, 1 - tails])
    places = scores[0] + (scores[-1] - scores[0]) * widths / _CELLS_BY_WIDTH
    starts = [np.zeros(1, np.int64), np.searchsorted(shares, cuts), np.searchsorted(scores, places)]
    found = np.unique(np.concatenate(starts))
    return found[found < scores.size]
