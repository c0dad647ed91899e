"""Measures of probabilities: one measure, or one family, per file."""

from truing.measures.brier import brier_score, root_mean_squared_error
from truing.measures.calibration_error import (
    expected_calibration_error,
    maximum_calibration_error,
)
from truing.measures.class_calibration_error import (
    classwise_calibration_error,
    top_label_calibration_error,
)
from truing.measures.discrimination import accuracy, roc_auc
from truing.measures.evaluation import Evaluation, evaluate
from truing.measures.log_loss import log_loss
from truing.measures.multiclass_evaluation import MulticlassEvaluation
from truing.measures.profit import expected_profit, policy_profit, profitable
from truing.measures.reliability import ReliabilityCurve, reliability_curve

__all__ = [
    "Evaluation",
    "MulticlassEvaluation",
    "ReliabilityCurve",
    "accuracy",
    "brier_score",
    "classwise_calibration_error",
    "evaluate",
    "expected_calibration_error",
    "expected_profit",
    "log_loss",
    "maximum_calibration_error",
    "policy_profit",
    "profitable",
    "reliability_curve",
    "roc_auc",
    "root_mean_squared_error",
    "top_label_calibration_error",
]
