"""Calibrators: one method per file, each a function from a table to a map."""

from truing.calibrators.auto import AutoCalibrator
from truing.calibrators.bayesian import BayesianCalibrator
from truing.calibrators.bbq import BBQCalibrator
from truing.calibrators.beta import BetaCalibrator
from truing.calibrators.blend import BlendCalibrator
from truing.calibrators.calibrator import Calibrator
from truing.calibrators.centered_isotonic import CenteredIsotonicCalibrator
from truing.calibrators.cross_venn_abers import CrossVennAbersCalibrator
from truing.calibrators.histogram import Bins, HistogramCalibrator
from truing.calibrators.interval import Interval
from truing.calibrators.isotonic import IsotonicCalibrator
from truing.calibrators.kernel import KernelCalibrator
from truing.calibrators.mixture import MixtureCalibrator
from truing.calibrators.nearly_isotonic import NearlyIsotonicCalibrator
from truing.calibrators.offset import OffsetCalibrator
from truing.calibrators.platt import PlattCalibrator
from truing.calibrators.quadratic import QuadraticCalibrator
from truing.calibrators.scaling_binning import ScalingBinningCalibrator
from truing.calibrators.spline import SplineCalibrator
from truing.calibrators.temperature import TemperatureCalibrator
from truing.calibrators.trials import Trial, Trials
from truing.calibrators.venn_abers import VennAbersCalibrator

__all__ = [
    "AutoCalibrator",
    "BBQCalibrator",
    "BayesianCalibrator",
    "BetaCalibrator",
    "Bins",
    "BlendCalibrator",
    "Calibrator",
    "CenteredIsotonicCalibrator",
    "CrossVennAbersCalibrator",
    "HistogramCalibrator",
    "Interval",
    "IsotonicCalibrator",
    "KernelCalibrator",
    "MixtureCalibrator",
    "NearlyIsotonicCalibrator",
    "OffsetCalibrator",
    "PlattCalibrator",
    "QuadraticCalibrator",
    "ScalingBinningCalibrator",
    "SplineCalibrator",
    "TemperatureCalibrator",
    "Trial",
    "Trials",
    "VennAbersCalibrator",
]
