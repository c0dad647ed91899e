"""What a study found: typed numbers first, then text, CSV and JSON."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from textwrap import fill
from typing import Any

import numpy as np

from truing.numerics.arrays import FloatArray

__all__ = ["Block", "Study"]

NAME, NUMBER = 14, 10  # characters of a row's name and of a number
LINE = 79
MOST_ROWS, FEW_ROWS = 40, 5  # of a longer block a few rows are shown
FIELDS = ("block", "row", "column", "mean", "spread", "published")


@dataclass(frozen=True, eq=False)
class Block:
    """A table of numbers.

    Attributes
    ----------
    title
        What the numbers are.
    rows, columns
        Their names.
    mean
        The numbers, a row of the array for each row: means, where there are several draws.
    spread
        Their standard deviation over draws, NaN where there is none.
    published
        What the paper has in their place, NaN where it has nothing.
    digits
        How many digits are shown behind the point.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    mean: FloatArray
    spread: FloatArray | None = None
    published: FloatArray | None = None
    digits: int = 3

    def value(self, row: str, column: str) -> float:
        """Return one of the numbers."""
        return float(self.mean[self.rows.index(row), self.columns.index(column)])

    def cells(self) -> Iterator[tuple[str, str, float, float, float]]:
        """Yield row, column, mean, spread and published value, NaN for what is not there."""
        nothing = np.full(self.mean.shape, np.nan)
        spread = nothing if self.spread is None else self.spread
        published = nothing if self.published is None else self.published
        for at, row in enumerate(self.rows):
            for across, column in enumerate(self.columns):
                place = at, across
                numbers = (float(table[place]) for table in (self.mean, spread, published))
                yield row, column, *numbers  # type: ignore[misc]  # three numbers they are

    def __str__(self) -> str:
        lines = [self.title, " " * NAME + "".join(f"{name:>{NUMBER}}" for name in self.columns)]
        shown = self.rows if len(self.rows) <= MOST_ROWS else self.rows[:FEW_ROWS]
        for at, row in enumerate(shown):
            lines.append(f"{row:<{NAME}}" + self._numbers(self.mean[at]))
            for name, table in (("± draws", self.spread), ("published", self.published)):
                if table is not None and not np.isnan(table[at]).all():
                    lines.append(f"{'  ' + name:<{NAME}}" + self._numbers(table[at]))
        if len(shown) < len(self.rows):
            lines.append(f"... and {len(self.rows) - len(shown):,} rows more")
        return "\n".join(lines)

    def _numbers(self, values: FloatArray) -> str:
        told = ["" if np.isnan(value) else f"{value:,.{self.digits}f}" for value in values]
        return "".join(f"{text:>{NUMBER}}" for text in told)


@dataclass(frozen=True, eq=False)
class Study:
    """All that an experiment found.

    Attributes
    ----------
    title
        Which experiment it is.
    data
        Which data it ran on.
    blocks
        Its tables.
    notes
        What a reader should know of them, above all where they differ from the paper.
    settings
        What it was run with.
    """

    title: str
    data: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def remarks(self) -> list[str]:
        """The notes, each in one line."""
        return [" ".join(note.split()) for note in self.notes]

    def block(self, title: str) -> Block:
        """Return the first block whose title holds the given words."""
        return next(block for block in self.blocks if title in block.title)

    def __str__(self) -> str:
        told = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        parts = [f"{self.title}\n{'=' * len(self.title)}", fill(f"Data: {self.data}", LINE)]
        parts += [fill(f"Run with {told}.", LINE)] if told else []
        parts += [str(block) for block in self.blocks]
        notes = [
            fill(note, LINE, initial_indent="* ", subsequent_indent="  ") for note in self.remarks
        ]
        return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])

    def to_csv(self) -> str:
        """Return every number, one to a line."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(FIELDS)
        for block in self.blocks:
            for row, column, *numbers in block.cells():
                shown = ("" if np.isnan(number) else repr(number) for number in numbers)
                writer.writerow([block.title, row, column, *shown])
        return text.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Return the study as plain data."""
        return {
            "format": "truing.study",
            "version": 1,
            "title": self.title,
            "data": self.data,
            "settings": dict(self.settings),
            "versions": {name: version(name) for name in ("truing", "numpy", "scikit-learn")},
            "notes": self.remarks,
            "numbers": [
                {"block": block.title, **dict(zip(FIELDS[1:], map(_or_none, cell), strict=True))}
                for block in self.blocks
                for cell in block.cells()
            ],
        }

    def to_json(self) -> str:
        """Return the study as text in JSON."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n"


def _or_none(value: Any) -> str | float | None:
    return None if isinstance(value, float) and not np.isfinite(value) else value
