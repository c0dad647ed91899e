"""The reliability diagram."""

from typing import TYPE_CHECKING

from truing.errors import DataError, OptionError
from truing.extras import load_extra
from truing.measures import ReliabilityCurve
from truing.table.door import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIAGONAL = "perfectly calibrated"
MARKERS = "osD^vPX*"  # curves differ in shape, too, so that they can be told apart in grey


def plot_reliability(
    curve: ReliabilityCurve, ax: "Axes | None" = None, *, label: str | None = None
) -> "Axes":
    """Draw a reliability curve: how often it happened against what was predicted.

    On the diagonal probabilities are true; below it they are too high, above it too low. Give the
    axes back in to draw one curve beside another.

    Parameters
    ----------
    curve
        What `reliability_curve` returned.
    ax
        The axes to draw on; None makes new ones.
    label
        What the legend calls the curve.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> from truing import reliability_curve
    >>> curve = reliability_curve([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], n_bins=2)
    >>> ax = plot_reliability(curve, label="my model")
    >>> [line.get_label() for line in ax.get_lines()]
    ['perfectly calibrated', 'my model']
    """
    _check(curve, ax)
    if ax is None:
        _, ax = load_extra("matplotlib.pyplot", "plot", "plot_reliability").subplots()
    drawn = [line for line in ax.get_lines() if line.get_label() != DIAGONAL]
    if len(drawn) == len(ax.get_lines()):
        _prepare(ax)
    ax.plot(
        curve.predicted,
        curve.observed,
        marker=MARKERS[len(drawn) % len(MARKERS)],
        label=label,
        zorder=2,
    )
    if label is not None:
        ax.legend(loc="upper left", frameon=False)
    return ax


def _check(curve: object, ax: object) -> None:
    if not isinstance(curve, ReliabilityCurve):
        raise DataError(
            f"curve is {type(curve).__name__}; a ReliabilityCurve is needed, such as "
            "reliability_curve(labels, probabilities) returns."
        )
    if ax is not None and not hasattr(ax, "get_lines"):
        raise OptionError(
            f"ax is {shown(ax)}; it must be matplotlib axes, or None for new ones. What the legend "
            "calls the curve is label=."
        )


def _prepare(ax: "Axes") -> None:
    ax.plot([0.0, 1.0], [0.0, 1.0], color="0.6", linestyle="--", zorder=1, label=DIAGONAL)
    ax.set(
        xlabel="predicted probability",
        ylabel="share of positives",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
        aspect="equal",
    )
