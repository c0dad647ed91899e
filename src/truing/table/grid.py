"""Grids: fixed cells for scores, so that a table is bounded in size whatever the data."""

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from truing.errors import OptionError
from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.log_odds import LARGEST, SMALLEST, log_odds, sigmoid

NARROWEST = 2.0**-40


@dataclass(frozen=True)
class Grid(ABC):
    """Cells for scores. A cell is a whole number; cells are in the order of the scores they hold.

    Parameters
    ----------
    width
        The width of a cell, in log-odds or in relative size. With the default no probability moves
        by more than 3.1e-5, and no margin by more than 1.3e-4 of itself.
    """

    width: float = 1 / 4096

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        if not NARROWEST <= self.width <= 1.0:
            raise OptionError(f"width of a grid is {self.width!r}; it must be from 2^-40 to 1.")

    @abstractmethod
    def cells(self, scores: FloatArray) -> IntArray:
        """Return the cell that each score falls into."""

    @abstractmethod
    def centres(self, cells: IntArray) -> FloatArray:
        """Return the score that each cell stands for."""

    def to_dict(self) -> dict[str, Any]:
        """Return the grid as plain data."""
        return {"kind": self.kind, **asdict(self)}

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

    @property
    def _edge(self) -> int:
        return math.ceil(745.0 / self.width) + 1  # no double but 0 and 1 has log-odds that far out

    def cells(self, scores: FloatArray) -> IntArray:
        """Return the cell that each probability falls into."""
        nearest = self._nearest(log_odds(scores))
        return np.clip(nearest, -self._edge, self._edge, out=nearest).astype(np.int64)

    def centres(self, cells: IntArray) -> FloatArray:
        """Return the probability that each cell stands for."""
        inner = np.clip(sigmoid(cells * self.width), SMALLEST, LARGEST)
        return np.where(cells <= -self._edge, 0.0, np.where(cells >= self._edge, 1.0, inner))


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

    @property
    def _offset(self) -> int:
        return math.ceil(745.0 / self.width) + 1  # the logarithms of doubles lie from -745 to 710

    def cells(self, scores: FloatArray) -> IntArray:
        """Return the cell that each margin falls into."""
        with np.errstate(divide="ignore"):
            nearest = self._nearest(np.log(np.abs(scores)))
        nearest += self._offset
        np.maximum(nearest, 0.0, out=nearest)
        return np.copysign(nearest, scores).astype(np.int64)

    def centres(self, cells: IntArray) -> FloatArray:
        """Return the margin that each cell stands for."""
        exponents = np.minimum((np.abs(cells) - self._offset) * self.width, math.log(1.79e308))
        sizes = np.maximum(np.exp(exponents), SMALLEST)
        return np.where(cells == 0, 0.0, np.copysign(sizes, cells))


GRIDS: dict[str, type[Grid]] = {grid.kind: grid for grid in (LogOddsGrid, RelativeGrid)}

GridLike: TypeAlias = Grid | str | None


def as_grid(grid: GridLike) -> Grid | None:
    """Return the grid that a grid, its name or None (exact) speaks of."""
    if grid is None or isinstance(grid, Grid):
        return grid
    if isinstance(grid, str) and grid in GRIDS:
        return GRIDS[grid]()
    raise OptionError(f"grid is {grid!r}; it must be None (exact), one of {list(GRIDS)} or a Grid.")


def grid_from_dict(data: Any) -> Grid | None:
    """Return the grid that plain data describe."""
    if data is None:
        return None
    if (
        not isinstance(data, dict)
        or data.get("kind") not in GRIDS
        or set(data) != {"kind", "width"}
    ):
        raise OptionError(f"grid is {data!r}; a kind of {list(GRIDS)} and its width are needed.")
    return GRIDS[data["kind"]](width=float(data["width"]))
