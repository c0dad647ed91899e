"""The open questions have answers, the same for the same seed."""

import csv
import io
import json

import numpy as np
import pytest

from truing.paper import questions
from truing.paper.bin_widths import compare_widths
from truing.paper.calibration_size import _enough
from truing.paper.options import Options


@pytest.fixture(scope="module")
def study():
    return questions.run(Options(quick=True))


def test_bins_are_alike_on_even_scores_and_not_where_scores_crowd(study):
    def off(world, strategy):
        return study.block(f"width; {world},").value(strategy, "off")

    for world in ("even", "U-shaped"):
        assert off(world, "width") == pytest.approx(off(world, "frequency"), rel=0.25)
    for world in ("crowded", "outliers", "circular"):
        assert off(world, "width") > 1.5 * off(world, "frequency")
    assert off("thin tail", "width") < off("thin tail", "frequency")


def test_no_map_is_nearer_than_the_truth(study):
    for block in study.blocks:
        if "the truth" in block.rows:
            truth = block.mean[block.rows.index("the truth")]
            np.testing.assert_allclose(truth[2:], 0.0, atol=1e-12)
            assert (block.mean[:, 0] >= truth[0]).all()
            assert (block.mean[:, 1] <= truth[1] + 1e-12).all()


def test_distances_fall_with_the_size(study):
    slopes = study.block("exponents")
    frequency = slopes.mean[:, slopes.columns.index("frequency")]
    assert (frequency < -0.05).all()
    assert slopes.value("even", "frequency") == pytest.approx(-1 / 3, abs=0.1)


def test_the_same_data_harm_models_that_overfit(study):
    for model in ("tree", "forest"):
        block = study.block(f"{model}, ECE")
        same, folds = (block.mean[block.rows.index(way), 1:] for way in ("same", "5-fold"))
        assert same.mean() > folds.mean() + 0.05
    logistic = study.block("logistic regression, ECE")
    assert logistic.mean[logistic.rows.index("same"), 1:].mean() < 0.15


def test_errors_fall_with_the_size_but_for_what_a_method_cannot_represent(study):
    block = study.block("circular, distance")
    assert (block.mean[-1] < block.mean[0] + 1e-3).all()
    assert block.value("N = 1,000", "KDE") < 0.1
    assert block.value("N = 1,000", "IsoReg") > 0.2
    assert block.value("N = 1,000", "Platt") > 0.3


def test_enough_is_the_size_after_the_last_gain_that_counts():
    error = np.array([0.10, 0.05, 0.048, 0.03, 0.029])
    one_world = np.stack([error, error[::-1], np.linspace(1, 0, 5)], axis=-1)
    mean = np.tile(one_world, (3, 2, 1, 1))
    block = _enough(np.concatenate([mean, mean], axis=-1)[..., :5], (1, 2, 4, 8, 16))
    assert block.mean[0, :2].tolist() == [8, 1]
    assert np.isnan(block.mean[0, 2])


def test_a_seed_is_a_study():
    first, again = (questions.run(Options(quick=True, draws=1)).to_json() for _ in range(2))
    assert first == again
    one, other = (compare_widths(Options(seed=seed, quick=True, draws=1))[0] for seed in (0, 1))
    assert not np.array_equal(one[0].mean, other[0].mean)


def test_its_forms_hold_the_numbers(study):
    told = json.loads(study.to_json())
    rows = list(csv.DictReader(io.StringIO(study.to_csv())))
    assert len(rows) == len(told["numbers"]) == sum(block.mean.size for block in study.blocks)
    assert {note.split(",")[0] for note in study.remarks if note.startswith("Question")} == {
        f"Question {number}" for number in (1, 2, 3)
    }
    assert max(map(len, str(study).splitlines())) <= 80
