"""Isotonic regression."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from truing.calibrators.calibrator import Calibrator
from truing.maps import Lines, ProbabilityMap, Steps
from truing.numerics.binning import midpoints
from truing.options import flag
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class IsotonicCalibrator(Calibrator):
    """Isotonic regression: the increasing function that is closest to the labels.

    It minimises Σ w (y − f(s))² over all functions f that never decrease, by pooling adjacent
    violators: neighbouring scores are pooled until their shares of positives increase.

    Prefer it where the score is known to rank well and cases are plenty, a thousand and more. It
    cannot mend a score that is not monotone, and with few cases it answers exactly 0 and 1 at the
    ends.

    Parameters
    ----------
    interpolate
        Whether to draw straight lines between the pooled blocks, as scikit-learn does, or to answer
        each block's share up to midway to the next.

    References
    ----------
    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability
    estimates. Barlow, Bartholomew, Bremner and Brunk (1972), Statistical inference under order
    restrictions.

    Examples
    --------
    >>> isotonic = IsotonicCalibrator().fit([0.1, 0.3, 0.4, 0.8], [0, 1, 0, 1])
    >>> isotonic.transform([0.2, 0.35, 0.6])
    array([0.25, 0.5 , 0.75])
    """

    interpolate: bool = True

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the lines through the pooled blocks, or their steps."""
        shares = table.positives / table.weights
        pooled = isotonic_regression(shares, weights=table.weights)
        starts = np.asarray(pooled.blocks[:-1], dtype=np.intp)
        lasts = np.asarray(pooled.blocks[1:], dtype=np.intp) - 1
        # Each block's share afresh: a sum's rounding would let blocks leave [0, 1] by a bit.
        values = np.clip(np.maximum.accumulate(pooled.x[starts]), 0.0, 1.0)
        if not flag("interpolate", self.interpolate):
            return Steps(midpoints(table.scores, lasts[:-1]), values)
        ends = np.unique(np.concatenate([starts, lasts]))
        blocks = np.searchsorted(starts, ends, side="right") - 1
        return Lines(table.scores[ends], values[blocks])
