"""Every calibrator behind a one-column front keeps all of scikit-learn's contract."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from found import CALIBRATORS, VARIANTS, name_of, usual
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from truing import HistogramCalibrator, IsotonicCalibrator, PlattCalibrator

pytestmark = pytest.mark.filterwarnings("ignore:The score separates the classes")


class OneColumn(ClassifierMixin, BaseEstimator):
    """Features are projected on the line through the means of the classes, then calibrated."""

    def __init__(self, calibrator):
        self.calibrator = calibrator

    def fit(self, X, y, sample_weight=None):  # noqa: N803 - scikit-learn's name
        rows, y = validate_data(self, X, y)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, rows)
        self.classes_ = np.unique(y)
        if len(self.classes_) > 2:
            raise ValueError("Only binary classification is supported. The type has more classes.")
        means = [
            np.average(rows[y == label], axis=0, weights=weight[y == label])
            if weight[y == label].any()
            else np.zeros(rows.shape[1])
            for label in self.classes_
        ]
        self.direction_ = means[-1] - means[0]
        self.calibrator_ = clone(self.calibrator).fit(self._project(rows), y, sample_weight)
        return self

    def _project(self, rows):
        """Row by row: in a product of matrices, digits of a row depend on the others."""
        return (rows * self.direction_).sum(axis=1)

    def _scores(self, X):  # noqa: N803 - scikit-learn's name
        check_is_fitted(self)
        return self._project(validate_data(self, X, reset=False))

    def predict_proba(self, X):  # noqa: N803 - scikit-learn's name
        scores = self._scores(X)
        return self.calibrator_.predict_proba(scores)

    def predict(self, X):  # noqa: N803 - scikit-learn's name
        scores = self._scores(X)
        return self.calibrator_.predict(scores)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = get_tags(self.calibrator).classifier_tags.poor_score
        return tags


FRONTS = [OneColumn(found) for found in VARIANTS if found._takes_margins]
FRONTS = [front for front in FRONTS if front.calibrator.grid is None]


@parametrize_with_checks(FRONTS)
def test_checks_through_a_front(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # a check skips itself without
    check(estimator)


# Beyond options, clones and pickles, scikit-learn has checks for features only; see the front.
@pytest.mark.filterwarnings("ignore:Can't test estimator")
@pytest.mark.parametrize("calibrator", VARIANTS, ids=name_of)
def test_checks_of_one_dimensional_estimators(calibrator, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # a check skips itself without
    results = check_estimator(clone(calibrator), on_skip=None)
    assert {result["status"] for result in results} == {"passed"}


@pytest.fixture
def rows():
    rng = np.random.default_rng(7)
    score = rng.random(300)
    label = np.where(rng.random(300) < score**2, "yes", "no")
    return score, label


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
def test_labels_columns_and_shapes(found, rows):
    score, label = rows
    fitted = usual(found).fit(score[:, None], label)
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert fitted.transform(score).shape == (300,)
    both = fitted.predict_proba(score)
    assert both.shape == (300, 2)
    assert np.array_equal(both[:, 1], fitted.transform(score))
    assert np.array_equal(fitted.predict(score), fitted.classes_[both.argmax(axis=1)])
    assert fitted.score(score, label) > 0.6


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
def test_grid_search_pipeline_and_cross_validation(found, rows):
    score, label = rows
    proper = make_scorer(brier_score_loss, response_method="predict_proba", greater_is_better=False)
    search = GridSearchCV(usual(found), {"prior": [None, 0.9]}, scoring=proper, cv=3)
    assert search.fit(score, label == "yes").best_params_ == {"prior": None}
    out_of_fold = cross_val_predict(usual(found), score, label, cv=3, method="predict_proba")
    assert np.mean((out_of_fold[:, 1] - (label == "yes")) ** 2) < 0.2
    piped, alone = make_pipeline(usual(found)).fit(score, label), usual(found).fit(score, label)
    assert np.array_equal(piped.predict_proba(score), alone.predict_proba(score))
    assert (cross_val_score(usual(found), score, label, cv=3) > 0.5).all()


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
def test_set_output_gives_a_frame_with_the_index(found, rows):
    score, label = rows
    series = pd.Series(score, index=np.arange(300)[::-1])
    framed = usual(found).set_output(transform="pandas").fit_transform(series.to_frame(), label)
    assert framed.columns.tolist() == ["probability"]
    assert framed.index.equals(series.index)
    assert np.array_equal(framed["probability"], usual(found).fit(score, label).transform(score))


def test_weights_are_routed(rows):
    score, label = rows
    weight = np.arange(300) % 3
    with config_context(enable_metadata_routing=True):
        calibrator = PlattCalibrator().set_fit_request(sample_weight=True)
        piped = make_pipeline(calibrator).fit(score, label, sample_weight=weight)
        requested = calibrator.get_metadata_routing().fit.requests
    assert requested == {"sample_weight": True}
    expected = PlattCalibrator().fit(score, label, weight).transform(score)
    assert np.array_equal(piped.predict_proba(score)[:, 1], expected)


def test_options_are_set_by_name():
    calibrator = HistogramCalibrator(n_bins=4).set_params(strategy="uniform")
    assert clone(calibrator).get_params() == calibrator.get_params()
    assert repr(calibrator) == "HistogramCalibrator(n_bins=4, strategy='uniform')"
    assert "IsotonicCalibrator" in IsotonicCalibrator()._repr_html_()


def test_a_calibrator_follows_a_model(rows):
    score, label = rows
    model = LogisticRegression().fit(score[:, None], label)
    told = model.predict_proba(score[:, None])[:, 1]
    assert IsotonicCalibrator().fit(told, label).score(told, label) > 0.6


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_predictions_are_arrays_whatever_transform_gives(found, container, rows):
    score, label = rows
    plain = usual(found).fit(score, label)
    with config_context(transform_output=container):
        framed = usual(found).fit(score, label)
        assert np.array_equal(framed.predict_proba(score), plain.predict_proba(score))
        assert np.array_equal(framed.predict(score), plain.predict(score))


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
@pytest.mark.parametrize("scoring", ["neg_brier_score", "roc_auc", "neg_log_loss"])
def test_scorers_are_right_whichever_class_is_positive(found, scoring, rows):
    score, label = rows
    plain = cross_val_score(usual(found), score, label == "yes", cv=3, scoring=scoring)
    turned = cross_val_score(
        found(pos_label=False), 1.0 - score, label == "yes", cv=3, scoring=scoring
    )
    np.testing.assert_allclose(turned, plain, rtol=0.2)


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
def test_every_option_is_documented(found):
    told = inspect.cleandoc(found.__doc__)
    options = told[told.index("Parameters\n----------\n") :]
    for name in usual(found).get_params(deep=False):
        assert re.search(rf"^(\w+, )*{name}(, \w+)*$", options, re.MULTILINE), name
