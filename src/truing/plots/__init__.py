"""Pictures: each draws what a measure returned, on axes that it is given and gives back."""

from truing.plots.reliability import plot_reliability

__all__ = ["plot_reliability"]
