"""Whatever passes the door is answered everywhere, and the answers can be drawn as lines."""

import warnings

import numpy as np
import pytest
from found import VARIANTS, name_of
from sklearn.base import clone

pytestmark = pytest.mark.filterwarnings("ignore:The score separates the classes")

LAST, MOST = 1 - 2.0**-53, 1.79e308


def examples():
    """Scores and labels that have broken calibrators, by name."""
    rng = np.random.default_rng(1)

    def coins(size):
        return np.append(rng.integers(0, 2, size - 2), [0, 1])

    yield "two rows", [0.2, 0.8], [0, 1]
    yield "two rows the wrong way", [0.8, 0.2], [0, 1]
    yield "two tied rows", [0.5, 0.5], [0, 1]
    yield "exactly 0 and 1", [0.0, 1.0], [0, 1]
    yield "hard labels as scores", [0.0] * 25 + [1.0] * 25, coins(50)
    yield "all equal", [0.3] * 50, coins(50)
    yield "all zero", [0.0] * 50, coins(50)
    yield "all one", [1.0] * 50, coins(50)
    yield "adjacent doubles", [0.5, np.nextafter(0.5, 1)] * 20, coins(40)
    yield "adjacent log-odds", [1e-5, np.nextafter(1e-5, 1)] * 20, coins(40)
    yield "one positive", rng.random(3000), np.arange(3000) == 7
    yield "one positive at the end", np.append(rng.random(3000), 1), np.arange(3001) == 3000
    yield "subnormal", np.append(rng.random(48) * 1e-310, [0.3, 0.5]), coins(50)
    yield "ten values", np.round(rng.random(1000), 1), coins(1000)
    yield "single precision", rng.random(1000).astype(np.float32), coins(1000)
    yield "separated", np.linspace(0, 1, 100), np.arange(100) >= 50
    yield "separated the wrong way", np.linspace(0, 1, 100), np.arange(100) < 50
    yield "saturated", np.r_[rng.beta(0.05, 0.05, 500), np.zeros(50), np.ones(50)], coins(600)
    yield "integers", np.arange(100), np.arange(100) % 3 == 0
    yield "an outlier", np.append(rng.random(500), 1e12), coins(501)
    yield "heavy tails", rng.standard_cauchy(1000) ** 3, coins(1000)
    yield "huge", rng.normal(size=100) * 1e300, coins(100)
    yield "tiny", rng.normal(size=100) * 1e-300, coins(100)
    yield "the largest doubles", [-MOST, MOST] * 10, coins(20)


EXAMPLES = {name: (np.asarray(s), np.asarray(y)) for name, s, y in examples()}


@pytest.mark.parametrize("calibrator", VARIANTS, ids=name_of)
@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_score_is_answered(calibrator, name, weighted):
    scores, labels = EXAMPLES[name]
    within = scores.min() >= 0 and scores.max() <= 1
    fitted = clone(calibrator)
    if not within and not (fitted._takes_margins and fitted.grid is None):
        return  # it refuses margins by name: test_errors
    rng = np.random.default_rng(2)
    weights = rng.random(len(scores)) * 10 ** rng.uniform(-5, 5) + 1e-9 if weighted else None
    fitted.fit(scores, labels, weights)
    near = [scores.astype(float), np.nextafter(scores.astype(float), 0)]
    queries = np.unique(np.concatenate([*near, [0, 5e-324, 1e-300, 0.5, LAST, 1]]))
    if not fitted.map_.scale.bounded:
        queries = np.concatenate([queries, [-1, 7, 1e308, -1e308, MOST, -MOST]])
    answers = fitted.transform(queries)
    assert ((answers >= 0) & (answers <= 1)).all()
    drawn = fitted.map_.tabulate(1e-4)
    assert np.abs(drawn(queries) - answers).max() <= 1e-4


def test_nothing_above_warns_without_a_reason():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("error")
        warnings.filterwarnings("always", "The score separates the classes")
        for calibrator in VARIANTS:
            if getattr(calibrator, "scale", "") != "log-odds":
                clone(calibrator).fit(*EXAMPLES["separated"])
    assert {str(warning.message).partition(",")[0] for warning in told} == {
        "The score separates the classes"
    }
