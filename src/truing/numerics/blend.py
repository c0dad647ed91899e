"""Blending curves by how well they tell cases that they have not seen."""

from typing import NamedTuple

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.bayesian_curve import bayesian_curves
from truing.numerics.cells import Cells
from truing.numerics.local_curve import kernel_curve, local_curve
from truing.numerics.parametric_curve import parametric_curve
from truing.numerics.posterior import log_likelihood

WINDOWS = (0.02, 0.04, 0.08, 0.16, 0.32, 0.7)  # standard deviations, in shares of the cases
TIMID = 0.4  # the power of the out-of-fold likelihood: fitted weights are too bold


class Blend(NamedTuple):
    """A curve at the knots of its cells, and how much of it each family of curves is."""

    log_odds: FloatArray
    shares: dict[str, float]


def blend_curves(cells: Cells) -> Blend:
    """Return the average, in log-odds, of all families of curves.

    Each family starts with the same weight, and within it each window. A curve counts by
    exp(0.4 × its log-likelihood of every fold, told by the other folds).
    """
    families = _families(cells)
    curves = np.concatenate(list(families.values()))
    start = np.concatenate([np.full(len(f), 1.0 / len(f)) for f in families.values()])
    told = TIMID * _out_of_fold(cells, curves)
    weights = start * np.exp(told - told.max())
    weights /= weights.sum()
    ends = np.cumsum([len(family) for family in families.values()])[:-1]
    shares = [float(part.sum()) for part in np.split(weights, ends)]
    # Not a product of matrices: those may differ in the last bit between machines.
    return Blend(
        (weights[:, None] * curves[:, 0]).sum(axis=0), dict(zip(families, shares, strict=True))
    )


def _families(cells: Cells) -> dict[str, FloatArray]:
    """Return the curves of each family at the knots: (curve, set of counts, knot)."""
    line = parametric_curve(cells, bent=False)
    return {
        "Bayesian curve": bayesian_curves(cells).mean()[None],
        "beta curve": parametric_curve(cells, bent=True)[None],
        "local sigmoids": np.array([local_curve(cells, line, window) for window in WINDOWS]),
        "kernel": np.array([kernel_curve(cells, window) for window in WINDOWS]),
        "as it is": np.broadcast_to(cells.knots, (1, *line.shape)),
    }


def _out_of_fold(cells: Cells, curves: FloatArray) -> FloatArray:
    """Return each curve's log-likelihood of the cases of every fold, told by the others."""
    positives = cells.positives[0] - cells.positives[1:]
    totals = cells.totals[0] - cells.totals[1:]
    told: FloatArray = log_likelihood(cells.at_places(curves[:, 1:]), positives, totals).sum(axis=1)
    return told
