"""Platt's sigmoid."""

from dataclasses import dataclass

import numpy as np

from truing.calibrators.log_odds import LogOddsCalibrator, warn_of_separation
from truing.maps import ProbabilityMap, Sigmoid
from truing.numerics.logistic import fit_logistic
from truing.numerics.separation import parted, smoothed_targets
from truing.options import flag
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class PlattCalibrator(LogOddsCalibrator):
    """Platt's sigmoid: p = 1 / (1 + exp(-(a + b z))), by maximum likelihood.

    Here z is the log-odds of a probability, or a margin as it is. On log-odds the identity is among
    the curves (a = 0, b = 1), so that probabilities that are true already are left alone. Exact 0
    and 1 have no log-odds: where there are such scores, they and what lies closer to 0 or 1 than
    half of the closest other score are read as that half.

    Prefer it for few cases, or where the model is known to be merely over- or under-confident; it
    cannot mend any other shape.

    Parameters
    ----------
    scale
        ``"auto"`` reads scores as log-odds if all lie in [0, 1], else as margins; ``"log-odds"``
        and ``"score"`` say so.
    smoothed_targets
        Whether to fit Platt's smoothed labels, (P + 1) / (P + 2) for positives and 1 / (N + 2) for
        negatives, with P and N the weights of the classes, instead of 1 and 0. Where the score
        separates the classes no most likely sigmoid exists, and they are used in any case, with a
        warning.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods.

    Examples
    --------
    >>> margins = [-2.0, -1.0, 0.5, 1.0, 2.0]
    >>> platt = PlattCalibrator().fit(margins, [0, 0, 1, 0, 1])
    >>> platt.transform([-1.0, 1.0]).round(3)
    array([0.065, 0.615])
    """

    smoothed_targets: bool = False

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the most likely sigmoid."""
        scale = self._kind_of_scale(table).of(table.scores)
        places = table.move(scale.read(table.scores))
        if len(places) == 1:
            odds = np.log(places.positives.sum()) - np.log(places.negatives.sum())
            return Sigmoid(0.0, float(odds), scale)
        slope, intercept = fit_logistic(
            places.scores, places.positive_weights, places.weights, self._targets(places)
        )
        return Sigmoid(slope, intercept, scale)

    def _targets(self, table: ScoreTable) -> tuple[float, float]:
        if not flag("smoothed_targets", self.smoothed_targets):
            held = table.positive_weights.astype(np.bool_, copy=False)
            if not parted(held, table.has_negatives):
                return 1.0, 0.0
            warn_of_separation("sigmoid")
        return smoothed_targets(table.total_positive, table.total - table.total_positive)
