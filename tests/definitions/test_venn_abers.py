"""Venn-Abers prediction against its definition, and against the package venn-abers."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from truing import CrossVennAbersCalibrator, ScoreTable, VennAbersCalibrator

ANSWERS = json.loads(
    (Path(__file__).parent / "data" / "venn_abers" / "answers.json").read_text(encoding="utf-8")
)


def with_one_more(table, score, label):
    """Isotonic regression of all cases and one more, at that one's score.

    Scores go by rank: the k-th smallest is 2 k, and what lies behind it 2 k + 1.
    """
    places = np.searchsorted(table.scores, np.r_[table.scores, table.scores, score], side="right")
    scores = 2.0 * places + np.append(np.zeros(2 * len(table)), score not in table.scores)
    labels = np.r_[np.zeros(len(table)), np.ones(len(table)), label]
    weights = np.r_[table.negatives, table.positives, 1.0]
    weighs = weights > 0
    _, index = np.unique(scores[weighs], return_inverse=True)
    held = np.bincount(index, weights[weighs])
    shares = np.bincount(index, (weights * labels)[weighs]) / held
    return isotonic_regression(shares, weights=held).x[index[-1]]


def by_definition(table, queries):
    return np.array([[with_one_more(table, q, label) for q in queries] for label in (0, 1)])


def cases(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 40))
    scores = np.round(rng.normal(0, 2, size), int(rng.integers(0, 4)))
    labels = rng.random(size) < 1 / (1 + np.exp(-scores * rng.choice([-0.3, 0.5, 8.0])))
    labels[:2] = 0, 1
    weights = [
        None,
        rng.integers(1, 4, size),
        rng.uniform(0.01, 5, size),
        rng.uniform(0, 0.1, size),
    ]
    table = ScoreTable.from_arrays(scores, labels, weights[seed % 4])
    seen = table.scores
    beside = [np.nextafter(seen, -np.inf), np.nextafter(seen, np.inf)]
    return table, np.concatenate([seen, *beside, rng.uniform(-6, 6, 30)])


@pytest.mark.parametrize("seed", range(60))
def test_the_interval_is_isotonic_regression_with_one_case_more(seed):
    table, queries = cases(seed)
    low, high = by_definition(table, queries)
    fitted = VennAbersCalibrator().fit_table(table)
    interval = fitted.predict_interval(queries)
    np.testing.assert_allclose(interval.low, low, rtol=0, atol=1e-12)
    np.testing.assert_allclose(interval.high, high, rtol=0, atol=1e-12)
    expected = high / (1 - low + high)
    np.testing.assert_allclose(fitted.transform(queries), expected, rtol=0, atol=1e-12)
    assert fitted.map_.increasing
    assert fitted.lower_.increasing
    assert fitted.upper_.increasing


@pytest.mark.parametrize("name", [name for name in ANSWERS if name != "venn-abers"])
def test_the_numbers_of_the_package_venn_abers(name):
    told = {column: np.array(values) for column, values in ANSWERS[name].items()}
    fitted = VennAbersCalibrator().fit(told["scores"], told["labels"])
    low, high = fitted.predict_interval(told["queries"])
    np.testing.assert_allclose(low, told["low"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(high, told["high"], rtol=0, atol=1e-9)
    merged = fitted.transform(told["queries"])
    np.testing.assert_allclose(merged, told["merged"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_folds", [2, 5])
@pytest.mark.parametrize("seed", range(10))
def test_cross_prediction_merges_the_predictors_of_all_folds(n_folds, seed):
    table, queries = cases(4 * seed)  # weights of one, so that no fold splits a case
    ends = [by_definition(train, queries) for train, _ in table.folds(n_folds)]
    low, high = np.array(ends).transpose(1, 0, 2)
    against, in_favour = (np.prod(ends, axis=0) ** (1 / n_folds) for ends in (1 - low, high))
    fitted = CrossVennAbersCalibrator(n_folds=n_folds).fit_table(table)
    expected = in_favour / (against + in_favour)
    np.testing.assert_allclose(fitted.transform(queries), expected, rtol=0, atol=1e-12)
    told = fitted.predict_interval(queries)
    assert (told.low <= expected + 1e-12).all()
    assert (told.high >= expected - 1e-12).all()
    odds = [np.prod(ends, axis=0) ** (1 / n_folds) for ends in (low, 1 - low, high, 1 - high)]
    np.testing.assert_allclose(told.low, odds[0] / (odds[0] + odds[1]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(told.high, odds[2] / (odds[2] + odds[3]), rtol=0, atol=1e-12)
    fitted = CrossVennAbersCalibrator(n_folds=n_folds, loss="brier").fit_table(table)
    expected = (high + low**2 / 2 - high**2 / 2).mean(axis=0)
    np.testing.assert_allclose(fitted.transform(queries), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fitted.predict_interval(queries).low, low.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("found", [VennAbersCalibrator, CrossVennAbersCalibrator])
def test_intervals_follow_the_prior_the_missing_and_the_next_chunk(found):
    rng = np.random.default_rng(3)
    scores = rng.random(200)
    labels = rng.random(200) < scores
    fitted = found(prior=0.05, missing="propagate").fit(scores[:100], labels[:100])
    queries = np.r_[np.linspace(0, 1, 50), np.nan]
    first = fitted.predict_interval(queries)
    answer = fitted.transform(queries)
    assert np.isnan([first.low[-1], first.high[-1]]).all()
    assert (first.low[:-1] <= answer[:-1]).all()
    assert (answer[:-1] <= first.high[:-1]).all()
    fitted.set_params(prior=0.5)  # for the next fit
    assert np.array_equal(fitted.predict_interval(queries).low, first.low, equal_nan=True)
    fitted.set_params(prior=0.05)
    plain = found().fit(scores[:100], labels[:100])
    assert first.high[25] < plain.predict_interval(queries[:-1]).high[25]
    again = fitted.partial_fit(scores[100:], labels[100:]).predict_interval(queries)
    whole = found(prior=0.05, missing="propagate").fit(scores, labels).predict_interval(queries)
    assert np.array_equal(again.low, whole.low, equal_nan=True)
    assert not np.array_equal(again.low, first.low, equal_nan=True)
