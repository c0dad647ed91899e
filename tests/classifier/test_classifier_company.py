"""Inside and around what else scikit-learn offers."""

# ruff: noqa: N806 - X is scikit-learn's name

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from truing import CalibratedClassifier, HistogramCalibrator, PlattCalibrator


@pytest.fixture(scope="module")
def data():
    return make_classification(150, flip_y=0.2, class_sep=0.6, random_state=4)


def test_a_search_over_nested_options(data):
    classifier = CalibratedClassifier(LogisticRegression(), HistogramCalibrator(), cv=3)
    grid = {
        "estimator__C": [0.1, 1.0],
        "calibrator__n_bins": [2, 5],
        "calibrator": [HistogramCalibrator()],
    }
    search = GridSearchCV(classifier, grid, scoring="neg_log_loss", cv=3, error_score="raise")
    search.fit(*data)
    best = search.best_estimator_
    assert len(best.calibrator_.map_.values) == search.best_params_["calibrator__n_bins"]
    assert search.best_params_["estimator__C"] == best.estimator_.C


def test_options_are_not_touched_by_a_fit(data):
    model, calibrator = GaussianNB(), PlattCalibrator()
    fitted = CalibratedClassifier(model, calibrator, cv=3).fit(*data)
    assert fitted.estimator is model
    assert not hasattr(model, "classes_")
    assert not hasattr(calibrator, "map_")


def test_around_and_inside_pipelines(data):
    X, y = data
    around = CalibratedClassifier(make_pipeline(StandardScaler(), GaussianNB()), cv=3).fit(X, y)
    inside = make_pipeline(StandardScaler(), CalibratedClassifier(GaussianNB(), cv=3)).fit(X, y)
    np.testing.assert_allclose(around.predict_proba(X), inside.predict_proba(X), rtol=1e-6)
    assert around.set_params(estimator__gaussiannb__var_smoothing=1e-3).fit(X, y)


def test_frames_inside_a_pipeline(data):
    X = pd.DataFrame(data[0]).add_prefix("x")
    pipeline = make_pipeline(
        StandardScaler().set_output(transform="pandas"), CalibratedClassifier(GaussianNB(), cv=3)
    ).fit(X, data[1])
    assert pipeline[-1].feature_names_in_.tolist() == X.columns.tolist()
    assert isinstance(pipeline.predict_proba(X), np.ndarray)


def test_cross_val_predict(data):
    X, y = data
    classifier = CalibratedClassifier(GaussianNB(), cv=3)
    predicted = cross_val_predict(classifier, X, y, cv=2, method="predict_proba")
    for train, test in StratifiedKFold(2).split(X, y):
        expected = clone(classifier).fit(X[train], y[train]).predict_proba(X[test])
        np.testing.assert_array_equal(predicted[test], expected)


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_brier_score", "accuracy"])
def test_scorers(data, scoring):
    assert np.isfinite(
        cross_val_score(CalibratedClassifier(GaussianNB()), *data, scoring=scoring)
    ).all()


def test_a_threshold_on_top(data):
    tuned = TunedThresholdClassifierCV(CalibratedClassifier(GaussianNB(), cv=3), cv=3).fit(*data)
    assert 0 <= tuned.best_threshold_ <= 1


def test_a_search_keeps_a_frozen_model(data):
    X, y = data
    model = GaussianNB().fit(X[:75], y[:75])
    classifier = CalibratedClassifier(FrozenEstimator(model), HistogramCalibrator())
    search = GridSearchCV(classifier, {"calibrator__n_bins": [2, 4]}, error_score="raise")
    search.fit(X[75:], y[75:])
    assert search.best_estimator_.estimator_.estimator is model


def test_a_search_routes_weights(data):
    X, y = data
    with sklearn.config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True)
        classifier = CalibratedClassifier(model, cv=3).set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        search = GridSearchCV(classifier, {"cv": [2, 3]}, scoring=scorer, error_score="raise")
        search.fit(X, y, sample_weight=np.full(150, 2.0))
    assert search.best_estimator_.calibrator_.table_.total == 300


@pytest.mark.parametrize("ensemble", [False, True])
def test_pickle_and_clone(data, ensemble):
    X, y = data
    fitted = CalibratedClassifier(GaussianNB(), cv=3, ensemble=ensemble).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    copy = clone(fitted)
    assert not hasattr(copy, "classes_")
    np.testing.assert_array_equal(copy.fit(X, y).predict_proba(X), fitted.predict_proba(X))


def test_a_calibrated_classifier_can_be_calibrated(data):
    inner = CalibratedClassifier(GaussianNB(), cv=3)
    assert CalibratedClassifier(inner, HistogramCalibrator(), cv=3).fit(*data).predict(data[0]).size


def test_tags():
    tags = get_tags(CalibratedClassifier(HistGradientBoostingClassifier()))
    assert tags.input_tags.allow_nan
    assert not tags.input_tags.sparse
    assert tags.classifier_tags.multi_class
    assert get_tags(CalibratedClassifier(LogisticRegression())).input_tags.sparse
    assert is_classifier(CalibratedClassifier(GaussianNB()))
