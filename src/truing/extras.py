"""Packages that only some of the house needs: loaded where they are used, named where they miss."""

from importlib import import_module
from typing import Any

__all__ = ["load_extra"]


def load_extra(module: str, extra: str, purpose: str) -> Any:
    """Return a module of an optional package, or say how to install it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise ModuleNotFoundError(
            f"{purpose} needs {package}, which is not installed: pip install 'truing[{extra}]'.",
            name=error.name,
        ) from error
