"""Blending curves by how well they tell cases that they have not seen."""

from typing import NamedTuple

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.bayesian_curve import bayesian_curves, free_curve
from truing.numerics.cells import Cells
from truing.numerics.local_curve import kernel_curve, local_curve
from truing.numerics.log_odds import sigmoid
from truing.numerics.parametric_curve import parametric_curve
from truing.numerics.posterior import log_likelihood

WINDOWS = (0.02, 0.04, 0.08, 0.16, 0.32, 0.7)  # standard deviations, in shares of the cases
NARROW = 0.01  # for shares, which are cheap: with many cases no window may stay wide
TIMID = 0.4  # the power of the out-of-fold likelihood: fitted weights are too bold


class Blend(NamedTuple):
    """A curve at the knots of its cells, and how much of it each family of curves is."""

    log_odds: FloatArray
    shares: dict[str, float]


def blend_curves(cells: Cells) -> Blend:
    """Return the average of all families of curves.

    It is the middle, in log-odds, between two averages: that of the log-odds, which is sharper, and
    that of the probabilities, which one curve that is sure and wrong cannot lead astray.

    Each family starts with its own weight, shared by its windows. A curve counts by exp(0.4 × its
    log-likelihood of every fold, told by the other folds).
    """
    families = _families(cells)
    curves = np.concatenate([family.curves for family in families])
    start = [np.full(len(f.curves), f.start / len(f.curves)) for f in families]
    told = TIMID * _out_of_fold(cells, curves)
    weights = np.concatenate(start) * np.exp(told - told.max())
    weights /= weights.sum()
    blended = 0.5 * (_mean(weights, curves[:, 0]) + _mean_of_odds(weights, curves[:, 0]))
    ends = np.cumsum([len(family.curves) for family in families])[:-1]
    names = [family.name for family in families]
    shares = [float(part.sum()) for part in np.split(weights, ends)]
    return Blend(blended, dict(zip(names, shares, strict=True)))


def _mean(weights: FloatArray, values: FloatArray) -> FloatArray:
    # Not a product of matrices: those may differ in the last bit between machines.
    mean: FloatArray = (weights[:, None] * values).sum(axis=0)
    return mean


def _mean_of_odds(weights: FloatArray, log_odds: FloatArray) -> FloatArray:
    """Return the log-odds of the mean probability."""
    share, rest = (_mean(weights, sigmoid(sign * log_odds)) for sign in (1.0, -1.0))
    tiny = np.finfo(float).tiny
    told: FloatArray = np.log(np.maximum(share, tiny)) - np.log(np.maximum(rest, tiny))
    return told


class Family(NamedTuple):
    """Curves of one kind at the knots, (curve, set of counts, knot), and their weight to begin."""

    name: str
    start: float
    curves: FloatArray


def _families(cells: Cells) -> list[Family]:
    line = parametric_curve(cells, bent=False)
    bent = parametric_curve(cells, bent=True)
    local = [local_curve(cells, line, window) for window in WINDOWS]
    kernel = [kernel_curve(cells, window) for window in (NARROW, *WINDOWS)]
    return [
        Family("Bayesian curve", 2.0, bayesian_curves(cells).mean()[None]),
        Family("beta curve", 1.0, bent[None]),
        Family("free curve", 1.0, free_curve(cells)[None]),
        Family("local sigmoids", 1.0, np.array(local)),
        Family("kernel", 1.0, np.array(kernel)),
        Family("as it is", 3.0, np.broadcast_to(cells.knots, (1, *line.shape))),
    ]


def _out_of_fold(cells: Cells, curves: FloatArray) -> FloatArray:
    """Return each curve's log-likelihood of the cases of every fold, told by the others."""
    positives = cells.positives[0] - cells.positives[1:]
    totals = cells.totals[0] - cells.totals[1:]
    told: FloatArray = log_likelihood(cells.at_places(curves[:, 1:]), positives, totals).sum(axis=1)
    return told
