"""Every calibrator against its definition, added up case by case, and against other software."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, special, stats
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

from truing import (
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    MixtureCalibrator,
    PlattCalibrator,
)
from truing.numerics.bandwidth import SHARES

COMPACT = {
    "boxcar": np.ones_like,
    "triangular": lambda u: 1 - u,
    "epanechnikov": lambda u: (1 - u) * (1 + u),
    "tricube": lambda u: ((1 - u) * (1 + u + u * u)) ** 3,
}
KERNELS = [*COMPACT, "gaussian"]


def draw(rng, n, *, ties=False, weighted=False):
    """Probabilities, labels that follow them badly, and weights."""
    scores = rng.uniform(0, 1, n)
    if ties:
        scores = np.round(scores, 1)
    labels = (rng.uniform(0, 1, n) < 0.2 + 0.6 * np.sin(3 * scores) ** 2).astype(int)
    labels[:2] = 0, 1
    return scores, labels, rng.uniform(0.2, 3, n) if weighted else None


def around(values):
    """The values, and the doubles next to them on both sides."""
    values = np.asarray(values, dtype=float)
    return np.concatenate([values, np.nextafter(values, -np.inf), np.nextafter(values, np.inf)])


def read_log_odds(queries, scores):
    """Log-odds; exact 0 and 1 stand half as far from the end as the nearest other training score.

    Where training held no exact 0 (or 1), the last double before it stands in.
    """
    inner = np.unique(scores)
    low, high = 5e-324, 1 - 2.0**-53
    if inner[0] == 0:
        low = max(inner[1] / 2, 5e-324)
    if inner[-1] == 1:
        high = 1 - (1 - inner[-2]) / 2
    seen = np.clip(queries, low, high)
    return np.log(seen) - np.log1p(-seen)


# ------------------------------------------------------------------------------------- histogram


@pytest.mark.parametrize(("n", "n_bins"), [(12, 3), (100, 10), (1000, 8), (30, 30), (7, 1)])
def test_quantile_bins_without_ties_are_an_equal_split_of_the_sorted_rows(n, n_bins):
    rng = np.random.default_rng(n)
    scores, labels, _ = draw(rng, n)
    histogram = HistogramCalibrator(n_bins=n_bins).fit(scores, labels)
    order = np.argsort(scores)
    answers = histogram.transform(scores)
    assert len(histogram.bins_) == n_bins
    for rows in np.array_split(order, n_bins):
        assert (answers[rows] == labels[rows].mean()).all()


def nearest_cuts(weights, n_bins):
    """Last places of the bins: the k-th where the weight reached is nearest to k / B of all."""
    reached = np.cumsum([Fraction(weight) for weight in weights]).tolist()
    places = range(len(reached))
    targets = [Fraction(k, n_bins) * reached[-1] for k in range(1, n_bins + 1)]
    return sorted(
        {min(places, key=lambda place, goal=goal: abs(reached[place] - goal)) for goal in targets}
    )


@pytest.mark.parametrize("seed", range(40))
def test_quantile_bins_end_where_the_weight_is_nearest_to_its_share(seed):
    rng = np.random.default_rng(seed)
    n_bins = int(rng.integers(1, 15))
    scores, labels, _ = draw(rng, int(rng.integers(5, 60)))
    scores = np.round(scores, int(rng.integers(1, 4)))
    weights = rng.integers(1, 5, len(scores)) / 4
    histogram = HistogramCalibrator(n_bins=n_bins).fit(scores, labels, weights)
    places, index = np.unique(scores, return_inverse=True)
    lasts = nearest_cuts(np.bincount(index, weights), n_bins)
    assert histogram.bins_.upper.tolist() == places[lasts].tolist()


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
@pytest.mark.parametrize("seed", range(10))
def test_bins_tell_ranges_cases_and_positives_and_are_never_empty(strategy, seed):
    rng = np.random.default_rng(seed)
    scores, labels, weights = draw(rng, 80, ties=seed % 2 == 0, weighted=True)
    histogram = HistogramCalibrator(n_bins=9, strategy=strategy).fit(scores, labels, weights)
    bins, seen = histogram.bins_, 0
    for lower, upper, count, positives, probability in zip(
        bins.lower, bins.upper, bins.count, bins.positives, bins.probability, strict=True
    ):
        inside = (lower <= scores) & (scores <= upper)
        assert {lower, upper} <= set(scores)
        assert count == pytest.approx(weights[inside].sum(), rel=1e-13)
        assert positives == pytest.approx((weights * labels)[inside].sum(), rel=1e-13)
        assert probability == pytest.approx(positives / count, rel=1e-13)
        assert (histogram.transform(scores[inside]) == probability).all()
        seen += inside.sum()
    assert (bins.upper[:-1] < bins.lower[1:]).all()
    assert seen == len(scores)


def test_many_tied_cases_stay_in_one_bin():
    scores, labels = [0.1, *[0.5] * 98, 0.9], [0, *[0, 1] * 49, 1]
    histogram = HistogramCalibrator(n_bins=10).fit(scores, labels)
    assert histogram.transform([0.1, 0.5, 0.9]).tolist() == [0.0, 0.5, 1.0]
    assert histogram.bins_.count.tolist() == [1, 98, 1]


def test_cuts_lie_midway_and_the_cut_itself_belongs_below():
    histogram = HistogramCalibrator(n_bins=2).fit([0.0, 1.0, 2.0, 4.0], [0, 0, 1, 1])
    assert histogram.map_.edges.tolist() == [1.5]
    assert histogram.transform([1.5, np.nextafter(1.5, 2)]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("low", [0.0, 5e-324, 0.3, 1.0, -1.0, 1e300, -1e308])
def test_adjacent_doubles_can_be_told_apart(low):
    high = np.nextafter(low, np.inf)
    histogram = HistogramCalibrator(n_bins=2).fit([low, high], [0, 1])
    assert histogram.transform([low, high]).tolist() == [0.0, 1.0]


def uniform_answer(query, scores, labels, edges):
    """The share of positives in the query's bin; in an empty bin that of the nearer side."""
    bin_of = [sum(edge < score for edge in edges[1:-1]) for score in scores]
    held = sum(edge < query for edge in edges[1:-1])
    if held not in bin_of:
        below = max((place for place in bin_of if place < held), default=None)
        above = min((place for place in bin_of if place > held), default=None)
        if below is None or above is None:
            held = above if below is None else below
        else:
            middle = (edges[below + 1] + edges[above]) / 2
            held = below if query <= middle else above
    return np.mean([label for label, place in zip(labels, bin_of, strict=True) if place == held])


@pytest.mark.parametrize("n_bins", [1, 4, 10, 13])
@pytest.mark.parametrize("seed", range(5))
def test_uniform_bins(n_bins, seed):
    rng = np.random.default_rng(seed)
    scores, labels, _ = draw(rng, 12, ties=seed == 0)
    histogram = HistogramCalibrator(n_bins=n_bins, strategy="uniform").fit(scores, labels)
    edges = np.linspace(0, 1, n_bins + 1)
    queries = np.concatenate([rng.uniform(0, 1, 200), scores, edges, [-3.0, 7.0]])
    # An edge and what is next to it: a score on an edge belongs below it.
    queries = np.concatenate([queries, np.nextafter(edges, 2)])
    expected = [uniform_answer(query, scores, labels, edges) for query in queries]
    assert np.allclose(histogram.transform(queries), expected, rtol=0, atol=1e-14)


def test_uniform_bins_of_margins_go_over_their_range():
    histogram = HistogramCalibrator(n_bins=4, strategy="uniform").fit(
        [-4.0, -2.0, -1.9, 0.0, 4.0], [0, 0, 1, 1, 1]
    )
    assert histogram.bins_.count.tolist() == [2, 2, 1]
    assert histogram.map_.edges.tolist() == [-2.0, 1.0]


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_histogram_of_huge_margins(strategy):
    scores = [-1.5e308, -1e308, 1e308, 1.5e308]
    histogram = HistogramCalibrator(n_bins=2, strategy=strategy).fit(scores, [0, 0, 1, 1])
    assert histogram.transform(scores).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("smoothing", [0.5, 1, 3.7])
def test_smoothing_gives_every_bin_cases_of_both_classes(smoothing):
    histogram = HistogramCalibrator(n_bins=2, smoothing=smoothing)
    histogram.fit([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 0, 1])
    expected = [smoothing / (3 + 2 * smoothing), (2 + smoothing) / (3 + 2 * smoothing)]
    assert np.allclose(histogram.bins_.probability, expected, rtol=1e-15)


@pytest.mark.parametrize(("n", "n_bins"), [(2, 1), (4, 2), (1000, 10), (1157, 10), (1158, 11)])
def test_cube_root_bins(n, n_bins):
    histogram = HistogramCalibrator().fit(np.arange(n), np.arange(n) % 2)
    assert len(histogram.bins_) == n_bins == round(n ** (1 / 3))


def test_cube_root_counts_weights_not_rows():
    histogram = HistogramCalibrator().fit(np.arange(100.0), np.arange(100) % 2, np.full(100, 10))
    assert len(histogram.bins_) == 10


# ---------------------------------------------------------------------------------------- kernel


def kernel_sum(queries, points, weights, bandwidth, kernel):
    apart = np.abs(queries[:, None] - points)
    inside = apart <= bandwidth
    u = np.where(inside, apart, 0.0) / bandwidth
    return (weights * np.where(inside, COMPACT[kernel](u), 0.0)).sum(axis=1)


def kernel_answers(queries, cases, bandwidths, kernel):
    """Bayes' rule with one kernel per case; without a case in reach the nearest place answers."""
    if kernel == "gaussian":
        return gaussian_answers(queries, cases, bandwidths)
    points, labels, weights = cases
    none, one = (
        kernel_sum(queries, points, weights * (labels == label), bandwidths[label], kernel)
        for label in (0, 1)
    )
    above, total = bandwidths[0] * one, bandwidths[0] * one + bandwidths[1] * none
    answers = np.empty(len(queries))
    for at, query in enumerate(queries):
        if total[at]:
            answers[at] = above[at] / total[at]
        else:
            apart = np.abs(points - query)
            held = points == points[apart == apart.min()].min()
            answers[at] = (weights * labels)[held].sum() / weights[held].sum()
    return answers


def gaussian_answers(queries, cases, bandwidths):
    points, labels, weights = cases
    log_sums = [
        special.logsumexp(
            -0.5 * ((queries[:, None] - points) / bandwidths[label]) ** 2,
            b=weights * (labels == label),
            axis=1,
        )
        for label in (0, 1)
    ]
    return special.expit(log_sums[1] - log_sums[0] + np.log(bandwidths[0] / bandwidths[1]))


def check_kernel(calibrator, cases, queries, bandwidths, read=lambda x: x):
    scores, labels, weights = cases
    calibrator.fit(scores, labels, weights)
    held = np.ones(len(scores)) if weights is None else weights
    expected = kernel_answers(
        read(queries), (read(scores), labels, held), bandwidths, calibrator.kernel
    )
    tolerance = 1e-6 if calibrator.kernel == "gaussian" else 1e-12
    assert np.abs(calibrator.transform(queries) - expected).max() <= tolerance


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("widths", [(0.1, 0.1), (0.3, 0.3), (0.05, 0.2), (0.2, 0.05), (0.02, 3.0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_kernel_ratio_of_scores(kernel, widths, weighted):
    rng = np.random.default_rng(5)
    scores, labels, weights = draw(rng, 60, weighted=weighted)
    scores[:20] = np.round(scores[:20], 1)
    queries = np.concatenate([scores, rng.uniform(-0.5, 1.5, 300), np.linspace(0, 1, 101)])
    calibrator = KernelCalibrator(kernel, *options(widths))
    check_kernel(calibrator, (scores, labels, weights), queries, widths)


def options(widths):
    """Bandwidth and per_class that say these widths of negatives and positives."""
    return (widths[0], False) if widths[0] == widths[1] else (widths, True)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("widths", [(0.5, 0.5), (2.0, 2.0), (0.4, 1.5)])
@pytest.mark.parametrize("ends", [[], [0.0], [1.0], [0.0, 0.0, 1.0]])
def test_kernel_ratio_of_log_odds(kernel, widths, ends):
    rng = np.random.default_rng(6)
    scores, labels, weights = draw(rng, 60, weighted=True)
    scores[: len(ends)] = ends
    queries = np.concatenate([scores, rng.uniform(0, 1, 300), [0, 1, 1e-9, 5e-324, 1 - 2**-53]])
    calibrator = KernelCalibrator(kernel, *options(widths), scale="log-odds")
    check_kernel(
        calibrator, (scores, labels, weights), queries, widths, lambda x: read_log_odds(x, scores)
    )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bandwidth", [0.1, 0.2, 0.30000000000000004])
def test_kernel_ratio_on_a_lattice_whose_windows_end_on_the_lattice(kernel, bandwidth):
    scores = np.repeat(0.1 * np.arange(11), 4)
    labels = np.random.default_rng(0).integers(0, 2, len(scores))
    queries = np.concatenate([np.arange(-5, 16) / 10, 0.1 * np.arange(-5, 16)])
    widths = (bandwidth, bandwidth)
    check_kernel(KernelCalibrator(kernel, bandwidth), (scores, labels, None), queries, widths)


def test_a_boxcar_window_holds_what_is_at_its_rim_and_nothing_beyond():
    boxcar = KernelCalibrator(bandwidth=0.1).fit([0.2, 0.5], [1, 0])
    # 0.3 - 0.2 is a little less than 0.1 in doubles, 0.30000000000000004 - 0.2 a little more.
    both = KernelCalibrator(bandwidth=0.1).fit([0.2, 0.4], [1, 0])
    assert both.transform([0.3]).tolist() == [1.0]  # 0.4 - 0.3 exceeds 0.1 in doubles
    assert boxcar.transform([0.1, 0.3, 0.4, 0.6]).tolist() == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_an_empty_window_is_answered_by_the_nearest_case_of_two_the_lower(kernel):
    calibrator = KernelCalibrator(kernel, 0.25).fit([0, 4, 4, 8], [0, 1, 0, 1])
    queries = [-3, 1.5, 2.5, 5.5, 6.5, 20]
    assert np.allclose(calibrator.transform(queries), [0, 0, 0.5, 0.5, 1, 1], atol=1e-6)
    if kernel != "gaussian":  # which at equal distances hears both
        assert calibrator.transform([2, 6]).tolist() == [0.0, 0.5]
        assert calibrator.transform([np.nextafter(2, 3), np.nextafter(6, 7)]).tolist() == [0.5, 1]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bandwidth", ["silverman", "leave-one-out", 1e-9, 1e9, (1e-3, 1.0)])
def test_kernels_answer_everywhere(kernel, bandwidth):
    rng = np.random.default_rng(2)
    margins, labels = rng.normal(size=50), rng.integers(0, 2, 50)
    calibrator = KernelCalibrator(kernel, bandwidth, per_class=isinstance(bandwidth, tuple))
    calibrator.fit(margins, labels)
    far = [-1.7e308, -1e300, -1e30, -40, 0, 5e-324, 40, 1e30, 1e300, 1.7e308]
    answers = calibrator.transform(np.concatenate([far, margins, around(margins)]))
    assert ((answers >= 0) & (answers <= 1)).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_far_margins_are_told_by_the_outermost_cases(kernel):
    calibrator = KernelCalibrator(kernel).fit([-2.0, -1, 0, 1, 2.0], [1, 0, 0, 1, 0])
    assert np.allclose(calibrator.transform([-1e6, 1e6, -1.7e308, 1.7e308]), [1, 0, 1, 0])


@pytest.mark.parametrize("bandwidth", [0.3, 0.05, 0.01])
def test_gaussian_with_an_outlier_still_follows_its_definition_where_cases_crowd(bandwidth):
    rng = np.random.default_rng(3)
    scores, labels = np.append(rng.normal(size=200), 1e4), rng.integers(0, 2, 201)
    calibrator = KernelCalibrator("gaussian", bandwidth)
    queries = np.concatenate([scores, rng.normal(size=500)])
    check_kernel(calibrator, (scores, labels, None), queries, (bandwidth, bandwidth))


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("scale", ["score", "log-odds"])
def test_silverman_rule(per_class, scale):
    rng = np.random.default_rng(8)
    scores, labels, _ = draw(rng, 90)
    weights = rng.integers(1, 4, 90)
    rows = np.repeat(read_log_odds(scores, scores) if scale == "log-odds" else scores, weights)
    label_of_row = np.repeat(labels, weights)
    groups = [rows[label_of_row == 0], rows[label_of_row == 1]] if per_class else [rows, rows]
    expected = [1.06 * np.std(group, ddof=1) * len(group) ** -0.2 for group in groups]
    calibrator = KernelCalibrator(per_class=per_class, scale=scale).fit(scores, labels, weights)
    assert calibrator.map_.bandwidths == pytest.approx(expected, rel=1e-12)


def test_gaussian_takes_the_same_rule():
    rng = np.random.default_rng(9)
    scores, labels, _ = draw(rng, 50)
    width = 1.06 * np.std(scores, ddof=1) * 50**-0.2
    queries = rng.uniform(0, 1, 200)
    check_kernel(KernelCalibrator("gaussian"), (scores, labels, None), queries, (width, width))


def left_out_likelihood(scores, labels, bandwidth, kernel):
    """Sum of ln p of every case's label, p told by all other cases, one by one."""
    total, floor = 0.0, 0.5 / len(scores)
    for at, (score, label) in enumerate(zip(scores, labels, strict=True)):
        others = np.arange(len(scores)) != at
        apart = np.abs(scores[others] - score)
        if kernel == "gaussian":
            weights = np.exp(-0.5 * (apart / bandwidth) ** 2)
        else:
            inside = apart <= bandwidth
            weights = np.where(inside, COMPACT[kernel](np.where(inside, apart, 0) / bandwidth), 0)
        if weights.sum() <= 1e-12:
            weights = np.ones(len(weights))
        share = weights[labels[others] == label].sum() / weights.sum()
        total += np.log(np.clip(share, floor, 1 - floor))
    return total


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(4))
def test_leave_one_out_takes_the_most_likely_of_the_bandwidths_tried(kernel, seed):
    rng = np.random.default_rng(seed)
    scores, labels, _ = draw(rng, 40, ties=seed == 0)
    tried = 1.06 * np.std(scores, ddof=1) * 40**-0.2 * SHARES
    found = [left_out_likelihood(scores, labels, bandwidth, kernel) for bandwidth in tried]
    calibrator = KernelCalibrator(kernel, "leave-one-out")
    if kernel == "gaussian":  # whose lines do not tell their bandwidth
        assert np.diff(np.sort(found))[-1] > 1e-6
        best = tried[np.argmax(found)]
        check_kernel(calibrator, (scores, labels, None), scores, (best, best))
        return
    chosen = calibrator.fit(scores, labels).map_.bandwidths
    at = np.argmin(np.abs(tried - chosen[0]))
    assert chosen[0] == chosen[1] == pytest.approx(tried[at], rel=1e-12)
    assert found[at] >= max(found) - 1e-9


def test_leave_one_out_counts_a_row_of_weight_three_as_three_rows():
    rng = np.random.default_rng(1)
    scores, labels, _ = draw(rng, 40, ties=True)
    weights = rng.integers(1, 4, 40)
    one = KernelCalibrator("triangular", "leave-one-out").fit(scores, labels, weights)
    many = KernelCalibrator("triangular", "leave-one-out")
    many.fit(np.repeat(scores, weights), np.repeat(labels, weights))
    assert one.map_.bandwidths == pytest.approx(many.map_.bandwidths, rel=1e-12)


def test_leave_one_out_per_class_keeps_the_proportion_of_the_rules():
    scores, labels, _ = draw(np.random.default_rng(4), 80)
    fits = [
        KernelCalibrator("epanechnikov", bandwidth, per_class=per_class).fit(scores, labels)
        for bandwidth, per_class in [("silverman", True), ("silverman", False)]
    ]
    shared = KernelCalibrator("epanechnikov", "leave-one-out").fit(scores, labels)
    factor = shared.map_.bandwidths[0] / fits[1].map_.bandwidths[0]
    both = KernelCalibrator("epanechnikov", "leave-one-out", per_class=True).fit(scores, labels)
    assert both.map_.bandwidths == pytest.approx(np.multiply(fits[0].map_.bandwidths, factor))


# -------------------------------------------------------------------------------------- isotonic


def isotonic_by_minimax(scores, labels, weights):
    """At each distinct score the greatest over beginnings of the least over ends of a mean."""
    places = np.unique(scores)
    fitted = [
        max(
            min(mean_between(scores, labels, weights, begin, end) for end in places[places >= at])
            for begin in places[places <= at]
        )
        for at in places
    ]
    return places, np.array(fitted)


def mean_between(scores, labels, weights, begin, end):
    inside = (begin <= scores) & (scores <= end)
    return np.average(labels[inside], weights=weights[inside])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("interpolate", [False, True])
def test_isotonic_is_the_minimax_of_means(ties, weighted, interpolate):
    rng = np.random.default_rng(12)
    scores, labels, weights = draw(rng, 40, ties=ties, weighted=weighted)
    held = np.ones(40) if weights is None else weights
    places, expected = isotonic_by_minimax(scores, labels, held)
    isotonic = IsotonicCalibrator(interpolate=interpolate).fit(scores, labels, weights)
    assert np.allclose(isotonic.transform(places), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [5, 100, 5000])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_isotonic_agrees_with_scikit_learn(n, ties, weighted):
    rng = np.random.default_rng(n)
    scores, labels, weights = draw(rng, n, ties=ties, weighted=weighted)
    other = IsotonicRegression(out_of_bounds="clip").fit(scores, labels, weights)
    mine = IsotonicCalibrator().fit(scores, labels, weights)
    queries = np.concatenate([scores, rng.uniform(-0.5, 1.5, 1000)])
    assert np.allclose(mine.transform(queries), other.predict(queries), rtol=0, atol=1e-12)


def test_isotonic_steps_change_midway_between_blocks():
    isotonic = IsotonicCalibrator(interpolate=False).fit([0.0, 1, 2, 4], [0, 1, 0, 1])
    queries = [0.5, np.nextafter(0.5, 1), 3.0, np.nextafter(3.0, 4)]
    assert isotonic.transform(queries).tolist() == [0.0, 0.5, 0.5, 1.0]


@pytest.mark.parametrize("interpolate", [False, True])
def test_isotonic_of_huge_and_of_tiny_scores(interpolate):
    scores = np.array([-1.7e308, -1e300, -5e-324, 0, 5e-324, 1e300, 1.7e308])
    isotonic = IsotonicCalibrator(interpolate=interpolate).fit(scores, [0, 0, 1, 0, 1, 1, 1])
    assert isotonic.transform(scores).tolist() == [0, 0, 0.5, 0.5, 1, 1, 1]


# ----------------------------------------------------------------------------------------- Platt


def most_likely_sigmoid(places, targets, weights):
    """Intercept and slope by scipy's trust region with exact derivatives, places standardised."""
    centre, spread = np.average(places, weights=weights), np.std(places)
    design = np.stack([np.ones(len(places)), (places - centre) / spread])
    total = weights.sum()

    def cost(at):
        line = at @ design
        return weights @ (np.logaddexp(0, line) - targets * line) / total

    def gradient(at):
        return design @ (weights * (special.expit(at @ design) - targets)) / total

    def curvature(at):
        chance = special.expit(at @ design)
        return (design * (weights * chance * (1 - chance))) @ design.T / total

    found = optimize.minimize(
        cost,
        np.zeros(2),
        jac=gradient,
        hess=curvature,
        method="trust-exact",
        options={"gtol": 1e-9},
    )
    at = found.x - np.linalg.solve(curvature(found.x), gradient(found.x))
    return at[0] - at[1] * centre / spread, at[1] / spread


SIZES = [20, 500, 8192, 8193, 100_000]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["probabilities", "normal", "heavy tails", "steep"])
def test_platt_is_the_most_likely_sigmoid(n, weighted, kind):
    rng = np.random.default_rng(n)
    places = {
        "probabilities": lambda: rng.normal(0.5, 1.5, n),
        "normal": lambda: rng.normal(3, 1, n),
        "heavy tails": lambda: rng.standard_t(1.5, n),
        "steep": lambda: rng.normal(0, 1, n),
    }[kind]()
    slope = 40 if kind == "steep" else 0.7
    labels = (rng.uniform(0, 1, n) < special.expit(slope * places - 0.5)).astype(int)
    labels[[places.argmax(), places.argmin()]] = 0, 1  # never separated
    weights = rng.uniform(0.5, 2, n) if weighted else None
    scores = special.expit(places) if kind == "probabilities" else places
    platt = PlattCalibrator().fit(scores, labels, weights)
    assert platt.map_.scale.kind == ("log-odds" if kind == "probabilities" else "score")
    held = np.ones(n) if weights is None else weights
    intercept, slope = most_likely_sigmoid(places, labels, held)
    expected = special.expit(intercept + slope * places)
    assert np.abs(platt.transform(scores) - expected).max() < 1e-8


def test_platt_leaves_true_probabilities_alone():
    scores = np.repeat([0.1, 0.25, 0.5, 0.75, 0.9], 20)
    labels = np.concatenate([np.arange(20) < 20 * p for p in [0.1, 0.25, 0.5, 0.75, 0.9]])
    platt = PlattCalibrator().fit(scores, labels)
    assert np.allclose(platt.transform(scores), scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ends", [[0.0], [1.0], [0.0, 1.0]])
def test_platt_reads_exact_0_and_1_as_half_the_smallest_distance_seen(ends):
    rng = np.random.default_rng(0)
    scores, labels, weights = draw(rng, 200, weighted=True)
    scores[: len(ends)], labels[: len(ends)] = ends, [1 - round(end) for end in ends]
    places = read_log_odds(scores, scores)
    platt = PlattCalibrator().fit(scores, labels, weights)
    intercept, slope = most_likely_sigmoid(places, labels, weights)
    expected = special.expit(intercept + slope * places)
    assert np.allclose(platt.transform(scores), expected, rtol=0, atol=1e-9)
    inner = scores[(scores > 0) & (scores < 1)]
    for end, half in [(0.0, inner.min() / 2), (1.0, 1 - (1 - inner.max()) / 2)]:
        if end in ends:
            assert platt.transform([end]) == pytest.approx(platt.transform([half]), rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_smoothed_targets_are_platts(weighted):
    rng = np.random.default_rng(7)
    margins = rng.normal(size=60)
    labels = (margins + rng.normal(size=60) > 0.5).astype(int)
    weights = rng.uniform(0.5, 2, 60) if weighted else None
    held = np.ones(60) if weights is None else weights
    positive, negative = held @ labels, held @ (1 - labels)
    targets = np.where(labels, (positive + 1) / (positive + 2), 1 / (negative + 2))
    intercept, slope = most_likely_sigmoid(margins, targets, held)
    platt = PlattCalibrator(smoothed_targets=True).fit(margins, labels, weights)
    assert platt.map_.slope == pytest.approx(slope, rel=1e-9)
    assert platt.map_.intercept == pytest.approx(intercept, rel=1e-9)
    other = _SigmoidCalibration().fit(margins, labels, weights)
    # scikit-learn stops where its gradient is below 1e-6.
    assert np.allclose(platt.transform(margins), other.predict(margins), rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("scores", "labels", "separated"),
    [
        ([1, 2, 3, 4], [0, 0, 1, 1], True),
        ([1, 2, 3, 4], [1, 1, 0, 0], True),
        ([1, 2, 2, 3], [0, 0, 1, 1], True),  # ties at the threshold do not help
        ([1, 2, 2, 2], [0, 0, 1, 1], True),
        ([1, 2, 3, 4], [0, 1, 0, 1], False),
        ([1, 2, 3], [0, 1, 0], False),
        ([1, 1, 2, 2], [0, 1, 0, 1], False),
        ([5, 5, 5], [0, 1, 1], False),  # a constant: the prevalence is most likely
    ],
)
def test_separated_classes_are_told_and_smoothed(scores, labels, separated):
    if not separated:
        PlattCalibrator().fit(scores, labels)
        return
    with pytest.warns(UserWarning, match="separates the classes") as caught:
        warned = PlattCalibrator().fit(scores, labels)
    smoothed = PlattCalibrator(smoothed_targets=True).fit(scores, labels)
    assert warned.map_ == smoothed.map_
    assert caught[0].filename == __file__


def test_platt_of_a_constant_score_is_the_prevalence():
    platt = PlattCalibrator().fit([0.3] * 5, [0, 1, 1, 1, 0])
    assert platt.transform([0.1, 0.3, 1]) == pytest.approx([0.6] * 3, rel=1e-14)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
def test_platt_does_not_depend_on_the_unit_of_margins(size):
    margins, labels = np.array([-2.0, -1, 0.5, 1, 2]), [0, 0, 1, 0, 1]
    usual = PlattCalibrator(scale="score").fit(margins, labels).transform(margins)
    scaled = PlattCalibrator(scale="score").fit(margins * size, labels).transform(margins * size)
    assert np.allclose(usual, scaled, rtol=0, atol=1e-12)


# --------------------------------------------------------------------------------------- mixture


@pytest.mark.parametrize("scale", ["score", "log-odds"])
def test_mixture_is_bayes_rule_over_students_t(scale):
    rng = np.random.default_rng(21)
    scores = np.concatenate([rng.beta(2, 6, 80), rng.beta(6, 2, 50), rng.uniform(0, 1, 10)])
    labels = np.r_[np.zeros(70), np.ones(70)].astype(int)
    weights = rng.uniform(0.5, 2, 140)
    mixture = MixtureCalibrator(scale=scale).fit(scores, labels, weights)
    queries = rng.uniform(0, 1, 200)
    inner = np.clip(queries, 0.5 * scores.min(), 1 - 0.5 * (1 - scores.max()))
    places = read_log_odds(inner, scores) if scale == "log-odds" else queries
    negative, positive = (
        sum(
            weight * stats.t.pdf(places, degrees, location, spread)
            for weight, degrees, location, spread in zip(
                part.weights, part.degrees, part.locations, part.scales, strict=True
            )
        )
        for part in mixture.components_
    )
    prior = weights @ labels / weights.sum()
    expected = prior * positive / (prior * positive + (1 - prior) * negative)
    assert np.allclose(mixture.transform(queries), expected, rtol=0, atol=1e-12)


def test_mixture_components_hold_all_cases_and_free_energy_never_rises():
    rng = np.random.default_rng(22)
    margins, labels = rng.normal(size=100), rng.integers(0, 2, 100)
    mixture = MixtureCalibrator().fit(margins, labels)
    for label, part, energies in zip(
        (0, 1), mixture.components_, mixture.free_energies_, strict=True
    ):
        assert part.weights.sum() == pytest.approx(1, rel=1e-12)
        assert part.cases.sum() == pytest.approx((labels == label).sum(), rel=1e-9)
        assert (np.diff(energies) <= 0).all()


def test_mixture_answers_everywhere():
    rng = np.random.default_rng(23)
    mixture = MixtureCalibrator().fit(rng.normal(size=30), np.arange(30) % 2)
    answers = mixture.transform([-1.7e308, -1e300, -1e9, 0, 5e-324, 1e9, 1e300, 1.7e308])
    assert ((answers >= 0) & (answers <= 1)).all()


# ------------------------------------------------------------------------------------------- all

CALIBRATORS = [
    HistogramCalibrator(),
    HistogramCalibrator(strategy="uniform", smoothing=1),
    *(KernelCalibrator(kernel) for kernel in KERNELS),
    KernelCalibrator("tricube", per_class=True, scale="log-odds"),
    KernelCalibrator("gaussian", scale="log-odds"),
    IsotonicCalibrator(),
    IsotonicCalibrator(interpolate=False),
    PlattCalibrator(),
    PlattCalibrator(scale="score"),
    MixtureCalibrator(),
    MixtureCalibrator(scale="log-odds"),
]


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)
@pytest.mark.parametrize("prior", [1e-6, 0.05, 0.5, 0.999])
def test_prior_shifts_the_odds(calibrator, prior):
    rng = np.random.default_rng(31)
    scores, labels, weights = draw(rng, 150, weighted=True)
    scores[:10] = 0.0
    queries = np.concatenate([scores, rng.uniform(0, 1, 300)])
    here = weights @ labels / weights.sum()
    ratio = prior / (1 - prior) / (here / (1 - here))
    usual = calibrator.set_params(prior=None).fit(scores, labels, weights).transform(queries)
    moved = calibrator.set_params(prior=prior).fit(scores, labels, weights).transform(queries)
    calibrator.set_params(prior=None)
    assert np.allclose(moved, usual * ratio / (usual * ratio + 1 - usual), rtol=0, atol=1e-12)


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)
def test_rows_carry_no_order_and_weights_are_repetitions(calibrator):
    rng = np.random.default_rng(32)
    scores, labels, _ = draw(rng, 60, ties=True)
    weights = rng.integers(0, 4, 60)
    rows = rng.permutation(np.repeat(np.arange(60), weights))
    one = calibrator.fit(scores, labels, weights).transform(scores)
    many = calibrator.fit(scores[rows], labels[rows]).transform(scores)
    assert np.allclose(one, many, rtol=0, atol=1e-12)


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)
def test_partial_fit_is_one_fit_to_everything(calibrator):
    rng = np.random.default_rng(33)
    scores, labels, _ = draw(rng, 90)
    once = calibrator.fit(scores, labels).map_
    fresh = type(calibrator)(**calibrator.get_params())
    for rows in np.array_split(np.argsort(labels), 4):  # the first chunk is all negative
        fresh.partial_fit(scores[rows], labels[rows], classes=(0, 1))
    # Sums in another order of adding differ in the last bits.
    queries = np.concatenate([scores, rng.uniform(0, 1, 300)])
    assert np.allclose(fresh.transform(queries), once(queries), rtol=0, atol=1e-12)


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)
def test_predictions_follow_the_probabilities(calibrator):
    rng = np.random.default_rng(34)
    scores, labels, _ = draw(rng, 90)
    names = np.where(labels, "sick", "well")
    calibrator.set_params(pos_label="sick").fit(scores, names)
    probabilities = calibrator.transform(scores)
    columns = calibrator.predict_proba(scores)
    predicted = calibrator.predict(scores)
    calibrator.set_params(pos_label=None)
    assert calibrator.classes_.tolist() == ["sick", "well"]
    assert (columns[:, 0] == probabilities).all()
    assert (columns.sum(axis=1) == 1).all()
    assert (predicted == np.where(probabilities > 0.5, "sick", "well")).all()
