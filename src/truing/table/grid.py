"""Grids: fixed cells for scores, so that a table is bounded in size whatever the data."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from truing.errors import OptionError
from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.log_odds import log_odds, sigmoid
from truing.table.door import shown

__all__ = ["Grid", "GridLike", "LogOddsGrid", "RelativeGrid", "as_grid", "grid_from_dict"]

NARROWEST = 2.0**-24  # the rounding of a logarithm, up to 2^-43, must not lead to another cell
FURTHEST = 745.0  # no logarithm of a double, and no log-odds but those of 0 and 1, is that far out
LARGEST_SIZE = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Grid(ABC):
    """Cells for scores. A cell is a whole number; cells are in the order of the scores they hold.

    Parameters
    ----------
    width
        The width of a cell, in log-odds or in relative size, from 2^-24 to 1. With the default no
        probability moves by more than 3.1e-5, and no margin by more than 1.3e-4 of itself; those
        next to 0, where doubles have few digits, by up to 5e-324 more.
    """

    width: float = 1 / 4096

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        is_number = isinstance(self.width, int | float | np.integer | np.floating)
        if not is_number or isinstance(self.width, bool) or not NARROWEST <= self.width <= 1.0:
            raise OptionError(
                f"width of a grid is {shown(self.width)}; it must be a number from 2^-24 to 1."
            )
        object.__setattr__(self, "width", float(self.width))

    @abstractmethod
    def cells(self, scores: FloatArray) -> IntArray:
        """Return the cell that each score falls into."""

    @abstractmethod
    def centres(self, cells: IntArray) -> FloatArray:
        """Return the score that each cell stands for."""

    def to_dict(self) -> dict[str, Any]:
        """Return the grid as plain data."""
        return {"kind": self.kind, **asdict(self)}

    @property
    def _outermost(self) -> int:
        """How many cells from its middle the axis ends."""
        return math.ceil(FURTHEST / self.width) + 1

    def _nearest(self, positions: FloatArray) -> FloatArray:
        return np.floor(positions / self.width + 0.5)


@dataclass(frozen=True)
class LogOddsGrid(Grid):
    """Cells of equal width in log-odds, for probabilities.

    Cell k holds the probabilities whose log-odds are nearest to k times the width. Exact 0 and
    exact 1 have cells of their own.

    >>> grid = LogOddsGrid()
    >>> cells = grid.cells(np.array([0.0, 0.3, 0.5, 1.0]))
    >>> grid.centres(cells).round(4)
    array([0. , 0.3, 0.5, 1. ])
    """

    kind: ClassVar[str] = "log-odds"

    def cells(self, scores: FloatArray) -> IntArray:
        """Return the cell that each probability falls into."""
        nearest = self._nearest(log_odds(scores))
        np.clip(nearest, -self._outermost, self._outermost, out=nearest)
        return nearest.astype(np.int64)

    def centres(self, cells: IntArray) -> FloatArray:
        """Return the probability that each cell stands for."""
        positions = cells.astype(np.float64) * self.width
        at_one = np.where(cells >= self._outermost, 1.0, sigmoid(positions))
        return np.where(cells <= -self._outermost, 0.0, at_one)


@dataclass(frozen=True)
class RelativeGrid(Grid):
    """Cells of equal relative width, for margins of any size and sign.

    A margin's cell is its sign times the cell of the logarithm of its size. Exact 0 has a cell of
    its own.

    >>> grid = RelativeGrid()
    >>> cells = grid.cells(np.array([-250.0, 0.0, 1.0]))
    >>> grid.centres(cells).round(1)
    array([-250.,    0.,    1.])
    """

    kind: ClassVar[str] = "relative"

    def cells(self, scores: FloatArray) -> IntArray:
        """Return the cell that each margin falls into."""
        with np.errstate(divide="ignore"):
            nearest = self._nearest(np.log(np.abs(scores)))
        nearest += self._outermost
        np.maximum(nearest, 0.0, out=nearest)
        return np.copysign(nearest, scores).astype(np.int64)

    def centres(self, cells: IntArray) -> FloatArray:
        """Return the margin that each cell stands for."""
        places = cells.astype(np.float64)
        exponents = (np.abs(places) - self._outermost) * self.width
        with np.errstate(over="ignore", under="ignore"):
            sizes = np.minimum(np.exp(exponents), LARGEST_SIZE)
        return np.where(places == 0.0, 0.0, np.copysign(sizes, places))


GRIDS: dict[str, type[Grid]] = {grid.kind: grid for grid in (LogOddsGrid, RelativeGrid)}

GridLike: TypeAlias = Grid | str | None


def as_grid(grid: GridLike) -> Grid | None:
    """Return the grid that a grid, its name or None (exact) speaks of."""
    if grid is None or isinstance(grid, Grid):
        return grid
    if isinstance(grid, str) and grid in GRIDS:
        return GRIDS[grid]()
    raise OptionError(
        f"grid is {shown(grid)}; it must be None (exact), one of {list(GRIDS)} or a Grid."
    )


def grid_from_dict(data: Any) -> Grid | None:
    """Return the grid that plain data describe."""
    if data is None:
        return None
    if isinstance(data, Mapping) and set(data) == {"kind", "width"}:
        kind = data["kind"]
        if isinstance(kind, str) and kind in GRIDS:
            return GRIDS[kind](data["width"])
    raise OptionError(
        f"grid is {shown(data)}; a kind, one of {list(GRIDS)}, and its width are needed."
    )
