"""Table 3, from files to dollars, on generated data; on real ones where they are at hand."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from truing import DataError, policy_profit
from truing.paper import table3
from truing.paper.kdd98 import COST, People, generate
from truing.paper.kdd98.experiment import ask, splits
from truing.paper.kdd98.models import RESPONSE_MODELS, AmountModel, Scorer
from truing.paper.options import Options
from truing.paper.published import MEASURES, METHODS, TABLE_3

QUICK = Options(quick=True)
SHORTAGE = "the environment variable TRUING_KDD98 names no folder with files of the cup"
KINDS = [kind.name for kind in RESPONSE_MODELS]


@pytest.fixture(scope="module")
def campaign():
    return generate(3000, seed=0)


@pytest.fixture(scope="module")
def found(campaign):
    return table3.study(campaign, QUICK)


@pytest.fixture(scope="module")
def sampled(campaign):
    """The campaign as a sample of it would be, without people to test on."""
    people = campaign.learning
    kept = np.flatnonzero((people.gifts > 0) | (np.arange(len(people)) % 3 == 0))
    part = people.take(kept)
    gave = part.gifts > 0
    weights = np.where(gave, 1.0, (people.gifts == 0).sum() / (~gave).sum())
    learning = People(part.attributes, part.history, part.gifts, weights)
    return replace(campaign, learning=learning, validation=None)


def test_a_run_without_data_says_that_it_generated_them(found):
    run = table3.run(QUICK)
    assert run.data.startswith("GENERATED, not the data of the KDD Cup 1998")
    assert "UCI KDD archive" in run.data
    assert run.to_json() == found.to_json()
    assert any("invented" in note for note in run.remarks)
    assert "logistic regression" in str(run)
    assert table3.run(Options(seed=1, quick=True)).to_csv() != found.to_csv()


def test_folders_are_read(tmp_path):
    with pytest.raises(DataError, match="without any file of the cup"):
        table3.run(Options(data=tmp_path))


@pytest.mark.parametrize("kind", RESPONSE_MODELS, ids=KINDS)
def test_errors_and_dollars_of_every_model(found, kind):
    errors, money = (block for block in found.blocks if block.title.split(";")[0] == kind.name)
    assert (errors.rows, errors.columns) == (METHODS, MEASURES)
    assert np.array_equal(errors.published, TABLE_3[kind.published][:, :5])
    assert np.array_equal(money.published[:, 0], TABLE_3[kind.published][:, 5])
    for method in METHODS[1:]:
        assert errors.value(method, "ECE") < 0.02
        assert errors.value("base", "ECE") > 0.2
        assert errors.value(method, "RMSE") < errors.value("base", "RMSE")
        if (kind.sign, method) != (-1.0, "IsoReg"):
            assert money.value(method, "profit") > money.value("base", "profit")
            assert money.value(method, "expected") < money.value("base", "expected") / 10


def test_a_turned_score_defeats_isotonic_regression_alone(found):
    straight, turned = (
        found.block(kind.name) for kind in RESPONSE_MODELS if kind.published == "linear SVM"
    )
    for method in ("Hist", "Platt", "KDE"):
        assert turned.value(method, "AUC") == pytest.approx(straight.value(method, "AUC"), abs=1e-9)
    assert turned.value("base", "AUC") == pytest.approx(
        1 - straight.value("base", "AUC"), abs=1e-12
    )
    assert turned.value("IsoReg", "AUC") == pytest.approx(0.5, abs=0.03)


def test_references_are_sums_over_the_answers(campaign, found):
    block, gifts = found.block("References"), campaign.answers
    assert block.columns == ("validation",)
    everyone = round(float(gifts.sum()) - COST * len(gifts), 2)
    assert block.value("mail everyone", "validation") == everyone
    most = round(sum(gift - COST for gift in gifts if gift > COST), 2)
    assert block.value("the maximum", "validation") == most
    for kind in RESPONSE_MODELS:
        money = found.block(f"{kind.name};")
        assert (money.mean[:, 0] <= most).all()
        assert money.value("base", "profit") == pytest.approx(everyone, abs=1e-6)
        assert money.value("base", "mailed") == len(gifts)


def test_a_constant_is_what_the_order_of_ties_makes_of_it(found):
    block = found.block("The same probability")
    assert block.value("fair", "ECE") < 0.01
    assert block.value("authors' ties", "ECE") > 0.05
    assert block.published[1].tolist() == [0.454, 0.091]


def test_a_sample_is_asked_about_in_folds(sampled):
    study = table3.study(sampled, QUICK)
    assert study.settings == {"seed": 0, "folds": 2}
    assert any("standard error over folds" in note for note in study.remarks)
    money = study.block("logistic regression;")
    assert money.spread is not None
    block = study.block("References")
    assert block.columns == ("validation", "sample")
    people, size = sampled.learning, len(sampled.answers)
    earned = policy_profit(people.gifts, True, COST, sample_weight=people.weights)
    expected = earned * size / people.weights.sum()
    assert block.value("mail everyone", "sample") == pytest.approx(expected, abs=0.006)
    assert money.value("base", "profit") == pytest.approx(expected, abs=1e-6)
    for kind in RESPONSE_MODELS:
        errors = study.block(kind.name)
        assert max(errors.value(method, "ECE") for method in METHODS[1:]) < 0.03


def test_nobody_is_asked_about_by_who_knows_them(sampled):
    people, work = splits(sampled, 5, seed=0)
    assert len(work) == 5
    rows = np.concatenate([held for _, _, held in work])
    assert sorted(rows) == list(range(len(people)))
    for learning, asked, held in work:
        assert len(learning) + len(asked) == len(people)
        assert asked.responded.mean() == pytest.approx(people.responded.mean(), abs=0.01)
        rest = np.setdiff1d(np.arange(len(people)), held)
        assert np.array_equal(learning.gifts, people.gifts[rest])
    answers = ask(RESPONSE_MODELS[0], people, work)
    for part, (_, _, held) in enumerate(work):
        assert (answers.parts[held] == part).all()


def test_weights_of_people_are_repetitions(sampled):
    people = sampled.learning
    weights = np.where(people.gifts > 0, 1, 3)
    weighted = People(people.attributes, people.history, people.gifts, weights.astype(float))
    rows = np.repeat(np.arange(len(people)), weights)
    repeated = weighted.take(rows)
    repeated = People(repeated.attributes, repeated.history, repeated.gifts, np.ones(len(rows)))
    for kind in RESPONSE_MODELS:
        one, other = (Scorer(kind, told)(people) for told in (weighted, repeated))
        assert np.allclose(one, other, atol=1e-4)  # solvers stop where they are near enough


def test_amounts_are_least_squares_on_gifts_up_to_fifty_dollars(campaign):
    people = campaign.learning
    scores = Scorer(RESPONSE_MODELS[0], people)(people)
    gave = (people.gifts > 0) & (people.gifts <= 50)
    told = np.column_stack([people.history, scores])
    expected = LinearRegression().fit(told[gave], people.gifts[gave]).predict(told)
    assert np.allclose(AmountModel(people, scores)(people, scores), expected, rtol=1e-12, atol=0)


def test_amounts_need_somebody_who_gave(campaign):
    nobody = campaign.learning.take(campaign.learning.gifts == 0)
    with pytest.raises(DataError, match="Nobody gave"):
        AmountModel(nobody, np.full(len(nobody), 0.5))


@pytest.mark.skipif("TRUING_KDD98" not in os.environ, reason=SHORTAGE)
def test_published_files():
    study = table3.run(Options(data=Path(os.environ["TRUING_KDD98"])))
    assert 0.60 < study.block("logistic regression").value("base", "AUC") < 0.62
    for kind in RESPONSE_MODELS:
        errors = study.block(kind.name)
        assert max(errors.value(method, "ECE") for method in METHODS[1:]) < 0.01
    references = study.block("References")
    assert references.value("mail everyone", "validation") == 10_560.08
    assert references.value("the maximum", "validation") == 72_776.36
    constant = study.block("The same probability")
    assert np.allclose(constant.mean[1], constant.published[1], atol=0.002)
