"""Every way to calibration data, against the same done by hand."""

# ruff: noqa: N803, N806 - X is scikit-learn's name

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC

from truing import (
    BlendCalibrator,
    CalibratedClassifier,
    HistogramCalibrator,
    IsotonicCalibrator,
    PlattCalibrator,
)

CALIBRATORS = [HistogramCalibrator(n_bins=6), IsotonicCalibrator(), PlattCalibrator()]


@pytest.fixture(scope="module")
def data():
    return make_classification(240, n_informative=3, flip_y=0.2, class_sep=0.6, random_state=1)


def pooled_by_hand(model, calibrator, X, y, folds):
    scores, labels = [], []
    for train, test in folds:
        fitted = clone(model).fit(X[train], y[train])
        scores.append(fitted.predict_proba(X[test])[:, 1])
        labels.append(y[test])
    calibrator = clone(calibrator).fit(np.concatenate(scores), np.concatenate(labels))
    return calibrator.predict_proba(clone(model).fit(X, y).predict_proba(X)[:, 1])


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize(
    ("cv", "splitter"),
    [
        (4, StratifiedKFold(4)),
        (None, StratifiedKFold(5)),
        (np.int64(3), StratifiedKFold(3)),
        (TimeSeriesSplit(4), TimeSeriesSplit(4)),
        (KFold(3, shuffle=True, random_state=0),) * 2,
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),) * 2,
        (ShuffleSplit(3, random_state=0),) * 2,
    ],
    ids=str,
)
def test_pooled_folds(data, calibrator, cv, splitter):
    X, y = data
    fitted = CalibratedClassifier(GaussianNB(), calibrator, cv=cv).fit(X, y)
    expected = pooled_by_hand(GaussianNB(), calibrator, X, y, splitter.split(X, y))
    np.testing.assert_array_equal(fitted.predict_proba(X), expected)


@pytest.mark.parametrize("cv", ["leave-one-out", LeaveOneOut()], ids=str)
def test_leave_one_out(data, cv):
    X, y = data[0][:60], data[1][:60]
    fitted = CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=cv).fit(X, y)
    folds = LeaveOneOut().split(X)
    expected = pooled_by_hand(GaussianNB(), IsotonicCalibrator(), X, y, folds)
    np.testing.assert_array_equal(fitted.predict_proba(X), expected)


@pytest.mark.parametrize("masks", [False, True])
def test_pairs_of_rows_or_masks(data, masks):
    X, y = data
    folds = list(StratifiedKFold(3).split(X, y))
    rows = np.arange(len(y))
    given = [tuple(np.isin(rows, part) for part in fold) for fold in folds] if masks else folds
    fitted = CalibratedClassifier(GaussianNB(), cv=given).fit(X, y)
    expected = CalibratedClassifier(GaussianNB(), cv=3).fit(X, y)
    np.testing.assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))


def test_rows_tested_twice_count_twice(data):
    X, y = data
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    assert CalibratedClassifier(GaussianNB(), cv=cv).fit(X, y).calibrator_.table_.total == 480


def test_rows_never_tested_give_no_evidence(data):
    X, y = data
    fitted = CalibratedClassifier(GaussianNB(), cv=TimeSeriesSplit(5)).fit(X, y)
    assert fitted.calibrator_.table_.total == 200


def test_groups_without_routing(data):
    X, y = data
    groups = np.arange(len(y)) // 10
    cv = GroupKFold(4)
    fitted = CalibratedClassifier(GaussianNB(), cv=cv).fit(X, y, groups=groups)
    folds = cv.split(X, y, groups)
    expected = pooled_by_hand(GaussianNB(), BlendCalibrator(), X, y, folds)
    np.testing.assert_array_equal(fitted.predict_proba(X), expected)


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=lambda c: type(c).__name__)
def test_ensemble_is_the_mean_over_folds(data, calibrator):
    X, y = data
    fitted = CalibratedClassifier(GaussianNB(), calibrator, cv=3, ensemble=True).fit(X, y)
    answers = []
    for train, test in StratifiedKFold(3).split(X, y):
        model = GaussianNB().fit(X[train], y[train])
        fold = clone(calibrator).fit(model.predict_proba(X[test])[:, 1], y[test])
        answers.append(fold.transform(model.predict_proba(X)[:, 1]))
    np.testing.assert_array_equal(fitted.predict_proba(X)[:, 1], np.mean(answers, axis=0))
    assert len(fitted.estimators_) == len(fitted.calibrators_) == 3
    with pytest.raises(AttributeError, match="this ensemble has 3: see estimators_"):
        _ = fitted.estimator_
    assert not hasattr(fitted, "calibrator_")


def test_same_data(data):
    X, y = data
    fitted = CalibratedClassifier(GaussianNB(), cv="same").fit(X, y)
    scores = GaussianNB().fit(X, y).predict_proba(X)[:, 1]
    expected = BlendCalibrator().fit(scores, y).predict_proba(scores)
    np.testing.assert_array_equal(fitted.predict_proba(X), expected)


def test_partition(data):
    X, y = data
    classifier = CalibratedClassifier(
        GaussianNB(), cv="partition", calibration_size=0.4, random_state=7
    ).fit(X, y)
    [(train, test)] = StratifiedShuffleSplit(1, test_size=0.4, random_state=7).split(X, y)
    model = GaussianNB().fit(X[train], y[train])
    calibrator = BlendCalibrator().fit(model.predict_proba(X[test])[:, 1], y[test])
    expected = calibrator.predict_proba(model.predict_proba(X)[:, 1])
    np.testing.assert_array_equal(classifier.predict_proba(X), expected)


@pytest.mark.parametrize("frozen", [False, True])
def test_prefit_leaves_the_model_alone(data, frozen):
    X, y = data
    model = GaussianNB().fit(X[:120], y[:120])
    before = model.theta_.copy()
    classifier = (
        CalibratedClassifier(FrozenEstimator(model))
        if frozen
        else CalibratedClassifier(model, cv="prefit")
    ).fit(X[120:], y[120:])
    assert classifier.estimator_ is classifier.estimator
    np.testing.assert_array_equal(model.theta_, before)
    scores = model.predict_proba(X)[:, 1]
    expected = BlendCalibrator().fit(scores[120:], y[120:]).predict_proba(scores)
    np.testing.assert_array_equal(classifier.predict_proba(X), expected)


def test_fits_are_the_same_in_parallel(data):
    X, y = data
    for ensemble in (False, True):
        one = CalibratedClassifier(GaussianNB(), cv=3, ensemble=ensemble)
        two = clone(one).set_params(n_jobs=2)
        np.testing.assert_array_equal(
            one.fit(X, y).predict_proba(X), two.fit(X, y).predict_proba(X)
        )


@pytest.mark.parametrize("response_method", ["auto", "decision_function"])
def test_margins(data, response_method):
    X, y = data
    model = LinearSVC() if response_method == "auto" else LogisticRegression()
    fitted = CalibratedClassifier(model, cv="same", response_method=response_method).fit(X, y)
    margins = clone(model).fit(X, y).decision_function(X)
    expected = BlendCalibrator().fit(margins, y).predict_proba(margins)
    np.testing.assert_array_equal(fitted.predict_proba(X), expected)


def test_precomputed_kernels_are_cut_both_ways(data):
    X, y = data
    kernel = X @ X.T
    fitted = CalibratedClassifier(SVC(kernel="precomputed"), cv=3).fit(kernel, y)
    plain = CalibratedClassifier(SVC(kernel="linear"), cv=3).fit(X, y)
    np.testing.assert_allclose(fitted.predict_proba(kernel), plain.predict_proba(X), rtol=1e-3)


def test_margins_that_lie_in_the_unit_interval_are_still_margins(data):
    X, y = data
    model = LinearSVC(C=1e-3).fit(X, y)
    margins = model.decision_function(X)
    within = (margins > 0) & (margins < 1)
    fitted = CalibratedClassifier(model, cv="prefit").fit(X[within], y[within])
    assert fitted.calibrator_.map_.scale.kind == "score"
    assert np.isfinite(fitted.predict_proba(X)).all()
    ours = CalibratedClassifier(model, BlendCalibrator(scale="score"), cv="prefit")
    expected = ours.fit(X[within], y[within]).predict_proba(X)
    np.testing.assert_array_equal(fitted.predict_proba(X), expected)
