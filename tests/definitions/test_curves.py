"""Curves against scipy's splines and cubics, and their promise to increase."""

import warnings

import numpy as np
import pytest
from scipy import interpolate, special

from truing import DataError
from truing.maps import Curve, LogOddsScale, ProbabilityMap, ScoreScale
from truing.numerics.log_odds import sigmoid

HUGE = 1.7e308


def around(values):
    """The values, and the doubles next to them on both sides."""
    values = np.asarray(values, dtype=float)
    return np.concatenate([values, np.nextafter(values, -np.inf), np.nextafter(values, np.inf)])


def points(seed, size=12):
    rng = np.random.default_rng(seed)
    knots = np.sort(rng.normal(0, 2, size))
    return knots, rng.normal(0, 2, size), np.sort(rng.uniform(-9, 9, 1000)), rng


@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e6, 1e300])
@pytest.mark.parametrize("size", [2, 3, 4, 12, 300])
def test_natural_is_scipys_natural_spline_with_straight_ends(size, unit):
    knots, values, places, _ = points(size, size)
    spline = interpolate.CubicSpline(knots, values, bc_type="natural")
    inner = np.clip(places, knots[0], knots[-1])
    expected = spline(inner) + (places - inner) * spline(inner, 1)
    curve = Curve.natural(unit * knots, values)
    steepest = max(1.0, np.abs(spline(inner, 1)).max())  # a rounding of a place is multiplied by it
    answers = curve(unit * places)
    np.testing.assert_allclose(answers, special.expit(expected), rtol=0, atol=1e-13 * steepest)


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize("size", [1, 2, 3, 40])
def test_through_is_interp_in_log_odds(size, unit):
    knots, values, places, _ = points(size, size)
    curve = Curve.through(unit * knots, values)
    expected = special.expit(np.interp(places, knots, values))
    np.testing.assert_allclose(curve(unit * places), expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(curve(unit * knots), special.expit(values), rtol=0, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_pieces_are_the_cubics_of_hermite(seed):
    knots, values, places, rng = points(seed)
    before, after = rng.normal(0, 2, (2, len(knots)))
    expected = np.where(
        places < knots[0],
        values[0] + before[0] * (places - knots[0]),
        values[-1] + after[-1] * (places - knots[-1]),
    )
    for left in range(len(knots) - 1):
        ends = knots[left : left + 2], values[left : left + 2], [after[left], before[left + 1]]
        inside = (places >= knots[left]) & (places <= knots[left + 1])
        expected[inside] = interpolate.CubicHermiteSpline(*ends)(places[inside])
    answers = Curve(knots, values, before, after)(places)
    np.testing.assert_allclose(answers, special.expit(expected), rtol=0, atol=1e-13)


def rising_cubics(rng, size):
    """Knots, values and slopes of a curve that increases, some of its pieces only just.

    The derivative is b0² (1-u)² + 2 m u (1-u) + b1² u² with m from -b0 b1, where it touches 0.
    """
    knots = np.cumsum(10.0 ** rng.uniform(-6, 1, size))
    knots -= knots[size // 2]
    roots = rng.choice([0.0, 1e-9, 0.3, 1.0, 20.0], size)
    share = rng.choice([-1.0, -1 + 1e-9, -0.5, 0.0, 3.0], size - 1)
    rise = np.diff(knots) * (roots[:-1] ** 2 + roots[1:] ** 2 + share * roots[:-1] * roots[1:]) / 3
    values = np.cumsum(np.r_[0.0, np.maximum(rise, 0.0)])
    return knots, values - values[size // 2], roots**2, roots**2


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("scale", [ScoreScale(), LogOddsScale()], ids=["score", "log-odds"])
def test_increasing_curves_increase_in_every_bit(seed, scale):
    rng = np.random.default_rng(seed)
    curve = Curve(*rising_cubics(rng, 8), scale)
    knots = curve.knots
    places = np.sort(np.r_[rng.uniform(2 * knots[0], 2 * knots[-1], 3000), knots])
    close = [place + np.arange(-40, 41) * np.spacing(place) for place in places[::20]]
    places = np.r_[around(scale.place(np.r_[places, *close])), around(curve._pieces.turns())]
    places = np.sort(np.clip(places, 0, 1) if scale.bounded else places)
    answers = curve(places)
    assert not curve.increasing or (np.diff(answers) >= 0).all()
    steps = np.diff(curve._pieces(scale.read(places)))
    assert (steps >= (0.0 if curve.increasing else -1e-9)).all()


def test_increasing_is_told_for_nearly_all_curves_that_increase():
    told = [Curve(*rising_cubics(np.random.default_rng(seed), 4)).increasing for seed in range(200)]
    assert np.mean(told) > 0.5  # where the derivative touches 0, roundings decide


@pytest.mark.parametrize(
    ("rise", "first", "last", "expected"),
    [
        (1.0, 1.0, 1.0, True),
        (1.0, 3.0, 3.0, True),  # the derivative touches 0 amid the piece
        (1.0, 3.001, 3.001, False),
        (1.0, 0.0, 3.0, True),
        (1.0, 0.0, 3.001, False),
        (1.0, -1e-3, 1.0, False),
        (0.0, 0.0, 0.0, True),
        (0.0, 1e-9, 0.0, False),
        (-1.0, 0.0, 0.0, False),
    ],
)
def test_increasing_looks_inside_pieces(rise, first, last, expected):
    curve = Curve([0.0, 1.0], [0.0, rise], [0.0, last], [first, 0.0])
    assert curve.increasing is expected
    inside = np.diff(curve._pieces(np.linspace(0, 1, 10_001)))
    assert bool((inside >= 0).all()) is expected


@pytest.mark.parametrize("end", [0, 1])
def test_increasing_looks_at_both_ends(end):
    slopes = np.zeros((2, 2))
    slopes[end, -end] = -1e-3
    assert not Curve([0.0, 1.0], [0.0, 1.0], slopes[0], slopes[1]).increasing


def test_the_sigmoid_keeps_the_order_of_neighbouring_doubles():
    rng = np.random.default_rng(0)
    values = rng.uniform(-1, 1, 1_000_000) * 10 ** rng.uniform(-3, 2.8, 1_000_000)
    assert (sigmoid(np.nextafter(values, np.inf)) >= sigmoid(values)).all()


@pytest.mark.parametrize(
    "knots",
    [[0.0], [-1e300, 1e300], [-HUGE, HUGE], [-HUGE, -1.0, 0.0, HUGE], [0.0, 5e-324], [1e-310, 1.0]],
    ids=str,
)
@pytest.mark.parametrize("slope", [0.0, 1e-300, 1.0, 1e300])
def test_huge_and_tiny_scores_are_answered_in_order_and_without_warning(knots, slope):
    plain = [0.0, 1e-300, 1.0, 1e100, 1e160, 1e300, HUGE, 1.79e308]
    queries = np.unique(np.r_[plain, np.negative(plain), around(knots)])
    ends = np.full(len(knots), slope)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        through = Curve.through(knots, np.arange(len(knots)))
        curves = [
            through,
            Curve.natural(knots, np.arange(len(knots)) * 1e6),
            Curve(knots, np.arange(len(knots)) * 1e100, ends, ends),
            Curve(
                knots,
                through.log_odds,
                *(np.maximum(slope, s) for s in (through.slopes_before, through.slopes_after)),
            ),
        ]
        for curve in curves:
            answers = curve(queries[np.isfinite(queries)])
            assert ((answers >= 0) & (answers <= 1)).all()
            assert not curve.increasing or (np.diff(answers) >= 0).all()
            again = ProbabilityMap.from_dict(curve.to_dict())
            assert (again(queries[np.isfinite(queries)]) == answers).all()
        assert through.increasing


def test_a_straight_end_goes_on_as_far_as_doubles_do():
    curve = Curve([0.0], [0.0], [1e-308], [1e-308])
    np.testing.assert_allclose(curve([-1e308, 1e308]), special.expit([-1, 1]), rtol=1e-12)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        (([], [], [], []), "not empty"),
        (([0.0], [0.0, 1.0], [0.0], [0.0]), "one length"),
        (([0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]), "knots .* strictly increasing"),
        (([0.0], [np.nan], [0.0], [0.0]), "log_odds .* not finite"),
        (([0.0], [0.0], [np.inf], [0.0]), "slopes_before .* not finite"),
    ],
)
def test_columns_that_are_no_curve_are_refused_by_name(columns, reason):
    with pytest.raises(DataError, match=reason):
        Curve(*columns)


@pytest.mark.parametrize("make", [Curve.through, Curve.natural])
def test_points_that_will_not_do_are_refused_by_name(make):
    with pytest.raises(DataError, match="2 knots need as many log_odds, not 1"):
        make([0.0, 1.0], [0.0])
    with pytest.raises(DataError, match="knots of a map"):
        make([1.0, 0.0], [0.0, 1.0])
    with pytest.raises(DataError, match="not empty"):
        make([], [])


def test_a_dip_among_tiny_scores_is_drawn_to_the_tolerance():
    knots = np.array([-2.19e-300, 2.49e-300])
    curve = Curve(knots, [0.003, 1.354], [-2.63e299, 8.41e299], [-2.63e299, 8.41e299])
    queries = np.r_[np.linspace(2 * knots[0], 2 * knots[1], 5001), -HUGE, HUGE]
    for tolerance in (1e-3, 1e-4, 1e-6):
        assert np.abs(curve.tabulate(tolerance)(queries) - curve(queries)).max() <= tolerance
