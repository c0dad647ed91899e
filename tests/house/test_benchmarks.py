"""The benchmarks run; how fast anything is, no test says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUBJECTS = [file.read_text() for file in (ROOT / "benchmarks/subjects").glob("*.py")]


def run(*words):
    call = [sys.executable, "benchmarks/run.py", *words]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}  # rows are not all ASCII
    return subprocess.run(
        call, check=False, cwd=ROOT, capture_output=True, encoding="utf-8", env=environment
    )


@pytest.fixture(scope="module")
def listed():
    return run("--list").stdout.splitlines()


def test_every_benchmark_is_listed_once(listed):
    written = re.findall(r'^@benchmark\(\s*"([^"]+)"', "\n".join(SUBJECTS), re.MULTILINE)
    assert len(listed) == len(set(listed)) > len(written) > 10
    assert set(written) <= set(listed)


def test_every_row_is_printed_with_both_times_and_their_ratio(listed):
    done = run("--quick", "--markdown")
    assert done.returncode == 0, done.stderr
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in done.stdout.splitlines()
        if line.startswith("|")
    ][2:]
    assert [row[0] for row in rows] == listed
    for _, _, ours, against, theirs, ratio, _, met in rows:
        assert against
        assert all(re.fullmatch(r"[\d.e-]+ m?s \+0%", time) for time in (ours, theirs))
        assert re.fullmatch(r"[\d.e+-]+× (faster|as long)", ratio)
        assert met == ""  # so few rows prove nothing


def test_an_unknown_benchmark_is_refused_and_the_known_are_told(listed):
    done = run("--only", "no such thing")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "No benchmark has 'no such thing' in its name; there are:",
        *listed,
    ]
