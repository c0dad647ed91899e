"""The table against its definition, its arithmetic, and that nothing changes it."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from witness import (
    assert_is,
    assert_valid,
    columns_of,
    everywhere,
    fractions,
    probabilities,
    repeatable,
    rows_of,
    sizes,
    ties,
)

from truing import DataError, LogOddsGrid, RelativeGrid, ScoreTable
from truing.table import Grid

GRIDS = [None, LogOddsGrid(), LogOddsGrid(0.5), RelativeGrid(), RelativeGrid(2.0**-20)]
WEIGHTS = {
    "none": None,
    "whole": st.integers(1, 5).map(float),
    "fractions": fractions,
    "of any size": st.one_of(
        sizes.filter(lambda size: size > 1e-90), sizes.map(lambda s: s + 1e-90)
    ),
}
on_every_grid = pytest.mark.parametrize("grid", GRIDS, ids=str)
with_all_weights = pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
any_grid = st.sampled_from(GRIDS)


def scores_for(grid):
    return probabilities if isinstance(grid, LogOddsGrid) else st.one_of(everywhere, ties)


def table_of(rows, grid=None):
    scores, positive, weights = rows
    return ScoreTable.from_arrays(scores, positive, weights, grid)


@with_all_weights
@repeatable
@given(grid=any_grid, data=st.data())
def test_a_table_is_what_its_rows_make_by_definition(grid, weights, data):
    scores, positive, weight = data.draw(rows_of(scores_for(grid), weights))
    table = ScoreTable.from_arrays(scores, positive, None if weights is None else weight, grid)
    keys = scores if grid is None else grid.cells(scores)
    assert_is(table, keys.tolist(), positive, weight)
    assert_valid(table)
    assert table.classes == (False, True)
    if grid is not None:
        assert np.array_equal(table.scores, grid.centres(table.cells))


@with_all_weights
@repeatable
@given(grid=any_grid, data=st.data())
def test_row_order_changes_no_bit(grid, weights, data):
    rows = data.draw(rows_of(scores_for(grid), weights))
    order = np.array(data.draw(st.permutations(range(len(rows[0])))))
    assert table_of([column[order] for column in rows], grid) == table_of(rows, grid)


@repeatable
@given(grid=any_grid, data=st.data())
def test_weights_are_repetitions(grid, data):
    scores, positive, weights = data.draw(rows_of(scores_for(grid), st.integers(0, 4)))
    if not weights.any():
        return
    repeated = ScoreTable.from_arrays(
        np.repeat(scores, weights), np.repeat(positive, weights), grid=grid
    )
    weighted = table_of((scores, positive, weights), grid)
    assert np.array_equal(weighted.scores, repeated.scores)
    assert np.array_equal(weighted.negatives, repeated.negatives)
    assert np.array_equal(weighted.positives, repeated.positives)


@with_all_weights
@repeatable
@given(grid=any_grid, data=st.data())
def test_merged_is_pooled_and_empty_is_zero(grid, weights, data):
    rows = data.draw(rows_of(scores_for(grid), weights, least=2))
    cut = data.draw(st.integers(1, len(rows[0]) - 1))
    pooled = table_of(rows, grid)
    parts = [
        table_of([column[part] for column in rows], grid) for part in (np.s_[:cut], np.s_[cut:])
    ]
    merged = parts[0] + parts[1]
    assert_valid(merged)
    assert parts[1] + parts[0] == merged == sum(parts)
    assert np.array_equal(merged.scores, pooled.scores)
    for found, expected in zip(columns_of(merged), columns_of(pooled), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0)
    if weights is None or weights is WEIGHTS["whole"]:
        assert all(map(np.array_equal, columns_of(merged), columns_of(pooled)))
    empty = ScoreTable.empty(grid)
    assert empty + pooled == pooled + empty == pooled


def test_rows_without_weight_are_as_if_they_were_not_there():
    scores, labels = [0.1, 0.2, 0.2, 0.9], [0, 1, 0, 1]
    table = ScoreTable.from_arrays(scores, labels, [1.0, 0.0, 1.0, 1.0])
    assert table == ScoreTable.from_arrays([0.1, 0.2, 0.9], [0, 0, 1])


def test_a_score_without_negatives_has_exactly_none_whatever_its_weights():
    rng = np.random.default_rng(8)
    scores, weights = (
        rng.integers(0, 40, 5000),
        rng.random(5000) * 10.0 ** rng.integers(-9, 9, 5000),
    )
    table = ScoreTable.from_arrays(scores, scores % 2 == 0, weights)
    assert not table.negatives[::2].any()
    assert not table.positives[1::2].any()
    assert np.array_equal(table.has_negatives, table.scores % 2 == 1)
    assert np.array_equal(table.weights, table.negatives + table.positives)


def test_a_tiny_weight_is_not_lost_beside_a_huge_one():
    table = ScoreTable.from_arrays([0.5, 0.5], [0, 1], [1e-80, 1e80])
    assert (table.negatives[0], table.positives[0]) == (1e-80, 1e80)


def test_what_a_weighted_table_tells():
    table = ScoreTable.from_arrays([0.2, 0.2, 0.7], [0, 1, 1], [0.5, 2.0, 3.0])
    assert table.weights.tolist() == [2.5, 3.0]
    assert table.rows.tolist() == [2.0, 1.0]
    assert table.squares.tolist() == [4.25, 9.0]
    assert table.positive_squares.tolist() == [4.0, 9.0]
    assert (table.total, table.total_positive, table.prevalence) == (5.5, 5.0, 5.0 / 5.5)


def test_what_a_table_of_counts_tells():
    table = ScoreTable.from_arrays([0.2, 0.2, 0.7], [0, 1, 1])
    assert table.rows.tolist() == table.squares.tolist() == table.weights.tolist() == [2.0, 1.0]
    assert table.positive_squares.tolist() == table.positives.tolist() == [1.0, 1.0]
    assert table.has_negatives.tolist() == [True, False]
    assert len(table) == 2


def test_an_empty_table_tells_nothing():
    table = ScoreTable.empty()
    assert len(table) == table.total == table.total_positive == 0
    assert math.isnan(table.prevalence)
    assert table.holds_probabilities
    assert table.classes is None
    assert repr(table) == "ScoreTable(empty)"
    assert table + table == table


@pytest.mark.parametrize(
    ("scores", "held"),
    [([0.0, 1.0], True), ([-1e-300, 1.0], False), ([0.5, 1.0 + 2.0**-52], False)],
)
def test_whether_it_holds_probabilities(scores, held):
    assert ScoreTable.from_arrays(scores, [0, 1]).holds_probabilities is held


def test_it_prints_what_it_holds():
    table = ScoreTable.from_arrays([0.25, None, 0.5], ["no", "no", "yes"], missing="drop")
    told = (
        "ScoreTable(2 cases, 1 positive ('yes'), 2 distinct scores from 0.25 to 0.5, 1 missing left"
    )
    assert repr(table) == told + " out)"


def test_rows_that_are_left_out_add_up():
    one = ScoreTable.from_arrays([0.2, np.nan, 0.3], [0, 0, 1], missing="drop")
    two = ScoreTable.from_arrays([0.2, 0.3], [0, 1])
    assert dict(one.left_out) == {"missing": 1}
    assert dict((one + two + one).left_out) == {"missing": 2}
    assert one != ScoreTable.from_arrays([0.2, 0.3], [0, 1])


@pytest.mark.parametrize(
    "other", [1, 1.5, 0.0, False, None, "x", [], (), {}, np.zeros(2), np.int64(0)]
)
def test_only_tables_and_the_zero_of_sum_add(other):
    table = ScoreTable.from_arrays([0.2, 0.7], [0, 1])
    with pytest.raises(TypeError):
        table + other
    with pytest.raises(TypeError):
        other + table


def test_zero_is_where_sum_begins():
    table = ScoreTable.from_arrays([0.2, 0.7], [0, 1])
    assert sum([table]) == table
    assert sum([], ScoreTable.empty()) == ScoreTable.empty()


@pytest.mark.parametrize("other", [None, 1, "x", (), np.zeros(2)])
def test_a_table_is_equal_to_nothing_else(other):
    table = ScoreTable.from_arrays([0.2, 0.7], [0, 1])
    assert (table == other) is False
    assert (table != other) is True


def test_equal_tables_are_equal_and_hash_alike():
    def made(scores=(0.2, 0.7), labels=(0, 1), weights=(1, 2), **options):
        return ScoreTable.from_arrays(scores, labels, weights, **options)

    assert made() == made()
    assert hash(made()) == hash(made())
    others = [
        made(scores=(0.2, 0.8)),
        made(labels=(1, 0)),
        made(labels=("a", "b")),
        made(weights=(2, 1)),
        made(weights=None),
        made(pos_label=0),
        made(grid="relative"),
        made((0.2, 0.7, np.nan), (0, 1, 1), (1, 2, 1), missing="drop"),
        ScoreTable.empty(),
    ]
    assert all(made() != other for other in others)
    twice = made((0.2, 0.7, 0.7), (0, 1, 1), None)
    assert np.array_equal(made().weights, twice.weights)
    assert made() != twice
    counted, packed = ScoreTable.from_arrays([0.2, 0.7], [0, 1]), ScoreTable.from_arrays([0.7], [1])
    summed = ScoreTable.from_arrays([0.2], [0]) + packed
    assert counted == summed
    assert hash(counted) == hash(summed)


def test_tables_of_unequal_classes_do_not_add():
    one, two = (ScoreTable.from_arrays([0.1, 0.6], labels) for labels in ([0, 1], [-1, 1]))
    with pytest.raises(DataError, match=r"unequal classes do not add: \(0, 1\) and \(-1, 1\)"):
        one + two
    with pytest.raises(DataError, match="unequal classes"):
        one + ScoreTable.from_arrays([0.1, 0.6], [0, 1], pos_label=0)


def test_labels_that_are_equal_numbers_are_the_same_classes():
    tables = [
        ScoreTable.from_arrays([0.1, 0.6], kind([0, 1])) for kind in (list, np.float32, np.bool_)
    ]
    assert sum(tables).total == 6.0


@pytest.fixture(params=["counts", "booleans", "weights", "grid"])
def table(request):
    scores = [0.1, 0.2, 0.4] if request.param == "booleans" else [0.1, 0.2, 0.2, np.nan]
    weights = [0.5, 2.0, 1.5, 1.0] if request.param == "weights" else None
    grid = "relative" if request.param == "grid" else None
    labels = [0, 1, 1, 0][: len(scores)]
    return ScoreTable.from_arrays(scores, labels, weights, grid, missing="drop")


ARRAYS = [
    "scores",
    "weights",
    "positives",
    "negatives",
    "positive_weights",
    "negative_weights",
    "rows",
    "positive_squares",
    "cells",
]


def assert_cannot_be_changed(table):
    for name in ARRAYS:
        array = getattr(table, name)
        if array is not None:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    if table.spread is not None:
        for name in ("rows", "negative_squares", "positive_squares"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(table.spread, name)[0] = 0
    with pytest.raises(FrozenInstanceError):
        table.scores = np.zeros(3)
    with pytest.raises(FrozenInstanceError):
        del table.classes
    with pytest.raises(TypeError):
        table.left_out["missing"] = 5


def test_nothing_changes_a_table(table):
    assert_cannot_be_changed(table)


@pytest.mark.parametrize(
    "way",
    [
        copy.copy,
        copy.deepcopy,
        *(
            lambda table, protocol=protocol: pickle.loads(pickle.dumps(table, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ],
    ids=["copy", "deepcopy", *map(str, range(pickle.HIGHEST_PROTOCOL + 1))],
)
def test_copies_and_pickles_are_equal_and_as_unchangeable(table, way):
    table.positives, table.weights, table.total  # noqa: B018 - what is derived must not get in the way
    again = way(table)
    assert again == table
    assert repr(again) == repr(table)
    assert_cannot_be_changed(again)
    assert again + table == table + table


def test_a_pickle_holds_nothing_twice():
    scores = np.linspace(0.0, 1.0, 10_000)
    table = ScoreTable.from_arrays(scores, scores > 0.5)
    before = len(pickle.dumps(table))
    assert before < 11 * len(scores)
    table.positives, table.negatives, table.weights  # noqa: B018 - derived now
    assert len(pickle.dumps(table)) == before


@on_every_grid
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1, 3, 2000])
def test_a_table_does_not_share_the_callers_arrays(grid, weighted, size):
    rng = np.random.default_rng(size)
    scores, labels, weights = rng.random(size), rng.random(size) < 0.5, rng.random(size) + 0.1
    given_arrays = scores.copy(), labels.copy(), weights.copy()
    arrays = given_arrays if weighted else given_arrays[:2]
    table = ScoreTable.from_arrays(*arrays, grid=grid)
    told = table.to_dict()
    for array, original in zip(given_arrays, (scores, labels, weights), strict=True):
        assert np.array_equal(array, original)
        assert array.flags.writeable
        array[:] = 0
    assert table.to_dict() == told


@repeatable
@given(rows_of(st.sampled_from(np.linspace(0.0, 1.0, 9).tolist()), fractions))
def test_transform_moves_the_scores_of_the_same_cases(rows):
    scores, positive, weights = rows
    moved = table_of(rows).transform(lambda s: (s > 0.5) * -1.0)
    expected = table_of(((scores > 0.5) * -1.0, positive, weights))
    assert np.array_equal(moved.scores, expected.scores)
    for found, wanted in zip(columns_of(moved), columns_of(expected), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-15, atol=0)
    assert_valid(moved)


def test_transform_leaves_the_grid_and_keeps_what_is_known():
    table = ScoreTable.from_arrays(
        [0.2, np.nan, 0.7], ["a", "a", "b"], grid="log-odds", missing="drop"
    )
    moved = table.transform(lambda scores: 100.0 * scores)
    assert moved.grid is None
    assert moved.classes == ("a", "b")
    assert dict(moved.left_out) == {"missing": 1}
    assert len(ScoreTable.empty().transform(np.negative)) == 0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda scores: scores[:1], r"lengths differ: scores has 2, function\(scores\) has 1"),
        (lambda scores: scores * np.nan, r"function\(scores\): nan at position 0 is missing"),
        (lambda scores: [0.1, math.inf], r"function\(scores\): inf at position 1 is infinite"),
        (lambda scores: None, r"function\(scores\) is None"),
        (lambda scores: 0.5, r"function\(scores\) is 0\.5"),
        (lambda scores: ["a", "b"], r"function\(scores\): 'a' at position 0"),
    ],
)
def test_transform_refuses_what_is_no_score(function, message):
    with pytest.raises(DataError, match=message):
        ScoreTable.from_arrays([0.2, 0.7], [0, 1]).transform(function)


def test_a_grid_can_be_no_object_of_the_family_itself():
    with pytest.raises(TypeError, match="abstract"):
        Grid()
