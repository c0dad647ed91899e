"""The response models, and the amount model."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from truing.errors import DataError
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import sigmoid
from truing.paper.kdd98.campaign import People
from truing.paper.kdd98.originals import LARGE_GIFT

__all__ = ["RESPONSE_MODELS", "AmountModel", "ResponseModel", "Scorer"]


@dataclass(frozen=True)
class ResponseModel:
    """A kind of model for the probability of a response.

    Attributes
    ----------
    name
        What it is called here.
    published
        What the published table calls it.
    make
        Makes the model, not fitted.
    sign
        -1 turns its margin round.
    """

    name: str
    published: str
    make: Callable[[], Any]
    sign: float = 1.0


# The readings of the paper that its base rows fit.
RESPONSE_MODELS = (
    ResponseModel(
        "logistic regression",
        "logistic regression",
        lambda: LogisticRegression(fit_intercept=False),
    ),
    ResponseModel("naive Bayes", "naive Bayes", lambda: GaussianNB(priors=[0.5, 0.5])),
    ResponseModel("linear SVM", "linear SVM", lambda: LinearSVC(random_state=0)),
    ResponseModel(
        "linear SVM, sign turned", "linear SVM", lambda: LinearSVC(random_state=0), sign=-1.0
    ),
)


class Scorer:
    """A response model fitted to people; attributes that are not known count as average."""

    def __init__(self, kind: ResponseModel, people: People) -> None:
        self.sign = kind.sign
        self.scaler = StandardScaler().fit(people.attributes, sample_weight=people.weights)
        told = self._prepare(people)
        self.model = kind.make().fit(told, people.responded, sample_weight=people.weights)

    def __call__(self, people: People) -> FloatArray:
        """Return the score of everybody, which is to be a probability."""
        told = self._prepare(people)
        if not hasattr(self.model, "decision_function"):
            return np.asarray(self.model.predict_proba(told)[:, 1])
        margins = np.asarray(self.model.decision_function(told), dtype=np.float64)
        return sigmoid(self.sign * margins)

    def _prepare(self, people: People) -> FloatArray:
        scaled = np.asarray(self.scaler.transform(people.attributes), dtype=np.float64)
        return np.where(np.isnan(scaled), 0.0, scaled)


class AmountModel:
    """What somebody gives, if anything: least squares on those who gave up to $50.

    It is told the response score as well: those who gave are not like the others, and the score
    says how much a person is like them.
    """

    def __init__(self, people: People, scores: FloatArray) -> None:
        gave = (people.gifts > 0.0) & (people.gifts <= LARGE_GIFT)
        if not gave.any():
            raise DataError("Nobody gave; the amount model has nothing to learn from.")
        donors, told = people.take(gave), _inputs(people, scores)[gave]
        self.model = LinearRegression().fit(told, donors.gifts, sample_weight=donors.weights)

    def __call__(self, people: People, scores: FloatArray) -> FloatArray:
        """Return what everybody would give."""
        return np.asarray(self.model.predict(_inputs(people, scores)), dtype=np.float64)


def _inputs(people: People, scores: FloatArray) -> FloatArray:
    return np.column_stack([people.history, scores])
