"""What theorems promise of a histogram: how far it can be from the truth.

A histogram of B bins of equal frequency, learnt from N cases, tells in each bin the share of
positives seen there; its error in a bin is the distance from the share that it would see with
cases without end. With probability 1 − δ over the cases the greatest of these errors is at most
what three bounds say, each under its own assumptions:

============================  ==============================  ==================================
bound                         N = 1000, B = 10, δ = 0.05      bins
============================  ==============================  ==================================
`loose_hoeffding_bound`       0.346                           fixed beforehand (the paper's)
`hoeffding_bound`             0.173                           fixed beforehand
`gupta_ramdas_bound`          0.174                           chosen on the same cases
============================  ==============================  ==================================

None of them looks at the labels, so that each holds for the hardest case, chances of one half.
"""

import math

__all__ = [
    "auc_loss_bound",
    "expected_error_bound",
    "gupta_ramdas_bound",
    "hoeffding_bound",
    "loose_hoeffding_bound",
]


def loose_hoeffding_bound(cases: float, bins: int, delta: float = 0.05) -> float:
    """Return the bound on the maximum calibration error of Theorem 1, sqrt(2 B ln(2B/δ) / N).

    It follows from Hoeffding's inequality, exp(−2Nε²/B) for a bin of N/B cases; on the way to the
    theorem the exponent became −Nε²/(2B), which costs a factor of 2: `hoeffding_bound` is the same
    without that. Its only merit over the others is that it is the published one.

    Holds for bins that were fixed before the cases were seen and that each hold N/B of them.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration: non-parametric approach,
    arXiv:1401.3390, Theorem 1.

    Examples
    --------
    >>> round(loose_hoeffding_bound(1000, bins=10, delta=0.05), 3)
    0.346
    """
    return 2.0 * hoeffding_bound(cases, bins, delta)


def hoeffding_bound(cases: float, bins: int, delta: float = 0.05) -> float:
    """Return Hoeffding's bound on the maximum calibration error, sqrt(B ln(2B/δ) / (2N)).

    Each bin of N/B independent cases is off by more than ε with probability at most
    2 exp(−2Nε²/B); B bins share δ among them (union bound).

    Holds for bins that were fixed before the cases were seen, such as bins of another sample, and
    that each hold N/B of them. For bins chosen on the same cases `gupta_ramdas_bound` is the one
    that is proved. It does not know how sure a bin is: where positives are rare it is far too wide.

    References
    ----------
    Hoeffding (1963), Probability inequalities for sums of bounded random variables,
    https://doi.org/10.1080/01621459.1963.10500830.

    Examples
    --------
    >>> round(hoeffding_bound(1000, bins=10, delta=0.05), 3)
    0.173
    """
    return _deviation(cases / bins, bins, delta)


def gupta_ramdas_bound(
    cases: int, bins: int, delta: float = 0.05, *, randomisation: float = 0.0
) -> float:
    """Return Gupta and Ramdas's bound, sqrt(ln(2B/δ) / (2 (⌊N/B⌋ − 1))) + randomisation.

    It is proved for bins of equal frequency whose borders are chosen on the same cases that fill
    them: given the two scores that bound a bin, the cases between them are independent (a Markov
    property of order statistics), and there are at least ⌊N/B⌋ − 1 of them. So nothing needs to be
    put aside for the borders, and it costs one case per bin.

    Assumes scores without ties, else broken at random, and that the cases on which borders fall are
    left out of the shares. A histogram that keeps them, cutting midway between neighbours as
    `HistogramCalibrator` does, moves each share by at most two cases in N/B.

    Parameters
    ----------
    cases
        N.
    bins
        B, at most half as many.
    delta
        The probability that the promise may fail.
    randomisation
        The width of the noise that their algorithm may add so that no two bins tell the same; as
        small as one likes, and 0 where none is added.

    References
    ----------
    Gupta and Ramdas (2021), Distribution-free calibration guarantees for histogram binning without
    sample splitting, ICML, arXiv:2105.04656.

    Examples
    --------
    >>> round(gupta_ramdas_bound(1000, bins=10, delta=0.05), 3)
    0.174

    A bin of one case promises nothing:

    >>> gupta_ramdas_bound(15, bins=10)
    inf
    """
    return _deviation(cases // bins - 1, bins, delta) + randomisation


def expected_error_bound(cases: float, bins: int) -> float:
    """Return a bound on the mean expected calibration error, sqrt(B / N) / 2.

    The share of positives among N/B cases is off by sqrt(θ(1 − θ) B/N) in root mean square, and in
    mean by no more (Jensen's inequality); θ(1 − θ) is at most one fourth. This is Theorem 2 of the
    paper, ECE = O(sqrt(B/N)), with its constant. Its value is a mean over data, no promise for one
    data set, and assumes bins fixed beforehand that each hold N/B cases.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration: non-parametric approach,
    arXiv:1401.3390, Theorem 2.

    Examples
    --------
    >>> round(expected_error_bound(1000, bins=10), 3)
    0.05
    """
    return 0.5 * math.sqrt(bins / cases)


def auc_loss_bound(bins: int) -> float:
    """Return the bound on the AUC that a histogram can lose, 1 / (2B).

    With cases without end, bins of equal frequency put in the order of their shares lose nothing
    between bins; within a bin they tie what may have been in order, which costs at most
    Σ θ(1 − θ) / (2 Σ θ Σ (1 − θ)), and that is at most 1 / (2B) by Chebyshev's sum inequality.

    It speaks of the large-sample limit alone: with few cases in a bin the bins are put in a wrong
    order, which costs more. Nothing is assumed of the score. A score that is not monotone may gain
    any amount, as the bins are put in order.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration: non-parametric approach,
    arXiv:1401.3390, Theorem 3 and its appendix.

    Examples
    --------
    >>> auc_loss_bound(bins=10)
    0.05
    """
    return 1.0 / (2.0 * bins)


def _deviation(held: float, bins: int, delta: float) -> float:
    """Return what the shares of all bins, each of so many cases, keep within; Hoeffding, union."""
    return math.sqrt(math.log(2.0 * bins / delta) / (2.0 * held)) if held > 0 else math.inf
