"""What is printed: a row for each benchmark and size, as text or as Markdown."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmark import Target
from stopwatch import Result, Times

HEADS = ("what", "rows", "time", "against", "its time", "ratio", "target", "")
WIDTHS = (35, 5, 14, 36, 14, 12, 14, 6)
NUMBERS = (1, 2, 4, 5, 6)  # columns that stand at the right


def head(*, markdown: bool) -> str:
    """Return the head of the table."""
    if markdown:
        return "\n".join(
            [_row(HEADS), _row(["--:" if at in NUMBERS else "---" for at in range(8)])]
        )
    return _line(HEADS)


def row(result: Result, *, markdown: bool, judged: bool = True) -> str:
    """Return what was measured of one benchmark, and whether its target is met."""
    which, target = result.benchmark, result.benchmark.target
    met = target.is_met(result.ratio) if judged else None
    told = (
        which.name,
        "" if which.sizes == (1,) else _size(result.size),
        _times(result.ours),
        which.against,
        _times(result.theirs),
        _ratio(result.ratio, target),
        "" if target.bound is None else ("≥ " if target.faster else "≤ ") + f"{target.bound:g}×",
        {True: "met", False: "MISSED", None: ""}[met],
    )
    return _row(told) if markdown else _line(told)


def machine() -> str:
    """Return what the numbers were measured on."""
    names = ("truing", "numpy", "scipy", "scikit-learn")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    return f"{_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, {versions}"


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    if told.exists():
        for line in told.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _line(columns: Sequence[str]) -> str:
    cells = [
        f"{text:>{width}}" if at in NUMBERS else f"{text:<{width}}"
        for at, (text, width) in enumerate(zip(columns, WIDTHS, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _row(columns: Sequence[str]) -> str:
    return f"| {' | '.join(columns)} |"


def _size(rows: int) -> str:
    return f"{rows:.3g}".replace("e+0", "e")


def _times(times: Times) -> str:
    best = times.best
    told = f"{best:.3g} s" if best >= 0.9995 else f"{1e3 * best:.3g} ms"
    return f"{told} +{times.spread:.0%}"


def _ratio(ratio: float, target: Target) -> str:
    told = f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.3g}"
    return f"{told}× faster" if target.faster else f"{told}× as long"
