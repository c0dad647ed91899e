"""Measures against scikit-learn's."""

from sklearn.metrics import roc_auc_score

from benchmark import Sides, benchmark, faster, within
from samples import cases
from truing import ScoreTable
from truing.measures import roc_auc

SAME = within(1e-10)


@benchmark("AUC from rows", "sklearn roc_auc_score", faster(10))
def auc_from_rows(size: int) -> Sides:
    """Sorting included on both sides."""
    scores, labels = cases(size)
    return Sides(lambda: roc_auc(labels, scores), lambda: roc_auc_score(labels, scores), SAME)


@benchmark("AUC from a table", "sklearn roc_auc_score, from rows", faster(10))
def auc_from_a_table(size: int) -> Sides:
    """Ours reads a table that is there already, as after a fit or beside other measures."""
    scores, labels = cases(size)
    table = ScoreTable.from_arrays(scores, labels)
    return Sides(lambda: roc_auc(table), lambda: roc_auc_score(labels, scores), SAME)
