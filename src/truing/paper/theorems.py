"""The paper's three theorems against what happens: simulated histograms whose truth is known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truing.calibrators import HistogramCalibrator
from truing.maps import Steps
from truing.measures import roc_auc
from truing.numerics.arrays import FloatArray
from truing.numerics.bounds import (
    auc_loss_bound,
    expected_error_bound,
    gupta_ramdas_bound,
    hoeffding_bound,
    loose_hoeffding_bound,
)
from truing.paper.findings import Block, Study
from truing.paper.options import Options
from truing.paper.truth import CURVES, Curve, Population, circular_world
from truing.progress import progress
from truing.table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "run"]

SIZES, QUICK_SIZES = (300, 1000, 3000, 10_000, 30_000, 100_000), (300, 1000, 3000)
BINS = (5, 10, 30, 100)
GROUPS = 10  # of draws, from which standard errors come
LEAST = 30  # cases in a bin; with fewer there is nothing to learn
DRAWS, QUICK_DRAWS = 500, 100
DELTA = 0.05
BOUNDS: Mapping[str, Callable[[int, int, float], float]] = {
    "Gupta": gupta_ramdas_bound,
    "Hoeffding": hoeffding_bound,
    "Theorem 1": loose_hoeffding_bound,
}
SHOWN = ("rising", "coin", "rare")  # beside the bounds; a line has no room for more
CELLS = 30_000  # of the large-sample limit: a multiple of every number of bins
TOP = 0.001
CIRCLES, QUICK_CIRCLES = 5, 1

ASSUMPTIONS = (
    """Every error here is the true one: a histogram is fitted to N cases, and in each of its bins
    the probability that it tells is compared with the true share of positives, which is known in
    closed form. The paper's measures put several of its bins together, which can only make the
    worst error smaller.""",
    """Theorem 1 and Hoeffding's bound assume bins that were fixed beforehand; the histogram chooses
    its own on the same cases, so that only Gupta and Ramdas's bound is proved for it (and that, to
    the letter, for one that leaves out the cases on its borders). All three hold for whatever
    curve, so that they are closest where the chance is one half everywhere, the coin, and far too
    wide where positives are rare.""",
)


@dataclass(frozen=True, eq=False)
class Errors:
    """What was found for a curve: size by number of bins by draw, NaN where bins were too small."""

    greatest: FloatArray
    mean: FloatArray
    auc_loss: FloatArray


def run(options: Options) -> Study:
    """Return the errors of histograms beside what the theorems say of them."""
    sizes = QUICK_SIZES if options.quick else SIZES
    draws = options.draws or (QUICK_DRAWS if options.quick else DRAWS)
    found = _simulate(sizes, draws, options)
    slopes = _slopes(found, sizes)
    loss = _limits(QUICK_CIRCLES if options.quick else CIRCLES, options)
    return Study(
        "Theorems 1 to 3",
        "scores that are uniform (bins of equal frequency do not tell them from others) with four "
        "true curves: rising, U-shaped, a coin's, rare positives; and the simulated disc and ring.",
        (
            *_quantiles(found, sizes),
            *_rates(found, sizes),
            slopes,
            loss,
            *_losses(found, sizes),
        ),
        (*ASSUMPTIONS, *_conclusions(found, sizes, slopes, loss)),
        {"draws": draws, "seed": options.seed},
    )


# ---------------------------------------------------------------------------------- the simulation


def _simulate(sizes: tuple[int, ...], draws: int, options: Options) -> Mapping[str, Errors]:
    shape = len(sizes), len(BINS), draws
    found = {name: Errors(*(np.full(shape, np.nan) for _ in range(3))) for name in CURVES}
    base = {name: roc_auc(_population(curve).table) for name, curve in CURVES.items()}
    for draw in progress(range(draws), draws, "draws"):
        for at, seed in enumerate(options.seeds(draw, len(sizes))):
            rng = np.random.default_rng(seed)
            scores = rng.random(sizes[at])
            for name, curve in CURVES.items():
                labels = curve.labels(scores, rng)
                table = ScoreTable.from_arrays(scores, labels, classes=(0, 1))
                for among in _sensible(sizes[at]):
                    told = _measure(curve, table, BINS[among])
                    place = at, among, draw
                    found[name].greatest[place], found[name].mean[place], area = told
                    found[name].auc_loss[place] = base[name] - area
    return found


def _sensible(size: int) -> list[int]:
    """Return which numbers of bins leave enough cases in each."""
    return [at for at, bins in enumerate(BINS) if size >= LEAST * bins]


def _measure(curve: Curve, table: ScoreTable, bins: int) -> tuple[float, float, float]:
    """Return the true MCE, ECE and AUC of a histogram that is fitted to a table."""
    steps = HistogramCalibrator(n_bins=bins).solve(table)
    assert isinstance(steps, Steps)  # noqa: S101 - a histogram is nothing else; for the type checker
    ends = np.concatenate([[0.0], steps.edges, [1.0]])
    shares, width = curve.shares(ends), np.diff(ends)
    gaps = np.abs(steps.values - shares)
    area = _area(steps.values, width * shares, width * (1.0 - shares))
    return float(gaps.max()), float(width @ gaps), area


def _area(told: FloatArray, positives: FloatArray, negatives: FloatArray) -> float:
    """Return the AUC by its definition, pair by pair, ties counting one half."""
    order = 0.5 + 0.5 * np.sign(told[:, None] - told)
    return float(positives @ order @ negatives / (positives.sum() * negatives.sum()))


def _population(curve: Curve) -> Population:
    """Return cases without end."""
    scores = (np.arange(CELLS) + 0.5) / CELLS
    return Population(scores, curve.chance(scores))


# --------------------------------------------------------------------------------------- Theorem 1


def _quantiles(found: Mapping[str, Errors], sizes: tuple[int, ...]) -> list[Block]:
    """Return the MCE that 95 % of the draws stay below, and the bounds; a block for each B."""
    blocks = []
    for among, bins in enumerate(BINS):
        chosen = [at for at, size in enumerate(sizes) if among in _sensible(size)]
        if chosen:
            seen = [_quantile(found[name])[chosen, among] for name in SHOWN]
            bounds = [[bound(sizes[at], bins, DELTA) for at in chosen] for bound in BOUNDS.values()]
            rows = tuple(f"N = {sizes[at]:,}" for at in chosen)
            title = f"MCE: {1 - DELTA:.0%} quantile, and its bounds; B = {bins}"
            numbers = np.array([*seen, *bounds]).T
            blocks.append(Block(title, rows, (*SHOWN, *BOUNDS), numbers, digits=4))
    return blocks


def _quantile(errors: Errors) -> FloatArray:
    return np.asarray(np.quantile(errors.greatest, 1.0 - DELTA, axis=-1))


# --------------------------------------------------------------------------------------- Theorem 2


def _rates(found: Mapping[str, Errors], sizes: tuple[int, ...]) -> list[Block]:
    """Return ECE in units of sqrt(B / N); a block for each curve."""
    unit = np.sqrt(np.array(BINS) / np.array(sizes)[:, None])[..., None]
    return [
        _by_size(f"ECE · √(N / B); {name}", sizes, errors.mean / unit)
        for name, errors in found.items()
    ]


def _by_size(title: str, sizes: tuple[int, ...], draws: FloatArray, digits: int = 3) -> Block:
    rows, columns = tuple(f"N = {size:,}" for size in sizes), tuple(f"B = {b}" for b in BINS)
    spread = draws.std(axis=-1, ddof=1) if draws.shape[-1] > 1 else None
    return Block(title, rows, columns, draws.mean(axis=-1), spread, digits=digits)


def _slopes(found: Mapping[str, Errors], sizes: tuple[int, ...]) -> Block:
    """Return the exponents of N and B in the mean ECE, by least squares on logarithms."""
    columns = ("of N", "error", "of B", "error")
    numbers = np.array([_exponents(errors.mean, sizes) for errors in found.values()])
    title = "ECE ~ N^a · B^b: the exponents (theory: −1/2 and 1/2) and their standard errors"
    return Block(title, tuple(found), columns, numbers, digits=4)


def _exponents(ece: FloatArray, sizes: tuple[int, ...]) -> FloatArray:
    """Return the exponents of N and of B, each with its standard error.

    They are fitted to groups of draws, each by itself, and averaged; the standard error is that of
    the average. Errors of one draw at several B are alike, so that points do not err independently.
    """
    parts = np.array_split(ece, min(GROUPS, ece.shape[-1]), axis=-1)
    fitted = np.array([_fit_plane(part.mean(axis=-1), sizes) for part in parts])
    error = fitted.std(axis=0, ddof=1) / np.sqrt(len(fitted)) if len(fitted) > 1 else np.nan
    return np.stack(np.broadcast_arrays(fitted.mean(axis=0), error), axis=-1).ravel()


def _fit_plane(ece: FloatArray, sizes: tuple[int, ...]) -> FloatArray:
    """Return a and b of ECE = c · N^a · B^b, by least squares on logarithms."""
    known = ~np.isnan(ece)
    size, bins = (np.log(part[known]) for part in np.meshgrid(sizes, BINS, indexing="ij"))
    design = np.column_stack([size, bins, np.ones(len(size))])
    return np.asarray(np.linalg.lstsq(design, np.log(ece[known]))[0][:2])


# --------------------------------------------------------------------------------------- Theorem 3


def _limits(circles: int, options: Options) -> Block:
    """Return the AUC that histograms lose when cases have no end."""
    numbers = {"1 / (2B)": [auc_loss_bound(bins) for bins in BINS]}
    for name, population in _cases_without_end().items():
        numbers[name] = [_limit(population, bins) for bins in BINS]
    numbers["sawtooth"] = [_limit(_sawtooth(bins), bins) for bins in BINS]
    worlds = [circular_world(seed) for seed in options.seeds(0, circles)]
    lost = [[_limit(world.population, bins) for bins in BINS] for world in worlds]
    numbers["circular"] = np.mean(lost, axis=0).tolist()
    title = "AUC loss in the large-sample limit; below zero it is a gain"
    columns = tuple(f"B = {bins}" for bins in BINS)
    return Block(title, tuple(numbers), columns, np.array(list(numbers.values())), digits=5)


def _cases_without_end() -> dict[str, Population]:
    scores = (np.arange(CELLS) + 0.5) / CELLS
    return {
        **{name: _population(CURVES[name]) for name in ("rising", "rare")},
        f"top {TOP:.1%}": Population(scores, (scores > 1.0 - TOP).astype(np.float64)),
        "U-shaped": _population(CURVES["U-shaped"]),
    }


def _sawtooth(teeth: int) -> Population:
    """Return the score that loses most: in each bin negatives below positives, all bins alike."""
    scores = (np.arange(CELLS) + 0.5) / CELLS
    return Population(scores, (scores * teeth % 1.0 > 0.5).astype(np.float64))


def _limit(population: Population, bins: int) -> float:
    table = population.table
    steps = HistogramCalibrator(n_bins=bins).solve(table)
    return roc_auc(table) - roc_auc(table.transform(steps))


def _losses(found: Mapping[str, Errors], sizes: tuple[int, ...]) -> list[Block]:
    """Return the AUC that histograms of so many cases lose."""
    return [
        _by_size(f"AUC loss with N cases; {name}", sizes, found[name].auc_loss, 4)
        for name in ("rising", "U-shaped", "rare")
    ]


# ------------------------------------------------------------------------------------- conclusions


def _conclusions(
    found: Mapping[str, Errors], sizes: tuple[int, ...], slopes: Block, loss: Block
) -> list[str]:
    return [
        _of_greatest(found, sizes),
        _of_means(found, sizes, slopes),
        _of_limits(loss),
        _of_losses(found, sizes),
    ]


def _over(bound: Any, sizes: tuple[int, ...]) -> FloatArray:
    return np.array([[bound(size, bins) for bins in BINS] for size in sizes])


def _of_greatest(found: Mapping[str, Errors], sizes: tuple[int, ...]) -> str:
    told = []
    for name, bound in BOUNDS.items():
        shares = {curve: _quantile(errors) / _over(bound, sizes) for curve, errors in found.items()}
        worst = max(shares, key=lambda curve: float(np.nanmax(shares[curve])))
        told.append(f"{np.nanmax(shares[worst]):.2f} of {name}'s ({worst})")
    limit = _over(gupta_ramdas_bound, sizes)[..., None]
    beyond = max(np.nanmax(_share(errors.greatest > limit)) for errors in found.values())
    rare = np.nanmax(_quantile(found["rare"]) / limit[..., 0])
    return (
        f"The {1 - DELTA:.0%} quantile of MCE is at most {', '.join(told)}. Gupta and Ramdas's "
        f"bound was exceeded by at most {beyond:.1%} of the draws of any curve, N and B; "
        f"{DELTA:.0%} would be allowed. With rare positives the quantile is at most {rare:.2f} of "
        "it: a bound that looks at the labels could promise far more."
    )


def _share(flags: Any) -> FloatArray:
    return np.asarray(np.mean(flags, axis=-1))


def _of_means(found: Mapping[str, Errors], sizes: tuple[int, ...], slopes: Block) -> str:
    slope, error = (slopes.value("coin", name) for name in ("of N", "error"))
    unit = _over(expected_error_bound, sizes)
    constants = {
        name: np.nanmean(errors.mean.mean(axis=-1) / unit) / 2 for name, errors in found.items()
    }
    told = ", ".join(f"{value:.2f} ({name})" for name, value in constants.items())
    return (
        f"ECE is c · √(B / N) with c some {told}; √(1 / 2π) = 0.40 is what a coin must have and "
        f"1/2 the most there can be. The coin's exponent of N is {slope:.4f} ± {error:.4f}. The "
        "exponent of B may fall short of 1/2, since narrower bins may be surer."
    )


def _of_limits(loss: Block) -> str:
    monotone = ["rising", "rare", f"top {TOP:.1%}"]
    bounds = loss.mean[0]
    shares = {name: loss.mean[loss.rows.index(name)] / bounds for name in loss.rows[1:]}
    told = ", ".join(f"{shares[name].max():.3f} ({name})" for name in monotone)
    gains = ", ".join(
        f"{-loss.mean[loss.rows.index(name)].max():.3f} ({name})"
        for name in ("U-shaped", "circular")
    )
    return (
        f"In the limit a monotone score loses at most these shares of 1 / (2B): {told}. A smooth "
        "curve loses as 1 / B², far less than the theorem allows; positives crowded into one bin "
        "come close to the bound, and the sawtooth, whose score is in order within each bin and "
        f"says nothing across bins, attains it: {shares['sawtooth'].max():.3f}. Scores that are "
        f"not monotone gain at least {gains} of AUC at every B."
    )


def _of_losses(found: Mapping[str, Errors], sizes: tuple[int, ...]) -> str:
    limit, told = _over(lambda _, bins: auc_loss_bound(bins), sizes), []
    for name in ("rising", "rare"):
        shares = found[name].auc_loss.mean(axis=-1) / limit
        at, among = np.unravel_index(np.nanargmax(shares), shares.shape)
        told.append(f"{shares[at, among]:.2f} of it ({name}, N = {sizes[at]:,}, B = {BINS[among]})")
    return (
        "Theorem 3 speaks of cases without end. With N cases bins are put in a wrong order, and "
        f"the mean loss reaches {' and '.join(told)}."
    )


# ------------------------------------------------------------------------------------- the picture


def draw(study: Study, figure: "Figure") -> None:
    """Draw the three theorems, one beside another, on logarithmic axes."""
    first, second, third = figure.subplots(1, 3)
    _draw_greatest(study, first)
    _draw_means(study, second)
    _draw_losses(study, third)
    for ax in (first, second, third):
        ax.legend(fontsize="x-small", frameon=False)


def _draw_greatest(study: Study, ax: Any) -> None:
    block = study.block("B = 10")
    for at, name in enumerate(block.columns):
        line = {"linestyle": "--", "color": str(0.2 * (at - len(SHOWN)))} if name in BOUNDS else {}
        ax.loglog(_numbers(block.rows), block.mean[:, at], label=name, **(line or {"marker": "o"}))
    ax.set(title="Theorem 1, B = 10", xlabel="N", ylabel=f"MCE, {1 - DELTA:.0%} quantile")


def _draw_means(study: Study, ax: Any) -> None:
    block = study.block("ECE · √(N / B); coin")
    sizes = _numbers(block.rows)
    for at, bins in enumerate(_numbers(block.columns)):
        unit = np.sqrt(bins / sizes)
        [line] = ax.loglog(sizes, block.mean[:, at] * unit, "o", label=block.columns[at])
        ax.loglog(sizes, unit / np.sqrt(2.0 * np.pi), "--", color=line.get_color())
    ax.set(title="Theorem 2, a coin, and √(B / 2πN)", xlabel="N", ylabel="mean ECE")


def _draw_losses(study: Study, ax: Any) -> None:
    block = study.block("large-sample limit")
    lines = {"1 / (2B)": "k--", f"top {TOP:.1%}": "o-", "rising": "s-", "rare": "^-"}
    for name, line in lines.items():
        ax.loglog(_numbers(block.columns), block.mean[block.rows.index(name)], line, label=name)
    ax.set(title="Theorem 3", xlabel="B", ylabel="AUC loss in the limit")


def _numbers(names: tuple[str, ...]) -> FloatArray:
    """Return the numbers in names such as N = 1,000."""
    return np.array([float(name.split(" = ")[1].replace(",", "")) for name in names])
