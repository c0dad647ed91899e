"""Calibrators of many classes, held to their definitions."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from truing import (
    DataError,
    DirichletCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    MatrixScalingCalibrator,
    MixtureCalibrator,
    MulticlassBlendCalibrator,
    OneVsRestCalibrator,
    OptionError,
    PlattCalibrator,
    TemperatureScalingCalibrator,
    TopLabelCalibrator,
    VectorScalingCalibrator,
)
from truing.maps import Lines
from truing.multiclass.class_map import EachAgainstRest, Unseen
from truing.multiclass.reading import Reading
from truing.numerics.class_scaling import Affine, Cases, _climb_matrix, _climb_vector, fit_matrix
from truing.numerics.coupling import couple
from truing.numerics.log_pool import _climb, fit_log_pool
from truing.table import ClassTable

RNG = np.random.default_rng(5)
LOGITS = RNG.normal(size=(400, 4)) * 2
TRUTH = softmax(0.6 * LOGITS + [0.0, 0.5, 0.0, -0.5], axis=1)
LABELS = (TRUTH.cumsum(axis=1) < RNG.random((400, 1))).sum(axis=1)
SHARES = softmax(LOGITS, axis=1)
ROWS = np.arange(400)
CENTRED = LOGITS - LOGITS.mean(axis=1, keepdims=True)


def loss(answer, labels=LABELS):
    return -np.log(answer[np.arange(len(labels)), labels]).mean()


# -------------------------------------------------------------------------------- temperature


def test_temperature_is_the_most_likely_one():
    weight = RNG.random(400)
    fitted = TemperatureScalingCalibrator().fit(LOGITS, LABELS, weight)

    def cost(slope):
        return -(weight * log_softmax(slope * LOGITS, axis=1)[ROWS, LABELS]).sum()

    best = minimize_scalar(cost, bounds=(0.01, 10), method="bounded", options={"xatol": 1e-10})
    assert abs(1 / fitted.temperature_ - best.x) < 1e-7
    np.testing.assert_allclose(
        fitted.transform(LOGITS), softmax(best.x * LOGITS, axis=1), atol=1e-7
    )


def test_temperature_is_scikit_learns():
    rows, labels = LOGITS + RNG.normal(size=LOGITS.shape), LABELS
    model = LogisticRegression(C=100.0).fit(rows[:200], labels[:200])
    theirs = CalibratedClassifierCV(FrozenEstimator(model), method="temperature")
    theirs.fit(rows[200:], labels[200:])
    margins = model.decision_function(rows)
    ours = TemperatureScalingCalibrator(scale="logits").fit(margins[200:], labels[200:])
    np.testing.assert_allclose(ours.transform(margins), theirs.predict_proba(rows), atol=1e-4)


def test_temperature_of_probabilities_is_that_of_their_logarithms():
    by_logits = TemperatureScalingCalibrator().fit(LOGITS, LABELS)
    by_shares = TemperatureScalingCalibrator().fit(SHARES, LABELS)
    np.testing.assert_allclose(by_shares.temperature_, by_logits.temperature_, rtol=1e-9)


def test_temperature_where_every_case_is_told_right():
    rows = 3.0 * np.eye(3)[[0, 1, 2, 0, 1]]
    fitted = TemperatureScalingCalibrator().fit(rows, [0, 1, 2, 0, 1])
    assert 0.05 < fitted.temperature_ < 1.0


# -------------------------------------------------------------------------------- vector, matrix


def test_vector_of_one_spread_is_the_most_probable_one():
    slope = 0.7
    spreads = np.repeat([0.2 * slope, 0.5], 4)
    cases = Cases(CENTRED, LABELS, np.ones(400))
    found, _ = _climb_vector(cases, slope, spreads, np.zeros(8))

    def cost(at):
        logits = (slope + at[:4]) * CENTRED + at[4:]
        return -log_softmax(logits, axis=1)[ROWS, LABELS].sum() + 0.5 * ((at / spreads) ** 2).sum()

    best = minimize(cost, np.zeros(8), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(found, best.x, atol=1e-6)


def test_the_evidence_of_a_vector_is_laplaces():
    slope, spreads = 0.7, np.repeat([0.2, 0.5], 4)
    cases = Cases(CENTRED, LABELS, np.ones(400))
    at, evidence = _climb_vector(cases, slope, spreads, np.zeros(8))

    def cost(at):
        logits = (slope + at[:4]) * CENTRED + at[4:]
        return -log_softmax(logits, axis=1)[ROWS, LABELS].sum() + 0.5 * ((at / spreads) ** 2).sum()

    curvature = numerical_curvature(cost, at)
    expected = -cost(at) - 0.5 * np.linalg.slogdet(curvature)[1] - np.log(spreads).sum()
    assert abs(evidence - expected) < 1e-3


def numerical_curvature(cost, at, step=1e-4):
    size = len(at)
    answer = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            a, b = step * np.eye(size)[i], step * np.eye(size)[j]
            answer[i, j] = cost(at + a + b) - cost(at + a - b) - cost(at - a + b) + cost(at - a - b)
    return answer / (4 * step**2)


def test_matrix_of_one_spread_is_the_most_probable_one():
    cases = Cases(CENTRED, LABELS, np.ones(400))
    columns = np.column_stack([CENTRED, np.ones(400)])
    prior = np.full((4, 5), 0.2)
    found, evidence = _climb_matrix(cases, columns, CENTRED, prior, np.zeros((4, 5)))

    def cost(flat):
        logits = CENTRED + columns @ flat.reshape(4, 5).T
        return -log_softmax(logits, axis=1)[ROWS, LABELS].sum() + 0.5 * (flat**2).sum() / 0.04

    best = minimize(cost, np.zeros(20), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(found.ravel(), best.x, atol=1e-5)
    volume = np.linalg.slogdet(0.04 * numerical_curvature(cost, found.ravel(), 1e-3))[1]
    assert abs(evidence - (-best.fun - 0.5 * volume)) < 1.0  # the curvature is but nearly a product


def test_a_vector_is_safe_with_few_cases_and_better_with_more():
    losses = []
    for start in range(0, 360, 30):
        few = slice(start, start + 30)
        for fitted in (VectorScalingCalibrator(), TemperatureScalingCalibrator(spread=1.0)):
            fitted.set_params(classes=range(4)).fit(LOGITS[few], LABELS[few])
            losses.append(loss(fitted.transform(LOGITS)))
    vector, temperature = np.reshape(losses, (-1, 2)).mean(axis=0)
    assert vector < temperature + 0.01
    many = VectorScalingCalibrator().fit(LOGITS, LABELS)
    temperature = TemperatureScalingCalibrator().fit(LOGITS, LABELS)
    assert loss(many.transform(LOGITS)) < loss(temperature.transform(LOGITS)) - 0.01
    assert np.all(np.diff(many.intercept_[[3, 0, 1]]) > 0.2)


@pytest.mark.parametrize("found", [MatrixScalingCalibrator, DirichletCalibrator])
def test_a_matrix_is_found_in_many_cases_and_not_in_few(found):
    rng = np.random.default_rng(2)
    logits = rng.normal(size=(6000, 5)) * 2
    mixing = np.eye(5) + 0.5 * (np.roll(np.eye(5), 1, axis=0) - 0.2)
    truth = softmax(logits @ mixing, axis=1)
    labels = (truth.cumsum(axis=1) < rng.random((6000, 1))).sum(axis=1)
    told = softmax(logits, axis=1)
    for size, gain in ((4000, 0.05), (100, -0.01)):
        vector = VectorScalingCalibrator().fit(told[:size], labels[:size]).transform(told[4000:])
        matrix = found().fit(told[:size], labels[:size]).transform(told[4000:])
        assert loss(matrix, labels[4000:]) < loss(vector, labels[4000:]) - gain


def test_adding_a_number_to_the_logits_of_a_row_changes_nothing():
    moved = LOGITS + RNG.normal(size=(400, 1)) * 5
    for found in (VectorScalingCalibrator, MatrixScalingCalibrator, DirichletCalibrator):
        plain, other = found().fit(LOGITS, LABELS), found().fit(moved, LABELS)
        np.testing.assert_allclose(other.transform(moved), plain.transform(LOGITS), atol=1e-5)


def test_coefficients_say_what_is_computed():
    for found in (TemperatureScalingCalibrator, VectorScalingCalibrator, MatrixScalingCalibrator):
        fitted = found().fit(LOGITS, LABELS)
        by_hand = softmax(CENTRED @ fitted.coef_.T + fitted.intercept_, axis=1)
        np.testing.assert_allclose(fitted.transform(LOGITS), by_hand, rtol=1e-9)
    dirichlet = DirichletCalibrator().fit(SHARES, LABELS)
    by_hand = softmax(np.log(SHARES) @ dirichlet.coef_.T + dirichlet.intercept_, axis=1)
    np.testing.assert_allclose(dirichlet.transform(SHARES), by_hand, rtol=1e-9)


def test_a_hopeless_spread_ends_the_search():
    cases = Cases(CENTRED, LABELS, np.ones(400))
    centre = Affine(np.full(4, 0.6), np.zeros(4))
    some, more = (fit_matrix(cases, centre, grid) for grid in ((0.01, 30.0), (0.01, 30.0, 90.0)))
    assert np.array_equal(some.rest, more.rest)


# -------------------------------------------------------------------------------- one against rest


@pytest.mark.parametrize(
    "calibrator",
    [HistogramCalibrator(), KernelCalibrator(), MixtureCalibrator(), IsotonicCalibrator()],
    ids=lambda calibrator: type(calibrator).__name__,
)
def test_each_against_the_rest_by_hand(calibrator):
    fitted = OneVsRestCalibrator(calibrator).fit(SHARES, LABELS)
    columns = [
        type(calibrator)().fit(SHARES[:, k], k == LABELS).transform(SHARES[:, k]) for k in range(4)
    ]
    by_hand = np.column_stack(columns)
    by_hand /= by_hand.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.transform(SHARES), by_hand, rtol=1e-12)


def test_rows_that_every_calibrator_calls_impossible_keep_what_was_given():
    never = Lines(np.array([0.0, 1.0]), np.array([0.0, 0.0]))
    all_never = EachAgainstRest(
        Reading(probabilities=True), {0: never, 1: never}, Unseen(np.array([2]), 0.01)
    )
    np.testing.assert_allclose(
        all_never(np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])),
        [[0.4 * 0.99, 0.6 * 0.99, 0.01], [0.495, 0.495, 0.01]],
    )


def test_a_class_without_cases_is_told_at_most_by_the_rule_of_succession():
    seen = LABELS != 2
    fitted = OneVsRestCalibrator(classes=range(4)).fit(SHARES[seen], LABELS[seen])
    expected = np.minimum(SHARES[:, 2], 1 / (seen.sum() + 2))
    np.testing.assert_allclose(fitted.transform(SHARES)[:, 2], expected, rtol=1e-12)
    assert sorted(fitted.calibrators_) == [0, 1, 3]


def test_logits_are_calibrated_as_the_probabilities_that_they_stand_for():
    by_logits = OneVsRestCalibrator().fit(LOGITS, LABELS).transform(LOGITS)
    by_shares = OneVsRestCalibrator().fit(SHARES, LABELS).transform(SHARES)
    np.testing.assert_allclose(by_logits, by_shares, atol=1e-9)


# -------------------------------------------------------------------------------- pairs


def test_coupling_minimises_its_sum_of_squares():
    chances = RNG.random((20, 5, 5))
    pairs = chances / (chances + chances.transpose(0, 2, 1))
    for row, found in zip(pairs, couple(pairs), strict=True):

        def cost(p, row=row):
            return sum(
                (row[j, i] * p[i] - row[i, j] * p[j]) ** 2
                for i in range(5)
                for j in range(5)
                if i != j
            )

        best = minimize(
            cost,
            np.full(5, 0.2),
            bounds=[(0, 1)] * 5,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )
        np.testing.assert_allclose(found, best.x, atol=1e-5)


def test_pairs_by_hand():
    fitted = OneVsRestCalibrator(PlattCalibrator(), "pairwise").fit(SHARES, LABELS)
    pairs = np.zeros((400, 4, 4))
    for i in range(4):
        for j in range(i + 1, 4):
            rows = np.isin(LABELS, [i, j])
            told = SHARES[:, i] / (SHARES[:, i] + SHARES[:, j])
            one = PlattCalibrator().fit(told[rows], LABELS[rows] == i)
            pairs[:, i, j] = one.transform(told)
            pairs[:, j, i] = 1 - pairs[:, i, j]
    np.testing.assert_allclose(fitted.transform(SHARES), couple(pairs), atol=1e-8)


# -------------------------------------------------------------------------------- top label


@pytest.mark.parametrize("by_class", [False, True])
def test_the_top_label_by_hand(by_class):
    fitted = TopLabelCalibrator(HistogramCalibrator(n_bins=4), by_class=by_class)
    answer = fitted.fit(SHARES, LABELS).transform(SHARES)
    top = SHARES.argmax(axis=1)
    told, right = SHARES[ROWS, top], top == LABELS
    for place in range(4) if by_class else [slice(None)]:
        rows = top == place if by_class else slice(None)
        plain = HistogramCalibrator(n_bins=4).fit(told[rows], right[rows])
        np.testing.assert_array_equal(answer[ROWS, top][rows], plain.transform(told[rows]))
    rest = np.where(np.arange(4) == top[:, None], 0, SHARES)
    expected = rest / rest.sum(axis=1, keepdims=True) * (1 - answer[ROWS, top])[:, None]
    expected[ROWS, top] = answer[ROWS, top]
    np.testing.assert_allclose(answer, expected, rtol=1e-12)


def test_classes_that_are_always_right_take_the_calibrator_of_all():
    top = SHARES.argmax(axis=1)
    labels = np.where(top == 3, 3, LABELS)
    fitted = TopLabelCalibrator(PlattCalibrator(), by_class=True).fit(SHARES, labels)
    assert -1 in fitted.calibrators_
    assert 3 not in fitted.calibrators_
    told = SHARES[ROWS, top]
    plain = PlattCalibrator().fit(told, top == labels).transform(told)
    np.testing.assert_array_equal(fitted.transform(SHARES)[ROWS, top][top == 3], plain[top == 3])


def test_what_is_always_right_is_left_as_it_is():
    fitted = TopLabelCalibrator().fit(SHARES, SHARES.argmax(axis=1))
    np.testing.assert_allclose(fitted.transform(SHARES), SHARES)


# -------------------------------------------------------------------------------- the blend


def test_the_blend_is_a_weighted_mean_of_logarithms():
    blend = MulticlassBlendCalibrator(HistogramCalibrator(n_bins=5, smoothing=1.0), n_folds=3)
    blend.fit(SHARES, LABELS)
    parts = {
        "temperature": TemperatureScalingCalibrator(spread=1.0),
        "vector": VectorScalingCalibrator(),
        "matrix": DirichletCalibrator(),
        "curves": OneVsRestCalibrator(HistogramCalibrator(n_bins=5, smoothing=1.0)),
    }
    told = {name: part.fit(SHARES, LABELS).transform(SHARES) for name, part in parts.items()}
    again = DirichletCalibrator().fit(told["curves"], LABELS)
    told["curves, then matrix"] = again.transform(told["curves"])
    assert list(blend.weights_) == list(told)
    logs = sum(blend.weights_[name] * np.log(answer) for name, answer in told.items())
    np.testing.assert_allclose(blend.transform(SHARES), softmax(logs, axis=1), rtol=1e-6)


def test_the_weights_of_a_pool_are_the_most_probable_for_their_spread():
    forecasts = np.stack([SHARES, TRUTH, np.full((400, 4), 0.25)])
    centre = np.array([1.0, 0.0, 0.0])
    at, _ = _climb(np.log(forecasts), LABELS, np.ones(400), centre, 0.5)

    def cost(v):
        pooled = log_softmax(np.tensordot(v, np.log(forecasts), 1), axis=1)
        return -pooled[ROWS, LABELS].sum() + 0.5 * ((v - centre) ** 2).sum() / 0.25

    best = minimize(
        cost, centre, bounds=[(0, None)] * 3, method="L-BFGS-B", options={"ftol": 1e-15}
    )
    np.testing.assert_allclose(at, best.x, atol=1e-4)
    weights = fit_log_pool(list(forecasts), LABELS, np.ones(400), centre)
    assert weights[1] > 0.5
    assert (weights >= 0).all()


def test_the_blend_stays_at_a_temperature_where_that_is_all():
    rng = np.random.default_rng(8)
    logits = rng.normal(size=(1000, 5))
    labels = (softmax(logits, axis=1).cumsum(axis=1) < rng.random((1000, 1))).sum(axis=1)
    blend = MulticlassBlendCalibrator().fit(3 * logits, labels)
    assert blend.weights_["temperature"] > 0.7
    cool = TemperatureScalingCalibrator().fit(3 * logits, labels)
    assert np.abs(blend.transform(3 * logits) - cool.transform(3 * logits)).max() < 0.05


def test_the_blend_takes_vectors_where_cases_are_too_few_for_a_matrix():
    blend = MulticlassBlendCalibrator(classes=range(4)).fit(SHARES[:19], LABELS[:19])
    assert list(blend.weights_) == ["temperature", "vector", "curves", "curves, then vector"]


# -------------------------------------------------------------------------------- all of them


def test_scales():
    table = np.round(SHARES, 4)
    assert TemperatureScalingCalibrator().fit(table, LABELS).map_.reading.probabilities
    assert not TemperatureScalingCalibrator().fit(LOGITS, LABELS).map_.reading.probabilities
    said = TemperatureScalingCalibrator(scale="logits").fit(table, LABELS)
    assert not said.map_.reading.probabilities
    with pytest.raises(DataError, match="is outside"):
        TemperatureScalingCalibrator(scale="probabilities").fit(LOGITS, LABELS)


def test_another_prior():
    prior = {0: 0.4, 1: 0.3, 2: 0.2, 3: 0.1}
    plain = VectorScalingCalibrator().fit(SHARES, LABELS)
    moved = VectorScalingCalibrator(prior=prior).fit(SHARES, LABELS)
    expected = plain.transform(SHARES) * np.array(list(prior.values())) / plain.totals_
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(moved.transform(SHARES), expected, rtol=1e-9)
    with pytest.raises(DataError, match="prior needs calibration cases of every class"):
        VectorScalingCalibrator(prior=prior, classes=range(4)).fit(SHARES, np.minimum(LABELS, 2))


def test_options_of_one_dimension_that_have_no_place_here():
    for calibrator in (PlattCalibrator(pos_label=1), PlattCalibrator(missing="drop")):
        with pytest.raises(OptionError, match="for many classes it must be"):
            OneVsRestCalibrator(calibrator).fit(SHARES, LABELS)


def test_labels_that_are_no_class():
    with pytest.raises(DataError, match=r"y: 3 at position \d+ is none of the classes"):
        VectorScalingCalibrator(classes=[0, 1, 2, 7]).fit(SHARES, LABELS)


def test_what_each_fit_warns_of_is_told_once():
    rows = np.vstack([np.eye(3) * 0.7 + 0.1] * 3)
    with pytest.warns(UserWarning, match="In 3 of 3 fits: The score separates") as told:
        OneVsRestCalibrator(PlattCalibrator()).fit(rows, [0, 1, 2] * 3)
    assert len(told) == 1
    assert told[0].filename == __file__


def test_folds_of_a_table_add_up_to_it():
    table = ClassTable.from_arrays(SHARES, LABELS, RNG.integers(1, 4, 400))
    folds = table.folds(3)
    total = sum(test.totals for _, test in folds)
    np.testing.assert_array_equal(total, table.totals)
    for train, test in folds:
        np.testing.assert_array_equal(train.totals + test.totals, table.totals)


def test_a_hundred_classes():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(1500, 100))
    truth = softmax(2 * logits, axis=1)
    labels = (truth.cumsum(axis=1) < rng.random((1500, 1))).sum(axis=1)
    fitted = VectorScalingCalibrator(classes=range(100)).fit(5 * logits, labels)
    assert fitted.coef_.shape == (100, 100)
    assert abs(np.diag(fitted.coef_).mean() - 0.4) < 0.03
