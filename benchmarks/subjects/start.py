"""What it costs to begin: programs in interpreters of their own."""

import os
import subprocess
import sys
from typing import Any

from benchmark import Call, Sides, at_most, benchmark

ROUNDS = 31

# As after an installation: what was compiled once is there, on both sides.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}

TIMED = """
from time import perf_counter
start = perf_counter()
{program}
print(perf_counter() - start)
"""

TABLE_AND_MEASURES = """
import truing
table = truing.ScoreTable.from_arrays([0.1, 0.6, 0.7], [0, 0, 1])
truing.evaluate(table)
truing.expected_calibration_error([0, 1, 1], [0.1, 0.6, 0.7], n_bins=2)
"""


def _inside(program: Call) -> tuple[float, Any]:
    """Return the seconds that a program's own statements took, by its own watch."""
    return float(program()), None


def _run(text: str) -> Call:
    call = [sys.executable, "-c", text]
    return lambda: (
        subprocess.run(call, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
    )


@benchmark(
    "import, table and measures",
    "import numpy",
    at_most(1.3),
    sizes=(1,),
    clock=_inside,
    rounds=ROUNDS,
)
def start(size: int) -> Sides:  # noqa: ARG001 - nothing here depends on a size
    """From the first statement of a fresh interpreter to the first measures of a few rows."""
    ours, theirs = (
        TIMED.format(program=program) for program in (TABLE_AND_MEASURES, "import numpy")
    )
    return Sides(_run(ours), _run(theirs))


@benchmark("the same as whole programs", "import numpy", at_most(), sizes=(1,), rounds=ROUNDS)
def whole_programs(size: int) -> Sides:  # noqa: ARG001 - nothing here depends on a size
    """Count the interpreter's own start and end too."""
    return Sides(_run(TABLE_AND_MEASURES), _run("import numpy"))
