"""Open question: how many cases a calibrator needs."""

from collections.abc import Mapping

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import sigmoid
from truing.paper.findings import Block
from truing.paper.methods import BINS, calibrators
from truing.paper.options import Options
from truing.paper.published import METHODS
from truing.paper.spread import spread_of
from truing.paper.truth import World, circular_world, make_world
from truing.progress import progress

__all__ = ["compare_sizes"]

SIZES = (250, 500, 1000, 2000, 4000, 8000, 16_000)
QUICK_SIZES = (500, 1000, 2000)
DRAWS, QUICK_DRAWS = 8, 2
MEASURES = ("ECE", "off")
TITLES = {"ECE": "ECE", "off": "distance from the truth"}
ENOUGH = 0.005  # of a measure: what one more doubling must gain to be worth it
CLAIM = 1000
CIRCULAR = "circular"

# A model too sure of itself, whose truth is a straight line; few positives.
WORLDS: Mapping[str, World] = {
    "too sure": make_world(
        lambda rank: sigmoid(6.0 * (rank - 0.5)), lambda score: 0.25 + 0.5 * score
    ),
    "rare": make_world(lambda rank: 1.0 - (1.0 - rank) ** 0.1, lambda score: score**1.2),
}
NAMES = (CIRCULAR, *WORLDS)
CALIBRATED = METHODS[1:]


def compare_sizes(options: Options) -> tuple[list[Block], list[str]]:
    """Return the errors of every method with growing data, and from where on more is little use."""
    sizes = QUICK_SIZES if options.quick else SIZES
    draws = options.draws or (QUICK_DRAWS if options.quick else DRAWS)
    found = np.empty((draws, len(NAMES), len(MEASURES), len(sizes), len(CALIBRATED)))
    places = [(draw, across) for draw in range(draws) for across in range(len(NAMES))]
    for draw, across in progress(places, len(places), "draws of question 3"):
        model, *seeds = options.seeds(draw, 1 + len(sizes))
        world = circular_world(model) if NAMES[across] == CIRCULAR else WORLDS[NAMES[across]]
        for at, (size, seed) in enumerate(zip(sizes, seeds, strict=True)):
            found[draw, across, :, at] = _measure(world, size, seed).T
    mean = found.mean(axis=0)
    blocks = [
        Block(
            f"Question 3, how many cases; {name}, {TITLES[measure]}",
            tuple(f"N = {size:,}" for size in sizes),
            CALIBRATED,
            mean[across, among],
            spread_of(found[:, across, among]),
        )
        for across, name in enumerate(NAMES)
        for among, measure in enumerate(MEASURES)
    ]
    enough = _enough(mean, sizes)
    error = float(np.median(spread_of(found[:, :, 0])) / np.sqrt(draws))
    return [*blocks, enough], [*_conclude(mean, enough, sizes), _doubt(error)]


def _measure(world: World, size: int, seed: int) -> FloatArray:
    """Return methods by measures."""
    scores, labels = world.draw(size, seed)
    bins = max(BINS, round(size ** (1 / 3)))
    fitted = (method.fit(scores, labels).map_ for method in calibrators(bins).values())
    told = [world.population.measure(answer) for answer in fitted]
    return np.array([[measured[name] for name in MEASURES] for measured in told])


def _enough(mean: FloatArray, sizes: tuple[int, ...]) -> Block:
    """Return the size from which on no doubling gains as much as stated, NaN if there is none."""
    gains = mean[:, :, :-1] - mean[:, :, 1:]
    last = np.where(gains >= ENOUGH, np.arange(1, len(sizes))[:, None], 0).max(axis=2)
    reached = np.where(last < len(sizes) - 1, np.array(sizes, np.float64)[last], np.nan)
    rows = tuple(f"{name}, {measure}" for name in NAMES for measure in MEASURES)
    title = f"Question 3, the size from which on no doubling gains {ENOUGH}"
    return Block(title, rows, CALIBRATED, reached.reshape(len(rows), -1), digits=0)


def _conclude(mean: FloatArray, enough: Block, sizes: tuple[int, ...]) -> list[str]:
    at = sizes.index(CLAIM)
    ece = mean[:, MEASURES.index("ECE"), at]
    told = "; ".join(
        f"{name} {values.min():.3f} ({CALIBRATED[values.argmin()]}) to {values.max():.3f} "
        f"({CALIBRATED[values.argmax()]})"
        for name, values in zip(NAMES, ece, strict=True)
    )
    judged = enough.mean[MEASURES.index("ECE") :: len(MEASURES)]
    served = int((judged <= CLAIM).sum())
    usual = float(np.median(np.where(np.isnan(judged), np.inf, judged)))
    verdict = "holds" if usual <= CLAIM else "is too small"
    return [
        f"""Question 3, how many cases: with {CLAIM:,} cases the true ECE is, by world, {told}. From
        {CLAIM:,} cases on a doubling gains less than {ENOUGH} of ECE for {served} of {judged.size}
        pairs of world and method{_hungry(judged)}. The median of the sizes is
        {_shown(usual, sizes)}: by this measure the paper's "approximately 1000" {verdict} for the
        usual method. ECE falls as the root of the size, so that what {CLAIM:,} cases leave is
        halved by four times as many: where to stop depends on what an error costs.""",
        f"""For every single probability it takes more: the distance from the truth goes on gaining
        {ENOUGH} a doubling beyond {CLAIM:,} cases for {_beyond(enough)} of {judged.size} pairs.
        What a method cannot represent more cases do not mend: a sigmoid and a monotone map stay as
        far from the circular truth as they are, whatever the size.""",
    ]


def _shown(size: float, sizes: tuple[int, ...]) -> str:
    return f"{size:,.0f}" if np.isfinite(size) else f"beyond {sizes[-2]:,}"


def _beyond(enough: Block) -> int:
    judged = enough.mean[MEASURES.index("off") :: len(MEASURES)]
    return int((~(judged <= CLAIM)).sum())


def _doubt(error: float) -> str:
    told = "unknown from one draw" if np.isnan(error) else f"some {error:.4f} (the median)"
    return (
        f"The standard error of these mean ECEs is {told}, so that a size from which on nothing is "
        "gained may well be out by one doubling."
    )


def _hungry(judged: FloatArray) -> str:
    """Return which methods need more than the claim says, in which world."""
    places = zip(*np.nonzero(~(judged <= CLAIM)), strict=True)
    told = [f"{CALIBRATED[method]} ({NAMES[world]})" for world, method in places]
    return f"; more is needed by {', '.join(told)}" if told else ""
