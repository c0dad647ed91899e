"""ECE and MCE against their definition, in fractions, and over every order of the tied cases."""

from fractions import Fraction
from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from truing import expected_calibration_error, maximum_calibration_error, reliability_curve

EXACT = {"rtol": 0, "atol": 1e-12}


def split_in_order(rows, n_bins):
    """(o_i, e_i) of rows (prediction, label) as they stand, cut into bins of equal weight.

    A row on a border is divided between the two bins in proportion.
    """
    size, held = len(rows), Fraction(len(rows), n_bins)
    bins = []
    for k in range(n_bins):
        parts = [
            max(Fraction(0), min(Fraction(at + 1), (k + 1) * held) - max(Fraction(at), k * held))
            for at in range(size)
        ]
        assert sum(parts) == held
        observed = sum(part * label for part, (_, label) in zip(parts, rows, strict=True)) / held
        predicted = sum(part * score for part, (score, _) in zip(parts, rows, strict=True)) / held
        bins.append((observed, predicted))
    return bins


def all_orders(scores, labels):
    """Every order of the rows that is sorted by prediction.

    Orders that differ in nothing but equal rows stand for as many each, and are told once.
    """
    rows = sorted((Fraction(s), int(y)) for s, y in zip(scores, labels, strict=True))
    blocks = [list(block) for _, block in groupby(rows, key=lambda row: row[0])]
    for order in product(*(sorted(set(permutations(block))) for block in blocks)):
        yield [row for block in order for row in block]


def mean_bins(orders):
    count = len(orders)
    return [
        (sum(o for o, _ in same) / count, sum(e for _, e in same) / count)
        for same in zip(*orders, strict=True)
    ]


def ece(bins):
    return sum(abs(o - e) for o, e in bins) / len(bins)


def mce(bins):
    return max(abs(o - e) for o, e in bins)


# Small cases whose every order can be counted: tied blocks within, across and beyond bins.
TIED = {
    "a block over the border": ([0.1, 0.5, 0.5, 0.9], [0, 0, 1, 1]),
    "a block over two borders": ([0.2, 0.6, 0.6, 0.6, 0.6, 0.7], [1, 0, 1, 0, 1, 1]),
    "blocks that end at borders": ([0.2, 0.2, 0.4, 0.4, 0.8, 0.8], [0, 1, 0, 0, 1, 1]),
    "nothing but one block": ([0.5] * 6, [0, 1, 0, 0, 1, 0]),
    "two blocks": ([0.25] * 3 + [0.75] * 4, [1, 0, 0, 1, 1, 0, 1]),
    "ties at 0 and 1": ([0, 0, 0, 0.5, 1, 1, 1], [0, 0, 1, 0, 1, 0, 1]),
    "no ties": ([0.1, 0.2, 0.4, 0.6, 0.7], [0, 1, 0, 1, 1]),
}
tied = pytest.mark.parametrize(("scores", "labels"), TIED.values(), ids=TIED)
numbers_of_bins = pytest.mark.parametrize("n_bins", [1, 2, 3, 4, 5, 7, 11])


@tied
@numbers_of_bins
def test_every_bin_is_its_mean_over_all_orders_of_tied_cases(scores, labels, n_bins):
    orders = [split_in_order(rows, n_bins) for rows in all_orders(scores, labels)]
    expected = np.array(mean_bins(orders), dtype=float)
    curve = reliability_curve(labels, scores, n_bins)
    np.testing.assert_allclose(curve.observed, expected[:, 0], **EXACT)
    np.testing.assert_allclose(curve.predicted, expected[:, 1], **EXACT)
    assert np.array_equal(curve.weight, np.full(n_bins, len(scores) / n_bins))


@tied
@numbers_of_bins
def test_errors_are_those_of_the_mean_bins(scores, labels, n_bins):
    bins = mean_bins([split_in_order(rows, n_bins) for rows in all_orders(scores, labels)])
    assert expected_calibration_error(labels, scores, n_bins) == pytest.approx(
        float(ece(bins)), rel=0, abs=1e-12
    )
    assert maximum_calibration_error(labels, scores, n_bins) == pytest.approx(
        float(mce(bins)), rel=0, abs=1e-12
    )


@tied
@numbers_of_bins
def test_single_orders_err_no_less_on_average_and_only_in_bins_that_cut_a_block(
    scores, labels, n_bins
):
    rows = list(all_orders(scores, labels))
    orders = [split_in_order(order, n_bins) for order in rows]
    fair = mean_bins(orders)
    # Jensen: the error of the mean is at most the mean of the errors, bin by bin and in all.
    assert ece(fair) <= sum(map(ece, orders)) / len(orders)
    assert mce(fair) <= sum(map(mce, orders)) / len(orders)
    ends = np.cumsum([len(list(block)) for _, block in groupby(sorted(scores))]).tolist()
    borders = [Fraction(k * len(scores), n_bins) for k in range(n_bins + 1)]
    whole = [border in {0, *ends} for border in borders]
    for k in range(n_bins):
        if whole[k] and whole[k + 1]:
            assert all(order[k] == fair[k] for order in orders)
    if all(whole):
        assert {ece(order) for order in orders} == {ece(fair)}


def test_shuffling_is_not_counted_as_miscalibration():
    labels, scores = [0, 1, 0, 1], [0.5] * 4  # everybody is told the prevalence
    orders = [ece(split_in_order(rows, 2)) for rows in all_orders(scores, labels)]
    assert max(orders) == Fraction(1, 2)  # what a sort by prediction and label would find
    assert sum(orders) / len(orders) == Fraction(1, 6)
    assert expected_calibration_error(labels, scores, n_bins=2) == 0.0
    assert maximum_calibration_error(labels, scores, n_bins=2) == 0.0


@st.composite
def few_rows(draw):
    scores = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=6))
    labels = draw(st.lists(st.integers(0, 1), min_size=len(scores), max_size=len(scores)))
    return scores, labels


@settings(max_examples=40, deadline=None, derandomize=True)
@given(rows=few_rows(), n_bins=st.integers(1, 9))
def test_any_few_rows_are_the_mean_over_all_orders(rows, n_bins):
    bins = mean_bins([split_in_order(order, n_bins) for order in all_orders(*rows)])
    curve = reliability_curve(rows[1], rows[0], n_bins)
    np.testing.assert_allclose(
        np.c_[curve.observed, curve.predicted], np.array(bins, float), **EXACT
    )


# ------------------------------------------------------------------------- larger data, by loops


def draw(seed, n, *, ties, weighted):
    rng = np.random.default_rng(seed)
    scores = rng.random(n).round(1) if ties else rng.random(n)
    labels = (rng.random(n) < scores**2).astype(int)
    return labels, scores, rng.uniform(0.1, 3.0, n) if weighted else np.ones(n)


def fair_bins(labels, scores, weights, n_bins):
    """(weight, o_i, e_i) by definition: a bin holds a part of each block of tied predictions."""
    exact = [Fraction(w) for w in weights]
    held, reached, blocks = sum(exact) / n_bins, Fraction(0), []
    for score in np.unique(scores):
        here = [at for at in range(len(scores)) if scores[at] == score]
        weight = sum(exact[at] for at in here)
        positive = sum(exact[at] for at in here if labels[at])
        blocks.append((reached, reached + weight, Fraction(score), positive / weight))
        reached += weight
    bins = []
    for k in range(n_bins):
        low, high = k * held, (k + 1) * held
        parts = [
            (min(b, high) - max(a, low), p, o) for a, b, p, o in blocks if b > low and a < high
        ]
        observed = sum(part * o for part, _, o in parts) / held
        predicted = sum(part * p for part, p, _ in parts) / held
        bins.append((float(held), float(observed), float(predicted)))
    return np.array(bins).T


def wide_bins(labels, scores, weights, n_bins):
    """The same for bins of equal width (k / n, (k + 1) / n], the first with 0 in it."""
    edges, bins = np.linspace(0.0, 1.0, n_bins + 1), []
    for k in range(n_bins):
        inside = (scores > edges[k]) & (scores <= edges[k + 1]) | ((k == 0) & (scores == 0.0))
        if inside.any():
            weight = sum(map(Fraction, weights[inside]))
            observed = sum(map(Fraction, weights[inside & (labels == 1)])) / weight
            predicted = (
                sum(
                    Fraction(w) * Fraction(p)
                    for w, p in zip(weights[inside], scores[inside], strict=True)
                )
                / weight
            )
            bins.append((float(weight), float(observed), float(predicted)))
    return np.array(bins).T


DEFINITIONS = {"quantile": fair_bins, "uniform": wide_bins}


@pytest.mark.parametrize("n_bins", [1, 2, 10, 15, 97, 400])
@pytest.mark.parametrize("strategy", DEFINITIONS)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_curve_and_errors_are_their_definition(strategy, n_bins, ties, weighted):
    labels, scores, weights = rows = draw(n_bins, 120, ties=ties, weighted=weighted)
    weight, observed, predicted = DEFINITIONS[strategy](*rows, n_bins)
    curve = reliability_curve(labels, scores, n_bins, strategy, weights)
    np.testing.assert_allclose(curve.weight, weight, rtol=1e-12)
    np.testing.assert_allclose(curve.observed, observed, **EXACT)
    np.testing.assert_allclose(curve.predicted, predicted, **EXACT)
    gaps = np.abs(observed - predicted)
    found = expected_calibration_error(labels, scores, n_bins, strategy, weights)
    assert found == pytest.approx(np.average(gaps, weights=weight), rel=0, abs=1e-12)
    found = maximum_calibration_error(labels, scores, n_bins, strategy, weights)
    assert found == pytest.approx(gaps.max(), rel=0, abs=1e-12)


@pytest.mark.parametrize(("n", "n_bins"), [(40, 10), (100, 5), (1000, 10), (60, 60), (7, 1)])
def test_without_ties_equal_frequency_is_the_textbook_split(n, n_bins):
    labels, scores, _ = draw(n, n, ties=False, weighted=False)
    order = np.argsort(scores)
    observed = labels[order].reshape(n_bins, -1).mean(axis=1)
    predicted = scores[order].reshape(n_bins, -1).mean(axis=1)
    found = expected_calibration_error(labels, scores, n_bins)
    assert found == pytest.approx(np.abs(observed - predicted).mean(), rel=0, abs=1e-12)
    found = maximum_calibration_error(labels, scores, n_bins)
    assert found == pytest.approx(np.abs(observed - predicted).max(), rel=0, abs=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_bins", [1, 5, 10, 13])
def test_equal_width_is_scikit_learns(n_bins, ties):
    labels, scores, _ = draw(3, 500, ties=ties, weighted=False)
    observed, predicted = calibration_curve(labels, scores, n_bins=n_bins, strategy="uniform")
    curve = reliability_curve(labels, scores, n_bins, "uniform")
    np.testing.assert_allclose(curve.observed, observed, **EXACT)
    np.testing.assert_allclose(curve.predicted, predicted, **EXACT)


@pytest.mark.parametrize("n_bins", [1, 5, 10, 50])
def test_equal_frequency_without_ties_is_scikit_learns_where_bins_divide_the_cases(n_bins):
    labels, scores, _ = draw(4, 500, ties=False, weighted=False)
    observed, predicted = calibration_curve(labels, scores, n_bins=n_bins, strategy="quantile")
    curve = reliability_curve(labels, scores, n_bins)
    np.testing.assert_allclose(curve.observed, observed, **EXACT)
    np.testing.assert_allclose(curve.predicted, predicted, **EXACT)


def test_with_as_many_bins_as_cases_each_is_its_own():
    labels, scores, _ = draw(5, 30, ties=False, weighted=False)
    for n_bins in (30, 90):  # a third of a case in each bin says the same as all of it
        found = expected_calibration_error(labels, scores, n_bins)
        assert found == pytest.approx(np.abs(labels - scores).mean(), rel=0, abs=1e-12)
        found = maximum_calibration_error(labels, scores, n_bins)
        assert found == pytest.approx(np.abs(labels - scores).max(), rel=0, abs=1e-12)


@pytest.mark.parametrize("n_bins", [1, 2, 10, 1000, 1_000_000])
@pytest.mark.parametrize("strategy", DEFINITIONS)
def test_one_case_and_one_prediction_have_one_gap(strategy, n_bins):
    for labels, scores, gap in [([1], [0.75], 0.25), ([0, 1, 1, 1], [0.5] * 4, 0.25)]:
        for error in (expected_calibration_error, maximum_calibration_error):
            # Shares of one block are differences of numbers near 1, known to 1e-16 of the whole.
            known = 1e-15 * n_bins
            assert error(labels, scores, n_bins, strategy) == pytest.approx(gap, rel=0, abs=known)


def test_many_cases_before_a_bin_do_not_blur_it():
    rng = np.random.default_rng(6)
    scores = np.sort(rng.random(1_000_000))
    labels = (rng.random(1_000_000) < scores).astype(int)
    curve = reliability_curve(labels, scores, n_bins=1000)
    parts = scores.reshape(1000, -1)
    np.testing.assert_allclose(curve.predicted, parts.mean(axis=1), rtol=1e-14)
    assert np.array_equal(curve.observed, labels.reshape(1000, -1).mean(axis=1))
    assert np.array_equal(curve.lower, parts[:, 0])
    assert np.array_equal(curve.upper, parts[:, -1])


def test_true_probabilities_have_the_error_that_the_docstring_tells():
    rng = np.random.default_rng(7)
    n, n_bins = 2000, 10
    scores = rng.uniform(0.45, 0.55, (400, n))
    found = [expected_calibration_error(rng.random(n) < row, row, n_bins) for row in scores]
    # sqrt(2/π) · sqrt(1/4) = 0.399; the mean of 4000 gaps is known to some 1 %.
    assert np.mean(found) == pytest.approx(0.399 * np.sqrt(n_bins / n), rel=0.04)
