"""Scores and labels together as one mixture whose number of components the data decide.

The model of `mixture` with a label added to every score: beside its normal each component has the
chance that a case of it is positive. Algorithm and prior are the same; the free energy has a term
more, and the greedy search may also try to take a component's positives out.

More than 1,500 scores of a class are pooled into some 250 cells, coarser than those of `mixture`.

Departure: of two fits the average is taken. Greedy splitting ends with few components: it follows
the scores well, and the chance of a positive only where that pays. Updating groups of equal mass a
hundred times leaves more components, whose chances follow faster and are noisier. The average
predicts better than either.
"""

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.mixture import Frame, find_components, predictive, prior_of
from truing.numerics.mixture_cells import Cells, coarse_cells, labelled_cells, pooled_cells
from truing.numerics.mixture_labels import chances_of
from truing.numerics.mixture_update import Prior, update
from truing.numerics.student_mixture import StudentMixture

__all__ = ["fit_joint_mixture"]

_GROUPS = 10
_UPDATES = 100


def fit_joint_mixture(
    scores: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    *,
    concentration: float = 1.0,
    truncation: int = 20,
    tolerance: float = 1e-5,
) -> tuple[StudentMixture, StudentMixture, float]:
    r"""Estimate the joint distribution of scores and labels; see `fit_mixture`.

    .. math::
        y \mid k \sim \mathrm{Bernoulli}(\theta_k), \quad \theta_k \sim \mathrm{Beta}(b, 1 - b)

    beside the normal of component *k*, with *b* the prevalence. Returned are the predictive density
    of the scores of negatives, that of positives, and the log-odds of a case's being positive. Both
    densities have the same components, those of two fits; a component's weight is shared between
    the classes in proportion to its chance. The free energies are those of the greedy search.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.concatenate([np.linspace(-1.1, -0.9, 40), np.linspace(0.5, 1.5, 60)])
    >>> positives = np.where(scores < 0, 0.25, 0.75)
    >>> one, other, log_odds = fit_joint_mixture(scores, 1 - positives, positives)
    >>> places = np.array([-1.0, 1.0])
    >>> odds = np.exp(other.log_density(places) - one.log_density(places) + log_odds)
    >>> (odds / (1 + odds)).round(2)
    array([0.26, 0.74])
    """
    classes, weights = (negatives, positives), negatives + positives
    frame = Frame.of(scores, weights)
    places = frame.read(scores)
    apart = [pooled_cells(places[held > 0.0], held[held > 0.0]) for held in classes]
    cells = labelled_cells(*map(coarse_cells, apart))
    prevalence = float(positives.sum() / weights.sum())
    prior = prior_of(concentration, prevalence)
    path = find_components(cells, cells, prior, truncation, tolerance)
    fits = [path[-1].sums]
    if truncation > 1:
        fits += _from_groups(cells, prior, min(_GROUPS, truncation))
    energies = frame.energies(path, cells.total)
    return _by_class([predictive(sums, prior, frame, energies) for sums in fits], fits, prior)


def groups_of_equal_mass(cells: Cells, count: int) -> FloatArray:
    """Return the sums of groups of neighbours in score, each class having half of all mass.

    A cell on a border is divided, so that groups move smoothly with the weights.
    """
    labels = cells.moments[3]
    of_class = np.where(labels > 0.0, cells.weights @ labels, cells.weights @ (1.0 - labels))
    mass = cells.weights / of_class
    ends = np.cumsum(mass)
    borders = np.linspace(0.0, ends[-1], count + 1)[:, None]
    parts = np.minimum(ends, borders[1:]) - np.maximum(ends - mass, borders[:-1])
    sums: FloatArray = np.maximum(parts, 0.0) * of_class @ cells.moments.T
    return sums


def _from_groups(cells: Cells, prior: Prior, count: int) -> list[FloatArray]:
    """Return the sums after updates; none where rounding leaves a group no width at all."""
    current = update(cells, prior, groups_of_equal_mass(cells, count))
    for _ in range(_UPDATES):
        current = update(cells, prior, current.successor)
    return [current.sums] if np.isfinite(current.free_energy) else []


def _by_class(
    fits: list[StudentMixture], given: list[FloatArray], prior: Prior
) -> tuple[StudentMixture, StudentMixture, float]:
    """Average the fits, and share each component's weight between the classes by its chance."""
    prevalence = prior.prevalence or 0.0
    chances = np.concatenate([[*chances_of(prevalence, sums).means, prevalence] for sums in given])
    positives = np.concatenate([[*sums[:, 3], 0.0] for sums in given]) / len(given)
    weights, locations, scales, degrees, cases = (
        np.concatenate([getattr(fit, name) for fit in fits])
        for name in ("weights", "locations", "scales", "degrees", "cases")
    )
    classes = [
        (weights * (1.0 - chances), cases / len(fits) - positives),
        (weights * chances, positives),
    ]
    one, other = (
        StudentMixture(share / share.sum(), locations, scales, degrees, held, fits[0].free_energies)
        for share, held in classes
    )
    odds = np.log(classes[1][0].sum()) - np.log(classes[0][0].sum())
    return one, other, float(odds)
