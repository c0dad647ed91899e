"""The blend of curves, truing's default."""

from dataclasses import dataclass

from sklearn.utils.validation import check_is_fitted

from truing.calibrators.cell_curve import CellCurveCalibrator
from truing.maps import ProbabilityMap
from truing.numerics.blend import blend_curves
from truing.table import ScoreTable

FOLDS = 10


@dataclass(eq=False, repr=False)
class BlendCalibrator(CellCurveCalibrator):
    """A blend of curves in log-odds, each counting by how well it tells cases it has not seen.

    There are six families: the Bayesian curve of `BayesianCalibrator`; the beta curve; a smoothing
    curve around a free line; sigmoids fitted around every score, with six widths of the window; the
    share of positives around every score, with seven; and the scores as they are. The windows are
    over ranks, so that they are narrow where cases crowd. To begin with, the Bayesian curve counts
    twice as much as the others, and the scores as they are three times. Each curve is fitted ten
    times without a tenth of the cases, and counts by exp(0.4 · its log-likelihood of the cases left
    out). The power of 0.4 is timid on purpose: an average loses little where one curve is right,
    and gains much where none is. The answer is half-way, in log-odds, between the mean of the
    log-odds and the mean of the probabilities.

    Prefer it wherever nothing speaks for another method: it is the default. It has no guarantee,
    and no formula that would fit on a line: `HistogramCalibrator` has the one, `PlattCalibrator`
    the other.

    Parameters
    ----------
    scale
        ``"auto"`` reads scores as log-odds if all lie in [0, 1], else as margins; ``"log-odds"``
        and ``"score"`` say so. Margins are read as Platt's sigmoid says to begin with.
    monotone
        Whether a greater score is never given a smaller probability. It costs a little.

    Notes
    -----
    Curves are found on at most 400 cells of equal mass, both classes counting half, and are
    straight in log-odds between them; folds are a re-count of the cells. No score is read as closer
    to 0 or 1 than half of the closest in the data. Nothing is random: the same table gives the same
    map.

    Examples
    --------
    >>> import numpy as np
    >>> from truing import BlendCalibrator
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000)
    >>> labels, scores = rng.random(2000) < truth, truth**2
    >>> blend = BlendCalibrator().fit(scores, labels)
    >>> blend.transform([0.04, 0.25, 0.64]).round(2)
    array([0.21, 0.5 , 0.82])
    >>> for family, share in blend.shares_.items():
    ...     print(f"{family}: {share:.2f}")
    Bayesian curve: 0.52
    beta curve: 0.32
    free curve: 0.06
    local sigmoids: 0.10
    kernel: 0.01
    as it is: 0.00
    """

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the blended curve."""
        reading = self._read(table, FOLDS)
        return reading.curve(blend_curves(reading.cells).log_odds, monotone=self.monotone)

    @property
    def shares_(self) -> dict[str, float]:
        """How much of the blend each family of curves is; computed when it is asked for."""
        check_is_fitted(self, "map_")
        return blend_curves(self._read(self.table_, FOLDS).cells).shares
