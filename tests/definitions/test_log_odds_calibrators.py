"""Beta, temperature, offset and quadratic calibration against other software and minimisers."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, special
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from truing import (
    BetaCalibrator,
    DataError,
    OffsetCalibrator,
    OptionError,
    PlattCalibrator,
    QuadraticCalibrator,
    TemperatureCalibrator,
)
from truing.maps import BetaCurve, Curve
from truing.numerics.log_odds import log_sigmoid

BETACAL = json.loads((Path(__file__).parent / "data" / "betacal" / "betacal.json").read_text())
SEPARATED = "The score separates the classes"


def draw(seed, size, *, margins=False, weighted=False):
    rng = np.random.default_rng(seed)
    odds = rng.normal(-0.5, 2, size)
    labels = rng.random(size) < special.expit(0.4 + 0.7 * odds + 0.15 * odds**2)
    weights = rng.uniform(0.2, 3, size) if weighted else np.ones(size)
    return odds if margins else special.expit(odds), labels.astype(int), weights


def cost(line, labels, weights):
    return weights @ (np.logaddexp(0, line) - labels * line)


# ------------------------------------------------------------------------------------------ beta


@pytest.mark.parametrize("name", BETACAL["sets"])
@pytest.mark.parametrize("parameters", ["abm", "am", "ab"])
def test_beta_is_betacal(name, parameters):
    given = BETACAL["sets"][name]
    beta = BetaCalibrator(parameters).fit(given["scores"], given["labels"], given["weights"])
    answers, expected = beta.transform(BETACAL["queries"]), given["answers"][parameters]
    np.testing.assert_allclose(answers, expected, rtol=0, atol=1e-9)


def test_the_sets_hold_every_sign_of_a_and_b():
    fitted = {
        name: BetaCalibrator().fit(given["scores"], given["labels"], given["weights"]).map_
        for name, given in BETACAL["sets"].items()
    }
    assert fitted["without a"].a == 0.0 < fitted["without a"].b
    assert fitted["without b"].b == 0.0 < fitted["without b"].a
    wrong = fitted["the wrong way round"]
    assert wrong.a == 0.0 > wrong.b
    assert not wrong.increasing
    assert min(fitted["over-confident"].a, fitted["under-confident"].b) > 0.0


def test_beta_of_equal_a_and_b_is_platt():
    scores, labels, weights = draw(0, 500, weighted=True)
    queries = np.linspace(0.01, 0.99, 99)
    beta, platt = (
        c.fit(scores, labels, weights) for c in (BetaCalibrator("am"), PlattCalibrator())
    )
    np.testing.assert_allclose(beta.transform(queries), platt.transform(queries), atol=1e-12)


@pytest.mark.parametrize("size", [30, 3000, 30_000])
def test_beta_is_at_its_optimum(size):
    scores, labels, weights = draw(size, size, weighted=True)
    fitted = BetaCalibrator().fit(scores, labels, weights)
    residual = weights * (fitted.transform(scores) - labels)
    columns = [np.ones(size)]
    columns += [np.log(scores)] if fitted.map_.a else []
    columns += [np.log(1 - scores)] if fitted.map_.b else []
    assert np.abs(np.stack(columns) @ residual).max() < 1e-10 * weights.sum()


@pytest.mark.parametrize(
    ("labels", "warned"),
    [([0, 0, 0, 1, 1, 1], True), ([1, 1, 0, 0, 0, 1], False), ([0, 1, 1, 1, 0, 0], False)],
)
def test_only_a_threshold_separates_beta_curves_that_keep_one_term(labels, warned):
    scores = np.linspace(0.1, 0.9, 6)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fitted = BetaCalibrator().fit(scores, labels)
    assert [str(warning.message).startswith(SEPARATED) for warning in told] == [True] * warned
    assert all(warning.filename == __file__ for warning in told)
    assert max(abs(fitted.map_.a), abs(fitted.map_.b), abs(fitted.map_.c)) < 40


@pytest.mark.parametrize("parameters", ["abm", "am", "ab"])
def test_beta_of_few_distinct_scores(parameters):
    for scores in ([0.5] * 4, [0.2] * 4, [0.2, 0.2, 0.6, 0.6], [0.5, 0.5, 0.6, 0.6]):
        labels = [0, 1, 0, 1]
        answers = BetaCalibrator(parameters).fit(scores, labels).transform(scores)
        expected = [0.5] * 4
        np.testing.assert_allclose(answers, expected, atol=1e-12)


def test_beta_takes_no_margins():
    with pytest.raises(DataError, match=r"outside \[0, 1\]"):
        BetaCalibrator().fit([-1.0, 2.0], [0, 1])
    with pytest.raises(OptionError, match="parameters is 'mab'"):
        BetaCalibrator("mab").fit([0.1, 0.2], [0, 1])


def test_beta_curve_is_its_formula():
    scores = np.r_[np.logspace(-300, -1, 300), np.linspace(0.1, 1 - 1e-15, 300)]
    line = 1.7 * np.log(scores) - 0.4 * np.log1p(-scores) + 0.3
    np.testing.assert_allclose(
        BetaCurve(1.7, 0.4, 0.3)(scores), special.expit(line), rtol=2e-12, atol=1e-300
    )


def test_log_sigmoid_is_exact_to_a_rounding_of_1_and_keeps_order():
    values = np.r_[np.linspace(-800, 800, 20_001), -1e308, 1e308]
    expected = -np.logaddexp(0, -values)
    np.testing.assert_allclose(log_sigmoid(values), expected, rtol=1e-15, atol=2.3e-16)
    rng = np.random.default_rng(0)
    values = rng.uniform(-1, 1, 300_000) * 10 ** rng.uniform(-3, 2.8, 300_000)
    assert (log_sigmoid(np.nextafter(values, np.inf)) >= log_sigmoid(values)).all()


@pytest.mark.parametrize("a", [0.0, 0.3, 1.7])
@pytest.mark.parametrize("b", [0.0, 0.6, 25.0])
def test_increasing_beta_curves_increase_in_every_bit(a, b):
    scores = np.random.default_rng(1).random(20_000)
    scores = np.sort(np.r_[scores, np.nextafter(scores, 1), 0.5, np.nextafter(0.5, [0, 1])])
    curve = BetaCurve(a, b, 0.1)
    assert curve.increasing
    assert (np.diff(curve(scores)) >= 0).all()


# ------------------------------------------------------------------------------------ temperature


class Told(ClassifierMixin, BaseEstimator):
    """A model whose one feature is its margin."""

    def fit(self, X, y):  # noqa: N803 - scikit-learn's name
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def decision_function(self, X):  # noqa: N803 - scikit-learn's name
        return X[:, 0]

    def predict(self, X):  # noqa: N803 - scikit-learn's name
        return self.classes_[(X[:, 0] > 0).astype(int)]


@pytest.mark.filterwarnings("ignore:Since FrozenEstimator does not appear to accept sample_weight")
@pytest.mark.parametrize("size", [50, 500, 20_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_temperature_is_scikit_learns(size, weighted):
    margins, labels, weights = draw(size, size, margins=True, weighted=weighted)
    rows = margins[:, None]
    peer = CalibratedClassifierCV(FrozenEstimator(Told().fit(rows, labels)), method="temperature")
    expected = peer.fit(rows, labels, sample_weight=weights).predict_proba(rows)[:, 1]
    fitted = TemperatureCalibrator().fit(margins, labels, weights)
    # scikit-learn minimises by comparing costs, which tell half of the digits.
    np.testing.assert_allclose(fitted.transform(margins), expected, rtol=0, atol=1e-6)
    line = margins / fitted.temperature_
    residual = weights * (special.expit(line) - labels)
    assert abs(residual @ margins) < 1e-10 * weights.sum()
    as_probabilities = TemperatureCalibrator().fit(special.expit(margins), labels, weights)
    assert as_probabilities.temperature_ == pytest.approx(fitted.temperature_, rel=1e-9)


def test_temperature_of_scores_that_rank_the_wrong_way_is_infinite():
    fitted = TemperatureCalibrator().fit([0.1, 0.2, 0.4, 0.8, 0.9], [1, 1, 0, 0, 1])
    assert fitted.temperature_ == np.inf
    assert fitted.transform([0.1, 0.9]).tolist() == [0.5, 0.5]


def test_temperature_where_one_half_parts_the_classes_is_smoothed():
    with pytest.warns(UserWarning, match=SEPARATED):
        fitted = TemperatureCalibrator().fit([0.1, 0.4, 0.6, 0.9], [0, 0, 1, 1])
    assert 0.05 < fitted.temperature_ < 2.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # 0.45 parts them, but no temperature moves one half there
        assert TemperatureCalibrator().fit([0.1, 0.4, 0.45, 0.9], [0, 0, 1, 1]).temperature_ < 1.0


def test_temperature_of_one_half_alone_is_1():
    assert TemperatureCalibrator().fit([0.5, 0.5, 0.5], [0, 1, 1]).temperature_ == 1.0


# ----------------------------------------------------------------------------------------- offset


@pytest.mark.parametrize("size", [20, 2000, 50_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_with_the_offset_probabilities_add_up_to_the_positives(size, weighted):
    scores, labels, weights = draw(size, size, weighted=weighted)
    fitted = OffsetCalibrator().fit(scores, labels, weights)
    surplus = weights @ fitted.transform(scores) - weights @ labels
    assert abs(surplus) < 1e-11 * weights.sum()
    assert fitted.map_.slope == 1.0


def test_offset_undoes_a_known_change_of_prevalence():
    rng = np.random.default_rng(0)
    chance = rng.beta(1, 3, 200_000)
    labels = rng.random(200_000) < chance
    moved = special.expit(special.logit(chance) + 1.5)
    assert OffsetCalibrator().fit(moved, labels).map_.intercept == pytest.approx(-1.5, abs=0.03)


def test_offset_of_saturated_scores_is_found():
    scores, labels = [1e-300, 1e-300, 1 - 1e-16, 1 - 1e-16], [0, 1, 0, 1]
    fitted = OffsetCalibrator().fit(scores, labels)
    assert fitted.transform(scores).sum() == pytest.approx(2.0, rel=1e-9)


# -------------------------------------------------------------------------------------- quadratic


@pytest.mark.parametrize("size", [40, 600, 20_000])
@pytest.mark.parametrize("margins", [False, True])
def test_quadratic_is_the_minimum_of_an_independent_optimiser(size, margins):
    scores, labels, weights = draw(size, size, margins=margins, weighted=True)
    odds = scores if margins else special.logit(scores)

    def line(t):
        return t[0] + t[1] * odds + t[2] * odds**2

    def gradient(t):
        residual = weights * (special.expit(line(t)) - labels)
        return [residual.sum(), residual @ odds, residual @ odds**2]

    found = optimize.minimize(
        lambda t: cost(line(t), labels, weights),
        [0, 1, 0],
        jac=gradient,
        method="BFGS",
        options={"gtol": 1e-9 * weights.sum()},
    )
    fitted = QuadraticCalibrator().fit(scores, labels, weights)
    np.testing.assert_allclose(fitted.transform(scores), special.expit(line(found.x)), atol=1e-7)
    residual = weights * (fitted.transform(scores) - labels)
    assert np.abs([residual @ odds**power for power in range(3)]).max() < 1e-9 * weights.sum()


def test_quadratic_goes_on_straight_outside_the_data():
    margins, labels, _ = draw(3, 300, margins=True)
    fitted = QuadraticCalibrator().fit(margins, labels)
    for end, step in ((margins.min(), -1e-3), (margins.max(), 1e-3)):
        outside = special.logit(fitted.transform(end + step * np.arange(4)))
        inside = special.logit(fitted.transform(end - step * np.arange(2)))
        assert np.ptp(np.diff(outside)) < 1e-10
        assert np.diff(inside)[0] == pytest.approx(-np.diff(outside)[0], rel=1e-2)


def test_log_odds_far_out_are_read_as_40():
    scores, labels, _ = draw(4, 300)
    near, far = (
        QuadraticCalibrator().fit(np.append(scores, end), np.append(labels, 0))
        for end in (1.5e-18, 1e-300)
    )
    assert np.array_equal(near.transform(scores), far.transform(scores))


def test_quadratic_of_two_scores_is_a_line_and_of_one_constant():
    line = QuadraticCalibrator().fit([0.2, 0.2, 0.2, 0.7, 0.7], [0, 0, 1, 1, 0])
    np.testing.assert_allclose(line.transform([0.2, 0.7]), [1 / 3, 1 / 2], atol=1e-12)
    assert isinstance(line.map_, Curve)
    constant = QuadraticCalibrator().fit([0.2, 0.2, 0.2], [0, 0, 1])
    np.testing.assert_allclose(constant.transform([0.0, 0.9]), [1 / 3, 1 / 3], atol=1e-12)


def test_quadratic_warns_where_a_parabola_separates():
    scores = np.linspace(0.1, 0.9, 9)
    with pytest.warns(UserWarning, match=SEPARATED):
        fitted = QuadraticCalibrator().fit(scores, np.abs(scores - 0.5) > 0.25)
    assert fitted.transform(scores).round().tolist() == [1, 1, 0, 0, 0, 0, 0, 1, 1]
    assert fitted.transform(scores).max() < 1.0
