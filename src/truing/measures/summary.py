"""What a summary of measures shares: how it is asked, compared, printed and rendered."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from truing.errors import OptionError

Titles = Mapping[Callable[..., float], str]


class Summary(ABC):
    """Measures by the name of their function: prints as a table, renders in a notebook."""

    values: Mapping[str, float]

    def value(self, name: str) -> float:
        """Return one measure, by the name of its function."""
        if name not in self.values:
            raise OptionError(f"{name!r} is no measure; there are {list(self.values)}.")
        return self.values[name]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain data."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        mine, theirs = self.to_dict(), other.to_dict()
        return list(mine) == list(theirs) and all(
            np.array_equal(mine[name], theirs[name], equal_nan=isinstance(mine[name], float))
            for name in mine
        )

    __hash__ = None  # type: ignore[assignment] # compares by content, as dictionaries do

    @abstractmethod
    def _lines(self) -> list[tuple[str, str]]:
        """Return the title and the value of each line."""

    def __str__(self) -> str:
        lines = self._lines()
        left, right = (max(map(len, column)) for column in zip(*lines, strict=True))
        return "\n".join(f"{title:<{left}}  {value:>{max(right, 10)}}" for title, value in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - slow to load, and only notebooks ask

        rows = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(title)}</th>'
            f'<td style="text-align:right">{escape(value)}</td></tr>'
            for title, value in self._lines()
        )
        return f"<table><tbody>{rows}</tbody></table>"


def titled(values: Mapping[str, float], titles: Titles) -> list[tuple[str, str]]:
    """Return the lines of a summary: each measure's title and its value."""
    told = {function.__name__: title for function, title in titles.items()}
    return [(told.get(name, name), f"{value:.4f}") for name, value in values.items()]
