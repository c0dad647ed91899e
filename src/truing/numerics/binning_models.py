"""Many binnings of the same table at once, each with its Bayesian score."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from truing.numerics.arrays import BoolArray, FloatArray, IntArray
from truing.numerics.binning import midpoints, nearest_places

EXTREME = 0.005  # no bin expects less than this, nor more than one minus this


@dataclass(frozen=True, eq=False)
class BinningModels:
    """The bins of several binnings, one binning after the other.

    Attributes
    ----------
    lasts
        The last place of each bin.
    starts
        Where the bins of each binning begin.
    positives, negatives
        The weight of each class in each bin.
    expected
        The middle of each bin's range of scores.
    """

    lasts: IntArray
    starts: IntArray
    positives: FloatArray
    negatives: FloatArray
    expected: FloatArray

    @property
    def sizes(self) -> IntArray:
        """The number of bins of each binning."""
        return np.diff(self.starts, append=len(self.lasts))

    def posterior(self, strengths: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log marginal likelihoods, one per binning, and posterior means, one per bin.

        A bin of strength c and middle p has the prior Beta(c p, c (1 − p)).
        """
        strength = np.repeat(strengths, self.sizes)
        one, two = strength * self.expected, strength * (1.0 - self.expected)
        ones, twos = one + self.positives, two + self.negatives
        evidence = gammaln(ones) - gammaln(one)
        evidence += gammaln(twos) - gammaln(two)
        evidence -= gammaln(ones + twos)
        before = gammaln(strengths) * self.sizes
        return np.add.reduceat(evidence, self.starts) + before, ones / (ones + twos)

    def average(self, shares: FloatArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the mean of the binnings' steps, as last places and values."""
        used: BoolArray = np.repeat(shares > 0.0, self.sizes)
        first = np.zeros(len(self.lasts), np.bool_)
        first[self.starts] = True
        jumps = np.diff(values, prepend=0.0)
        jumps[first] = values[first]
        jumps *= np.repeat(shares, self.sizes)
        # A bin begins behind the last place of the one before; the first ones begin at 0.
        begins = np.where(first, 0, np.append(0, self.lasts[:-1] + 1))
        places, where = np.unique(begins[used], return_inverse=True)
        steps = np.cumsum(np.bincount(where, jumps[used]))
        return places[1:] - 1, np.clip(steps, 0.0, 1.0)


def bin_by_weight(
    scores: FloatArray, positives: FloatArray, weights: FloatArray, counts: IntArray
) -> BinningModels:
    """Return the binnings of probabilities into each of these numbers of bins of equal weight.

    >>> columns = np.array([0.1, 0.5, 0.9]), np.array([0.0, 1.0, 2.0]), np.array([2.0, 2.0, 2.0])
    >>> models = bin_by_weight(*columns, np.array([1, 3]))
    >>> models.starts, models.lasts, models.positives
    (array([0, 1]), array([2, 0, 1, 2]), array([3., 0., 1., 2.]))
    """
    reached, held = np.cumsum(weights), np.cumsum(positives)
    ends = np.cumsum(counts)
    model = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(1, ends[-1] + 1) - (ends - counts)[model]
    inner = number < counts[model]
    lasts = np.full(len(model), len(scores) - 1)
    lasts[inner] = nearest_places(reached, (number / counts[model])[inner])
    # Bins are not empty, and the last one reaches the end.
    kept = np.append((lasts[1:] != lasts[:-1]) | (model[1:] != model[:-1]), True)
    lasts, model = lasts[kept], model[kept]
    starts = np.searchsorted(model, np.arange(len(counts)))
    edges = np.append(midpoints(scores, np.arange(len(scores) - 1)), 1.0)
    upper = edges[lasts]
    return BinningModels(
        lasts,
        starts,
        _differences(held[lasts], starts),
        _differences((reached - held)[lasts], starts),
        np.clip(upper - 0.5 * _differences(upper, starts), EXTREME, 1.0 - EXTREME),
    )


def _differences(reached: FloatArray, starts: IntArray) -> FloatArray:
    sums = np.diff(reached, prepend=0.0)
    sums[starts] = reached[starts]
    return np.maximum(sums, 0.0)
