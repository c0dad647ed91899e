"""Generated curves: where scores lie, and what the true probability at each of them is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit, logit

Array: TypeAlias = npt.NDArray[np.float64]
Sample: TypeAlias = Callable[[int], tuple[Array, Array]]  # as many scores, and the truth at each
Random: TypeAlias = np.random.Generator


@dataclass(frozen=True)
class Shape:
    """A family of curves.

    Attributes
    ----------
    draw
        Draws the parameters of one curve, and returns what samples scores and truths from it.
    smooth
        Whether a smooth curve in log-odds can follow it.
    rarity
        The share of the rarer class, roughly.
    """

    draw: Callable[[Random], Sample]
    smooth: bool = True
    rarity: float = 0.3


SHAPES: dict[str, Shape] = {}


def shape(
    name: str, *, smooth: bool = True, rarity: float = 0.3
) -> Callable[[Callable[[Random], Sample]], Callable[[Random], Sample]]:
    """Add a family of curves to `SHAPES`."""

    def add(draw: Callable[[Random], Sample]) -> Callable[[Random], Sample]:
        SHAPES[name] = Shape(draw, smooth, rarity)
        return draw

    return add


def _bell(
    random: Random, curve: Callable[[Array], Array], centre: float = -0.5, width: float = 1.7
) -> Sample:
    """Scores whose log-odds are normal; the curve is one from log-odds to log-odds."""

    def sample(count: int) -> tuple[Array, Array]:
        places = random.normal(centre, width, count)
        return expit(places), expit(curve(places))

    return sample


@shape("calibrated")
def calibrated(random: Random) -> Sample:
    """Nothing is to be mended."""
    return _bell(random, lambda z: z, random.uniform(-1.5, 0.5), random.uniform(1.0, 2.5))


@shape("overconfident")
def overconfident(random: Random) -> Sample:
    """Log-odds too large."""
    slope = random.uniform(0.25, 0.7)
    return _bell(random, lambda z: slope * z, random.uniform(-1, 1), random.uniform(1.5, 3.5))


@shape("underconfident")
def underconfident(random: Random) -> Sample:
    """Log-odds too small."""
    slope = random.uniform(1.5, 3.0)
    return _bell(random, lambda z: slope * z, random.uniform(-0.4, 0.4), random.uniform(0.6, 1.2))


@shape("narrow")
def narrow(random: Random) -> Sample:
    """All scores are close to one half, and yet they tell a lot."""
    slope, offset = random.uniform(10.0, 30.0), random.uniform(-1.0, 0.5)
    return _bell(random, lambda z: offset + slope * z, random.uniform(-0.02, 0.02), 0.08)


@shape("shifted")
def shifted(random: Random) -> Sample:
    """The prevalence is another."""
    offset = random.choice([-1.0, 1.0]) * random.uniform(0.5, 2.0)
    return _bell(random, lambda z: z + offset)


@shape("shifted and overconfident")
def shifted_and_overconfident(random: Random) -> Sample:
    """Both at once: a sigmoid in log-odds."""
    slope, offset = random.uniform(0.3, 0.8), random.uniform(-1.5, 1.5)
    return _bell(random, lambda z: offset + slope * z, 0.0, 2.2)


@shape("asymmetric")
def asymmetric(random: Random) -> Sample:
    """Another slope at either end: a curve of the beta family."""
    a, b, offset = random.uniform(0.2, 0.8), random.uniform(1.0, 2.0), random.uniform(-0.5, 0.5)
    if random.random() < 0.5:
        a, b = b, a
    return _bell(random, lambda z: a * log_expit(z) - b * log_expit(-z) + offset)


@shape("one-sided")
def one_sided(random: Random) -> Sample:
    """True below one half, too sure of itself above, with a kink between."""
    slope, sign = random.uniform(0.1, 0.5), random.choice([-1.0, 1.0])
    return _bell(random, lambda z: np.where(sign * z > 0, slope * z, z), 0.0, 2.0)


@shape("wave")
def wave(random: Random) -> Sample:
    """Goes up and down around the identity."""
    height, pace, start = random.uniform(0.4, 1.0), random.uniform(1.2, 2.5), random.uniform(0, 6)
    return _bell(random, lambda z: z + height * np.sin(pace * z + start), 0.0, 2.0)


@shape("bump")
def bump(random: Random) -> Sample:
    """A dent somewhere in the middle, not monotone."""
    depth = random.choice([-1.0, 1.0]) * random.uniform(1.0, 2.5)
    place, width = random.uniform(-1.5, 1.5), random.uniform(0.4, 1.0)
    return _bell(random, lambda z: 0.8 * z + depth * np.exp(-(((z - place) / width) ** 2)))


@shape("turn")
def turn(random: Random) -> Sample:
    """Rises and falls: the surest scores are wrong."""
    bend, slope = random.uniform(0.15, 0.4), random.uniform(0.2, 1.0)
    return _bell(random, lambda z: 0.5 + slope * z - bend * z**2, 0.0, 1.5)


@shape("upside down")
def upside_down(random: Random) -> Sample:
    """The classes are the wrong way round."""
    slope = random.uniform(0.4, 1.2)
    return _bell(random, lambda z: -slope * z)


@shape("uninformative")
def uninformative(random: Random) -> Sample:
    """The score has nothing to do with the class."""
    constant = random.uniform(-1.5, 1.0)
    return _bell(random, lambda z: np.full_like(z, constant))


@shape("steps", smooth=False)
def steps(random: Random) -> Sample:
    """A few levels, as of a small tree, over scores that go on."""
    count = random.integers(2, 6)
    edges = np.sort(random.normal(-0.5, 1.5, count))
    levels = np.sort(random.normal(-0.5, 1.5, count + 1))
    return _bell(random, lambda z: levels[np.searchsorted(edges, z)])


@shape("cliff", smooth=False)
def cliff(random: Random) -> Sample:
    """A jump where something was decided by the score."""
    place, height = random.uniform(-0.5, 1.0), random.choice([-1.0, 1.0]) * random.uniform(1, 2)
    return _bell(random, lambda z: 0.7 * z + height * (z > place))


@shape("kinks")
def kinks(random: Random) -> Sample:
    """Straight pieces."""
    knots = np.array([-6.0, -2.0, -0.5, 0.5, 2.0, 6.0])
    values = knots * random.uniform(0.3, 1.5, 6) + random.normal(0.0, 0.4, 6)
    return _bell(random, lambda z: np.interp(z, knots, values))


@shape("rough", smooth=False)
def rough(random: Random) -> Sample:
    """A random walk around a straight line."""
    knots = np.linspace(-6.0, 6.0, 60)
    values = random.uniform(0.5, 1.0) * knots + np.cumsum(random.normal(0.0, 0.25, 60))
    return _bell(random, lambda z: np.interp(z, knots, values - values[30]), 0.0, 2.0)


@shape("random smooth")
def random_smooth(random: Random) -> Sample:
    """A sum of a few slow waves with random heights around a straight line."""
    order = np.arange(1, 7)
    heights, starts = random.normal(0.0, 0.8 / order), random.uniform(0.0, 6.3, 6)
    slope = random.uniform(0.5, 1.3)

    def curve(places: Array) -> Array:
        waves = heights[:, None] * np.sin(0.45 * np.outer(order, places) + starts[:, None])
        return slope * places + waves.sum(axis=0)

    return _bell(random, curve, 0.0, 2.0)


@shape("ceiling")
def ceiling(random: Random) -> Sample:
    """Some labels are wrong whatever the score says."""
    low, high = random.uniform(0.02, 0.15), random.uniform(0.75, 0.95)
    return _bell(random, lambda z: logit(low + (high - low) * expit(1.2 * z)), 0.0, 3.0)


@shape("power")
def power(random: Random) -> Sample:
    """Scores spread evenly over [0, 1], the truth a power of them."""
    exponent = random.uniform(0.4, 3.0)

    def sample(count: int) -> tuple[Array, Array]:
        scores = random.random(count)
        return scores, scores**exponent

    return sample


@shape("long tails")
def long_tails(random: Random) -> Sample:
    """Now and then scores beyond anything seen before, which mean little."""
    slope, freedom = random.uniform(0.3, 0.8), random.uniform(2.0, 4.0)

    def sample(count: int) -> tuple[Array, Array]:
        places = 1.3 * random.standard_t(freedom, count) - 0.4
        return expit(places), expit(6.0 * np.tanh(slope * places / 6.0))

    return sample


@shape("well separated", rarity=0.4)
def well_separated(random: Random) -> Sample:
    """Two far groups and next to nothing between them."""
    share, slope = random.uniform(0.3, 0.7), random.uniform(0.5, 1.2)

    def sample(count: int) -> tuple[Array, Array]:
        side = np.where(random.random(count) < share, 1.0, -1.0)
        places = 5.0 * side + random.normal(0.0, 1.5, count)
        return expit(places), expit(slope * places)

    return sample


@shape("ten values", smooth=False)
def ten_values(random: Random) -> Sample:
    """Ten grades, each with a truth of its own."""
    truth = expit(np.linspace(-2.5, 2.5, 10) * random.uniform(0.5, 1.3) + random.normal(0, 0.4, 10))
    shares = random.dirichlet(np.full(10, 2.0))

    def sample(count: int) -> tuple[Array, Array]:
        grades = random.choice(10, count, p=shares)
        return (grades + 0.5) / 10.0, truth[grades]

    return sample


@shape("hundred values")
def hundred_values(random: Random) -> Sample:
    """Scores told in per cent, exact 0 and 1 among them."""
    slope, offset = random.uniform(0.4, 0.9), random.uniform(-0.7, 0.7)

    def sample(count: int) -> tuple[Array, Array]:
        scores = np.round(expit(random.normal(-0.5, 2.0, count)), 2)
        return scores, expit(offset + slope * logit((scores * 100.0 + 0.3) / 100.6))

    return sample


@shape("forest votes")
def forest_votes(random: Random) -> Sample:
    """Shares of fifty votes, timid between and too sure at exact 0 and 1."""
    slope, offset = random.uniform(1.2, 2.2), random.uniform(-0.5, 0.5)

    def sample(count: int) -> tuple[Array, Array]:
        votes = random.binomial(50, random.beta(0.7, 1.0, count))
        return votes / 50.0, expit(offset + slope * logit((votes + 0.8) / 51.6))

    return sample


@shape("naive Bayes")
def naive_bayes(random: Random) -> Sample:
    """Log-odds of tens, far beyond where doubles end at 1."""
    slope, offset = random.uniform(0.05, 0.15), random.uniform(-0.8, 0.8)

    def sample(count: int) -> tuple[Array, Array]:
        side = np.where(random.random(count) < 0.45, 1.0, -1.0)
        scores = expit(side * random.gamma(1.5, 9.0, count) + random.normal(0.0, 3.0, count))
        seen = logit(np.clip(scores, 1e-30, 1.0 - 2.0**-53))
        return scores, expit(offset + slope * seen)

    return sample


@shape("atoms", smooth=False)
def atoms(random: Random) -> Sample:
    """A part of all scores is exactly 0 or 1, and the truth there is not."""
    at_zero, at_one = random.uniform(0.01, 0.08), random.uniform(0.85, 0.98)
    slope, share = random.uniform(0.5, 1.0), random.uniform(0.2, 0.5)

    def sample(count: int) -> tuple[Array, Array]:
        places = random.normal(-0.3, 1.5, count)
        scores, truth = expit(places), expit(slope * places)
        which = random.random(count)
        zero, one = which < share / 2, which > 1.0 - share / 2
        scores[zero], scores[one] = 0.0, 1.0
        truth[zero], truth[one] = at_zero, at_one
        return scores, truth

    return sample


@shape("tie", smooth=False)
def tie(random: Random) -> Sample:
    """More than half of all cases have one score, the answer for what is unknown."""
    share, truth_there = random.uniform(0.5, 0.7), random.uniform(0.1, 0.6)
    slope = random.uniform(0.5, 1.2)

    def sample(count: int) -> tuple[Array, Array]:
        places = random.normal(-0.5, 1.7, count)
        tied = random.random(count) < share
        scores = np.where(tied, 0.5, expit(places))
        return scores, np.where(tied, truth_there, expit(slope * places))

    return sample


@shape("rare", rarity=0.01)
def rare(random: Random) -> Sample:
    """One positive in a hundred, scored by a model of balanced classes."""
    slope, offset = random.uniform(0.7, 1.1), random.uniform(-5.2, -4.6)
    return _bell(random, lambda z: offset + slope * z, -0.5, 1.3)


@shape("very rare", rarity=0.001)
def very_rare(random: Random) -> Sample:
    """One positive in a thousand, of scores of that order."""
    slope, centre = random.uniform(0.6, 1.0), random.uniform(-8.0, -7.5)
    return _bell(random, lambda z: -7.8 + slope * (z - centre), centre, 1.4)


@shape("common", rarity=0.03)
def common(random: Random) -> Sample:
    """Nearly all cases are positive."""
    slope = random.uniform(0.4, 0.8)
    return _bell(random, lambda z: 1.0 + slope * z, 4.5, 1.5)
