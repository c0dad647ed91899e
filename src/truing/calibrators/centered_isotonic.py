"""Centred isotonic regression."""

from dataclasses import dataclass

import numpy as np

from truing.calibrators.calibrator import Calibrator
from truing.maps import Lines, ProbabilityMap
from truing.numerics.binning import weighted_centres
from truing.numerics.isotonic import level_blocks
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class CenteredIsotonicCalibrator(Calibrator):
    """Centred isotonic regression: straight lines between the centres of isotonic blocks.

    Isotonic regression pools neighbouring scores into blocks, within which all cases are told the
    same. Here a block's share of positives stands at one point, the weighted mean Σ w s / Σ w of
    its scores, and straight lines lead from point to point; outside the first and the last the
    answer is constant. So it increases strictly between them, and greater scores stay greater.

    Blocks without any positive, or without any negative, stay flat, as in the paper: shares of 0
    and 1 leave no room for an increase.

    Prefer it to `IsotonicCalibrator` with few cases, and wherever ties between answers harm. It
    cannot mend a score that is not monotone, and with few cases it answers exactly 0 and 1 at the
    ends.

    Departure from the paper: shares that differ by less than their rounding, 1e-11 of themselves,
    are taken for equal and their blocks pooled, so that the last digit of a sum decides nothing.

    References
    ----------
    Oron and Flournoy (2017), Centered isotonic regression: point and interval estimation for
    dose-response studies, https://doi.org/10.1080/19466315.2017.1286256.

    Examples
    --------
    >>> centered = CenteredIsotonicCalibrator().fit([0.1, 0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1, 1])
    >>> centered.transform([0.1, 0.2, 0.3, 0.45, 0.6])
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the lines through the centres of the blocks."""
        starts, shares = level_blocks(table.positives, table.weights, table.negatives)
        lasts = np.append(starts[1:], len(table)) - 1
        knots = weighted_centres(table.scores, table.weights, starts)
        # Only the first block can lack positives, only the last one negatives.
        if shares[0] == 0.0:
            knots[0] = table.scores[lasts[0]]
        if shares[-1] == 1.0:
            knots[-1] = table.scores[starts[-1]]
        return Lines(knots, np.maximum.accumulate(shares))
