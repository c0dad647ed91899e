"""Examples in Markdown files are tests, like those in docstrings."""

from doctest import ELLIPSIS

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser
from threadpoolctl import threadpool_limits

# Tests run side by side and their matrices are small: more threads would only wait for each other.
threadpool_limits(1)

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS)], patterns=["*.md"]
).pytest()

# Programs that asked other software for its answers: the software is not here, the answers are.
collect_ignore_glob = ["tests/*/data/*"]
