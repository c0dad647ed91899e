"""What the study knows of a method: a name, what has to be installed, and how it is fitted."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TypeAlias

from curves import Array

Answer: TypeAlias = Callable[[Array], Array]


@dataclass(frozen=True)
class Fitted:
    """A fitted method.

    Attributes
    ----------
    answer
        From scores to probabilities.
    interval
        From scores to the low and the high end of a credible interval, where there is one.
    """

    answer: Answer
    interval: Callable[[Array], tuple[Array, Array]] | None = None


Fit: TypeAlias = Callable[[Array, Array], Fitted]


@dataclass(frozen=True)
class Method:
    """A calibration method.

    Attributes
    ----------
    name
        As it stands in the tables.
    package
        What is imported to run it.
    fit
        From scores and labels, as floats, to what is fitted.
    """

    name: str
    package: str
    fit: Fit

    @property
    def is_installed(self) -> bool:
        """Whether it can be run here."""
        return find_spec(self.package) is not None


def methods_of(path: Path) -> list[Method]:
    """Return the methods of a program anywhere: its ``METHODS``, by name with a plus before it.

    Each is a function of scores and labels that returns a function from scores to probabilities.
    """
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python program.")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return [Method(f"+{name}", "numpy", _plain(fit)) for name, fit in module.METHODS.items()]


def _plain(fit: Callable[[Array, Array], Answer]) -> Fit:
    return lambda scores, labels: Fitted(fit(scores, labels))
