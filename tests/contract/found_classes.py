"""What the contract of many classes holds for: every calibrator in `truing.multiclass`."""

import inspect

import truing.multiclass
from truing import (
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    MixtureCalibrator,
    PlattCalibrator,
)
from truing.multiclass import (
    DirichletCalibrator,
    MatrixScalingCalibrator,
    MulticlassCalibrator,
    OneVsRestCalibrator,
    TemperatureScalingCalibrator,
    TopLabelCalibrator,
    VectorScalingCalibrator,
)

MULTICLASS = [
    found
    for _, found in inspect.getmembers(truing.multiclass, inspect.isclass)
    if issubclass(found, MulticlassCalibrator) and not inspect.isabstract(found)
]
MULTICLASS_VARIANTS = [
    *[found() for found in MULTICLASS],
    DirichletCalibrator(spread=0.1),
    MatrixScalingCalibrator(prior=[0.2, 0.3, 0.5]),
    OneVsRestCalibrator(HistogramCalibrator(n_bins=3, smoothing=1.0)),
    OneVsRestCalibrator(IsotonicCalibrator()),
    OneVsRestCalibrator(KernelCalibrator()),
    OneVsRestCalibrator(MixtureCalibrator()),
    OneVsRestCalibrator(PlattCalibrator(), coupling="pairwise"),
    OneVsRestCalibrator(IsotonicCalibrator(), coupling="pairwise"),
    TemperatureScalingCalibrator(spread=0.5),
    TopLabelCalibrator(HistogramCalibrator(n_bins=2), by_class=True),
    VectorScalingCalibrator(slope_spread=0.1, intercept_spread=1.0),
]
