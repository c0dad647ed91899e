"""The numbers that the paper prints, as data.

Naeini, Cooper and Hauskrecht (2014), Binary classifier calibration: non-parametric approach,
arXiv:1401.3390.
"""

from collections.abc import Mapping

import numpy as np

from truing.numerics.arrays import FloatArray

__all__ = ["MEASURES", "METHODS", "TABLE_1", "TABLE_2", "TABLE_3"]

Numbers = Mapping[str, FloatArray]

METHODS = ("base", "Hist", "Platt", "IsoReg", "KDE", "DPM")
MEASURES = ("RMSE", "AUC", "ACC", "MCE", "ECE")

# By model; a row for each measure as the paper has it, turned so that rows are methods.
TABLE_1: Numbers = {
    "linear": np.array(
        [
            [0.50, 0.39, 0.50, 0.46, 0.38, 0.39],
            [0.50, 0.84, 0.50, 0.65, 0.85, 0.85],
            [0.48, 0.78, 0.52, 0.64, 0.78, 0.78],
            [0.52, 0.19, 0.54, 0.58, 0.09, 0.16],
            [0.28, 0.07, 0.28, 0.35, 0.03, 0.07],
        ]
    ).T,
    "quadratic": np.array(
        [
            [0.21, 0.09, 0.19, 0.08, 0.09, 0.08],
            [1.00, 1.00, 1.00, 1.00, 1.00, 1.00],
            [0.99, 0.99, 0.99, 0.99, 0.99, 0.99],
            [0.35, 0.04, 0.32, 0.03, 0.07, 0.03],
            [0.14, 0.01, 0.15, 0.00, 0.01, 0.00],
        ]
    ).T,
}

# By model; rows are AUC, MCE, ECE, columns the sizes 10^2 to 10^6 and the model itself; turned.
TABLE_2: Numbers = {
    "linear": np.array(
        [
            [0.82, 0.84, 0.85, 0.85, 0.85, 0.49],
            [0.40, 0.15, 0.07, 0.05, 0.03, 0.52],
            [0.14, 0.05, 0.03, 0.02, 0.01, 0.28],
        ]
    ).T,
    "quadratic": np.array(
        [
            [0.99, 1.00, 1.00, 1.00, 1.00, 1.00],
            [0.14, 0.09, 0.03, 0.01, 0.01, 0.36],
            [0.03, 0.01, 0.00, 0.00, 0.00, 0.15],
        ]
    ).T,
}

# By model; as in Table 1, and the profit in dollars last.
TABLE_3: Numbers = {
    "logistic regression": np.array(
        [
            [0.500, 0.218, 0.218, 0.218, 0.218, 0.219],
            [0.613, 0.610, 0.613, 0.612, 0.611, 0.613],
            [0.56, 0.95, 0.95, 0.95, 0.95, 0.95],
            [0.454, 0.020, 0.013, 0.030, 0.004, 0.017],
            [0.449, 0.007, 0.004, 0.013, 0.002, 0.003],
            [10560, 13183, 13444, 13690, 12998, 13696],
        ]
    ).T,
    "naive Bayes": np.array(
        [
            [0.514, 0.218, 0.218, 0.218, 0.218, 0.218],
            [0.603, 0.600, 0.603, 0.602, 0.602, 0.603],
            [0.622, 0.949, 0.949, 0.949, 0.949, 0.949],
            [0.850, 0.008, 0.008, 0.046, 0.005, 0.010],
            [0.390, 0.004, 0.004, 0.023, 0.002, 0.003],
            [7885, 11631, 10259, 10816, 12037, 12631],
        ]
    ).T,
    "linear SVM": np.array(
        [
            [0.696, 0.218, 0.218, 0.219, 0.218, 0.218],
            [0.615, 0.614, 0.615, 0.500, 0.614, 0.615],
            [0.95, 0.95, 0.95, 0.95, 0.95, 0.95],
            [0.694, 0.011, 0.013, 0.454, 0.003, 0.019],
            [0.660, 0.004, 0.004, 0.091, 0.002, 0.004],
            [10560, 13480, 13080, 11771, 13118, 13544],
        ]
    ).T,
}
