"""One variational update of a mixture of normals: the model itself, its posterior and free energy.

The prior, the free energy and its constants are those of Kurihara's program; see `mixture`.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, digamma, gammaln

from truing.numerics.arrays import FloatArray
from truing.numerics.mixture_cells import Cells

__all__ = ["PSEUDO_COUNT", "SHAPE", "Posterior", "Prior", "Update", "posterior_of", "update"]

PSEUDO_COUNT = 0.01  # of cases that vouch for the prior mean: xi0 in Kurihara's program
SHAPE = 1.0  # half the prior's degrees of freedom: eta0 / 2 in Kurihara's program


class Prior(NamedTuple):
    """The base measure on the standardised scale, where its mean is 0."""

    concentration: float
    rate: float


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

    sums: FloatArray  # weight, weighted scores and weighted squares: one row per component
    free_energy: float  # of the posterior that follows from the sums
    holdings: FloatArray  # weight that each component (row) has of each cell (column)
    successor: FloatArray  # the next sums


def update(cells: Cells, prior: Prior, sums: FloatArray) -> Update:
    """From sums to posterior to responsibilities to sums, with the posterior's free energy.

    The free energy is the divergence of the posterior from the prior less the log of the cells'
    normalising constants, the responsibilities being the best for that posterior.
    """
    posterior = posterior_of(prior, sums)
    if sums[:, 0].min() < 0 or posterior.rates.min() <= 0:  # a leap too far
        return Update(sums, np.inf, sums, sums)
    terms = cells.means - posterior.means[:, None]
    terms *= terms
    terms += cells.variances
    terms *= (-0.5 * posterior.shapes / posterior.rates)[:, None]
    terms += _expected_log_heights(posterior)[:, None]
    highest = terms.max(axis=0)
    terms -= highest
    holdings = np.exp(terms, out=terms)
    constants = holdings.sum(axis=0)
    holdings *= cells.weights / constants
    fit = cells.weights @ (highest + np.log(constants))
    free_energy = float(_divergence(prior, posterior) - fit)
    return Update(sums, free_energy, holdings, holdings @ cells.moments.T)


def posterior_of(prior: Prior, sums: FloatArray) -> Posterior:
    """Update every component and every stick by the conjugate rules."""
    counts, firsts, seconds = sums.T
    pseudo_counts = PSEUDO_COUNT + counts
    means = firsts / pseudo_counts
    rates = prior.rate + (seconds - pseudo_counts * means**2) / 2
    behind = np.cumsum(counts[::-1])[::-1] - counts
    behind[-1] = 0.0
    return Posterior(
        pseudo_counts, means, SHAPE + counts / 2, rates, 1 + counts, prior.concentration + behind
    )


def _expected_log_heights(posterior: Posterior) -> FloatArray:
    """Return what the posterior expects of log weight plus log density at the expected mean."""
    whole = digamma(posterior.taken + posterior.left)
    log_left = digamma(posterior.left) - whole
    log_weights = digamma(posterior.taken) - whole + np.cumsum(log_left) - log_left
    log_precisions = digamma(posterior.shapes) - np.log(posterior.rates)
    heights: FloatArray = (
        log_weights + (log_precisions - np.log(2 * np.pi) - 1 / posterior.pseudo_counts) / 2
    )
    return heights


def _divergence(prior: Prior, posterior: Posterior) -> float:
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
    return float((sticks + normals + gammas).sum())
