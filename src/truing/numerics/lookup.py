"""Guided look-up: which of many sorted edges a value falls between, without bisecting from scratch.

A guide over equal cells gives the first edge that can matter; as many halvings as the fullest cell
needs finish the search. It answers exactly as ``np.searchsorted`` does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray

CHUNK = 1 << 15  # values whose temporaries stay in the cache
CELLS_PER_EDGE = 16
MOST_CELLS = 1 << 18  # a larger guide no longer fits the cache and costs more than it saves

FURTHEST = 8e307  # the difference of two such doubles is a double


class Guide:
    """Finds values among sorted edges, as ``np.searchsorted(edges, values, side)``.

    >>> Guide(np.array([0.2, 0.5]), side="left").find(np.array([0.1, 0.2, 0.3, 0.9]))
    array([0, 0, 1, 2])
    """

    def __init__(self, edges: FloatArray, side: str) -> None:
        self._passes = {"left": np.less, "right": np.less_equal}[side]
        cells = min(MOST_CELLS, CELLS_PER_EDGE * len(edges) + 1)
        self._low, self._high = _span(edges)
        width = self._high - self._low
        scale = cells / width if width > 0 else 0.0
        self._scale = scale if np.isfinite(scale) else 0.0
        cell_of_edge = self._cell(edges)
        held = np.bincount(cell_of_edge, minlength=cells + 1)
        self._has_edge = held > 0
        self._first = np.cumsum(held) - held
        self._steps = [1 << k for k in reversed(range(int(held.max(initial=0)).bit_length()))]
        self._edges = np.append(edges, np.full(sum(self._steps) + 1, np.inf))

    def _cell(self, values: FloatArray) -> IntArray:
        if len(values) and (values.min() < self._low or values.max() > self._high):
            values = np.clip(values, self._low, self._high)
        cell = values - self._low
        cell *= self._scale
        return cell.astype(np.intp)

    def levels(self, values: FloatArray) -> "Levels | None":
        """Return the cells over which a function is level, if they are most of all.

        Its level after so many edges is given; NaN says that it is not level there.
        """
        levels = values.take(self._first)
        levels[self._has_edge] = np.nan
        return Levels(self._cell, levels) if 2 * np.isnan(levels).sum() < len(levels) else None

    def find(self, values: FloatArray) -> IntArray:
        """Return, for each value, how many edges lie before it; NaN is not allowed."""
        # Every index is in range by construction; "wrap" is the cheapest way to say so.
        index = self._first.take(self._cell(values), mode="wrap")
        for step in self._steps[:-1]:
            index += step * self._passes(self._edges.take(index + (step - 1), mode="wrap"), values)
        if self._steps:
            index += self._passes(self._edges.take(index, mode="wrap"), values)
        return index


def _span(edges: FloatArray) -> tuple[float, float]:
    low, high = (float(edges[0]), float(edges[-1])) if len(edges) else (0.0, 0.0)
    if low >= 0.0 and high <= 1.0 and high - low >= 0.5:
        return 0.0, 1.0  # no probability lies outside, which saves the clipping
    return max(low, -FURTHEST), min(high, FURTHEST)


@dataclass(frozen=True, eq=False)
class Levels:
    """The cells over which a function is level: values that fall into one cost a single look-up."""

    cell: Callable[[FloatArray], IntArray]
    level: FloatArray

    def look_up(
        self, values: FloatArray, otherwise: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return the level at each value, and where there is none what is answered otherwise."""
        answer = np.empty(len(values))
        for start in range(0, len(values), CHUNK):
            few, found = values[start : start + CHUNK], answer[start : start + CHUNK]
            self.level.take(self.cell(few), mode="wrap", out=found)
            rest = np.flatnonzero(np.isnan(found))
            if len(rest):
                found[rest] = otherwise(few.take(rest))
        return answer


def look_up(
    guide: Guide, columns: tuple[FloatArray, ...], values: FloatArray
) -> Iterator[tuple[slice, list[FloatArray]]]:
    """For each chunk of the values, what the columns hold at the places the guide finds."""
    for start in range(0, len(values), CHUNK):
        part = slice(start, min(start + CHUNK, len(values)))
        index = guide.find(values[part])
        yield part, [column.take(index, mode="wrap") for column in columns]
