"""How the command ends: its exit codes, and which error means which.

Put here what a script may rely on. The sentences themselves belong where the trouble is noticed.
"""

from __future__ import annotations

from typing import Final

from parsers.errors import LagbookError, SourceError, WarehouseError

DONE: Final = 0
FAILED: Final = 1
REFUSED: Final = 2
INCIDENTS: Final = 3
WARNINGS: Final = 3
INCOMPLETE: Final = 3
INTERRUPTED: Final = 130

MEANINGS: Final = """\b
Exit codes:
  0    done; for an audit: nothing was found
  1    the work, or the part of it that the message names, failed
  2    the call can't be taken: an option, a path, a group or a time
  3    an audit found something, or a check only warns
  130  interrupted"""
"""Shown at the end of `lagbook --help` and of every command's."""


class CallRefusedError(LagbookError):
    """The requested group, time or partition does not exist."""


def exit_code(error: LagbookError) -> int:
    """2 when the call has to change, 1 when the work went wrong."""
    return REFUSED if isinstance(error, (CallRefusedError, SourceError, WarehouseError)) else FAILED
