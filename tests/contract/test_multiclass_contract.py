"""What holds for every calibrator of many classes: the laws, the errors, scikit-learn's checks."""

# ruff: noqa: N803 - X is scikit-learn's name

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from found_classes import MULTICLASS, MULTICLASS_VARIANTS
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from truing import (
    DataError,
    IsotonicCalibrator,
    OptionError,
    TemperatureScalingCalibrator,
    TopLabelCalibrator,
)
from truing.table import ClassTable

pytestmark = pytest.mark.filterwarnings("ignore:.*The score separates the classes")

NAN, INF = float("nan"), float("inf")
every_variant = pytest.mark.parametrize("calibrator", MULTICLASS_VARIANTS, ids=repr)
every_method = pytest.mark.parametrize("found", MULTICLASS, ids=lambda found: found.__name__)
laws = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def draw_rows(size=200, classes=3, seed=0):
    """Logits that are too certain, and labels."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(size, classes)) * 1.5
    shares = np.exp(logits)
    shares /= shares.sum(axis=1, keepdims=True)
    return 2.0 * logits, (shares.cumsum(axis=1) < rng.random((size, 1))).sum(axis=1)


def as_probabilities(logits):
    shares = np.exp(logits)
    return shares / shares.sum(axis=1, keepdims=True)


LOGITS, LABELS = draw_rows()
SHARES = as_probabilities(LOGITS)


@st.composite
def cases(draw, *, fractional=False):
    """Rows of three probabilities on a lattice, labels of two classes at least, and weights."""
    size = draw(st.integers(4, 25))
    counts = st.lists(st.integers(0, 8), min_size=3, max_size=3).filter(any)
    rows = np.array(draw(st.lists(counts, min_size=size, max_size=size)), dtype=float)
    label = np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    assume(len(set(label.tolist())) == 3)
    whole = np.array(draw(st.lists(st.integers(1, 3), min_size=size, max_size=size)))
    part = np.array(draw(st.lists(st.floats(0.1, 1.0), min_size=size, max_size=size)))
    weights = whole * part if fractional else whole.astype(float)
    return rows / rows.sum(axis=1, keepdims=True), label, weights


def answers(calibrator, rows, label, weight=None):
    return clone(calibrator).fit(rows, label, weight).transform(SHARES)


@every_variant
@laws
@given(case=cases(fractional=True), data=st.data())
def test_row_order_changes_no_bit(calibrator, case, data):
    rows, label, weight = case
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    expected = answers(calibrator, rows, label, weight)
    assert np.array_equal(answers(calibrator, rows[order], label[order], weight[order]), expected)


@every_variant
@laws
@given(case=cases())
def test_weights_are_repetitions(calibrator, case):
    rows, label, weight = case
    times = weight.astype(int)
    repeated = answers(calibrator, np.repeat(rows, times, axis=0), np.repeat(label, times))
    assert np.array_equal(repeated, answers(calibrator, rows, label, weight))


@every_variant
@laws
@given(case=cases(fractional=True))
def test_rows_add_up_to_one(calibrator, case):
    answer = answers(calibrator, *case)
    assert ((answer >= 0.0) & (answer <= 1.0)).all()
    np.testing.assert_allclose(answer.sum(axis=1), 1.0, rtol=0, atol=1e-12)


@every_variant
@pytest.mark.parametrize("scores", [LOGITS, SHARES], ids=["logits", "probabilities"])
def test_a_weight_of_zero_is_no_row(calibrator, scores):
    weight = np.arange(len(LABELS)) % 2
    kept = clone(calibrator).fit(scores[1::2], LABELS[1::2]).transform(scores)
    assert np.array_equal(clone(calibrator).fit(scores, LABELS, weight).transform(scores), kept)


@every_variant
def test_labels_of_every_kind(calibrator):
    expected = clone(calibrator).fit(SHARES, LABELS).transform(SHARES)
    for names in (["ant", "bee", "cow"], [-1, 0, 7], [1.0, 2.0, 3.0]):
        labels = np.array(names)[LABELS]
        fitted = clone(calibrator).fit(SHARES, labels)
        assert fitted.classes_.tolist() == names
        assert np.array_equal(fitted.predict_proba(SHARES), expected)
        assert np.array_equal(fitted.predict(SHARES), np.array(names)[expected.argmax(axis=1)])
        assert fitted.score(SHARES, labels) > 0.4


@every_variant
def test_every_container(calibrator):
    expected = clone(calibrator).fit(SHARES, LABELS).transform(SHARES)
    names = ["ant", "bee", "cow"]
    labels = [names[code] for code in LABELS]
    columns = dict(zip(names, SHARES.T, strict=True))
    for rows, label in (
        (SHARES.tolist(), labels),
        (pd.DataFrame(columns), pd.Series(labels, dtype="category")),
        (pl.DataFrame(columns), pl.Series(labels)),
        (pa.table(columns), pa.array(labels)),
        (SHARES.astype(object), np.array(labels, dtype=object)),
        (np.asfortranarray(SHARES), labels),
    ):
        fitted = clone(calibrator).fit(rows, label)
        np.testing.assert_array_equal(fitted.transform(rows), expected)


@every_variant
def test_two_classes(calibrator):
    if getattr(calibrator, "prior", None) is not None:
        calibrator = clone(calibrator).set_params(prior=[0.4, 0.6])
    logits, labels = draw_rows(classes=2, seed=3)
    answer = clone(calibrator).fit(logits, labels).transform(logits)
    assert answer.shape == logits.shape
    loss, before = (
        -np.log(told[np.arange(len(labels)), labels]).mean()
        for told in (np.maximum(answer, 1e-3), as_probabilities(logits))
    )
    assert loss < before


@every_variant
def test_a_class_that_the_data_lack(calibrator):
    if getattr(calibrator, "prior", None) is not None:
        calibrator = clone(calibrator).set_params(prior=None)
    seen = LABELS != 1
    with pytest.raises(DataError, match=r"3 columns, y holds 2 classes \[0, 2\].* classes="):
        clone(calibrator).fit(SHARES[seen], LABELS[seen])
    fitted = clone(calibrator).set_params(classes=[0, 1, 2]).fit(SHARES[seen], LABELS[seen])
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.totals_.tolist() == np.bincount(LABELS[seen], minlength=3).tolist()
    answer = fitted.transform(SHARES)
    np.testing.assert_allclose(answer.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    if not isinstance(calibrator, TemperatureScalingCalibrator | TopLabelCalibrator):
        assert answer[:, 1].mean() < 0.5 * SHARES[:, 1].mean()  # those see no single class


@every_variant
def test_pickle_and_clone(calibrator):
    fitted = clone(calibrator).fit(SHARES, LABELS)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.transform(SHARES), fitted.transform(SHARES))
    assert not hasattr(clone(fitted), "map_")
    assert repr(clone(calibrator)) == repr(calibrator)


@every_variant
def test_missing_scores(calibrator):
    rows = np.vstack([SHARES, [[NAN, 0.5, 0.5]]])
    labels = np.append(LABELS, 0)
    with pytest.raises(DataError, match=r"scores, column 0: nan at position 200 is missing"):
        clone(calibrator).fit(rows, labels)
    plain = clone(calibrator).fit(SHARES, LABELS)
    dropping = clone(calibrator).set_params(missing="drop").fit(rows, labels)
    assert dropping.left_out_ == {"missing": 1}
    assert np.array_equal(dropping.transform(SHARES), plain.transform(SHARES))
    with pytest.raises(DataError, match=r'nan at position 200 is missing.*"propagate"'):
        dropping.transform(rows)
    answer = clone(calibrator).set_params(missing="propagate").fit(rows, labels)
    assert np.isnan(answer.transform(rows)).any(axis=1).tolist() == [False] * 200 + [True]
    with pytest.raises(DataError, match="nan at position 200 has no class to predict"):
        answer.predict(rows)


@every_variant
def test_set_output_and_predictions(calibrator):
    with config_context(transform_output="pandas"):
        fitted = clone(calibrator).fit(SHARES, LABELS)
        framed = fitted.transform(pd.DataFrame(SHARES, index=np.arange(200)[::-1]))
        assert framed.columns.tolist() == ["probability_0", "probability_1", "probability_2"]
        assert framed.index[0] == 199
        assert isinstance(fitted.predict_proba(SHARES), np.ndarray)
    assert (cross_val_score(clone(calibrator), SHARES, LABELS, cv=3) > 0.35).all()


EXTREMES = {
    "exact zeros and ones": np.eye(3)[np.r_[LABELS[:100], LABELS[100:][::-1]]],
    "all equal": np.full((200, 3), 1 / 3),
    "subnormal": np.vstack([np.c_[SHARES[:-2, :2] * 1e-310, np.ones(198)], SHARES[-2:]]),
    "huge": LOGITS * 1e300,
    "the largest doubles": np.where(LOGITS > 0, 1.79e308, -1.79e308),
    "tiny": LOGITS * 1e-300,
    "an outlier": np.vstack([LOGITS[:-1], [[1e12, 0.0, 0.0]]]),
    "single precision": SHARES.astype(np.float32),
    "equal logits": np.ones((200, 3)),
    "separated": 9.0 * np.eye(3)[LABELS],
    "separated the wrong way": -9.0 * np.eye(3)[LABELS],
}


@every_variant
@pytest.mark.parametrize("name", EXTREMES)
def test_every_row_is_answered(calibrator, name):
    rows = EXTREMES[name]
    answer = clone(calibrator).fit(rows, LABELS).transform(rows)
    assert ((answer >= 0.0) & (answer <= 1.0)).all()
    np.testing.assert_allclose(answer.sum(axis=1), 1.0, rtol=0, atol=1e-12)


@every_variant
def test_three_cases(calibrator):
    rows = [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.2, 0.2, 0.6]]
    assert np.isfinite(clone(calibrator).fit(rows, ["a", "b", "c"]).transform(rows)).all()


NO_SPREAD = [0, -1.0, NAN, INF, "x", True]
BAD_OPTIONS = {
    "by_class": ["x", None, 1],
    "calibrator": ["isotonic", IsotonicCalibrator, IsotonicCalibrator(prior=0.2)],
    "classes": ["abc", [0, 1, 1], [0], 5, [0, 1, NAN], {0, 1, 2}],
    "coupling": ["x", None, 3],
    "intercept_spread": NO_SPREAD,
    "missing": ["x", None, 3],
    "n_folds": [0, -1, 2.5, "x", None, True],
    "prior": [0.5, "abc", [0.5, 0.5], [0.5, 0.5, 0.5], [0.0, 0.5, 0.5], {0: 0.5, 1: 0.5}],
    "scale": ["log-odds", None, 3],
    "slope_spread": NO_SPREAD,
    "spread": NO_SPREAD,
}


@every_method
def test_options_that_cannot_be_are_refused_by_name(found):
    for name in found().get_params(deep=False):
        for value in BAD_OPTIONS[name]:
            calibrator = found(**{name: value})
            with pytest.raises((OptionError, DataError), match=name):
                calibrator.fit(SHARES, LABELS)
            assert not hasattr(calibrator, "map_")


BAD_DATA = {
    "lengths": ((SHARES, LABELS[:5]), r"lengths differ: scores has 200, y has 5"),
    "weights' length": ((SHARES, LABELS, [1.0] * 5), "lengths differ: .*sample_weight has 5"),
    "infinite": ((np.where(SHARES > 0.9, INF, LOGITS), LABELS), "scores, column .* is infinite"),
    "text": ((SHARES.astype(str), LABELS), "scores: '.*' at position 0 is no number"),
    "complex": ((SHARES * 1j, LABELS), "Complex data not supported"),
    "negative weight": ((SHARES, LABELS, -np.ones(200)), "sample_weight: -1.0 at position 0"),
    "one class": ((SHARES, np.zeros(200)), r"3 columns, y holds 1 class \[0.0\]"),
    "four classes": ((SHARES, np.arange(200) % 4), "3 columns, y holds 4 classes"),
    "missing label": ((SHARES, [None, *LABELS[1:]]), "y: None at position 0 is missing"),
    "labels of several kinds": ((SHARES, ["a", *LABELS[1:]]), "y holds .* no order"),
    "continuous": ((SHARES, LABELS + 0.5), "y: .* Unknown label type: continuous"),
    "no labels": ((SHARES, None), "requires y to be passed"),
    "one dimension": ((SHARES[:, 0], LABELS), r"scores has shape \(200,\)"),
    "one column": ((SHARES[:, :1], LABELS), r"scores has shape \(200, 1\)"),
    "a number": ((0.5, LABELS), "scores is 0.5"),
    "empty": ((np.empty((0, 3)), []), "empty"),
}


@every_method
@pytest.mark.parametrize("name", BAD_DATA)
def test_data_that_will_not_do_are_refused_and_change_nothing(found, name):
    data, reason = BAD_DATA[name]
    calibrator = found().fit(SHARES, LABELS)
    before = pickle.dumps(calibrator)
    with pytest.raises(DataError, match=reason):
        calibrator.fit(*data)
    assert pickle.dumps(calibrator) == before


@every_method
def test_queries_that_will_not_do(found):
    with pytest.raises(NotFittedError):
        found().transform(SHARES)
    fitted = found().fit(SHARES, LABELS)
    for rows, reason in (
        (LOGITS, r"scores, column .* is outside \[0, 1\]"),
        ([[0.2, 0.2, 0.2]], r"row sum: 0\.6.* at position 0 is not one"),
        (SHARES[:, :2], "scores has 2 columns; 3 are needed"),
        (np.empty((0, 3)), "empty"),
    ):
        with pytest.raises(DataError, match=reason):
            fitted.transform(rows)
    with pytest.raises(DataError, match="a ClassTable is needed"):
        found().fit_table(SHARES)
    one = ClassTable.from_arrays(SHARES, np.zeros(200, int), classes=[0, 1, 2])
    with pytest.raises(DataError, match="one class only"):
        found().fit_table(one)
    with pytest.raises(DataError, match="adds up to"):
        found().fit(SHARES, LABELS, np.full(200, 1e13))


class Columns(ClassifierMixin, BaseEstimator):
    """A score for each class: how near a case is to the mean of the class."""

    def __init__(self, calibrator):
        self.calibrator = calibrator

    def fit(self, X, y, sample_weight=None):
        rows, y = validate_data(self, X, y)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, rows)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("y holds one class only")
        self.means_ = [
            np.average(rows[y == label], axis=0, weights=weight[y == label])
            if weight[y == label].any()
            else np.zeros(rows.shape[1])
            for label in self.classes_
        ]
        calibrator = clone(self.calibrator).set_params(classes=self.classes_.tolist())
        self.calibrator_ = calibrator.fit(self._distances(rows), y, sample_weight)
        return self

    def _distances(self, rows):
        return np.column_stack([-((rows - mean) ** 2).sum(axis=1) / 2 for mean in self.means_])

    def predict_proba(self, X):
        check_is_fitted(self)
        return self.calibrator_.predict_proba(self._distances(validate_data(self, X, reset=False)))

    def predict(self, X):
        chances = self.predict_proba(X)
        return self.classes_[chances.argmax(axis=1)]


FRONTS = [Columns(c) for c in MULTICLASS_VARIANTS if c.prior is None]


@parametrize_with_checks(FRONTS)
def test_checks_through_a_front(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # a check skips itself without
    check(estimator)


# Beyond options, clones and pickles, scikit-learn has checks for features only; see the front.
@pytest.mark.filterwarnings("ignore:Can't test estimator")
@every_variant
def test_checks_of_estimators(calibrator, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # a check skips itself without
    results = check_estimator(clone(calibrator), on_skip=None)
    assert {result["status"] for result in results} == {"passed"}
