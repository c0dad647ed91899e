"""Penalised natural cubic splines for logistic regression, their smoothness chosen by REML."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky
from scipy.optimize import brentq

from truing.numerics.arrays import FloatArray
from truing.numerics.penalised import Cases, Point, fit_penalised, squares

__all__ = ["Spline", "fit_spline"]

# Penalties, beside the information on the bends, and how many are looked at.
SMOOTHEST, ROUGHEST, LOOKS = 1e4, 1e-8, 17
POWER = 2.0  # of the run between knots, by which bends are forgiven
ROUNDING = 1e-12


@dataclass(frozen=True)
class Spline:
    """A natural cubic spline by its knots and values, and the penalty that was chosen."""

    knots: FloatArray
    values: FloatArray
    penalty: float


@dataclass(frozen=True)
class _Columns:
    """What coefficients stand for: a straight line, and what bends, of penalty t² each.

    Bends are told by f'' at the inner knots, which with the values obey D f = B f'' (Green and
    Silverman 1994, chapter 2), turned such that the penalty of a spline is the sum of squares.
    """

    knots: FloatArray
    root: FloatArray  # of the penalty's matrix

    @classmethod
    def over(cls, knots: FloatArray) -> "_Columns":
        runs = np.diff(knots)
        weights = runs * (runs / runs.mean()) ** POWER
        return cls(knots, cholesky(_products_of_hats(weights), lower=True))

    @cached_property
    def _values(self) -> FloatArray:
        """The value at every knot for 1 of each f'' at an inner knot, 0 at both ends."""
        runs, count = np.diff(self.knots), len(self.knots)
        differences = np.zeros((count - 2, count))
        row = np.arange(count - 2)
        differences[row, row] = 1.0 / runs[:-1]
        differences[row, row + 1] = -1.0 / runs[:-1] - 1.0 / runs[1:]
        differences[row, row + 2] = 1.0 / runs[1:]
        values = np.zeros((count, count - 2))
        values[1:-1] = np.linalg.solve(differences[:, 1:-1], _products_of_hats(runs))
        return values

    def at(self, places: FloatArray) -> FloatArray:
        """Return the columns at places between the first and the last knot."""
        knots, values = self.knots, self._values
        bends = np.pad(np.eye(len(knots) - 2), ((1, 1), (0, 0)))
        piece = np.clip(np.searchsorted(knots, places, side="right") - 1, 0, len(knots) - 2)
        run = np.diff(knots)[piece, None]
        before, behind = (places - knots[piece])[:, None], (knots[piece + 1] - places)[:, None]
        straight = (behind * values[piece] + before * values[piece + 1]) / run
        bend = (1.0 + before / run) * bends[piece + 1] + (1.0 + behind / run) * bends[piece]
        told = straight - before * behind / 6.0 * bend
        turned = np.linalg.solve(self.root, told.T)
        return np.concatenate([[np.ones(len(places)), places], turned])


def _products_of_hats(runs: FloatArray) -> FloatArray:
    """Return the integrals of the products of hat functions around the inner knots."""
    inner = runs[1:-1] / 6.0
    products: FloatArray = np.diag((runs[:-1] + runs[1:]) / 3.0)
    return products + np.diag(inner, 1) + np.diag(inner, -1)


def fit_spline(
    places: FloatArray, positives: FloatArray, weights: FloatArray, knots: FloatArray
) -> Spline:
    """Return the natural cubic spline over the knots whose log-odds are most likely, penalised.

    Subtracted from the log-likelihood is ½ λ ∫ f'' (z)² h (z)² dz, with h the run between the knots
    around z over the mean run: where knots are dense, for there are many cases, bends are forgiven.
    λ is the one of the greatest restricted likelihood in Laplace's approximation (Wood 2011),

        l(t) - ½ λ |t|² + ½ m ln λ - ½ ln det (X'WX + λ P),

    with m coefficients t that bend, and the straight line free. Its derivative is followed to 0,
    so that λ hangs on no comparison of rounded numbers. Knots are at least three and go from the
    first to the last place.
    """
    return _Search.over(places, positives, weights, knots).best()


@dataclass(frozen=True)
class _Look:
    """The best spline of a penalty: its restricted likelihood, and how it changes with ln λ."""

    penalty: float
    coefficients: FloatArray
    likelihood: float
    slope: float


@dataclass(frozen=True)
class _Search:
    """The restricted likelihood as a function of the penalty."""

    cases: Cases
    knots: FloatArray
    at_knots: FloatArray
    bending: FloatArray  # 1 for each coefficient that bends, 0 for the line

    @classmethod
    def over(
        cls, places: FloatArray, positives: FloatArray, weights: FloatArray, knots: FloatArray
    ) -> "_Search":
        columns = _Columns.over(knots)
        design, at_knots = columns.at(places), columns.at(knots)
        # Bends are told from the line through them, so that each coefficient stands for itself.
        line, bends = design[:2], design[2:]
        shares = np.linalg.solve((line * weights) @ line.T, (line * weights) @ bends.T)
        bends -= shares.T @ line
        at_knots[2:] -= shares.T @ at_knots[:2]
        bending = np.repeat([0.0, 1.0], [2, len(bends)])
        return cls(Cases(design, positives, weights), knots, at_knots, bending)

    def best(self) -> Spline:
        cases = self.cases
        share = cases.positives.sum() / cases.weights.sum()
        known = share * (1.0 - share) * float(((cases.design[2:] ** 2) @ cases.weights).sum())
        looks: list[_Look] = []
        for penalty in known * np.geomspace(SMOOTHEST, ROUGHEST, LOOKS):
            looks.append(self.look(penalty, looks[-1].coefficients if looks else None))
        top = int(np.argmax([look.likelihood for look in looks]))
        best = looks[top]
        beside = top - 1 if best.slope > 0.0 else top + 1  # penalties fall
        if 0 <= beside < LOOKS and looks[beside].slope * best.slope < 0.0:
            best = self.between(best, looks[beside])
        return Spline(self.knots, best.coefficients @ self.at_knots, best.penalty)

    def between(self, one: _Look, other: _Look) -> _Look:
        """Return where the restricted likelihood is level."""

        def slope(log_penalty: float) -> float:
            return self.look(np.exp(log_penalty), one.coefficients).slope

        ends = np.log(one.penalty), np.log(other.penalty)
        if slope(ends[0]) * slope(ends[1]) >= 0.0:  # next to a turn, where a start decides
            return one
        level = brentq(slope, min(ends), max(ends), xtol=ROUNDING, rtol=ROUNDING)
        return self.look(np.exp(level), one.coefficients)

    def look(self, penalty: float, start: FloatArray | None) -> _Look:
        fitted = fit_penalised(self.cases, penalty * self.bending, start)
        at, count = fitted.coefficients, self.bending.sum()
        curved = float(np.linalg.slogdet(fitted.curvature)[1])
        likelihood = 0.5 * (count * np.log(penalty) - curved) - fitted.cost
        inverse: FloatArray = np.asarray(np.linalg.inv(fitted.curvature), np.float64)
        change = -penalty * (inverse @ (self.bending * at))  # of the coefficients, with ln λ
        trace = penalty * float(self.bending @ np.diagonal(inverse))
        trace += self._change_of_information(fitted, inverse, change)
        slope = 0.5 * (count - penalty * float(self.bending @ (at * at)) - trace)
        return _Look(float(penalty), at, likelihood, slope)

    def _change_of_information(
        self, fitted: Point, inverse: FloatArray, change: FloatArray
    ) -> float:
        """Return tr(A⁻¹ X'(dW)X): by how much ln det changes, since the weights do."""
        design = self.cases.design
        line = fitted.coefficients @ design
        chance = 1.0 / (1.0 + np.exp(-np.clip(line, -700.0, 700.0)))
        third = self.cases.weights * chance * (1.0 - chance) * (1.0 - 2.0 * chance)
        return float((inverse * squares(design, third * (change @ design))).sum())
