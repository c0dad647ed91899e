"""truing makes a classifier's probabilities true: when it says 0.8, it happens 80 % of the time.

Names are loaded when they are first used, so that ``import truing`` costs little more than numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truing.calibrators import (
        AutoCalibrator,
        BayesianCalibrator,
        BBQCalibrator,
        BetaCalibrator,
        BlendCalibrator,
        Calibrator,
        CenteredIsotonicCalibrator,
        CrossVennAbersCalibrator,
        HistogramCalibrator,
        IsotonicCalibrator,
        KernelCalibrator,
        MixtureCalibrator,
        NearlyIsotonicCalibrator,
        OffsetCalibrator,
        PlattCalibrator,
        QuadraticCalibrator,
        ScalingBinningCalibrator,
        SplineCalibrator,
        TemperatureCalibrator,
        VennAbersCalibrator,
    )
    from truing.classifier import CalibratedClassifier
    from truing.errors import DataError, OptionError
    from truing.maps import ProbabilityMap
    from truing.measures import (
        Evaluation,
        MulticlassEvaluation,
        ReliabilityCurve,
        accuracy,
        brier_score,
        classwise_calibration_error,
        evaluate,
        expected_calibration_error,
        expected_profit,
        log_loss,
        maximum_calibration_error,
        policy_profit,
        profitable,
        reliability_curve,
        roc_auc,
        root_mean_squared_error,
        top_label_calibration_error,
    )
    from truing.multiclass import (
        DirichletCalibrator,
        MatrixScalingCalibrator,
        MulticlassBlendCalibrator,
        MulticlassCalibrator,
        OneVsRestCalibrator,
        TemperatureScalingCalibrator,
        TopLabelCalibrator,
        VectorScalingCalibrator,
    )
    from truing.plots import plot_reliability
    from truing.table import LogOddsGrid, RelativeGrid, ScoreTable

__version__ = "0.1.0"

# Where names are looked for, what is quick to load first.
_ROOMS = ("errors", "table", "measures", "maps", "plots", "calibrators", "multiclass", "classifier")

__all__ = [
    "AutoCalibrator",
    "BBQCalibrator",
    "BayesianCalibrator",
    "BetaCalibrator",
    "BlendCalibrator",
    "CalibratedClassifier",
    "Calibrator",
    "CenteredIsotonicCalibrator",
    "CrossVennAbersCalibrator",
    "DataError",
    "DirichletCalibrator",
    "Evaluation",
    "HistogramCalibrator",
    "IsotonicCalibrator",
    "KernelCalibrator",
    "LogOddsGrid",
    "MatrixScalingCalibrator",
    "MixtureCalibrator",
    "MulticlassBlendCalibrator",
    "MulticlassCalibrator",
    "MulticlassEvaluation",
    "NearlyIsotonicCalibrator",
    "OffsetCalibrator",
    "OneVsRestCalibrator",
    "OptionError",
    "PlattCalibrator",
    "ProbabilityMap",
    "QuadraticCalibrator",
    "RelativeGrid",
    "ReliabilityCurve",
    "ScalingBinningCalibrator",
    "ScoreTable",
    "SplineCalibrator",
    "TemperatureCalibrator",
    "TemperatureScalingCalibrator",
    "TopLabelCalibrator",
    "VectorScalingCalibrator",
    "VennAbersCalibrator",
    "accuracy",
    "brier_score",
    "classwise_calibration_error",
    "evaluate",
    "expected_calibration_error",
    "expected_profit",
    "log_loss",
    "maximum_calibration_error",
    "plot_reliability",
    "policy_profit",
    "profitable",
    "reliability_curve",
    "roc_auc",
    "root_mean_squared_error",
    "top_label_calibration_error",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        for room in _ROOMS:
            module = import_module(f"truing.{room}")
            if name in module.__all__:
                value = globals()[name] = getattr(module, name)
                return value
    raise AttributeError(f"module 'truing' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
