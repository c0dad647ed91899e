"""Generated data of several columns whose true P(y | x) is known."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.special import expit

from curves import Array, Random

Population: TypeAlias = Callable[[int], tuple[Array, Array]]  # points, and the truth at each

POPULATIONS: dict[str, Callable[[Random], Population]] = {}


def population(name: str) -> Callable[[Callable[[Random], Population]], Callable[..., Population]]:
    """Add a family of populations to `POPULATIONS`."""

    def add(draw: Callable[[Random], Population]) -> Callable[[Random], Population]:
        POPULATIONS[name] = draw
        return draw

    return add


def _normal(random: Random, columns: int, curve: Callable[[Array], Array]) -> Population:
    def sample(count: int) -> tuple[Array, Array]:
        points = random.normal(size=(count, columns))
        return points, expit(curve(points))

    return sample


@population("straight")
def straight(random: Random) -> Population:
    """Log-odds that are linear in ten columns."""
    slopes, offset = random.normal(0.0, 0.6, 10), random.uniform(-1.0, 0.5)
    return _normal(random, 10, lambda x: offset + x @ slopes)


@population("copies")
def copies(random: Random) -> Population:
    """Twenty columns that tell four things, as naive Bayes does not expect."""
    loads, slopes = random.normal(size=(4, 20)), random.normal(0.0, 0.9, 4)

    def sample(count: int) -> tuple[Array, Array]:
        causes = random.normal(size=(count, 4))
        points = causes @ loads + 0.5 * random.normal(size=(count, 20))
        return points, expit(causes @ slopes - 0.5)

    return sample


@population("clusters")
def clusters(random: Random) -> Population:
    """Clumps in five dimensions, each with its own share of positives."""
    centres, shares = 1.5 * random.normal(size=(8, 5)), random.beta(0.6, 0.9, 8)

    def sample(count: int) -> tuple[Array, Array]:
        which = random.integers(0, 8, count)
        points = centres[which] + random.normal(size=(count, 5))
        near = -0.5 * ((points[:, None, :] - centres) ** 2).sum(axis=2)
        weights = np.exp(near - near.max(axis=1, keepdims=True))
        return points, (weights @ shares) / weights.sum(axis=1)

    return sample


@population("checkers")
def checkers(random: Random) -> Population:
    """What matters is whether two signs agree."""
    slope = random.uniform(1.0, 2.5)
    return _normal(random, 4, lambda x: slope * np.tanh(2.0 * x[:, 0]) * np.tanh(2.0 * x[:, 1]))


@population("curved")
def curved(random: Random) -> Population:
    """Friedman's function of five columns out of eight."""
    scale, offset = random.uniform(0.25, 0.5), random.uniform(13.0, 16.0)

    def sample(count: int) -> tuple[Array, Array]:
        x = random.random((count, 8))
        told = 10.0 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20.0 * (x[:, 2] - 0.5) ** 2
        return x, expit(scale * (told + 10.0 * x[:, 3] + 5.0 * x[:, 4] - offset))

    return sample


@population("categories")
def categories(random: Random) -> Population:
    """Eight columns of two to five levels, each level in a column of its own."""
    levels = random.integers(2, 6, 8)
    effects = [random.normal(0.0, 0.8, count) for count in levels]

    def sample(count: int) -> tuple[Array, Array]:
        told = [random.integers(0, count_of, count) for count_of in levels]
        points = np.column_stack([np.eye(c)[t] for c, t in zip(levels, told, strict=True)])
        odds = sum(e[t] for e, t in zip(effects, told, strict=True))
        return points, expit(np.asarray(odds) - 0.5)

    return sample


@population("ring")
def ring(random: Random) -> Population:
    """A disc in a ring, with noise between; no straight line parts them."""
    radius, slope = random.uniform(1.0, 1.6), random.uniform(2.0, 6.0)
    return _normal(random, 2, lambda x: slope * (np.hypot(x[:, 0], x[:, 1]) - radius))


@population("heavy tails")
def heavy_tails(random: Random) -> Population:
    """Columns with outliers that mean no more than large values do."""
    slopes = random.normal(0.0, 1.0, 8)

    def sample(count: int) -> tuple[Array, Array]:
        points = random.standard_t(2.0, (count, 8))
        return points, expit(np.tanh(points) @ slopes)

    return sample


@population("few positives")
def few_positives(random: Random) -> Population:
    """Some three positives in a hundred."""
    slopes, offset = random.normal(0.0, 0.5, 10), random.uniform(-4.6, -3.9)
    return _normal(random, 10, lambda x: offset + x @ slopes + 0.3 * x[:, 0] * x[:, 1])


@population("noise columns")
def noise_columns(random: Random) -> Population:
    """Three columns out of fifty matter."""
    slopes = random.uniform(0.6, 1.4, 3)
    return _normal(random, 50, lambda x: x[:, :3] @ slopes - 0.3)


@population("rules")
def rules(random: Random) -> Population:
    """A tree of depth four tells the truth."""
    columns, cuts = random.integers(0, 6, 15), random.normal(0.0, 0.5, 15)
    shares = random.beta(0.5, 0.7, 16)

    def sample(count: int) -> tuple[Array, Array]:
        points, node = random.normal(size=(count, 6)), np.zeros(count, dtype=int)
        for _ in range(4):
            node = 2 * node + 1 + (points[np.arange(count), columns[node]] > cuts[node])
        return points, shares[node - 15]

    return sample


@population("wrong labels")
def wrong_labels(random: Random) -> Population:
    """A sharp border, and a fifth of all labels turned round."""
    slopes, wrong = random.normal(0.0, 2.5, 6), random.uniform(0.1, 0.25)

    def sample(count: int) -> tuple[Array, Array]:
        points = random.normal(size=(count, 6))
        return points, wrong + (1.0 - 2.0 * wrong) * expit(points @ slopes)

    return sample
