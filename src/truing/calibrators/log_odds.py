"""What methods share that draw a smooth curve in log-odds."""

import inspect
import warnings
from abc import ABC
from dataclasses import dataclass

from sklearn.base import clone

from truing.calibrators.calibrator import Calibrator
from truing.maps import LogOddsScale, Scale, ScoreScale
from truing.numerics.arrays import FloatArray
from truing.numerics.separation import smoothed_targets
from truing.options import choose
from truing.table import ScoreTable


@dataclass(eq=False, repr=False)
class LogOddsCalibrator(Calibrator, ABC):
    """A calibrator whose curve is drawn over log-odds, or over margins as they are.

    Parameters
    ----------
    scale
        ``"auto"`` reads scores as log-odds if all lie in [0, 1], else as margins; ``"log-odds"``
        and ``"score"`` say so.
    """

    scale: str = "auto"

    @property
    def _takes_margins(self) -> bool:
        return self.scale != "log-odds"

    def _for_scores(self, *, margins: bool) -> Calibrator:
        """Return a calibrator that need not guess from the numbers what they are."""
        if self.scale != "auto":
            return self
        told: Calibrator = clone(self).set_params(scale="score" if margins else "log-odds")
        return told

    def _kind_of_scale(self, table: ScoreTable) -> type[Scale]:
        automatic = LogOddsScale if table.holds_probabilities else ScoreScale
        kinds: dict[str, type[Scale]] = {
            "auto": automatic,
            "log-odds": LogOddsScale,
            "score": ScoreScale,
        }
        return choose("scale", self.scale, kinds)

    def _places(self, table: ScoreTable) -> tuple[Scale, ScoreTable]:
        """Return the scale, and the table of the cases as it reads them."""
        scale = self._kind_of_scale(table).within(table.scores)
        return scale, table.move(scale.read(table.scores))


def positives_without_separation(table: ScoreTable, what: str, *, separated: bool) -> FloatArray:
    """Return the positives at each place; Platt's smoothed ones, with a warning, where needed.

    Where the score separates the classes the likelihood has no maximum: steeper is always better.
    """
    if not separated:
        return table.positives
    warn_of_separation(what)
    high, low = smoothed_targets(table.total_positive, table.total - table.total_positive)
    return high * table.positives + low * table.negatives


def warn_of_separation(what: str) -> None:
    """Say, to whoever called into truing, that Platt's smoothed targets were used."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("truing."):
        frame, level = frame.f_back, level + 1
    warnings.warn(
        f"The score separates the classes, so that no most likely {what} exists; Platt's "
        "smoothed targets were used.",
        UserWarning,
        stacklevel=level,
    )
