"""Folds of weighted cases, drawn at random but from their weights alone."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from truing.numerics.arrays import FloatArray, IntArray

Numbers: TypeAlias = npt.NDArray[np.uint64]

FEW = 256.5  # up to so much weight at a place its cases are dealt out one by one
BALANCED = 1 << 15  # up to so many single cases folds get equally many of them
ROOM = 1e-6  # of a case: the rounding of a sum makes no further case
STRIDE, MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
BITS = 31
CHUNK = 1 << 12  # places whose temporaries stay small


def fold_weights(weights: FloatArray, n_folds: int, seed: int = 0) -> FloatArray:
    """Return, for each fold, what it has of the weight at each place; the folds add up to it.

    A place of weight 3 has three cases, each of which falls into some fold; one of weight 2.5 has
    two and a half. So nothing depends on how cases were put into rows, nor on the last digit of a
    sum. Who falls where is decided by numbers that look random and are the same on every machine.
    Of places with hundreds of cases it is not asked where each falls, but how many, by the normal
    approximation: the cost depends on the places, not on the cases.

    >>> fold_weights(np.array([1.0, 3.0, 0.5]), 2)
    array([[0. , 3. , 0. ],
           [1. , 0. , 0.5]])
    """
    parts = np.zeros((n_folds, len(weights)))
    few = np.flatnonzero((weights > ROOM) & (weights <= FEW))
    parts[:, few] = _one_by_one(weights[few], few, n_folds, seed)
    many = np.flatnonzero(weights > FEW)
    for start in range(0, len(many), CHUNK):
        some = many[start : start + CHUNK]
        parts[:, some] = _at_once(weights[some], some, n_folds, seed).T
    return parts


def _one_by_one(weights: FloatArray, places: IntArray, n_folds: int, seed: int) -> FloatArray:
    """Deal out single cases, the last of a place being what is left of its weight."""
    keys = _scramble(places.astype(np.uint64), seed)
    parts = np.zeros((n_folds, len(weights)))
    if weights.max(initial=0.0) <= 1.0 + ROOM:
        parts[_deal(keys, n_folds), np.arange(len(weights))] = weights
        return parts
    counts = np.ceil(weights - ROOM).astype(np.int64)
    ends = np.cumsum(counts)
    index = np.repeat(np.arange(len(weights)), counts)
    number = np.arange(len(index)) - (ends - counts)[index]
    sizes = np.ones(len(index))
    sizes[ends - 1] = weights - counts + 1.0
    fold = _deal(keys[index] + number.astype(np.uint64), n_folds)
    np.add.at(parts, (fold, index), sizes)
    return parts


def _deal(keys: Numbers, n_folds: int) -> IntArray:
    """Return the fold of each case."""
    drawn = _scramble(keys).astype(np.int64)
    if len(drawn) > BALANCED:
        return drawn % n_folds
    turn = np.empty(len(drawn), np.int64)
    turn[np.argsort(drawn, kind="stable")] = np.arange(len(drawn))
    return turn % n_folds


def _at_once(weights: FloatArray, places: IntArray, n_folds: int, seed: int) -> FloatArray:
    """Split great weights, a row for each, as if their cases had been drawn one by one."""
    keys = _scramble(places.astype(np.uint64), seed)
    every = np.add.outer(keys, np.arange(1, 2 * n_folds + 1, dtype=np.uint64))
    one, two = np.hsplit((_scramble(every) + 0.5) / (1 << BITS), 2)
    normal = np.sqrt(-2.0 * np.log(one)) * np.cos(2.0 * np.pi * two)
    weight = weights[:, None]
    mean = weight / n_folds
    drawn = np.maximum(mean + np.sqrt(mean) * (normal - normal.mean(axis=1, keepdims=True)), 0.0)
    bounds = np.rint(np.cumsum(drawn, axis=1) * (weight / drawn.sum(axis=1, keepdims=True)))
    bounds[:, -1] = weights
    parts: FloatArray = np.diff(bounds, prepend=0.0)
    return parts


def _scramble(numbers: Numbers, seed: int = 0) -> Numbers:
    """Return numbers that show no pattern any more, the same on every machine."""
    mixed = (numbers + np.uint64(seed + 1)) * STRIDE
    mixed = (mixed ^ (mixed >> np.uint64(30))) * MIX
    mixed = (mixed ^ (mixed >> np.uint64(27))) * STRIDE
    scrambled: Numbers = mixed >> np.uint64(64 - BITS)
    return scrambled
