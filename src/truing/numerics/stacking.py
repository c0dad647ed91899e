"""Stacking: the mixture of answers that tells unseen cases best."""

import numpy as np

from truing.numerics.arrays import FloatArray

STEPS = 100
ENOUGH = 1e-12  # of the objective promised by a step; Newton squares the error
BACK = 0.9  # of the way to where a weight would vanish


def stack(told: FloatArray, cases: FloatArray, *, squared: bool = False) -> FloatArray:
    """Return weights, above 0 and adding up to 1, for the columns of answers.

    ``told`` holds, for each kind of case (a row) and each method (a column), the probability given
    to what happened. The weights w minimise Σ cases · loss(told · w) − Σ ln w, where the loss is
    −ln p or, squared, (1 − p)². The last term is a prior of one case for every method, so that none
    is dismissed outright. Convex; solved by Newton's method on the plane Σ w = 1.

    >>> stack(np.array([[0.9, 0.5], [0.8, 0.5]]), np.array([30.0, 30.0])).round(2)
    array([0.96, 0.04])
    """
    width = told.shape[1]
    weights = np.full(width, 1.0 / width)
    told, cases = np.maximum(told, np.finfo(float).tiny), cases[:, None]
    for _ in range(STEPS):
        chance = (told @ weights)[:, None]
        slope = -2.0 * (1.0 - chance) if squared else -1.0 / chance
        bend = np.full_like(chance, 2.0) if squared else 1.0 / np.square(chance)
        gradient = (cases * slope * told).sum(axis=0) - 1.0 / weights
        curvature = told.T @ (cases * bend * told) + np.diag(1.0 / np.square(weights))
        step = _on_plane(curvature, gradient)
        promised = -float(gradient @ step)
        falling = step < 0.0
        reach = (weights[falling] / -step[falling]).min(initial=np.inf)
        length = min(1.0, BACK * float(reach))
        value = _objective(told, cases, weights, squared=squared)
        while _objective(told, cases, weights + length * step, squared=squared) > value + 1e-13 * (
            abs(value)
        ):
            length *= 0.5
            if length < 1e-12:
                return weights
        weights = weights + length * step
        if promised < ENOUGH:
            break
    proportions: FloatArray = weights / weights.sum()
    return proportions


def _on_plane(curvature: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return Newton's step among those that add up to nothing."""
    ones = np.ones_like(gradient)
    solved = np.linalg.solve(curvature, np.column_stack([gradient, ones]))
    level = solved[:, 0].sum() / solved[:, 1].sum()
    step: FloatArray = level * solved[:, 1] - solved[:, 0]
    return step


def _objective(told: FloatArray, cases: FloatArray, weights: FloatArray, *, squared: bool) -> float:
    chance = (told @ weights)[:, None]
    lost = np.square(1.0 - chance) if squared else -np.log(chance)
    return float((cases * lost).sum() - np.log(weights).sum())
