"""A folder that a user gives: which files are in it."""

from pathlib import Path

from truing.errors import DataError
from truing.paper.kdd98 import originals, sample
from truing.paper.kdd98.campaign import Campaign
from truing.paper.kdd98.expected import PUBLISHED, Expected

__all__ = ["WHERE", "read_folder"]

WHERE = (
    "The original files are published in the UCI KDD archive, as the data of the KDD Cup 1998: "
    "cup98lrn.zip, cup98val.zip and valtargt.txt."
)


def read_folder(folder: Path, expected: Expected = PUBLISHED) -> Campaign:
    """Return the campaign whose files are in a folder: the originals, or else a learning sample.

    Archives and texts will do, and names in any case. Every file is held to what the published one
    is known to hold, and refused otherwise.
    """
    if not folder.is_dir():
        raise DataError(f"data is {str(folder)!r}, which is no folder. {WHERE}")
    files = {path.name.lower(): path for path in sorted(folder.iterdir()) if path.is_file()}
    if any(name in files for names in originals.NAMES for name in names):
        return originals.read_originals(files, expected)
    if sample.SAMPLE in files or sample.ANSWERS in files:
        return sample.read_sample(files, expected)
    raise DataError(f"data is {str(folder)!r}, a folder without any file of the cup. {WHERE}")
