"""What every calibrator is: a scikit-learn estimator around one function, ``solve(table)``."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils import column_or_1d, metadata_routing
from sklearn.utils.validation import check_is_fitted

from truing.errors import DataError
from truing.maps import ProbabilityMap
from truing.numerics.arrays import BoolArray, FloatArray
from truing.numerics.log_odds import log_odds
from truing.options import share, with_inherited_options
from truing.table import ArgumentNames, ScoreTable, door
from truing.table.grid import GridLike, as_grid

NAMES = ArgumentNames("scores", "y", "sample_weight")
ANSWER_MISSING = 'To answer missing scores with NaN, say missing="propagate"'
MOST_CASES = 1e12  # beyond, likelihoods of so many cases have no digits left
NO_METADATA = {"scores": metadata_routing.UNUSED}


@dataclass(eq=False, repr=False)
class Calibrator(ClassifierMixin, TransformerMixin, BaseEstimator, ABC):
    """A calibrator of one-dimensional scores.

    Scores are probabilities or margins, one-dimensional or one column; labels are any two classes.
    A subclass is a dataclass of its options with one method, `solve`.

    Parameters
    ----------
    prior
        The prevalence of the positive class where the calibrator will be used, if it differs from
        the calibration data's.
    missing
        What to do with missing scores. ``"error"`` refuses them. ``"drop"`` leaves them out of the
        fit, counted in ``table_.left_out``, and refuses them afterwards. ``"propagate"`` leaves
        them out of the fit likewise and answers them with NaN.
    grid
        None keeps every distinct score; ``"log-odds"``, ``"relative"`` or a grid object bounds the
        memory of `partial_fit`, whatever comes.
    pos_label
        The positive class, if it is not the greater of the two.

    Attributes
    ----------
    map_
        The fitted function, a `ProbabilityMap`.
    classes_
        The labels in order: the positive class comes last, unless ``pos_label`` named the other.
    table_
        The `ScoreTable` that was fitted, to which `partial_fit` adds.
    """

    prior: float | None = field(default=None, kw_only=True)
    missing: str = field(default="error", kw_only=True)
    grid: GridLike = field(default=None, kw_only=True)
    pos_label: Hashable | None = field(default=None, kw_only=True)

    # The scores are the data, whatever their argument is called: nothing to be routed.
    __metadata_request__fit = NO_METADATA
    __metadata_request__partial_fit = NO_METADATA
    __metadata_request__transform = NO_METADATA
    __metadata_request__predict = NO_METADATA
    __metadata_request__predict_proba = NO_METADATA

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        cls.__doc__ = with_inherited_options(cls)

    @abstractmethod
    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the map that this method fits to a table in which both classes have weight."""

    @property
    def _takes_margins(self) -> bool:
        """Whether scores outside [0, 1] make sense to this method as it is set."""
        return True

    def fit(self, scores: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to scores and labels; a row of weight 3 is three rows.

        So weights count cases: those that add up to 1 say that there is only one. Weights that mean
        shares are to be multiplied by the number of rows first.
        """
        return self.fit_table(self._tabulate(scores, y, sample_weight, None))

    def partial_fit(
        self,
        scores: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        classes: Iterable[Hashable] | None = None,
    ) -> Self:
        """Fit to all that came before and to these; the same as one fit to everything.

        The same to the last bit where weights are whole; sums of fractions are rounded differently.
        Give ``classes``, (negative, positive), where the first chunk may hold one class only.
        """
        before = getattr(self, "table_", None)
        if classes is None and before is not None:
            classes = before.classes
        chunk = self._tabulate(scores, y, sample_weight, classes)
        return self.fit_table(chunk if before is None else before + chunk, partial=True)

    def fit_table(self, table: ScoreTable, *, partial: bool = False) -> Self:
        """Fit to a table from anywhere. Which class is positive, the table says.

        While chunks are still coming (``partial=True``), a table in which only one class has been
        seen is kept, and the map waits for the other class.
        """
        self._check_table(table)
        if partial and not table.holds_both:
            self.table_ = table
            return self
        maps = self._solve_all(self._check_classes(table))
        self._keep(*[self._move_to_prior(each, table) for each in maps])
        self.table_, self.classes_ = table, _in_order(table.classes)
        return self

    def _solve_all(self, table: ScoreTable) -> Sequence[ProbabilityMap]:
        """Return every map that a fit leaves behind, that of the probability first."""
        return [self.solve(table)]

    def _keep(self, *maps: ProbabilityMap) -> None:
        """Keep these maps."""
        self.map_ = maps[0]

    def transform(self, scores: Any) -> FloatArray:
        """Return the probability of the positive class at each score."""
        return self._answer(scores)

    def _answer(self, scores: Any, fitted: ProbabilityMap | None = None) -> FloatArray:
        """Return what the map says, or another one that belongs to it."""
        check_is_fitted(self, "map_")
        values = door.as_floats(scores, NAMES.scores)
        door.check_lengths({NAMES.scores: len(values)})
        policy = "propagate" if self.missing == "propagate" else "error"
        absent = door.find_missing(values, NAMES.scores, policy, ANSWER_MISSING)
        if self.map_.scale.bounded:
            door.check_probabilities(values, NAMES.scores)
        told = fitted or self.map_
        return told.at(values) if absent is None and len(values) else told(values)

    def predict_proba(self, scores: Any) -> FloatArray:
        """Return the probability of each class, in two columns in the order of ``classes_``."""
        positive = self._answer(scores)
        columns = [1.0 - positive, positive]
        return np.column_stack(columns if self._positive_is_last else columns[::-1])

    def predict(self, scores: Any) -> Any:
        """Return the more probable class; at exactly one half the negative one."""
        positive = self._answer(scores)
        door.refuse(np.isnan(positive), positive, "probability", "has no class to predict")
        return self.classes_[(positive > 0.5).astype(int) ^ (not self._positive_is_last)]

    @property
    def _positive_is_last(self) -> bool:
        _, positive = cast("door.Classes", self.table_.classes)
        return bool(self.classes_[1] == positive)

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002 - the convention
        """Return the name of the one column that `transform` gives."""
        return np.array(["probability"], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "map_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = self.missing != "error"
        tags.classifier_tags.multi_class = False
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _for_scores(self, *, margins: bool) -> "Calibrator":  # noqa: ARG002 - some methods ask
        """Return the calibrator to fit where it is known that scores are margins, or are not."""
        return self

    def _tabulate(
        self, scores: Any, y: Any, sample_weight: Any, classes: Iterable[Hashable] | None
    ) -> ScoreTable:
        door.check_missing_option(self.missing)
        if y is None:
            raise DataError("requires y to be passed, but the target y is None.")
        if getattr(y, "ndim", 1) == 2:
            y = column_or_1d(y, warn=True)
        return ScoreTable.from_arrays(
            scores,
            y,
            sample_weight,
            as_grid(self.grid),
            pos_label=self.pos_label,
            classes=classes,
            missing=self.missing,
            probabilities=not self._takes_margins,
            names=NAMES,
        )

    def _check_table(self, table: ScoreTable) -> None:
        if not isinstance(table, ScoreTable):
            raise DataError(f"table is {type(table).__name__}; a ScoreTable is needed.")
        if self.prior is not None:
            share("prior", self.prior)
        if self.pos_label is not None and table.classes and table.classes[1] != self.pos_label:
            raise DataError(
                f"The table's positive class is {door.shown(table.classes[1])}; pos_label says "
                f"{door.shown(self.pos_label)}. Make the table with this pos_label, or say nothing."
            )
        if not self._takes_margins and not table.holds_probabilities:
            outside: BoolArray = (table.scores < 0.0) | (table.scores > 1.0)
            reason = (
                f"of the table is outside [0, 1]; {type(self).__name__} takes probabilities here"
            )
            door.refuse(outside, table.scores, "scores", reason)

    def _check_classes(self, table: ScoreTable) -> ScoreTable:
        if table.total > MOST_CASES:
            raise DataError(
                f"sample_weight adds up to {table.total:g} cases; up to {MOST_CASES:g} are allowed."
            )
        if not len(table):
            raise DataError("The table is empty; cases of both classes are needed.")
        if not table.holds_both:
            only = "positive" if table.total_positive else "negative"
            raise DataError(
                f"y holds one class only: every case is {only}. Cases of both classes "
                f"{table.classes} are needed."
            )
        return table

    def _move_to_prior(self, fitted: ProbabilityMap, table: ScoreTable) -> ProbabilityMap:
        if self.prior is None:
            return fitted
        [there] = log_odds(np.array([self.prior]))
        here = np.log(table.total_positive) - np.log(table.negatives.sum())
        return fitted.shift(float(there - here))


def _in_order(classes: door.Classes | None) -> Any:
    """Return the two labels as scikit-learn expects them: sorted, where they have an order."""
    labels = list(classes or ())
    try:
        return np.array(sorted(labels))  # type: ignore[type-var]  # that is what is tried
    except TypeError:
        return np.array(labels)
