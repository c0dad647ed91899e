"""Measures truing against the floor and against its peers: ``python benchmarks/run.py``."""

import argparse
import sys
from collections.abc import Sequence

from threadpoolctl import threadpool_limits

import rows
import subjects  # noqa: F401 - importing them is what fills the list of all benchmarks
from benchmark import ALL, SIZES, Benchmark
from stopwatch import QUICK, Effort, measure

FEW = 1000  # rows


def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmarks that the command line asks for, and print a row for each as it is done."""
    asked = _parser().parse_args(words)
    chosen = [which for which in ALL if asked.only is None or asked.only in which.name]
    if not chosen:
        print(f"No benchmark has {asked.only!r} in its name; there are:", file=sys.stderr)
        print(*(which.name for which in ALL), sep="\n", file=sys.stderr)
        return 2
    if asked.list:
        print(*(which.name for which in chosen), sep="\n")
        return 0
    print(rows.machine(), rows.head(markdown=asked.markdown), sep="\n\n", flush=True)
    # On a machine that others use, threads of linear algebra wait for each other far longer than
    # they work: either side would be told up to ten times too slow.
    with threadpool_limits(1):
        for which in chosen:
            for size in _sizes(which, asked):
                result = measure(which, size, QUICK if asked.quick else Effort())
                print(rows.row(result, markdown=asked.markdown, judged=not asked.quick), flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="NAME", help="benchmarks that have this in their name")
    parser.add_argument("--list", action="store_true", help="print their names only")
    parser.add_argument(
        "--size", type=_rows, help="rows, instead of 1e6 and 1e7; some keep a size of their own"
    )
    parser.add_argument("--quick", action="store_true", help="few rows, once: only to see it run")
    parser.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    return parser


def _rows(text: str) -> int:
    number = float(text)
    if number < 1 or number != int(number):
        raise argparse.ArgumentTypeError(f"{text} is no whole number above 0")
    return int(number)


def _sizes(which: Benchmark, asked: argparse.Namespace) -> Sequence[int]:
    if asked.quick:
        return (min(which.sizes[0], FEW),)
    return (asked.size,) if asked.size and which.sizes == SIZES else which.sizes


if __name__ == "__main__":
    sys.exit(main())
