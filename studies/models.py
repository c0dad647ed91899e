"""The eight kinds of model whose scores are calibrated."""

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from curves import Array

MODELS = (
    "naive Bayes",
    "logistic regression",
    "random forest",
    "boosted trees",
    "support vector machine",
    "nearest neighbours",
    "neural network",
    "decision tree",
)


def fitted(name: str, points: Array, labels: Array, seed: int) -> Any:
    """Return a model of this name that is fitted to these cases."""
    models = {
        "naive Bayes": GaussianNB(),
        "logistic regression": _scaled(LogisticRegression(C=10.0, max_iter=1000)),
        "random forest": RandomForestClassifier(50, random_state=seed),
        "boosted trees": HistGradientBoostingClassifier(random_state=seed),
        "support vector machine": _scaled(SVC()),
        "nearest neighbours": _scaled(KNeighborsClassifier(15)),
        "neural network": _scaled(MLPClassifier((32,), max_iter=300, random_state=seed)),
        "decision tree": DecisionTreeClassifier(min_samples_leaf=3, random_state=seed),
    }
    return models[name].fit(points, labels)


def scores_of(model: Any, points: Array) -> Array:
    """Return the probability of class 1, or the sigmoid of the margin of a model that has none."""
    if hasattr(model, "predict_proba"):
        return np.clip(model.predict_proba(points)[:, 1], 0.0, 1.0)
    return expit(model.decision_function(points))


def _scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)
