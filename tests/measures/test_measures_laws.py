"""The two laws for every measure with every option: order is nothing, weights are repetitions."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from truing import (
    ReliabilityCurve,
    ScoreTable,
    accuracy,
    brier_score,
    expected_calibration_error,
    log_loss,
    maximum_calibration_error,
    reliability_curve,
    roc_auc,
    root_mean_squared_error,
)
from truing.measures.evaluation import TITLES

SHARES = {
    "ECE": expected_calibration_error,
    "ECE of many bins": partial(expected_calibration_error, n_bins=61),
    "ECE of equal width": partial(expected_calibration_error, n_bins=7, strategy="uniform"),
    "MCE": partial(maximum_calibration_error, n_bins=3),
    "MCE of equal width": partial(maximum_calibration_error, strategy="uniform"),
    "Brier": brier_score,
    "RMSE": root_mean_squared_error,
    "AUC": roc_auc,
    "accuracy": accuracy,
    "accuracy at 0.3": partial(accuracy, threshold=0.3),
}
MEASURES = {measure.__name__: measure for measure in TITLES if measure not in SHARES.values()}
MEASURES |= SHARES | {
    "curve": partial(reliability_curve, n_bins=4),
    "curve of equal width": partial(reliability_curve, n_bins=5, strategy="uniform"),
}
laws = settings(max_examples=20, deadline=None, derandomize=True)
every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
every_share = pytest.mark.parametrize("measure", SHARES.values(), ids=SHARES)

scores = st.one_of(
    st.integers(0, 10).map(lambda k: k / 10),
    st.floats(0, 1),
    st.sampled_from([0.0, 1.0, 5e-324, 1 - 2.0**-53]),
)


@st.composite
def cases(draw, weights):
    """Labels of both classes, scores and weights."""
    size = draw(st.integers(2, 40))
    columns = (st.integers(0, 1), scores, weights)
    label, score, weight = (
        np.array(draw(st.lists(column, min_size=size, max_size=size))) for column in columns
    )
    assume(0 < label.sum() < size)
    return label, score, weight


whole = st.integers(1, 4)
fractional = st.floats(0.01, 10)
uneven = st.floats(-99, 99).map(lambda exponent: 10.0**exponent)


def bits(found):
    return found.to_dict() if isinstance(found, ReliabilityCurve) else found


def assert_near(found, expected):
    if isinstance(found, ReliabilityCurve):
        assert np.array_equal(found.lower, expected.lower)
        assert np.array_equal(found.upper, expected.upper)
        for name in ("predicted", "observed"):
            np.testing.assert_allclose(
                getattr(found, name), getattr(expected, name), rtol=0, atol=1e-12
            )
        np.testing.assert_allclose(found.weight, expected.weight, rtol=1e-12)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@every_measure
@laws
@given(case=cases(st.one_of(whole, fractional)), data=st.data())
def test_row_order_changes_no_bit(measure, case, data):
    label, score, weight = case
    order = np.array(data.draw(st.permutations(range(len(label)))))
    found = measure(label[order], score[order], sample_weight=weight[order])
    assert bits(found) == bits(measure(label, score, sample_weight=weight))


@every_measure
@laws
@given(case=cases(whole))
def test_weights_are_repetitions_to_the_last_bit(measure, case):
    label, score, weight = case
    repeated = measure(np.repeat(label, weight), np.repeat(score, weight))
    assert bits(repeated) == bits(measure(label, score, sample_weight=weight))


@every_measure
@laws
@given(case=cases(st.one_of(whole, fractional)), cut=st.integers(0, 40), grid=st.booleans())
def test_merged_tables_are_pooled_rows(measure, case, cut, grid):
    label, score, weight = case
    kind = "log-odds" if grid else None
    parts = [
        ScoreTable.from_arrays(score[part], label[part], weight[part], kind, classes=(0, 1))
        for part in (slice(None, cut), slice(cut, None))
        if len(score[part])
    ]
    pooled = ScoreTable.from_arrays(score, label, weight, kind)
    assert_near(measure(sum(parts, ScoreTable.empty(kind))), measure(pooled))


@every_measure
@laws
@given(case=cases(fractional), unit=st.sampled_from([2.0**-40, 2.0**60]))
def test_the_unit_of_weights_changes_nothing(measure, case, unit):
    label, score, weight = case
    score = np.where(score < 1e-100, 0.0, score)  # weight times score keeps all digits
    found = bits(measure(label, score, sample_weight=weight * unit))
    expected = bits(measure(label, score, sample_weight=weight))
    if isinstance(found, dict):
        found["weight"] = [w / unit for w in found["weight"]]
    assert found == expected  # a power of two moves no digit


@every_measure
@laws
@given(case=cases(whole), data=st.data())
def test_rows_of_weight_zero_are_not_there(measure, case, data):
    label, score, weight = case
    more = data.draw(st.lists(st.tuples(st.integers(0, 1), scores), min_size=1, max_size=5))
    labels, places = map(np.array, zip(*more, strict=True))
    found = measure(
        np.r_[labels, label],
        np.r_[places, score],
        sample_weight=np.r_[np.zeros(len(more)), weight],
    )
    assert bits(found) == bits(measure(label, score, sample_weight=weight))


@every_share
@settings(laws, max_examples=30)
@given(case=cases(st.one_of(whole, fractional, uneven)))
def test_shares_are_from_0_to_1(measure, case):
    assert 0.0 <= measure(case[0], case[1], sample_weight=case[2]) <= 1.0


@every_share
@pytest.mark.parametrize("right", [False, True])
def test_rounding_takes_no_share_out_of_range(measure, right):
    rng = np.random.default_rng(0)
    for size in range(2, 150):
        label = np.arange(size) % 2
        low, high = np.sort(rng.uniform(0, 2.0**-53, size)), 1.0 - rng.uniform(0, 1e-15, size)
        score = np.where(label == right, high, low)
        assert 0.0 <= measure(label, score, sample_weight=rng.random(size)) <= 1.0
        assert 0.0 <= measure(label, score) <= 1.0


def test_log_loss_is_never_negative():
    rng = np.random.default_rng(0)
    for size in range(1, 100):
        label = rng.integers(0, 2, size)
        score = np.clip(label + rng.uniform(-1e-15, 1e-15, size), 0, 1)
        assert log_loss(label, score, sample_weight=rng.random(size)) >= 0.0
