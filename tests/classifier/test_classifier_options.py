"""Options that cannot be, and fits that fail."""

# ruff: noqa: N803 - X is scikit-learn's name

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

import truing
from truing import CalibratedClassifier, DataError, HistogramCalibrator, OptionError

BAD_OPTIONS = {
    "way": ({"cv": "kfold"}, "cv is 'kfold'; it must be a number of folds .*'leave-one-out'"),
    "one fold": ({"cv": 1}, "cv is 1; it must be a number of folds"),
    "true": ({"cv": True}, "cv is True; it must be"),
    "fraction": ({"cv": 2.5}, "cv is 2.5; it must be"),
    "folds": ({"cv": 100}, "cv is 100 folds, more than there are .* 30 of 0 and 30 of 1"),
    "no pairs": ({"cv": [1, 2]}, r"cv holds 1; pairs \(train, test\)"),
    "rows": ({"cv": [([0, 1], [2, 60])]}, r"cv holds \[2, 60\]; row numbers from 0 to 59"),
    "response": ({"response_method": "predict"}, "response_method is 'predict'; .*'auto'"),
    "calibrator": ({"calibrator": "isotonic"}, r"calibrator is 'isotonic'; .*IsotonicCalibrator\("),
    "ensemble": ({"ensemble": "auto"}, "ensemble is 'auto'; it must be True or False"),
    "whole": (
        {"calibration_size": 1.0},
        "calibration_size is 1.0; .* above 0 and below 1",
    ),
    "nothing": ({"calibration_size": 0.0}, "calibration_size is 0.0; it must be a number above"),
    "ensemble, same": ({"ensemble": True, "cv": "same"}, "ensemble is True; that needs folds"),
    "ensemble, part": ({"ensemble": True, "cv": "partition"}, "ensemble is True; .*'partition'"),
    "ensemble, prefit": ({"ensemble": True, "cv": "prefit"}, "ensemble is True; .*'prefit'"),
    "no scores": ({"estimator": KMeans(2), "cv": "same"}, "KMeans has no predict_proba and no dec"),
    "no folds": ({"cv": KFold}, r"cv is <class .*KFold'>; it must be .* a splitter, such as KFold"),
    "ensemble of one": (
        {"ensemble": True, "cv": "leave-one-out"},
        "ensemble is True; with cv='leave-one-out' every fold has one case.* Say ensemble=False",
    ),
    "ensemble of one, split": (
        {"ensemble": True, "cv": LeaveOneOut()},
        r"ensemble is True; with cv=LeaveOneOut\(\) every fold has one case",
    ),
    "no margins": ({"response_method": "decision_function"}, "GaussianNB has no decision_function"),
}
NO_GROUPS = r"fit was given groups; the model is fitted already \(FrozenEstimator\), .* no folds"


@pytest.fixture(scope="module")
def data():
    return make_classification(60, flip_y=0.2, random_state=3)


@pytest.mark.parametrize(("options", "reason"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_options_that_cannot_be(data, options, reason):
    classifier = CalibratedClassifier(**{"estimator": GaussianNB(), **options})
    with pytest.raises(OptionError, match=reason):
        classifier.fit(data[0], np.tile([0, 1], 30))


def test_a_frozen_model_is_no_ensemble(data):
    model = FrozenEstimator(GaussianNB().fit(*data))
    reason = r"ensemble is True; .* fitted already \(FrozenEstimator\), so that there are no folds"
    with pytest.raises(OptionError, match=reason):
        CalibratedClassifier(model, cv=3, ensemble=True).fit(*data)


@pytest.mark.parametrize("cv", [GroupKFold(3), 5, "prefit"], ids=str)
def test_a_frozen_model_takes_no_groups(data, cv):
    model = FrozenEstimator(GaussianNB().fit(*data))
    with pytest.raises(OptionError, match=NO_GROUPS) as refused:
        CalibratedClassifier(model, cv=cv).fit(*data, groups=np.arange(60))
    assert "Bring" not in str(refused.value)


def test_a_frozen_model_takes_no_routed_groups(data):
    model = FrozenEstimator(GaussianNB().fit(*data))
    with config_context(enable_metadata_routing=True):
        classifier = CalibratedClassifier(model, cv=GroupKFold(3))
        with pytest.raises(OptionError, match=NO_GROUPS):
            classifier.fit(*data, groups=np.arange(60))


@pytest.mark.parametrize("cv", ["prefitt", 2.5, True, 1, KFold], ids=str)
def test_an_unknown_way_is_refused_also_of_a_frozen_model(data, cv):
    model = FrozenEstimator(GaussianNB().fit(*data))
    for given in ({}, {"groups": np.arange(60)}):
        with pytest.raises(OptionError, match=r"cv is .*; it must be a number of folds"):
            CalibratedClassifier(model, cv=cv).fit(*data, **given)


@pytest.mark.parametrize("cv", [5, "prefit", "same", "partition"])
@pytest.mark.parametrize("estimator", [None, "nb", 3, {}, GaussianNB], ids=str)
def test_what_is_no_classifier(data, cv, estimator):
    classifier = CalibratedClassifier(estimator, cv=cv)
    reason = r"estimator is .*; it must be a classifier"
    with pytest.raises(OptionError, match=reason) as refused:
        classifier.fit(*data, sample_weight=np.ones(60))
    assert repr(estimator) in str(refused.value)
    assert get_tags(classifier).classifier_tags.multi_class
    assert "CalibratedClassifier" in classifier._repr_html_()


@pytest.mark.parametrize("model", [GaussianNB(), FrozenEstimator(GaussianNB())])
def test_prefit_needs_a_fitted_model(data, model):
    with pytest.raises(NotFittedError, match="cv='prefit' needs a fitted model"):
        CalibratedClassifier(model, cv="prefit").fit(*data)


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_unfitted(data, method):
    with pytest.raises(NotFittedError):
        getattr(CalibratedClassifier(GaussianNB()), method)(data[0])
    assert not hasattr(CalibratedClassifier(GaussianNB()), "estimator_")
    assert not hasattr(CalibratedClassifier(GaussianNB()), "n_features_in_")


@pytest.mark.parametrize("cv", [3, "leave-one-out", "same", "partition", [([0], [1])]], ids=str)
def test_groups_are_never_ignored(data, cv):
    with pytest.raises(OptionError, match=r"fit was given groups; .*GroupKFold"):
        CalibratedClassifier(GaussianNB(), cv=cv).fit(*data, groups=np.arange(60))


def test_a_fitted_model_takes_nothing(data):
    model = GaussianNB().fit(*data)
    with pytest.raises(OptionError, match="fit was given epochs; a fitted model"):
        CalibratedClassifier(model, cv="prefit").fit(*data, epochs=3)


def test_a_positive_label_that_is_none(data):
    calibrator = HistogramCalibrator(pos_label="yes")
    with pytest.raises(DataError, match=r"pos_label is 'yes'; y holds \[0, 1\]"):
        CalibratedClassifier(GaussianNB(), calibrator).fit(*data)


@pytest.mark.parametrize("y", [[0] * 5 + [1], [0, 1, 0, 1]])
def test_parts_that_cannot_be(y):
    with pytest.raises(DataError, match=r"calibration_size=0\.25: y holds . of 0 and . of 1\. The"):
        CalibratedClassifier(GaussianNB(), cv="partition").fit(np.ones((len(y), 1)), y)


class Fragile(ClassifierMixin, BaseEstimator):
    """Breaks when it is fitted to the given number of rows."""

    def __init__(self, rows=None):
        self.rows = rows

    def fit(self, X, y):
        if len(X) == self.rows:
            raise RuntimeError("broken")
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


@pytest.mark.parametrize("rows", [40, 60])
@pytest.mark.parametrize("fitted", [False, True])
def test_a_failing_fit_changes_nothing(data, rows, fitted):
    classifier = CalibratedClassifier(Fragile(), cv=3)
    if fitted:
        classifier.fit(*data)
    before = {name: id(value) for name, value in vars(classifier).items() if name != "estimator"}
    classifier.set_params(estimator=Fragile(rows))
    with pytest.raises(RuntimeError, match="broken"):
        classifier.fit(*data)
    after = {name: id(value) for name, value in vars(classifier).items() if name != "estimator"}
    assert after == before


def test_the_public_name():
    assert truing.CalibratedClassifier is CalibratedClassifier


def test_options_are_seen_before_data():
    with pytest.raises(OptionError, match="cv is 'x'"):
        CalibratedClassifier(GaussianNB(), cv="x").fit(None, None)


def test_a_splitter_needs_its_groups(data):
    with pytest.raises(ValueError, match="groups"):
        CalibratedClassifier(GaussianNB(), cv=GroupKFold(3)).fit(*data)
