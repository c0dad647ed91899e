"""One variational update of a mixture of normals: the model itself, its posterior and free energy.

The prior, the free energy and its constants are those of Kurihara's program; see `mixture`.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, digamma, gammaln

from truing.numerics.arrays import FloatArray
from truing.numerics.mixture_cells import Cells
from truing.numerics.mixture_labels import chances_of, label_divergence, log_chances

__all__ = [
    "PSEUDO_COUNT",
    "SHAPE",
    "Posterior",
    "Prior",
    "Update",
    "posterior_of",
    "update",
    "updates",
]

PSEUDO_COUNT = 0.01  # of cases that vouch for the prior mean: xi0 in Kurihara's program
SHAPE = 1.0  # half the prior's degrees of freedom: eta0 / 2 in Kurihara's program


class Prior(NamedTuple):
    """The base measure on the standardised scale, where its mean is 0."""

    concentration: float
    rate: float
    prevalence: float | None = None  # of positives, where cells are labelled


class Posterior(NamedTuple):
    """Normal-Gamma parameters of each component, Beta parameters of each stick."""

    pseudo_counts: FloatArray
    means: FloatArray
    shapes: FloatArray
    rates: FloatArray
    taken: FloatArray  # first parameter of each stick: what the component breaks off
    left: FloatArray  # second parameter: what it leaves to those behind it


class Update(NamedTuple):
    """What one update makes of the components' sums."""

    sums: FloatArray  # weight, weighted scores and squares, positives: one row per component
    free_energy: float  # of the posterior that follows from the sums
    holdings: FloatArray  # weight that each component (row) has of each cell (column)
    successor: FloatArray  # the next sums


AT_ONCE = 16  # updates whose matrices stay in the cache together


def update(cells: Cells, prior: Prior, sums: FloatArray) -> Update:
    """Return what one update makes of one set of sums."""
    return updates(cells, prior, sums[None])[0]


def updates(cells: Cells, prior: Prior, stack: FloatArray) -> list[Update]:
    """From sums to posterior to responsibilities to sums, with the posterior's free energy.

    The free energy is the divergence of the posterior from the prior less the log of the cells'
    normalising constants, the responsibilities being the best for that posterior. Many sets of sums
    are updated together: the matrices are so small that most of the cost is that of calls.
    """
    done: list[Update] = []
    for start in range(0, len(stack), AT_ONCE):
        done += _updates(cells, prior, stack[start : start + AT_ONCE])
    return done


def _updates(cells: Cells, prior: Prior, stack: FloatArray) -> list[Update]:
    posterior, chances = posterior_of(prior, stack), None
    fine = (stack[:, :, 0].min(axis=1) >= 0) & (posterior.rates.min(axis=1) > 0)
    if prior.prevalence is not None:
        chances = chances_of(prior.prevalence, stack)
        fine &= np.minimum(*chances).min(axis=1) > 0
    if not fine.all():  # a leap too far
        rest = iter(_updates(cells, prior, stack[fine]) if fine.any() else ())
        return [
            next(rest) if good else Update(sums, np.inf, sums, sums)
            for good, sums in zip(fine, stack, strict=True)
        ]
    terms = cells.means - posterior.means[:, :, None]
    terms *= terms
    terms += cells.variances
    terms *= (-0.5 * posterior.shapes / posterior.rates)[:, :, None]
    terms += _expected_log_heights(posterior)[:, :, None]
    if chances is not None:
        terms += log_chances(chances, cells.moments[3])
    highest = terms.max(axis=1)
    terms -= highest[:, None]
    holdings = np.exp(terms, out=terms)
    constants = holdings.sum(axis=1)
    holdings *= (cells.weights / constants)[:, None]
    fit = (highest + np.log(constants)) @ cells.weights
    divergence = _divergence(prior, posterior)
    if chances is not None and prior.prevalence is not None:
        divergence += label_divergence(chances, prior.prevalence)
    free_energies = (divergence - fit).tolist()
    successors = holdings @ cells.moments.T
    return list(map(Update, stack, free_energies, holdings, successors))


def posterior_of(prior: Prior, sums: FloatArray) -> Posterior:
    """Update every component and every stick by the conjugate rules."""
    counts, firsts, seconds = np.moveaxis(sums[..., :3], -1, 0)
    pseudo_counts = PSEUDO_COUNT + counts
    means = firsts / pseudo_counts
    rates = prior.rate + (seconds - pseudo_counts * means**2) / 2
    behind = np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1] - counts
    behind[..., -1] = 0.0
    return Posterior(
        pseudo_counts, means, SHAPE + counts / 2, rates, 1 + counts, prior.concentration + behind
    )


def _expected_log_heights(posterior: Posterior) -> FloatArray:
    """Return what the posterior expects of log weight plus log density at the expected mean."""
    whole = digamma(posterior.taken + posterior.left)
    log_left = digamma(posterior.left) - whole
    log_weights = digamma(posterior.taken) - whole + np.cumsum(log_left, axis=-1) - log_left
    log_precisions = digamma(posterior.shapes) - np.log(posterior.rates)
    heights: FloatArray = (
        log_weights + (log_precisions - np.log(2 * np.pi) - 1 / posterior.pseudo_counts) / 2
    )
    return heights


def _divergence(prior: Prior, posterior: Posterior) -> FloatArray:
    """Kullback-Leibler divergence of the posterior from the prior: sticks, means, precisions."""
    pseudo_counts, means, shapes, rates, taken, left = posterior
    alpha = prior.concentration
    sticks = (
        betaln(1.0, alpha)
        - betaln(taken, left)
        + (taken - 1) * digamma(taken)
        + (left - alpha) * digamma(left)
        - (taken - 1 + left - alpha) * digamma(taken + left)
    )
    ratio = PSEUDO_COUNT / pseudo_counts
    normals = (ratio - 1 - np.log(ratio) + PSEUDO_COUNT * shapes / rates * means**2) / 2
    gammas = (
        (shapes - SHAPE) * digamma(shapes)
        - gammaln(shapes)
        + gammaln(SHAPE)
        + SHAPE * np.log(rates / prior.rate)
        + shapes * (prior.rate / rates - 1)
    )
    divergence: FloatArray = (sticks + normals + gammas).sum(axis=-1)
    return divergence
