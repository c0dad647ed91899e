"""The counter: silent unless somebody watches and waits."""

import io
import time

import pytest

from truing.progress import CLEAN_LINE, progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves by one second whenever it is read."""
    seconds = iter(range(1000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))


def test_quick_work_shows_nothing(monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    assert list(progress(range(5), 5, "folds")) == list(range(5))
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nothing_is_shown_where_no_terminal_is(monkeypatch, clock, stream):
    monkeypatch.setattr("sys.stderr", stream)
    assert list(progress(range(50), 50, "folds")) == list(range(50))
    assert stream is None or stream.getvalue() == ""


def test_long_work_is_counted_and_the_line_cleaned(monkeypatch, clock):
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    assert list(progress(range(5), 5, "folds")) == list(range(5))
    assert "folds: 1 of 5" not in terminal.getvalue()
    assert "folds: 5 of 5" in terminal.getvalue()
    assert terminal.getvalue().endswith(CLEAN_LINE)


def test_the_line_is_cleaned_when_work_fails(monkeypatch, clock):
    def failing():
        yield from range(5)
        raise RuntimeError("broken")

    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    with pytest.raises(RuntimeError, match="broken"):
        list(progress(failing(), 9, "folds"))
    assert "folds: 5 of 9" in terminal.getvalue()
    assert terminal.getvalue().endswith(CLEAN_LINE)
