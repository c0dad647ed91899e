"""Dirichlet-process mixtures, the paper's DPM."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from truing.calibrators.calibrator import Calibrator
from truing.maps import DensityRatio, ProbabilityMap
from truing.maps.scale import SCALES
from truing.numerics.arrays import FloatArray
from truing.numerics.mixture import fit_mixture
from truing.numerics.student_mixture import StudentMixture
from truing.options import choose, number_from, whole_number
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class MixtureCalibrator(Calibrator):
    """Dirichlet-process mixtures: Bayes' rule with a Bayesian mixture density for each class.

    p(x) = P₁ p₁(x) / (P₁ p₁(x) + P₀ p₀(x)); each class density is a mixture of normals whose number
    of components the data decide, fitted by accelerated variational inference and predicted as a
    mixture of Student's t. Nothing is random: the same table gives the same map.

    Prefer it for scores that gather in clusters or are not monotone, also with few cases. Where
    scores crowd at 0 and 1, normals follow them badly; ``scale="log-odds"`` mends that.

    Parameters
    ----------
    concentration
        The process's α: the greater, the more components are expected.
    truncation
        The most components per class.
    scale
        ``"score"`` for densities of the scores as they are, ``"log-odds"`` for densities of the
        log-odds of probabilities.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration: non-parametric approach,
    arXiv:1401.3390. Kurihara, Welling and Vlassis (2007), Accelerated variational Dirichlet process
    mixtures.

    Examples
    --------
    >>> scores = [0.10, 0.12, 0.14, 0.16, 0.60, 0.62, 0.64, 0.66]
    >>> mixture = MixtureCalibrator().fit(scores, [0, 0, 0, 1, 1, 1, 1, 0])
    >>> mixture.transform([0.1, 0.65]).round(2)
    array([0.08, 0.72])
    >>> negatives, positives = mixture.components_
    >>> positives.locations.round(2), positives.cases.round(1)
    (array([0.62, 0.16, 0.5 ]), array([3., 1., 0.]))
    """

    concentration: float = 1.0
    truncation: int = 20
    scale: str = "score"

    @property
    def _takes_margins(self) -> bool:
        return self.scale != "log-odds"

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the ratio of the two mixture densities."""
        scale = choose("scale", self.scale, SCALES).of(table.scores)
        places = table.move(scale.read(table.scores))
        negatives, positives = (
            self._density(places.scores, weights)
            for weights in (places.negatives, places.positives)
        )
        odds = np.log(places.positives.sum()) - np.log(places.negatives.sum())
        return DensityRatio(negatives, positives, float(odds), scale)

    def _density(self, points: FloatArray, weights: FloatArray) -> StudentMixture:
        held = weights > 0.0
        return fit_mixture(
            points[held],
            weights[held],
            concentration=number_from("concentration", self.concentration, 0.0, above=True),
            truncation=whole_number("truncation", self.truncation),
        )

    @property
    def components_(self) -> tuple[StudentMixture, StudentMixture]:
        """The fitted mixtures of the negatives and of the positives, on the calibrator's scale.

        Each has weights, locations, scales and degrees of freedom of its components, the weight of
        the cases that belong to them, and last the empty tail, which stands for all components that
        no case has asked for.
        """
        check_is_fitted(self)
        ratio = cast("DensityRatio", self.map_)
        return ratio.negatives, ratio.positives

    @property
    def free_energies_(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The free energy after each step of the search, of negatives and positives; never rising.

        Its negative is a lower bound of the log evidence: the lower, the better the mixture.
        """
        negatives, positives = self.components_
        return negatives.free_energies, positives.free_energies
