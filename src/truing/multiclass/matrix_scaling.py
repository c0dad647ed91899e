"""Matrix scaling, shrunk towards vector scaling."""

from dataclasses import dataclass
from typing import ClassVar

from truing.multiclass.class_map import ClassMap, ScaledLogits
from truing.multiclass.reading import Reading
from truing.multiclass.scaling import ScalingCalibrator
from truing.multiclass.vector_scaling import shrunk_vector, spreads
from truing.numerics.class_scaling import MATRICES, Cases, fit_matrix
from truing.table import ClassTable


@dataclass(eq=False, repr=False)
class MatrixScalingCalibrator(ScalingCalibrator):
    """Matrix scaling: softmax(W z + c), where every logit may bear on every class.

    z are logits, or the logarithms of probabilities, less their mean in each row, so that adding a
    number to all logits of a case changes nothing. W and c have a normal prior around what
    `VectorScalingCalibrator` finds; for each of some spreads the most probable matrix is found by
    L-BFGS on axes that make the curvature even, and these are averaged, with the vector's alone, by
    their evidence. With K classes there are K (K + 1) numbers to be found; the prior keeps them
    from being found in noise: without it matrix scaling overfits from some ten classes on.

    Prefer it where classes are mistaken for one another systematically, and cases are plenty:
    several times K (K + 1). With fewer it becomes vector scaling.

    Parameters
    ----------
    spread
        The spread of the matrix's numbers as a share of the common slope; None lets the evidence
        decide.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks,
    arXiv:1706.04599. Kull, Perello-Nieto, Kängsepp, Silva Filho, Song and Flach (2019), Beyond
    temperature scaling: obtaining well-calibrated multiclass probabilities with Dirichlet
    calibration, arXiv:1910.12656 (for two penalties, on the matrix off its diagonal and on the
    intercepts; here they come of the prior, and their strength of the evidence). Martens and Grosse
    (2015), Optimizing neural networks with Kronecker-factored approximate curvature,
    arXiv:1503.05671 (for the curvature in the evidence).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = 2.0 * rng.normal(size=(3000, 3))
    >>> told = truth @ np.array([[0.8, 0.4, 0.0], [0.2, 0.6, 0.0], [0.0, 0.0, 1.0]])
    >>> shares = np.exp(truth) / np.exp(truth).sum(axis=1, keepdims=True)
    >>> label = (shares.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)
    >>> matrix = MatrixScalingCalibrator().fit(told[:2000], label[:2000])
    >>> off = np.abs(matrix.transform(told[2000:]) - shares[2000:]).mean()
    >>> bool(off < 0.02)
    True
    """

    spread: float | None = None
    _centred: ClassVar[bool] = True

    def solve(self, table: ClassTable, reading: Reading) -> ClassMap:
        """Return the matrix and the intercepts."""
        read = reading.logs if self._centred else reading.raw_logs
        grid = spreads("spread", self.spread, MATRICES)
        centred = Cases(reading.logs(table.scores), table.codes, table.weights)
        cases = Cases(read(table.scores), table.codes, table.weights)
        found = fit_matrix(cases, shrunk_vector(centred), grid, alone=self.spread is None)
        return ScaledLogits(reading, found, self._centred)
