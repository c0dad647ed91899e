"""Pooling against a dictionary of fractions, for doubles of every sign and size."""

import math
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from witness import by_definition, everywhere, fractions, repeatable, rounded_once, rows_of, sizes

from truing.numerics.pooling import (
    CHUNK,
    Packing,
    SignedPacking,
    count_cells,
    pool_scores,
    sum_by_key,
)
from truing.numerics.summation import exact_parts, sum_runs

SMALLEST, LARGEST = 5e-324, float(np.finfo(float).max)
MIDDLE = st.floats(2.0**-510, float(np.nextafter(2.0**513, 0.0)))
ranges = {
    "any": everywhere,
    "not negative": st.floats(0.0, LARGEST),
    "from 0 to 1": st.floats(0.0, 1.0),
    "signed, of middling size": st.one_of(
        st.just(0.0), st.just(-0.0), MIDDLE, MIDDLE.map(float.__neg__)
    ),
    "few": st.sampled_from([-1.5, -0.0, 0.0, 0.5, 2.0, SMALLEST, -SMALLEST, LARGEST]),
    "few, of middling size": st.sampled_from([-1.5, -0.0, 0.0, 0.5, 2.0]),
}


def assert_pooled(scores, positive):
    distinct, (negatives, positives) = pool_scores(scores, positive)
    expected = by_definition(scores.tolist(), positive, np.ones(len(scores)))
    assert distinct.tolist() == list(expected)
    assert not np.signbit(distinct[distinct == 0.0]).any()
    assert negatives.tolist() == [sums[0] for sums in expected.values()]
    assert positives.tolist() == [sums[1] for sums in expected.values()]


@pytest.mark.parametrize("scores", ranges.values(), ids=ranges)
@repeatable
@given(data=st.data())
def test_scores_are_pooled_as_by_definition(scores, data):
    rows, positive, _ = data.draw(rows_of(scores))
    assert_pooled(rows, positive)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("both", [False, True], ids=["one class", "both classes"])
def test_neighbouring_doubles_of_every_size_stay_apart(sign, both):
    powers = np.concatenate([2.0 ** np.arange(-1074.0, 1024.0), [LARGEST, 2.0**512 * 1.5]])
    with np.errstate(over="ignore"):
        near = np.r_[np.nextafter(powers, 0.0), powers, np.nextafter(powers, np.inf)]
    scores = sign * np.repeat(near[np.isfinite(near)], 2)
    positive = np.arange(len(scores)) % 2 == 0 if both else np.ones(len(scores), bool)
    assert_pooled(np.r_[scores, 0.0, -0.0], np.r_[positive, True, False])


def test_no_score_at_all():
    distinct, (negatives, positives) = pool_scores(np.empty(0), np.empty(0, bool))
    assert len(distinct) == len(negatives) == len(positives) == 0


@pytest.mark.parametrize("length", [CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 1])
@pytest.mark.parametrize("shift", [0.0, -40.0])
def test_ties_across_chunks(length, shift):
    scores = np.arange(length) // 3 / 7.0 + shift
    positive = np.arange(length) % 2 == 0
    order = np.random.default_rng(3).permutation(length)
    distinct, (negatives, positives) = pool_scores(scores[order], positive[order])
    assert distinct.tolist() == sorted(set(scores.tolist()))
    threes = np.add.reduceat(positive, np.arange(0, length, 3), dtype=int)
    assert np.array_equal(positives, threes)
    assert np.array_equal(negatives + positives, np.bincount(np.arange(length) // 3))


def test_distinct_scores_are_told_by_booleans():
    _, columns = pool_scores(np.array([0.3, -0.1, 0.2]), np.array([True, False, True]))
    assert [column.tolist() for column in columns] == [[True, False, False], [False, True, True]]
    assert {column.dtype for column in columns} == {np.dtype(bool)}


def packed(packing, scores, label):
    keys = np.empty(len(scores), np.int64)
    able = packing.pack(scores.view(np.int64), np.full(len(scores), label, np.uint8), keys)
    return able, keys


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("packing", [Packing, SignedPacking])
@repeatable
@given(data=st.data())
def test_packed_scores_sort_alike_and_come_back(packing, label, data):
    name = "not negative" if packing is Packing else "signed, of middling size"
    scores = np.array(data.draw(st.lists(ranges[name], min_size=1, max_size=40))) + 0.0
    able, keys = packed(packing, scores, label)
    assert able
    assert np.array_equal(np.argsort(keys, kind="stable"), np.argsort(scores, kind="stable"))
    assert (keys & 1 == label).all()
    packing.unpack(keys)
    assert np.array_equal(keys, scores.view(np.int64))


@pytest.mark.parametrize(
    ("score", "able"),
    [
        (2.0**-510, True),
        (np.nextafter(2.0**-510, 0.0), False),
        (SMALLEST, False),
        (np.nextafter(2.0**513, 0.0), True),
        (2.0**513, False),
        (LARGEST, False),
        (0.0, True),
    ],
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_cannot_be_packed_says_so(score, able, sign):
    assert packed(SignedPacking, np.array([sign * score, 1.0]), 1)[0] == able


@pytest.mark.parametrize("weights", [fractions, sizes, st.integers(1, 2**40).map(float)])
@repeatable
@given(data=st.data())
def test_sums_are_exact_but_for_one_rounding(weights, data):
    keys, positive, weight = data.draw(rows_of(ranges["few"], weights))
    distinct, (found,) = sum_by_key(keys + 0.0, weight)
    expected = by_definition(keys.tolist(), positive, weight)
    assert distinct.tolist() == list(expected)
    for number, sums in zip(found, expected.values(), strict=True):
        assert rounded_once(number, sums[0] + sums[1])


@pytest.mark.parametrize("spread", [1, 12, 40])
def test_sums_of_many_sizes_are_exact_but_for_one_rounding(spread):
    rng = np.random.default_rng(spread)
    keys = rng.integers(0, 500, 50_000)
    weights = 10.0 ** rng.uniform(-spread, spread, len(keys)) * 10.0 ** (keys % 7 * 4)
    distinct, (found,) = sum_by_key(keys, weights)
    expected = [math.fsum(weights[keys == key]) for key in distinct]
    assert found.tolist() == expected


@pytest.mark.parametrize("weights", [fractions, sizes])
@repeatable
@given(data=st.data())
def test_sums_owe_nothing_to_order(weights, data):
    keys, _, weight = data.draw(rows_of(ranges["few"], weights))
    order = np.array(data.draw(st.permutations(range(len(keys)))))
    one, two = sum_by_key(keys + 0.0, weight), sum_by_key(keys[order] + 0.0, weight[order])
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1], two[1])


def test_naive_sums_would_owe_something_to_order():
    terms = np.array([1e16, 1.0, 1.0, 1.0])
    assert np.cumsum(terms)[-1] != np.cumsum(terms[::-1])[-1]
    assert sum_runs(terms, np.array([0])) == sum_runs(terms[::-1].copy(), np.array([0]))


@repeatable
@given(st.lists(st.one_of(fractions, sizes, st.just(0.0)), max_size=40).map(np.array))
@example(np.array([1e300, 1e-300]))
@example(np.array([5e-324, 5e-324]))
def test_parts_add_up_exactly(terms):
    parts = list(exact_parts(terms.astype(float)))
    left = terms.astype(float)
    for part in parts:
        left = left - part
    assert not left.any()


@pytest.mark.parametrize("huge", [1.7e308, np.inf, np.nan])
def test_terms_beyond_all_doubles_end(huge):
    with np.errstate(all="ignore"):
        assert len(list(exact_parts(np.array([huge, 0.5, huge])))) == 1


@pytest.mark.parametrize("nearness", [2, 5000, 2**30, 2**51])
@repeatable
@given(data=st.data())
def test_cells_are_counted_as_by_definition(nearness, data):
    cells, positive, _ = data.draw(rows_of(st.integers(-nearness, nearness)))
    occupied, (negatives, positives) = count_cells(cells, positive)
    counted = Counter(zip(cells.tolist(), positive.tolist(), strict=True))
    assert occupied.tolist() == sorted(set(cells.tolist()))
    assert negatives.tolist() == [counted[cell, False] for cell in occupied.tolist()]
    assert positives.tolist() == [counted[cell, True] for cell in occupied.tolist()]


@pytest.mark.parametrize("distance", [1, 2**11, 2**12, 2**14, 2**40])
def test_memory_for_counting_follows_the_rows(distance):
    cells = np.arange(100_000) // 2 * distance - 7
    tracemalloc.start()
    try:
        occupied, (negatives, positives) = count_cells(cells, np.arange(100_000) % 2 == 0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.array_equal(occupied, cells[::2])
    assert (negatives == 1.0).all()
    assert (positives == 1.0).all()
    assert peak < 200 * len(cells)
