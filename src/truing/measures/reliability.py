"""The reliability curve as data: what was predicted and what happened, bin by bin."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from truing.measures.cases import as_table
from truing.numerics.arrays import FloatArray
from truing.numerics.binning import equal_weight_ends, equal_weight_sums
from truing.options import choose, whole_number
from truing.table import ScoreTable


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """What was predicted and what happened, in each bin that holds cases.

    Attributes
    ----------
    predicted
        The mean predicted probability of each bin, e_i.
    observed
        The share of positives in each bin, o_i.
    weight
        The weight of the cases in each bin.
    lower, upper
        The smallest and the greatest probability in each bin.
    """

    predicted: FloatArray
    observed: FloatArray
    weight: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def gaps(self) -> FloatArray:
        """Observed minus predicted: above zero where the predictions are too low."""
        return self.observed - self.predicted

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReliabilityCurve):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment] # compares by content, as arrays do

    def __len__(self) -> int:
        return len(self.weight)

    def __repr__(self) -> str:
        told = [f"{cases:.8g}" for cases in self.weight]
        wide = max(10, *map(len, told))
        columns = (self.lower, self.upper, told, self.predicted, self.observed, self.gaps)
        lines = [
            f"{low:8.4f} {high:8.4f} {cases:>{wide}} {predicted:10.4f} {observed:9.4f} {gap:+8.4f}"
            for low, high, cases, predicted, observed, gap in zip(*columns, strict=True)
        ]
        head = (
            f"{'from':>8} {'to':>8} {'cases':>{wide}} {'predicted':>10} {'observed':>9} {'gap':>8}"
        )
        return "\n".join([head, *lines])

    def to_dict(self) -> dict[str, list[float]]:
        """Return the curve as plain data, column by column."""
        return {name: getattr(self, name).tolist() for name in self.__dataclass_fields__}


def reliability_curve(
    y_true: Any,
    y_prob: Any = None,
    n_bins: int = 10,
    strategy: str = "quantile",
    sample_weight: Any = None,
    *,
    pos_label: Hashable | None = None,
) -> ReliabilityCurve:
    """Return predicted and observed frequencies in bins of predicted probability.

    With equal frequency (``"quantile"``) every bin holds exactly 1 / n_bins of the weight. What a
    border falls into is divided in proportion: a single case, where n_bins does not divide their
    number, and a block of tied predictions, as random orders of its cases would divide it on
    average. So neither the order of rows nor that of labels matters, and there may be more bins
    than cases. Prefer it: every bin is told equally well.

    With equal width (``"uniform"``) the borders are the multiples of 1 / n_bins, a prediction on a
    border belongs below it, as in scikit-learn's ``calibration_curve``, and bins without cases are
    left out. Prefer it to compare curves of several models at the same places; some of its bins
    may hold few cases.

    With few bins much is averaged away, with many each is noisy: the share of positives in a bin
    of m cases is known to some 1 / sqrt(m).

    Parameters
    ----------
    y_true, y_prob
        Labels of any two classes and probabilities of the positive one; or a `ScoreTable` alone.
    n_bins
        How many bins.
    strategy
        ``"quantile"`` or ``"uniform"``.
    sample_weight
        Weights; a case of weight 3 is three cases.
    pos_label
        The positive class, if it is not the greater of the two.

    Examples
    --------
    >>> reliability_curve([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], n_bins=2)
        from       to      cases  predicted  observed      gap
      0.1000   0.3000          2     0.2000    0.0000  -0.2000
      0.6000   0.8000          2     0.7000    1.0000  +0.3000
    """
    curve = choose("strategy", strategy, STRATEGIES)
    bins = whole_number("n_bins", n_bins)
    return curve(as_table(y_true, y_prob, sample_weight, pos_label), bins)


def _quantile(table: ScoreTable, n_bins: int) -> ReliabilityCurve:
    reached = np.cumsum(table.weights)
    held = reached[-1] / n_bins
    predicted, observed = (
        np.clip(column / held, 0.0, 1.0)
        for column in equal_weight_sums(
            reached, n_bins, table.weights * table.scores, table.positives
        )
    )
    lower, upper = (table.scores[ends] for ends in equal_weight_ends(reached, n_bins))
    return ReliabilityCurve(predicted, observed, np.full(n_bins, held), lower, upper)


def _uniform(table: ScoreTable, n_bins: int) -> ReliabilityCurve:
    place = np.searchsorted(np.linspace(0.0, 1.0, n_bins + 1)[1:-1], table.scores)
    starts = np.flatnonzero(np.concatenate([[True], place[1:] != place[:-1]]))
    ends = np.append(starts[1:], len(table)) - 1
    weight = np.add.reduceat(table.weights, starts)
    predicted, observed = (
        np.add.reduceat(column, starts) / weight
        for column in (table.weights * table.scores, table.positives)
    )
    return ReliabilityCurve(predicted, observed, weight, table.scores[starts], table.scores[ends])


Binner = Callable[[ScoreTable, int], ReliabilityCurve]
STRATEGIES: dict[str, Binner] = {"quantile": _quantile, "uniform": _uniform}
