"""Logistic regression under normal priors, for many counts and many priors at once."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truing.numerics.arrays import FloatArray

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
