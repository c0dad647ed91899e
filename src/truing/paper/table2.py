"""Table 2: how much calibration data it takes, from a hundred cases to a million."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from truing.calibrators import Calibrator, HistogramCalibrator, KernelCalibrator, MixtureCalibrator
from truing.numerics.arrays import FloatArray, IntArray
from truing.paper.findings import Block, Study
from truing.paper.methods import BINS, measure_all, measure_as_authors
from truing.paper.options import Options
from truing.paper.published import TABLE_2
from truing.paper.simulated import circular_data, support_vector_machine, svm_probabilities
from truing.progress import progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "run"]

TRAINING, TEST, DRAWS, QUICK_DRAWS = 1000, 10_000, 10, 2
SIZES, QUICK_SIZES = (10**2, 10**3, 10**4, 10**5, 10**6), (10**2, 10**3, 10**4)
MEASURES = ("AUC", "MCE", "ECE")
FAIR = tuple(f"{measure}, fair" for measure in MEASURES[1:])
NOTES = (
    """AUC, MCE and ECE are measured as the authors did, ties sorted by label, to stand beside the
    published values; MCE and ECE with fair ties are what the methods really achieve.""",
    """The paper does not say how many bins it took; max(10, N^(1/3)) fits its numbers best. KDE and
    DPM are not in its table.""",
    """Even true probabilities have an ECE of some 0.01 and an MCE of some 0.025 on 10,000 test
    cases of the linear model: below that no method can be told from another.""",
)


def run(options: Options) -> Study:
    """Return the table for Hist, and for KDE and DPM as well: means and spreads over draws."""
    draws = options.draws or (QUICK_DRAWS if options.quick else DRAWS)
    sizes = QUICK_SIZES if options.quick else SIZES
    kinds, columns = tuple(TABLE_2), (*MEASURES, *FAIR)
    names = ("base", *_methods(BINS))
    found = np.empty((draws, len(kinds), len(sizes), len(names), len(columns)))
    places = [(draw, at) for draw in range(draws) for at in range(len(kinds))]
    for draw, at in progress(places, len(places), "draws"):
        found[draw, at] = _measure(kinds[at], sizes, *options.seeds(draw, 2 + len(sizes)))
    blocks = [
        _block(kind, name, sizes, found[:, at, :, among], columns)
        for at, kind in enumerate(kinds)
        for among, name in enumerate(names)
    ]
    return Study(
        "Table 2: the size of the calibration data",
        f"the simulated disc and ring, {TRAINING:,} training cases, 10² to "
        f"{sizes[-1]:,} other cases to calibrate with, {TEST:,} test cases.",
        tuple(blocks),
        NOTES,
        {"draws": draws, "seed": options.seed},
    )


def _methods(n_bins: int) -> Mapping[str, Calibrator]:
    return {
        "Hist": HistogramCalibrator(n_bins=n_bins),
        "KDE": KernelCalibrator(),
        "DPM": MixtureCalibrator(),
    }


def _measure(
    kind: str, sizes: tuple[int, ...], training: int, test: int, *seeds: int
) -> FloatArray:
    """Return the measures of one draw: sizes by methods by measures."""
    points, labels = circular_data(TRAINING, training)
    model = support_vector_machine(kind).fit(points, labels)
    others, truth = circular_data(TEST, test)
    asked, told = svm_probabilities(model, others), []
    for size, seed in zip(sizes, seeds, strict=True):
        more, known = _calibration_cases(size, seed)
        scores = svm_probabilities(model, more)
        methods = _methods(max(BINS, round(size ** (1 / 3)))).values()
        answers = [asked, *(method.fit(scores, known).transform(asked) for method in methods)]
        told.append([_both(truth, answer) for answer in answers])
    return np.array(told)


def _calibration_cases(size: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Return cases whose classes are drawn, too, so that they need not be equally many."""
    points, labels = circular_data(2 * size, seed)
    chosen = np.random.default_rng(seed).permutation(2 * size)[:size]
    return points[chosen], labels[chosen]


def _both(truth: Any, answer: FloatArray) -> list[float]:
    authors, fair = measure_as_authors(truth, answer), measure_all(truth, answer)
    return [*(authors[name] for name in MEASURES), fair["MCE"], fair["ECE"]]


def _block(
    kind: str, name: str, sizes: tuple[int, ...], numbers: FloatArray, columns: tuple[str, ...]
) -> Block:
    rows = tuple(f"N = {size:,}" for size in sizes)
    if name == "base":  # it is not calibrated: of all sizes the first will do
        rows, numbers = ("as it came",), numbers[:, :1]
    published = np.full((len(rows), len(columns)), np.nan)
    if name in {"base", "Hist"}:
        given = TABLE_2[kind][-1:] if name == "base" else TABLE_2[kind][: len(rows)]
        published[:, : len(MEASURES)] = given
    spread = numbers.std(axis=0, ddof=1) if len(numbers) > 1 else None
    return Block(f"SVM, {kind}; {name}", rows, columns, numbers.mean(axis=0), spread, published)


def draw(study: Study, figure: "Figure") -> None:
    """Draw ECE and MCE against the size, with the rates of Theorems 1 and 2."""
    axes = figure.subplots(1, 2, sharey=True)
    for ax, kind in zip(axes, TABLE_2, strict=True):
        for name, marker in (("Hist", "o"), ("KDE", "s"), ("DPM", "^")):
            block = study.block(f"{kind}; {name}")
            sizes = [float(row.removeprefix("N = ").replace(",", "")) for row in block.rows]
            for measure, line in (("MCE, fair", "-"), ("ECE, fair", "--")):
                values = [block.value(row, measure) for row in block.rows]
                ax.loglog(sizes, values, line, marker=marker, label=f"{name}, {measure[:3]}")
        _draw_rates(ax, np.array(sizes))
        ax.set(title=f"{kind} SVM", xlabel="calibration cases")
    axes[0].set_ylabel("calibration error")
    axes[1].legend(fontsize="x-small", frameon=False)


def _draw_rates(ax: Any, sizes: FloatArray) -> None:
    bins = np.maximum(BINS, np.cbrt(sizes))
    ax.loglog(sizes, np.sqrt(bins * np.log(40 * bins) / sizes), "k:", label="√(B log B / N)")
    ax.loglog(sizes, np.sqrt(bins / sizes), "k-.", label="√(B / N)")
