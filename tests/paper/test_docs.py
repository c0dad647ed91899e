"""The page about the paper shows the pictures that it names, and all of them."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
HEAVY = 120_000  # bytes of a picture in the repository


def test_pictures_are_there_and_light():
    named = set(re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (DOCS / "paper.md").read_text("utf-8")))
    kept = {path.relative_to(DOCS).as_posix() for path in DOCS.glob("pictures/paper-*.png")}
    assert named == kept
    assert named
    assert all((DOCS / name).stat().st_size < HEAVY for name in named)
