"""All measures of many classes at once, as a typed summary."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from truing.measures.brier import brier_score
from truing.measures.class_calibration_error import (
    classwise_calibration_error,
    top_label_calibration_error,
)
from truing.measures.class_cases import ClassCases
from truing.measures.discrimination import accuracy
from truing.measures.log_loss import log_loss
from truing.measures.summary import Summary, titled

CLASS_TITLES: dict[Callable[..., float], str] = {
    classwise_calibration_error: "classwise calibration error",
    top_label_calibration_error: "top-label calibration error",
    brier_score: "Brier score, summed over classes",
    log_loss: "log loss",
    accuracy: "accuracy of the top class",
}
BINNED = (classwise_calibration_error, top_label_calibration_error)
SHOWN = 12  # classes whose shares are printed


@dataclass(frozen=True, eq=False, repr=False)
class MulticlassEvaluation(Summary):
    """What `evaluate` found of many classes: every measure by the name of its function.

    It prints as a small table, renders in a notebook, and becomes a dictionary.

    Attributes
    ----------
    cases
        The weight of all cases.
    shares
        The share of each class in what happened, by label.
    values
        Every measure by name.
    """

    cases: float
    shares: Mapping[Hashable, float]
    values: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        labels, shares = list(self.shares), list(self.shares.values())
        return {"cases": self.cases, "classes": labels, "shares": shares, **self.values}

    def _lines(self) -> list[tuple[str, str]]:
        told = [("cases", f"{self.cases:.10g}"), ("classes", f"{len(self.shares)}")]
        if len(self.shares) <= SHOWN:
            told += [(f"share of {label!r}", f"{x:.4f}") for label, x in self.shares.items()]
        return told + titled(self.values, CLASS_TITLES)


def evaluate_classes(cases: ClassCases, **binning: Any) -> MulticlassEvaluation:
    """Return all measures of these cases."""
    table = cases.as_class_table()
    values = {
        measure.__name__: measure(table, **(binning if measure in BINNED else {}))
        for measure in CLASS_TITLES
    }
    shares = dict(zip(cases.classes.tolist(), cases.shares().tolist(), strict=True))
    return MulticlassEvaluation(cases.total(), shares, values)
