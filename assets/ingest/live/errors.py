"""The errors of a running cluster that a caller handles differently.

Put an error here when something is done about it; what nobody can do anything about is a plain `SourceError`.
"""

from __future__ import annotations

from parsers.errors import SourceError


class PassingError(SourceError):
    """A broker is away, a leader moves: it may pass by itself, so it is worth trying again for a while."""


class GoneError(SourceError):
    """The requested offset is not in the log any more, or not yet again."""


def one_line(error: Exception) -> str:
    """The text of a library's error, in one line."""
    return " ".join(str(error).split()) or type(error).__name__
