"""Nearly isotonic regression, averaged."""

from dataclasses import dataclass

import numpy as np

from truing.calibrators.calibrator import Calibrator
from truing.maps import Lines, ProbabilityMap, Steps
from truing.numerics.arrays import IntArray
from truing.numerics.binning import equal_weight_cuts, midpoints, weighted_centres
from truing.numerics.nearly_isotonic import average_path
from truing.options import flag
from truing.table import ScoreTable

MOST_PLACES = 4096  # their path takes a tenth of a second, that of twice as many four times that


@dataclass(eq=False, repr=False)
class NearlyIsotonicCalibrator(Calibrator):
    """Nearly isotonic regression (ENIR): a curve that may fall where the cases say so.

    Nearly isotonic regression minimises ½ Σ w (y − f(s))² + λ Σ max(f(s_i) − f(s_{i+1}), 0): falls
    are allowed, at a price. From λ = 0 to where f no longer falls, each λ at which neighbouring
    blocks are pooled gives one model, and the answer is the mean of all of them, weighted by
    exp(−BIC / 2) with BIC = −2 log likelihood + number of blocks · ln N. For λ = 0, where the model
    repeats the data, each distinct score is a block.

    Prefer it to `IsotonicCalibrator` where the score ranks well but perhaps not everywhere. It
    stays close to isotonic regression: a score that is far from monotone asks for a histogram, a
    kernel or a spline. With few cases it answers exactly 0 and 1 at the ends.

    The whole path is followed exactly for up to 4,096 distinct scores. Of more, neighbours are
    pooled first into at most so many cells of equal weight, each standing at the weighted mean of
    its scores, so that a million take no longer.

    Departures from the authors' program: each block costs ln N, as BIC has it, not ln 2πN; the
    model of λ = 0, which is all there is to say of few scores with many cases each, is not left
    out; and blocks are not drawn towards their mean score.

    Parameters
    ----------
    interpolate
        Whether to draw straight lines between neighbouring scores, or to answer what was found at a
        score up to midway to the next.

    References
    ----------
    Naeini and Cooper (2016), Binary classifier calibration using an ensemble of near isotonic
    regression models, ICDM, https://doi.org/10.1109/ICDM.2016.0047. Tibshirani, Höfling and
    Tibshirani (2011), Nearly-isotonic regression, https://doi.org/10.1198/TECH.2010.10111.

    Examples
    --------
    >>> scores, labels = [0.1, 0.3, 0.4, 0.6, 0.8, 0.9], [0, 1, 0, 1, 0, 1]
    >>> nearly = NearlyIsotonicCalibrator().fit(scores, labels)
    >>> nearly.transform([0.1, 0.35, 0.6, 0.9]).round(3)
    array([0.   , 0.5  , 0.761, 1.   ])
    """

    interpolate: bool = True

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the lines through the averaged values, or their steps."""
        starts = _cells(table)
        columns = table.positives, table.weights, table.negatives
        values = average_path(*(np.add.reduceat(column, starts) for column in columns))
        if flag("interpolate", self.interpolate):
            return Lines(weighted_centres(table.scores, table.weights, starts), values)
        return Steps(midpoints(table.scores, starts[1:] - 1), values)


def _cells(table: ScoreTable) -> IntArray:
    if len(table) <= MOST_PLACES:
        return np.arange(len(table))
    return np.append(0, equal_weight_cuts(table.weights, MOST_PLACES)[:-1] + 1)
