"""The paper's experiments, run and told."""

import importlib
import io
from pathlib import Path
from typing import Any

from truing.errors import DataError
from truing.extras import load_extra
from truing.files import write_whole
from truing.paper.findings import Study
from truing.paper.options import Options

__all__ = ["STUDIES", "run_study"]

STUDIES = {
    "figures": "the reliability curve and the simulated data of Figures 1 and 2",
    "table1": "every method on the simulated data, a linear and a quadratic SVM",
    "table2": "how much calibration data it takes, from a hundred cases to a million",
    "table3": "the KDD Cup of 1998: whom to mail, and what it earns",
    "theorems": "the three theorems against what happens",
    "questions": "the paper's open questions, answered by experiment",
}


def run_study(name: str, options: Options, folder: Path | None) -> str:
    """Run a study, save its numbers and its picture if a folder is given, and return its text."""
    module = importlib.import_module(f"truing.paper.{name}")
    if folder is not None:
        _make(folder)
        load_extra("matplotlib", "plot", "the picture of a study")
    study: Study = module.run(options)
    if folder is None:
        return str(study)
    contents: dict[str, str | bytes] = {
        ".txt": f"{study}\n",
        ".csv": study.to_csv(),
        ".json": study.to_json(),
    }
    if hasattr(module, "draw"):
        contents[".png"] = _picture(module, study)
    saved = [folder / f"{name}{ending}" for ending in contents]
    for path, content in zip(saved, contents.values(), strict=True):
        _write(path, content)
    return f"{study}\n\nSaved: {', '.join(map(str, saved))}"


def _picture(module: Any, study: Study) -> bytes:
    figure = load_extra("matplotlib.figure", "plot", "the picture of a study").Figure(
        figsize=(9.0, 4.2), layout="constrained"
    )
    module.draw(study, figure)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=120)
    return stream.getvalue()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"The folder {folder} cannot be made: {error.strerror}.") from error


def _write(path: Path, content: str | bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror}.") from error
