"""Fitted functions against numpy's own look-up, at scores in no order."""

import numpy as np

from benchmark import Sides, benchmark, faster, within
from samples import curve, quantiles, queries
from truing.maps import Lines, Steps


@benchmark("215 steps, evaluated", "np.searchsorted and take", faster(10))
def steps(size: int) -> Sides:
    """As histogram binning of 1e7 cases leaves behind."""
    edges, values = quantiles(214), curve(quantiles(215))
    steps, scores = Steps(edges, values), queries(size)
    return Sides(
        lambda: steps(scores),
        lambda: values.take(edges.searchsorted(scores)),
        within(0.0),
    )


@benchmark("20,000 knots, evaluated", "np.interp", faster(8))
def lines(size: int) -> Sides:
    """As isotonic regression with interpolation or a tabulated curve may be."""
    knots = quantiles(20_000)
    values = curve(knots)
    lines, scores = Lines(knots, values), queries(size)
    return Sides(lambda: lines(scores), lambda: np.interp(scores, knots, values), within(1e-12))
