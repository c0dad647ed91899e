"""All measures at once, as a typed summary."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from truing.measures.brier import brier_score, root_mean_squared_error
from truing.measures.calibration_error import (
    expected_calibration_error,
    maximum_calibration_error,
)
from truing.measures.cases import as_table, refuse_pos_label
from truing.measures.class_cases import as_class_cases, has_columns
from truing.measures.discrimination import accuracy, roc_auc
from truing.measures.log_loss import log_loss
from truing.measures.multiclass_evaluation import MulticlassEvaluation, evaluate_classes
from truing.measures.summary import Summary, titled
from truing.table import door

TITLES: dict[Callable[..., float], str] = {
    expected_calibration_error: "expected calibration error (ECE)",
    maximum_calibration_error: "maximum calibration error (MCE)",
    brier_score: "Brier score",
    root_mean_squared_error: "root mean squared error (RMSE)",
    log_loss: "log loss",
    roc_auc: "area under the ROC curve (AUC)",
    accuracy: "accuracy at 0.5 (ACC)",
}
BINNED = (expected_calibration_error, maximum_calibration_error)
NEEDS_BOTH = (roc_auc,)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Summary):
    """What `evaluate` found: every measure by the name of its function.

    It prints as a small table, renders in a notebook, and becomes a dictionary.

    Attributes
    ----------
    cases
        The weight of all cases.
    prevalence
        The share of positives.
    values
        Every measure by name; NaN where a measure needs both classes and only one is there.
    """

    cases: float
    prevalence: float
    values: Mapping[str, float]

    def to_dict(self) -> dict[str, float]:
        """Return the summary as plain data."""
        return {"cases": self.cases, "prevalence": self.prevalence, **self.values}

    def _lines(self) -> list[tuple[str, str]]:
        told = [("cases", f"{self.cases:.10g}"), ("prevalence", f"{self.prevalence:.4f}")]
        return told + titled(self.values, TITLES)


def evaluate(
    y_true: Any,
    y_prob: Any = None,
    *,
    n_bins: int = 10,
    strategy: str = "quantile",
    sample_weight: Any = None,
    pos_label: Hashable | None = None,
    labels: door.ClassLabels = None,
) -> Evaluation | MulticlassEvaluation:
    """Return all measures of calibration, accuracy and discrimination.

    Takes labels and probabilities, or a `ScoreTable` alone; the data are sorted once for all
    measures. ``n_bins`` and ``strategy`` are those of `reliability_curve`. No one number tells all:
    calibration errors do not see sharpness, the area under the ROC curve sees nothing but order,
    and proper scores (Brier, log loss) see both but not which of the two is amiss. Of data of one
    class the area is NaN.

    Of probabilities of three classes and more, a column for each in the order of the sorted labels
    or of ``labels``, it returns a `MulticlassEvaluation`. Two columns are those of two classes.

    Each measure is a function of its own, too. As a scorer of scikit-learn it must be told to ask
    for probabilities: ``make_scorer(brier_score, response_method="predict_proba",
    greater_is_better=False)``.

    Examples
    --------
    >>> evaluate([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], n_bins=2)
    cases                                      4
    prevalence                            0.5000
    expected calibration error (ECE)      0.2500
    maximum calibration error (MCE)       0.3000
    Brier score                           0.0750
    root mean squared error (RMSE)        0.2739
    log loss                              0.2990
    area under the ROC curve (AUC)        1.0000
    accuracy at 0.5 (ACC)                 1.0000
    """
    if has_columns(y_true, y_prob):
        refuse_pos_label(pos_label)
        cases = as_class_cases(y_true, y_prob, sample_weight, labels)
        return evaluate_classes(cases, n_bins=n_bins, strategy=strategy)
    table = as_table(y_true, y_prob, sample_weight, pos_label, labels)
    one_class = not table.holds_both
    binning = {"n_bins": n_bins, "strategy": strategy}
    values = {
        measure.__name__: float("nan")
        if one_class and measure in NEEDS_BOTH
        else measure(table, **(binning if measure in BINNED else {}))
        for measure in TITLES
    }
    return Evaluation(table.total, table.prevalence, values)
