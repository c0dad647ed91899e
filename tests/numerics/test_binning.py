"""Cuts into bins, and sums over bins, against their definition in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truing.numerics.binning import (
    equal_weight_cuts,
    equal_weight_ends,
    equal_weight_sums,
    equal_width_cuts,
    midpoints,
)

often = settings(max_examples=200, deadline=None, derandomize=True)

whole = st.integers(1, 6).map(float)
dyadic = st.integers(1, 4096).map(lambda k: k / 256)  # whose sums and shares are exact
columns = st.one_of(
    st.lists(whole, min_size=1, max_size=30),
    st.lists(dyadic, min_size=1, max_size=30),
).map(np.array)
bin_counts = st.integers(1, 40)


def ends_by_hand(weights, n_bins):
    """The place whose cumulated weight is nearest to each share; of two the first."""
    reached = np.cumsum(list(map(Fraction, weights)))
    ends = {len(weights) - 1}
    for k in range(1, n_bins):
        target = reached[-1] * k / n_bins
        ends.add(min(range(len(weights)), key=lambda at: (abs(reached[at] - target), at)))
    return sorted(ends)


@often
@given(weights=columns, n_bins=bin_counts)
def test_cuts_are_nearest_to_equal_shares(weights, n_bins):
    assert equal_weight_cuts(weights, n_bins).tolist() == ends_by_hand(weights, n_bins)


@often
@given(size=st.integers(1, 60), n_bins=st.integers(1, 80), unit=st.sampled_from([1, 0.1, 1 / 3]))
def test_cuts_of_equal_weights_do_not_depend_on_their_unit(size, n_bins, unit):
    found = equal_weight_cuts(np.full(size, float(unit)), n_bins)
    assert found.tolist() == equal_weight_cuts(np.ones(size), n_bins).tolist()
    assert len(found) == min(size, n_bins)


def test_one_place_and_one_bin():
    assert equal_weight_cuts(np.array([3.0]), 5).tolist() == [0]
    assert equal_weight_cuts(np.array([3.0, 0.5, 2.0]), 1).tolist() == [2]


def sums_by_hand(weights, n_bins, column):
    exact = list(map(Fraction, weights))
    held, reached, sums = sum(exact) / n_bins, Fraction(0), [Fraction(0)] * n_bins
    for weight, value in zip(exact, column, strict=True):
        for k in range(n_bins):
            part = min(reached + weight, (k + 1) * held) - max(reached, k * held)
            sums[k] += max(part, Fraction(0)) / weight * Fraction(value)
        reached += weight
    return np.array(sums, float)


@often
@given(weights=columns, n_bins=bin_counts, data=st.data())
def test_sums_divide_a_place_in_proportion(weights, n_bins, data):
    size = len(weights)
    values = np.array(data.draw(st.lists(st.floats(0, 1), min_size=size, max_size=size)))
    column = weights * values
    before = weights.copy()
    found = equal_weight_sums(np.cumsum(weights), n_bins, column, weights)
    held = weights.sum() / n_bins
    expected = sums_by_hand(weights, n_bins, column)
    np.testing.assert_allclose(found[0], expected, rtol=0, atol=1e-14 * weights.sum())
    np.testing.assert_allclose(found[1], held, rtol=0, atol=1e-14 * weights.sum())
    assert np.array_equal(weights, before)


@pytest.mark.parametrize(("size", "n_bins"), [(30, 10), (30, 4), (12, 5), (10, 25), (7, 7), (9, 1)])
def test_where_borders_lie_between_cases_sums_are_exact(size, n_bins):
    counts = np.arange(size, dtype=float)
    [found] = equal_weight_sums(np.arange(1.0, size + 1), n_bins, counts)
    expected = sums_by_hand(np.ones(size), n_bins, counts)
    even = [k * size % n_bins == 0 and (k + 1) * size % n_bins == 0 for k in range(n_bins)]
    assert np.array_equal(found[even], expected[even])


def test_sums_keep_their_digits_behind_many_places():
    size = 1_000_000
    column = np.random.default_rng(0).random(size)
    [found] = equal_weight_sums(np.arange(1.0, size + 1), 10_000, column)
    np.testing.assert_allclose(found, column.reshape(10_000, -1).sum(axis=1), rtol=1e-14)


@often
@given(weights=columns, n_bins=bin_counts)
def test_ends_are_the_outermost_places_with_a_part(weights, n_bins):
    exact = list(map(Fraction, weights))
    held = sum(exact) / n_bins
    ends = np.cumsum(exact)
    first, last = equal_weight_ends(np.cumsum(weights), n_bins)
    for k in range(n_bins):
        low, high = k * held, (k + 1) * held
        parts = [at for at, end in enumerate(ends) if end > low and end - exact[at] < high]
        assert (first[k], last[k]) == (parts[0], parts[-1])


@pytest.mark.parametrize("unit", [0.1, 1 / 3, 1e-200, 1e200])
def test_ends_do_not_depend_on_rounding(unit):
    for n_bins in (2, 3, 4, 6, 12):
        first, last = equal_weight_ends(np.cumsum(np.full(12, unit)), n_bins)
        assert first.tolist() == list(range(0, 12, 12 // n_bins))
        assert (last + 1).tolist() == [*first.tolist()[1:], 12]


# ----------------------------------------------------------------------------------- equal width


@often
@given(
    scores=st.lists(st.integers(-40, 40), min_size=1, max_size=30, unique=True),
    n_bins=st.integers(1, 20),
)
def test_width_cuts_separate_what_lies_in_different_bins(scores, n_bins):
    places = np.sort(np.array(scores, float)) / 8
    edges = np.linspace(-5.0, 5.0, n_bins + 1)
    lasts, cuts = equal_width_cuts(places, edges)
    # Bin k is (edge k, edge k + 1]; the first has its lower edge in it.
    inside = [
        max(k for k in range(n_bins) if k == 0 or place > edges[k]) for place in places.tolist()
    ]
    expected = [
        at for at in range(len(places)) if at + 1 == len(places) or inside[at + 1] > inside[at]
    ]
    assert lasts.tolist() == expected
    for at, cut in zip(lasts[:-1].tolist(), cuts.tolist(), strict=True):
        left, right = edges[inside[at] + 1], edges[inside[at + 1]]  # what is empty between them
        assert cut == (left if left == right else 0.5 * left + 0.5 * right)
        assert places[at] <= cut < places[at + 1]


@pytest.mark.parametrize(("low", "high", "cut"), [(-1.7, 1.7, 0.0), (0.9, 1.7, 1.3)])
def test_width_cuts_of_huge_margins(low, high, cut):
    edges = np.linspace(low, high, 5) * 1e308
    lasts, cuts = equal_width_cuts(np.array([low, high]) * 1e308, edges)
    assert lasts.tolist() == [0, 1]
    np.testing.assert_allclose(cuts / 1e308, [cut], rtol=0, atol=1e-15)


# -------------------------------------------------------------------------------------- midpoints

doubles = st.floats(allow_nan=False, allow_infinity=False)


@often
@given(scores=st.lists(doubles, min_size=2, max_size=20, unique=True))
def test_a_middle_lies_from_its_place_up_to_but_not_at_the_next(scores):
    places = np.unique(np.array(scores) + 0.0)
    middles = midpoints(places, np.arange(len(places) - 1))
    assert (places[:-1] <= middles).all()
    assert (middles < places[1:]).all()
    for left, middle, right in zip(places[:-1], middles, places[1:], strict=True):
        exact = (Fraction(left) + Fraction(right)) / 2
        apart = abs(Fraction(middle) - exact)
        nearest = max(abs(exact) * Fraction(2.0**-52), Fraction(5e-324))
        assert apart <= nearest


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1.0, np.nextafter(1.0, 2)),
        (0.0, 5e-324),
        (-5e-324, 0.0),
        (-5e-324, 5e-324),
        (5e-324, 1e-323),
        (-1.7976931348623157e308, 1.7976931348623157e308),
        (1.7976931348623155e308, 1.7976931348623157e308),
    ],
)
def test_middles_of_neighbouring_and_of_extreme_doubles(left, right):
    [middle] = midpoints(np.array([left, right]), np.array([0]))
    assert left <= middle < right
