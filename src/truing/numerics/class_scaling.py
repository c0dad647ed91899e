"""Vector and matrix scaling of logits, shrunk as much as the evidence asks for.

What happened is told by softmax(z Wᵀ + c). Slopes, intercepts and the rest of the matrix have
normal priors around a simpler model, for a few spreads of these priors. For each spread the most
probable parameters are found, and Laplace's approximation says how probable the data are; the
parameters are averaged by that. So few cases leave the simpler model as it is, and no choice flips.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
from scipy.optimize import minimize

from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.softmax import log_softmax, lost, softmax

SLOPES = (0.01, 0.06, 0.4)  # spreads of the slopes of classes, as shares of the common slope
INTERCEPTS = (0.01, 0.05, 0.2, 0.8)
MATRICES = (0.003, 0.01, 0.03, 0.1, 0.3)  # of the rest of the matrix, likewise
HARDLY = 0.001  # the spread of a matrix that is left out
LEAST_INTERCEPT = 0.05  # the spread of a matrix's intercepts is that of its rest, or this
STEPS = 100
CLOSE = 1e-12  # of the cost: what Newton's method still promises when it ends
HOPELESS = 40.0  # nats of evidence behind: what weighs less than digits have room for

Grid: TypeAlias = Iterable[float]
Cost: TypeAlias = Callable[[FloatArray], float]


@dataclass(frozen=True)
class Affine:
    """Logits z Wᵀ + c; a matrix that is None has slopes on its diagonal alone.

    ``spreads`` are the spreads of its priors, averaged as the parameters are.
    """

    slopes: FloatArray
    intercepts: FloatArray
    rest: FloatArray | None = None
    spreads: tuple[float, ...] = ()

    def __call__(self, logits: FloatArray) -> FloatArray:
        """Return the scaled logits."""
        scaled = self.slopes * logits + self.intercepts
        return scaled if self.rest is None else scaled + logits @ self.rest.T


@dataclass(frozen=True)
class Cases:
    """Logits, the place of the class that happened, and weights."""

    logits: FloatArray
    codes: IntArray
    weights: FloatArray

    def excess(self, logits: FloatArray) -> FloatArray:
        """Return w (p − y): what the cost's derivatives by the logits are."""
        with np.errstate(under="ignore"):
            excess: FloatArray = np.exp(log_softmax(logits))
        excess[np.arange(len(self.codes)), self.codes] -= 1.0
        excess *= self.weights[:, None]
        return excess

    def cost(self, logits: FloatArray) -> float:
        """Return −Σ w ln p of what happened."""
        return lost(logits, self.codes, self.weights)


# ---------------------------------------------------------------------------------- vector scaling


def fit_vector(
    cases: Cases, slope: float, slopes: Grid = SLOPES, starts: Grid = INTERCEPTS
) -> Affine:
    """Return slopes and intercepts of the classes, shrunk towards a common slope."""
    classes = cases.logits.shape[1]
    at, found, evidence = np.zeros(2 * classes), [], []
    for of_slopes, of_intercepts in product(slopes, starts):
        spreads = np.repeat([of_slopes * slope, of_intercepts], classes)
        at, told = _climb_vector(cases, slope, spreads, at)
        found.append(at)
        evidence.append(told)
    mean = _average(found, evidence)
    spreads = np.exp(_average([np.log(pair) for pair in product(slopes, starts)], evidence))
    return Affine(slope + mean[:classes], mean[classes:], spreads=tuple(spreads.tolist()))


def _climb_vector(
    cases: Cases, slope: float, spreads: FloatArray, at: FloatArray
) -> tuple[FloatArray, float]:
    """Newton's method from a start; the answer and the logarithm of its evidence."""
    precision, classes = spreads**-2.0, cases.logits.shape[1]

    def scaled(at: FloatArray) -> FloatArray:
        return (slope + at[:classes]) * cases.logits + at[classes:]

    def cost(at: FloatArray) -> float:
        return cases.cost(scaled(at)) + 0.5 * float(precision @ at**2)

    reached = cost(at)
    for _ in range(STEPS):
        chances = softmax(scaled(at))
        excess = chances.copy()
        excess[np.arange(len(excess)), cases.codes] -= 1.0
        excess *= cases.weights[:, None]
        gradient = np.concatenate([(excess * cases.logits).sum(axis=0), excess.sum(axis=0)])
        gradient += precision * at
        curvature = _vector_curvature(cases, chances)
        curvature[np.diag_indices(2 * classes)] += precision
        step = np.linalg.solve(curvature, gradient)
        promised = float(gradient @ step)
        if promised <= CLOSE * max(reached, 1.0):
            at = at - step
            break
        at, reached = _descend(cost, at, step, reached, promised)
    _, volume = np.linalg.slogdet(curvature)
    return at, -cost(at) - 0.5 * float(volume) - float(np.log(spreads).sum())


def _vector_curvature(cases: Cases, chances: FloatArray) -> FloatArray:
    classes, logits = chances.shape[1], cases.logits
    both = np.hstack([chances * logits, chances])
    both *= np.sqrt(cases.weights)[:, None]
    curvature: FloatArray = -(both.T @ both)
    held, place = cases.weights[:, None] * chances, np.arange(classes)
    first, second = (held * logits).sum(axis=0), (held * logits * logits).sum(axis=0)
    curvature[place, place] += second
    curvature[place, place + classes] += first
    curvature[place + classes, place] += first
    curvature[place + classes, place + classes] += held.sum(axis=0)
    return curvature


def _descend(
    cost: Cost, at: FloatArray, step: FloatArray, reached: float, promised: float
) -> tuple[FloatArray, float]:
    """Return where a step leads that is halved until the cost falls, and the cost there."""
    length = 1.0
    for _ in range(60):
        after = cost(at - length * step)
        if after <= reached - 0.1 * length * promised or length * promised < CLOSE * abs(reached):
            break
        length *= 0.5
    return at - length * step, after


# ---------------------------------------------------------------------------------- matrix scaling


def fit_matrix(
    cases: Cases, centre: Affine, spreads: Grid = MATRICES, *, alone: bool = True
) -> Affine:
    """Return a full matrix and intercepts, shrunk towards slopes and intercepts of the classes.

    ``alone`` says whether the centre itself takes part in the average.
    """
    classes, base = cases.logits.shape[1], centre(cases.logits)
    slope = float(np.abs(centre.slopes).mean())
    columns = np.column_stack([cases.logits, np.ones(len(base))])
    at = np.zeros((classes, classes + 1))
    found, evidence = ([at], [-cases.cost(base)]) if alone else ([], [])
    tried = [HARDLY] if alone else []
    for spread in spreads:
        prior = np.full(at.shape, spread * slope)
        prior[:, -1] = max(spread, LEAST_INTERCEPT)
        at, told = _climb_matrix(cases, columns, base, prior, at)
        found.append(at)
        evidence.append(told)
        tried.append(spread)
        if told < max(evidence) - HOPELESS:
            break
    mean = _average(found, evidence)
    usual = float(np.exp(_average([np.log([spread]) for spread in tried], evidence)[0]))
    rest, at_zero = mean[:, :-1], centre.intercepts + mean[:, -1]
    diagonal = np.diag(rest)
    return Affine(centre.slopes + diagonal, at_zero, rest - np.diag(diagonal), (usual,))


@dataclass(frozen=True)
class Frame:
    """Axes in which the curvature is nearly the identity, so that descent is quick.

    The curvature is taken for a Kronecker product: of what the classes' chances vary together, and
    of second moments of the columns where chances are uncertain. (Martens and Grosse 2015 take that
    of a network's layer so.)
    """

    over_classes: FloatArray
    over_columns: FloatArray
    curvature: FloatArray  # without the prior's, on these axes

    @classmethod
    def of(cls, cases: Cases, columns: FloatArray, logits: FloatArray) -> "Frame":
        """Return the axes at given logits."""
        chances = softmax(logits)
        held = cases.weights[:, None] * chances
        among = np.diag(held.sum(axis=0)) - chances.T @ held
        open_ = cases.weights * (1.0 - (chances**2).sum(axis=1))
        total = max(float(open_.sum()), 1e-300)
        moments = (columns * (open_ / total)[:, None]).T @ columns
        (a, over_classes), (b, over_columns) = np.linalg.eigh(among), np.linalg.eigh(moments)
        curvature = np.maximum(a, 0.0)[:, None] * np.maximum(b, 0.0)
        return cls(over_classes, over_columns, curvature)

    def turn(self, matrix: FloatArray) -> FloatArray:
        """Return a matrix on these axes."""
        return self.over_classes.T @ matrix @ self.over_columns

    def back(self, matrix: FloatArray) -> FloatArray:
        """Return a matrix from these axes."""
        return self.over_classes @ matrix @ self.over_columns.T


def _climb_matrix(
    cases: Cases, columns: FloatArray, base: FloatArray, prior: FloatArray, at: FloatArray
) -> tuple[FloatArray, float]:
    """L-BFGS from a start; the answer and the logarithm of its evidence."""
    precision, least = prior**-2.0, float(prior.min())
    frame = Frame.of(cases, columns, base + columns @ at.T)
    unit = (frame.curvature + least**-2.0) ** -0.5

    def cost(flat: FloatArray) -> tuple[float, FloatArray]:
        here = frame.back(unit * flat.reshape(prior.shape))
        logits = base + columns @ here.T
        gradient = cases.excess(logits).T @ columns + precision * here
        value = cases.cost(logits) + 0.5 * float((precision * here * here).sum())
        return value, (unit * frame.turn(gradient)).ravel()

    start: FloatArray = (frame.turn(at) / unit).ravel()
    done = minimize(
        cost,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 1000, "maxcor": 20, "ftol": 1e-13, "gtol": 1e-7},
    )
    at = frame.back(unit * done.x.reshape(prior.shape))
    curvature = Frame.of(cases, columns, base + columns @ at.T).curvature
    volume = float(np.log1p(curvature * least**2).sum())
    return at, -float(done.fun) - 0.5 * volume


def _average(found: list[FloatArray], evidence: list[float]) -> FloatArray:
    weights = np.exp(np.array(evidence) - max(evidence))
    mean: FloatArray = np.tensordot(weights / weights.sum(), np.array(found), 1)
    return mean
