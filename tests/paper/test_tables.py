"""Tables 1 and 2: ours beside the published values."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from truing import expected_calibration_error
from truing.paper import figures, table1, table2
from truing.paper.methods import calibrators, measure_all, measure_as_authors
from truing.paper.options import Options
from truing.paper.published import MEASURES, METHODS, TABLE_1, TABLE_2, TABLE_3

CALIBRATED = ("Hist", "IsoReg", "KDE", "DPM")


@pytest.fixture(scope="module")
def first():
    return table1.run(Options(draws=20))


@pytest.mark.parametrize("kind", TABLE_1)
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("method", CALIBRATED)
def test_table_1_is_reproduced_with_the_authors_order_of_ties(first, kind, method, measure):
    block = first.block(f"{kind}; the authors")
    published = TABLE_1[kind][METHODS.index(method), MEASURES.index(measure)]
    reach = 0.06 if measure == "MCE" else 0.03
    assert abs(block.value(method, measure) - published) <= reach


def test_fair_ties_explain_the_published_errors_of_isotonic_regression(first):
    fair, authors = (first.block(f"linear; {order}") for order in ("ties", "the authors"))
    assert authors.value("IsoReg", "ECE") > 0.3 > 10 * fair.value("IsoReg", "ECE")
    for measure in ("RMSE", "AUC", "ACC"):
        assert fair.value("IsoReg", measure) == authors.value("IsoReg", measure)


def test_one_component_for_each_class_has_the_published_row(first):
    told = first.block("linear; the authors")
    published = TABLE_1["linear"][METHODS.index("DPM")]
    ours = [told.value("DPM, 1 part", measure) for measure in MEASURES]
    np.testing.assert_allclose(ours, published, atol=0.011)


def test_table_2_up_to_ten_thousand_cases():
    study = table2.run(Options(draws=10, quick=True))
    for kind in TABLE_2:
        block = study.block(f"{kind}; Hist")
        for row, published in zip(block.rows, TABLE_2[kind], strict=False):
            assert abs(block.value(row, "AUC") - published[0]) <= 0.02
            assert abs(block.value(row, "ECE") - published[2]) <= 0.02
        fair = [block.value(row, "ECE, fair") for row in block.rows]
        assert fair == sorted(fair, reverse=True)


@pytest.mark.slow
def test_table_2_at_every_size():
    study = table2.run(Options())
    for kind in TABLE_2:
        block = study.block(f"{kind}; Hist")
        assert len(block.rows) == 5
        for row, published in zip(block.rows, TABLE_2[kind], strict=False):
            assert abs(block.value(row, "AUC") - published[0]) <= 0.02
            assert abs(block.value(row, "ECE") - published[2]) <= 0.02


def test_the_published_tables_are_complete():
    for tables, shape in ((TABLE_1, (6, 5)), (TABLE_2, (6, 3)), (TABLE_3, (6, 6))):
        for numbers in tables.values():
            assert numbers.shape == shape
    assert TABLE_1["linear"][METHODS.index("IsoReg"), MEASURES.index("ECE")] == 0.35
    assert TABLE_2["quadratic"][0].tolist() == [0.99, 0.14, 0.03]
    assert TABLE_3["naive Bayes"][METHODS.index("DPM")].tolist()[-1] == 12631


def test_the_authors_order_matters_to_ties_alone():
    rng = np.random.default_rng(0)
    told, label = rng.random(1000), rng.integers(0, 2, 1000)
    fair, authors = measure_all(label, told), measure_as_authors(label, told)
    assert authors == pytest.approx(fair, abs=1e-12)
    assert fair["AUC"] == pytest.approx(roc_auc_score(label, told), abs=1e-12)
    assert fair["ECE"] == expected_calibration_error(label, told)
    shuffled, tied = rng.permutation(1000), np.round(told, 1)
    label = (rng.random(1000) < tied).astype(int)
    assert measure_as_authors(label[shuffled], tied[shuffled]) == measure_as_authors(label, tied)
    assert measure_as_authors(label, tied)["ECE"] > measure_all(label, tied)["ECE"]


def test_the_methods_are_the_papers():
    assert ("base", *calibrators()) == METHODS


def test_figures_show_the_data():
    study = figures.run(Options(seed=3))
    points = study.block("Figure 2").mean
    assert np.array_equal(np.hypot(points[:, 0], points[:, 1]) > 2, points[:, 2] == 1)
    curve = study.block("Figure 1").mean
    assert curve[0, -1] > 0 > curve[-1, -1]  # too sure of itself


@pytest.mark.parametrize("study", [table1, table2, figures], ids=lambda module: module.__name__)
def test_a_seed_is_a_run(study):
    first, again, other = (
        study.run(Options(seed=seed, quick=True, draws=1)).to_csv() for seed in (4, 4, 5)
    )
    assert first == again != other
