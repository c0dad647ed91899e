"""Fit on some people, ask about others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

from truing.numerics.arrays import FloatArray, IntArray
from truing.paper.kdd98.campaign import Campaign, People
from truing.paper.kdd98.models import AmountModel, ResponseModel, Scorer
from truing.paper.methods import calibrators
from truing.paper.published import METHODS

__all__ = ["Answers", "Split", "ask", "splits"]

Split = tuple[People, People, IntArray]


@dataclass(frozen=True, eq=False)
class Answers:
    """What one response model says of people it was not fitted to.

    Attributes
    ----------
    people
        The people.
    amounts
        What each would give, if anything.
    probabilities
        By method, how probable it is that they give.
    parts
        In which fold each was asked about.
    """

    people: People
    amounts: FloatArray
    probabilities: Mapping[str, FloatArray]
    parts: IntArray


def splits(campaign: Campaign, folds: int, seed: int) -> tuple[People, list[Split]]:
    """Return the people who are asked about, and who is learned from for whom of them.

    If the validation set is there, it is asked about; otherwise everybody in the learning set is,
    in folds.
    """
    people = campaign.learning
    if campaign.validation is not None:
        rows = np.arange(len(campaign.validation))
        return campaign.validation, [(people, campaign.validation, rows)]
    dealer = StratifiedKFold(folds, shuffle=True, random_state=seed)
    dealt = dealer.split(people.attributes, people.responded)
    return people, [(people.take(rest), people.take(held), held) for rest, held in dealt]


def ask(kind: ResponseModel, people: People, work: Iterable[Split]) -> Answers:
    """Return what a model, and each method on its scores, say of people.

    Calibrators are fitted to the scores of the people whom the model was fitted to, as in the
    paper.
    """
    amounts, parts = np.empty(len(people)), np.empty(len(people), dtype=np.int64)
    probabilities = {name: np.empty(len(people)) for name in METHODS}
    for part, (learning, asked, rows) in enumerate(work):
        scorer = Scorer(kind, learning)
        known, scores = scorer(learning), scorer(asked)
        parts[rows] = part
        amounts[rows] = AmountModel(learning, known)(asked, scores)
        probabilities["base"][rows] = scores
        for name, method in calibrators().items():
            method.fit(known, learning.responded, learning.weights)
            probabilities[name][rows] = method.transform(scores)
    return Answers(people, amounts, probabilities, parts)
