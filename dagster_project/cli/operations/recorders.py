"""How the recorders are that write the directories which a run reads.

Put here what `lagbook doctor` says of them. What a recorder says of itself belongs in `assets.recorder`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assets.recorder.status_file import read_status

if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN: Final = ("place", "sentence", "is_healthy", "is_running", "updated_at", "offsets_behind", "missed_offsets")


def recorders_of(logs: Iterable[str]) -> list[dict[str, Any]]:
    """The recorders of those of the places that a recorder ever wrote; a URL tells nothing of its recorder."""
    statuses = ((log, read_status(Path(log))) for log in logs if "://" not in log)
    rows = [{**status, "place": log} for log, status in statuses if status is not None]
    return [{name: row[name] for name in SHOWN} for row in rows]
