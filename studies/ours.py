"""The methods of truing, found by name; what this version does not have is left out."""

from inspect import signature
from typing import Any

import rules
import truing
from curves import Array
from methods import Fit, Fitted, Method

RANK = {"kernel": "epanechnikov", "bandwidth": "cross-validated", "scale": "rank"}
NAMED: tuple[tuple[str, str, dict[str, Any]], ...] = (  # name, class, options
    ("Blend", "BlendCalibrator", {}),
    ("Bayesian", "BayesianCalibrator", {}),
    ("Auto", "AutoCalibrator", {}),
    ("Auto, the best", "AutoCalibrator", {"rule": "best"}),
    ("Auto, one standard error", "AutoCalibrator", {"rule": "one-standard-error"}),
    ("Spline", "SplineCalibrator", {}),
    ("Beta", "BetaCalibrator", {}),
    ("Platt", "PlattCalibrator", {}),
    ("Temperature", "TemperatureCalibrator", {}),
    ("Quadratic", "QuadraticCalibrator", {}),
    ("Isotonic", "IsotonicCalibrator", {}),
    ("Centred isotonic", "CenteredIsotonicCalibrator", {}),
    ("Nearly isotonic", "NearlyIsotonicCalibrator", {}),
    ("Venn-Abers", "VennAbersCalibrator", {}),
    ("Cross Venn-Abers", "CrossVennAbersCalibrator", {}),
    ("Kernel", "KernelCalibrator", {}),
    ("Kernel over ranks", "KernelCalibrator", RANK),
    ("Mixture, joint", "MixtureCalibrator", {"joint": True, "scale": "log-odds"}),
    ("Mixture", "MixtureCalibrator", {}),
    ("Histogram", "HistogramCalibrator", {}),
    ("BBQ", "BBQCalibrator", {}),
    ("Scaling-binning", "ScalingBinningCalibrator", {}),
)


def ours() -> list[Method]:
    """Return the methods of truing that exist."""
    return [
        Method(name, "truing", _fit(getattr(truing, kind), options))
        for name, kind, options in NAMED
        if hasattr(truing, kind)
    ]


def _fit(kind: type, options: dict[str, Any]) -> Fit:
    def fit(scores: Array, labels: Array) -> Fitted:
        calibrator = kind(**options).fit(scores, labels)
        interval = getattr(calibrator, "predict_interval", None)
        if interval is None or "confidence" not in signature(interval).parameters:
            return Fitted(calibrator.transform)  # Venn-Abers' interval is no credible one
        return Fitted(calibrator.transform, lambda at: interval(at, confidence=rules.CONFIDENCE))

    return fit
