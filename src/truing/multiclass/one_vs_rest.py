"""One-dimensional calibrators for many classes: each against the rest, or each against each."""

import warnings
from collections.abc import Callable  # noqa: TC003 - a local annotation
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
from sklearn.base import clone

from truing.calibrators import BlendCalibrator, Calibrator
from truing.errors import OptionError
from truing.maps import ProbabilityMap
from truing.multiclass.class_map import (
    ClassMap,
    EachAgainstEach,
    EachAgainstRest,
    Unseen,
    pair_chances,
)
from truing.multiclass.multiclass_calibrator import MulticlassCalibrator
from truing.multiclass.reading import Reading
from truing.options import choose
from truing.table import ClassTable, ScoreTable

Key = TypeVar("Key")  # the place of a class, or those of a pair


@dataclass(eq=False, repr=False)
class OneVsRestCalibrator(MulticlassCalibrator):
    """Any one-dimensional calibrator for many classes, one class against the rest at a time.

    A calibrator is fitted to each class's probability, with the cases of that class as positives;
    then each row is made to add up to one. So histogram binning, kernels and mixtures, of which
    Naeini, Cooper and Hauskrecht left more than two classes to the future, calibrate any number of
    classes.

    With ``coupling="pairwise"`` a calibrator is fitted to each pair of classes (i, j), to the
    probabilities p_i / (p_i + p_j) of the cases of these two, and the pairs' answers r_ij are
    coupled: the probabilities of the classes minimise Σ (r_ji p_i − r_ij p_j)². Classes are
    calibrated against one another, at K (K − 1) / 2 calibrators, each of fewer cases.

    Prefer it where probabilities are bent in a way that no slope and intercept can mend, and each
    class has some hundred cases; for many classes of few cases prefer `VectorScalingCalibrator`.

    A row of which every calibrator says 0 keeps its given probabilities. A class without a case in
    the calibration data keeps its given probability, but at most 1 / (N + 2), with N the weight of
    all cases: Laplace's rule of succession.

    Parameters
    ----------
    calibrator
        The calibrator of each class, cloned before it is fitted; None means ``BlendCalibrator()``.
        Its ``prior``, ``pos_label`` and ``missing`` have no place here: see those of this one.
    coupling
        ``"normalise"`` or ``"pairwise"``.

    Attributes
    ----------
    calibrators_
        The fitted calibrators by the places of their classes: k, or (i, j).

    References
    ----------
    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability
    estimates. Hastie and Tibshirani (1998), Classification by pairwise coupling,
    https://doi.org/10.1214/aos/1028144844. Wu, Lin and Weng (2004), Probability estimates for
    multi-class classification by pairwise coupling (their second method). Naeini, Cooper and
    Hauskrecht (2014), Binary classifier calibration: non-parametric approach, arXiv:1401.3390.

    Examples
    --------
    >>> import numpy as np
    >>> from truing import HistogramCalibrator
    >>> told = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8], [0.5, 0.4, 0.1]])
    >>> each = OneVsRestCalibrator(HistogramCalibrator(n_bins=2, smoothing=1.0))
    >>> each.fit(told, ["ant", "bee", "cow", "bee"]).transform(told[:2]).round(2)
    array([[0.53, 0.26, 0.21],
           [0.21, 0.62, 0.17]])
    """

    calibrator: Calibrator | None = None
    coupling: str = "normalise"

    def solve(self, table: ClassTable, reading: Reading) -> ClassMap:
        """Return the maps of all classes, or of all pairs."""
        ways: dict[str, Callable[[ClassTable, Reading, Unseen], ClassMap]] = {
            "normalise": self._each_against_rest,
            "pairwise": self._each_against_each,
        }
        way = choose("coupling", self.coupling, ways)
        places = np.flatnonzero(~table.present)
        return way(table, reading, Unseen(places, 1.0 / (table.total + 2.0)))

    def _each_against_rest(self, table: ClassTable, reading: Reading, unseen: Unseen) -> ClassMap:
        given = reading.chances(table.scores)
        seen = np.flatnonzero(table.present).tolist()
        tables = {place: table.against_rest(place, given[:, place]) for place in seen}
        maps = self._fit_each(tables)
        return EachAgainstRest(reading, maps, unseen)

    def _each_against_each(self, table: ClassTable, reading: Reading, unseen: Unseen) -> ClassMap:
        logs = reading.logs(table.scores)
        tables: dict[tuple[int, int], ScoreTable] = {}
        for one, other in combinations(np.flatnonzero(table.present).tolist(), 2):
            rows = np.flatnonzero((table.codes == one) | (table.codes == other))
            chances = pair_chances(logs[rows], one, other)
            tables[one, other] = table.against_rest(one, chances, rows)
        maps = self._fit_each(tables)
        return EachAgainstEach(reading, maps, unseen)

    def _fit_each(self, tables: dict[Key, ScoreTable]) -> dict[Key, ProbabilityMap]:
        fitted = fit_each(one_dimensional(self.calibrator), tables, stacklevel=7)
        self.calibrators_ = dict(fitted)
        return {key: each.map_ for key, each in fitted.items()}


def one_dimensional(calibrator: Calibrator | None) -> Calibrator:
    """Return a calibrator to be cloned, checked for options that make sense for two classes."""
    if calibrator is None:
        return BlendCalibrator()
    if not isinstance(calibrator, Calibrator):
        raise OptionError(
            f"calibrator is {calibrator!r}; it must be a calibrator of one score, such as "
            "IsotonicCalibrator(), or None for BlendCalibrator()."
        )
    for name, usual in (("prior", None), ("pos_label", None), ("missing", "error")):
        value = getattr(calibrator, name)
        if value != usual:
            raise OptionError(
                f"The calibrator's {name} is {value!r}; for many classes it must be {usual!r}."
            )
    return calibrator


def fit_each(
    calibrator: Calibrator, tables: dict[Key, ScoreTable], stacklevel: int
) -> dict[Key, Calibrator]:
    """Return a clone of the calibrator for each table; what they warn of is told once."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fitted = {key: clone(calibrator).fit_table(table) for key, table in tables.items()}
    for text in sorted({str(warning.message) for warning in told}):
        count = sum(str(warning.message) == text for warning in told)
        warnings.warn(
            f"In {count} of {len(tables)} fits: {text}", UserWarning, stacklevel=stacklevel
        )
    return fitted
