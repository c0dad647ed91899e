"""Temperature scaling of many classes."""

from dataclasses import dataclass

import numpy as np

from truing.multiclass.class_map import ClassMap, ScaledLogits
from truing.multiclass.reading import Reading
from truing.multiclass.scaling import ScalingCalibrator
from truing.numerics.arrays import BoolArray, FloatArray
from truing.numerics.class_scaling import Affine
from truing.numerics.temperature import fit_slope
from truing.options import number_from
from truing.table import ClassTable

WHERE_SEPARATED = 1.0  # the prior's spread where no most likely temperature exists


@dataclass(eq=False, repr=False)
class TemperatureScalingCalibrator(ScalingCalibrator):
    """Temperature scaling: softmax(z / T), by maximum likelihood.

    z are logits, or the logarithms of probabilities; one number T makes all of them less certain
    (T > 1) or more. It is found by Newton's method to the last digits.

    Prefer it for few cases, or where a network is known to be merely too sure of itself. It never
    changes which class is the most probable, and cannot mend what differs between classes: see
    `VectorScalingCalibrator`, which becomes this where classes do not differ.

    Parameters
    ----------
    spread
        The spread of a normal prior on ln T around 0; None is maximum likelihood. Where the most
        probable class is the right one in every case, no most likely T exists, and a spread of 1 is
        used.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks,
    arXiv:1706.04599.

    Examples
    --------
    >>> logits = [[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 0.0]]
    >>> cooled = TemperatureScalingCalibrator().fit(logits, ["a", "b", "c", "b"])
    >>> cooled.transform(logits[:1]).round(3)
    array([[0.75 , 0.125, 0.125]])
    >>> round(cooled.temperature_, 3)
    2.232
    """

    spread: float | None = None

    def solve(self, table: ClassTable, reading: Reading) -> ClassMap:
        """Return the most likely temperature."""
        logs = reading.logs(table.scores)
        if self.spread is not None:
            spread = number_from("spread", self.spread, 0.0, above=True)
        else:
            spread = WHERE_SEPARATED if _always_right(logs, table).all() else np.inf
        slope = fit_slope(logs, table.codes, table.weights, spread)
        classes = logs.shape[1]
        return ScaledLogits(reading, Affine(np.full(classes, slope), np.zeros(classes)))

    @property
    def temperature_(self) -> float:
        """The temperature T."""
        return float(1.0 / self.coef_[0, 0])


def _always_right(logs: FloatArray, table: ClassTable) -> BoolArray:
    happened = logs[np.arange(len(table)), table.codes]
    right: BoolArray = happened == logs.max(axis=1)
    return right
