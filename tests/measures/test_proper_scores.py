"""Brier score, its root, and the log loss, added up case by case and beside scikit-learn."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from sklearn import metrics

from truing import ScoreTable, brier_score, log_loss, root_mean_squared_error


def draw(seed, n, *, ties=False, weighted=False):
    rng = np.random.default_rng(seed)
    scores = np.clip(rng.random(n).round(1), 0.05, 0.95) if ties else rng.uniform(0.001, 0.999, n)
    labels = (rng.random(n) < scores).astype(int)
    labels[:2] = 0, 1
    return labels, scores, rng.uniform(0.1, 3.0, n) if weighted else None


def mean(terms, weights):
    weights = [Fraction(1)] * len(terms) if weights is None else list(map(Fraction, weights))
    return sum(w * term for w, term in zip(weights, terms, strict=True)) / sum(weights)


def brier_by_hand(labels, scores, weights):
    return mean([(Fraction(p) - int(y)) ** 2 for p, y in zip(scores, labels, strict=True)], weights)


def log_loss_by_hand(labels, scores, weights, digits=50):
    with localcontext(prec=digits):
        told = [Decimal(float(p)) for p in scores]
        terms = [-(p if y else 1 - p).ln() for p, y in zip(told, labels, strict=True)]
        return mean([Fraction(term) for term in terms], weights)


every_kind = [
    pytest.mark.parametrize("ties", [False, True]),
    pytest.mark.parametrize("weighted", [False, True]),
    pytest.mark.parametrize("n", [2, 17, 300]),
]


def of_every_kind(test):
    for mark in every_kind:
        test = mark(test)
    return test


@of_every_kind
def test_brier_score_is_its_definition(n, ties, weighted):
    rows = draw(n, n, ties=ties, weighted=weighted)
    expected = brier_by_hand(*rows)
    found = brier_score(rows[0], rows[1], sample_weight=rows[2])
    assert abs(Fraction(found) - expected) < Fraction(1e-15)
    other = metrics.brier_score_loss(rows[0], rows[1], sample_weight=rows[2])
    assert found == pytest.approx(other, rel=1e-12)
    found = root_mean_squared_error(rows[0], rows[1], sample_weight=rows[2])
    assert found == pytest.approx(float(expected) ** 0.5, rel=1e-12)


@of_every_kind
def test_log_loss_is_its_definition(n, ties, weighted):
    rows = draw(n, n, ties=ties, weighted=weighted)
    found = log_loss(rows[0], rows[1], sample_weight=rows[2])
    assert found == pytest.approx(float(log_loss_by_hand(*rows)), rel=1e-14, abs=0)
    other = metrics.log_loss(rows[0], rows[1], sample_weight=rows[2])
    assert found == pytest.approx(other, rel=1e-12)


@pytest.mark.parametrize("small", [1e-3, 1e-12, 1e-17, 1e-300, 5e-324])
def test_log_loss_keeps_its_digits_next_to_0_and_1(small):
    for labels, scores in [([0], [small]), ([1], [small]), ([0], [1.0 - 2.0**-53])]:
        expected = float(log_loss_by_hand(labels, scores, None, digits=400))  # of 1 - 5e-324
        assert log_loss(labels, scores) == pytest.approx(expected, rel=1e-15, abs=0)


def test_log_loss_of_the_impossible_is_infinite():
    assert log_loss([0, 1], [0.5, 0.0]) == np.inf
    assert log_loss([0, 0], [0.5, 1.0]) == np.inf
    assert log_loss([0, 1], [0.5, 0.0], sample_weight=[1, 1e-200]) == np.inf
    assert log_loss([0, 1], [0.5, 0.0], sample_weight=[1, 0]) == np.log(2)  # it did not happen


@pytest.mark.parametrize("score", [brier_score, root_mean_squared_error, log_loss])
def test_what_was_certain_and_happened_costs_nothing(score):
    found = score([0, 1, 1], [0.0, 1.0, 1.0])
    assert found == 0.0
    assert not np.signbit(found)  # minus zero would be printed as such


@pytest.mark.parametrize("n", [1, 3, 50])
@pytest.mark.parametrize("told", [0.0, 1.0])
def test_wrong_certainty_costs_all(told, n):
    labels, weights = [1 - int(told)] * n, np.random.default_rng(n).random(n)
    assert brier_score(labels, [told] * n, sample_weight=weights) == 1.0
    assert root_mean_squared_error(labels, [told] * n, sample_weight=weights) == 1.0
    assert log_loss(labels, [told] * n, sample_weight=weights) == np.inf


def test_one_class_and_one_case_are_enough():
    assert brier_score([1], [0.5]) == 0.25
    assert root_mean_squared_error([1], [0.5]) == 0.5
    assert log_loss([1], [0.5]) == np.log(2)
    assert brier_score([0, 0], [0.0, 0.5]) == 0.125
    assert log_loss([0, 0], [0.0, 0.5]) == np.log(2) / 2


def test_a_million_rows():
    rng = np.random.default_rng(0)
    scores, weights = rng.random(1_000_000), rng.random(1_000_000)
    labels = rng.random(1_000_000) < scores
    table = ScoreTable.from_arrays(scores, labels, weights)
    assert brier_score(table) == pytest.approx(
        np.average((scores - labels) ** 2, weights=weights), rel=1e-12
    )
    lost = -np.log(np.where(labels, scores, 1 - scores))
    assert log_loss(table) == pytest.approx(np.average(lost, weights=weights), rel=1e-12)
