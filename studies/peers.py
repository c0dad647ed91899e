"""The peers: what others' packages do with the same scores, set as they come."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Self

import numpy as np
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import rules
from curves import Array
from methods import Fit, Fitted, Method

FARTHEST = 36.0  # log-odds of the sure, for the quadratic


class AsTold(ClassifierMixin, BaseEstimator):
    """A model that answers the probability that it is given, which is left to calibrate."""

    def fit(self, points: Array, labels: Array) -> Self:
        """Learn nothing."""
        self.classes_ = np.unique(labels)
        self.n_features_in_ = points.shape[1]
        return self

    def predict_proba(self, points: Array) -> Array:
        """Return the probability of either class."""
        return np.column_stack([1.0 - points[:, 0], points[:, 0]])

    def predict(self, points: Array) -> Array:
        """Return the more probable class."""
        return self.classes_[(points[:, 0] > 0.5).astype(int)]


def none(scores: Array, labels: Array) -> Fitted:  # noqa: ARG001 - it learns nothing
    """Leave the scores as they are."""
    return Fitted(lambda at: at)


def _scikit_learn(method: str) -> Fit:
    def fit(scores: Array, labels: Array) -> Fitted:
        column = scores[:, None]
        model = FrozenEstimator(AsTold().fit(column, labels))
        everyone = np.arange(len(labels))  # nothing is learnt, so nothing need be held out
        calibrated = CalibratedClassifierCV(model, method=method, cv=[(everyone, everyone)])
        calibrated.fit(column, labels)
        return Fitted(lambda at: calibrated.predict_proba(at[:, None])[:, 1])

    return fit


def _quadratic(scores: Array, labels: Array) -> Fitted:
    """Logistic regression on log-odds and their squares, by scikit-learn, without a penalty."""

    def columns(at: Array) -> Array:
        with np.errstate(divide="ignore"):
            places = np.clip(logit(at), -FARTHEST, FARTHEST)
        return np.column_stack([places, places**2 / 10.0])

    model = LogisticRegression(C=np.inf, max_iter=1000).fit(columns(scores), labels)
    return Fitted(lambda at: expit(model.decision_function(columns(at))))


def _probcal(kind: str) -> Fit:
    def fit(scores: Array, labels: Array) -> Fitted:
        return Fitted(getattr(import_module("probcal"), kind)().fit(scores, labels).predict_proba)

    return fit


def _betacal(scores: Array, labels: Array) -> Fitted:
    beta = import_module("betacal").BetaCalibration().fit(scores[:, None], labels)
    return Fitted(lambda at: beta.predict(at[:, None]))


def _splinecalib(scores: Array, labels: Array) -> Fitted:
    spline = import_module("splinecalib").SplineCalib()
    spline.fit(scores, labels)
    return Fitted(spline.calibrate)


def _venn_abers(scores: Array, labels: Array) -> Fitted:
    """Cross Venn-Abers predictor of five folds; the package calibrates and answers in one call."""
    kind = import_module("venn_abers").VennAbersCV
    model = kind(AsTold(), inductive=False, n_splits=5, shuffle=True, random_state=0)
    model.fit(scores[:, None], labels.astype(int))
    return Fitted(lambda at: model.predict_proba(at[:, None])[:, 1])


def _calibre(kind: str) -> Fit:
    def fit(scores: Array, labels: Array) -> Fitted:
        return Fitted(getattr(import_module("calibre"), kind)().fit(scores, labels).transform)

    return fit


FITS: dict[str, tuple[str, Callable[..., Any]]] = {
    rules.NONE: ("numpy", none),
    "scikit-learn sigmoid": ("sklearn", _scikit_learn("sigmoid")),
    "scikit-learn isotonic": ("sklearn", _scikit_learn("isotonic")),
    "scikit-learn temperature": ("sklearn", _scikit_learn("temperature")),
    "scikit-learn quadratic": ("sklearn", _quadratic),
    "probcal Platt": ("probcal", _probcal("PlattCalibrator")),
    "probcal temperature": ("probcal", _probcal("TemperatureCalibrator")),
    "probcal beta": ("probcal", _probcal("BetaCalibrator")),
    "probcal isotonic": ("probcal", _probcal("IsotonicCalibrator")),
    "probcal centred isotonic": ("probcal", _probcal("CenteredIsotonicCalibrator")),
    "probcal ENIR": ("probcal", _probcal("ENIRCalibrator")),
    "probcal histogram": ("probcal", _probcal("HistogramBinningCalibrator")),
    "probcal scaling-binning": ("probcal", _probcal("ScalingBinningCalibrator")),
    "probcal BBQ": ("probcal", _probcal("BBQCalibrator")),
    "probcal spline": ("probcal", _probcal("SplineCalibrator")),
    "probcal Venn-Abers": ("probcal", _probcal("VennAbersCalibrator")),
    "probcal cross Venn-Abers": ("probcal", _probcal("CrossVennAbersCalibrator")),
    "betacal": ("betacal", _betacal),
    "splinecalib": ("splinecalib", _splinecalib),
    "venn-abers cross": ("venn_abers", _venn_abers),
    "calibre I-spline": ("calibre", _calibre("ISplineCalibrator")),
    "calibre smoothed isotonic": ("calibre", _calibre("SmoothedIsotonicRegression")),
}


def peers() -> list[Method]:
    """Return all that ours are compared with, whether or not they are installed."""
    return [Method(name, package, fit) for name, (package, fit) in FITS.items()]
