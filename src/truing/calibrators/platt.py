"""Platt's sigmoid."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from truing.calibrators.calibrator import Calibrator
from truing.maps import LogOddsScale, ProbabilityMap, Scale, ScoreScale, Sigmoid
from truing.numerics.logistic import fit_logistic
from truing.options import choose, flag
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class PlattCalibrator(Calibrator):
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

    scale: str = "auto"
    smoothed_targets: bool = False

    @property
    def _takes_margins(self) -> bool:
        return self.scale != "log-odds"

    def _for_scores(self, *, margins: bool) -> Calibrator:
        """Return a calibrator that need not guess from the numbers what they are."""
        if self.scale != "auto":
            return self
        told: Calibrator = clone(self).set_params(scale="score" if margins else "log-odds")
        return told

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the most likely sigmoid."""
        automatic = LogOddsScale if table.holds_probabilities else ScoreScale
        kinds: dict[str, type[Scale]] = {
            "auto": automatic,
            "log-odds": LogOddsScale,
            "score": ScoreScale,
        }
        scale = choose("scale", self.scale, kinds).of(table.scores)
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
            if not _separated(table):
                return 1.0, 0.0
            warnings.warn(
                "The score separates the classes, so that no most likely sigmoid exists; Platt's "
                "smoothed targets were used.",
                UserWarning,
                stacklevel=5,
            )
        positive, negative = table.total_positive, table.total - table.total_positive
        return (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0)


def _separated(table: ScoreTable) -> bool:
    """Whether some threshold has all of one class on one side, ties at the threshold aside."""
    positive, negative = table.positive_weights.astype(np.bool_, copy=False), table.has_negatives
    first_positive, first_negative = positive.argmax(), negative.argmax()
    last_positive, last_negative = positive[::-1].argmax(), negative[::-1].argmax()
    count = len(table) - 1
    return bool(count - last_negative <= first_positive or count - last_positive <= first_negative)
