"""Finds out which calibrator is best: ``python studies/run.py``; see README.md beside it."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from threadpoolctl import threadpool_limits

import rules
from judge import Verdict, judge
from kept import cases_of
from methods import Method, methods_of
from ours import ours
from pages import page, worst
from peers import peers
from results import Found, Results
from standings import Contest
from tasks import Task, tasks_of

HERE = Path(__file__).parent
QUICK_TASKS, QUICK_CASES = 40, 1000  # every so many-th of the tasks of at most so many cases
ALWAYS = ("numpy", "scipy", "sklearn")  # which the models and the rules rest on
QUICK_PACKAGES = ("truing", "sklearn", "numpy")


def main(words: Sequence[str] | None = None) -> int:
    """Run what is missing, and tell the standings."""
    asked = _parser().parse_args(words)
    also = tuple(asked.also)
    known = _methods(also)
    wanted = {*asked.only, *([asked.worst] if asked.worst else [])}
    unknown = sorted(wanted - {method.name for method in known})
    if unknown:
        names = "\n".join(method.name for method in known)
        print(f"There is no method {', '.join(unknown)}; there are:\n{names}", file=sys.stderr)
        return 2
    tasks = _chosen(asked)
    with TemporaryDirectory() as scratch:
        results = Results((Path(scratch) if asked.quick else asked.results) / asked.set)
        if not (asked.table or asked.worst):
            chosen = [m for m in known if _is_asked(m, asked)]
            run(chosen, tasks, results, again=asked.again, jobs=asked.jobs, also=also)
        told = _found(results, known, tasks)
        if not told:
            print("Nothing was run yet.", file=sys.stderr)
            return 1
        contest = Contest(told)
        if asked.worst and asked.worst not in told:
            print(f"{asked.worst} was not run yet; --only {asked.worst} runs it.", file=sys.stderr)
            return 1
        if asked.worst:
            print(worst(contest, asked.worst))
            return 0
        text = page(contest, [m.name for m in ours()])
        if not (asked.table or asked.quick or asked.tasks or asked.most_cases or also):
            (results.folder / "README.md").write_text(_headed(text, asked.set), encoding="utf-8")
    print(text)
    return 0


def run(
    methods: list[Method],
    tasks: list[Task],
    results: Results,
    *,
    again: bool,
    jobs: int,
    also: tuple[Path, ...],
) -> None:
    """Judge methods on those tasks that they have not been judged on, and keep the verdicts."""
    absent = sorted({method.package for method in methods if not method.is_installed})
    if absent:
        print(f"not installed: {', '.join(absent)}", file=sys.stderr)
    methods = [method for method in methods if method.is_installed]
    if again:
        for method in methods:
            results.forget(method.name, tasks)
    done = {method.name: set(results.of(method.name)) for method in methods}
    missing = [(task, [m for m, names in done.items() if task.name not in names]) for task in tasks]
    missing = [(task, names) for task, names in missing if names]
    results.note_versions({*ALWAYS, *(method.package for method in methods)})
    started = time.monotonic()
    for at, (task, verdicts) in enumerate(_judged(missing, jobs, also), start=1):
        results.add(task, verdicts)
        minutes = (time.monotonic() - started) / 60
        print(
            f"\r{at} of {len(missing)} tasks, {minutes:.1f} min; {task.name:<60}",
            end="\n" if at == len(missing) else "",
            file=sys.stderr,
            flush=True,
        )


def _judged(
    missing: list[tuple[Task, list[str]]], jobs: int, also: tuple[Path, ...]
) -> Iterator[tuple[Task, dict[str, Verdict]]]:
    work = partial(_judge_all, also)
    if jobs == 1:
        yield from ((task, work(task, names)) for task, names in missing)
        return
    pool: Executor
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        futures = {pool.submit(work, task, names): task for task, names in missing}
        for future in as_completed(futures):
            yield futures[future], future.result()


def _judge_all(also: tuple[Path, ...], task: Task, names: list[str]) -> dict[str, Verdict]:
    known = {method.name: method for method in _methods(also)}
    with threadpool_limits(1):
        cases = cases_of(task)
        return {name: judge(known[name], cases) for name in names}


def _methods(also: tuple[Path, ...]) -> list[Method]:
    return [*ours(), *(method for path in also for method in methods_of(path)), *peers()]


def _found(results: Results, methods: list[Method], tasks: list[Task]) -> Found:
    names = {task.name for task in tasks}
    found = {method.name: results.of(method.name) for method in methods}
    within = {m: {t: v for t, v in told.items() if t in names} for m, told in found.items()}
    return {method: told for method, told in within.items() if told}


def _chosen(asked: argparse.Namespace) -> list[Task]:
    tasks = [task for task in tasks_of(asked.set) if asked.tasks in task.name]
    most = QUICK_CASES if asked.quick else asked.most_cases or max(rules.LARGE)
    few = [task for task in tasks if task.most_cases <= most]
    return few[::QUICK_TASKS] if asked.quick else few


def _is_asked(method: Method, asked: argparse.Namespace) -> bool:
    if asked.only:
        return method.name in asked.only
    return not asked.quick or method.package in QUICK_PACKAGES


def _headed(text: str, which: str) -> str:
    return f"# Results of the {which} set\n\nWritten by `studies/run.py --set {which}`.\n\n{text}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=tuple(rules.SEEDS), default="development")
    parser.add_argument("--only", nargs="+", default=[], metavar="METHOD", help="run these only")
    parser.add_argument("--again", action="store_true", help="run even what was run before")
    parser.add_argument("--tasks", default="", metavar="TEXT", help="that have this in their name")
    parser.add_argument("--most-cases", type=int, metavar="N", help="no task of more cases")
    parser.add_argument("--table", action="store_true", help="run nothing, tell what is known")
    parser.add_argument(
        "--worst", metavar="METHOD", help="run nothing, tell where peers are ahead of this method"
    )
    parser.add_argument("--quick", action="store_true", help="few tasks, only to see it run")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument(
        "--also",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="programs with further methods: METHODS, a dictionary of functions "
        "(scores, labels) -> (scores -> probabilities)",
    )
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="FOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
