"""What the contract holds for: every calibrator, measure and map that the package has.

New ones are found by themselves. Variants add the options that change the algorithm.
"""

import inspect

import truing.calibrators
import truing.maps
import truing.measures
from truing import Calibrator
from truing.calibrators import (
    AutoCalibrator,
    BayesianCalibrator,
    BBQCalibrator,
    BetaCalibrator,
    BlendCalibrator,
    CrossVennAbersCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    MixtureCalibrator,
    NearlyIsotonicCalibrator,
    PlattCalibrator,
    QuadraticCalibrator,
    ScalingBinningCalibrator,
    SplineCalibrator,
)
from truing.maps import ProbabilityMap
from truing.measures.evaluation import TITLES

CALIBRATORS = [
    found
    for _, found in inspect.getmembers(truing.calibrators, inspect.isclass)
    if issubclass(found, Calibrator) and found is not Calibrator
]
MAPS = ProbabilityMap.__subclasses__()
MEASURES = list(TITLES)


def usual(found):
    """Return a calibrator as it comes; the automatic choice tries but two that are here anyway."""
    if found is AutoCalibrator:
        return AutoCalibrator([PlattCalibrator(), HistogramCalibrator()], "brier", n_folds=2)
    return found()


VARIANTS = [
    *map(usual, CALIBRATORS),
    BBQCalibrator(average=False, per_bin=False),
    BayesianCalibrator(monotone=True),
    BetaCalibrator("ab"),
    BetaCalibrator("am"),
    BlendCalibrator(scale="score", monotone=True, prior=0.3),
    CrossVennAbersCalibrator(n_folds=3, loss="brier"),
    HistogramCalibrator(n_bins=3, smoothing=1.0),
    HistogramCalibrator(n_bins=5, strategy="uniform"),
    HistogramCalibrator(grid="log-odds", prior=0.1),
    IsotonicCalibrator(interpolate=False),
    IsotonicCalibrator(prior=0.7),
    KernelCalibrator(kernel="epanechnikov"),
    KernelCalibrator(kernel="triangular", scale="log-odds"),
    KernelCalibrator(kernel="tricube", per_class=True),
    KernelCalibrator(kernel="gaussian"),
    KernelCalibrator(bandwidth="leave-one-out"),
    KernelCalibrator(bandwidth=0.1, per_class=False, prior=0.3),
    KernelCalibrator(bandwidth="cross-validated", scale="rank"),
    KernelCalibrator("gaussian", "cross-validated", scale="rank", prior=0.3),
    KernelCalibrator("tricube", scale="rank"),
    KernelCalibrator("triangular", "cross-validated", scale="rank"),
    KernelCalibrator("epanechnikov", 0.1, scale="rank"),
    MixtureCalibrator(scale="log-odds", concentration=2.0, truncation=4),
    MixtureCalibrator(joint=True),
    MixtureCalibrator(joint=True, scale="log-odds", truncation=5, prior=0.3),
    NearlyIsotonicCalibrator(interpolate=False),
    PlattCalibrator(smoothed_targets=True),
    PlattCalibrator(scale="score", prior=0.2),
    QuadraticCalibrator(scale="score", prior=0.4),
    ScalingBinningCalibrator(n_bins="cube-root", split=True),
    SplineCalibrator(monotone=True, smoothed_targets=False),
    SplineCalibrator(scale="score", n_knots=5, prior=0.6),
]


def name_of(value):
    return repr(value) if isinstance(value, Calibrator) else value.__name__
