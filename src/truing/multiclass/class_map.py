"""Fitted functions of many classes: rows of scores in, rows of probabilities out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from truing.maps import ProbabilityMap
from truing.multiclass.reading import Reading
from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.class_scaling import Affine
from truing.numerics.coupling import couple
from truing.numerics.log_odds import sigmoid
from truing.numerics.softmax import softmax


class ClassMap(ABC):
    """A fitted function from rows of scores to rows of probabilities that add up to one."""

    reading: Reading

    @abstractmethod
    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the probabilities of each row of scores, none of them NaN."""


@dataclass(frozen=True, eq=False)
class ScaledLogits(ClassMap):
    """softmax(z Wᵀ + c) of the logarithms that scores are read as."""

    reading: Reading
    scaling: Affine
    centred: bool = True

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the softmax of the scaled logits."""
        read = self.reading.logs if self.centred else self.reading.raw_logs
        return softmax(self.scaling(read(scores)))

    @property
    def coef_(self) -> FloatArray:
        """The matrix W, for logits as they come."""
        diagonal = np.diag(self.scaling.slopes)
        rest = self.scaling.rest
        return (diagonal if rest is None else diagonal + rest) / self.reading.unit

    @property
    def intercept_(self) -> FloatArray:
        """The constants c."""
        return self.scaling.intercepts


@dataclass(frozen=True, eq=False)
class Unseen:
    """Classes without a case, of which no more is told than the rule of succession grants."""

    places: IntArray
    most: float

    def chances(self, given: FloatArray) -> FloatArray:
        """Return their probabilities: those given, but never more than 1 / (N + 2)."""
        return np.minimum(given[:, self.places], self.most)


@dataclass(frozen=True, eq=False)
class EachAgainstRest(ClassMap):
    """A map for each class that was seen, and rows made to add up to one.

    Where every map answers 0, the given probabilities stand.
    """

    reading: Reading
    maps: Mapping[int, ProbabilityMap]
    unseen: Unseen

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the maps' answers in proportion."""
        given = self.reading.chances(scores)
        answer = np.zeros(given.shape)
        for place, fitted in self.maps.items():
            answer[:, place] = fitted(given[:, place])
        return _complete(answer, given, self.unseen)


@dataclass(frozen=True, eq=False)
class EachAgainstEach(ClassMap):
    """A map for each pair of classes, and the probabilities that agree best with all of them."""

    reading: Reading
    maps: Mapping[tuple[int, int], ProbabilityMap]
    unseen: Unseen

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the coupled probabilities."""
        given, logs = self.reading.chances(scores), self.reading.logs(scores)
        seen = np.delete(np.arange(given.shape[1]), self.unseen.places)
        pairs = np.zeros((len(given), len(seen), len(seen)))
        at = {place: order for order, place in enumerate(seen.tolist())}
        for (one, other), fitted in self.maps.items():
            chance = fitted(pair_chances(logs, one, other))
            pairs[:, at[one], at[other]] = chance
            pairs[:, at[other], at[one]] = 1.0 - chance
        answer = np.zeros(given.shape)
        answer[:, seen] = couple(pairs)
        return _complete(answer, given, self.unseen)


@dataclass(frozen=True, eq=False)
class TopClass(ClassMap):
    """A map for the probability of the most probable class; the rest is shared in proportion.

    ``maps`` may have one for each class that is the most probable; ``for_all`` takes the others.
    """

    reading: Reading
    maps: Mapping[int, ProbabilityMap]
    for_all: ProbabilityMap | None

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the rows with their top probability as the map answers it."""
        given = self.reading.chances(scores)
        rows, top = np.arange(len(given)), given.argmax(axis=1)
        told = given[rows, top]
        trued = told.copy() if self.for_all is None else self.for_all(told)
        for place, fitted in self.maps.items():
            here = top == place
            trued[here] = fitted(told[here])
        others = given
        others[rows, top] = 0.0
        left = others.sum(axis=1)
        evenly = left == 0.0
        others[evenly] = 1.0
        others[rows, top] = 0.0
        left[evenly] = given.shape[1] - 1.0
        others /= left[:, None]
        others *= (1.0 - trued)[:, None]
        others[rows, top] = trued
        return others


def pair_chances(logs: FloatArray, one: int, other: int) -> FloatArray:
    """Return the probability of one class where it is that or the other."""
    return sigmoid(logs[:, one] - logs[:, other])


def _complete(answer: FloatArray, given: FloatArray, unseen: Unseen) -> FloatArray:
    """Return rows that add up to one, with the unseen classes' probabilities put in."""
    few = unseen.chances(given)
    sums = answer.sum(axis=1)
    none = sums <= 0.0
    if none.any():
        answer[none] = given[none]
        answer[:, unseen.places] = 0.0
        answer[answer.sum(axis=1) <= 0.0] = 1.0
        answer[:, unseen.places] = 0.0
        sums = answer.sum(axis=1)
    answer /= sums[:, None]
    if len(unseen.places):
        answer *= 1.0 - few.sum(axis=1, keepdims=True)
        answer[:, unseen.places] = few
    answer /= answer.sum(axis=1, keepdims=True)
    return answer
