"""The reliability curve: which bin a prediction belongs to, and what the curve tells of itself."""

import json
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truing import ReliabilityCurve, ScoreTable, reliability_curve


def test_a_prediction_on_a_border_belongs_below_it():
    curve = reliability_curve([0, 1, 0, 1, 0, 1], [0.0, 0.25, 0.5, 0.75, 1.0, 0.76], 4, "uniform")
    assert curve.lower.tolist() == [0.0, 0.5, 0.75, 0.76]
    assert curve.upper.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert curve.weight.tolist() == [2, 1, 1, 2]


@pytest.mark.parametrize("n_bins", [1, 2, 3, 7, 10, 49, 1000])
def test_exact_0_and_1_are_in_the_first_and_the_last_bin(n_bins):
    scores = [0.0, 5e-324, 1.0 - 2.0**-53, 1.0]
    curve = reliability_curve([0, 1, 0, 1], scores, n_bins, "uniform")
    expected = [4] if n_bins == 1 else [2, 2]
    assert curve.weight.tolist() == expected
    assert (curve.lower[0], curve.upper[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("n_bins", range(1, 60))
def test_borders_are_those_of_linspace(n_bins):
    borders = np.linspace(0, 1, n_bins + 1)
    scores = np.unique(np.r_[borders, np.nextafter(borders, 0), np.nextafter(borders[:-1], 1)])
    curve = reliability_curve(scores > 0.5, scores, n_bins, "uniform")
    assert np.array_equal(curve.upper, borders[1:])
    assert np.array_equal(curve.lower, np.r_[0.0, np.nextafter(borders[1:-1], 1)])


def test_empty_bins_are_left_out():
    curve = reliability_curve([0, 1, 1], [0.05, 0.93, 0.97], 10, "uniform")
    assert len(curve) == 2
    assert curve.weight.tolist() == [1, 2]
    assert np.isfinite(list(curve.to_dict().values())).all()


def test_ranges_of_equal_frequency_are_of_what_a_bin_has_a_part_of():
    labels, scores = [0, 1, 0, 1, 1, 0], [0.1, 0.2, 0.2, 0.2, 0.2, 0.9]
    curve = reliability_curve(labels, scores, 3)
    assert curve.lower.tolist() == [0.1, 0.2, 0.2]
    assert curve.upper.tolist() == [0.2, 0.2, 0.9]
    curve = reliability_curve(labels, scores, 4)  # borders at 1.5, 3 and 4.5 cases
    assert curve.lower.tolist() == [0.1, 0.2, 0.2, 0.2]
    assert curve.upper.tolist() == [0.2, 0.2, 0.2, 0.9]


@pytest.mark.parametrize("n_bins", [2, 3, 5, 6, 10, 15, 30])
def test_ranges_do_not_reach_over_a_border_by_rounding(n_bins):
    scores = np.arange(1, 31) / 32
    for unit in (1.0, 0.1, 1 / 3, 1e-7, 1e200):
        curve = reliability_curve(
            np.arange(30) % 2,
            scores,
            n_bins,
            sample_weight=np.full(30, unit) if unit < 1e100 else None,
        )
        parts = scores.reshape(n_bins, -1)
        assert np.array_equal(curve.lower, parts[:, 0])
        assert np.array_equal(curve.upper, parts[:, -1])


def test_outermost_cases_are_in_range_however_light():
    curve = reliability_curve(
        [0, 1, 0, 1], [0.1, 0.2, 0.8, 0.9], 2, sample_weight=[1e-15, 1, 1, 1e-15]
    )
    assert curve.lower.tolist() == [0.1, 0.8]
    assert curve.upper.tolist() == [0.2, 0.9]


anywhere = st.one_of(st.floats(0, 1), st.integers(0, 8).map(lambda k: k / 8))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    rows=st.lists(st.tuples(anywhere, st.booleans(), st.floats(0.01, 10)), min_size=1, max_size=30),
    n_bins=st.integers(1, 40),
    strategy=st.sampled_from(["quantile", "uniform"]),
)
def test_bins_hold_all_there_is_in_order(rows, n_bins, strategy):
    scores, labels, weights = map(np.array, zip(*rows, strict=True))
    curve = reliability_curve(labels, scores, n_bins, strategy, weights)
    assert curve.weight.sum() == pytest.approx(weights.sum(), rel=1e-12)
    assert curve.weight @ curve.observed == pytest.approx(weights @ labels, rel=1e-11, abs=1e-11)
    assert curve.weight @ curve.predicted == pytest.approx(weights @ scores, rel=1e-11, abs=1e-11)
    assert (curve.weight > 0).all()
    assert (curve.lower <= curve.upper).all()
    assert (curve.upper[:-1] <= curve.lower[1:]).all()
    assert (curve.lower[0], curve.upper[-1]) == (scores.min(), scores.max())
    for told in (curve.observed, curve.predicted):
        assert ((told >= 0) & (told <= 1)).all()
    assert (np.diff(curve.predicted) >= -1e-12).all()
    if strategy == "uniform":
        assert len(curve) <= min(n_bins, len(rows))
    else:
        assert len(curve) == n_bins


@pytest.fixture
def curve():
    return reliability_curve([0, 0, 1, 1], [0.125, 0.25, 0.5, 0.75], n_bins=2)


def test_gaps_are_observed_minus_predicted(curve):
    assert curve.gaps.tolist() == [-0.1875, 0.375]


def test_it_becomes_plain_data(curve):
    assert json.loads(json.dumps(curve.to_dict())) == {
        "predicted": [0.1875, 0.625],
        "observed": [0.0, 1.0],
        "weight": [2.0, 2.0],
        "lower": [0.125, 0.5],
        "upper": [0.25, 0.75],
    }
    columns = {name: np.array(column) for name, column in curve.to_dict().items()}
    assert ReliabilityCurve(**columns) == curve


def test_curves_compare_by_content(curve):
    table = ScoreTable.from_arrays([0.125, 0.25, 0.5, 0.75], [0, 0, 1, 1])
    assert curve == reliability_curve(table, n_bins=2)
    assert curve == pickle.loads(pickle.dumps(curve))
    assert curve != reliability_curve(table, n_bins=1)
    assert curve != reliability_curve([0, 1, 1, 1], [0.125, 0.25, 0.5, 0.75], n_bins=2)
    assert curve != curve.to_dict()
    with pytest.raises(TypeError, match="unhashable"):
        hash(curve)


def test_it_cannot_be_changed(curve):
    with pytest.raises(FrozenInstanceError):
        curve.weight = np.zeros(2)


@pytest.mark.parametrize("weight", [1.0, 1e-9, 123456789.0, 1e25])
def test_it_prints_as_an_aligned_table(weight):
    curve = reliability_curve([0, 0, 1], [0.1, 0.3, 0.6], 2, sample_weight=np.full(3, weight))
    head, *lines = repr(curve).splitlines()
    assert head.split() == ["from", "to", "cases", "predicted", "observed", "gap"]
    assert {len(line) for line in lines} == {len(head)}
    for line, cases in zip(lines, curve.weight, strict=True):
        assert float(line.split()[2]) == pytest.approx(cases, rel=1e-5)
