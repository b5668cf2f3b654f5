"""The errors that Lagbook raises on purpose; each message is one sentence that names the place.

Put an error here when a caller may want to tell it apart. What goes wrong inside a file's bytes is not raised: it
becomes a row of quarantine (`parsers.log.damage.quarantine`).
"""

from __future__ import annotations

import re
from typing import Final

_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


class LagbookError(Exception):
    """Something the user can act on: the message says what, where, and what to do."""


class SourceError(LagbookError):
    """A place that was to be read can't be: missing, not readable, or no log directory."""


class VanishedError(SourceError):
    """What was to be read is there no longer, or another file took its place: the next look finds what is there."""


class StoreError(SourceError):
    """What holds a place does not answer: nothing is known of the place itself, and a later run may read it."""


class WarehouseError(LagbookError):
    """The warehouse can't be read or written."""


class OvertakenError(WarehouseError):
    """Another writer was first: nothing was written."""


class BusyError(LagbookError):
    """Another run is at work on the warehouse."""


def sentence(error: Exception) -> str:
    """What a library's error says, in one line: the reason may stand in its last one, behind colours and arrows."""
    lines = (line.strip(" \u21b3\r") for line in _COLOURS.sub("", str(error)).split("\n"))
    return ": ".join(line for line in lines if line)
