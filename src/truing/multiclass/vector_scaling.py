"""Vector scaling, shrunk towards temperature scaling."""

from dataclasses import dataclass
from typing import Any, ClassVar

from truing.multiclass.class_map import ClassMap, ScaledLogits
from truing.multiclass.reading import Reading
from truing.multiclass.scaling import ScalingCalibrator
from truing.numerics.class_scaling import INTERCEPTS, SLOPES, Affine, Cases, fit_vector
from truing.numerics.temperature import fit_slope
from truing.options import number_from
from truing.table import ClassTable

SPREAD = 1.0  # of the prior on the logarithm of the common slope


@dataclass(eq=False, repr=False)
class VectorScalingCalibrator(ScalingCalibrator):
    """Vector scaling: softmax(a_k z_k + c_k), with a slope and an intercept for each class.

    z are logits, or the logarithms of probabilities. Slopes have a normal prior around a common
    slope, the inverse of a temperature, and intercepts around 0; for each of some spreads of
    either the most probable parameters are found by Newton's method, and averaged by their evidence
    (Laplace's approximation). So with few cases it becomes temperature scaling, and it is safe to
    use for any number of classes.

    Prefer it to temperature scaling: it is hardly ever worse, and better where some classes are
    told too often.

    Parameters
    ----------
    slope_spread
        The spread of the slopes as a share of the common slope; None lets the evidence decide.
    intercept_spread
        The spread of the intercepts; None lets the evidence decide.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks,
    arXiv:1706.04599. MacKay (1992), The evidence framework applied to classification networks,
    https://doi.org/10.1162/neco.1992.4.5.720.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> logits = 3.0 * rng.normal(size=(2000, 3))
    >>> shares = np.exp(0.5 * logits + [0.0, 0.0, 1.0])
    >>> drawn = (shares / shares.sum(axis=1, keepdims=True)).cumsum(axis=1) < rng.random((2000, 1))
    >>> vector = VectorScalingCalibrator().fit(logits, drawn.sum(axis=1))
    >>> vector.coef_.diagonal().round(1), (vector.intercept_ - vector.intercept_[0]).round(1)
    (array([0.5, 0.5, 0.5]), array([0. , 0.1, 1. ]))
    """

    priors: ClassVar[tuple[str, ...]] = ("slope_spread", "intercept_spread")
    slope_spread: float | None = None
    intercept_spread: float | None = None

    def solve(self, table: ClassTable, reading: Reading) -> ClassMap:
        """Return the slopes and intercepts."""
        cases = Cases(reading.logs(table.scores), table.codes, table.weights)
        slopes = spreads("slope_spread", self.slope_spread, SLOPES)
        intercepts = spreads("intercept_spread", self.intercept_spread, INTERCEPTS)
        return ScaledLogits(reading, shrunk_vector(cases, slopes, intercepts))


def shrunk_vector(
    cases: Cases, slopes: tuple[float, ...] = SLOPES, intercepts: tuple[float, ...] = INTERCEPTS
) -> Affine:
    """Return slopes and intercepts around the most probable common slope."""
    slope = fit_slope(cases.logits, cases.codes, cases.weights, SPREAD)
    return fit_vector(cases, slope, slopes, intercepts)


def spreads(name: str, given: Any, grid: tuple[float, ...]) -> tuple[float, ...]:
    """Return the spreads to try: the one given, or the grid where None is."""
    return grid if given is None else (number_from(name, given, 0.0, above=True),)
