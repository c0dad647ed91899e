"""Text files of comma-separated fields: opened, read, and turned to numbers, or refused by name."""

import csv
import hashlib
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import FloatArray
from truing.progress import progress

__all__ = ["TextTable", "read_table", "verify_file"]

REFERENCE = (97, 6)  # year and month of the mailing
LARGEST = 1e9  # no count and no amount of money in the files is near it
UNUSABLE = 0.01  # the share of dates that may be none; the files have a few
UNREADABLE = (csv.Error, EOFError, lzma.LZMAError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True, eq=False)
class TextTable:
    """Some columns of a text file.

    Attributes
    ----------
    file
        Its name, for errors.
    columns
        The fields as text, by the names that the header gives them.
    width
        How many columns the file has.
    """

    file: str
    columns: Mapping[str, Sequence[str]]
    width: int

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def numbers(
        self, field: str, least: float = 0.0, most: float = LARGEST, *, blank: bool = False
    ) -> FloatArray:
        """Return a column of numbers within bounds; blank ones, if they may be, are NaN."""

        def parse(text: str) -> float:
            value = np.nan if blank and not text else float(text)
            if not (least <= value <= most) and text:
                raise ValueError(text)
            return value

        return self._parse(field, parse, f"a number from {least:g} to {most:g}")

    def coded(self, field: str, codes: Mapping[str, float]) -> FloatArray:
        """Return a column of codes as numbers."""
        return self._parse(field, lambda text: codes[text], f"one of {list(codes)}")

    def months_ago(self, field: str) -> FloatArray:
        """Return a column of dates, written YYMM, as months before the mailing.

        Blank and impossible ones are NaN; where there are more than a few of them the column is
        refused, since it is no column of dates.
        """
        ago = np.array([_months_ago(text.strip()) for text in self.columns[field]])
        missing = np.isnan(ago)
        if missing.sum() > max(UNUSABLE * len(ago), 1.0):
            at = int(missing.argmax())
            self._refuse(field, at, f"a date YYMM up to {REFERENCE[0]}{REFERENCE[1]:02}")
        return ago

    def _parse(self, field: str, parse: Callable[[str], float], expected: str) -> FloatArray:
        found = np.empty(len(self))
        for at, text in enumerate(self.columns[field]):
            try:
                found[at] = parse(text.strip())
            except (KeyError, ValueError):
                self._refuse(field, at, expected)
        return found

    def _refuse(self, field: str, at: int, expected: str) -> NoReturn:
        text = self.columns[field][at]
        raise DataError(f"{self.file}: {field} is {text!r} in line {at + 2}; {expected} is needed.")


def _months_ago(text: str) -> float:
    if len(text) != 4 or not (text.isascii() and text.isdigit()):
        return np.nan
    year, month = int(text[:2]), int(text[2:])
    ago = 12 * (REFERENCE[0] - year) + REFERENCE[1] - month
    return float(ago) if 1 <= month <= 12 and ago >= 0 else np.nan


def read_table(path: Path, fields: Sequence[str], rows: int) -> TextTable:
    """Return columns of a text file, which may be in an archive of the same name.

    ``rows`` is how many there should be, for those who wait.
    """
    with _reading(path) as stream:
        reader = csv.reader(stream)
        header = [name.strip() for name in next(reader, [])]
        places = [_place(path.name, header, field) for field in fields]
        kept = [
            [row[place] for place in places]
            for row in progress(_whole(reader, path.name, len(header)), rows, path.name)
        ]
    if not kept:
        raise DataError(f"{path.name}: there is a header and no row below it.")
    columns = zip(*kept, strict=True)
    return TextTable(path.name, dict(zip(fields, columns, strict=True)), len(header))


def _place(file: str, header: Sequence[str], field: str) -> int:
    if field not in header:
        shown = ", ".join(header[:3]) or "nothing"
        raise DataError(
            f"{file}: the header has no {field}; it has {len(header)} names, {shown}, ..."
        )
    return header.index(field)


def _whole(rows: Iterator[list[str]], file: str, width: int) -> Iterator[list[str]]:
    for at, row in enumerate(rows):
        if len(row) != width:
            raise DataError(
                f"{file}: line {at + 2} has {len(row)} fields, the header {width}; the file is "
                "truncated or damaged."
            )
        yield row


@contextmanager
def _reading(path: Path) -> Iterator[IO[str]]:
    """Open a text file, or the one in an archive; whatever is damaged is refused by name."""
    try:
        with _open(path) as binary, io.TextIOWrapper(binary, "latin-1", newline="") as stream:
            yield stream
    except UNREADABLE as error:
        raise DataError(f"{path.name} cannot be read: {error}. Is it complete?") from error


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    if path.suffix.lower() == ".xz":
        with lzma.open(path) as stream:
            yield stream
    elif path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open(_member(archive, path)) as stream:
            yield stream
    else:
        with path.open("rb") as stream:
            yield stream


def _member(archive: zipfile.ZipFile, path: Path) -> str:
    wanted = f"{path.stem.lower()}.txt"
    for name in archive.namelist():
        if Path(name).name.lower() == wanted:
            return name
    raise DataError(f"{path.name}: {wanted} is not in it; it holds {archive.namelist()}.")


def verify_file(path: Path, sums: Mapping[str, str]) -> None:
    """Refuse a file whose sha256 is not the published one, if one is published."""
    expected = sums.get(path.name.lower())
    if expected is None:
        return
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != expected:
        raise DataError(f"{path.name}: its sha256 is {found}, {expected} expected.")
