"""Cells: a table's places pooled so that each holds about as much of both classes."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.binning import ROOM
from truing.numerics.folds import fold_weights
from truing.numerics.separation import smoothed_targets

MOST_CELLS = 400
BEYOND = np.array([0.5, 2.0, 8.0, 32.0, 128.0])  # how far outside the data curves are told


@dataclass(frozen=True, eq=False)
class Cells:
    """Where cells are, and what weighs in each: first all cases, then all but those of each fold.

    Curves are told as log-odds at `knots`: the cells' places, and some beyond both ends.

    Attributes
    ----------
    places
        The mean place of each cell, increasing.
    ranks
        The share of the cases below the middle of each cell, both classes counting half.
    negatives, positives
        Weights: a row for all cases, and a row for what is left without each fold.
    """

    places: FloatArray
    ranks: FloatArray
    negatives: FloatArray
    positives: FloatArray

    @cached_property
    def totals(self) -> FloatArray:
        """The weight of both classes."""
        return self.negatives + self.positives

    @cached_property
    def knots(self) -> FloatArray:
        """Where curves are told."""
        low, high = self.places[0] - BEYOND[::-1], self.places[-1] + BEYOND
        return np.concatenate([low, self.places, high])

    def with_smoothed_labels(self) -> "Cells":
        """Return the same cells with Platt's smoothed labels in the place of 1 and 0."""
        sums = (column.sum(axis=1, keepdims=True) for column in (self.positives, self.negatives))
        high, low = smoothed_targets(*sums)
        positives = high * self.positives + low * self.negatives
        return replace(self, positives=positives, negatives=self.totals - positives)

    def in_spreads(self, columns: FloatArray) -> FloatArray:
        """Return columns told at the knots around their means, in units of their spreads."""
        weights = self.totals[0] / self.totals[0].sum()
        inner = self.at_places(columns.T).T
        centre = weights @ inner
        spread = np.sqrt(weights @ np.square(inner - centre))
        told: FloatArray = (columns - centre) / np.where(spread, spread, 1.0)
        return told

    @staticmethod
    def extend(values: FloatArray) -> FloatArray:
        """Return values at the knots that stay outside the data as they are at its ends."""
        outside = [(0, 0)] * (values.ndim - 1) + [(len(BEYOND), len(BEYOND))]
        return np.pad(values, outside, mode="edge")

    @staticmethod
    def at_places(values: FloatArray) -> FloatArray:
        """Return what is told at the places, of what is told at the knots."""
        return values[..., len(BEYOND) : -len(BEYOND)]


def pool_cells(
    places: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    n_folds: int = 0,
    most: int = MOST_CELLS,
) -> Cells:
    """Return cells of equal mass, both classes counting half; few places are a cell each.

    So cells are narrow where either class lives, however rare it is.

    >>> cells = pool_cells(np.arange(4.0), np.array([4.0, 3, 2, 1]), np.array([0.0, 0, 1, 1]))
    >>> cells.ranks
    array([0.1  , 0.275, 0.525, 0.85 ])
    """
    mass = 0.5 * (negatives / negatives.sum() + positives / positives.sum())
    starts = np.arange(len(places))
    if len(places) > most:
        cell = np.floor((np.cumsum(mass) - 0.5 * mass) * most + ROOM)
        starts = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
        held = np.add.reduceat(mass, starts)
        places, mass = np.add.reduceat(mass * places, starts) / held, held
    counts = [np.add.reduceat(column, starts) for column in (negatives, positives)]
    parts = [_without_folds(count, n_folds, salt) for salt, count in enumerate(counts)]
    return Cells(places, np.cumsum(mass) - 0.5 * mass, *parts)


def _without_folds(count: FloatArray, n_folds: int, salt: int) -> FloatArray:
    if not n_folds:
        return count[None]
    return np.vstack([count, np.maximum(count - fold_weights(count, n_folds, salt), 0.0)])
