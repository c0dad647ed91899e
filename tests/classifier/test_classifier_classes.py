"""Labels of every kind, classes that are missing somewhere, and scores that are."""

# ruff: noqa: N803, N806 - X is scikit-learn's name

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeavePOut
from sklearn.naive_bayes import GaussianNB

from truing import (
    BlendCalibrator,
    CalibratedClassifier,
    DataError,
    HistogramCalibrator,
    PlattCalibrator,
)


@pytest.fixture(scope="module")
def data():
    return make_classification(120, flip_y=0.2, class_sep=0.6, random_state=2)


class Fixed(ClassifierMixin, BaseEstimator):
    """Answers what X holds, in the shape and of the classes that a test asks for."""

    def __init__(self, classes=(0, 1), shape="matrix"):
        self.classes = classes
        self.shape = shape

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        scores = np.asarray(X, dtype=float)[:, 0]
        if self.shape == "vector":
            return scores
        return scores[:, None] if len(self.classes) == 1 else np.c_[1 - scores, scores]


class Margins(ClassifierMixin, BaseEstimator):
    def __init__(self, columns=0):
        self.columns = columns

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        margins = np.asarray(X, dtype=float)[:, 0]
        return np.repeat(margins[:, None], self.columns, axis=1) if self.columns else margins


LABELS = {
    "strings": np.array(["good", "ill"]),
    "booleans": np.array([False, True]),
    "signs": np.array([-1, 1]),
    "floats": np.array([1.0, 2.0]),
}


@pytest.mark.parametrize("names", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("way", [{"cv": 3}, {"cv": 3, "ensemble": True}, {"cv": "partition"}])
def test_labels_of_every_kind(data, names, way):
    X, y = data
    fitted = CalibratedClassifier(GaussianNB(), random_state=0, **way).fit(X, names[y])
    plain = CalibratedClassifier(GaussianNB(), random_state=0, **way).fit(X, y)
    np.testing.assert_array_equal(fitted.classes_, names)
    np.testing.assert_array_equal(fitted.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(fitted.predict(X), names[plain.predict(X)])


@pytest.mark.parametrize("kind", ["Int64", "boolean", "object", "category", "int64[pyarrow]"])
def test_labels_of_pandas_own_kinds(data, kind):
    X, y = data
    labels = pd.Series(y.astype(bool) if kind == "boolean" else y).astype(kind)
    fitted = CalibratedClassifier(GaussianNB(), cv=3).fit(X, labels)
    plain = CalibratedClassifier(GaussianNB(), cv=3).fit(X, y)
    np.testing.assert_array_equal(fitted.classes_, [0, 1])
    np.testing.assert_array_equal(fitted.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("container", [list, pd.Series, pl.Series, pd.Categorical], ids=str)
def test_labels_in_every_container(data, container):
    X, y = data
    labels = np.array(["good", "ill"])[y]
    fitted = CalibratedClassifier(GaussianNB(), cv=3).fit(X, container(labels.tolist()))
    plain = CalibratedClassifier(GaussianNB(), cv=3).fit(X, labels)
    np.testing.assert_array_equal(fitted.predict_proba(X), plain.predict_proba(X))


def test_a_column_of_labels_warns(data):
    X, y = data
    with pytest.warns(DataConversionWarning):
        CalibratedClassifier(GaussianNB(), cv=3).fit(X, y[:, None])


@pytest.mark.parametrize("response_method", ["predict_proba", "decision_function"])
def test_positive_label(data, response_method):
    X, y = data
    way = {"cv": 3, "response_method": response_method}
    calibrator = HistogramCalibrator(n_bins=4)
    plain = CalibratedClassifier(LogisticRegression(), calibrator, **way).fit(X, y)
    named = CalibratedClassifier(
        LogisticRegression(), HistogramCalibrator(n_bins=4, pos_label=0), **way
    ).fit(X, y)
    np.testing.assert_array_equal(named.classes_, [0, 1])
    assert named.calibrator_.classes_.tolist() == [0, 1]
    assert named.calibrator_.table_.classes == (1, 0)
    np.testing.assert_allclose(named.predict_proba(X), plain.predict_proba(X))


def test_a_class_with_fewer_cases_than_folds():
    X, y = np.r_[np.arange(20.0), 30.0, 5.5][:, None], np.r_[np.zeros(20, int), 1, 1]
    fitted = CalibratedClassifier(GaussianNB(), HistogramCalibrator(), cv=5).fit(X, y)
    assert fitted.calibrator_.table_.total == 22


def test_rows_whose_model_would_see_one_class_are_left_out():
    X, y = np.arange(20.0)[:, None], np.r_[np.zeros(10, int), np.ones(10, int)]
    folds = [(np.arange(10), np.arange(10, 17)), (np.r_[0:5, 15:20], np.r_[5:15])]
    with pytest.warns(
        UserWarning, match=r"left out of the calibration: 7\. In 1 of 2 folds"
    ) as caught:
        fitted = CalibratedClassifier(GaussianNB(), HistogramCalibrator(), cv=folds).fit(X, y)
    assert caught[0].filename == __file__
    assert fitted.calibrator_.table_.total == 10


@pytest.mark.filterwarnings("ignore:Cases left out of the calibration")
def test_a_single_positive_cannot_be_left_out():
    X, y = np.arange(12.0)[:, None], np.r_[np.zeros(11, int), 1]
    with pytest.raises(DataError, match=r"11 scored cases, not of both classes \[0, 1\]"):
        CalibratedClassifier(GaussianNB(), cv="leave-one-out").fit(X, y)


@pytest.mark.filterwarnings("ignore:Cases left out of the calibration")
def test_nothing_to_calibrate_with():
    X, y = np.arange(20.0)[:, None], np.r_[np.zeros(10, int), np.ones(10, int)]
    with pytest.raises(DataError, match="0 scored cases"):
        CalibratedClassifier(GaussianNB(), cv=[(np.arange(10), np.arange(10, 20))]).fit(X, y)


def test_an_ensemble_skips_folds_of_one_class():
    X, y = np.arange(20.0)[:, None], np.tile([0, 1], 10)
    folds = [(np.arange(10), np.arange(10, 20)), (np.arange(10), np.arange(10, 20, 2))]
    ensemble = CalibratedClassifier(GaussianNB(), HistogramCalibrator(), cv=folds, ensemble=True)
    with pytest.warns(UserWarning, match="left out of the ensemble: 1 of 2"):
        ensemble.fit(X, y)
    assert len(ensemble.estimators_) == 1


def test_an_ensemble_whose_folds_are_all_of_one_class(data):
    with pytest.raises(DataError, match=r"No fold .* 120 of 120"):
        CalibratedClassifier(GaussianNB(), cv=LeavePOut(1), ensemble=True).fit(*data)


@pytest.mark.parametrize(("label", "column"), [(0, 0.0), (1, 1.0)])
def test_a_model_that_knows_one_class(label, column):
    X, y = np.arange(8.0)[:, None], np.tile([0, 1], 4)
    model = DummyClassifier(strategy="prior").fit(X, np.full(8, label))
    fitted = CalibratedClassifier(model, PlattCalibrator(), cv="prefit").fit(X, y)
    np.testing.assert_array_equal(fitted.calibrator_.table_.scores, [column])
    np.testing.assert_array_equal(fitted.predict_proba(X), np.full((8, 2), 0.5))


def test_a_model_of_other_classes_is_refused():
    X, y = np.arange(8.0)[:, None], np.tile([0, 1], 4)
    model = DummyClassifier().fit(X, np.tile(["a", "b"], 4))
    with pytest.raises(
        DataError, match=r"y holds the classes \[0, 1\]; Dummy.* knows \['a', 'b'\]"
    ):
        CalibratedClassifier(model, cv="prefit").fit(X, y)


@pytest.mark.parametrize(("columns", "fine"), [(0, True), (1, True), (2, False)])
def test_shapes_of_margins(columns, fine):
    X, y = np.linspace(-2, 2, 12)[:, None], np.tile([0, 1, 1], 4)
    classifier = CalibratedClassifier(Margins(columns), cv="same")
    if fine:
        expected = BlendCalibrator().fit(X[:, 0], y).predict_proba(X[:, 0])
        np.testing.assert_array_equal(classifier.fit(X, y).predict_proba(X), expected)
    else:
        with pytest.raises(DataError, match=r"decision_function gave the shape \(12, 2\)"):
            classifier.fit(X, y)


def test_shapes_of_probabilities():
    X, y = np.linspace(0, 1, 12)[:, None], np.tile([0, 1], 6)
    with pytest.raises(DataError, match=r"predict_proba gave the shape \(12,\)"):
        CalibratedClassifier(Fixed(shape="vector"), cv="same").fit(X, y)


def test_rounding_leads_no_probability_out_of_the_unit_interval():
    X, y = np.linspace(0, 1 + 1e-12, 12)[:, None], np.tile([0, 1], 6)
    fitted = CalibratedClassifier(Fixed(), cv="same").fit(X, y)
    assert fitted.calibrator_.table_.holds_probabilities
    X[0] = -0.5  # is no rounding
    with pytest.raises(DataError, match=r"predict_proba: -0\.5 at position 0 is outside \[0, 1\]"):
        CalibratedClassifier(Fixed(), cv="same").fit(X, y)


@pytest.mark.parametrize("way", [{"cv": 2}, {"cv": 2, "ensemble": True}, {"cv": "same"}])
def test_missing_scores(way):
    X, y = np.linspace(0, 1, 24)[:, None], np.tile([0, 1, 1], 8)
    X[::5] = np.nan
    with pytest.raises(DataError, match='missing="drop"'):
        CalibratedClassifier(Fixed(), HistogramCalibrator(), **way).fit(X, y)
    dropping = HistogramCalibrator(missing="drop")
    fitted = CalibratedClassifier(Fixed(), dropping, **way).fit(X, y)
    left_out = sum(part.table_.left_out["missing"] for part in fitted.calibrators_)
    assert left_out == np.isnan(X).sum()
    propagating = HistogramCalibrator(missing="propagate")
    fitted = CalibratedClassifier(Fixed(), propagating, **way).fit(X, y)
    probabilities = fitted.predict_proba(X)
    np.testing.assert_array_equal(np.isnan(probabilities), np.repeat(np.isnan(X), 2, axis=1))
    with pytest.raises(DataError, match="has no class to predict"):
        fitted.predict(X)


def test_an_ensemble_skips_folds_whose_class_has_no_scores():
    X, y = np.linspace(0, 1, 24)[:, None], np.tile([0, 1], 12)
    X[1:12:2] = np.nan  # every positive of the first fold
    folds = [(np.arange(12, 24), np.arange(12)), (np.arange(12), np.arange(12, 24))]
    calibrator = HistogramCalibrator(missing="drop")
    with pytest.warns(UserWarning, match="left out of the ensemble: 1 of 2"):
        fitted = CalibratedClassifier(Fixed(), calibrator, cv=folds, ensemble=True).fit(X, y)
    assert len(fitted.calibrators_) == 1


def test_equal_probabilities_go_to_the_first_class():
    X, y = np.full((8, 1), 0.3), np.tile(["a", "b"], 4)
    fitted = CalibratedClassifier(Fixed(classes=("a", "b")), cv="same").fit(X, y)
    assert set(fitted.predict(X)) == {"a"}


BAD_LABELS = {
    "one": ([1] * 12, "one class only, 1"),
    "one string": (["a"] * 12, "one class only, 'a'"),
    "missing": ([0.0, 1.0, np.nan] * 4, "nan at position 2 is missing"),
    "absent": (np.array(["a", "b", None] * 4, dtype=object), "None at position 2 is missing"),
    "NA": (pd.Series(["a", pd.NA, "b"] * 4), "position 1 is missing"),
    "infinite": ([0.0, np.inf] * 6, "inf at position 1 is infinite"),
    "continuous": (np.linspace(0, 1, 12), "y: 0.0909.* at position 1 .*label type: continuous"),
    "a list of shares": ([0.0, 0.25] * 6, r"y: 0\.25 at position 1 .*label type: continuous"),
    "beyond whole numbers": ([1.0, 1e300] * 6, r"y: 1e\+300 at position 1 is too large"),
    "one-hot": (np.eye(2)[[0, 1] * 6], r"y should be a 1d array, .* \(12, 2\); .*argmax\(axis=1\)"),
    "one-hot frame": (pd.DataFrame(np.eye(2)[[0, 1] * 6]), r"y should .* shape \(12, 2\); one"),
    "one-hot list": ([[0, 1], [1, 0]] * 6, "y has two columns"),
    "no dimension": (np.array(1), r"y should be a 1d array, got an array of shape \(\)"),
    "three dimensions": (np.zeros((12, 1, 1)), r"y should be .* shape \(12, 1, 1\)"),
    "bytes": (np.array([b"a", b"b"] * 6), "y: b'a' at position 0 is of type bytes; labels are"),
    "bytes as objects": ([b"a", b"b"] * 6, "y: b'a' at position 0 is of type bytes; labels are"),
    "complex": (
        np.array([0, 1j] * 6),
        "y: 0j at position 0 is of type complex; Complex data not supported, labels",
    ),
    "complex as objects": (np.array([0, 1j] * 6, object), "y: 0j at position 0 is of type complex"),
    "records": (np.zeros(12, [("a", int)]), r"y: \(0,\) at position 0 is of type tuple; labels"),
    "short": ([0, 1], "X has 12, y has 2"),
    "none": (None, "target y is None"),
    "mixed": (["a", 1] * 6, "labels of several kinds"),
    "half missing": (np.array([1, 0, None] * 4, dtype=object), "None at position 2 is missing"),
}


@pytest.mark.parametrize(("labels", "reason"), BAD_LABELS.values(), ids=BAD_LABELS)
def test_labels_that_will_not_do(labels, reason):
    with pytest.raises(DataError, match=reason):
        CalibratedClassifier(Fixed(), cv="same").fit(np.zeros((12, 1)), labels)
