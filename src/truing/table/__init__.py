"""The door and the hall: checks, grids and the table that everything else is computed from."""

from truing.table.door import ArgumentNames
from truing.table.grid import Grid, LogOddsGrid, RelativeGrid
from truing.table.score_table import ScoreTable

__all__ = ["ArgumentNames", "Grid", "LogOddsGrid", "RelativeGrid", "ScoreTable"]
