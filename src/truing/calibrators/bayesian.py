"""The Bayesian curve, with a credible interval for every prediction."""

from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from truing.calibrators.cell_curve import CellCurveCalibrator
from truing.calibrators.interval import Interval
from truing.maps import ProbabilityMap
from truing.numerics.bayesian_curve import bayesian_curves
from truing.options import share
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class BayesianCalibrator(CellCurveCalibrator):
    """A Bayesian curve around the identity, and a credible interval for every prediction.

    In log-odds the curve is

        z + a + b z + c ln(1 + exp(z)) + d (2u − 1) + Σ_k e_k √2 cos(π k u) / k²,

    the score's own log-odds z plus bias, slope, asymmetry and a smooth rest, in which u is the
    score's rank (both classes counting half) and k goes from 1 to 20. Coefficients have normal
    priors around 0, so that scores that are true already are left alone unless the data say
    otherwise. Of 30 pairs of prior scales for the parametric part and for the rest each gives a
    posterior by Laplace's approximation; they are averaged with weights of the evidence to the
    power of 0.4, since none of them is the true one. The answer is the posterior mean of the
    probability, which is drawn towards 1/2 where little is known; of a belief that is very skew, as
    where the classes are separated, it may lie outside the interval.

    Prefer it where an interval is wanted, or one formula; `BlendCalibrator` predicts a little
    better. The curve is smooth in ranks: of jumps, and of scores where cases are rare, it can only
    tell a smoothed version, and there the interval is too narrow.

    Parameters
    ----------
    scale
        ``"auto"`` reads scores as log-odds if all lie in [0, 1], else as margins; ``"log-odds"``
        and ``"score"`` say so. Margins take the place of z after Platt's sigmoid.
    monotone
        Whether a greater score is never given a smaller probability. It costs a little.

    Notes
    -----
    Curves are found on at most 400 cells of equal mass, both classes counting half, and are
    straight in log-odds between them. No score is read as closer to 0 or 1 than half of the closest
    in the data.

    References
    ----------
    MacKay (1992), The evidence framework applied to classification networks. Kull, Silva Filho and
    Flach (2017), Beta calibration, for the asymmetric term.

    Examples
    --------
    >>> import numpy as np
    >>> from truing import BayesianCalibrator
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000)
    >>> labels, scores = rng.random(2000) < truth, truth**2
    >>> bayes = BayesianCalibrator().fit(scores, labels)
    >>> bayes.transform([0.04, 0.25, 0.64]).round(2)
    array([0.2 , 0.5 , 0.82])
    >>> low, high = bayes.predict_interval([0.04, 0.25, 0.64], confidence=0.95)
    >>> low.round(2), high.round(2)
    (array([0.17, 0.46, 0.78]), array([0.24, 0.54, 0.85]))
    """

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the curve of the posterior mean."""
        reading = self._read(table)
        mean = bayesian_curves(reading.cells).mean()[0]
        return reading.curve(mean, monotone=self.monotone)

    def predict_interval(self, scores: Any, confidence: float = 0.95) -> Interval:
        """Return the interval that holds each score's true probability, so far as is believed.

        It has equal tails: outside lies as much of the posterior on either side.
        """
        check_is_fitted(self, "map_")
        tail = 0.5 - 0.5 * share("confidence", confidence)
        reading = self._read(self.table_)
        curves = bayesian_curves(reading.cells)
        ends = (
            reading.curve(curves.quantile(end)[0], monotone=self.monotone)
            for end in (tail, 1.0 - tail)
        )
        return Interval(
            *(self._answer(scores, self._move_to_prior(end, self.table_)) for end in ends)
        )
