"""Every kind of map: against naive evaluation, through JSON, as lines, shifted, and misspelt."""

import json
from fractions import Fraction

import numpy as np
import pytest
from found import MAPS as KINDS
from scipy import special, stats

from truing import DataError, KernelCalibrator, OptionError
from truing.maps import (
    Average,
    BetaCurve,
    Curve,
    DensityRatio,
    KernelRatio,
    Lines,
    LogOddsScale,
    ProbabilityMap,
    ScoreScale,
    Sigmoid,
    Steps,
)
from truing.numerics.student_mixture import StudentMixture

TINY = 5e-324
LAST = 1 - 2.0**-53
HUGE = 1.7e308


def mixture(*parts):
    """Student's t components as (weight, location, scale, degrees)."""
    weights, locations, scales, degrees = (
        np.array(column, float) for column in zip(*parts, strict=True)
    )
    return StudentMixture(weights, locations, scales, degrees, np.ones(len(parts)), (3.0, 2.5))


def random_columns(rng, n, low=-3.0, high=3.0):
    points = np.unique(rng.uniform(low, high, n))
    weights = rng.uniform(0.1, 3, len(points))
    return points, weights, weights * rng.choice([0, 0.3, 1], len(points))


def examples():
    """Maps of every kind on both scales, by name."""
    rng = np.random.default_rng(0)
    points, weights, positives = random_columns(rng, 40)
    log_odds = LogOddsScale(1e-6, 1e-4)
    narrow = mixture((0.7, -0.3, 0.8, 5), (0.3, 1.0, 2.0, 2))
    wide = mixture((0.5, 0.31, 1e-3, 9), (0.5, 0.5, 1.5, 4))
    for scale in (ScoreScale(), LogOddsScale(), log_odds):
        name = f"{scale.kind}{'' if scale != log_odds else ' with ends'}"
        yield f"steps on {name}", Steps(points[:-1], rng.uniform(0, 1, len(points)), scale)
        yield f"constant on {name}", Steps([], [0.3], scale)
        yield f"lines on {name}", Lines(points, rng.uniform(0, 1, len(points)), scale)
        yield f"moved lines on {name}", Lines([-1.0, 0.5, 2], [0.1, 0.9, 0.4], scale, 2.5)
        yield f"sigmoid on {name}", Sigmoid(1.7, -0.4, scale)
        yield f"steep sigmoid on {name}", Sigmoid(-1e5, 7.0, scale)
        yield f"beta curve on {name}", BetaCurve(1.7, 0.4, -0.3, scale)
        yield f"bent beta curve on {name}", BetaCurve(-2.0, 1.5, 0.1, scale)
        yield f"steep beta curve on {name}", BetaCurve(1e5, 0.0, 2e4, scale)
        yield f"curve on {name}", Curve.natural(points[::4], rng.uniform(-3, 3, 10), scale)
        yield f"kinked curve on {name}", Curve.through([-1.0, 0.3, 2.0], [-2.0, 1.0, 0.5], scale)
        rising = np.cumsum(rng.exponential(0.5, 10)) - 3
        yield f"rising curve on {name}", Curve.natural(points[::4], rising, scale)
        yield f"level curve on {name}", Curve([0.2], [-0.3], [0.0], [0.0], scale)
        yield f"steep curve on {name}", Curve([0.2, 0.3], [-1e5, 1e6], [1e5, 9], [-1e8, -7], scale)
        yield f"density ratio on {name}", DensityRatio(narrow, wide, -0.7, scale)
        for kernel in ("boxcar", "triangular", "epanechnikov", "tricube", "gaussian"):
            for widths in [(0.2, 0.2), (0.1, 0.7)]:
                ratio = KernelRatio(points, weights, positives, widths, kernel, scale)
                yield f"{kernel} {widths} on {name}", ratio
        parts = [Sigmoid(1.7, -0.4, scale), Lines([-1.0, 0.5], [0.1, 0.9], scale)]
        yield f"average on {name}", Average(parts, [1.0, 0.3])
        steps = [Steps([0.2, 0.7], [0.1, 0.5, 1.0], scale), Steps([0.4], [0.0, 1.0], scale)]
        yield f"average of steps on {name}", Average(steps, [0.7, 0.1])
        yield f"moved average on {name}", Average([*steps, *parts], [0.7, 0.1, 0.1, 0.1], 2.0)
    yield "moved kernel ratio", ratio.shift(-3.0)


MAPS = dict(examples())
every_map = pytest.mark.parametrize("mapped", MAPS.values(), ids=MAPS.keys())


def test_every_kind_of_map_has_examples():
    assert {type(mapped) for mapped in MAPS.values()} == set(KINDS)


def queries_for(mapped, rng, size=2000):
    """Ordinary and hostile scores: ends, the smallest, the largest, next to knots, log-spaced."""
    near = [np.atleast_1d(getattr(mapped, name, [])) for name in ("edges", "knots", "points")]
    near = np.concatenate(near)
    logs = np.logspace(-323, 0, 500)
    if mapped.scale.bounded:
        near = np.clip(special.expit(near), 0, 1)
        plain = [rng.uniform(0, 1, size), logs, 1 - logs, special.expit(rng.uniform(-40, 37, size))]
        return np.clip(np.concatenate([*plain, around(near), [0, 1, TINY, LAST]]), 0, 1)
    wide = np.logspace(-300, 300, 500)
    hostile = [0, 1, TINY, -TINY, HUGE, -HUGE, 1e-300, -1e-300]
    plain = [rng.uniform(-4, 4, size), rng.normal(0, 100, size), wide, -wide, hostile]
    return np.concatenate([*plain, around(near)])


def around(values):
    return np.concatenate([values, np.nextafter(values, -np.inf), np.nextafter(values, np.inf)])


def read(scale, scores):
    """What a scale documents: scores as they are, or log-odds, the ends moved inwards."""
    if not scale.bounded:
        return scores
    inner = np.clip(scores, scale.low, 1 - scale.high)
    return np.log(inner) - np.log1p(-inner)


# ------------------------------------------------------------------------------ naive evaluation

KNOTS = {
    "random": lambda rng: rng.normal(0, 1, 500),
    "one": lambda _: np.array([0.4]),
    "two adjacent": lambda _: np.array([0.4, np.nextafter(0.4, 1)]),
    "lattice": lambda _: np.arange(11) / 10,
    "many": lambda rng: rng.uniform(0, 1, 20_000),
    "log-spaced": lambda _: np.logspace(-300, 0, 1000),
    "one cluster": lambda rng: np.concatenate([[-5.0, 7.0], 0.3 + 1e-13 * rng.uniform(0, 1, 500)]),
    "huge": lambda rng: 1e300 * rng.normal(0, 1, 50),
    "widest": lambda _: np.array([-HUGE, -1e308, -1.0, 0, 1, 1e308, HUGE]),
    "smallest": lambda _: TINY * np.arange(-20, 20),
}


def ordered(kind):
    rng = np.random.default_rng(1)
    knots = np.unique(KNOTS[kind](rng))
    low, high = max(float(knots[0]) * 1.1, -HUGE), min(float(knots[-1]) * 1.1, HUGE)
    share = rng.uniform(0, 1, 100_000)
    spread = (1 - share) * low + share * high
    queries = np.concatenate([spread, around(knots), [-HUGE, -1e-300, 0, 1e-300, HUGE]])
    return knots, rng.permutation(queries[np.isfinite(queries)]), rng


@pytest.mark.parametrize("kind", KNOTS)
def test_steps_are_searchsorted(kind):
    edges, queries, rng = ordered(kind)
    values = rng.uniform(0, 1, len(edges) + 1)
    assert (Steps(edges, values)(queries) == values[np.searchsorted(edges, queries)]).all()


@pytest.mark.parametrize("kind", sorted(set(KNOTS) - {"widest", "smallest"}))
def test_lines_are_interp(kind):
    knots, queries, rng = ordered(kind)
    values = rng.uniform(0, 1, len(knots))
    lines = Lines(knots, values)
    assert (lines(knots) == values).all()
    assert np.allclose(lines(queries), np.interp(queries, knots, values), rtol=0, atol=1e-12)


def exact_line(query, knots, values):
    """The line in rational numbers, where np.interp itself overflows."""
    right = int(np.searchsorted(knots, query))
    if right in (0, len(knots)):
        return values[min(right, len(knots) - 1)]
    left = right - 1
    run = Fraction(knots[right]) - Fraction(knots[left])
    share = float((Fraction(query) - Fraction(knots[left])) / run)
    return values[left] + share * (values[right] - values[left])


@pytest.mark.parametrize("kind", ["widest", "smallest", "log-spaced", "huge"])
def test_lines_over_all_doubles(kind):
    knots, queries, _ = ordered(kind)
    values = np.linspace(0.1, 0.9, len(knots))
    queries = np.unique(np.concatenate([queries[:300], around(knots)]))
    queries = queries[np.isfinite(queries)]
    expected = [exact_line(query, knots.tolist(), values) for query in queries.tolist()]
    assert np.allclose(Lines(knots, values)(queries), expected, rtol=0, atol=1e-12)


def test_increasing_lines_increase_in_every_bit():
    rng = np.random.default_rng(2)
    knots = np.sort(rng.uniform(0, 1, 300))
    lines = Lines(knots, np.sort(rng.uniform(0, 1, 300)))
    answers = lines(np.sort(np.concatenate([rng.uniform(0, 1, 50_000), around(knots)])))
    assert lines.increasing
    assert (np.diff(answers) >= 0).all()


@pytest.mark.parametrize("name", [name for name in MAPS if "sigmoid" in name])
def test_sigmoid_is_expit_of_a_line(name):
    mapped = MAPS[name]
    queries = queries_for(mapped, np.random.default_rng(3))
    with np.errstate(over="ignore"):
        line = mapped.slope * read(mapped.scale, queries) + mapped.intercept
    # A rounding of the place is multiplied by the slope.
    tolerance = 1e-14 * max(abs(mapped.slope), 1)
    assert np.allclose(mapped(queries), special.expit(line), rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", [name for name in MAPS if "density" in name])
def test_density_ratio_is_bayes_rule(name):
    mapped = MAPS[name]
    queries = queries_for(mapped, np.random.default_rng(4), 500)
    places = read(mapped.scale, queries)
    places = places[np.abs(places) < 1e100]  # beyond, scipy's densities underflow
    log_densities = [
        special.logsumexp(
            [
                np.log(weight) + stats.t.logpdf(places, degrees, location, spread)
                for weight, location, spread, degrees in zip(
                    part.weights, part.locations, part.scales, part.degrees, strict=True
                )
            ],
            axis=0,
        )
        for part in (mapped.negatives, mapped.positives)
    ]
    expected = special.expit(log_densities[1] - log_densities[0] + mapped.log_prior_odds)
    answers = mapped(queries)
    near = np.abs(read(mapped.scale, queries)) < 1e100
    assert np.allclose(answers[near], expected, rtol=0, atol=1e-11)
    assert ((answers >= 0) & (answers <= 1)).all()


@pytest.mark.parametrize("name", [name for name in MAPS if "boxcar" in name])
def test_boxcar_ratio_is_its_steps(name):
    mapped = MAPS[name]
    queries = queries_for(mapped, np.random.default_rng(5))
    assert np.allclose(mapped(queries), mapped.steps()(queries), rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", [name for name in MAPS if " with ends" not in name])
def test_every_map_answers_probabilities_and_keeps_shape_and_nan(name):
    mapped = MAPS[name]
    scores = np.array([[0.0, np.nan, 1.0], [0.25, 0.5, np.nan]])
    answers = mapped(scores)
    assert answers.shape == scores.shape
    assert (np.isnan(answers) == np.isnan(scores)).all()
    assert mapped(0.25).shape == ()
    assert mapped(0.25) == answers[1, 0]
    assert mapped([]).shape == (0,)
    queries = queries_for(mapped, np.random.default_rng(6), 300)
    assert ((mapped(queries) >= 0) & (mapped(queries) <= 1)).all()


@pytest.mark.parametrize("score", [-TINY, np.nextafter(1, 2), 7.0, -np.inf, np.inf])
def test_maps_of_probabilities_refuse_other_scores(score):
    with pytest.raises(DataError, match=r"outside \[0, 1\]"):
        Sigmoid(1.0, 0.0, LogOddsScale())([0.5, score])


def test_log_odds_scale_reads_the_ends_as_the_nearest_score_it_tells_apart():
    scale = LogOddsScale(0.25, 0.125)
    expected = [np.log(1 / 3), np.log(1 / 3), np.log(1 / 3), 0, np.log(7), np.log(7), np.log(7)]
    places = scale.read(np.array([0, 0.1, 0.25, 0.5, 0.875, 0.9, 1]))
    assert places == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("scores", "low", "high"),
    [
        ([0.1, 0.5, 0.875], 0.05, 0.0625),
        ([0.0, 0.1, 0.5, 0.875, 1.0], 0.05, 0.0625),
        ([0.0, 1.0], 0.25, 0.25),
        ([0.0], 0.25, 0.25),
        ([0.75], 0.25, 0.125),
        ([5e-324, LAST], 5e-324, 2.0**-54),
    ],
)
def test_log_odds_scale_within_the_scores_that_were_seen(scores, low, high):
    assert LogOddsScale.within(np.array(scores)) == LogOddsScale(low, high)


def test_scores_as_they_are_have_no_bounds():
    assert ScoreScale.within(np.array([0.1])) == ScoreScale()


@pytest.mark.parametrize("scale", [LogOddsScale(), LogOddsScale(0.25, 1e-9)])
def test_scale_reads_in_order_and_finitely(scale):
    scores = np.unique(np.concatenate([np.logspace(-323, 0, 4000), 1 - np.logspace(-17, 0, 4000)]))
    places = scale.read(np.concatenate([[0.0], scores[scores >= 0]]))
    assert np.isfinite(places).all()
    assert (np.diff(places) >= 0).all()


# ------------------------------------------------------------------------------------ dictionary


def test_maps_are_shown_on_a_line():
    assert repr(Steps([0.5], [0.1, 0.2])).startswith("Steps(edges=[0.5], values=[0.1, 0.2], scale=")
    many = Lines(np.arange(400.0), np.linspace(0, 1, 400))
    assert "knots=<400 numbers from 0 to 399>" in repr(many)
    assert len(repr(many)) < 200


@every_map
def test_json_keeps_every_bit(mapped):
    told = json.loads(json.dumps(mapped.to_dict(), allow_nan=False))
    again = ProbabilityMap.from_dict(told)
    queries = queries_for(mapped, np.random.default_rng(7), 300)
    assert type(again) is type(mapped)
    assert again == mapped
    assert (again(queries) == mapped(queries)).all()


def test_maps_cannot_be_written_to_from_outside():
    edges = np.array([0.5])
    steps = Steps(edges, [0.1, 0.2])
    with pytest.raises(ValueError, match="read-only"):
        steps.edges[0] = 7.0


def spoilt(told):
    """Dictionaries that are no map, each by what is wrong with it."""
    yield "another format", {**told, "format": "another"}
    yield "no format", {name: value for name, value in told.items() if name != "format"}
    for version in (0, 2, "1", None, [1]):
        yield f"version {version!r}", {**told, "version": version}
    for kind in ("spline", None, [], {}, 3):
        yield f"kind {kind!r}", {**told, "kind": kind}
    yield "an extra field", {**told, "more": 1}
    yield "a field that is no text", {**told, 7: 1}
    for name in sorted(set(told) - {"format", "version", "kind"}):
        yield f"no {name}", {key: value for key, value in told.items() if key != name}
        garbage = [
            None,
            "text",
            {},
            {"kind": []},
            [[1.0], [2.0]],
            [[], {}],
            [{"a": [None]}],
            object(),
        ]
        for value in garbage:
            yield f"{name} = {str(value)[:15]}", {**told, name: value}
        if isinstance(told[name], list) and name != "maps":
            yield from spoilt_column(told, name)
        elif isinstance(told[name], float):
            for value in (np.nan, np.inf, True, "0.5", [0.5], 10**400):
                yield f"{name} = {str(value)[:20]!r}", {**told, name: value}
    if told.get("scale", {}).get("kind") == "log-odds":
        for scale in (
            {"kind": "log-odds"},
            {"kind": "log-odds", "low": 0.1},
            {"kind": "log-odds", "low": 0.1, "high": 0.1, "more": 1},
            {"kind": "log-odds", "low": 0.0, "high": 0.1},
            {"kind": "log-odds", "low": np.nan, "high": 0.1},
            {"kind": "log-odds", "low": "0.1", "high": 0.1},
            {"kind": "log-odds", "low": 0.1, "high": 0.9},
            {"kind": ["log-odds"], "low": 0.1, "high": 0.1},
            {"kind": "logit", "low": 0.1, "high": 0.1},
        ):
            yield f"scale = {scale}", {**told, "scale": scale}


def spoilt_column(told, name):
    column = told[name]
    ordinary = {
        "longer": [*column, column[-1] + 1],
        "shorter": column[:-1],
        "empty": [],
        "with NaN": [np.nan, *column[1:]],
        "with inf": [*column[:-1], np.inf],
        "with None": [None, *column[1:]],
        "with text": ["a", *column[1:]],
        "as text": [str(number) for number in column],
        "nested": [column],
        "with a list": [[1.0], *column[1:]],
        "with a number no double holds": [10**400, *column[1:]],
        "of truth values": [True] * len(column),
    }
    if name in {"edges", "knots", "points"}:
        ordinary["unsorted"] = column[::-1]
        ordinary["with a repetition"] = [column[0], column[0], *column[2:]]
    if name in {"values", "weights", "positives"}:
        ordinary["below 0"] = [-0.01, *column[1:]]
    if name == "values":
        ordinary["above 1"] = [1.01, *column[1:]]
    if name == "weights":
        ordinary["with 0"] = [0.0, *column[1:]]
    if name == "positives":
        ordinary["above the weights"] = [1e9, *column[1:]]
    if name == "bandwidths":
        ordinary["not above 0"] = [0.0, 1.0]
    for what, value in ordinary.items():
        yield f"{name} {what}", {**told, name: value}


SPOILT = {
    f"{kind}: {what}": data
    for kind, mapped in {
        "steps": Steps([0.2, 0.6], [0.1, 0.5, 0.8]),
        "lines": Lines([0.2, 0.6, 0.9], [0.1, 0.5, 0.8], LogOddsScale(0.1, 0.1), 0.5),
        "sigmoid": Sigmoid(1.5, 0.5),
        "average": Average([Sigmoid(1.5, 0.5), Steps([0.2], [0.1, 0.5])], [0.5, 0.5]),
        "beta curve": BetaCurve(1.5, 0.5, -0.2, LogOddsScale(0.1, 0.1)),
        "curve": Curve([0.2, 0.6, 0.9], [0.1, 0.5, 0.8], [1.0, 0.5, 0.3], [1.0, 0.5, 0.0]),
        "kernel ratio": KernelRatio([0.0, 1.0], [1.5, 2.5], [0.5, 2.0], (0.5, 0.25), "boxcar"),
        "density ratio": DensityRatio(mixture((1, 0, 1, 3)), mixture((1, 1, 1, 3)), 0.5),
    }.items()
    for what, data in spoilt(mapped.to_dict())
}


@pytest.mark.parametrize("data", SPOILT.values(), ids=SPOILT.keys())
def test_what_is_no_map_is_refused_as_data(data):
    with pytest.raises(DataError):
        ProbabilityMap.from_dict(data)


@pytest.mark.parametrize("data", [None, [], "steps", 3, {}, [("format", "truing.map")]])
def test_what_is_no_dictionary_is_refused_as_data(data):
    with pytest.raises(DataError):
        ProbabilityMap.from_dict(data)


def test_lines_are_level_as_far_as_doubles_go():
    lines = Lines([1e308, 1.1e308], [0.2, 0.7])
    assert lines([-HUGE, 0.0, 1e308, HUGE]).tolist() == [0.2, 0.2, 0.2, 0.7]
    assert lines.shift(0.5)([-HUGE])[0] == lines.shift(0.5)([1e308])[0]


@pytest.mark.parametrize("name", [name for name in MAPS if "average" in name])
def test_average_is_the_weighted_mean(name):
    mapped = MAPS[name]
    queries = queries_for(mapped, np.random.default_rng(8), 500)
    expected = np.average([part(queries) for part in mapped.maps], axis=0, weights=mapped.weights)
    expected = special.expit(special.logit(expected) + mapped.log_odds_shift)
    assert np.allclose(mapped(queries), expected, rtol=0, atol=1e-14)


def test_averages_are_not_averaged():
    average = Average([Sigmoid(1.0, 0.0)], [1.0])
    with pytest.raises(DataError, match="not of Average"):
        Average([average], [1.0])
    nested = average.to_dict()
    for _ in range(5000):
        nested = {**average.to_dict(), "maps": [nested]}
    with pytest.raises(DataError, match="not of averages"):
        ProbabilityMap.from_dict(nested)


def spoilt_mixtures():
    told = DensityRatio(mixture((1, 0, 1, 3)), mixture((1, 1, 1, 3)), 0.5).to_dict()
    part = told["negatives"]
    for name in part:
        yield f"no {name}", {key: value for key, value in part.items() if key != name}
        for value in (None, "a", [np.nan], [None], ["a"], [[1.0]], [10**400]):
            yield f"{name} = {str(value)[:20]}", {**part, name: value}
        if name != "free_energies":
            yield f"{name} too long", {**part, name: [*part[name], 1.0]}
        if name in {"weights", "scales", "degrees"}:
            yield f"{name} not above 0", {**part, name: [0.0]}
    yield "an extra column", {**part, "more": [1.0]}
    empty = {name: [] for name in part}
    yield "empty", empty


MIXTURES = dict(spoilt_mixtures())


@pytest.mark.parametrize("data", MIXTURES.values(), ids=MIXTURES.keys())
def test_what_is_no_mixture_is_refused_as_data(data):
    told = DensityRatio(mixture((1, 0, 1, 3)), mixture((1, 1, 1, 3)), 0.5).to_dict()
    with pytest.raises(DataError):
        ProbabilityMap.from_dict({**told, "negatives": data})


# -------------------------------------------------------------------------------------- tabulate


@every_map
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
def test_tabulated_maps_stay_within_the_tolerance(mapped, tolerance):
    drawn = mapped.tabulate(tolerance)
    queries = queries_for(mapped, np.random.default_rng(8))
    assert isinstance(drawn, Steps | Lines)
    assert drawn.scale == ScoreScale()
    assert getattr(drawn, "log_odds_shift", 0.0) == 0.0
    assert np.abs(drawn(queries) - mapped(queries)).max() <= tolerance


@pytest.mark.parametrize("name", [name for name in MAPS if "steps" in name or "boxcar" in name])
def test_steps_tabulate_without_any_error(name):
    mapped = MAPS[name]
    queries = queries_for(mapped, np.random.default_rng(9))
    # A boxcar's own sums and its steps' are rounded apart.
    tolerance = 1e-15 if "boxcar" in name else 0.0
    assert np.allclose(mapped.tabulate()(queries), mapped(queries), rtol=0, atol=tolerance)


def test_steps_that_end_before_the_first_log_odds_there_are():
    steps = Steps([-800.0, -744.3, 0, 800], [0.1, 0.2, 0.3, 0.4, 0.5], LogOddsScale())
    queries = np.array([0, TINY, 1e-323, 0.5, np.nextafter(0.5, 1), LAST, 1])
    assert (steps.tabulate()(queries) == steps(queries)).all()


def test_boxcar_on_log_odds_keeps_its_answer_at_exact_0_and_1():
    scores, labels = [0.0, 0.0, 0.1, 0.3, 0.5, 0.9, 1.0], [1, 1, 0, 1, 0, 1, 0]
    fitted = KernelCalibrator(bandwidth=1.0, scale="log-odds").fit(scores, labels).map_
    queries = np.array([0, TINY, 1e-9, 0.05, 0.5, LAST, 1])
    assert np.allclose(fitted.tabulate()(queries), fitted(queries), rtol=0, atol=1e-15)


STEEP = [0.0, 1e-320, 1e-300, 1e-5, 1.0, 1e5, 1e300, -1e-300, -1.0, -1e300]


@pytest.mark.parametrize("slope", STEEP)
@pytest.mark.parametrize("intercept", [0.0, -3.0, 1e10, -1e300])
@pytest.mark.parametrize("scale", [ScoreScale(), LogOddsScale()], ids=["score", "log-odds"])
def test_extreme_sigmoids_tabulate(slope, intercept, scale):
    sigmoid = Sigmoid(slope, intercept, scale)
    queries = queries_for(sigmoid, np.random.default_rng(10), 300)
    assert np.abs(sigmoid.tabulate(1e-4)(queries) - sigmoid(queries)).max() <= 1e-4


@pytest.mark.parametrize("kernel", ["triangular", "epanechnikov", "tricube", "gaussian"])
@pytest.mark.parametrize("centre", [0.1, 0.3, 0.7])
def test_a_few_positives_in_a_dense_crowd_with_an_outlier_are_not_overlooked(kernel, centre):
    points = np.append(np.linspace(0, 1, 5001), 1e4)
    positives = (np.abs(points - centre) < 2e-3).astype(float)
    ratio = KernelRatio(points, np.ones(len(points)), positives, (1e-3, 1e-3), kernel)
    queries = np.linspace(centre - 0.01, centre + 0.01, 2001)
    assert np.abs(ratio.tabulate(1e-6)(queries) - ratio(queries)).max() <= 1e-6


@pytest.mark.parametrize("centre", [0.105, 0.3, -3.33])
@pytest.mark.parametrize("width", [1e-2, 1e-4])
def test_a_narrow_peak_on_log_odds_is_not_overlooked(centre, width):
    peak = Lines(centre + width * np.array([-1, 0, 1]), [0, 1, 0], LogOddsScale())
    narrow = mixture((0.5, centre, width, 5), (0.5, 0, 1, 5))
    ratio = DensityRatio(mixture((1, 0, 1, 5)), narrow, 0.0, LogOddsScale())
    queries = special.expit(np.linspace(centre - 10 * width, centre + 10 * width, 2001))
    for mapped in (peak, ratio):
        assert np.abs(mapped.tabulate(1e-4)(queries) - mapped(queries)).max() <= 1e-4


@pytest.mark.parametrize("kernel", ["boxcar", "triangular", "tricube", "gaussian"])
@pytest.mark.parametrize("width", [1.0, 1e300])
def test_kernel_ratios_of_huge_margins(kernel, width):
    points = np.array([-1e308, 0, 1e308])
    ratio = KernelRatio(points, [1.0, 1, 1], [0.0, 1, 0], (width, width), kernel)
    queries = np.array([-HUGE, -1e308, 0, 1e308, HUGE])
    assert ratio(queries).tolist() == [0, 0, 1, 0, 0]
    assert np.allclose(ratio.tabulate()(queries), [0, 0, 1, 0, 0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, 1e-13, 1.0, np.nan, "small", None, True])
@pytest.mark.parametrize("mapped", [Steps([], [0.5]), Lines([0], [0.5]), Sigmoid(1.0, 0.0)])
def test_a_tolerance_that_nothing_meets_is_refused(mapped, tolerance):
    with pytest.raises(OptionError, match="tolerance"):
        mapped.tabulate(tolerance)


# ----------------------------------------------------------------------------------------- shift


@every_map
@pytest.mark.parametrize("log_odds", [0.0, 1.3, -4.0, 50.0, -800.0])
def test_shift_moves_log_odds_by_a_constant(mapped, log_odds):
    queries = queries_for(mapped, np.random.default_rng(11), 300)
    before, after = mapped(queries), mapped.shift(log_odds)(queries)
    # Next to 0 and 1 the answer no longer tells its log-odds.
    inner = (before > 1e-3) & (before < 1 - 1e-3)
    up, down = np.exp(min(log_odds, 0)) * before[inner], np.exp(min(-log_odds, 0))
    assert np.allclose(after[inner], up / (up + (1 - before[inner]) * down), rtol=1e-9, atol=0)
    assert ((after >= 0) & (after <= 1)).all()
    assert mapped.shift(log_odds).scale == mapped.scale


@pytest.mark.parametrize("kind", ["steps", "lines", "boxcar"])
def test_shift_leaves_exact_0_and_1(kind):
    mapped = {
        "steps": Steps([0.5], [0.0, 1.0]),
        "lines": Lines([0.0, 1.0], [0.0, 1.0]),
        "boxcar": KernelRatio([0.0, 1.0], [1.0, 1.0], [0.0, 1.0], (0.1, 0.1), "boxcar"),
    }[kind]
    for log_odds in (-1000.0, -1.0, 1.0, 1000.0):
        assert mapped.shift(log_odds)([0.0, 1.0]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("log_odds", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "name", ["steps", "lines", "sigmoid", "density ratio", "boxcar (0.2, 0.2)"]
)
def test_a_shift_that_is_no_number_is_refused(name, log_odds):
    with pytest.raises(ValueError, match=r"finite|log_odds"):
        MAPS[f"{name} on score"].shift(log_odds)


@pytest.mark.parametrize("name", [name for name in MAPS if "sigmoid" in name or "density" in name])
def test_coarse_tables_are_small(name):
    coarse, fine = (len(MAPS[name].tabulate(tolerance).knots) for tolerance in (1e-2, 1e-6))
    assert coarse < 200
    assert coarse < fine
