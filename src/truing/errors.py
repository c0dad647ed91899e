"""The two ways in which a call can be at fault: its data or its options.

Both are ``ValueError``, so that code which catches that catches these.
"""

__all__ = ["DataError", "OptionError"]


class DataError(ValueError):
    """The data cannot be used: the message names the argument, the value and its position."""


class OptionError(ValueError):
    """An option has a value it cannot take: the message names it and says what is allowed."""
