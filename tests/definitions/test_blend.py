"""The blend and the Bayesian curve from outside: shares, margins, monotone answers, intervals."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from scipy.special import expit, log_expit, logit

from truing import BayesianCalibrator, BlendCalibrator, PlattCalibrator
from truing.numerics.bayesian_curve import bayesian_curves, free_curve
from truing.numerics.blend import NARROW, WINDOWS, blend_curves
from truing.numerics.cells import pool_cells
from truing.numerics.local_curve import kernel_curve, local_curve
from truing.numerics.parametric_curve import parametric_curve

BOTH = (BlendCalibrator, BayesianCalibrator)


def draw(seed, n, curve, centre=-0.5, width=1.7):
    rng = np.random.default_rng(seed)
    z = rng.normal(centre, width, n)
    return z, (rng.random(n) < expit(curve(z))).astype(int)


def hard(seed, n=700):
    """Few positives, a wave and ties: far from increasing."""
    return draw(seed, n, lambda z: -2 + 3 * np.sin(3 * np.round(z, 1)))


def separate_curves(cells, row):
    """Every curve of the blend from one row of counts alone."""
    alone = type(cells)(
        cells.places, cells.ranks, cells.negatives[row][None], cells.positives[row][None]
    )
    line = parametric_curve(alone, bent=False)
    return [
        bayesian_curves(alone).mean()[0],
        parametric_curve(alone, bent=True)[0],
        free_curve(alone)[0],
        *[local_curve(alone, line, window)[0] for window in WINDOWS],
        *[kernel_curve(alone, window)[0] for window in (NARROW, *WINDOWS)],
        alone.knots,
    ]


def test_shares_by_hand_from_separate_fits():
    z, y = draw(1, 300, lambda z: 0.6 * z + 0.5 * np.sin(2 * z))
    order = np.argsort(z)
    z, y = z[order], y[order]
    cells = pool_cells(z, 1.0 - y, y.astype(float), 10)
    start = np.array([2, 1, 1, *[1 / 6] * 6, *[1 / 7] * 7, 3])
    told = np.zeros(17)
    for fold in range(1, 11):
        positives = cells.positives[0] - cells.positives[fold]
        negatives = cells.negatives[0] - cells.negatives[fold]
        # A fold of its own takes the line's units from its own cases, which is no other line.
        for at, curve in enumerate(separate_curves(cells, fold)):
            line = cells.at_places(curve)
            told[at] += positives @ log_expit(line) + negatives @ log_expit(-line)
    weights = start * np.exp(0.4 * (told - told.max()))
    weights /= weights.sum()
    curves = np.array(separate_curves(cells, 0))
    expected = 0.5 * (weights @ curves + logit(weights @ expit(curves)))
    blend = blend_curves(cells)
    shares = [*weights[:3], weights[3:9].sum(), weights[9:16].sum(), weights[16]]
    np.testing.assert_allclose(list(blend.shares.values()), shares, rtol=0.03, atol=0.003)
    np.testing.assert_allclose(blend.log_odds, expected, rtol=0, atol=0.03)
    calibrator = BlendCalibrator().fit(expit(z), y)
    assert calibrator.shares_.keys() == blend.shares.keys()
    np.testing.assert_allclose(
        list(calibrator.shares_.values()), list(blend.shares.values()), atol=1e-9
    )
    np.testing.assert_allclose(
        calibrator.transform(expit(z)), expit(cells.at_places(blend.log_odds)), atol=1e-9
    )


@pytest.mark.parametrize("calibrator", BOTH)
@pytest.mark.parametrize(("centre", "size"), [(0.0, 1.0), (3.0, 1e-250), (-40.0, 1e200)])
def test_margins_are_what_platts_sigmoid_makes_of_them(calibrator, centre, size):
    z, y = draw(2, 400, lambda z: 0.8 * z + np.cos(2 * z))
    margins = size * (z + centre)
    first = PlattCalibrator(scale="score").fit(z, y)
    told = logit(first.transform(z))
    direct = calibrator().fit(margins, y)
    within = np.sort(margins)
    expected = calibrator().fit(expit(told), y).transform(np.sort(expit(told)))
    np.testing.assert_allclose(direct.transform(within), expected, rtol=0, atol=2e-6)


@pytest.mark.parametrize("calibrator", BOTH)
def test_margins_upside_down_are_turned(calibrator):
    z, y = draw(3, 2000, lambda z: -1.5 * z)
    answers = calibrator().fit(100 * z, y).transform(np.array([-300.0, 0.0, 300.0]))
    np.testing.assert_allclose(answers, expit([4.5, 0, -4.5]), atol=0.06)


@pytest.mark.parametrize("calibrator", BOTH)
@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_monotone_is_increasing_in_every_bit(calibrator, margins, seed):
    z, y = hard(seed)
    scores = 1e3 * z if margins else expit(z)
    fitted = calibrator(monotone=True).fit(scores, y)
    assert fitted.map_.increasing
    places = np.concatenate([scores, fitted.map_.scale.place(fitted.map_.knots)])
    near = [places, np.nextafter(places, -np.inf), np.nextafter(places, np.inf)]
    near.append(np.linspace(scores.min(), scores.max(), 20_000))
    queries = np.sort(np.concatenate(near))
    queries = queries if margins else np.clip(queries, 0, 1)
    assert (np.diff(fitted.transform(queries)) >= 0).all()
    if calibrator is BayesianCalibrator:
        for end in fitted.predict_interval(queries):
            assert (np.diff(end) >= 0).all()


@pytest.mark.parametrize("calibrator", BOTH)
def test_monotone_is_the_nearest_increasing_curve_at_the_cells(calibrator):
    z, y = hard(9, 300)
    scores = np.sort(expit(z))
    y = y[np.argsort(z)]
    free = logit(calibrator().fit(scores, y).transform(scores))
    held = logit(calibrator(monotone=True).fit(scores, y).transform(scores))
    assert (np.diff(free) < 0).any()
    np.testing.assert_allclose(held, isotonic_regression(free).x, rtol=0, atol=1e-6)


@pytest.mark.parametrize("calibrator", BOTH)
def test_what_increases_anyway_is_left_alone(calibrator):
    z, y = draw(4, 3000, lambda z: 2 * z)
    free, held = (calibrator(monotone=m).fit(expit(z), y) for m in (False, True))
    assert np.abs(free.transform(expit(z)) - held.transform(expit(z))).max() < 0.02


@pytest.mark.parametrize("n", [30, 500, 20_000])
def test_intervals_hold_the_answer_and_widen_with_confidence(n):
    z, y = draw(5, n, lambda z: 0.5 * z - 0.5)
    scores = np.sort(expit(z))
    bayes = BayesianCalibrator().fit(scores, y[np.argsort(z)])
    answers = bayes.transform(scores)
    before = answers, answers
    for confidence in (0.2, 0.5, 0.9, 0.99, 0.999):
        low, high = bayes.predict_interval(scores, confidence)
        assert (low <= high).all()
        assert (low >= 0).all()
        assert (high <= 1).all()
        if confidence > 0.2:
            assert (low <= before[0]).all()
            assert (high >= before[1]).all()
        before = low, high
        if confidence >= 0.9:
            assert ((low <= answers) & (answers <= high)).mean() > 0.99


def test_intervals_shrink_like_one_over_the_root():
    widths = []
    for n in (1000, 4000, 16_000, 64_000):
        z, y = draw(6, n, lambda z: 0.6 * z + 0.4)
        low, high = (
            BayesianCalibrator().fit(expit(z), y).predict_interval(expit(np.linspace(-3, 2, 50)))
        )
        widths.append(np.mean(high - low))
    ratios = np.array(widths[1:]) / np.array(widths[:-1])
    assert ((ratios > 0.4) & (ratios < 0.75)).all()


def test_intervals_move_with_the_prior():
    z, y = draw(7, 1000, lambda z: z)
    queries = expit(np.linspace(-3, 3, 9))
    here, there = (BayesianCalibrator(prior=p).fit(expit(z), y) for p in (None, 0.05))
    moved = logit(0.05) - logit(y.mean())
    for one, other in zip(
        here.predict_interval(queries), there.predict_interval(queries), strict=True
    ):
        np.testing.assert_allclose(logit(other), logit(one) + moved, atol=1e-9)


@pytest.mark.parametrize("n", [500, 5000])
def test_intervals_of_95_percent_cover_smooth_truths_about_so_often(n):
    truths = (
        lambda z: 0.4 * z,
        lambda z: 2.0 * z,
        lambda z: z + 1.2,
        lambda z: 0.4 * log_expit(z) - 1.5 * log_expit(-z) + 0.3,
        lambda z: z,
    )
    covered = []
    for number, truth in enumerate(truths):
        for seed in range(12):
            z, y = draw([seed, number], n, truth)
            low, high = BayesianCalibrator().fit(expit(z), y).predict_interval(expit(z))
            covered.append(np.mean((low <= expit(truth(z))) & (expit(truth(z)) <= high)))
    assert 0.9 <= np.mean(covered) <= 0.985


@pytest.mark.parametrize(("n", "offset"), [(1000, -5.0), (10_000, -7.0)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_rare_class_is_expected_as_often_as_it_came(n, offset, sign):
    expected, came = 0.0, 0
    for seed in range(8):
        z, y = draw(seed, n, lambda z: offset + 0.8 * z, centre=0.0)
        y[0] = 1
        labels, scores = (y, expit(z)) if sign > 0 else (1 - y, expit(-z))
        answers = BayesianCalibrator().fit(scores, labels).transform(scores)
        expected += answers.sum() if sign > 0 else (1 - answers).sum()
        came += y.sum()
    assert expected == pytest.approx(came, rel=0.1)


@pytest.mark.parametrize("calibrator", BOTH)
@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([0.0, 1.0], [1, 0]),
        ([5e-324, 1e-323] * 9, [0, 1] * 9),
        ([1 - 2.0**-53, 1.0] * 9, [0, 1] * 9),
        ([-1.7e308, 1.7e308, 0.0], [0, 1, 1]),
        ([1e15, 1e15 + 0.125] * 3, [0, 1, 0] * 2),
        (10.0 ** -np.arange(300), [0, 1, 0] * 100),
    ],
)
def test_hostile_scores_have_answers(calibrator, scores, labels):
    with np.errstate(all="raise", under="ignore"):
        fitted = calibrator().fit(scores, labels)
        answers = fitted.transform(scores)
    assert ((answers >= 0) & (answers <= 1)).all()


@pytest.mark.parametrize("calibrator", BOTH)
@pytest.mark.parametrize("sentinel", [-3.4e38, 1e300, 1.7e308])
def test_a_margin_that_stands_for_nothing_hides_no_other(calibrator, sentinel):
    """As where a missing margin was written as the largest float."""
    z, y = draw(10, 4000, lambda z: 1.5 * z - 0.5, centre=0.0)
    missing = np.arange(4000) % 10 == 0
    y[missing] = np.arange(400) % 4 == 0
    fitted = calibrator().fit(np.where(missing, sentinel, z), y)
    within = np.linspace(-2, 2, 9)
    np.testing.assert_allclose(fitted.transform(within), expit(1.5 * within - 0.5), atol=0.06)
    np.testing.assert_allclose(fitted.transform([sentinel]), 0.25, atol=0.05)
