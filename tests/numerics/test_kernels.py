"""Kernel sums against their definition, added up over every pair of query and point."""

from math import fsum

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from truing.numerics import kernels
from truing.numerics.binning import midpoints
from truing.numerics.boxcar_steps import boxcar_steps, merge_steps, window_edges
from truing.numerics.kernels import KERNELS, KernelSums
from truing.numerics.nearest import nearest

POLYNOMIALS = ["boxcar", "triangular", "epanechnikov", "tricube"]

# In factored form, so that the definition itself keeps its digits near the window's rim.
DEFINITIONS = {
    "boxcar": np.ones_like,
    "triangular": lambda u: 1 - u,
    "epanechnikov": lambda u: (1 - u) * (1 + u),
    "tricube": lambda u: ((1 - u) * (1 + u + u * u)) ** 3,
}


def terms(points, weights, bandwidth, name, queries):
    """Each point's part in each sum, and the weight in the window, both (m, n)."""
    apart = np.abs(queries[:, None] - points)
    inside = apart <= bandwidth
    u = np.minimum(apart, bandwidth) / bandwidth
    return np.where(inside, weights * DEFINITIONS[name](u), 0.0), np.where(inside, weights, 0.0)


def brute(points, weights, bandwidth, name, queries):
    return np.array([fsum(row) for row in terms(points, weights, bandwidth, name, queries)[0]])


def assert_agrees(points, weights, bandwidth, name, queries):
    part, held = terms(points, weights, bandwidth, name, queries)
    expected = np.array([fsum(row) for row in part])
    result = KernelSums(points, weights, bandwidth, KERNELS[name])(queries)
    # Beside 1e-12 of the sum, (x - x_i) / h is rounded in both, which moves K by some 1e-15.
    tolerance = 1e-12 * expected + 1e-14 * held.sum(axis=1)
    assert (np.abs(result - expected) <= tolerance).all()
    assert (result >= 0).all()
    assert (result[held.sum(axis=1) == 0] == 0).all()
    assert (result[part.max(axis=1) > 0] > 0).all()


def near(values):
    """The values, and one unit in the last place below and above."""
    return np.concatenate([values, np.nextafter(values, -np.inf), np.nextafter(values, np.inf)])


def telling_queries(points, bandwidth, rng, size=100):
    first, last = window_edges(points, bandwidth)
    span = np.ptp(points) + 2 * bandwidth
    anywhere = points[0] - bandwidth + span * rng.uniform(-0.1, 1.1, size)
    chosen = rng.choice(np.concatenate([points, first, last]), size)
    queries = np.concatenate([anywhere, near(chosen), [-1e300, 1e300]])
    return rng.permutation(queries)


WEIGHTS = {
    "whole": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "fractional": lambda rng, n: rng.uniform(0, 1, n),
    "of all sizes": lambda rng, n: 10.0 ** rng.uniform(-12, 6, n),
}
POINTS = {
    "uniform": lambda rng: np.sort(rng.uniform(0, 1, 1000)),
    "lattice": lambda _: 0.1 * np.arange(-20, 21),
    "fine lattice": lambda _: np.arange(1000) / 1000,
    "offset": lambda rng: np.unique(1e8 + rng.uniform(0, 1, 500)),
    "clusters": lambda rng: np.sort(rng.normal([0.0, 0.3, 1.0], 1e-4, (300, 3)).ravel()),
    "one point": lambda _: np.array([0.7]),
    "geometric": lambda _: np.concatenate([[0.0], 2.0 ** np.arange(-300, 3)]),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
@pytest.mark.parametrize("weighing", WEIGHTS)
@pytest.mark.parametrize("layout", POINTS)
def test_polynomial_sums_are_those_of_the_definition(name, weighing, layout):
    rng = np.random.default_rng(1)
    points = POINTS[layout](rng)
    weights = WEIGHTS[weighing](rng, len(points))
    for bandwidth in (1e-6, 1e-3, 0.1, 0.1 + 2**-30, 0.3, 1.0, 10.0):
        queries = telling_queries(points, bandwidth, rng)
        assert_agrees(points, weights, bandwidth, name, queries)


distinct_points = hnp.arrays(
    np.float64,
    st.integers(1, 40),
    elements=st.one_of(st.floats(-100, 100), st.integers(-20, 20).map(lambda k: 0.1 * k)),
    unique=True,
).map(np.sort)


@given(
    distinct_points,
    st.one_of(st.sampled_from([0.1, 0.2, 0.3, 1.0]), st.floats(1e-9, 1e3)),
    st.sampled_from(POLYNOMIALS),
    st.integers(0, 2**32),
)
def test_polynomial_sums_on_any_points(points, bandwidth, name, seed):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0, 1, len(points)) * rng.integers(0, 2, len(points))
    assert_agrees(points, weights, bandwidth, name, telling_queries(points, bandwidth, rng, 30))


@pytest.mark.parametrize("name", POLYNOMIALS)
@pytest.mark.parametrize("bandwidth", [0.013, 10.0])
def test_long_sums_do_not_drift(name, bandwidth):
    rng = np.random.default_rng(2)
    points = np.sort(rng.uniform(0, 1, 200_000))
    # Adding 0.1 over and over rounds the same way again and again.
    assert_agrees(points, np.full(len(points), 0.1), bandwidth, name, rng.uniform(-0.01, 1.01, 10))


def test_window_with_points_only_at_its_rim_keeps_its_digits():
    points = np.array([-1.0 + 2**-30, -1.0 + 2**-29, 0.25, 1.0 - 2**-28])
    weights = np.array([0.3, 1.0, 0.0, 2.0])
    rim = np.array([2.0**-30, 2.0**-29, 2.0**-28])  # v; K = v^3 (3 - 3 v + v^2)^3 exactly
    expected = fsum(weights[[0, 1, 3]] * (rim * (3 - 3 * rim + rim**2)) ** 3)
    result = KernelSums(points, weights, 1.0, KERNELS["tricube"])(np.array([0.0]))
    assert result == pytest.approx([expected], rel=1e-13)


def test_boxcar_counts_are_exact_on_lattices():
    for points in (0.1 * np.arange(-30, 31), np.arange(-30, 31) / 10, 1e8 + 0.1 * np.arange(61)):
        for bandwidth in (0.1, 0.2, 0.3, 0.7, 1.0):
            queries = near(np.concatenate([points, points - bandwidth, points + bandwidth]))
            counts = (np.abs(queries[:, None] - points) <= bandwidth).sum(axis=1)
            sums = KernelSums(points, np.ones(len(points)), bandwidth, KERNELS["boxcar"])
            assert np.array_equal(sums(queries), counts)


@pytest.mark.parametrize("name", KERNELS)
def test_columns_are_summed_as_they_are_alone(name):
    rng = np.random.default_rng(3)
    points = np.sort(rng.uniform(0, 1, 300))
    columns = np.stack([rng.integers(0, 2, 300), np.zeros(300), rng.uniform(0, 1, 300)])
    queries = rng.uniform(-1, 2, 40_000)
    together = KernelSums(points, columns, 0.05, KERNELS[name])(queries)
    assert together.shape == (3, 40_000)
    for column, result in zip(columns, together, strict=True):
        alone = KernelSums(points, column, 0.05, KERNELS[name])(queries)
        np.testing.assert_allclose(result, alone, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("name", KERNELS)
def test_no_queries_no_sums(name):
    sums = KernelSums(np.array([0.0]), np.array([1.0]), 1.0, KERNELS[name])
    assert sums(np.array([])).shape == (0,)


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_need_no_scale(name):
    sums = KernelSums(np.array([0.0]), np.array([1.0]), 1.0, KERNELS[name])
    values, log_scale = sums.scaled(np.array([0.0, 5.0]))
    assert values.tolist() == [1.0, 0.0]
    assert log_scale.tolist() == [0.0, 0.0]


# The smallest windows' edges: next to zero there are doubles without number within a rounding.
@given(
    hnp.arrays(np.float64, 20, elements=st.floats(-1e6, 1e6)),
    st.one_of(st.sampled_from([0.1, 0.3, 1.0, 2.0]), st.floats(1e-12, 1e7)),
)
@example(points=np.array([-1.0, 1.0, -0.1, 0.1, 0.0, -1 + 2**-53]), bandwidth=1.0)
@example(points=np.array([-0.1, 0.1, 1e-30, -1e-30, 5e-324]), bandwidth=0.1)
@example(points=np.array([1e8, -1e8, 1e8 + 1]), bandwidth=1e-6)
@example(points=np.array([1e8, 1e16, 3.0]), bandwidth=float(np.nextafter(1.0, 2)))
def test_window_edges_are_the_outermost_doubles_inside(points, bandwidth):
    first, last = window_edges(points, bandwidth)
    assert (np.abs(first - points) <= bandwidth).all()
    assert (np.abs(last - points) <= bandwidth).all()
    assert (np.abs(np.nextafter(first, -np.inf) - points) > bandwidth).all()
    assert (np.abs(np.nextafter(last, np.inf) - points) > bandwidth).all()


@given(
    distinct_points,
    st.one_of(st.sampled_from([0.1, 0.2, 0.3, 1.0]), st.floats(1e-9, 1e3)),
    st.integers(0, 2**32),
)
@settings(max_examples=60)
def test_steps_are_exact_at_and_beside_every_edge(points, bandwidth, seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 9, len(points)).astype(float)
    steps = boxcar_steps(points, np.stack([whole, np.ones(len(points))]), bandwidth)
    assert (np.diff(steps.edges) > 0).all()
    assert steps.sums.shape == (2, len(steps.edges) + 1)
    queries = np.concatenate([near(steps.edges), telling_queries(points, bandwidth, rng, 30)])
    step = np.searchsorted(steps.edges, queries)
    for sums, weights in zip(steps.sums, (whole, np.ones(len(points))), strict=True):
        assert np.array_equal(sums[step], brute(points, weights, bandwidth, "boxcar", queries))


def test_steps_keep_small_weights_beside_large_ones():
    rng = np.random.default_rng(4)
    points = np.sort(rng.uniform(0, 1, 500))
    weights = 10.0 ** rng.uniform(-20, 20, 500)
    steps = boxcar_steps(points, weights, 1e-3)
    queries = near(steps.edges)
    expected = brute(points, weights, 1e-3, "boxcar", queries)
    result = steps.sums[np.searchsorted(steps.edges, queries)]
    np.testing.assert_allclose(result, expected, rtol=1e-15, atol=0)
    assert np.array_equal(result == 0, expected == 0)


def test_merged_steps_keep_each_function():
    rng = np.random.default_rng(5)
    functions = [
        boxcar_steps(0.1 * np.arange(10), np.ones(10), 0.1),
        boxcar_steps(np.sort(rng.uniform(0, 1, 30)), rng.uniform(0, 1, (2, 30)), 0.25),
        boxcar_steps(0.2 * np.arange(5), np.ones(5), 0.1),
    ]
    merged = merge_steps(*functions)
    assert (np.diff(merged.edges) > 0).all()
    queries = near(merged.edges)
    expected = np.concatenate(
        [np.atleast_2d(f.sums)[:, np.searchsorted(f.edges, queries)] for f in functions]
    )
    assert np.array_equal(merged.sums[:, np.searchsorted(merged.edges, queries)], expected)


def brute_gaussian(points, weights, bandwidth, queries):
    """Log of each sum, (columns, m); -inf where a column has no weight."""
    exponent = -0.5 * ((queries[:, None] - points) / bandwidth) ** 2
    highest = exponent.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        logs = np.log(weights)[:, None, :] + (exponent - highest)
        top = logs.max(axis=2, keepdims=True)
        top[np.isneginf(top)] = 0.0
        return np.log(np.exp(logs - top).sum(axis=2)) + top[..., 0], highest[:, 0]


@pytest.mark.parametrize("layout", POINTS)
@pytest.mark.parametrize("weighing", WEIGHTS)
def test_gaussian_sums_are_right_however_far(layout, weighing):
    rng = np.random.default_rng(6)
    points = POINTS[layout](rng)
    one = WEIGHTS[weighing](rng, len(points))
    one[-1] = 1.0
    # The second column has weight on the right only: its own points may be the far ones.
    weights = np.stack([one, np.where(points >= np.median(points), one, 0.0)])
    for bandwidth in (1e-3, 0.05, 0.3, 10.0):
        far = points[-1] + bandwidth * 10.0 ** rng.uniform(0, 3, 100) * rng.choice([-1, 1], 100)
        queries = np.concatenate([rng.uniform(points[0] - 1, points[-1] + 1, 300), points, far])
        logs, scale = brute_gaussian(points, weights, bandwidth, queries)
        values, log_scale = KernelSums(points, weights, bandwidth, KERNELS["gaussian"]).scaled(
            queries
        )
        # Squaring a distance of d bandwidths leaves a rounding of 1e-16 d^2 in both.
        rounding = 1e-9 + 2e-15 * np.abs(scale)
        held = values > 1e-290
        assert (logs[~held] < np.log(1e-290) + 1).all()
        with np.errstate(divide="ignore"):
            error = np.abs(np.log(values) + log_scale - (logs + scale))
        assert (error < np.broadcast_to(rounding, error.shape))[held].all()


def test_gaussian_sums_themselves():
    points = np.linspace(0, 1, 500)
    queries = np.linspace(-3, 4, 501)
    sums = KernelSums(points, np.full(500, 0.25), 0.1, KERNELS["gaussian"])
    expected = (0.25 * np.exp(-0.5 * ((queries[:, None] - points) / 0.1) ** 2)).sum(axis=1)
    np.testing.assert_allclose(sums(queries), expected, rtol=1e-9, atol=0)


def test_gaussian_bears_any_query():
    sums = KernelSums(np.array([0.0, 1.0]), np.eye(2), 1e-6, KERNELS["gaussian"])
    values, log_scale = sums.scaled(np.array([-1e300, 1e300]))
    assert values.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert np.isfinite(log_scale).all()


def test_gaussian_ratios_stay_right_where_distances_round():
    # log ratio = ((1e8 + 1e-8)^2 - 1e16) / 2 = 1, of two numbers near 5e15
    sums = KernelSums(np.array([-1e-8, 0.0]), np.eye(2), 1.0, KERNELS["gaussian"])
    values, _ = sums.scaled(np.array([1e8, -1e8]))
    assert values[0] / values[1] == pytest.approx([np.exp(-1), np.exp(1)], rel=1e-9)


def test_gaussian_without_weight_is_zero():
    sums = KernelSums(np.array([0.0, 1.0]), np.zeros((2, 2)), 0.1, KERNELS["gaussian"])
    assert sums(np.array([0.0, 5.0])).tolist() == [[0.0, 0.0], [0.0, 0.0]]


@given(distinct_points, hnp.arrays(np.float64, 20, elements=st.floats(-200, 200)))
def test_nearest_is_the_first_of_the_least_distances(points, queries):
    queries = np.concatenate([queries, points, (points[1:] + points[:-1]) / 2])
    distance = np.abs(queries[:, None] - points)
    found = distance[np.arange(len(queries)), nearest(points, queries)]
    least = distance.min(axis=1)
    # The middle between two points is rounded to a double; all else is exact.
    rounding = np.spacing(np.abs(queries).max() + np.abs(points).max())
    assert (found - least <= rounding).all()


def test_nearest_between_lattice_points_is_exact():
    points, queries = np.arange(0.0, 9.0), np.arange(0.0, 8.25, 0.25)
    distance = np.abs(queries[:, None] - points)
    assert np.array_equal(nearest(points, queries), distance.argmin(axis=1))


@given(distinct_points)
def test_the_nearest_point_changes_right_after_the_middle(points):
    below = np.arange(len(points) - 1)
    middles = midpoints(points, below)
    assert np.array_equal(nearest(points, middles), below)
    assert np.array_equal(nearest(points, np.nextafter(middles, np.inf)), below + 1)


def test_nearest_of_two_is_the_lower():
    assert nearest(np.array([0.0, 1.0, 3.0]), np.array([2.0, 0.5])).tolist() == [1, 0]


def test_public_names():
    assert set(kernels.__all__) <= set(dir(kernels))
    assert list(KERNELS) == [*POLYNOMIALS, "gaussian"]
