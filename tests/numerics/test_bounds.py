"""Bounds against published numbers, against each other, and against exact binomial tails."""

import math

import pytest
from scipy import stats

from truing.numerics.bounds import (
    auc_loss_bound,
    expected_error_bound,
    gupta_ramdas_bound,
    hoeffding_bound,
    loose_hoeffding_bound,
)

PLACES = [(300, 5, 0.05), (1000, 10, 0.05), (1000, 30, 0.1), (10**6, 100, 0.001)]


@pytest.mark.parametrize(
    ("bound", "published"),
    [(loose_hoeffding_bound, 0.346), (hoeffding_bound, 0.173), (gupta_ramdas_bound, 0.174)],
)
def test_a_thousand_cases_in_ten_bins(bound, published):
    assert bound(1000, 10, 0.05) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize(("cases", "bins", "delta"), PLACES)
def test_each_is_its_formula(cases, bins, delta):
    log = math.log(2 * bins / delta)
    expected = math.sqrt(2 * bins * log / cases)
    assert loose_hoeffding_bound(cases, bins, delta) == pytest.approx(expected, rel=1e-14)
    assert hoeffding_bound(cases, bins, delta) == pytest.approx(expected / 2, rel=1e-14)
    expected = math.sqrt(log / (2 * (cases // bins - 1)))
    assert gupta_ramdas_bound(cases, bins, delta) == pytest.approx(expected, rel=1e-14)
    assert expected_error_bound(cases, bins) ** 2 == pytest.approx(bins / cases / 4, rel=1e-14)


@pytest.mark.parametrize(("cases", "bins", "delta"), PLACES)
def test_binomial_tails_keep_the_promise(cases, bins, delta):
    held = cases // bins
    bound = hoeffding_bound(held * bins, bins, delta)
    for chance in (0.5, 0.3, 0.02):
        seen = stats.binom(held, chance)
        outside = seen.cdf(held * (chance - bound)) + seen.sf(held * (chance + bound))
        assert 1 - (1 - outside) ** bins <= delta
        off = abs(seen.expect(lambda k, p=chance: abs(k / held - p)) if held < 500 else seen.std())
        assert off / (1 if held < 500 else held) <= expected_error_bound(cases, bins) * (1 + 1e-9)


@pytest.mark.parametrize(("cases", "bins", "delta"), PLACES)
def test_choosing_bins_on_the_same_cases_costs_one_case_in_each(cases, bins, delta):
    whole = cases // bins * bins
    same = gupta_ramdas_bound(whole, bins, delta)
    assert same == pytest.approx(hoeffding_bound(whole - bins, bins, delta), rel=1e-14)
    assert hoeffding_bound(cases, bins, delta) < same < loose_hoeffding_bound(cases, bins, delta)
    more = gupta_ramdas_bound(whole, bins, delta, randomisation=0.25)
    assert more == pytest.approx(same + 0.25, rel=1e-14)


@pytest.mark.parametrize(("cases", "bins"), [(10, 10), (19, 10), (3, 10)])
def test_bins_of_one_case_promise_nothing(cases, bins):
    assert gupta_ramdas_bound(cases, bins) == math.inf


def test_auc():
    assert [auc_loss_bound(bins) for bins in (1, 5, 100)] == [0.5, 0.1, 0.005]
