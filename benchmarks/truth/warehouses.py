"""The board of one capture of a recording: its warehouse is built, its claims are read, its truth is put beside them.

Only putting together belongs here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import duckdb

from benchmarks.truth.captures import CAPTURES
from benchmarks.truth.claims import claims, incidents
from benchmarks.truth.scores import Board
from benchmarks.truth.truths import truths

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.truth.recordings import Recording

_TOPICS: Final = "SELECT group_id, list(DISTINCT topic ORDER BY topic) FROM core.commits WHERE topic IS NOT NULL GROUP BY ALL"


def board(recording: Recording, capture: str, room: Path) -> Board:
    """What a capture claims, and the truth of those groups that commit in it."""
    warehouse = CAPTURES[capture](recording, room / capture)
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        topics = dict(connection.sql(_TOPICS).fetchall())
        return Board(
            truths(recording, topics, recording.log_starts),
            claims(connection),
            incidents(connection),
            recording.truth.keys() - recording.disturbed,
        )
