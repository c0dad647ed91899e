"""Calibrators of many classes: native ones, and every one-dimensional one, class by class."""

from truing.multiclass.dirichlet import DirichletCalibrator
from truing.multiclass.matrix_scaling import MatrixScalingCalibrator
from truing.multiclass.multiclass_blend import MulticlassBlendCalibrator
from truing.multiclass.multiclass_calibrator import MulticlassCalibrator
from truing.multiclass.one_vs_rest import OneVsRestCalibrator
from truing.multiclass.temperature_scaling import TemperatureScalingCalibrator
from truing.multiclass.top_label import TopLabelCalibrator
from truing.multiclass.vector_scaling import VectorScalingCalibrator

__all__ = [
    "DirichletCalibrator",
    "MatrixScalingCalibrator",
    "MulticlassBlendCalibrator",
    "MulticlassCalibrator",
    "OneVsRestCalibrator",
    "TemperatureScalingCalibrator",
    "TopLabelCalibrator",
    "VectorScalingCalibrator",
]
