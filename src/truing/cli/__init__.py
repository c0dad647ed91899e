"""The command line: thin, every command a call of what is below it."""

from truing.cli.main import main

__all__ = ["main"]
