"""The status file of a recorder: what it says of itself, for those who look without asking it.

Put here how the file is written and read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from assets.recorder.directory import is_held
from assets.recorder.durable import replace_text

if TYPE_CHECKING:
    from pathlib import Path

    from assets.recorder.status import Status

STATUS: Final = "recorder-status.json"


def write_status(directory: Path, status: Status, *, is_running: bool) -> None:
    """Write how a recorder is; on a full disk the old file stays, and its age tells."""
    try:
        replace_text(directory / STATUS, json.dumps({"is_running": is_running, **status.as_json()}, indent=1) + "\n")
    except OSError as error:
        status.fails("disk", "status", f"{directory / STATUS}: it can't be written: {error.strerror}")
    else:
        status.works("disk", "status")


def read_status(directory: Path) -> dict[str, Any] | None:
    """What a recorder said last; None where none ever was. Whether one is at work is said by its lock."""
    path = directory / STATUS
    if not path.exists():
        return None
    status: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    is_running = is_held(directory)
    if not is_running:
        ended = "ended" if not status["is_running"] else "was killed"
        status["sentence"] = f"no recorder is at work; the last one {ended}, and said: {status['sentence']}"
    return {**status, "is_running": is_running, "is_healthy": status["is_healthy"] and is_running}
