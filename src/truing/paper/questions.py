"""The paper's open questions, answered by experiment."""

from truing.paper.bin_widths import compare_widths
from truing.paper.calibration_data import compare_calibration_data
from truing.paper.calibration_size import compare_sizes
from truing.paper.findings import Study
from truing.paper.options import Options

__all__ = ["run"]

PARTS = (compare_widths, compare_calibration_data, compare_sizes)


def run(options: Options) -> Study:
    """Return three experiments: how to bin, which cases to calibrate with, and how many."""
    answers = [part(options) for part in PARTS]
    return Study(
        "The paper's open questions",
        "scores whose true chances are known, the simulated disc and ring as a linear SVM sees it, "
        "and for question 2 cases of ten features and noisy labels; errors are true ones, on all "
        "cases there are or, for question 2, on 5,000 cases weighed with their chances.",
        tuple(block for blocks, _ in answers for block in blocks),
        tuple(note for _, notes in answers for note in notes),
        {"draws": options.draws or "as each part takes", "seed": options.seed},
    )
