"""Venn-Abers prediction."""

from dataclasses import dataclass

import numpy as np

from truing.calibrators.interval import IntervalCalibrator
from truing.maps import Steps
from truing.maps.steps import on_common_edges
from truing.numerics.venn_abers import venn_abers
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class VennAbersCalibrator(IntervalCalibrator):
    """Inductive Venn-Abers prediction: isotonic regression that takes the new case into account.

    To answer a score it is added to the calibration data, once as a negative case and once as a
    positive one, each of weight 1; isotonic regression of the one tells p0 at the score, of the
    other p1. One of the two is the probability under the case's true label, and that one is
    calibrated whatever the data, as long as cases are exchangeable. The interval [p0, p1] is
    what `predict_interval` tells; the probability is

        p = p1 / (1 − p0 + p1),

    which is the safest of the interval for the log loss. It is never 0 or 1, and with few cases it
    is drawn towards 1/2.

    Prefer it to `IsotonicCalibrator` where the log loss counts, and where it should be seen how
    little the data tell. It cannot mend a score that is not monotone. The interval is a property of
    the data, no confidence interval for the true probability: it shrinks as fast as the isotonic
    blocks grow. At the very scores of the calibration data p0 and p1 are other than between them,
    so that answers there hang on the last digit of a score.

    Attributes
    ----------
    lower_, upper_
        The maps of p0 and p1, beside `map_`.

    References
    ----------
    Vovk and Petej (2014), Venn-Abers predictors, UAI, arXiv:1211.0025. Vovk, Petej and Fedorova
    (2015), Large-scale probabilistic predictors with and without guarantees of validity, NIPS,
    arXiv:1511.00213.

    Examples
    --------
    >>> venn_abers = VennAbersCalibrator().fit([0.1, 0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1, 1])
    >>> venn_abers.transform([0.0, 0.3, 0.9]).round(3)
    array([0.333, 0.5  , 0.75 ])
    >>> low, high = venn_abers.predict_interval([0.0, 0.3, 0.9])
    >>> low.round(3), high.round(3)
    (array([0.   , 0.333, 0.667]), array([0.5  , 0.667, 1.   ]))
    """

    def _solve_all(self, table: ScoreTable) -> tuple[Steps, Steps, Steps]:
        lower, upper = venn_abers_ends(table)
        edges, (low, high) = on_common_edges(lower, upper)
        merged = np.maximum.accumulate(high / (1.0 - low + high))
        return Steps(edges, merged), lower, upper


def venn_abers_ends(table: ScoreTable) -> tuple[Steps, Steps]:
    """Return the steps of p0 and p1 for every score that there may be."""
    low, high = venn_abers(table.positives, table.weights, table.negatives)
    rises = np.flatnonzero(high[1:] > high[:-1])
    upper = Steps(table.scores[rises], high[np.append(0, rises + 1)])
    rises = np.flatnonzero(low[1:] > low[:-1])
    # It rises at a score already, so that the step before ends at the last double below.
    with np.errstate(over="ignore"):
        edges = np.nextafter(table.scores[rises], -np.inf)
    values = low[np.append(0, rises + 1)]
    reached = int(len(edges) > 0 and np.isinf(edges[0]))  # nothing lies below the least double
    return Steps(edges[reached:], values[reached:]), upper
