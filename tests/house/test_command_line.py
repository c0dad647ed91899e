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


def test_the_paper_is_told_and_saved(capsys, tmp_path):
    assert (
        main(["paper", "table1", "--quick", "--draws", "2", "--save", str(tmp_path / "new")]) == 0
    )
    shown = capsys.readouterr().out
    assert "published" in shown
    saved = {path.name: path for path in (tmp_path / "new").iterdir()}
    assert set(saved) == {"table1.txt", "table1.csv", "table1.json"}
    assert saved["table1.txt"].read_text() in shown
    assert main(["paper", "figures", "--quick", "--save", str(tmp_path)]) == 0
    assert (tmp_path / "figures.png").read_bytes()[1:4] == b"PNG"


def test_faults_of_data_and_of_the_call_are_told_in_one_line(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    assert main(["paper", "figures", "--save", str(tmp_path / "file" / "below")]) == 1
    told = capsys.readouterr().err
    assert told.startswith("truing: The folder")
    assert told.count("\n") == 1
    with pytest.raises(SystemExit):
        main(["paper", "table1", "--draws", "0"])
    assert "'0' is no whole number from 1 to" in capsys.readouterr().err


def test_a_reader_who_leaves_early_is_no_error():
    call = f"{sys.executable} -m truing paper figures --quick | head -n 1"
    done = subprocess.run(call, shell=True, check=True, capture_output=True, text=True)
    assert done.stdout == "Figures 1 and 2\n"
    assert done.stderr == ""
