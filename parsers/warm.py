"""The compiled loops made ready before anyone waits for them: `python -m parsers.warm FILE...` reads files for that.

Put here what takes a file all the way and throws away what comes of it. Loops are compiled when they are first used,
and kept on disk, so that this need be done only once on a machine.
"""

from __future__ import annotations

import sys

from parsers.log.segments import walk
from parsers.offset_records import offset_record_columns
from parsers.sources import open_file


def warm(path: str) -> None:
    """Read a segment, its headers alone and all of it."""
    for bodies in (False, True):
        with open_file(path) as source:
            for piece in walk(source, bodies=bodies):
                if piece.records is not None:
                    offset_record_columns(piece)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        warm(path)
