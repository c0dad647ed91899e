"""scikit-learn's own checks, for every way and several calibrators."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from truing import (
    CalibratedClassifier,
    DirichletCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
)

# The checks' clouds of points are far apart, of which PlattCalibrator warns rightly.
pytestmark = pytest.mark.filterwarnings("ignore:.*The score separates the classes")

WAYS = [{"cv": 3}, {"cv": "same"}, {"cv": "partition"}, {"cv": 2, "ensemble": True}]
CALIBRATORS = [
    (None, WAYS),
    (HistogramCalibrator(), WAYS),
    (IsotonicCalibrator(), WAYS),
    (OneVsRestCalibrator(PlattCalibrator(), coupling="pairwise"), WAYS[:1]),
    (DirichletCalibrator(), WAYS[:1]),
]


@parametrize_with_checks(
    [
        CalibratedClassifier(LogisticRegression(), calibrator, **way)
        for calibrator, ways in CALIBRATORS
        for way in ways
    ]
)
def test_check(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would skip itself
    check(estimator)
