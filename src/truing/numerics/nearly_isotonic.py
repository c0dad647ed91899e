"""Nearly isotonic regression: every fit between the data and the isotonic one.

For a penalty λ it minimises

    ½ Σ w_i (y_i − f_i)² + λ Σ max(f_i − f_{i+1}, 0).

As λ grows from 0, blocks of equal f are pooled and never fall apart again (Tibshirani, Höfling and
Tibshirani 2011, Nearly-isotonic regression, https://doi.org/10.1198/TECH.2010.10111). Between two
such events the f of a block whose cases have mean m and weight W is m + λ c / W, where c is 1 if
only the block before lies higher than it, −1 if only the block behind lies lower, and else 0.

Departures from their algorithm: f is computed from m and W each time, not from the f before, so
that errors do not add up; and events that follow each other by less than what rounding can tell
apart are one event.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from truing.numerics.arrays import FloatArray, IntArray

ROUNDING = 1e-12  # of a probability
NEGLIGIBLE = 80.0  # a model this much worse in BIC weighs less than the last digit of the best
LEAST = 1e-300  # stands for 0 under a logarithm


class Fit(NamedTuple):
    """One fit of the path: its penalty, where its blocks begin, and what they answer."""

    penalty: float
    starts: IntArray
    values: FloatArray


def nearly_isotonic_path(positives: FloatArray, weights: FloatArray) -> Iterator[Fit]:
    """Yield the fits at every penalty where blocks are pooled, from 0 to the isotonic one.

    >>> path = list(nearly_isotonic_path(np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4)))
    >>> [(fit.penalty, fit.values.tolist()) for fit in path]
    [(0.0, [0.0, 1.0, 0.0, 1.0]), (0.5, [0.0, 0.5, 1.0])]
    """
    starts = np.arange(len(weights))
    means = positives / weights
    pooled = np.abs(np.diff(means)) <= ROUNDING
    falls = (means[:-1] > means[1:])[~pooled]
    penalty = 0.0
    while True:
        starts = starts[np.append(True, ~pooled)]
        held = np.add.reduceat(weights, starts)
        means = np.add.reduceat(positives, starts) / held
        pull = np.append(0.0, falls) - np.append(falls, 0.0)
        pull /= held
        yield Fit(penalty, starts, np.clip(means + penalty * pull, 0.0, 1.0))
        if not falls.any():
            return
        closing = pull[:-1] - pull[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            meeting = np.where(closing == 0.0, np.inf, (means[1:] - means[:-1]) / closing)
            room = ROUNDING / np.abs(closing)
        penalty = max(penalty, float(meeting.min()))
        pooled = meeting <= penalty + np.minimum(room, np.inf)
        pooled &= closing != 0.0
        falls = falls[~pooled]


def average_path(positives: FloatArray, weights: FloatArray, negatives: FloatArray) -> FloatArray:
    """Return the mean of all fits of the path, each weighted by exp(−BIC / 2).

    BIC is −2 times the log likelihood plus the number of blocks times ln Σ w. Without a penalty
    nothing is pooled, and every place is a block.

    >>> average_path(np.array([1.0, 3.0]), np.array([4.0, 4.0]), np.array([3.0, 1.0]))
    array([0.25, 0.75])
    """
    price = max(0.0, float(np.log(weights.sum())))
    average, total, best = np.zeros(len(weights)), 0.0, np.inf
    for fit in nearly_isotonic_path(positives, weights):
        blocks = len(fit.starts) if fit.penalty > 0.0 else len(weights)
        bic = price * blocks - 2.0 * _log_likelihood(fit, positives, negatives)
        if bic < best + NEGLIGIBLE:
            kept = np.exp(min(0.0, 0.5 * (bic - best)))  # of what was added up so far
            weight = np.exp(min(0.0, 0.5 * (best - bic)))
            values = np.repeat(fit.values, np.diff(fit.starts, append=len(weights)))
            average = kept * average + weight * values
            total = kept * total + weight
            best = min(best, bic)
    return average / total


def _log_likelihood(fit: Fit, positives: FloatArray, negatives: FloatArray) -> float:
    by_block = xlogy(np.add.reduceat(positives, fit.starts), np.maximum(fit.values, LEAST))
    against = np.maximum(1.0 - fit.values, LEAST)
    by_block += xlogy(np.add.reduceat(negatives, fit.starts), against)
    return float(by_block.sum())
