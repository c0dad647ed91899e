"""Grids: how far a score moves, which cell it falls into, and that order stays."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from witness import everywhere, probabilities, repeatable

from truing import DataError, LogOddsGrid, OptionError, RelativeGrid, ScoreTable
from truing.table.grid import as_grid, grid_from_dict

SMALLEST, LARGEST = 5e-324, float(np.finfo(float).max)
NEXT_TO_ONE = 1.0 - 2.0**-53
WIDTHS = [1 / 4096, 1.0, 0.3, 1 / 64, 1e-5, 2.0**-24]

next_to_one = st.integers(1, 2**30).map(lambda steps: 1.0 - steps * 2.0**-53)
tiny = st.integers(1, 2**20).map(lambda steps: steps * SMALLEST)
any_probability = st.one_of(probabilities, next_to_one, tiny)
any_margin = st.one_of(everywhere, tiny, tiny.map(float.__neg__))
every_width = pytest.mark.parametrize("width", WIDTHS)


def moved(grid, scores):
    return grid.centres(grid.cells(scores))


def sorted_array(scores):
    return st.lists(scores, min_size=1, max_size=20).map(lambda some: np.array(sorted(some)))


@repeatable
@given(sorted_array(any_probability))
@example(np.array([0.0, SMALLEST, 1e-300, 1e-5, np.nextafter(0.5, 0.0), 0.5, NEXT_TO_ONE, 1.0]))
def test_no_probability_moves_far(scores):
    assert np.abs(moved(LogOddsGrid(), scores) - scores).max() <= 3.1e-5


def test_no_probability_of_many_moves_far():
    scores = np.linspace(0.0, 1.0, 1_000_001)
    assert 3.0e-5 < np.abs(moved(LogOddsGrid(), scores) - scores).max() <= 3.1e-5


@repeatable
@given(sorted_array(any_margin))
@example(np.array([-LARGEST, -1.79e308, -SMALLEST, 0.0, SMALLEST, 2.3e-308, 1.7e308, LARGEST]))
def test_no_margin_moves_far_for_its_size(scores):
    distance = np.abs(moved(RelativeGrid(), scores) - scores)
    assert (distance <= 1.3e-4 * np.abs(scores) + SMALLEST).all()
    normal = np.abs(scores) >= 2.3e-308
    assert (distance[normal] <= 1.3e-4 * np.abs(scores[normal])).all()


def test_the_largest_margins_keep_cells_of_their_own():
    cells = np.unique(RelativeGrid().cells(np.linspace(1.78e308, LARGEST, 500)))
    assert (np.diff(RelativeGrid().centres(cells)) > 0.0).all()
    table = ScoreTable.from_arrays([-LARGEST, LARGEST], [0, 1], grid="relative")
    assert np.isfinite(table.scores).all()
    assert ScoreTable.from_dict(table.to_dict()) == table


@every_width
@repeatable
@given(data=st.data())
def test_probabilities_keep_their_order_and_a_centre_its_cell(width, data):
    scores, grid = data.draw(sorted_array(any_probability)), LogOddsGrid(width)
    cells = grid.cells(scores)
    assert cells.dtype == np.int64
    assert (np.diff(cells) >= 0).all()
    assert np.array_equal(grid.cells(grid.centres(cells)), cells)
    for end in (0.0, 1.0):
        assert np.array_equal(moved(grid, scores) == end, scores == end)


@every_width
@repeatable
@given(data=st.data())
def test_margins_keep_their_order_and_a_centre_its_cell(width, data):
    scores, grid = data.draw(sorted_array(any_margin)), RelativeGrid(width)
    cells = grid.cells(scores)
    assert cells.dtype == np.int64
    assert (np.diff(cells) >= 0).all()
    assert np.array_equal(grid.cells(grid.centres(cells)), cells)
    assert np.array_equal(np.sign(moved(grid, scores)), np.sign(scores))
    assert np.array_equal(grid.cells(-scores), -cells)


@every_width
@pytest.mark.parametrize("kind", [LogOddsGrid, RelativeGrid])
def test_where_doubles_are_as_sparse_as_cells_no_two_cells_share_a_centre(kind, width):
    steps = np.unique(np.round(np.geomspace(0.05, 20.0, 100_000) / width).astype(np.int64))
    steps = steps[steps > 0]
    scores = np.r_[steps * SMALLEST, 1.0 - steps[::-1] * 2.0**-53]
    cells = np.unique(kind(width).cells(scores))
    centres = kind(width).centres(cells)
    assert (np.diff(centres) > 0.0).all()
    assert np.array_equal(kind(width).cells(centres), cells)


@every_width
def test_cells_are_those_of_the_nearest_multiple_of_the_width(width):
    scores = np.random.default_rng(5).random(1000)
    position = np.log(scores / (1.0 - scores)) / width
    assert np.abs(LogOddsGrid(width).cells(scores) - position).max() <= 0.5 + 1e-6
    zero = RelativeGrid(width).cells(np.array([1.0]))
    assert np.abs(RelativeGrid(width).cells(scores) - zero - np.log(scores) / width).max() <= 0.501


@pytest.mark.parametrize("grid", [None, "log-odds", "relative", LogOddsGrid(0.1)])
def test_cells_owe_nothing_to_the_order_or_layout_of_rows(grid):
    rng = np.random.default_rng(2)
    scores, labels = rng.beta(0.3, 0.4, 5000), rng.random(5000) < 0.4
    order = rng.permutation(5000)
    table = ScoreTable.from_arrays(scores, labels, grid=grid)
    apart = np.repeat(scores, 3)[::3]
    assert ScoreTable.from_arrays(scores[order], labels[order], grid=grid) == table
    assert ScoreTable.from_arrays(apart, labels, grid=grid) == table
    one_by_one = [
        ScoreTable.from_arrays([s], [label], grid=grid, classes=(False, True))
        for s, label in zip(scores[:300], labels[:300], strict=True)
    ]
    assert sum(one_by_one) == ScoreTable.from_arrays(scores[:300], labels[:300], grid=grid)


def test_grids_are_equal_by_kind_and_width():
    assert LogOddsGrid() == LogOddsGrid(1 / 4096) == as_grid("log-odds")
    assert LogOddsGrid(np.float32(0.5)) == LogOddsGrid(0.5)
    assert len({LogOddsGrid(), LogOddsGrid(0.5), RelativeGrid(), RelativeGrid(0.5)}) == 4


@pytest.mark.parametrize("other", [None, "relative", LogOddsGrid(1 / 4095), RelativeGrid(0.5)])
def test_tables_on_unequal_grids_do_not_add(other):
    one = ScoreTable.from_arrays([0.1, 0.6], [0, 1], grid="log-odds")
    two = ScoreTable.from_arrays([0.1, 0.6], [0, 1], grid=other)
    with pytest.raises(DataError, match="Tables on unequal grids do not add: LogOddsGrid"):
        one + two
    with pytest.raises(DataError, match="Tables on unequal grids do not add"):
        one + ScoreTable.empty(other)


@pytest.mark.parametrize("kind", [LogOddsGrid, RelativeGrid])
@pytest.mark.parametrize(
    "width",
    [0.0, -0.1, 2.0, 2.0**-25, float("nan"), float("inf"), "0.1", None, True, 1j, [0.1], 10**5000],
    ids=lambda value: f"{type(value).__name__}",
)
def test_a_width_that_is_not_allowed_is_named(kind, width):
    with pytest.raises(
        OptionError, match=r"width of a grid is .*; it must be a number from 2\^-24"
    ):
        kind(width)


def test_a_width_becomes_a_plain_number():
    assert type(LogOddsGrid(np.float64(0.25)).width) is float
    assert type(LogOddsGrid(1).width) is float


@pytest.mark.parametrize("grid", [LogOddsGrid(), RelativeGrid(0.03)])
def test_grids_as_dictionaries(grid):
    assert grid_from_dict(grid.to_dict()) == grid
    assert grid_from_dict(None) is None


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        "log-odds",
        5,
        {"kind": "log-odds"},
        {"width": 0.1},
        {"kind": "odds", "width": 0.1},
        {"kind": ["log-odds"], "width": 0.1},
        {"kind": None, "width": 0.1},
        {"kind": "log-odds", "width": "0.1"},
        {"kind": "log-odds", "width": 10**400},
        {"kind": "log-odds", "width": 0.1, "base": 2},
    ],
    ids=str,
)
def test_what_describes_no_grid_is_refused(data):
    with pytest.raises(OptionError, match="grid is"):
        grid_from_dict(data)


@pytest.mark.parametrize("grid", ["log", 1, 0.5, LogOddsGrid, b"relative", ["relative"]], ids=str)
def test_what_is_no_grid_is_refused(grid):
    with pytest.raises(OptionError, match=r"grid is .*; it must be None \(exact\), one of"):
        ScoreTable.from_arrays([0.1, 0.2], [0, 1], grid=grid)
    with pytest.raises(OptionError, match="grid is"):
        ScoreTable.empty(grid)


def test_a_log_odds_grid_refuses_margins_by_position():
    with pytest.raises(DataError, match=r"scores: 1\.5 at position 1 is outside \[0, 1\]; a log-"):
        ScoreTable.from_arrays([0.5, 1.5, -2.0], [0, 1, 1], grid="log-odds")
