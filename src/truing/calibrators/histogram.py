"""Histogram binning."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from truing.calibrators.calibrator import Calibrator
from truing.maps import ProbabilityMap, Steps
from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.binning import equal_weight_cuts, equal_width_cuts, midpoints
from truing.options import MOST_BINS, choose, number_from, whole_number
from truing.table import ScoreTable


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of a fitted histogram, in the order of their scores.

    Attributes
    ----------
    lower, upper
        The smallest and the greatest score seen in each bin.
    count, positives
        The weight of all and of the positive cases in each bin.
    probability
        What is answered for scores of each bin.
    """

    lower: FloatArray
    upper: FloatArray
    count: FloatArray
    positives: FloatArray
    probability: FloatArray

    def __len__(self) -> int:
        return len(self.count)

    def __repr__(self) -> str:
        head = f"{'from':>12} {'to':>12} {'cases':>10} {'positive':>10} {'probability':>12}"
        columns = zip(
            self.lower, self.upper, self.count, self.positives, self.probability, strict=True
        )
        lines = [f"{a:12.6g} {b:12.6g} {c:10.8g} {d:10.8g} {e:12.4f}" for a, b, c, d, e in columns]
        return "\n".join([head, *lines])


@dataclass(eq=False, repr=False)
class HistogramCalibrator(Calibrator):
    """Histogram binning: scores are sorted into bins, each answers its share of positives.

    With m_j positives and n_j negatives in bin j and smoothing s the answer is
    (m_j + s) / (m_j + n_j + 2 s).

    It is the method that carries a guarantee: with B bins its largest calibration error falls as
    sqrt(B log B / N), without any assumption about the scores. Prefer it where a promise counts and
    for scores that are not monotone; prefer a smooth method where the log loss counts, as within a
    bin all cases are told the same.

    Bins never split tied scores and are never empty, so that there may be fewer than asked for.
    Cuts lie midway between neighbouring scores; with equal width, at the edges of the bins, or in
    the middle of what is empty.

    Parameters
    ----------
    n_bins
        How many bins: a number, or ``"cube-root"`` for the cube root of the weight of all cases,
        the order that the theory asks for.
    strategy
        ``"quantile"`` for bins of equal weight; ``"uniform"`` for bins of equal width over [0, 1],
        or over the range of the scores where they leave it.
    smoothing
        How many cases of each class every bin is given beforehand; 1 is Laplace's rule.

    References
    ----------
    Zadrozny and Elkan (2001), Obtaining calibrated probability estimates from decision trees and
    naive Bayesian classifiers. Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration:
    non-parametric approach, arXiv:1401.3390.

    Examples
    --------
    >>> scores = [0.1, 0.2, 0.3, 0.6, 0.7, 0.8]
    >>> histogram = HistogramCalibrator(n_bins=2).fit(scores, [0, 0, 1, 0, 1, 1])
    >>> histogram.transform([0.25, 0.44, 0.46]).round(3)
    array([0.333, 0.333, 0.667])
    >>> histogram.bins_
            from           to      cases   positive  probability
             0.1          0.3          3          1       0.3333
             0.6          0.8          3          2       0.6667
    """

    n_bins: int | str = "cube-root"
    strategy: str = "quantile"
    smoothing: float = 0.0

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the steps of the bins."""
        smoothing = number_from("smoothing", self.smoothing, 0.0)
        cut = choose("strategy", self.strategy, STRATEGIES)
        lasts, edges = cut(table, count_bins(self.n_bins, table.total))
        starts = np.r_[0, lasts[:-1] + 1]
        positives = np.add.reduceat(table.positives, starts)
        weights = np.add.reduceat(table.weights, starts)
        shares = (positives + smoothing) / (weights + 2.0 * smoothing)
        return Steps(edges, np.minimum(shares, 1.0))  # fractions do not add up to the last bit

    @property
    def bins_(self) -> Bins:
        """The fitted bins: their ranges, cases, positives and probabilities."""
        check_is_fitted(self)
        table, steps = self.table_, cast("Steps", self.map_)
        ends = np.searchsorted(table.scores, steps.edges, side="right")
        starts = np.r_[0, ends]
        return Bins(
            table.scores[starts],
            table.scores[np.r_[ends, len(table)] - 1],
            np.add.reduceat(table.weights, starts),
            np.add.reduceat(table.positives, starts),
            steps.values,
        )


def count_bins(n_bins: int | str, total: float) -> int:
    """Return how many bins an option asks for, given the weight of all cases."""
    if isinstance(n_bins, str):
        cube_root = min(max(1, round(float(np.cbrt(total)))), MOST_BINS)
        return choose("n_bins", n_bins, {"cube-root": cube_root}, " or a whole number")
    return whole_number("n_bins", n_bins, ", or 'cube-root'")


def _quantile(table: ScoreTable, n_bins: int) -> tuple[IntArray, FloatArray]:
    lasts = equal_weight_cuts(table.weights, n_bins)
    return lasts, midpoints(table.scores, lasts[:-1])


def _uniform(table: ScoreTable, n_bins: int) -> tuple[IntArray, FloatArray]:
    inside = table.holds_probabilities
    low, high = (0.0, 1.0) if inside else (float(table.scores[0]), float(table.scores[-1]))
    # Halved, because the width of all doubles is twice the largest.
    edges = 2.0 * np.linspace(0.5 * low, 0.5 * high, n_bins + 1)
    return equal_width_cuts(table.scores, edges)


Cutter = Callable[[ScoreTable, int], tuple[Any, FloatArray]]
STRATEGIES: dict[str, Cutter] = {"quantile": _quantile, "uniform": _uniform}
