"""Tables against the floor: what it costs merely to sort the scores."""

import numpy as np
import numpy.typing as npt

from benchmark import Sides, at_most, benchmark
from samples import cases, margins
from truing import ScoreTable

SORT = "np.sort of the scores"


def _table(scores: npt.NDArray[np.floating], labels: npt.NDArray[np.int64]) -> Sides:
    def compare(table: ScoreTable, in_order: npt.NDArray[np.floating]) -> None:
        np.testing.assert_array_equal(np.repeat(table.scores, table.rows.astype(int)), in_order)

    return Sides(lambda: ScoreTable.from_arrays(scores, labels), lambda: np.sort(scores), compare)


@benchmark("exact table", SORT, at_most(1.5))
def exact_table(size: int) -> Sides:
    """All scores distinct."""
    return _table(*cases(size))


@benchmark("exact table of margins", SORT, at_most())
def exact_table_of_margins(size: int) -> Sides:
    """Scores of both signs."""
    scores, labels = cases(size)
    return _table(margins(scores), labels)


@benchmark("exact table, one tie", SORT, at_most())
def exact_table_with_one_tie(size: int) -> Sides:
    """Two scores are equal, so that the table cannot be read off the sorted rows."""
    scores, labels = cases(size)
    scores = scores.copy()
    scores[0] = scores[-1]
    return _table(scores, labels)


@benchmark("exact table, three decimals", SORT, at_most())
def exact_table_of_rounded_scores(size: int) -> Sides:
    """Scores that are rounded, a thousand rows and more to each."""
    scores, labels = cases(size)
    return _table(np.round(scores, 3), labels)


@benchmark("exact table of float32", "np.sort of float32 scores", at_most())
def exact_table_of_float32(size: int) -> Sides:
    """Scores of half the width, which sort in half the time; the table holds doubles."""
    scores, labels = cases(size)
    return _table(scores.astype(np.float32), labels)


@benchmark("grid table", SORT, at_most())
def grid_table(size: int) -> Sides:
    """Cells of log-odds: nothing is sorted."""
    scores, labels = cases(size)
    return Sides(
        lambda: ScoreTable.from_arrays(scores, labels, grid="log-odds"), lambda: np.sort(scores)
    )
