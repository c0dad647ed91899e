"""Scaling, then binning."""

from dataclasses import dataclass

import numpy as np

from truing.calibrators.histogram import count_bins
from truing.calibrators.log_odds import LogOddsCalibrator
from truing.calibrators.platt import PlattCalibrator
from truing.maps import LogOddsScale, ProbabilityMap, ScoreScale, Sigmoid, Steps
from truing.numerics.arrays import BoolArray, FloatArray
from truing.numerics.binning import equal_weight_cuts, midpoints
from truing.numerics.log_odds import log_odds
from truing.options import flag
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class ScalingBinningCalibrator(LogOddsCalibrator):
    """Scaling-binning: Platt's sigmoid, told in a few values only.

    A sigmoid g is fitted as `PlattCalibrator` does, scores are sorted into bins of equal weight,
    and each bin answers the mean of g over its cases.

    A calibration error can be measured only of an answer that takes few values, so that there are
    many cases to each. This one does, and as its values are means of g, not shares of positives,
    they are known much better than those of `HistogramCalibrator`: to an error e it needs of the
    order B + 1/e² cases, not B/e². Prefer it where the error is to be measured and promised, and a
    sigmoid is near the truth; where the log loss counts, `PlattCalibrator` itself.

    Parameters
    ----------
    scale
        ``"auto"`` reads scores as log-odds if all lie in [0, 1], else as margins; ``"log-odds"``
        and ``"score"`` say so.
    n_bins
        How many bins: a number, or ``"cube-root"`` for the cube root of the weight of all cases.
        There may be fewer, as tied scores are never split.
    split
        Whether to fit the sigmoid, cut the bins and take the means on three parts of the cases, one
        each, as the paper's theorem wants it (`ScoreTable.folds`). Otherwise all cases serve for
        all three, which answers better with few. Where the first part lacks a class, its smoothed
        share of positives stands for a sigmoid; a bin without cases of the third part takes its
        mean over the second.

    References
    ----------
    Kumar, Liang and Ma (2019), Verified uncertainty calibration, NeurIPS, arXiv:1909.10155.

    Examples
    --------
    >>> scores = [0.1, 0.2, 0.3, 0.6, 0.7, 0.8]
    >>> scaled = ScalingBinningCalibrator(n_bins=2).fit(scores, [0, 0, 1, 0, 1, 1])
    >>> scaled.transform([0.1, 0.4, 0.5, 0.9]).round(3)
    array([0.213, 0.213, 0.787, 0.787])
    """

    n_bins: int | str = 10
    split: bool = False

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the steps of the bins' mean probabilities."""
        n_bins = count_bins(self.n_bins, table.total)
        kind = self._kind_of_scale(table)
        fitting = cutting = answering = table
        if flag("split", self.split):
            fitting, cutting, answering = (part for _, part in table.folds(3))
        sigmoid = _fit(fitting, "log-odds" if kind is LogOddsScale else "score")
        if not len(cutting):
            cutting = table
        lasts = equal_weight_cuts(cutting.weights, n_bins)
        edges = midpoints(cutting.scores, lasts[:-1])
        values, held = _means(answering, edges, sigmoid)
        if not held.all():
            values = np.where(held, values, _means(cutting, edges, sigmoid)[0])
        return Steps(edges, np.clip(values, 0.0, 1.0))


def _fit(table: ScoreTable, scale: str) -> ProbabilityMap:
    if table.total_positive > 0.0 and table.has_negatives.any():
        return PlattCalibrator(scale=scale).solve(table)
    share = (table.total_positive + 1.0) / (table.total + 2.0)
    return Sigmoid(0.0, float(log_odds(np.array([share]))[0]), ScoreScale())


def _means(
    table: ScoreTable, edges: FloatArray, sigmoid: ProbabilityMap
) -> tuple[FloatArray, BoolArray]:
    """Return the mean probability over the cases of each bin, and whether there are any."""
    bins = np.searchsorted(edges, table.scores)
    weights = np.bincount(bins, table.weights, len(edges) + 1)
    sums = np.bincount(bins, table.weights * sigmoid(table.scores), len(edges) + 1)
    held = weights > 0.0
    return np.divide(sums, weights, out=np.zeros(len(weights)), where=held), held
