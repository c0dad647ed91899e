"""What every study of the paper can be told."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

__all__ = ["Options"]


@dataclass(frozen=True)
class Options:
    """What a study is run with.

    Attributes
    ----------
    seed
        Where random numbers start; the same seed gives the same numbers.
    quick
        Whether to run it small, to see it work.
    draws
        How many random data sets to average over; None for what the study usually takes.
    data
        The folder of the KDD-98 files, for the study that reads them.
    """

    seed: int = 0
    quick: bool = False
    draws: int | None = None
    data: Path | None = None

    def seeds(self, draw: int, count: int) -> list[int]:
        """Return seeds of their own for the parts of a draw."""
        state = np.random.SeedSequence([self.seed, draw]).generate_state(count)
        return [int(word) for word in state]
