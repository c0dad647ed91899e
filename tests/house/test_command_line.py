"""The command line, as someone at a terminal meets it."""

import subprocess
import sys

import pytest

import truing
from truing.cli import main

METHODS = ("Histogram", "Kernel", "Mixture", "Platt", "Isotonic")


def measures_of(shown, name):
    [line] = [line for line in shown.splitlines() if line.startswith(name) and ":" not in line]
    return [float(number) for number in line[20:].split()]


def test_demo_shows_every_method_and_what_it_mends(capsys):
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    before = measures_of(shown, "as it came")
    assert before[0] > 0.2
    for method in METHODS:
        after = measures_of(shown, f"{method}Calibrator")
        assert len(after) == len(before) == 6
        monotone = method in ("Platt", "Isotonic")
        assert (after[4] > 0.8) is not monotone  # AUC: only they are bound to the score's order


def test_demo_of_another_seed_is_another(capsys):
    main(["demo"])
    main(["demo", "--seed", "5"])
    shown = capsys.readouterr().out
    assert shown.count("as it came  ") == 2
    assert len({line for line in shown.splitlines() if line.startswith("as it came  ")}) == 2


def test_the_module_runs():
    call = [sys.executable, "-m", "truing", "--version"]
    done = subprocess.run(call, check=True, capture_output=True, text=True)
    assert done.stdout == f"truing {truing.__version__}\n"


@pytest.mark.parametrize("call", [[], ["no-such-command"], ["demo", "--seed", "x"]])
def test_a_wrong_call_ends_with_2_and_says_why(call, capsys):
    with pytest.raises(SystemExit) as ended:
        main(call)
    assert ended.value.code == 2
    assert "usage: truing" in capsys.readouterr().err
