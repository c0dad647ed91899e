"""The commands and their arguments."""

import argparse
from collections.abc import Sequence

import truing

DONE = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 if it was done. A wrong call ends the program with 2."""
    given = _parser().parse_args(arguments)
    given.run(given)
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="truing",
        description="Makes a classifier's probabilities true: when it says 0.8, it happens 80 % of "
        "the time.",
    )
    parser.add_argument("--version", action="version", version=f"truing {truing.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo",
        help="calibrate a model on built-in data, by every method, and measure the result",
        description="Calibrates a model on built-in data, by every method, and measures the result "
        "on data that neither has seen.",
    )
    demo.add_argument("--seed", type=int, default=0, help="draw other data (default: 0)")
    demo.set_defaults(run=_demo)
    return parser


def _demo(given: argparse.Namespace) -> None:
    from truing.cli.demo import run_demo  # noqa: PLC0415 - scikit-learn is slow to load

    print(run_demo(given.seed))
