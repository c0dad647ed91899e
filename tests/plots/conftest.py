import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")
