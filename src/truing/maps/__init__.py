"""The closed family of fitted functions from score to probability."""

from truing.maps.average import Average
from truing.maps.beta_curve import BetaCurve
from truing.maps.curve import Curve
from truing.maps.density_ratio import DensityRatio
from truing.maps.kernel_ratio import KernelRatio
from truing.maps.lines import Lines
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import LogOddsScale, Scale, ScoreScale
from truing.maps.sigmoid import Sigmoid
from truing.maps.steps import Steps

__all__ = [
    "Average",
    "BetaCurve",
    "Curve",
    "DensityRatio",
    "KernelRatio",
    "Lines",
    "LogOddsScale",
    "ProbabilityMap",
    "Scale",
    "ScoreScale",
    "Sigmoid",
    "Steps",
]
