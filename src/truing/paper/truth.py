"""Scores whose true probabilities are known, so that errors need no test cases."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truing.maps import ProbabilityMap
from truing.measures import (
    expected_calibration_error,
    maximum_calibration_error,
    roc_auc,
    root_mean_squared_error,
)
from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.log_odds import sigmoid
from truing.paper.simulated import INNER, OUTER, circular_data, support_vector_machine
from truing.table import ScoreTable

__all__ = [
    "CURVES",
    "MEASURES",
    "Curve",
    "Function",
    "Population",
    "World",
    "circular_world",
    "make_world",
]

Function = Callable[[FloatArray], FloatArray]

POINTS = 20_000  # at which a population is looked at
TRAINING = 1000
MEASURES = ("RMSE", "AUC", "MCE", "ECE", "off", "worst")


@dataclass(frozen=True)
class Curve:
    """The chance of a positive at each score, for scores that are uniform on [0, 1].

    Bins of equal frequency move with every increasing function of the score, so that uniform scores
    stand for all continuous ones.

    Attributes
    ----------
    chance
        The chance of a positive at each score.
    reached
        An integral of it.
    """

    chance: Function
    reached: Function

    def shares(self, ends: FloatArray) -> FloatArray:
        """Return the true share of positives between each of these scores and the next."""
        return np.diff(self.reached(ends)) / np.diff(ends)

    def labels(self, scores: FloatArray, rng: np.random.Generator) -> IntArray:
        """Return a random label for each score."""
        return (rng.random(len(scores)) < self.chance(scores)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Population:
    """Cases without end: scores, all equally likely, and the chance of a positive at each.

    Examples
    --------
    >>> from truing.maps import Steps
    >>> people = Population(np.array([0.1, 0.4, 0.9]), np.array([0.0, 0.5, 1.0]))
    >>> measured = people.measure(Steps([0.5], [0.25, 0.9]))
    >>> round(measured["worst"], 12), round(measured["off"], 12)
    (0.1, 0.212132034356)
    """

    scores: FloatArray
    chances: FloatArray

    @cached_property
    def table(self) -> ScoreTable:
        """The share of negatives and of positives at each score, as weights."""
        labels = np.repeat([0, 1], len(self.scores))
        weights = np.concatenate([1.0 - self.chances, self.chances])
        return ScoreTable.from_arrays(np.tile(self.scores, 2), labels, weights)

    def measure(self, told: ProbabilityMap | Function) -> dict[str, float]:
        """Return the paper's measures of what a map tells, and two against the truth.

        ``off`` is the root mean square distance from the true chances, ``worst`` the greatest
        distance between a probability and the share of positives among those who are told it.
        """
        answers = told(self.scores)
        table = Population(answers, self.chances).table
        return {
            "RMSE": root_mean_squared_error(table),
            "AUC": roc_auc(table),
            "MCE": maximum_calibration_error(table),
            "ECE": expected_calibration_error(table),
            "off": float(np.sqrt(np.mean((answers - self.chances) ** 2))),
            "worst": float(np.abs(table.positives / table.weights - table.scores).max()),
        }


@dataclass(frozen=True)
class World:
    """Where scores and labels come from.

    Attributes
    ----------
    draw
        Return scores and labels of so many random cases, by a seed.
    population
        All cases there are.
    """

    draw: Callable[[int, int], tuple[FloatArray, IntArray]]
    population: Population


def make_world(quantile: Function, chance: Function) -> World:
    """Return the world in which scores have this quantile function and these chances."""

    def draw(size: int, seed: int) -> tuple[FloatArray, IntArray]:
        rng = np.random.default_rng(seed)
        scores = quantile(rng.random(size))
        return scores, (rng.random(size) < chance(scores)).astype(np.int64)

    scores = quantile((np.arange(POINTS) + 0.5) / POINTS)
    return World(draw, Population(scores, chance(scores)))


def circular_world(seed: int, *, margins: bool = False) -> World:
    """Return the world of the disc and the ring, as a linear machine sees it.

    The machine is fitted to a draw of 1000 points; its score is the sigmoid of the margin, or the
    margin itself. The true chance at a score follows from how far its line is from the centre.
    """
    points, labels = circular_data(TRAINING, seed)
    model = support_vector_machine("linear").fit(points, labels)
    direction, offset = model.coef_[0], float(model.intercept_[0])
    read: Function = np.asarray if margins else sigmoid

    def draw(size: int, seed: int) -> tuple[FloatArray, IntArray]:
        others, truth = circular_data(size, seed)
        return read(others @ direction + offset), truth

    distances = _grid() @ direction
    chances = ring_chance(distances / float(np.hypot(*direction)))
    return World(draw, Population(read(distances + offset), chances))


def ring_chance(distances: FloatArray) -> FloatArray:
    """Return the chance of the ring at a distance from the centre along one direction.

    A point at radius r uniform on (a, b) and at a uniform angle is at a distance t along one
    direction with density (arcosh(b / |t|) − arcosh(max(a, |t|) / |t|)) / (π (b − a)), |t| < b.

    >>> ring_chance(np.array([0.5, 1.0, 2.5])).round(3)
    array([0.255, 0.362, 1.   ])
    """
    away = np.abs(distances)

    def reached(radius: float) -> FloatArray:
        return np.arccosh(np.maximum(radius, away) / away)

    disc, both = reached(INNER), reached(OUTER)
    return (both - disc) / both


def _grid() -> FloatArray:
    """Return points that fill the disc and the ring evenly, for the population."""
    radius = (np.arange(200) + 0.5) / 200 * OUTER
    angle = (np.arange(100) + 0.5) / 100 * 2.0 * np.pi
    return np.column_stack([np.outer(radius, turn(angle)).ravel() for turn in (np.cos, np.sin)])


def _half(scores: FloatArray) -> FloatArray:
    return np.full(len(scores), 0.5)


STEEP = 6.0
# Rising steeply; the same at both ends; the hardest to learn; few positives, at the top.
CURVES: Mapping[str, Curve] = {
    "rising": Curve(
        lambda scores: sigmoid(STEEP * (scores - 0.5)),
        lambda scores: np.logaddexp(0.0, STEEP * (scores - 0.5)) / STEEP,
    ),
    "U-shaped": Curve(
        lambda scores: 0.1 + 0.8 * (2.0 * scores - 1.0) ** 2,
        lambda scores: 0.1 * scores + 0.8 * (2.0 * scores - 1.0) ** 3 / 6.0,
    ),
    "coin": Curve(_half, lambda scores: 0.5 * scores),
    "rare": Curve(lambda scores: 0.06 * scores**2, lambda scores: 0.02 * scores**3),
}
