"""The architecture is a test: who may use whom, what is public, what an import loads."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import truing

ROOT = Path(__file__).parents[2]
ROOMS = sorted(path.parent.name for path in (ROOT / "src/truing").glob("*/__init__.py"))
PUBLIC = {
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
}


def run(*words):
    return subprocess.run(
        [sys.executable, *words], check=False, cwd=ROOT, capture_output=True, text=True
    )


def test_rooms_use_only_what_is_below_them():
    done = run("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 kept, 0 broken" in done.stdout


def test_the_public_names_are_these():
    assert set(truing.__all__) == PUBLIC
    assert set(truing.__all__) <= set(dir(truing))
    for name in truing.__all__:
        assert getattr(truing, name).__name__ == name


def test_what_is_not_public_is_no_attribute():
    with pytest.raises(AttributeError, match=r"truing.*has no attribute 'no_such_name'"):
        _ = truing.no_such_name


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_says_what_it_is_for_and_names_what_it_gives(room):
    module = import_module(f"truing.{room}")
    assert module.__doc__
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name).__doc__


@pytest.mark.parametrize("room", ROOMS)
def test_the_map_of_the_house_shows_every_room(room):
    assert f"`{room}`" in (ROOT / "ARCHITECTURE.md").read_text()


TABLE_AND_MEASURES = """
import sys, numpy, truing
table = truing.ScoreTable.from_arrays([0.1, 0.6, 0.7], [0, 0, 1], [1.0, 2.0, 1.0])
truing.evaluate(table + table), truing.reliability_curve([0, 1], [0.2, 0.7])
truing.ScoreTable.from_arrays(numpy.array([0.1, 0.6]), numpy.array([False, True]), grid="log-odds")
heavy = {"sklearn", "scipy", "pandas", "narwhals", "matplotlib"}
print(sorted(heavy & set(sys.modules)))
"""


def test_tables_and_measures_load_numpy_alone():
    done = run("-c", TABLE_AND_MEASURES)
    assert done.stdout.strip() == "[]", done.stderr


def test_help_loads_no_scikit_learn():
    program = (
        "import sys\ntry:\n    import truing.cli\n    truing.cli.main(['--help'])\n"
        "except SystemExit:\n    print(sorted({'sklearn', 'scipy'} & set(sys.modules)))"
    )
    assert run("-c", program).stdout.splitlines()[-1] == "[]"


def test_the_source_distribution_holds_what_its_tests_and_documents_need():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = set(told["tool"]["hatch"]["build"]["targets"]["sdist"]["include"])
    assert {"src", "tests", "docs", "benchmarks", "studies", "conftest.py", "LICENSE"} <= included
    assert {path.name for path in ROOT.glob("*.md")} <= included
    assert all((ROOT / name).exists() for name in included)
