"""Folds of weighted cases that lie in order, drawn from their weights alone."""

import numpy as np

from truing.numerics.arrays import FloatArray

STRIDE, MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def fold_weights(weights: FloatArray, n_folds: int, seed: int = 0) -> FloatArray:
    """Return, for each fold, what it has of the weight at each place; the folds add up to it.

    Of every ``n_folds`` cases that follow each other each fold gets one, in an order that the seed
    decides anew for every such group. So folds are alike all along the score, whole weights stay
    whole, and a case of fractional weight may be shared between two folds: nothing depends on how
    cases were put into rows, nor on the last digit of a sum.

    >>> fold_weights(np.array([1.0, 3.0, 0.5]), 2)
    array([[0. , 2. , 0. ],
           [1. , 1. , 0.5]])
    """
    ends = np.cumsum(weights)
    bounds = np.concatenate([[0.0], ends])
    groups = np.floor(bounds / n_folds)
    within = bounds - groups * n_folds
    turns = _scramble(groups.astype(np.uint64), seed) % np.uint64(n_folds)
    places = (np.arange(n_folds)[:, None] + turns.astype(np.int64)) % n_folds
    return np.diff(groups + np.clip(within - places, 0.0, 1.0), axis=1)


def _scramble(numbers: np.ndarray, seed: int) -> np.ndarray:
    """Return numbers that show no pattern any more, the same on every machine."""
    mixed = (numbers + np.uint64(seed + 1)) * STRIDE
    mixed = (mixed ^ (mixed >> np.uint64(30))) * MIX
    return mixed >> np.uint64(33)
