"""A mailing campaign: people, what is known of them, and what they gave."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from truing.numerics.arrays import BoolArray, FloatArray, IntArray

__all__ = ["COST", "Campaign", "People"]

COST = 0.68  # dollars for a letter


@dataclass(frozen=True, eq=False)
class People:
    """People who were mailed.

    Attributes
    ----------
    attributes
        What the response model is told, a row for each person; NaN where it is not known.
    history
        What the amount model is told: the last gift and the average gift.
    gifts
        What they gave in answer, in dollars; 0 for most.
    weights
        How many people each stands for.
    """

    attributes: FloatArray
    history: FloatArray
    gifts: FloatArray
    weights: FloatArray

    def __len__(self) -> int:
        return len(self.gifts)

    @property
    def responded(self) -> IntArray:
        """Who gave anything: 1, the others 0."""
        return np.asarray(self.gifts > 0.0, dtype=np.int64)

    def take(self, rows: IntArray | BoolArray | slice) -> Self:
        """Return some of them."""
        parts: list[Any] = [self.attributes, self.history, self.gifts, self.weights]
        return type(self)(*(part[rows] for part in parts))


@dataclass(frozen=True, eq=False)
class Campaign:
    """What is learned from, and what it is tested on.

    Attributes
    ----------
    data
        Which data they are, in words.
    learning
        The people of the learning set, or of a sample of it.
    validation
        The people of the validation set; None where only their answers are known.
    answers
        The gifts of the validation set.
    official
        Whether these answers are those of the cup.
    """

    data: str
    learning: People
    validation: People | None
    answers: FloatArray
    official: bool
