"""Measures as scikit-learn's scorers."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate

from truing import PlattCalibrator
from truing.measures import (
    accuracy,
    brier_score,
    classwise_calibration_error,
    evaluate,
    expected_calibration_error,
    log_loss,
    roc_auc,
)
from truing.measures.evaluation import TITLES

MEASURES = list(TITLES)
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda f: f.__name__)


def as_scorer(measure, **options):
    return make_scorer(measure, response_method="predict_proba", **options)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(300, 3))
    labels = np.where(features[:, 0] + rng.normal(size=300) > 0.3, "sick", "healthy")
    return features, labels, rng.integers(1, 4, 300)


@pytest.fixture(scope="module")
def model(data):
    return LogisticRegression().fit(data[0], data[1])


@pytest.mark.parametrize("measure", [*MEASURES, evaluate], ids=lambda f: f.__name__)
def test_how_to_make_a_scorer_is_told(measure):
    scored = brier_score if measure is evaluate else measure
    told = " ".join(measure.__doc__.split())
    call = f'make_scorer({scored.__name__}, response_method="predict_proba"'
    assert f"``{call}" in told
    assert (f"{call}, greater_is_better=False)``" in told) == (scored not in (roc_auc, accuracy))


@every_measure
@pytest.mark.parametrize("weighted", [False, True])
def test_a_scorer_says_what_the_measure_says(measure, weighted, data, model):
    features, labels, weights = data
    weights = weights if weighted else None
    told = model.predict_proba(features)[:, 1]  # classes are in order: "sick" is the second
    found = as_scorer(measure)(model, features, labels, sample_weight=weights)
    assert found == measure(labels, told, sample_weight=weights)


@every_measure
def test_a_scorer_of_the_other_class(measure, data, model):
    features, labels, _ = data
    told = model.predict_proba(features)[:, 0]
    found = as_scorer(measure, pos_label="healthy")(model, features, labels)
    assert found == measure(labels == "healthy", told)


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (brier_score, "neg_brier_score"),
        (log_loss, "neg_log_loss"),
        (roc_auc, "roc_auc"),
        (accuracy, "accuracy"),
    ],
)
def test_scores_are_those_of_scikit_learns_scorers(measure, name, data):
    ours = as_scorer(measure, greater_is_better=not name.startswith("neg_"))
    features, labels, weights = data
    labels = labels == "sick"  # scikit-learn's Brier score takes no strings without pos_label
    model = LogisticRegression().fit(features, labels)
    other = get_scorer(name)(model, features, labels, sample_weight=weights)
    found = ours(model, features, labels, sample_weight=weights)
    assert found == pytest.approx(other, rel=1e-12)


@every_measure
@pytest.mark.parametrize("container", [np.asarray, pd.Series, list])
def test_cross_validation(measure, container, data):
    features, labels, _ = data
    folds = StratifiedKFold(4)
    found = cross_val_score(
        LogisticRegression(), features, container(labels), scoring=as_scorer(measure), cv=folds
    )
    for score, (train, test) in zip(found, folds.split(features, labels), strict=True):
        model = LogisticRegression().fit(features[train], labels[train])
        assert score == measure(labels[test], model.predict_proba(features[test])[:, 1])


def test_weights_are_routed_to_scorers(data):
    features, labels, weights = data
    folds = StratifiedKFold(3)
    with config_context(enable_metadata_routing=True):
        scorers = {f.__name__: as_scorer(f).set_score_request(sample_weight=True) for f in MEASURES}
        found = cross_validate(
            LogisticRegression().set_fit_request(sample_weight=True),
            features,
            labels,
            scoring=scorers,
            cv=folds,
            params={"sample_weight": weights},
        )
    for k, (train, test) in enumerate(folds.split(features, labels)):
        model = LogisticRegression().fit(features[train], labels[train], weights[train])
        told = model.predict_proba(features[test])[:, 1]
        for measure in MEASURES:
            expected = measure(labels[test], told, sample_weight=weights[test])
            assert found[f"test_{measure.__name__}"][k] == expected


@pytest.mark.parametrize("options", [{}, {"n_bins": 5, "strategy": "uniform"}])
def test_grid_search_for_the_smallest_error(options, data):
    features, labels, _ = data
    least = as_scorer(expected_calibration_error, greater_is_better=False, **options)
    search = GridSearchCV(LogisticRegression(), {"C": [1e-3, 1.0]}, scoring=least, cv=3)
    search.fit(features, labels)
    assert search.best_params_ == {"C": 1.0}
    assert (search.cv_results_["mean_test_score"] < 0).all()


def test_grid_search_by_several_measures_refits_by_one(data):
    features, labels, _ = data
    scorers = {
        "ece": as_scorer(expected_calibration_error, greater_is_better=False),
        "auc": as_scorer(roc_auc),
    }
    search = GridSearchCV(
        LogisticRegression(), {"C": [1e-3, 1.0]}, scoring=scorers, refit="auc", cv=3
    )
    search.fit(features, labels)
    assert {"mean_test_ece", "mean_test_auc"} <= set(search.cv_results_)


def test_a_calibrator_is_scored_like_a_classifier(data, model):
    features, labels, _ = data
    told = model.predict_proba(features)[:, 1]
    found = cross_val_score(PlattCalibrator(), told, labels, scoring=as_scorer(brier_score), cv=3)
    assert (found < 0.25).all()


def test_more_than_two_classes_are_scored_or_refused_by_name(data):
    features = data[0]
    labels = np.arange(300) % 3
    model = LogisticRegression().fit(features, labels)
    for measure in (brier_score, log_loss, classwise_calibration_error):
        assert as_scorer(measure)(model, features, labels) == measure(
            labels, model.predict_proba(features)
        )
    with pytest.raises(ValueError, match=r"y_true|y_prob"):
        as_scorer(expected_calibration_error)(model, features, labels)
