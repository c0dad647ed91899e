"""Files are written whole or not at all."""

from pathlib import Path

import pytest

from truing.files import write_whole


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "told.txt"
    write_whole(path, "first é")
    write_whole(str(path), b"second")
    assert path.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_are_those_of_any_new_file_or_of_the_old_one(tmp_path):
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_text("x")
    write_whole(ours, "x")
    assert ours.stat().st_mode == plain.stat().st_mode
    ours.chmod(0o600)
    write_whole(ours, "y")
    assert ours.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, error):
    path = tmp_path / "told.txt"
    write_whole(path, "first")

    def fail(*_):
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(type(error)):
        write_whole(path, "second")
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "nowhere" / "told.txt", "x")
