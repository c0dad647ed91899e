"""The door and the hall: checks, grids and the table that everything else is computed from."""

from truing.table.class_table import ClassTable
from truing.table.door import ArgumentNames
from truing.table.grid import Grid, LogOddsGrid, RelativeGrid
from truing.table.score_table import ScoreTable

__all__ = ["ArgumentNames", "ClassTable", "Grid", "LogOddsGrid", "RelativeGrid", "ScoreTable"]
