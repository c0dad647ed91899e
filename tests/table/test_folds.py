"""Folds of a table: what cross-validation may rely on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truing import OptionError, ScoreTable
from truing.numerics.folds import fold_weights

whole = st.lists(st.integers(0, 7), min_size=1, max_size=40).map(np.array)
settled = settings(derandomize=True, deadline=None)


@given(weights=whole, count=st.integers(2, 7))
@settled
def test_whole_weights_stay_whole_and_folds_are_of_a_size(weights, count):
    parts = fold_weights(weights.astype(float), count)
    assert np.array_equal(parts.sum(axis=0), weights)
    assert np.array_equal(parts, np.round(parts))
    assert (parts >= 0).all()
    sizes = parts.sum(axis=1)
    assert sizes.max() - sizes.min() <= 1


def test_folds_move_as_little_as_weights_do():
    weights = np.random.default_rng(0).uniform(0.1, 4.0, 300)
    weights[::7] = np.round(weights[::7])
    shaken = weights * (1.0 + 1e-13 * np.random.default_rng(1).uniform(-1, 1, 300))
    np.testing.assert_allclose(fold_weights(weights, 5), fold_weights(shaken, 5), atol=1e-11)


@pytest.mark.parametrize("weight", [1.0, 5.0, 256.0, 257.0, 5000.0])
@pytest.mark.parametrize("count", [2, 5, 10])
def test_cases_are_dealt_as_if_drawn_one_by_one(weight, count):
    parts = fold_weights(np.full(4000, weight), count)
    assert np.array_equal(parts.sum(axis=0), np.full(4000, weight))
    assert (parts >= 0).all()
    assert np.array_equal(parts, np.round(parts))
    expected = weight / count
    spread = expected * (1.0 - 1.0 / count)
    assert np.abs(parts.mean(axis=1) - expected).max() < 5 * np.sqrt(spread / 4000)
    np.testing.assert_allclose(parts.var(axis=1), spread, rtol=0.12, atol=0.1)
    between = np.corrcoef(parts)[np.triu_indices(count, 1)]
    np.testing.assert_allclose(between, -1.0 / (count - 1), atol=0.08)
    beside = np.corrcoef(parts[0, :-1], parts[0, 1:])[0, 1]
    assert abs(beside) < 0.08


def test_a_seed_deals_anew():
    one, other = (fold_weights(np.ones(1000), 5, seed).argmax(axis=0) for seed in (0, 1))
    assert abs((one == other).mean() - 0.2) < 0.06


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
