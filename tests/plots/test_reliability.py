"""The reliability diagram shows the curve, on the axes that it was given."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from truing import DataError, OptionError, evaluate, plot_reliability, reliability_curve
from truing.plots.reliability import DIAGONAL


@pytest.fixture
def curve():
    return reliability_curve([0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.8], n_bins=3)


def test_the_line_is_the_curve(curve):
    diagonal, line = plot_reliability(curve).get_lines()
    assert np.array_equal(line.get_xydata(), np.column_stack([curve.predicted, curve.observed]))
    assert np.array_equal(diagonal.get_xydata(), [[0, 0], [1, 1]])


def test_axes_in_the_same_axes_out(curve):
    figure, (left, right) = plt.subplots(1, 2)
    assert plot_reliability(curve, right) is right
    assert not left.lines
    assert figure.axes == [left, right]


def test_curves_share_axes_and_differ_in_colour_and_shape(curve):
    axes = plot_reliability(curve, label="one")
    for name in ("two", "three"):
        plot_reliability(curve, axes, label=name)
    diagonals = [line for line in axes.get_lines() if line.get_label() == DIAGONAL]
    drawn = [line for line in axes.get_lines() if line.get_label() != DIAGONAL]
    assert len(diagonals) == 1
    assert len({line.get_color() for line in drawn}) == 3
    assert len({line.get_marker() for line in drawn}) == 3
    told = [text.get_text() for text in axes.get_legend().get_texts()]
    assert told == [DIAGONAL, "one", "two", "three"]


@pytest.mark.parametrize(
    "given",
    [([0, 1], [0.2, 0.7]), (np.array([0, 1]), np.array([0.2, 0.7])), (evaluate([0, 1], [0.2, 1]),)],
    ids=["lists", "arrays", "evaluation"],
)
def test_what_is_no_curve_is_refused_by_its_type(given):
    name = type(given[0]).__name__
    with pytest.raises(DataError, match=rf"curve is {name}; a Reliab.* reliability_curve\(labels"):
        plot_reliability(*given)
    assert not plt.get_fignums()


def test_what_is_no_axes_is_refused_by_value(curve):
    with pytest.raises(OptionError, match=r"ax is 'my model'; it must be .*axes.* label=\."):
        plot_reliability(curve, "my model")
    with pytest.raises(OptionError, match="ax is array"):
        plot_reliability(curve, plt.subplots(1, 2)[1])


def test_without_matplotlib_the_error_says_what_to_install(curve, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"plot_reliability needs matplotlib.*truing\[plot"
    ):
        plot_reliability(curve)
