"""What a fit costs once there is a table: every other calibrator, beside a sort of the scores."""

from importlib.util import find_spec
from typing import Any

import numpy as np

import truing
from benchmark import Sides, at_most, benchmark, faster
from samples import cases
from truing import ScoreTable

FROM_A_TABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "blend": ("BlendCalibrator", {}),
    "Bayesian curve": ("BayesianCalibrator", {}),
    "spline": ("SplineCalibrator", {}),
    "beta": ("BetaCalibrator", {}),
    "quadratic": ("QuadraticCalibrator", {}),
    "temperature": ("TemperatureCalibrator", {}),
    "centred isotonic": ("CenteredIsotonicCalibrator", {}),
    "nearly isotonic": ("NearlyIsotonicCalibrator", {}),
    "Venn-Abers": ("VennAbersCalibrator", {}),
    "cross Venn-Abers": ("CrossVennAbersCalibrator", {}),
    "BBQ": ("BBQCalibrator", {}),
    "scaling-binning": ("ScalingBinningCalibrator", {}),
    "kernel over ranks": (
        "KernelCalibrator",
        {"kernel": "epanechnikov", "bandwidth": "cross-validated", "scale": "rank"},
    ),
    "joint mixture": ("MixtureCalibrator", {"joint": True, "scale": "log-odds"}),
    "automatic choice among ten": ("AutoCalibrator", {}),
}
OF_PROBCAL = {"BBQ": "BBQCalibrator", "Venn-Abers": "VennAbersCalibrator"}


def _beside_a_sort(kind: str, options: dict[str, Any], size: int) -> Sides:
    scores, labels = cases(size)
    table = ScoreTable.from_arrays(scores, labels)
    method = getattr(truing, kind)
    return Sides(lambda: method(**options).fit_table(table), lambda: np.sort(scores))


def _beside_probcal(kind: str, theirs: str, size: int) -> Sides:
    import probcal  # noqa: PLC0415 - only where it is installed

    scores, labels = cases(size)
    method, other = getattr(truing, kind), getattr(probcal, theirs)
    return Sides(
        lambda: method().fit(scores, labels), lambda: other().fit(scores, labels.astype(float))
    )


for name, (kind, options) in FROM_A_TABLE.items():
    benchmark(f"{name}, from a table", "np.sort of the scores", at_most(), sizes=(10**5, 10**6))(
        lambda size, kind=kind, options=options: _beside_a_sort(kind, options, size)
    )

if find_spec("probcal"):  # `pip install probcal` adds these rows
    for name, theirs in OF_PROBCAL.items():
        kind = FROM_A_TABLE[name][0]
        benchmark(f"{name}, from rows", f"probcal {theirs}", faster(10), sizes=(10**6,))(
            lambda size, kind=kind, theirs=theirs: _beside_probcal(kind, theirs, size)
        )
