"""Softmax, and how well it tells what happened."""

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray

CHUNK = 1 << 16  # numbers whose temporaries stay in the cache


def log_softmax(logits: FloatArray) -> FloatArray:
    """Return z − ln Σ exp(z) of every row: the logarithms of its probabilities.

    >>> np.exp(log_softmax(np.array([[0.0, np.log(3.0)], [1000.0, 1000.0]])))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    answer = np.empty(logits.shape)
    step = max(CHUNK // max(logits.shape[1], 1), 1)
    with np.errstate(under="ignore"):
        for start in range(0, len(logits), step):
            part = logits[start : start + step]
            rest = answer[start : start + step]
            np.subtract(part, part.max(axis=1, keepdims=True), out=rest)
            rest -= np.log(np.exp(rest).sum(axis=1, keepdims=True))
    return answer


def softmax(logits: FloatArray) -> FloatArray:
    """Return the probabilities exp(z) / Σ exp(z) of every row.

    >>> softmax(np.array([[0.0, np.log(3.0)]]))
    array([[0.25, 0.75]])
    """
    with np.errstate(under="ignore"):
        answer: FloatArray = np.exp(log_softmax(logits))
        answer /= answer.sum(axis=1, keepdims=True)
    return answer


def lost(logits: FloatArray, codes: IntArray, weights: FloatArray) -> float:
    """Return −Σ w ln p of what happened."""
    happened = log_softmax(logits)[np.arange(len(codes)), codes]
    return float(-(weights * happened).sum())
