"""Calibration of the most probable class alone."""

from dataclasses import dataclass

import numpy as np

from truing.calibrators import Calibrator
from truing.multiclass.class_map import ClassMap, TopClass
from truing.multiclass.multiclass_calibrator import MulticlassCalibrator
from truing.multiclass.one_vs_rest import fit_each, one_dimensional
from truing.multiclass.reading import Reading
from truing.options import flag
from truing.table import ClassTable


@dataclass(eq=False, repr=False)
class TopLabelCalibrator(MulticlassCalibrator):
    """Only the probability of the most probable class is calibrated.

    A one-dimensional calibrator is fitted to the top probability of each case, with the cases that
    it tells right as positives. The other classes share what is left in proportion to their given
    probabilities.

    With ``by_class=True`` each class has a calibrator of its own, fitted to the cases in which it
    is the most probable one, so that what is said of a predicted class holds for that class: Gupta
    and Ramdas (2022) show that one calibrator for all does not give that. Classes that are never
    predicted, always right or always wrong take the calibrator of all cases.

    Prefer it where only the predicted class and its confidence are used. It says nothing new of the
    other classes: for a proper score of all of them prefer `VectorScalingCalibrator`.

    Where the most probable class is right in every case, or in none, the probabilities are left as
    they are.

    Parameters
    ----------
    calibrator
        The calibrator, cloned before it is fitted; None means ``BlendCalibrator()``.
    by_class
        Whether each class has a calibrator of its own.

    Attributes
    ----------
    calibrators_
        The fitted calibrators by the place of their class; that of all cases has the key −1.

    References
    ----------
    Gupta and Ramdas (2022), Top-label calibration and multiclass-to-binary reductions,
    arXiv:2107.08353.

    Examples
    --------
    >>> from truing import HistogramCalibrator
    >>> told = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.0, 0.9], [0.6, 0.2, 0.2]]
    >>> top = TopLabelCalibrator(HistogramCalibrator(n_bins=1)).fit(told, ["a", "b", "c", "b"])
    >>> top.transform(told[:2]).round(3)
    array([[0.75 , 0.125, 0.125],
           [0.167, 0.75 , 0.083]])
    """

    calibrator: Calibrator | None = None
    by_class: bool = False

    def solve(self, table: ClassTable, reading: Reading) -> ClassMap:
        """Return the map of the top probability, or of that of each class."""
        by_class, calibrator = flag("by_class", self.by_class), one_dimensional(self.calibrator)
        given = reading.chances(table.scores)
        top = given.argmax(axis=1)
        told, right = given[np.arange(len(table)), top], top == table.codes
        tables = {-1: table.of(told, right)}
        for place in np.unique(top).tolist() if by_class else []:
            rows = np.flatnonzero(top == place)
            tables[place] = table.of(told[rows], right[rows], rows)
        mixed = {place: each for place, each in tables.items() if each.holds_both}
        fitted = fit_each(calibrator, mixed, stacklevel=5)
        self.calibrators_ = fitted
        maps = {key: each.map_ for key, each in fitted.items() if key != -1}
        return TopClass(reading, maps, fitted[-1].map_ if -1 in fitted else None)
