"""Cross Venn-Abers prediction."""

from dataclasses import dataclass

import numpy as np

from truing.calibrators.interval import IntervalCalibrator
from truing.calibrators.venn_abers import venn_abers_ends
from truing.maps import Steps
from truing.maps.steps import on_common_edges
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import log_odds, sigmoid
from truing.options import choose
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class CrossVennAbersCalibrator(IntervalCalibrator):
    """Cross Venn-Abers prediction: several Venn-Abers predictors, merged.

    The cases are dealt into folds, and for each fold k a `VennAbersCalibrator` learns from all
    others, which gives p0_k and p1_k at every score. With GM the geometric mean over folds the
    probability is

        p = GM(p1) / (GM(1 − p0) + GM(p1)),

    the safest for the log loss; ``loss="brier"`` takes the mean of p1 + p0² / 2 − p1² / 2, the
    safest for the Brier score. `predict_interval` tells, for the log loss, the means of the p0_k
    and of the p1_k in log-odds, and plain means for the Brier score; the probability lies between
    them. The promise of validity holds for each fold's interval, not for what is made of them.

    Prefer it to `VennAbersCalibrator` for a somewhat smoother answer with somewhat less log loss,
    if several times the work is no matter.

    Departure from the paper: there the model is trained on all but one fold and the predictor
    learns from that fold alone. Here scores are given, so that nothing is to be kept from the
    predictor but what makes it differ from the others: it learns from all folds but one.

    Parameters
    ----------
    n_folds
        How many folds, from 2; see `ScoreTable.folds`.
    loss
        ``"log"`` or ``"brier"``, for which the merged probability is the safest.

    Attributes
    ----------
    lower_, upper_
        The maps of the interval's ends, beside `map_`.

    References
    ----------
    Vovk, Petej and Fedorova (2015), Large-scale probabilistic predictors with and without
    guarantees of validity, NIPS, arXiv:1511.00213.

    Examples
    --------
    >>> cross = CrossVennAbersCalibrator(n_folds=2)
    >>> cross = cross.fit([0.1, 0.2, 0.4, 0.6, 0.8, 0.9], [0, 1, 0, 1, 0, 1])
    >>> cross.transform([0.0, 0.3, 1.0]).round(3)
    array([0.366, 0.449, 0.634])
    """

    n_folds: int = 5
    loss: str = "log"

    def _solve_all(self, table: ScoreTable) -> tuple[Steps, Steps, Steps]:
        loss = choose("loss", self.loss, LOSSES)
        edges, lows, highs = self._folds(table)
        merged = np.maximum.accumulate(np.clip(loss.merge(lows, highs), 0.0, 1.0))
        ends = loss.average(lows), loss.average(highs)
        return Steps(edges, merged), Steps(edges, ends[0]), Steps(edges, ends[1])

    def _folds(self, table: ScoreTable) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return common edges, and p0 and p1 of each fold between them, one fold per row."""
        parts = [train for train, _ in table.folds(self.n_folds) if len(train)]
        ends = [venn_abers_ends(train) for train in parts]
        edges, values = on_common_edges(*(end for pair in ends for end in pair))
        return edges, np.array(values[0::2]), np.array(values[1::2])


class _LogLoss:
    @staticmethod
    def merge(lows: FloatArray, highs: FloatArray) -> FloatArray:
        against = np.exp(np.log1p(-lows).mean(axis=0))
        in_favour = np.exp(np.log(highs).mean(axis=0))
        merged: FloatArray = in_favour / (against + in_favour)
        return merged

    @staticmethod
    def average(ends: FloatArray) -> FloatArray:
        return sigmoid(log_odds(ends).mean(axis=0))


class _BrierScore:
    @staticmethod
    def merge(lows: FloatArray, highs: FloatArray) -> FloatArray:
        merged: FloatArray = (highs + 0.5 * (lows - highs) * (lows + highs)).mean(axis=0)
        return merged

    @staticmethod
    def average(ends: FloatArray) -> FloatArray:
        mean: FloatArray = ends.mean(axis=0)
        return mean


LOSSES: dict[str, type[_LogLoss] | type[_BrierScore]] = {"log": _LogLoss, "brier": _BrierScore}
