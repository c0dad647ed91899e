"""The area under the ROC curve, pair by pair, and accuracy, case by case."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn import metrics

from truing import DataError, OptionError, ScoreTable, accuracy, roc_auc


def draw(seed, n, *, ties=False, weighted=False):
    rng = np.random.default_rng(seed)
    scores = rng.random(n).round(1) if ties else rng.random(n)
    labels = (rng.random(n) < scores).astype(int)
    labels[:2] = 0, 1
    return labels, scores, rng.uniform(0.1, 3.0, n) if weighted else None


def area_by_pairs(labels, scores, weights):
    weights = [Fraction(1)] * len(labels) if weights is None else list(map(Fraction, weights))
    won = pairs = Fraction(0)
    for i in np.flatnonzero(labels):
        for j in np.flatnonzero(1 - labels):
            pair = weights[i] * weights[j]
            pairs += pair
            won += pair * Fraction(int(np.sign(scores[i] - scores[j])) + 1, 2)
    return float(won / pairs)


@pytest.mark.parametrize("n", [2, 10, 90])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_area_counts_pairs(n, ties, weighted):
    labels, scores, weights = rows = draw(n, n, ties=ties, weighted=weighted)
    found = roc_auc(labels, scores, sample_weight=weights)
    assert found == pytest.approx(area_by_pairs(*rows), rel=0, abs=1e-14)
    other = metrics.roc_auc_score(labels, scores, sample_weight=weights)
    assert found == pytest.approx(other, rel=0, abs=1e-12)


@pytest.mark.parametrize("n", [2, 17, 500])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_area_is_turned_around_with_the_labels(n, ties, weighted):
    labels, scores, weights = draw(n, n, ties=ties, weighted=weighted)
    found = roc_auc(labels, scores, sample_weight=weights)
    for turned in (
        roc_auc(1 - labels, scores, sample_weight=weights),
        roc_auc(labels, scores, sample_weight=weights, pos_label=0),
    ):
        assert turned == pytest.approx(1 - found, rel=0, abs=1e-14)


@pytest.mark.parametrize("n", [2, 5, 64, 1001])
def test_perfect_order_is_1_its_reverse_0_and_none_at_all_one_half(n):
    rng = np.random.default_rng(n)
    labels = np.arange(n) >= n // 2
    for weights in (None, rng.random(n), rng.integers(1, 9, n)):
        scores = np.sort(rng.random(n))
        assert roc_auc(labels, scores, sample_weight=weights) == 1.0
        assert roc_auc(labels, scores[::-1], sample_weight=weights) == 0.0
        half = roc_auc(labels, np.full(n, 0.3), sample_weight=weights)
        assert half == pytest.approx(0.5, rel=0, abs=1e-15)


def test_area_does_not_see_calibration():
    labels, scores, weights = draw(1, 200, ties=True, weighted=True)
    assert roc_auc(labels, scores, sample_weight=weights) == roc_auc(
        labels, scores**3 / 2, sample_weight=weights
    )


@pytest.mark.parametrize("unit", [1e-99, 1e-60, 1e60, 1e99])
def test_area_of_huge_and_of_tiny_weights(unit):
    labels, scores, weights = draw(2, 1000, ties=True, weighted=True)
    expected = roc_auc(labels, scores, sample_weight=weights)
    found = roc_auc(labels, scores, sample_weight=weights * unit)
    assert found == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 1], [True, True, True]])
def test_area_needs_both_classes(labels):
    with pytest.raises(DataError, match=r"y_true holds one class only.*needs both"):
        roc_auc(labels, [0.1, 0.5, 0.9])
    table = ScoreTable.from_arrays([0.1, 0.5, 0.9], labels)
    with pytest.raises(DataError, match="one class only"):
        roc_auc(table)
    with pytest.raises(DataError, match="one class only"):
        roc_auc([0, 1, 1], [0.1, 0.5, 0.9], sample_weight=[0, 1, 1])  # of weight zero is not there


def test_a_million_rows():
    rng = np.random.default_rng(0)
    scores = rng.random(1_000_000).round(4)
    labels = rng.random(1_000_000) < scores
    ranks = metrics.roc_auc_score(labels, scores)
    assert roc_auc(labels, scores) == pytest.approx(ranks, rel=0, abs=1e-12)


# -------------------------------------------------------------------------------------- accuracy


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, np.float32(0.25), 1, 1.0, 1e-300])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_accuracy_is_its_definition(threshold, ties, weighted):
    labels, scores, weights = draw(3, 200, ties=ties, weighted=weighted)
    found = accuracy(labels, scores, threshold=threshold, sample_weight=weights)
    told = (scores >= threshold).astype(int)
    assert found == pytest.approx(np.average(told == labels, weights=weights), rel=1e-14, abs=0)
    other = metrics.accuracy_score(labels, told, sample_weight=weights)
    assert found == pytest.approx(other, rel=1e-14, abs=0)


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.7, 1.0])
def test_at_the_threshold_is_positive_next_below_is_not(threshold):
    below = np.nextafter(threshold, 0)
    assert accuracy([1, 0], [threshold, below], threshold=threshold) == 1.0
    assert accuracy([0, 1], [threshold, below], threshold=threshold) == 0.0


def test_threshold_0_tells_all_positive():
    assert accuracy([1, 1, 0], [0.0, 0.5, 1.0], threshold=0) == 2 / 3


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_and_one_case_are_enough(label):
    assert accuracy([label], [0.5]) == label
    assert accuracy([label] * 3, [0.1, 0.5, 0.9]) == pytest.approx((1 + label) / 3)


@pytest.mark.parametrize(
    "threshold", [float("nan"), np.inf, -0.1, 1.1, 50, "half", "0.5", None, True, [0.5], 0.5j]
)
def test_threshold_is_a_number_from_0_to_1(threshold):
    with pytest.raises(
        OptionError, match=r"threshold is .*; it must be a number from 0 to 1"
    ) as refused:
        accuracy([0, 1], [0.2, 0.8], threshold=threshold)
    assert repr(threshold) in str(refused.value)
