"""The rules of the study, fixed before it is run.

Tasks
    A task is a set of calibration cases, scores in [0, 1] with labels, and a set of test cases that
    no method sees. There are three kinds. *Curves*: scores from a distribution and labels from a
    known curve over them, so that the true probability at every score is known. *Models*: data
    whose true P(y | x) is known, scored by a model that was fitted to other cases. *Real*: the data
    that come with scikit-learn, scored likewise.
Sets
    Every shape, population and model of the development set comes back in the final one with other
    seeds, which draw other parameters, other cases and other splits. Methods may be tuned on the
    development set only. The final set is run once, for the published numbers.
Losses
    The mean log loss and Brier score over the test cases, each in expectation over the label: true
    probabilities are used where they are known, labels where they are not.
Wins
    A method wins against a peer on a task if its loss is lower. Losses closer than `TIE` are a tie,
    which counts one half. A method that fails, answers anything but probabilities, or takes longer
    than `PATIENCE` has lost against every method that has not. A win rate is the mean over all
    tasks and over the peers of `PEERS`, the method itself left out if it is one of them.
Better than none
    The share of tasks on which a method wins against leaving the scores as they are.
Regret
    The mean log loss minus that of the true probabilities at the scores, in nats: known on curves.
    A regret above `TOO_MUCH` counts as avoidable where one of `SIMPLER` has no such regret.
Calibration error
    Expected calibration error over `BINS` bins of equally many test cases, ties kept together.
Coverage
    The share of test cases whose true probability lies in the credible interval of `CONFIDENCE`, on
    those curves which a smooth curve in log-odds can follow.
Seconds
    Of one fit from rows, on one core. A median over the tasks of about that size.
"""

SEEDS = {"development": (101,), "final": (201, 202)}

SIZES = (100, 300, 1000, 3000, 10_000)  # calibration cases of every curve
LARGE = {  # more of them for some
    100_000: (
        "calibrated",
        "overconfident",
        "asymmetric",
        "wave",
        "steps",
        "forest votes",
        "naive Bayes",
        "rare",
        "very rare",
        "rough",
    ),
    1_000_000: ("underconfident", "wave", "hundred values", "very rare"),
}
FEWEST_POSITIVES = 3  # expected of either class; smaller sizes of rarer curves are left out
TEST_CASES = 20_000  # of curves and of models

EPSILON = 2.0**-52  # probabilities are clipped to this and to 1 minus this, as scikit-learn does
TIE = 1e-9
PATIENCE = 60.0  # seconds
TOO_MUCH = 0.05  # nats
BINS = 15
CONFIDENCE = 0.95

NONE = "none"
PEERS = (
    "scikit-learn sigmoid",
    "scikit-learn isotonic",
    "scikit-learn temperature",
    "scikit-learn quadratic",
    "probcal Platt",
    "probcal temperature",
    "probcal beta",
    "probcal isotonic",
    "probcal centred isotonic",
    "probcal ENIR",
    "probcal histogram",
    "probcal scaling-binning",
    "probcal BBQ",
    "probcal spline",
    "probcal Venn-Abers",
    "probcal cross Venn-Abers",
    "betacal",
    "splinecalib",
    "venn-abers cross",
)
SIMPLER = (
    NONE,
    "scikit-learn sigmoid",
    "scikit-learn isotonic",
    "scikit-learn temperature",
    "scikit-learn quadratic",
    "probcal Platt",
    "probcal beta",
    "probcal centred isotonic",
    "probcal histogram",
    "probcal cross Venn-Abers",
)
