"""What was found, in files: one for each method, with a row for each task."""

import csv
import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, fields
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import TypeAlias

from judge import Verdict
from tasks import Task

Found: TypeAlias = dict[str, dict[str, Verdict]]  # by method and task

COLUMNS = tuple(field.name for field in fields(Verdict))
DIGITS = {"log_loss": 10, "brier": 10, "cases": 12}  # losses are compared with each other
FEWER = 4


class Results:
    """The results of one set of tasks, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, method: str) -> dict[str, Verdict]:
        """Return what is known of a method, by the names of tasks."""
        path = self._path(method)
        if not path.exists():
            return {}
        with path.open(encoding="utf-8", newline="") as file:
            return {row["task"]: _verdict(row) for row in csv.DictReader(file)}

    def add(self, task: Task, verdicts: dict[str, Verdict]) -> None:
        """Keep what some methods did on a task."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for method, verdict in verdicts.items():
            path = self._path(method)
            new = not path.exists()
            with path.open("a", encoding="utf-8", newline="") as file:
                rows = csv.writer(file, lineterminator="\n")
                if new:
                    rows.writerow(["task", *COLUMNS])
                rows.writerow([task.name, *_texts(verdict)])

    def forget(self, method: str, tasks: list[Task]) -> None:
        """Drop what is known of a method on these tasks."""
        gone = {task.name for task in tasks}
        kept = {name: verdict for name, verdict in self.of(method).items() if name not in gone}
        self._path(method).unlink(missing_ok=True)
        for name, verdict in kept.items():
            self.add(task_named(name), {method: verdict})

    def note_versions(self, packages: Iterable[str]) -> None:
        """Keep the versions of what was run."""
        path = self.folder / "versions.json"
        told = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        distributions = (
            packages_distributions()
        )  # those that are edited in place are not among them
        for package in packages:
            [name, *_] = distributions.get(package, [package])
            told[name] = version(name)
        told["Python"] = platform.python_version()
        self.folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(told, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    def _path(self, method: str) -> Path:
        return self.folder / f"{method.replace(' ', '-')}.csv"


def task_named(name: str) -> Task:
    """Return the task of this name."""
    kind, source, detail, seed = name.split("/")
    return Task(kind, source, detail, int(seed))


def _texts(verdict: Verdict) -> list[str]:
    return [_text(name, value) for name, value in asdict(verdict).items()]


def _text(name: str, value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.{DIGITS.get(name, FEWER)}g}"


def _verdict(row: dict[str, str]) -> Verdict:
    numbers = {
        name: float(row[name]) if row[name] else None
        for name in COLUMNS
        if name not in ("cases", "failure")
    }
    return Verdict(cases=int(row["cases"]), failure=row["failure"], **numbers)
