"""What is printed and written: tables in Markdown."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

import rules
from results import task_named
from standings import KINDS, Contest, Standing

HEADS = (
    "method",
    "log-loss wins",
    "Brier wins",
    "better than none",
    "by Brier",
    *(f"on {kind}s" if kind != "real" else "on real" for kind in KINDS),
    "regret ×10³",
    "greatest",
    "avoidable",
    "ECE",
    "coverage",
    "s at 10³",
    "10⁵",
    "10⁶",
    "failed",
    "tasks",
)


def page(contest: Contest, ours: Sequence[str]) -> str:
    """Return the whole page: standings, pairs, avoidable regrets and coverage."""
    told = {name: contest.standing(name) for name in contest.methods}
    parts = [standings(list(told.values()), ours)]
    mine = [name for name in contest.methods if name in ours or name[0] == "+"]
    best = sorted(mine, key=lambda name: -told[name].wins)[:6]
    for title, loss in (("log loss", "log_loss"), ("Brier score", "brier")):
        parts += [f"## Win rate by {title} against each peer", pairs(contest, best, loss)]
    avoidable = [_counted(told[name]) for name in mine if told[name].avoidable]
    if avoidable:
        parts += ["## Regrets that a simpler method avoids", "\n".join(avoidable)]
    covering = [name for name in contest.methods if not np.isnan(told[name].coverage)]
    if covering:
        parts += ["## Coverage by shape", coverage(contest, covering)]
    return "\n\n".join(parts) + "\n"


def standings(told: list[Standing], ours: Sequence[str]) -> str:
    """Return the main table, best first; our methods stand out."""
    ranked = sorted(told, key=lambda one: -np.nan_to_num(one.wins))
    return table(HEADS, [_row(one, ours) for one in ranked])


def pairs(contest: Contest, methods: Sequence[str], loss: str) -> str:
    """Return the win rate of some methods against each peer."""
    peers = [name for name in (*rules.PEERS, rules.NONE) if name in contest.found]
    rows = [[p, *(_share(contest.rate(m, p, loss)) for m in methods)] for p in peers]
    return table(["against", *methods], rows)


def coverage(contest: Contest, methods: Sequence[str]) -> str:
    """Return the mean coverage on each shape of curve."""
    shapes = sorted({task_named(t).source for t in contest.tasks if task_named(t).kind == "curve"})
    rows = []
    for shape in shapes:
        tasks = [t for t in contest.tasks if t.startswith(f"curve/{shape}/")]
        name = shape if task_named(tasks[0]).smooth else f"{shape} (not smooth)"
        rows.append([name, *(_share(_covered(contest, m, tasks)) for m in methods)])
    return table(["shape", *methods], rows)


def worst(contest: Contest, method: str, count: int = 30) -> str:
    """Return the tasks on which the best of the peers is farthest ahead, by log loss in nats."""
    rows = []
    for task in contest.found[method]:
        losses = {p: contest.loss(p, task) for p in rules.PEERS if p in contest.found}
        best = min(losses, key=losses.__getitem__)
        cases = contest.found[method][task].cases
        rows.append((contest.loss(method, task) - losses[best], task, cases, best))
    ahead = sorted(rows, reverse=True)[:count]
    told = [[task, str(cases), best, f"{lead:.4f}"] for lead, task, cases, best in ahead]
    return table([f"{method} is behind on", "cases", "best", "by"], told)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown whose columns stand below each other in plain text, too."""
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(len(heads))]
    lines = [
        [f"{cell:{'<' if at == 0 else '>'}{widths[at]}}" for at, cell in enumerate(row)]
        for row in [heads, *rows]
    ]
    rule = ["-" * width if at == 0 else "-" * (width - 1) + ":" for at, width in enumerate(widths)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], rule, *lines[1:]])


def _counted(one: Standing) -> str:
    """Return on how many curves of each shape a method regrets too much."""
    shapes = Counter(task_named(task).source for task in one.avoidable)
    return f"- {one.method}: " + ", ".join(f"{name} {count}" for name, count in shapes.items())


def _row(one: Standing, ours: Sequence[str]) -> list[str]:
    return [
        f"**{one.method}**" if one.method in ours else one.method,
        *(_share(rate) for rate in (one.wins, one.brier_wins, one.better, one.brier_better)),
        *(_share(one.wins_of_kind[kind]) for kind in KINDS),
        *(_number(1e3 * nats, ".1f") for nats in (one.regret, one.most_regret)),
        str(len(one.avoidable) or ""),
        _number(one.calibration_error, ".4f"),
        _share(one.coverage),
        *(_number(seconds, ".2g") for seconds in one.seconds.values()),
        str(one.failures or ""),
        str(one.tasks),
    ]


def _covered(contest: Contest, method: str, tasks: Sequence[str]) -> float:
    verdicts = [contest.found[method][task] for task in tasks if task in contest.found[method]]
    known = [verdict.coverage for verdict in verdicts if verdict.coverage is not None]
    return float(np.mean(known)) if known else np.nan


def _share(rate: float) -> str:
    return _number(rate, ".3f").replace("0.", ".", 1) if rate < 1 else _number(rate, ".3f")


def _number(value: float, form: str) -> str:
    return "" if np.isnan(value) else f"{value:{form}}"
