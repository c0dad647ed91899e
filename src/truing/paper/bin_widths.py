"""Open question: whether bins of equal frequency are as good as bins of equal width."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from truing.calibrators import HistogramCalibrator
from truing.numerics.arrays import BoolArray, FloatArray
from truing.numerics.log_odds import sigmoid
from truing.paper.findings import Block
from truing.paper.options import Options
from truing.paper.spread import spread_of
from truing.paper.truth import CURVES, MEASURES, Function, World, circular_world, make_world
from truing.progress import progress
from truing.table import ScoreTable

__all__ = ["compare_widths"]

STRATEGIES = {"frequency": "quantile", "width": "uniform"}
SIZE = 1000
SIZES, QUICK_SIZES = (100, 300, 1000, 3000, 10_000, 30_000), (100, 1000)
DRAWS, QUICK_DRAWS = 20, 3
ALIKE = 0.05  # as a share
HEAVY = 2.0  # the exponent of the outliers' tail

# Scores and their chances: evenly spread; not monotone; all near one half; rare positives, where
# scores are low; margins of which a few are huge; a twentieth of the scores where the curve bends.
WORLDS: Mapping[str, World] = {
    "even": make_world(lambda rank: rank, CURVES["rising"].chance),
    "U-shaped": make_world(lambda rank: rank, CURVES["U-shaped"].chance),
    "crowded": make_world(
        lambda rank: 0.45 + 0.1 * rank, lambda score: sigmoid(60.0 * (score - 0.5))
    ),
    "rare": make_world(lambda rank: 1.0 - (1.0 - rank) ** 0.05, lambda score: score**1.2),
    "outliers": make_world(
        lambda rank: (
            np.sign(rank - 0.5) * (1.0 - np.abs(2.0 * rank - 1.0)) ** (-1.0 / HEAVY)
            - np.sign(rank - 0.5)
        ),
        lambda margin: sigmoid(2.0 * margin),
    ),
    "thin tail": make_world(
        lambda rank: np.interp(rank, [0.0, 0.95, 1.0], [0.0, 0.05, 1.0]),
        lambda score: 0.5 - 0.45 * np.cos(2.0 * np.pi * score),
    ),
}
CIRCULAR = {"circular": False, "margin": True}
NAMES = (*WORLDS, *CIRCULAR)


def compare_widths(options: Options) -> tuple[list[Block], list[str]]:
    """Return what bins of equal frequency and of equal width reach, and what follows.

    Bins are as many as the cube root of the cases, the order of the theory. Errors are those on all
    cases there are. The conjecture is about the rate: with a smooth curve no method can be sure to
    come nearer to it than N^(−1/3) in root mean square, and bins of equal width do.
    """
    sizes = QUICK_SIZES if options.quick else SIZES
    draws = options.draws or (QUICK_DRAWS if options.quick else DRAWS)
    shape = draws, len(sizes), len(NAMES), len(STRATEGIES)
    found, truth = np.empty((*shape, len(MEASURES))), np.empty((len(NAMES), len(MEASURES)))
    for draw in progress(range(draws), draws, "draws of question 1"):
        model, *seeds = options.seeds(draw, 1 + len(sizes))
        for across, world in enumerate(_worlds(model)):
            truth[across] = _measure(world, partial(_tell, world.population.chances))
            for at, (size, seed) in enumerate(zip(sizes, seeds, strict=True)):
                found[draw, at, across] = _fit_both(world, size, seed)
    slopes = _slopes(found[..., MEASURES.index("off")], sizes)
    blocks = [
        *_details(found[:, sizes.index(SIZE)], truth),
        *_distances(found[..., MEASURES.index("off")], sizes),
        slopes,
    ]
    return blocks, _conclude(found[:, sizes.index(SIZE)], slopes)


def _tell(chances: FloatArray, _: FloatArray) -> FloatArray:
    return chances


def _worlds(seed: int) -> list[World]:
    circles = [circular_world(seed, margins=margins) for margins in CIRCULAR.values()]
    return [*WORLDS.values(), *circles]


def _fit_both(world: World, size: int, seed: int) -> list[list[float]]:
    scores, labels = world.draw(size, seed)
    table = ScoreTable.from_arrays(scores, labels, classes=(0, 1))  # maybe of one class only
    fitted = (HistogramCalibrator(strategy=strategy) for strategy in STRATEGIES.values())
    return [_measure(world, histogram.solve(table)) for histogram in fitted]


def _measure(world: World, told: Function) -> list[float]:
    measured = world.population.measure(told)
    return [measured[name] for name in MEASURES]


def _details(found: FloatArray, truth: FloatArray) -> list[Block]:
    """Return all measures with a thousand cases, a block for each world."""
    rows = *STRATEGIES, "the truth"
    blocks = []
    for across, name in enumerate(NAMES):
        mean = np.vstack([found[:, across].mean(axis=0), truth[across]])
        spread = np.vstack([spread_of(found[:, across]), np.full(len(MEASURES), np.nan)])
        title = f"Question 1, bins of equal frequency or width; {name}, N = {SIZE:,}"
        blocks.append(Block(title, rows, MEASURES, mean, spread))
    return blocks


def _distances(off: FloatArray, sizes: tuple[int, ...]) -> list[Block]:
    """Return how far off the truth they are at each size, a block for each kind of bins."""
    title = "Question 1, distance from the truth by N, B = N^(1/3); equal"
    columns = tuple(f"{size:,}" for size in sizes)
    return [
        Block(f"{title} {strategy}", NAMES, columns, off[..., among].mean(axis=0).T)
        for among, strategy in enumerate(STRATEGIES)
    ]


def _slopes(off: FloatArray, sizes: tuple[int, ...]) -> Block:
    """Return the exponents of N in that distance, fitted to each draw by itself."""
    size = np.log(sizes) - np.log(sizes).mean()
    slopes = np.tensordot(np.log(off), size, (1, 0)) / (size @ size)
    error = spread_of(slopes) / np.sqrt(len(slopes))
    numbers = np.stack([slopes.mean(axis=0), error], axis=-1).reshape(len(NAMES), -1)
    columns = tuple(word for strategy in STRATEGIES for word in (strategy, "error"))
    title = "Question 1, distance ~ N^a: the exponents and their standard errors"
    return Block(title, NAMES, columns, numbers)


def _conclude(found: FloatArray, slopes: Block) -> list[str]:
    off = found[..., MEASURES.index("off")].mean(axis=0)
    ratio = off[:, 1] / off[:, 0]
    worst = found[..., MEASURES.index("worst")].mean(axis=0)[NAMES.index("rare")]
    return [
        f"""Question 1, equal frequency or equal width: with {SIZE:,} cases equal width is
        {_told(ratio, ".2f")} times as far from the truth as equal frequency. They are alike within
        {ALIKE:.0%} on {_named(abs(ratio - 1.0) <= ALIKE)}; equal frequency is the better on
        {_named(ratio > 1.0 + ALIKE)}, where equal width leaves bins empty, and equal width on
        {_named(ratio < 1.0 - ALIKE)}, where bins of equal frequency are too wide for the curve.""",
        f"""With equal frequency the distance falls as N to the power of
        {_told(slopes.mean[:, 0], ".2f")}; with equal width {_told(slopes.mean[:, 2], ".2f")}.""",
        """For a Lipschitz curve −1/3 is the best power that there is, and bins of equal width have
        it on any bounded range, though where scores crowd only once bins are many enough. So the
        conjecture holds where the density of scores is bounded away from zero, and not beyond: a
        bin of equal frequency holds 1/B of the cases and may be as wide as the range, which leaves
        a squared distance of order 1/B in the worst distribution. Without bounds on the range it is
        equal width that has no rate.""",
        f"""MCE and ECE do not show it: few wide bins have a small calibration error and say little.
        Nor do the paper's bins show single cases: with rare positives the worst probability told
        is off by {worst[0]:.2f} with equal frequency and {worst[1]:.2f} with equal width, whose
        last bins hold hardly a case.""",
    ]


def _told(values: FloatArray, form: str) -> str:
    return ", ".join(f"{value:{form}} ({name})" for name, value in zip(NAMES, values, strict=True))


def _named(flags: BoolArray) -> str:
    return ", ".join(name for name, flag in zip(NAMES, flags, strict=True) if flag) or "none"
