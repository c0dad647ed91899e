"""The theorems' study holds to its bounds, to exact binomials and to its seed."""

import csv
import io
import json

import numpy as np
import pytest
from scipy import stats

from truing import HistogramCalibrator, ScoreTable
from truing.paper import theorems
from truing.paper.options import Options
from truing.paper.truth import CURVES, Population, circular_world, ring_chance


@pytest.fixture(scope="module")
def study():
    return theorems.run(Options(quick=True))


def sizes_of(block):
    return [int(row.removeprefix("N = ").replace(",", "")) for row in block.rows]


def test_observed_quantiles_are_under_every_bound(study):
    blocks = [block for block in study.blocks if "its bounds" in block.title]
    assert [block.title.split("B = ")[1] for block in blocks] == ["5", "10", "30", "100"]
    for block in blocks:
        curves = len(theorems.SHOWN)
        assert block.columns[curves:] == ("Gupta", "Hoeffding", "Theorem 1")
        assert (block.mean[:, :curves].max(axis=1) < block.mean[:, curves:].min(axis=1)).all()


def test_a_coin_errs_as_binomials_do(study):
    chance = 0.05
    low, high = stats.binom(theorems.QUICK_DRAWS, 1 - chance).ppf([1e-3, 1 - 1e-3])
    for bins in (5, 10):
        block = study.block(f"B = {bins}")
        coin = block.mean[:, block.columns.index("coin")]
        for size, seen in zip(sizes_of(block), coin, strict=True):
            held = size // bins
            binomial = stats.binom(held, 0.5)
            counts = np.arange(held + 1)
            within = [
                binomial.pmf(counts[np.abs(counts / held - 0.5) <= seen + shift]).sum() ** bins
                for shift in (1e-9 + 1 / held, -1e-9 - 1 / held)
            ]
            assert within[0] >= low / theorems.QUICK_DRAWS
            assert within[1] <= high / theorems.QUICK_DRAWS


def test_ece_falls_as_the_root_of_bins_by_cases(study):
    slopes = study.block("exponents")
    for name in ("rising", "U-shaped", "coin"):
        slope, error, _, _ = slopes.mean[slopes.rows.index(name)]
        assert 0.0 < error < 0.03
        assert abs(slope + 0.5) < 4.0 * error
    coin = study.block("ECE · √(N / B); coin")
    known = ~np.isnan(coin.mean)
    error = coin.spread[known] / np.sqrt(theorems.QUICK_DRAWS)
    assert (np.abs(coin.mean[known] - 1 / np.sqrt(2 * np.pi)) < 4.0 * error + 0.01).all()


def test_auc_is_lost_within_the_bound_and_won_where_the_score_is_not_monotone(study):
    block = study.block("large-sample limit")
    bounds = block.mean[0]
    np.testing.assert_allclose(bounds, [0.5 / bins for bins in theorems.BINS])
    for name in block.rows[1:]:
        assert (block.mean[block.rows.index(name)] <= bounds * (1 + 1e-9)).all()
    for name in ("rising", "rare", "top 0.1%"):
        assert (block.mean[block.rows.index(name)] > 0.0).all()
    for name in ("U-shaped", "circular"):
        assert (block.mean[block.rows.index(name)] < -0.2).all()
    np.testing.assert_allclose(block.mean[block.rows.index("sawtooth")], bounds, rtol=1e-9)


def test_a_seed_is_a_study_and_its_forms_hold_the_numbers(study):
    small = Options(seed=3, quick=True, draws=2)
    first, again = (theorems.run(small).to_json() for _ in range(2))
    assert first == again
    assert first != theorems.run(Options(seed=4, quick=True, draws=2)).to_json()
    told = json.loads(study.to_json())
    assert told["settings"] == {"draws": theorems.QUICK_DRAWS, "seed": 0}
    rows = list(csv.DictReader(io.StringIO(study.to_csv())))
    assert len(rows) == len(told["numbers"]) == sum(block.mean.size for block in study.blocks)
    assert max(map(len, str(study).splitlines())) <= 80


def test_one_draw_is_enough_to_see_it_work():
    slopes = theorems.run(Options(quick=True, draws=1)).block("exponents")
    assert np.isnan(slopes.mean[:, 1]).all()


def test_the_picture_has_a_panel_for_each_theorem(study):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    theorems.draw(study, figure)
    assert [axes.get_title()[:9] for axes in figure.axes] == ["Theorem 1", "Theorem 2", "Theorem 3"]
    for axes in figure.axes:
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        assert axes.get_lines()


# ---------------------------------------------------------------------------------- known truths


@pytest.mark.parametrize("name", CURVES)
def test_shares_are_means_of_the_curve(name):
    curve, ends = CURVES[name], np.array([0.0, 0.1, 0.35, 0.8, 1.0])
    for low, high, share in zip(ends[:-1], ends[1:], curve.shares(ends), strict=True):
        inside = low + (np.arange(20_000) + 0.5) / 20_000 * (high - low)
        assert share == pytest.approx(curve.chance(inside).mean(), abs=1e-8)


def test_errors_of_a_histogram_are_those_on_many_cases():
    rng = np.random.default_rng(0)
    curve, scores = CURVES["rising"], rng.random(200)
    table = ScoreTable.from_arrays(scores, curve.labels(scores, rng))
    greatest, mean, area = theorems._measure(curve, table, 5)
    points = (np.arange(200_000) + 0.5) / 200_000
    steps = HistogramCalibrator(n_bins=5).solve(table)
    measured = Population(points, curve.chance(points)).measure(steps)
    assert measured["worst"] == pytest.approx(greatest, abs=1e-4)
    assert measured["AUC"] == pytest.approx(area, abs=1e-4)
    gaps = np.abs(steps(points) - curve.chance(points))
    assert mean < gaps.mean()


def test_the_chance_of_the_ring_is_what_points_show():
    world = circular_world(0)
    scores, labels = world.draw(200_000, seed=1)
    for low, high in ((0.1, 0.3), (0.3, 0.5), (0.8, 0.95)):
        ends = np.quantile(scores, [low, high])
        seen = labels[(scores > ends[0]) & (scores < ends[1])]
        people = world.population
        inside = (people.scores > ends[0]) & (people.scores < ends[1])
        error = 0.5 / np.sqrt(len(seen))
        assert people.chances[inside].mean() == pytest.approx(seen.mean(), abs=4 * error)
    assert ring_chance(np.array([-2.1, 3.9])).tolist() == [1.0, 1.0]
