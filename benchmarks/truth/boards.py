"""The board of one capture of a recording: its warehouse is built, its claims are read, its truth is put beside them.

Only putting together belongs here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.truth.claims import claims, incidents
from benchmarks.truth.recordings import UNRECORDED
from benchmarks.truth.scores import Board
from benchmarks.truth.truths import truths
from benchmarks.truth.warehouses import connect

if TYPE_CHECKING:
    from benchmarks.truth.captures import Captures

_TOPICS: Final = "SELECT group_id, list(DISTINCT topic) FROM core.commits WHERE topic IS NOT NULL GROUP BY ALL"


def board(captures: Captures, name: str) -> Board:
    """What a capture claims, and the truth of those groups that commit in the whole history."""
    recording, warehouse = captures.recording, captures.warehouse(name)
    with connect(captures.whole) as connection:
        topics = dict(connection.sql(_TOPICS).fetchall())
    with connect(warehouse) as connection:
        return Board(
            truths(recording, topics, recording.log_starts),
            claims(connection),
            incidents(connection),
            recording.truth.keys() - recording.disturbed_groups,
            UNRECORDED.keys(),
        )
