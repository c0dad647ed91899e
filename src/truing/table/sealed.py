"""What nobody can change: frozen dataclasses whose arrays and dictionaries are frozen, too."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np

__all__ = ["Sealed", "seal"]


@dataclass(frozen=True, eq=False)
class Sealed:
    """A frozen dataclass through which no array or mapping can be written, copied or pickled too.

    >>> @dataclass(frozen=True, eq=False)
    ... class Counts(Sealed):
    ...     rows: np.ndarray
    >>> Counts(np.array([1, 2])).rows[0] = 5
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, seal(getattr(self, field.name)))

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: what is derived from them is derived again."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: dict(value) if isinstance(value, MappingProxyType) else value
            for name, value in values.items()
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


def seal(value: Any) -> Any:
    """Return a read-only view of an array or a dictionary; anything else as it is."""
    if isinstance(value, np.ndarray):
        view = value.view()
        view.flags.writeable = False
        return view
    return MappingProxyType(dict(value)) if isinstance(value, Mapping) else value
