"""What an automatic choice tried, and what it found."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

__all__ = ["Trial", "Trials"]


@dataclass(frozen=True)
class Trial:
    """What cross-validation says of one candidate.

    Attributes
    ----------
    name
        The candidate, as it prints.
    loss
        Its mean loss over unseen cases; NaN if it could not be fitted.
    excess, standard_error
        By how much that is more than the loss of the best, and the standard error of the
        difference: both on the same cases.
    weight
        Its share of the answer: 1 or 0 for a choice, something between for a stack.
    refused
        Why it could not be fitted; empty if it could.
    """

    name: str
    loss: float
    excess: float
    standard_error: float
    weight: float
    refused: str = ""

    @property
    def is_best(self) -> float:
        """The probability that its expected loss is no more than the best one's, alone."""
        if self.refused:
            return 0.0
        if not self.standard_error:
            return 0.5 if self.excess == 0.0 else 0.0
        return float(ndtr(-self.excess / self.standard_error))


@dataclass(frozen=True)
class Trials(Sequence[Trial]):
    """All candidates in their order, from the simplest to the most flexible; prints as a table.

    Attributes
    ----------
    all_trials
        One for each candidate.
    loss
        ``"log"`` or ``"brier"``.
    certainty
        How sure it is that the choice has the least expected loss: the probability that it does
        not lose to the strongest other candidate. 1 where there is no other; NaN for a stack, and
        where the cases were too few for any trial.
    """

    all_trials: tuple[Trial, ...]
    loss: str
    certainty: float

    def __len__(self) -> int:
        return len(self.all_trials)

    def __getitem__(self, index: Any) -> Any:
        return self.all_trials[index]

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.all_trials)

    @property
    def was_tried(self) -> bool:
        """Whether there were cases enough for a trial."""
        return not all(np.isnan(trial.loss) for trial in self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        width = max([len(trial.name) for trial in self] + [len("candidate")])
        lines = [
            f"{'candidate':{width}}  {self.loss + ' loss':>10}  {'excess':>9} ± s.e.     weight"
        ]
        for trial in self:
            told = f"{trial.loss:10.5f}  {trial.excess:9.5f} ± {trial.standard_error:.5f}"
            if np.isnan(trial.loss):
                told = f"{'not tried':>10}{'':20}"
            lines.append(f"{trial.name:{width}}  {told}  {trial.weight:6.2f}")
        if not self.was_tried:
            lines.append("The cases were too few for any trial.")
        lines += [f"{trial.name} was left out: {trial.refused}" for trial in self if trial.refused]
        if not np.isnan(self.certainty):
            lines.append(f"That the choice loses to no other candidate: {self.certainty:.0%} sure.")
        return "\n".join(lines)
