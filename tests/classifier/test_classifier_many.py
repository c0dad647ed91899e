"""More than two classes, in every way; several labels at a time."""

# ruff: noqa: N803, N806 - X is scikit-learn's name

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import (
    load_digits,
    load_iris,
    make_classification,
    make_multilabel_classification,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_predict,
    train_test_split,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import get_tags

from truing import (
    CalibratedClassifier,
    DataError,
    DirichletCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    MixtureCalibrator,
    OneVsRestCalibrator,
    OptionError,
    PlattCalibrator,
    TemperatureScalingCalibrator,
    TopLabelCalibrator,
    VectorScalingCalibrator,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*The score separates the classes")

NAMES = np.array(["ant", "bee", "cow", "dog"])
WAYS = [
    {"cv": 3},
    {"cv": 3, "ensemble": False},
    {"cv": 3, "ensemble": True},
    {"cv": "partition", "random_state": 0},
    {"cv": "same"},
]


@pytest.fixture(scope="module")
def data():
    return make_classification(
        400, n_informative=4, n_classes=4, flip_y=0.1, class_sep=0.8, random_state=3
    )


def pooled_by_hand(model, calibrator, X, y, folds):
    scores, labels = [], []
    for train, test in folds:
        scores.append(clone(model).fit(X[train], y[train]).predict_proba(X[test]))
        labels.append(y[test])
    calibrator = clone(calibrator).fit(np.concatenate(scores), np.concatenate(labels))
    return calibrator.predict_proba(clone(model).fit(X, y).predict_proba(X))


@pytest.mark.parametrize(
    "calibrator",
    [VectorScalingCalibrator(), OneVsRestCalibrator(IsotonicCalibrator()), TopLabelCalibrator()],
    ids=lambda calibrator: type(calibrator).__name__,
)
def test_pooled_folds(data, calibrator):
    X, y = data
    fitted = CalibratedClassifier(GaussianNB(), calibrator, cv=4, ensemble=False).fit(X, y)
    assert isinstance(fitted.estimator_, GaussianNB)
    expected = pooled_by_hand(GaussianNB(), calibrator, X, y, StratifiedKFold(4).split(X, y))
    np.testing.assert_allclose(fitted.predict_proba(X), expected, rtol=1e-9)


@pytest.mark.parametrize("ensemble", [None, "pooled"])
@pytest.mark.parametrize("classes", [2, 4])
def test_a_pooled_ensemble(data, ensemble, classes):
    rows = data[1] < classes
    X, y = data[0][rows], data[1][rows]
    calibrator = TemperatureScalingCalibrator()
    fitted = CalibratedClassifier(GaussianNB(), calibrator, cv=3, ensemble=ensemble).fit(X, y)
    scores, models = np.empty((len(y), classes)), []
    for train, test in StratifiedKFold(3).split(X, y):
        models.append(GaussianNB().fit(X[train], y[train]))
        scores[test] = models[-1].predict_proba(X[test])
    pooled = clone(calibrator).fit(scores, y)
    of_all = pooled.transform(GaussianNB().fit(X, y).predict_proba(X))
    of_folds = np.mean([pooled.transform(model.predict_proba(X)) for model in models], axis=0)
    kept = classes > 2 or ensemble == "pooled"
    expected = 0.5 * (of_all + of_folds) if kept else of_all
    np.testing.assert_allclose(fitted.predict_proba(X), expected, rtol=1e-9)
    assert len(fitted.estimators_) == (4 if kept else 1)
    assert fitted.calibrator_.temperature_ == pytest.approx(pooled.temperature_)
    if kept:
        with pytest.raises(AttributeError, match="this ensemble has 4"):
            _ = fitted.estimator_


def test_a_pooled_ensemble_of_two_classes_and_one_score(data):
    rows = data[1] < 2
    X, y = data[0][rows], data[1][rows]
    fitted = CalibratedClassifier(GaussianNB(), PlattCalibrator(), cv=3, ensemble="pooled")
    single = CalibratedClassifier(GaussianNB(), PlattCalibrator(), cv=3)
    told, alone = fitted.fit(X, y).predict_proba(X), single.fit(X, y).predict_proba(X)
    assert fitted.calibrator_.map_ == single.calibrator_.map_
    answers = [
        single.calibrator_.predict_proba(model.predict_proba(X)[:, 1])
        for model in fitted.estimators_[1:]
    ]
    np.testing.assert_allclose(told, 0.5 * (alone + np.mean(answers, axis=0)), rtol=1e-9)


def test_many_folds_keep_no_models_unless_asked_to(data):
    X, y = data
    classifier = CalibratedClassifier(GaussianNB(), TemperatureScalingCalibrator(), cv=11)
    assert len(classifier.fit(X, y).estimators_) == 1
    assert len(classifier.set_params(ensemble="pooled").fit(X, y).estimators_) == 12


def test_an_ensemble_is_the_mean_over_folds(data):
    X, y = data
    fitted = CalibratedClassifier(
        GaussianNB(), TemperatureScalingCalibrator(), cv=3, ensemble=True
    ).fit(X, y)
    answers = []
    for train, test in StratifiedKFold(3).split(X, y):
        model = GaussianNB().fit(X[train], y[train])
        fold = TemperatureScalingCalibrator().fit(model.predict_proba(X[test]), y[test])
        answers.append(fold.transform(model.predict_proba(X)))
    np.testing.assert_allclose(fitted.predict_proba(X), np.mean(answers, axis=0), rtol=1e-9)
    assert len(fitted.calibrators_) == 3


def test_a_partition(data):
    X, y = data
    fitted = CalibratedClassifier(GaussianNB(), cv="partition", random_state=7).fit(X, y)
    [(train, test)] = StratifiedShuffleSplit(1, test_size=0.25, random_state=7).split(X, y)
    model = GaussianNB().fit(X[train], y[train])
    calibrator = clone(fitted.calibrator_).fit(model.predict_proba(X[test]), y[test])
    expected = calibrator.predict_proba(model.predict_proba(X))
    np.testing.assert_allclose(fitted.predict_proba(X), expected, rtol=1e-9)


@pytest.mark.parametrize(
    "calibrator",
    [HistogramCalibrator(), KernelCalibrator(), MixtureCalibrator(), PlattCalibrator()],
)
def test_calibrators_of_one_score_are_used_class_by_class(data, calibrator):
    X, y = data
    fitted = CalibratedClassifier(GaussianNB(), calibrator, cv=3).fit(X, y)
    each = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator(calibrator), cv=3).fit(X, y)
    np.testing.assert_array_equal(fitted.predict_proba(X), each.predict_proba(X))
    assert len(fitted.calibrator_.calibrators_) == 4


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("calibrator", [None, HistogramCalibrator(), DirichletCalibrator()])
def test_labels_are_strings_in_any_container(data, way, calibrator):
    X, y = data
    plain = CalibratedClassifier(GaussianNB(), calibrator, **way).fit(X, y)
    for labels in (NAMES[y], NAMES[y].tolist(), pd.Series(NAMES[y], dtype="category")):
        fitted = CalibratedClassifier(GaussianNB(), calibrator, **way).fit(X, labels)
        assert fitted.classes_.tolist() == NAMES.tolist()
        np.testing.assert_array_equal(fitted.predict_proba(X), plain.predict_proba(X))
        np.testing.assert_array_equal(fitted.predict(X), NAMES[plain.predict(X)])
    np.testing.assert_allclose(plain.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("model", [LinearSVC(), SVC(), LogisticRegression()], ids=repr)
def test_margins(data, model):
    X, y = data
    way = {"cv": 3, "response_method": "decision_function"}
    fitted = CalibratedClassifier(model, **way).fit(X[:300], y[:300])
    assert not fitted.calibrator_.map_.reading.probabilities
    assert log_loss(y[300:], fitted.predict_proba(X[300:])) < 0.95 * np.log(4)


def test_margins_of_pairs_are_refused(data):
    with pytest.raises(DataError, match=r"decision_function gave the shape \(134, 6\); a column"):
        CalibratedClassifier(SVC(decision_function_shape="ovo"), cv=3).fit(*data)


def test_two_classes_and_a_calibrator_of_many(data):
    X, y = data
    two = y < 2
    for model in (GaussianNB(), LinearSVC()):
        fitted = CalibratedClassifier(model, TemperatureScalingCalibrator(), cv=3)
        probabilities = fitted.fit(X[two], NAMES[y[two]]).predict_proba(X)
        assert probabilities.shape == (400, 2)
        assert fitted.calibrator_.classes_.tolist() == ["ant", "bee"]
    margins = clone(model).fit(X[two], y[two]).decision_function(X)
    slope = 1 / fitted.calibrator_.temperature_
    np.testing.assert_allclose(probabilities[:, 1], 1 / (1 + np.exp(-slope * margins)), rtol=1e-6)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("calibrator", [None, IsotonicCalibrator(), TopLabelCalibrator()])
@pytest.mark.filterwarnings("ignore:Cases left out", "ignore:The least populated class")
@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC()], ids=repr)
def test_a_class_with_a_single_case(data, way, calibrator, model):
    X, y = data
    y = np.where(np.arange(len(y)) == 17, 4, y)
    fitted = CalibratedClassifier(model, calibrator, **way).fit(X, y)
    probabilities = fitted.predict_proba(X)
    assert probabilities.shape == (400, 5)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-9)
    if not isinstance(calibrator, TopLabelCalibrator):  # it sees no single class
        assert probabilities[np.arange(400) != 17, 4].mean() < 0.05


def test_cases_of_a_class_that_their_model_never_saw_are_left_out(data):
    X, y = data
    y = np.where(np.arange(len(y)) == 17, 4, y)
    with pytest.warns(UserWarning, match="left out of the calibration: 1. The models") as told:
        fitted = CalibratedClassifier(GaussianNB(), cv=3).fit(X, y)
    assert told[0].filename == __file__
    assert fitted.calibrator_.totals_.tolist() == [*np.bincount(y)[:4], 0]


@pytest.mark.filterwarnings("ignore:Cases left out")
def test_leave_one_out_of_classes_with_single_cases():
    X, y = load_iris(return_X_y=True)
    few = np.r_[0:12, 50:62, 100]
    fitted = CalibratedClassifier(GaussianNB(), cv="leave-one-out").fit(X[few], y[few])
    assert fitted.calibrator_.totals_.tolist() == [12, 12, 0]


def test_a_fitted_model_that_knows_more_classes(data):
    X, y = data
    model = GaussianNB().fit(X[:200], NAMES[y[:200]])
    seen = np.flatnonzero(y != 1)
    for classifier in (
        CalibratedClassifier(model, cv="prefit"),
        CalibratedClassifier(FrozenEstimator(model)),
    ):
        fitted = classifier.fit(X[seen], NAMES[y[seen]])
        assert fitted.classes_.tolist() == NAMES.tolist()
        assert fitted.predict_proba(X).shape == (400, 4)
    two = np.flatnonzero(y < 2)
    fitted = CalibratedClassifier(model, IsotonicCalibrator(), cv="prefit")
    assert fitted.fit(X[two], NAMES[y[two]]).predict_proba(X)[:, 2:].max() < 1 / (len(two) + 1)


def test_a_model_that_knows_fewer_classes(data):
    X, y = data
    model = GaussianNB().fit(X[y < 3], y[y < 3])
    fitted = CalibratedClassifier(model, cv="prefit").fit(X, y)
    assert fitted.predict_proba(X).shape == (400, 4)
    with pytest.raises(DataError, match=r"y holds the classes .* knows"):
        CalibratedClassifier(model, cv="prefit").fit(X, y + 1)


class Rows(ClassifierMixin, BaseEstimator):
    """Answers what X holds."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)


def test_rows_that_do_not_add_up_to_one():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 3)), np.tile([0, 1, 2], 20)
    X[0] = 0.0
    fitted = CalibratedClassifier(Rows(), TemperatureScalingCalibrator(), cv="same").fit(X, y)
    even = X / np.maximum(X.sum(axis=1, keepdims=True), 1e-9)
    even[0] = 1 / 3
    plain = TemperatureScalingCalibrator().fit(even, y)
    np.testing.assert_allclose(fitted.predict_proba(X), plain.transform(even), rtol=1e-9)
    X[1, 1] = 1.5
    with pytest.raises(DataError, match=r"predict_proba: 1\.5 .* is outside \[0, 1\]"):
        CalibratedClassifier(Rows(), cv="same").fit(X, y)


@pytest.mark.parametrize("calibrator", [None, HistogramCalibrator(), VectorScalingCalibrator()])
def test_missing_scores(calibrator):
    rng = np.random.default_rng(0)
    X, y = rng.dirichlet(np.ones(3), 90), np.tile([0, 1, 2], 30)
    X[::9, 1] = np.nan
    with pytest.raises(DataError, match=r"predict_proba|scores, column 1"):
        CalibratedClassifier(Rows(), calibrator, cv=2).fit(X, y)
    if calibrator is None:
        return
    for missing in ("drop", "propagate"):
        careful = clone(calibrator).set_params(missing=missing)
        fitted = CalibratedClassifier(Rows(), careful, cv=2).fit(X, y)
        assert fitted.calibrator_.left_out_ == {"missing": 10}
    answer = fitted.predict_proba(X)
    np.testing.assert_array_equal(np.isnan(answer).all(axis=1), np.isnan(X).any(axis=1))


def test_weights_are_rows(data):
    X, y = data
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    model = GaussianNB().fit(X, y)
    weighted = CalibratedClassifier(model, cv="prefit").fit(X, y, sample_weight=weight)
    repeated = CalibratedClassifier(model, cv="prefit")
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_weights_of_one_class_alone_are_refused(data):
    X, y = data
    with pytest.raises(DataError, match="every case of all classes but one"):
        CalibratedClassifier(GaussianNB()).fit(X, y, sample_weight=(y == 2).astype(float))


def test_options_for_two_classes_are_refused(data):
    for calibrator, reason in (
        (PlattCalibrator(pos_label=1), "pos_label is 1; it is for two classes"),
        (PlattCalibrator(prior=0.2), r"prior is 0.2; .* OneVsRestCalibrator\(..., prior="),
        (VectorScalingCalibrator(classes=[0, 1, 2]), "The calibrator's classes"),
        ("vector", "it must be a calibrator"),
    ):
        with pytest.raises(OptionError, match=reason):
            CalibratedClassifier(GaussianNB(), calibrator).fit(*data)


def test_a_prior_for_many(data):
    X, y = data
    prior = [0.7, 0.1, 0.1, 0.1]
    classifier = CalibratedClassifier(GaussianNB(), VectorScalingCalibrator(prior=prior))
    told = classifier.fit(X, y).predict_proba(X).mean(axis=0)
    assert told[0] > 0.5


def test_in_company(data):
    X, y = data
    classifier = CalibratedClassifier(
        GaussianNB(), OneVsRestCalibrator(HistogramCalibrator()), cv=3
    )
    grid = {"calibrator__calibrator__n_bins": [2, 5], "calibrator__coupling": ["pairwise"]}
    search = GridSearchCV(classifier, grid, scoring="neg_brier_score", cv=2, error_score="raise")
    assert search.fit(X, y).best_estimator_.calibrator_.coupling == "pairwise"
    predicted = cross_val_predict(CalibratedClassifier(GaussianNB(), cv=3), X, y, cv=2)
    assert (predicted == y).mean() > 0.4
    fitted = CalibratedClassifier(GaussianNB(), cv=3).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert get_tags(fitted).classifier_tags.multi_class


@pytest.mark.parametrize(
    "model", [GaussianNB(), RandomForestClassifier(20, random_state=0), LinearSVC()], ids=repr
)
def test_several_labels_at_a_time(model):
    X, Y = make_multilabel_classification(300, n_classes=3, random_state=1)
    several = MultiOutputClassifier(CalibratedClassifier(model, IsotonicCalibrator(), cv=3))
    answers = several.fit(X, Y).predict_proba(X)
    for label, answer in enumerate(answers):
        alone = CalibratedClassifier(model, IsotonicCalibrator(), cv=3).fit(X, Y[:, label])
        np.testing.assert_array_equal(answer, alone.predict_proba(X))
    with pytest.raises(DataError, match="one label for each case"):
        CalibratedClassifier(model).fit(X, Y)


@pytest.mark.parametrize("model", [GaussianNB(), LogisticRegression(max_iter=300)], ids=repr)
def test_digits_are_told_better_than_by_scikit_learn(model):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    rows, others, known, truth = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    ours = CalibratedClassifier(model, cv=5).fit(rows, known).predict_proba(others)
    for method in ("isotonic", "sigmoid", "temperature"):
        theirs = CalibratedClassifierCV(model, method=method, cv=5).fit(rows, known)
        assert log_loss(truth, ours) < log_loss(truth, theirs.predict_proba(others))
