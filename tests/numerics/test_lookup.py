"""Guided look-up answers as ``np.searchsorted`` does, whatever the edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truing.numerics.lookup import CHUNK, MOST_CELLS, Guide, look_up

HUGE = np.finfo(float).max
rng = np.random.default_rng(0)

EDGES = {
    "none": [],
    "one": [0.5],
    "one at zero": [0.0],
    "one huge": [1e308],
    "two": [0.2, 0.7],
    "the ends": [0.0, 1.0],
    "one far outside": [0.1, 0.2, 0.3, 1e9],
    "equal spacing": np.linspace(0, 1, 101),
    "equal spacing, powers of two": np.linspace(0, 1, 1025),
    "equal spacing elsewhere": np.linspace(-7, 13, 333),
    "random": np.sort(rng.random(1000)),
    "normal": np.sort(rng.normal(size=1000)),
    "crowded in the middle": 0.5 + np.sort(rng.normal(size=500)) * 1e-9,
    "crowded at one end": np.sort(rng.random(500)) ** 40,
    "neighbouring doubles": 0.3 + np.arange(200) * 2.0**-54,
    "crowded beside one far": np.r_[np.sort(rng.random(300)) * 1e-12, 1.0],
    "powers": 2.0 ** np.arange(-1074, 1024),
    "both signs, all sizes": np.r_[
        -(2.0 ** np.arange(1023, -1074, -1)), 2.0 ** np.arange(-1074, 1024)
    ],
    "subnormals": np.arange(1, 50) * 5e-324,
    "subnormals around zero": np.arange(-20, 20) * 5e-324,
    "huge range": [-HUGE, -1.0, 0.0, 1.0, HUGE],
    "huge at one end": [1e-300, 1.0, HUGE],
    "all huge": np.linspace(0.9, 1.0, 50) * HUGE,
    "all huge and negative": -np.linspace(1.0, 0.9, 50) * HUGE,
    "wider than doubles": np.linspace(-1.0, 1.0, 77) * HUGE,
    "repeated": [0.1, 0.5, 0.5, 0.5, 0.9],
    "nothing but repeated": [0.5] * 20,
    "more than cells": np.sort(rng.random(MOST_CELLS // 8)),
}


def telling(edges):
    """The edges, the doubles beside them, what lies between, and what lies far out."""
    edges = np.asarray(edges, float)
    inner = edges[np.abs(edges) < HUGE]
    beside = np.r_[np.nextafter(inner, -np.inf), np.nextafter(inner, np.inf)]
    between = 0.5 * edges[:-1] + 0.5 * edges[1:]
    far = [-HUGE, HUGE, -1e300, 1e300, -1.0, 0.0, 5e-324, -5e-324, 0.5, 1.0, 2.0, 1e-300]
    values = np.r_[edges, beside, between, far, rng.random(500), rng.normal(size=500) * 10]
    return rng.permutation(values)


every_side = pytest.mark.parametrize("side", ["left", "right"])


@every_side
@pytest.mark.parametrize("name", EDGES)
def test_it_finds_what_searchsorted_finds(name, side):
    edges = np.array(EDGES[name], float)
    values = telling(edges)
    expected = np.searchsorted(edges, values, side=side)
    guide = Guide(edges, side=side)
    assert np.array_equal(guide.find(values), expected)
    assert np.array_equal(guide.find(values), expected)
    for value, index in zip(values[:50], expected[:50], strict=True):  # one at a time, too
        assert guide.find(np.array([value])).tolist() == [index]


@every_side
def test_probabilities_alone_need_no_clipping_and_find_the_same(side):
    for edges in (np.linspace(0, 1, 64), np.sort(rng.random(900)), np.array([0.0, 0.5, 1.0])):
        values = np.r_[0.0, 1.0, edges, rng.random(2000), np.nextafter(edges[1:-1], 0)]
        expected = np.searchsorted(edges, values, side=side)
        assert np.array_equal(Guide(edges, side).find(values), expected)


doubles = st.floats(allow_nan=False, allow_infinity=False)
close = st.tuples(st.integers(-3, 3), st.integers(0, 5)).map(
    lambda at: at[0] + at[1] * np.spacing(abs(at[0]) + 1.0)
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    edges=st.lists(st.one_of(doubles, close), max_size=40),
    values=st.lists(st.one_of(doubles, close), max_size=40),
    side=st.sampled_from(["left", "right"]),
)
def test_any_edges_and_values(edges, values, side):
    edges, values = np.sort(np.array(edges, float)), np.array([*values, *edges], float)
    expected = np.searchsorted(edges, values, side=side)
    assert np.array_equal(Guide(edges, side).find(values), expected)


@every_side
@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7])
def test_chunks_cover_every_value_once(size, side):
    edges, values = np.sort(rng.random(37)), rng.random(size)
    expected = np.searchsorted(edges, values, side=side)
    guide = Guide(edges, side)
    assert np.array_equal(guide.find(values), expected)
    table = rng.random((2, 38))
    answers = np.full((2, size), np.nan)
    for part, found in look_up(guide, (table[0], table[1]), values):
        answers[:, part] = found
    assert np.array_equal(answers, table[:, expected])


def test_nothing_given_is_changed():
    edges, values = np.sort(rng.random(20)), rng.normal(size=100)
    edges.flags.writeable = values.flags.writeable = False
    Guide(edges, "left").find(values)


def test_an_unknown_side_is_refused():
    with pytest.raises(KeyError, match="middle"):
        Guide(np.array([0.5]), "middle")
