"""Ask the package venn-abers for its numbers; needs `pip install venn-abers==1.5.4`.

Run as `python ask.py > answers.json`.
"""

import json
import sys

import numpy as np
from venn_abers import VennAbers

ROUNDED = {"few": (12, None), "ties": (60, 1), "some": (300, None), "coarse": (500, 2)}


def ask(seed, size, decimals):
    """Return one set of cases, and what the package tells at their scores and elsewhere."""
    rng = np.random.default_rng(seed)
    scores = rng.random(size)
    if decimals is not None:
        scores = np.round(scores, decimals)
    labels = (rng.random(size) < 0.1 + 0.8 * scores**2).astype(int)
    labels[:2] = 0, 1
    queries = np.concatenate([[0.0, 1.0], rng.random(100), scores[:50]])
    asked = VennAbers()
    asked.fit(p_cal=np.column_stack([1 - scores, scores]), y_cal=labels)
    merged, ends = asked.predict_proba(np.column_stack([1 - queries, queries]))
    columns = {
        "scores": scores,
        "labels": labels,
        "queries": queries,
        "low": ends[:, 0],
        "high": ends[:, 1],
        "merged": merged[:, 1],
    }
    return {name: column.tolist() for name, column in columns.items()}


told = {name: ask(seed, *shape) for seed, (name, shape) in enumerate(ROUNDED.items())}
json.dump({"venn-abers": "1.5.4", **told}, sys.stdout)
