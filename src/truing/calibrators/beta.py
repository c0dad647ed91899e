"""Beta calibration."""

from dataclasses import dataclass

import numpy as np

from truing.calibrators.calibrator import Calibrator
from truing.calibrators.log_odds import positives_without_separation
from truing.maps import BetaCurve, LogOddsScale, ProbabilityMap
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import log_sigmoid
from truing.numerics.penalised import Cases, fit_penalised
from truing.numerics.separation import separates, smoothed_targets
from truing.options import choose
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class BetaCalibrator(Calibrator):
    """Beta calibration: log-odds a ln(s) - b ln(1 - s) + c, by maximum likelihood.

    These are the curves that are right where both classes' scores have beta densities: S-shaped as
    Platt's sigmoid, inversely S-shaped, or the identity (a = b = 1, c = 0).

    Prefer it for scores in [0, 1] that err differently at their two ends, with a hundred cases and
    more. It cannot mend what is not monotone, and takes no margins.

    Scores are read up to half as far from 0 and 1 as the closest that was seen. As in the authors'
    program, a and b are fitted freely first; if a < 0, then b and c are fitted again with a = 0,
    else if b < 0, then a and c with b = 0. So a score that ranks the classes the wrong way round is
    given a curve that falls. Where a curve separates the classes none is most likely, and Platt's
    smoothed targets are used with a warning. Of fewer than three distinct scores it makes a = b.

    Parameters
    ----------
    parameters
        ``"abm"`` for all three; ``"am"`` for a = b, which is `PlattCalibrator` on log-odds;
        ``"ab"`` for curves that leave one half where it is: c = (a - b) ln 2, a and b of any sign.

    References
    ----------
    Kull, Silva Filho and Flach (2017), Beta calibration: a well-founded and easily implemented
    improvement on logistic calibration for binary classifiers. Their m is the score that is told
    one half.

    Examples
    --------
    >>> scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
    >>> beta = BetaCalibrator().fit(scores, [0, 0, 1, 0, 0, 1, 0, 1, 1, 1])
    >>> beta.transform([0.1, 0.5, 0.9]).round(3)
    array([0.119, 0.365, 0.95 ])
    >>> round(beta.map_.a, 3), round(beta.map_.b, 3), round(beta.map_.c, 3)
    (0.126, 2.121, -1.936)
    """

    parameters: str = "abm"

    @property
    def _takes_margins(self) -> bool:
        return False

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the most likely beta curve."""
        kinds = {"abm": _free, "am": _equal, "ab": _through_one_half}
        solve = choose("parameters", self.parameters, kinds)
        scale = LogOddsScale.within(table.scores)
        places = table.move(scale.read(table.scores))
        if solve is _free and len(places) < 3:
            solve = _equal
        return BetaCurve(*solve(places), scale)


def _columns(places: ScoreTable) -> tuple[FloatArray, FloatArray]:
    return log_sigmoid(places.scores), -log_sigmoid(-places.scores)


def _separates(places: ScoreTable, zeros: int, fixed_zero: float | None = None) -> bool:
    held = places.positives > 0.0, places.has_negatives
    return separates(places.scores, *held, zeros=zeros, fixed_zero=fixed_zero)


def _positives(places: ScoreTable, separated: bool) -> FloatArray:  # noqa: FBT001 - read at once
    return positives_without_separation(places, "beta curve", separated=separated)


def _fit(places: ScoreTable, positives: FloatArray, *columns: FloatArray) -> list[float]:
    """Return what the columns are multiplied by, and the constant."""
    weights, total = places.weights, places.weights.sum()
    means = [float(column @ weights / total) for column in columns]
    design = np.stack([np.ones(len(places)), *(c - m for c, m in zip(columns, means, strict=True))])
    constant, *slopes = fit_penalised(Cases(design, positives, weights)).coefficients.tolist()
    return [*slopes, constant - sum(s * m for s, m in zip(slopes, means, strict=True))]


def _equal(places: ScoreTable) -> tuple[float, float, float]:
    if len(places) == 1:
        odds = np.log(places.total_positive) - np.log(places.total - places.total_positive)
        return 0.0, 0.0, float(odds)
    positives = _positives(places, _separates(places, 1))
    slope, constant = _fit(places, positives, places.scores)
    return slope, slope, constant


def _free(places: ScoreTable) -> tuple[float, float, float]:
    low, high = _columns(places)
    positives = _positives(places, _separates(places, 1))
    tried = positives
    if tried is places.positives and _separates(places, 2):
        # Only a curve that falls and rises separates; smoothed targets tell which term is dropped.
        one, other = smoothed_targets(places.total_positive, places.total - places.total_positive)
        tried = one * places.positives + other * places.negatives
    a, b, c = _fit(places, tried, low, high)
    if a < 0.0:
        b, c = _fit(places, positives, high)
        return 0.0, b, c
    if b < 0.0:
        a, c = _fit(places, positives, low)
        return a, 0.0, c
    return a, b, c


def _through_one_half(places: ScoreTable) -> tuple[float, float, float]:
    low, high = (
        column + sign * np.log(2.0) for column, sign in zip(_columns(places), (1, -1), strict=True)
    )
    inner = int(np.count_nonzero(places.scores))
    if not inner:
        return 1.0, 1.0, 0.0
    separated = _separates(places, min(inner, 2), 0.0)
    positives = _positives(places, separated)
    design = np.stack([low, high] if inner > 1 else [low + high])
    slopes = fit_penalised(Cases(design, positives, places.weights)).coefficients
    a, b = np.resize(slopes, 2).tolist()
    return a, b, (a - b) * float(np.log(2.0))
