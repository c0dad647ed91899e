"""The paper's two figures: a reliability curve, and the simulated data."""

from typing import TYPE_CHECKING

import numpy as np

from truing.measures import reliability_curve
from truing.paper.findings import Block, Study
from truing.paper.options import Options
from truing.paper.simulated import circular_data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "run"]

SIZE, QUICK_SIZE, CASES = 1000, 200, 20_000


def run(options: Options) -> Study:
    """Return what the figures show, as numbers."""
    return Study(
        "Figures 1 and 2",
        "a hypothetical model, too sure of itself, and the simulated disc and ring.",
        (_curve(options), _points(options)),
        ("Below the diagonal a model is too sure that it happens, above it that it does not.",),
        {"seed": options.seed},
    )


def _curve(options: Options) -> Block:
    """Return Figure 1: what a model tells whose log-odds are twice the true ones."""
    rng = np.random.default_rng(options.seed)
    truth = rng.beta(0.8, 0.8, CASES)
    told = truth**2 / (truth**2 + (1.0 - truth) ** 2)
    curve = reliability_curve((rng.random(CASES) < truth).astype(int), told)
    return Block(
        "Figure 1, a hypothetical reliability curve",
        tuple(f"bin {at + 1}" for at in range(len(curve))),
        ("from", "to", "predicted", "observed", "gap"),
        np.column_stack([curve.lower, curve.upper, curve.predicted, curve.observed, curve.gaps]),
    )


def _points(options: Options) -> Block:
    """Return Figure 2: the points, and the class of each."""
    size = QUICK_SIZE if options.quick else SIZE
    points, labels = circular_data(size, options.seed)
    columns = np.column_stack([points, labels])[np.random.default_rng(0).permutation(size)]
    names = tuple(f"point {at + 1}" for at in range(size))
    return Block("Figure 2, the simulated data", names, ("x1", "x2", "class"), columns)


def draw(study: Study, figure: "Figure") -> None:
    """Draw both figures, one beside the other."""
    left, right = figure.subplots(1, 2)
    bins, points = (study.block(name) for name in ("Figure 1", "Figure 2"))
    left.plot([0, 1], [0, 1], "--", color="0.6")
    predicted, observed = (bins.mean[:, bins.columns.index(n)] for n in ("predicted", "observed"))
    left.plot(predicted, observed, "o-")
    left.set(xlabel="predicted probability", ylabel="share of positives", aspect="equal")
    for label, marker in ((0, "o"), (1, "x")):
        x, y, _ = points.mean[points.mean[:, 2] == label].T
        right.scatter(x, y, s=9, marker=marker, label=f"class {label}")
    right.set(xlabel="x1", ylabel="x2", aspect="equal")
    right.legend(loc="upper right", fontsize="x-small")
