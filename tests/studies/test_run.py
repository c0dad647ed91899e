"""The study runs; who wins, no test says."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*words):
    call = [sys.executable, "studies/run.py", *words]
    return subprocess.run(call, check=False, cwd=ROOT, capture_output=True, encoding="utf-8")


@pytest.fixture(scope="module")
def told():
    return run("--quick")


def test_the_standings_are_told(told):
    assert told.returncode == 0, told.stderr
    names = [line.split("|")[1].strip() for line in told.stdout.splitlines() if line[:1] == "|"]
    assert {"**Platt**", "**Isotonic**", "scikit-learn isotonic", "none"} <= set(names)


def test_nothing_fails(told):
    heads, _, *rows = [line.split("|") for line in told.stdout.split("\n\n")[0].splitlines()]
    failed = [cell.strip() for cell in heads].index("failed")
    assert {row[failed].strip() for row in rows} == {""}


def test_an_unknown_method_is_refused_and_the_known_are_told():
    done = run("--only", "no such thing")
    assert done.returncode == 2
    assert "There is no method no such thing" in done.stderr
    assert "Platt" in done.stderr.splitlines()
