"""Examples in Markdown files are tests, like those in docstrings."""

from doctest import ELLIPSIS

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS)], patterns=["*.md"]
).pytest()

# Programs that asked other software for its answers: the software is not here, the answers are.
collect_ignore_glob = ["tests/*/data/*"]
