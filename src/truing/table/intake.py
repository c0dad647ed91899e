"""Intake: from rows that passed the door to the parts of a table."""

from dataclasses import dataclass

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import BoolArray, FloatArray, IntArray
from truing.numerics.pooling import Columns, count_cells, pool_scores, sum_by_key
from truing.table.door import AnyArray
from truing.table.grid import Grid

__all__ = ["Rows"]

CHUNK = 1 << 16  # rows whose cells are found at a time, within the cache


@dataclass(frozen=True, eq=False)
class Rows:
    """Scores, which of them are positive, and weights; None where every row weighs one."""

    scores: FloatArray
    positive: BoolArray
    weights: FloatArray | None

    def that_count(self, absent: BoolArray | None) -> "Rows":
        """Return the rows that have a score and weigh something."""
        if self.weights is not None and not self.weights.all():
            keep = self.weights > 0.0 if absent is None else (self.weights > 0.0) & ~absent
        elif absent is not None:
            keep = ~absent
        else:
            return self
        if not keep.any():
            raise DataError("No row has both a score and a weight above 0; at least one is needed.")
        weights = None if self.weights is None else self.weights[keep]
        if weights is not None and (weights == 1.0).all():
            weights = None
        return Rows(self.scores[keep], self.positive[keep], weights)

    def pool(self, grid: Grid | None) -> tuple[AnyArray, Columns]:
        """Return the distinct scores, or the occupied cells, in order and what is at each."""
        if self.weights is not None:
            keys = self.scores + 0.0 if grid is None else self._cells(grid)
            return sum_by_key(keys, *self._weighted_columns(self.weights))
        if grid is not None:
            return count_cells(self._cells(grid), self.positive)
        return pool_scores(self.scores, self.positive)

    def _cells(self, grid: Grid) -> IntArray:
        cells = np.empty(len(self.scores), np.int64)
        for start in range(0, len(cells), CHUNK):
            part = slice(start, start + CHUNK)
            cells[part] = grid.cells(self.scores[part])
        return cells

    def _weighted_columns(self, weights: FloatArray) -> Columns:
        # Each class is summed by itself, so that a score without negatives has exactly none.
        negatives = np.where(self.positive, 0.0, weights)
        positives = np.where(self.positive, weights, 0.0)
        rows = np.broadcast_to(1.0, len(weights))
        return [negatives, positives, rows, negatives**2, positives**2]
