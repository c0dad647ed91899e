"""The paper's methods, as its experiments use them, and its measures."""

from collections.abc import Callable, Mapping

import numpy as np

from truing.calibrators import (
    Calibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    MixtureCalibrator,
    PlattCalibrator,
)
from truing.measures import (
    accuracy,
    expected_calibration_error,
    maximum_calibration_error,
    roc_auc,
    root_mean_squared_error,
)
from truing.numerics.arrays import FloatArray, IntArray
from truing.table import ScoreTable

__all__ = ["calibrators", "measure_all", "measure_as_authors"]

BINS = 10  # of the paper's measures, and of its histograms


def calibrators(n_bins: int = BINS) -> Mapping[str, Calibrator]:
    """Return the paper's calibration methods by the names it gives them.

    >>> list(calibrators())
    ['Hist', 'Platt', 'IsoReg', 'KDE', 'DPM']
    """
    return {
        "Hist": HistogramCalibrator(n_bins=n_bins),
        "Platt": PlattCalibrator(),
        "IsoReg": IsotonicCalibrator(),
        "KDE": KernelCalibrator(),
        "DPM": MixtureCalibrator(),
    }


FAIR: Mapping[str, Callable[[ScoreTable], float]] = {
    "RMSE": root_mean_squared_error,
    "AUC": roc_auc,
    "ACC": accuracy,
    "MCE": maximum_calibration_error,
    "ECE": expected_calibration_error,
}


def measure_all(labels: IntArray, probabilities: FloatArray) -> dict[str, float]:
    """Return the paper's five measures, tied predictions treated fairly."""
    table = ScoreTable.from_arrays(probabilities, labels, classes=(0, 1))
    return {name: measure(table) for name, measure in FAIR.items()}


def measure_as_authors(labels: IntArray, probabilities: FloatArray) -> dict[str, float]:
    """Return the same with tied predictions in the order of the authors' published program.

    It sorts cases by prediction and then by label, so that within a block of ties all negatives
    come first. Bins that cut the block are nearly of one class, and ECE and MCE grow without any
    probability being less true.

    >>> constant, labels = np.full(1000, 0.5), np.tile([0, 1], 500)
    >>> measure_all(labels, constant)["ECE"], round(measure_as_authors(labels, constant)["ECE"], 9)
    (0.0, 0.5)
    """
    order = np.lexsort((labels, probabilities))
    parts = [np.array_split(column[order], BINS) for column in (labels, probabilities)]
    gaps = [abs(label.mean() - told.mean()) for label, told in zip(*parts, strict=True)]
    shares = np.array([len(part) for part in parts[0]]) / len(labels)
    return {
        **measure_all(labels, probabilities),
        "MCE": float(max(gaps)),
        "ECE": float(shares @ gaps),
    }
