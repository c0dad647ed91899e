"""Dirichlet calibration: matrix scaling of log-probabilities."""

from dataclasses import dataclass
from typing import ClassVar

from truing.multiclass.matrix_scaling import MatrixScalingCalibrator


@dataclass(eq=False, repr=False)
class DirichletCalibrator(MatrixScalingCalibrator):
    """Dirichlet calibration: softmax(W ln p + c).

    It is right where the probabilities p of the cases of each class follow a Dirichlet
    distribution, and for two classes it is beta calibration. Logits are made log-probabilities
    first. The prior that keeps it from overfitting, and how its strength is chosen, are those of
    `MatrixScalingCalibrator`; the two differ in that ln p is taken here as it is, so that how
    certain a row is as a whole may bear on each class.

    Prefer it to matrix scaling where the scores are probabilities of a model that is no network,
    such as naive Bayes or a forest. Exact zeros are read as half of the least probability seen.

    Parameters
    ----------
    spread
        The spread of the matrix's numbers as a share of the common slope; None lets the evidence
        decide.

    References
    ----------
    Kull, Perello-Nieto, Kängsepp, Silva Filho, Song and Flach (2019), Beyond temperature scaling:
    obtaining well-calibrated multiclass probabilities with Dirichlet calibration, arXiv:1910.12656.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> label = rng.integers(0, 3, 1500)
    >>> told = rng.dirichlet([1.0, 1.0, 1.0], 1500) * 0.8 + 0.2 * np.eye(3)[label]
    >>> trued = DirichletCalibrator().fit(told[:1000], label[:1000])
    >>> right = trued.transform(told[1000:])[np.arange(500), label[1000:]]
    >>> bool(np.log(right).mean() > np.log(told[1000:][np.arange(500), label[1000:]]).mean())
    True
    """

    _centred: ClassVar[bool] = False
