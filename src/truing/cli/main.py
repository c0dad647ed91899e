"""The commands and their arguments."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import truing
from truing.errors import DataError, OptionError

DONE, DATA_AT_FAULT, CALL_AT_FAULT, INTERRUPTED = 0, 1, 2, 130

MOST = 2**31 - 1  # what every generator of random numbers takes for a seed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 if it was done, 1 if the data are at fault and 2 if the call is."""
    given = _parser().parse_args(arguments)
    try:
        given.run(given)
    except (DataError, OptionError, ModuleNotFoundError) as error:
        print(f"truing: {error}", file=sys.stderr)
        return DATA_AT_FAULT if isinstance(error, DataError) else CALL_AT_FAULT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # who reads has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nor is the rest flushed
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="truing",
        description="Makes a classifier's probabilities true: when it says 0.8, it happens 80 % of "
        "the time.",
    )
    parser.add_argument("--version", action="version", version=f"truing {truing.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_demo(commands)
    _add_paper(commands)
    return parser


def _add_demo(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    demo = commands.add_parser(
        "demo",
        help="calibrate a model on simulated data, by every method, and measure the result",
        description="Calibrates a model on simulated data, by every method, and measures the "
        "result on data that neither has seen.",
    )
    demo.add_argument("--seed", type=_seed, default=0, help="draw other data (default: 0)")
    demo.set_defaults(run=_demo)


def _add_paper(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    paper = commands.add_parser(
        "paper",
        help="run the experiments of the paper and show its numbers beside ours",
        description="Runs the experiments of Naeini, Cooper and Hauskrecht, Binary Classifier "
        "Calibration: Non-parametric approach, and shows the published numbers beside ours.",
    )
    paper.add_argument(
        "study",
        choices=("figures", "table1", "table2", "table3", "theorems", "questions", "all"),
        help="which experiment, or all of them",
    )
    paper.add_argument("--quick", action="store_true", help="run it small, to see it work")
    paper.add_argument("--seed", type=_seed, default=0, help="draw other data (default: 0)")
    paper.add_argument(
        "--draws", type=_count, metavar="N", help="average over so many random data sets"
    )
    paper.add_argument(
        "--data", type=Path, metavar="FOLDER", help="where the files of the KDD Cup are (table3)"
    )
    paper.add_argument(
        "--save",
        type=Path,
        metavar="FOLDER",
        help="write text, CSV, JSON and a picture of each study into a folder",
    )
    paper.set_defaults(run=_paper)


def _seed(text: str) -> int:
    return _whole(text, 0)


def _count(text: str) -> int:
    return _whole(text, 1)


def _whole(text: str, least: int) -> int:
    if not text.isdecimal() or not least <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {MOST}")
    return int(text)


def _demo(given: argparse.Namespace) -> None:
    from truing.cli.demo import run_demo  # noqa: PLC0415 - scikit-learn is slow to load

    print(run_demo(given.seed))


def _paper(given: argparse.Namespace) -> None:
    from truing.cli.paper import STUDIES, run_study  # noqa: PLC0415 - the same
    from truing.paper.options import Options  # noqa: PLC0415 - the same

    options = Options(given.seed, given.quick, given.draws, given.data)
    for name in STUDIES if given.study == "all" else (given.study,):
        print(run_study(name, options, given.save), end="\n\n", flush=True)
