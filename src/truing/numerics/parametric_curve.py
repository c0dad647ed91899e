"""Parametric curves in log-odds: a straight line, or one that bends as the beta curve does."""

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.cells import Cells
from truing.numerics.posterior import Problems, find_posterior

WEAK = 10.0  # prior scale, in log-odds per standard deviation: next to none


def parametric_curve(cells: Cells, *, bent: bool) -> FloatArray:
    """Return the most likely line, or the mean beta curve, of each set of counts, at the knots.

    ln(p / (1 − p)) = a + b z, or a + b z + c ln(1 + exp(z)). The prior is next to none, and only
    matters where the data separate the classes, so that no curve would be the most likely one. A
    beta curve is drawn towards 1/2 where cases are too few for it, after MacKay (1992): the most
    likely one may be certain of anything there.
    """
    columns = cells.in_spreads(_columns(cells.knots, bent=bent))
    wide = np.column_stack([np.ones(len(columns)), columns])
    design = cells.at_places(wide.T).T
    scales = np.full((len(cells.totals), design.shape[1]), WEAK)
    problems = Problems(design, cells.places, cells.positives, cells.totals, scales)
    found = find_posterior(problems)
    told: FloatArray = cells.knots + WEAK * found.mode @ wide.T
    if bent:
        told /= np.sqrt(1.0 + np.pi / 8.0 * np.square(found.deviations(wide, scales)))
    return told


def _columns(places: FloatArray, *, bent: bool) -> FloatArray:
    return np.column_stack([places, np.logaddexp(0.0, places)] if bent else [places])
