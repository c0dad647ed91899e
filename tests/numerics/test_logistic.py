"""The most likely sigmoid: where its derivatives vanish, and where it can be written down.

Platt's calibrator is held to an independent optimiser in `tests/definitions`.
"""

import numpy as np
import pytest
from scipy.special import expit, logit

from truing.numerics.logistic import EXACT, fit_logistic


def draw(seed, n, slope=1.3, intercept=-0.4, spread=1.0):
    rng = np.random.default_rng(seed)
    places = np.unique(rng.standard_t(3, n) * spread)
    weights = rng.uniform(0.5, 3.0, len(places))
    positives = weights * rng.beta(2, 2, len(places)) * 2 * expit(intercept + slope * places)
    return places, np.minimum(positives, weights), weights


@pytest.mark.parametrize(
    ("rates", "places"),
    [
        ((0.2, 0.9), (-1.0, 1.0)),
        ((0.7, 0.1), (0.0, 3.0)),
        ((0.5, 0.5), (-2.0, 5.0)),
        ((1e-6, 1 - 1e-6), (10.0, 11.0)),
        ((0.01, 0.011), (-4.0, -3.5)),
    ],
)
@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.3, 40.0)])
def test_through_two_places_goes_the_line_of_their_log_odds(rates, places, weights):
    rates, places, weights = map(np.array, (rates, places, weights))
    slope, intercept = fit_logistic(places, rates * weights, weights)
    expected = np.diff(logit(rates))[0] / np.diff(places)[0]
    # A class that holds a millionth of the weight has six digits less in the sums.
    rarest = (weights * np.minimum(rates, 1 - rates)).min() / weights.sum()
    known = 1e-12 + 1e-15 / rarest
    assert slope == pytest.approx(expected, rel=known, abs=known)
    assert intercept == pytest.approx(logit(rates[0]) - expected * places[0], rel=known, abs=known)


@pytest.mark.parametrize(
    ("negatives", "positives"), [(1, 10), (3, 1e5), (1e5, 2), (1, 1e7), (1000, 1e7), (1e6, 1e6)]
)
def test_separated_classes_of_any_size_with_smoothed_targets(negatives, positives):
    rates = np.array([1 / (negatives + 2), (positives + 1) / (positives + 2)])
    weights = np.array([negatives, positives])
    slope, intercept = fit_logistic(np.array([0.0, 1.0]), rates * weights, weights)
    assert slope == pytest.approx(logit(rates[1]) - logit(rates[0]), rel=1e-8)
    assert intercept == pytest.approx(logit(rates[0]), rel=1e-8)


@pytest.mark.parametrize("rare", [1e-20, 1e-100, 1e-250])
def test_hardly_overlapping_classes_have_a_finite_answer(rare):
    places, weights = np.array([0.0, 1.0]), np.array([1.0, 1.0])
    slope, intercept = fit_logistic(places, np.array([rare, 1.0 - rare]), weights)
    assert np.isfinite([slope, intercept]).all()
    assert expit(intercept) < 1e-9
    assert expit(intercept + slope) > 1 - 1e-9


def test_symmetric_places_have_no_intercept():
    places, weights = np.array([-3.0, -1.0, 1.0, 3.0]), np.array([2.0, 5.0, 5.0, 2.0])
    positives = np.array([0.5, 2.0, 3.0, 1.5])
    slope, intercept = fit_logistic(places, positives, weights)
    assert abs(intercept) < 1e-12
    assert places @ (weights * expit(slope * places) - positives) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("n", [3, 40, 3000, EXACT + 2000, 60_000])
@pytest.mark.parametrize("slope", [-2.0, 0.0, 0.5, 30.0])
def test_the_derivatives_of_the_likelihood_vanish(n, slope):
    places, positives, weights = draw(n, n, slope=slope)
    found = fit_logistic(places, positives, weights)
    missed = weights * expit(found[1] + found[0] * places) - positives
    # Of as many places as are pooled, the answer has some nine digits.
    room = 1e-12 if len(places) <= EXACT else 1e-8
    assert abs(missed.sum()) <= room * weights.sum()
    assert abs(missed @ places) <= room * (weights @ np.abs(places))


@pytest.mark.parametrize("n", [50, 30_000])
def test_classes_and_directions_may_be_exchanged(n):
    places, positives, weights = draw(1, n)
    slope, intercept = fit_logistic(places, positives, weights)
    other = fit_logistic(places, weights - positives, weights)
    assert other == pytest.approx((-slope, -intercept), rel=1e-8)
    mirrored = fit_logistic(-places[::-1], positives[::-1], weights[::-1])
    assert mirrored == pytest.approx((-slope, intercept), rel=1e-8)


@pytest.mark.parametrize("n", [50, 30_000])
@pytest.mark.parametrize("unit", [1e-300, 1e-120, 1e-3, 8.0, 1e120, 1e300])
def test_the_unit_of_places_scales_the_slope(n, unit):
    places, positives, weights = draw(2, n)
    slope, intercept = fit_logistic(places, positives, weights)
    scaled = fit_logistic(places * unit, positives, weights)
    assert scaled[0] * unit == pytest.approx(slope, rel=1e-8)
    assert scaled[1] == pytest.approx(intercept, rel=1e-8)


@pytest.mark.parametrize("n", [50, 30_000])
@pytest.mark.parametrize("shift", [-1000.0, 3.0, 1e5])
def test_moved_places_move_the_intercept(n, shift):
    places, positives, weights = draw(3, n)
    slope, intercept = fit_logistic(places, positives, weights)
    moved = fit_logistic(places + shift, positives, weights)
    assert moved[0] == pytest.approx(slope, rel=1e-8)
    assert moved[1] + moved[0] * shift == pytest.approx(intercept, rel=0, abs=1e-8)


@pytest.mark.parametrize("unit", [1e-150, 1e-6, 1e6, 1e150])
def test_the_unit_of_weights_changes_nothing(unit):
    places, positives, weights = draw(4, 500)
    expected = fit_logistic(places, positives, weights)
    found = fit_logistic(places, positives * unit, weights * unit)
    assert found == pytest.approx(expected, rel=1e-8)


def test_nothing_given_is_changed():
    for n in (50, 30_000):
        columns = draw(5, n)
        for column in columns:
            column.flags.writeable = False
        fit_logistic(*columns)
