"""``python -m truing``: the command line."""

import sys

from truing.cli import main

if __name__ == "__main__":
    sys.exit(main())
