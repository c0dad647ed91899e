"""The penalised spline against a dense optimiser that shares nothing with it but the formula."""

import warnings

import numpy as np
import pytest
from scipy import interpolate, optimize, special

import truing.calibrators.spline
from truing import PlattCalibrator, ScoreTable, SplineCalibrator
from truing.maps import LogOddsScale
from truing.numerics.smoothing import fit_spline

SEPARATED = "The score separates the classes"


def curve(odds):
    return 0.3 + 0.8 * odds + 0.8 * np.sin(1.5 * odds)


def draw(seed, size, *, margins=False):
    rng = np.random.default_rng(seed)
    odds = rng.normal(-0.5, 2, size)
    labels = (rng.random(size) < special.expit(curve(odds))).astype(int)
    return odds if margins else special.expit(odds), labels


class Dense:
    """The restricted likelihood over the values at the knots, every integral by Simpson's rule."""

    def __init__(self, places, positives, weights, knots):
        self.positives, self.weights, self.count = positives, weights, len(knots)
        basis = interpolate.CubicSpline(knots, np.eye(len(knots)), bc_type="natural")
        self.design = basis(places)
        self.penalty = np.zeros((len(knots), len(knots)))
        runs = np.diff(knots)
        for left, run in zip(knots[:-1], runs, strict=True):
            for share, at in ((1 / 6, left), (4 / 6, left + run / 2), (1 / 6, left + run)):
                bend = basis(np.clip(at, knots[0], knots[-1]), 2)
                self.penalty += (run / runs.mean()) ** 2 * run * share * np.outer(bend, bend)

    def values(self, log_penalty):
        def cost(values):
            line = self.design @ values
            likelihood = self.positives @ line - self.weights @ np.logaddexp(0, line)
            chance = special.expit(line)
            gradient = self.design.T @ (self.weights * chance - self.positives)
            pull = np.exp(log_penalty) * (self.penalty @ values)
            return 0.5 * values @ pull - likelihood, gradient + pull

        start = np.zeros(self.count)
        for _ in range(3):  # once more from where it stopped
            start = optimize.minimize(
                cost,
                start,
                jac=True,
                hess=self.curvature(log_penalty),
                method="trust-exact",
                options={"gtol": 1e-11, "maxiter": 2000},
            ).x
        return start, cost(start)[0]

    def curvature(self, log_penalty):
        def at(values):
            chance = special.expit(self.design @ values)
            bend = self.weights * chance * (1 - chance)
            return (self.design.T * bend) @ self.design + np.exp(log_penalty) * self.penalty

        return at

    def likelihood(self, log_penalty):
        values, cost = self.values(log_penalty)
        curved = np.linalg.slogdet(self.curvature(log_penalty)(values))[1]
        return 0.5 * ((self.count - 2) * log_penalty - curved) - cost


@pytest.mark.filterwarnings("ignore")  # the peer grumbles where rounding ends its search
@pytest.mark.parametrize(("seed", "size", "n_knots"), [(0, 200, 8), (1, 400, 12), (2, 150, 6)])
def test_the_spline_is_that_of_a_dense_optimiser(seed, size, n_knots):
    margins, labels = draw(seed, size, margins=True)
    places, order = np.sort(margins), np.argsort(margins)
    weights = np.random.default_rng(seed).integers(1, 4, size).astype(float)
    positives = (labels[order] * 0.95 + 0.02) * weights
    knots = places[np.linspace(0, size - 1, n_knots).astype(int)]
    dense = Dense(places, positives, weights, knots)
    grid = np.arange(-12.0, 12.0, 0.5)
    start = grid[np.argmax([dense.likelihood(at) for at in grid])]
    found = optimize.minimize_scalar(
        lambda at: -dense.likelihood(at),
        bounds=(start - 1, start + 1),
        method="bounded",
        options={"xatol": 1e-9},
    )
    ours = fit_spline(places, positives, weights, knots)
    assert np.log(ours.penalty) == pytest.approx(found.x, abs=1e-4)
    exact, _ = dense.values(np.log(ours.penalty))
    np.testing.assert_allclose(ours.values, exact, rtol=0, atol=1e-8)


def test_the_calibrator_fits_smoothed_labels_over_quantiles_of_the_mass():
    scores, labels = draw(3, 300)
    fitted = SplineCalibrator(n_knots=10).fit(scores, labels)
    scale = LogOddsScale.within(np.sort(scores))
    places = np.sort(scale.read(scores))
    targets = np.where(
        labels == 1, (labels.sum() + 1) / (labels.sum() + 2), 1 / (302 - labels.sum())
    )
    targets = targets[np.argsort(scores)]
    mass = 0.5 * (targets / targets.sum() + (1 - targets) / (1 - targets).sum())
    reached = np.cumsum(mass) - 0.5 * mass
    reached = (reached - reached[0]) / np.ptp(reached)
    knots = np.interp(np.linspace(0, 1, 10), reached, places)
    np.testing.assert_allclose(fitted.map_.knots, knots, rtol=0, atol=1e-12)
    values = fit_spline(places, targets, np.ones(300), knots).values
    spline = interpolate.CubicSpline(knots, values, bc_type="natural")
    np.testing.assert_allclose(
        fitted.transform(scores), special.expit(spline(scale.read(scores))), rtol=0, atol=1e-7
    )


def test_where_nothing_bends_it_is_platts_sigmoid():
    margins = np.linspace(-4, 4, 200)
    chance = special.expit(0.7 * margins - 0.4)
    rows = np.r_[margins, margins], np.repeat([1, 0], 200), np.r_[chance, 1 - chance] * 50
    spline = SplineCalibrator(smoothed_targets=False).fit(*rows)
    platt = PlattCalibrator().fit(*rows)
    queries = np.linspace(-8, 8, 100)
    np.testing.assert_allclose(spline.transform(queries), platt.transform(queries), atol=1e-6)


@pytest.mark.parametrize("size", [3000, 200_000])
def test_it_finds_the_curve(size):
    scores, labels = draw(size, size)
    answers = SplineCalibrator().fit(scores, labels).transform(scores)
    truth = special.expit(curve(special.logit(scores)))
    regret = special.rel_entr(truth, answers) + special.rel_entr(1 - truth, 1 - answers)
    assert regret.mean() < 30 / size


def test_cells_lose_next_to_nothing(monkeypatch):
    scores, labels = draw(5, 50_000)
    coarse = SplineCalibrator().fit(scores, labels).transform(scores)
    monkeypatch.setattr(truing.calibrators.spline, "CELLS", 50_000)
    fine = SplineCalibrator().fit(scores, labels).transform(scores)
    assert np.abs(coarse - fine).max() < 2e-3
    assert np.abs(coarse - fine).mean() < 3e-4


@pytest.mark.parametrize("seed", range(6))
def test_monotone_splines_never_fall_and_stay_close(seed):
    margins, labels = draw(seed, 300, margins=True)
    labels = np.where(margins > 1.0, 1 - labels, labels) if seed % 2 else labels
    free = SplineCalibrator().fit(margins, labels)
    bound = SplineCalibrator(monotone=True).fit(margins, labels)
    places = np.sort(np.r_[margins, np.linspace(-12, 12, 3000)])
    assert bound.map_.increasing
    assert (np.diff(bound.transform(places)) >= 0).all()
    if free.map_.increasing:
        assert bound.map_ == free.map_
    else:
        assert bound.transform(margins).mean() == pytest.approx(
            free.transform(margins).mean(), abs=0.03
        )


def test_a_score_that_ranks_the_wrong_way_is_level_where_it_must_not_fall():
    margins, labels = draw(7, 500, margins=True)
    answers = SplineCalibrator(monotone=True).fit(-margins, labels).transform(margins)
    assert np.ptp(answers) < 0.15


@pytest.mark.parametrize("scores", [[0.3] * 6, [0.3, 0.3, 0.3, 0.6, 0.6, 0.6]])
def test_of_one_or_two_scores_it_is_platts_sigmoid(scores):
    labels = [0, 1, 0, 0, 1, 1]
    platt = PlattCalibrator(smoothed_targets=True).fit(scores, labels)
    spline = SplineCalibrator().fit(scores, labels)
    if len(set(scores)) == 1:
        platt = SplineCalibrator(n_knots=1).fit(scores, labels)
    np.testing.assert_allclose(spline.transform(scores), platt.transform(scores), atol=1e-9)


@pytest.mark.parametrize("n_knots", [1, 2])
def test_of_two_knots_it_is_a_line(n_knots):
    scores, labels = draw(8, 200)
    line = SplineCalibrator(n_knots=n_knots).fit(scores, labels)
    platt = PlattCalibrator(smoothed_targets=True).fit(scores, labels)
    np.testing.assert_allclose(line.transform(scores), platt.transform(scores), atol=1e-9)


def test_outside_the_data_it_goes_on_straight():
    margins, labels = draw(9, 400, margins=True)
    pieces = SplineCalibrator().fit(margins, labels).map_
    assert (pieces.slopes_before == pieces.slopes_after).all()
    assert pieces.knots[[0, -1]].tolist() == [margins.min(), margins.max()]


def test_only_labels_as_they_are_can_be_separated():
    scores, labels = np.linspace(0.1, 0.9, 20), np.arange(20) >= 10
    with pytest.warns(UserWarning, match=SEPARATED) as told:
        plain = SplineCalibrator(smoothed_targets=False).fit(scores, labels)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smoothed = SplineCalibrator().fit(scores, labels)
    assert np.array_equal(plain.transform(scores), smoothed.transform(scores))
    assert 0.0 < smoothed.transform([0.1])[0] < 0.1


def test_a_table_gives_what_rows_give():
    scores, labels = draw(10, 500)
    table = ScoreTable.from_arrays(scores, labels)
    assert SplineCalibrator().fit_table(table).map_ == SplineCalibrator().fit(scores, labels).map_
