"""Logistic regression under normal priors, for many counts and many priors at once."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import sigmoid

STEPS, HALVINGS = 100, 40
ENOUGH = 1e-13  # of log-likelihood promised by a step: Newton squares the error, nothing is left
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Posterior:
    """Modes, and negative second derivatives there, in units of the prior scales."""

    mode: FloatArray
    objective: FloatArray
    curvature: FloatArray

    @property
    def log_evidence(self) -> FloatArray:
        """Laplace's approximation of the log evidence."""
        evidence: FloatArray = self.objective - 0.5 * np.linalg.slogdet(self.curvature)[1]
        return evidence

    def deviations(self, rows: FloatArray, scales: FloatArray) -> FloatArray:
        """Return the standard deviation of what the coefficients add at rows of a design."""
        root = np.linalg.inv(np.linalg.cholesky(self.curvature)) * scales[:, None, :]
        told: FloatArray = np.sqrt(np.square(root @ rows.T).sum(axis=1))
        return told


@dataclass(frozen=True, eq=False)
class Problems:
    """One design and one offset of the log-odds; for each problem counts and prior scales.

    The log-odds at the places are offset + design · (scales · mode), the prior of the mode is
    standard normal.
    """

    design: FloatArray  # places x columns
    offset: FloatArray
    positives: FloatArray  # problems x places
    totals: FloatArray
    scales: FloatArray  # problems x columns

    def lift(self, mode: FloatArray) -> FloatArray:
        """Return what the coefficients add to the offset."""
        added: FloatArray = (mode * self.scales) @ self.design.T
        return added

    def those(self, rows: npt.NDArray[np.intp]) -> "Problems":
        """Return some of the problems."""
        parts = self.positives[rows], self.totals[rows], self.scales[rows]
        return Problems(self.design, self.offset, *parts)

    def objective(self, log_odds: FloatArray, mode: FloatArray) -> FloatArray:
        """Return log-likelihood plus log prior."""
        gained = log_likelihood(log_odds, self.positives, self.totals)
        told: FloatArray = gained - 0.5 * (mode * mode).sum(axis=1)
        return told


@dataclass(frozen=True, eq=False)
class Point:
    """Where each problem has got to."""

    mode: FloatArray
    log_odds: FloatArray
    objective: FloatArray


def log_likelihood(log_odds: FloatArray, positives: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the log-likelihood of counts, row by row.

    >>> log_likelihood(np.array([[0.0]]), np.array([[1.0]]), np.array([[2.0]])).round(6)
    array([-1.386294])
    """
    distance = np.abs(log_odds)
    # The less probable class pays for the distance, so that nothing cancels.
    missed = np.where(log_odds > 0.0, totals - positives, positives)
    paid = missed * distance + totals * np.log1p(np.exp(-distance))
    told: FloatArray = -paid.sum(axis=-1)
    return told


def mean_from_mode(problems: Problems, found: Posterior, deviations: FloatArray) -> FloatArray:
    """Return the mean of each posterior, to the next order of Laplace's approximation.

    It is θ − ½ H⁻¹ Σ n p (1 − p) (1 − 2p) v x with θ the mode, H the curvature, and v the variance
    of the log-odds at each place. Without it, rare positives were expected too often.
    """
    chance = sigmoid(problems.offset + problems.lift(found.mode))
    third = problems.totals * chance * (1.0 - chance) * (1.0 - 2.0 * chance)
    pull = -0.5 * ((third * np.square(deviations)) @ problems.design) * problems.scales
    mean: FloatArray = found.mode + np.linalg.solve(found.curvature, pull[:, :, None])[:, :, 0]
    return mean


def mean_of_sigmoid(means: FloatArray, deviations: FloatArray) -> FloatArray:
    """Return the mean of the sigmoid of normal log-odds, for means that are not above 0.

    MacKay (1992) reads the mean, shrunk, as log-odds. Far out that is too much by orders of
    magnitude; there, with E σ(x) = exp(m + s²/2) E σ(−x) under a normal around m + s², the other
    side is approximated likewise, and little is left to it.

    >>> mean_of_sigmoid(np.array([-6.0, -1.0, 0.0]), np.array([1.0, 1.0, 5.0])).round(4)
    array([0.004 , 0.3033, 0.5   ])
    """
    half = 0.5 * np.square(deviations)
    moved = means + 2.0 * half
    near = np.where(means > -half, means, -moved) / np.sqrt(1.0 + np.pi / 4.0 * half)
    told: FloatArray = sigmoid(near) * np.exp(np.minimum(means + half, 0.0))
    return told


def find_posterior(problems: Problems, start: FloatArray | None = None) -> Posterior:
    """Return the mode of each problem by Newton's method, with halved steps where it must be."""
    count, width = problems.scales.shape
    mode = np.zeros((count, width)) if start is None else start.copy()
    log_odds = problems.offset + problems.lift(mode)
    objective = problems.objective(log_odds, mode)
    curvature = np.empty((count, width, width))
    products, left = _products(problems.design), np.arange(count)
    for _ in range(STEPS):
        some, here = problems.those(left), Point(mode[left], log_odds[left], objective[left])
        gradient, curvature[left] = _derivatives(some, here, products)
        step = np.linalg.solve(curvature[left], gradient[:, :, None])[:, :, 0].astype(float)
        there = _search(some, here, step)
        mode[left], log_odds[left], objective[left] = there.mode, there.log_odds, there.objective
        left = left[(gradient * step).sum(axis=1) > ENOUGH]
        if not len(left):
            break
    return Posterior(mode, objective, curvature)


def _search(problems: Problems, here: Point, step: FloatArray) -> Point:
    """Take each step, halved until the objective gets no worse."""
    length, added = np.ones((len(step), 1)), problems.lift(step)
    least = here.objective - ROUNDING * np.abs(here.objective)
    for _ in range(HALVINGS):
        mode, log_odds = here.mode + length * step, here.log_odds + length * added
        objective = problems.objective(log_odds, mode)
        worse = ~(objective >= least)
        if not worse.any():
            break
        length[worse] *= 0.5
    stay = worse[:, None]
    return Point(
        np.where(stay, here.mode, mode),
        np.where(stay, here.log_odds, log_odds),
        np.where(worse, here.objective, objective),
    )


def _products(design: FloatArray) -> FloatArray:
    """Return the products of all pairs of columns, so that curvatures are one multiplication."""
    rows, columns = np.triu_indices(design.shape[1])
    return design[:, rows] * design[:, columns]


def _derivatives(
    problems: Problems, here: Point, products: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the gradient, and the negative second derivatives, in units of the prior scales."""
    far = np.exp(-np.abs(here.log_odds))
    near = far / (1.0 + far)
    chance = np.where(here.log_odds < 0.0, near, 1.0 - near)
    missed = problems.positives - problems.totals * chance
    gradient = (missed @ problems.design) * problems.scales - here.mode
    bend = (problems.totals * near / (1.0 + far)) @ products
    width = problems.design.shape[1]
    rows, columns = np.triu_indices(width)
    curvature = np.empty((len(bend), width, width))
    curvature[:, rows, columns] = curvature[:, columns, rows] = bend
    curvature *= problems.scales[:, :, None] * problems.scales[:, None, :]
    curvature[:, range(width), range(width)] += 1.0
    return gradient, curvature
