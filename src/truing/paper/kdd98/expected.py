"""What the published files are known to hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from truing.errors import DataError

__all__ = ["PUBLISHED", "Expected", "check_count"]


@dataclass(frozen=True)
class Expected:
    """What files are held to.

    Attributes
    ----------
    learning_rows, learning_columns, learning_responders, learning_large_gifts
        Of the learning set; large gifts are those above $50.
    validation_rows, validation_responders, validation_donations
        Of the validation set; donations are the sum of all, in dollars.
    sample_rows
        Of the learning sample, which holds all responders.
    sums
        sha256 of archives, and of the answers as they were published, by file name.
    """

    learning_rows: int
    learning_columns: int
    learning_responders: int
    learning_large_gifts: int
    validation_rows: int
    validation_responders: int
    validation_donations: float
    sample_rows: int = 0
    sums: Mapping[str, str] = field(default_factory=dict)


PUBLISHED = Expected(
    learning_rows=95_412,
    learning_columns=481,
    learning_responders=4_843,
    learning_large_gifts=46,
    validation_rows=96_367,
    validation_responders=4_873,
    validation_donations=76_089.64,
    sample_rows=19_372,
    sums={
        "cup98lrn.zip": "9517071741c689cf9a27aad4a84d453dc9675d2b2981f90d16a776457daf15bf",
        "cup98val.zip": "3112e81cc1d830a534078e65b93067805b199848a35fd41db32f1a4286dbab96",
        "valtargt.txt": "6d2051306c319fa0771bbc3758ad4fde3f521dee58898927629d2a7dc9b09c4c",
    },
)


def check_count(file: str, what: str, found: float, expected: float) -> None:
    """Refuse a file that holds more or less than it should."""
    if found != expected:
        raise DataError(f"{file}: {found:,} {what} found, {expected:,} expected.")
