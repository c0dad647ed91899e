"""From probabilities of pairs of classes to those of all classes."""

import numpy as np

from truing.numerics.arrays import FloatArray

LEAST = 1e-7  # pairs closer to 0 or 1 than that may contradict each other beyond remedy
CHUNK = 1 << 20  # numbers of as many small systems as are solved at a time


def couple(pairs: FloatArray) -> FloatArray:
    """Return the probabilities of K classes from those of its pairs, row by row.

    ``pairs[:, i, j]`` is the probability of class i where it is i or j. The answer minimises
    Σ (r_ji p_i − r_ij p_j)² over all pairs, with Σ p = 1: the second method of Wu, Lin and Weng
    (2004), Probability estimates for multi-class classification by pairwise coupling. It is exact
    where the pairs agree. Its solution is never negative.

    >>> p = np.array([0.2, 0.3, 0.5])
    >>> couple((p[:, None] / (p[:, None] + p))[None])
    array([[0.2, 0.3, 0.5]])
    """
    rows, classes = len(pairs), pairs.shape[1]
    answer = np.empty((rows, classes))
    step = max(CHUNK // classes**2, 1)
    for start in range(0, rows, step):
        answer[start : start + step] = _couple(pairs[start : start + step])
    return answer


def _couple(pairs: FloatArray) -> FloatArray:
    classes = pairs.shape[1]
    place = np.arange(classes)
    chances = np.clip(pairs, LEAST, 1.0 - LEAST)
    chances[:, place, place] = 0.0
    system = np.zeros((len(pairs), classes + 1, classes + 1))
    system[:, :-1, :-1] = -chances * chances.transpose(0, 2, 1)
    system[:, place, place] = (chances**2).sum(axis=1)
    system[:, -1, :-1] = system[:, :-1, -1] = 1.0
    one = np.zeros((len(pairs), classes + 1, 1))
    one[:, -1] = 1.0
    solved = np.maximum(np.linalg.solve(system, one)[:, :-1, 0], 0.0)
    answer: FloatArray = solved / solved.sum(axis=1, keepdims=True)
    return answer
