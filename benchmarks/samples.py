"""The data of all benchmarks: random, realistic, and the same in every run."""

from functools import cache

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def curve(scores: Array) -> Array:
    """Return the true probability at each score: the model is too sure of itself."""
    return 1.0 / (1.0 + np.exp(0.3 - 0.7 * np.log(scores) + 0.5 * np.log1p(-scores)))


@cache
def cases(size: int, seed: int = 0) -> tuple[Array, Labels]:
    """Return scores as a model of rare events gives them, all distinct, and their labels."""
    random = np.random.default_rng(seed)
    scores = random.beta(2.0, 5.0, size)
    labels = (random.random(size) < curve(scores)).astype(np.int64)
    return scores, labels


def queries(size: int) -> Array:
    """Return other scores of the same kind, in no order."""
    return cases(size, seed=1)[0]


def margins(scores: Array) -> Array:
    """Return the scores as margins of either sign."""
    return 2.0 * (np.log(scores) - np.log1p(-scores))


def quantiles(count: int) -> Array:
    """Return so many increasing places, dense where scores are."""
    scores = np.sort(cases(10 * count, seed=2)[0])
    return scores[5::10]
