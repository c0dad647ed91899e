"""What a table is put together from, and taken apart to."""

from collections.abc import Mapping
from typing import NamedTuple

from truing.numerics.pooling import Columns
from truing.table.door import AnyArray, Classes
from truing.table.grid import Grid

__all__ = ["Parts"]


class Parts(NamedTuple):
    """The parts of a `ScoreTable`.

    Attributes
    ----------
    keys
        The distinct scores, increasing; on a grid the occupied cells.
    columns
        The weight of negatives and of positives at each key. Where rows have weights of their own
        also the number of rows, and the squared weights of negatives and of positives.
    grid, classes, left_out
        As the table has them.
    """

    keys: AnyArray
    columns: Columns
    grid: Grid | None = None
    classes: Classes | None = None
    left_out: Mapping[str, int] = {}
