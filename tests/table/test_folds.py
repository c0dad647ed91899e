"""Folds of a table: what cross-validation may rely on."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truing import OptionError, ScoreTable
from truing.numerics.folds import fold_weights

whole = st.lists(st.integers(0, 7), min_size=1, max_size=40).map(np.array)


@given(weights=whole, count=st.integers(2, 7))
@settings(derandomize=True, deadline=None)
def test_whole_weights_stay_whole_and_every_group_gives_each_fold_one_case(weights, count):
    parts = fold_weights(weights.astype(float), count)
    assert np.array_equal(parts.sum(axis=0), weights)
    assert np.array_equal(parts, np.round(parts))
    assert (parts >= 0).all()
    sizes = parts.sum(axis=1)
    assert sizes.max() - sizes.min() <= 1


@given(weights=whole, count=st.integers(2, 7))
@settings(derandomize=True, deadline=None)
def test_a_weight_is_so_many_cases_one_after_the_other(weights, count):
    single = fold_weights(np.ones(weights.sum()), count)
    ends = np.r_[0, np.cumsum(weights)]
    by_place = [single[:, a:b].sum(axis=1) for a, b in itertools.pairwise(ends)]
    assert np.array_equal(fold_weights(weights.astype(float), count), np.transpose(by_place))


def test_folds_move_little_when_weights_do():
    weights = np.random.default_rng(0).uniform(0.1, 2.0, 300)
    shaken = weights * (1.0 + 1e-13 * np.random.default_rng(1).uniform(-1, 1, 300))
    np.testing.assert_allclose(fold_weights(weights, 5), fold_weights(shaken, 5), atol=1e-9)


def test_no_pattern_is_left_in_who_comes_first():
    first = fold_weights(np.ones(50_000), 5).argmax(axis=0)[::5]
    assert np.abs(np.bincount(first) / 2000 - 1.0).max() < 0.1
    assert not np.array_equal(first, fold_weights(np.ones(50_000), 5, seed=1).argmax(axis=0)[::5])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grid", [None, "log-odds"])
def test_train_and_test_together_are_the_table(grid, weighted):
    rng = np.random.default_rng(3)
    weights = rng.integers(1, 4, 500) if weighted else None
    table = ScoreTable.from_arrays(rng.random(500), rng.random(500) < 0.3, weights, grid)
    pairs = table.folds(4)
    assert len(pairs) == 4
    for train, test in pairs:
        assert (train.weights > 0).all()
        assert (test.weights > 0).all()
        together = train + test
        for column in ("scores", "weights", "positives", "rows", "squares"):
            np.testing.assert_allclose(
                getattr(together, column), getattr(table, column), rtol=1e-14
            )
    assert sum(test for _, test in pairs).total == table.total


@pytest.mark.parametrize("count", [1, 0, 2.5, "x", None])
def test_a_number_of_folds_that_cannot_be(count):
    table = ScoreTable.from_arrays([0.1, 0.9], [0, 1])
    with pytest.raises(OptionError, match="n_folds"):
        table.folds(count)
