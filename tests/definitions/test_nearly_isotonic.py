"""Nearly isotonic regression against its definition, by a bounded least-squares solver."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.special import xlog1py, xlogy

from truing import NearlyIsotonicCalibrator, ScoreTable
from truing.calibrators import nearly_isotonic
from truing.numerics.nearly_isotonic import nearly_isotonic_path


def by_definition(shares, weights, penalty):
    """Minimise ½ Σ w (y − f)² + λ Σ max(f_i − f_{i+1}, 0) by its dual.

    That is the least ½ Σ w f² with f = y − (u_i − u_{i−1}) / w and every u between 0 and λ.
    """
    size = len(shares)
    moves = np.eye(size, size - 1) - np.eye(size, size - 1, -1)
    root = np.sqrt(weights)
    dual = lsq_linear(moves / root[:, None], root * shares, (0, penalty), method="bvls", tol=1e-15)
    return shares - moves @ dual.x / weights


def cases(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 16))
    weights = rng.integers(1, 5, size) / 2 if seed % 2 else rng.uniform(0.1, 3, size)
    shares = rng.integers(0, 2, size) if seed % 3 else rng.random(size)
    return shares * weights, weights


def spread(fit, size):
    return np.repeat(fit.values, np.diff(fit.starts, append=size))


@pytest.mark.parametrize("seed", range(60))
def test_every_fit_of_the_path_is_the_best_for_its_penalty(seed):
    positives, weights = cases(seed)
    path = list(nearly_isotonic_path(positives, weights))
    assert path[0].penalty == 0
    for before, fit in pairwise(path):
        expected = by_definition(positives / weights, weights, fit.penalty)
        np.testing.assert_allclose(spread(fit, len(weights)), expected, rtol=0, atol=1e-12)
        assert (np.abs(np.diff(fit.values)) > 1e-10).all()  # so that blocks are what is counted
        assert set(fit.starts) < set(before.starts)
        assert fit.penalty > before.penalty
    assert (np.diff(path[-1].values) > 0).all()


@pytest.mark.parametrize("seed", range(60))
def test_nothing_happens_between_the_penalties_of_the_path(seed):
    positives, weights = cases(seed)
    path = list(nearly_isotonic_path(positives, weights))
    for before, after in pairwise(path):
        middle = by_definition(positives / weights, weights, (before.penalty + after.penalty) / 2)
        expected = (spread(before, len(weights)) + spread(after, len(weights))) / 2
        np.testing.assert_allclose(middle, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_answers_are_the_mean_of_the_path_weighted_by_bic(seed):
    positives, weights = cases(seed)
    if positives.sum() in (0, weights.sum()):
        positives = np.arange(len(weights)) % 2 * weights
    size, scores = len(weights), np.arange(len(weights)) / 4
    table = ScoreTable.from_arrays(
        np.tile(scores, 2),
        np.repeat([0, 1], size),
        np.r_[weights - positives, positives],
    )
    shares = table.positives / table.weights
    path = list(nearly_isotonic_path(table.positives, table.weights))
    models = [by_definition(shares, table.weights, fit.penalty) for fit in path[1:]]
    models = np.clip([shares, *models], 0, 1)
    fit_of = xlogy(table.positives, models) + xlog1py(table.negatives, -models)
    blocks = 1 + (np.abs(np.diff(models)) > 1e-9).sum(axis=1)
    blocks[0] = size
    bic = -2 * fit_of.sum(axis=1) + blocks * max(0, np.log(table.total))
    share = np.exp(-(bic - bic.min()) / 2)
    expected = share @ models / share.sum()
    answer = NearlyIsotonicCalibrator().fit_table(table)
    np.testing.assert_allclose(answer.transform(scores), expected, rtol=0, atol=1e-10)
    middle = (scores[:-1] + scores[1:]) / 2
    between = (expected[:-1] + expected[1:]) / 2
    np.testing.assert_allclose(answer.transform(middle), between, rtol=0, atol=1e-10)
    steps = NearlyIsotonicCalibrator(interpolate=False).fit_table(table)
    np.testing.assert_allclose(steps.transform(scores), expected, rtol=0, atol=1e-10)
    assert np.array_equal(steps.transform(middle), steps.transform(scores[:-1]))


def test_more_scores_than_the_path_can_follow_are_pooled_first(monkeypatch):
    rng = np.random.default_rng(5)
    scores = rng.random(400)
    labels = rng.random(400) < scores
    monkeypatch.setattr(nearly_isotonic, "MOST_PLACES", 100)
    pooled = NearlyIsotonicCalibrator().fit(scores, labels)
    order = np.argsort(scores).reshape(100, 4)
    centres = scores[order].mean(axis=1)
    by_hand = NearlyIsotonicCalibrator().fit(np.repeat(centres, 4), labels[order].ravel())
    np.testing.assert_allclose(pooled.map_.knots, centres, rtol=1e-14)
    np.testing.assert_allclose(pooled.map_.values, by_hand.map_.values, rtol=0, atol=1e-14)


def test_it_may_fall_where_isotonic_regression_may_not():
    weights = np.array([900, 100, 300, 700, 700, 300, 100, 900.0])
    labels = np.tile([0, 1], 4)
    fitted = NearlyIsotonicCalibrator().fit(np.repeat([0, 1, 2, 3], 2), labels, weights)
    assert not fitted.map_.increasing
    assert (np.diff(fitted.transform([0, 1, 2, 3])) * [1, -1, 1] > 0).all()
