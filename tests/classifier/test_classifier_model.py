"""What the model gets to see: X as it came, weights, parameters and metadata."""

# ruff: noqa: N803, N806 - X is scikit-learn's name

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from truing import CalibratedClassifier, DataError, HistogramCalibrator


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps what it was fitted to and asked about."""

    def fit(self, X, y, sample_weight=None, speed=None):
        self.fitted_to_, self.asked_ = X, []
        self.weights_, self.speed_, self.classes_ = sample_weight, speed, np.unique(y)
        return self

    def predict_proba(self, X):
        self.asked_.append(X)
        count = X.shape[0] if hasattr(X, "shape") else len(X)
        positive = np.linspace(0.1, 0.9, count)
        return np.c_[1 - positive, positive]


class Weightless(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


Y = np.tile([0, 1, 1], 8)
NUMBERS = np.arange(48.0).reshape(24, 2)
CONTAINERS = {
    "array": (NUMBERS, np.ndarray),
    "list": (NUMBERS.tolist(), list),
    "texts": ([f"text {row}" for row in range(24)], list),
    "pandas": (pd.DataFrame(NUMBERS, columns=["a", "b"]), pd.DataFrame),
    "polars": (pl.DataFrame(NUMBERS, schema=["a", "b"]), pl.DataFrame),
    "csr_array": (sparse.csr_array(NUMBERS), sparse.csr_array),
    "csr_matrix": (sparse.csr_matrix(NUMBERS), sparse.csr_matrix),
}
WAYS = [{"cv": 3}, {"cv": "partition"}, {"cv": "same"}, {"cv": 3, "ensemble": True}]


@pytest.mark.parametrize(("inputs", "kind"), CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_containers_reach_the_model(inputs, kind, way):
    fitted = CalibratedClassifier(Recorder(), HistogramCalibrator(), random_state=0, **way)
    fitted.fit(inputs, Y).predict_proba(inputs)
    for model in fitted.estimators_:
        seen = [model.fitted_to_, *model.asked_]
        assert all(isinstance(part, kind) for part in seen)
        if hasattr(inputs, "columns"):
            assert all(list(part.columns) == ["a", "b"] for part in seen)
        assert seen[-1] is inputs


@pytest.mark.parametrize("cv", ["same", "prefit"])
@pytest.mark.parametrize(("inputs", "kind"), CONTAINERS.values(), ids=CONTAINERS)
def test_where_nothing_is_split_the_object_itself_arrives(inputs, kind, cv):
    model = Recorder().fit(inputs, Y)
    fitted = CalibratedClassifier(model, cv=cv).fit(inputs, Y)
    assert fitted.estimator_.asked_[0] is inputs


@pytest.mark.parametrize("kind", [sparse.coo_array, sparse.csc_array])
def test_sparse_arrays_without_rows(kind):
    fitted = CalibratedClassifier(MultinomialNB(), HistogramCalibrator(), cv=3)
    dense = CalibratedClassifier(MultinomialNB(), HistogramCalibrator(), cv=3).fit(NUMBERS, Y)
    fitted.fit(kind(NUMBERS), Y)
    np.testing.assert_array_equal(fitted.predict_proba(NUMBERS), dense.predict_proba(NUMBERS))


def test_texts():
    texts = ["good news", "bad news", "bad day"] * 8
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    fitted = CalibratedClassifier(model, HistogramCalibrator(), cv=4).fit(texts, 1 - Y)
    assert fitted.predict(["good", "bad"]).tolist() == [1, 0]


def test_feature_names():
    frame = pd.DataFrame(NUMBERS, columns=["a", "b"])
    fitted = CalibratedClassifier(GaussianNB(), cv=3).fit(frame, Y)
    assert fitted.n_features_in_ == 2
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(CalibratedClassifier(Recorder(), cv=3).fit(frame, Y), "n_features_in_")


@pytest.mark.parametrize("container", [np.asarray, list, pd.Series, pl.Series], ids=str)
def test_weights_reach_both(container):
    weights = np.arange(24) % 4 + 1.0
    [(train, test)] = list(StratifiedKFold(2).split(NUMBERS, Y))[:1]
    fitted = CalibratedClassifier(Recorder(), HistogramCalibrator(), cv=[(train, test)])
    fitted.set_params(ensemble=True).fit(NUMBERS, Y, container(weights))
    np.testing.assert_array_equal(fitted.estimator_.weights_, weights[train])
    assert fitted.calibrator_.table_.total == weights[test].sum()
    fitted.set_params(ensemble=False).fit(NUMBERS, Y, container(weights))
    np.testing.assert_array_equal(fitted.estimator_.weights_, weights)
    assert fitted.calibrator_.table_.total == weights[test].sum()


def test_weights_are_repetitions_where_nothing_is_split():
    X, y = make_classification(80, flip_y=0.2, random_state=0)
    weights = np.random.default_rng(0).integers(0, 4, 80)
    weighted = CalibratedClassifier(GaussianNB(), cv="same").fit(X, y, weights)
    repeated = CalibratedClassifier(GaussianNB(), cv="same").fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-7)


def test_prefit_weights_go_to_the_calibrator():
    model = Recorder().fit(NUMBERS, Y)
    fitted = CalibratedClassifier(model, cv="prefit").fit(NUMBERS, Y, np.full(24, 2.0))
    assert fitted.calibrator_.table_.total == 48


def test_a_model_that_takes_no_weights_warns():
    classifier = CalibratedClassifier(Weightless(), cv=3)
    with pytest.warns(UserWarning, match="Weightless does not appear to accept") as caught:
        classifier.fit(NUMBERS, Y, np.full(24, 2.0))
    assert caught[0].filename == __file__
    assert classifier.calibrator_.table_.total == 48


BAD_WEIGHTS = {
    "negative": (np.r_[-1.0, np.ones(23)], "sample_weight: -1.0 at position 0 is negative"),
    "missing": (np.r_[np.ones(23), np.nan], "nan at position 23 is not finite"),
    "short": (np.ones(3), "sample_weight has 3"),
    "zero": (np.zeros(24), "are all zero"),
    "one class": (Y.astype(float), "zero for every case of one class"),
}


@pytest.mark.parametrize(("weights", "reason"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_weights_that_will_not_do(weights, reason):
    with pytest.raises(DataError, match=reason):
        CalibratedClassifier(Recorder(), cv=3).fit(NUMBERS, Y, weights)


def test_a_class_without_weight_trains_no_model():
    weights = np.ones(24)
    weights[:12][Y[:12] == 0] = 0.0
    folds = [(np.arange(12), np.arange(12, 24)), (np.arange(12, 24), np.arange(24))]
    with pytest.warns(UserWarning, match="left out of the calibration: 12"):
        CalibratedClassifier(Recorder(), cv=folds).fit(NUMBERS, Y, weights)


def test_parameters_go_to_the_model_by_folds():
    speed = np.arange(24)
    classifier = CalibratedClassifier(Recorder(), HistogramCalibrator(), cv=3, ensemble=True)
    classifier.fit(NUMBERS, Y, speed=speed)
    for (train, _), model in zip(
        StratifiedKFold(3).split(NUMBERS, Y), classifier.estimators_, strict=True
    ):
        np.testing.assert_array_equal(model.speed_, speed[train])
    assert classifier.fit(NUMBERS, Y, speed="fast").estimators_[0].speed_ == "fast"


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_routing_to_the_model(routing):
    weights = np.full(24, 2.0)
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        CalibratedClassifier(Recorder(), cv=3).fit(NUMBERS, Y, weights)
    wants = Recorder().set_fit_request(sample_weight=True, speed=True)
    fitted = CalibratedClassifier(wants, cv=3).fit(NUMBERS, Y, weights, speed="fast")
    assert fitted.estimator_.speed_ == "fast"
    np.testing.assert_array_equal(fitted.estimator_.weights_, weights)
    assert fitted.calibrator_.table_.total == 48
    shuns = Recorder().set_fit_request(sample_weight=False)
    fitted = CalibratedClassifier(shuns, cv=3).fit(NUMBERS, Y, weights)
    assert fitted.estimator_.weights_ is None
    assert fitted.calibrator_.table_.total == 48


def test_routing_past_a_fitted_model(routing):
    model = Recorder().fit(NUMBERS, Y)
    fitted = CalibratedClassifier(model, cv="prefit").fit(NUMBERS, Y, np.full(24, 2.0))
    assert fitted.calibrator_.table_.total == 48


def test_routing_to_the_splitter(routing):
    groups = np.arange(24) // 3
    routed = CalibratedClassifier(GaussianNB(), HistogramCalibrator(), cv=GroupKFold(4))
    routed.fit(NUMBERS, Y, groups=groups)
    folds = list(GroupKFold(4).split(NUMBERS, Y, groups))
    given = CalibratedClassifier(GaussianNB(), HistogramCalibrator(), cv=folds).fit(NUMBERS, Y)
    np.testing.assert_array_equal(routed.predict_proba(NUMBERS), given.predict_proba(NUMBERS))


def test_what_nobody_takes_is_refused(routing):
    with pytest.raises(TypeError, match="not routed to any object"):
        CalibratedClassifier(GaussianNB(), cv=3).fit(NUMBERS, Y, groups=np.arange(24))
