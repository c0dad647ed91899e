"""The closed family of fitted functions from score to probability."""

from truing.maps.lines import Lines
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import LogOddsScale, Scale, ScoreScale
from truing.maps.sigmoid import Sigmoid
from truing.maps.steps import Steps

__all__ = [
    "Lines",
    "LogOddsScale",
    "ProbabilityMap",
    "Scale",
    "ScoreScale",
    "Sigmoid",
    "Steps",
]
