"""Bayesian binning into quantiles."""

from dataclasses import dataclass

import numpy as np

from truing.calibrators.calibrator import Calibrator
from truing.maps import ProbabilityMap, Steps
from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.binning import ROOM, midpoints
from truing.numerics.binning_models import bin_by_weight
from truing.options import flag, number_from
from truing.table import ScoreTable

REACH = 10.0  # how many times more, or fewer, bins than the cube root of N
LEAST_HELD = 5.0  # cases in a bin, on average
MOST_BINS = 1 << 19  # of all binnings together
NEGLIGIBLE = 40.0  # a binning less likely by e to the power of this is not averaged
ALIKE = 1e-9  # evidences that are as close are equal


@dataclass(eq=False, repr=False)
class BBQCalibrator(Calibrator):
    """Bayesian binning into quantiles: histograms of many sizes, each heeded as it deserves.

    For every number of bins B from N^(1/3) / 10 to 10 N^(1/3), at most N / 5, scores are sorted
    into B bins of equal weight. With m_b positives and n_b negatives in bin b, and p_b the middle
    of its range of scores, the binning's evidence is the Beta-binomial marginal likelihood

        Π_b Γ(c) / Γ(m_b + n_b + c) · Γ(m_b + α_b) / Γ(α_b) · Γ(n_b + β_b) / Γ(β_b)

    with α_b = c p_b, β_b = c (1 − p_b), and c = 2 cases given to every bin beforehand (N' = 2 B in
    the authors' notation, where c = N' / B). Each binning answers its posterior means
    (m_b + α_b) / (m_b + n_b + c); the answer is their mean, weighted by evidence.

    Prefer it to `HistogramCalibrator` where the number of bins is not to be chosen, and the log
    loss counts: it is smoother and never answers 0 or 1. It takes no promise about its error.
    Scores that are close to the truth already are served better by a smooth method.

    Bins never split tied scores and are never empty. Where all binnings together would have more
    than half a million bins, from a million cases on, only some numbers of bins are tried, evenly
    spread by their logarithm.

    Departures: p_b is kept from 0.005 to 0.995, as in the authors' program. There a bin answers a
    share smoothed towards the mean score of its positives; here its posterior mean.

    Parameters
    ----------
    average
        Whether to average all binnings, or to keep the one of greatest evidence.
    prior_cases
        How many cases the prior weighs.
    per_bin
        Whether every bin is given so many, as in the authors' program, or all bins of a binning
        share them. Shared, N' = 2, they say so little that binnings of many bins are hardly ever
        heeded, and answers come close to 0 and 1.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian
    binning, AAAI, https://doi.org/10.1609/aaai.v29i1.9602.

    Examples
    --------
    >>> scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    >>> bbq = BBQCalibrator().fit(scores, [0, 0, 0, 1, 0, 1, 0, 1, 1, 1])
    >>> bbq.transform([0.2, 0.9]).round(3)
    array([0.271, 0.741])
    """

    average: bool = True
    prior_cases: float = 2.0
    per_bin: bool = True

    @property
    def _takes_margins(self) -> bool:
        return False  # the middle of a bin is its prior probability

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the steps of the averaged binnings."""
        cases = number_from("prior_cases", self.prior_cases, 0.0, above=True)
        counts = _bin_counts(table.total)
        models = bin_by_weight(table.scores, table.positives, table.weights, counts)
        per_bin = flag("per_bin", self.per_bin)
        strengths = np.full(len(counts), cases) if per_bin else cases / models.sizes
        evidence, values = models.posterior(strengths)
        lasts, steps = models.average(self._shares(evidence), values)
        return Steps(midpoints(table.scores, lasts), steps)

    def _shares(self, evidence: FloatArray) -> FloatArray:
        behind = evidence.max() - evidence
        if not flag("average", self.average):
            best = np.zeros(len(evidence))
            best[(behind <= ALIKE).argmax()] = 1.0  # of equal ones that of fewest bins
            return best
        shares: FloatArray = np.where(behind < NEGLIGIBLE, np.exp(-behind), 0.0)
        shares /= shares.sum()
        return shares


def _bin_counts(total: float) -> IntArray:
    """Return the numbers of bins to try for so many cases."""
    root = float(np.cbrt(total))
    least = max(1, int(np.floor(root / REACH * (1.0 + ROOM))))
    most = min(np.ceil(total / LEAST_HELD * (1.0 - ROOM)), np.ceil(root * REACH * (1.0 - ROOM)))
    counts = np.arange(least, max(least, int(most)) + 1)
    if counts.sum() <= MOST_BINS:
        return counts
    mean = (most - least) / np.log(most / least)  # of numbers that are evenly spread by logarithm
    some = np.geomspace(least, most, int(MOST_BINS / mean))
    return np.unique(np.rint(some).astype(np.int64))
