"""What a recorder says of itself: how far it is, what it lost, and whether anything is wrong now.

Put here what is counted and what makes a recorder unhealthy. How it is shown is in `assets.recorder.metrics`.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Final

MOVING: Final = "partition"
"""The area of single partitions and of who leads them."""
LEFT_OUT: Final = "left out"
"""The area of topics that the principal may not read, and that nobody has to record."""
GRACE_S: Final = {
    "disk": 0.0,
    "cluster": 30.0,
    "samples": 60.0,
    "topic": 30.0,
    MOVING: 30.0,
    LEFT_OUT: math.inf,
}
"""How long a trouble of each area may last before the recorder calls itself unhealthy: a leader moves in seconds."""


@dataclass(slots=True)
class PartitionStatus:
    """How far one partition is recorded."""

    end_offset: int = 0
    high_watermark: int | None = None
    records: int = 0
    size_bytes: int = 0
    missed_offsets: int = 0
    """Offsets that the log no longer had when their turn came, since the recording of this log began."""
    compacted_before: int = 0
    """Offsets that the log no longer had when its recording began."""
    set_aside_offsets: int = 0

    @property
    def offsets_behind(self) -> int | None:
        """Offsets that may be read and are not recorded yet; None before a leader said anything."""
        return None if self.high_watermark is None else max(self.high_watermark - self.end_offset, 0)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that keeps the recorder from its work, in a sentence, and since when."""

    sentence: str
    since_s: float
    is_said: bool


@dataclass(slots=True)
class Status:
    """The state of a recorder; its threads write it, and whoever shows it reads it."""

    place: str
    started_s: float = field(default_factory=time.time)
    cluster_id: str | None = None
    partitions: dict[tuple[str, int], PartitionStatus] = field(default_factory=dict)
    troubles: dict[tuple[str, str], Trouble] = field(default_factory=dict)
    """By area and what it is about; it goes when the work does."""
    last_answer_s: float | None = None
    last_sync_s: float | None = None
    last_sample_s: float | None = None
    fetches: int = 0
    fetch_errors: int = 0
    sample_rows: int = 0
    segments_deleted: int = 0
    last_missed: str | None = None
    """The newest loss, in a sentence."""

    def fails(self, area: str, about: str, sentence: str) -> bool:
        """Write down a trouble; gives whether it is time to say it.

        Leaders of all partitions move when a broker restarts: of those one is said, and only if it lasts.
        """
        known = self.troubles.get((area, about))
        since_s, is_said = (known.since_s, known.is_said) if known else (time.time(), False)
        is_due = not is_said and (area != MOVING or self._is_first_to_last(since_s))
        self.troubles[area, about] = Trouble(sentence, since_s, is_said or is_due)
        return is_due

    def works(self, area: str, about: str = "") -> bool:
        """Take a trouble back; gives whether there was one that was said."""
        trouble = self.troubles.pop((area, about), None)
        return trouble is not None and trouble.is_said

    def _is_first_to_last(self, since_s: float) -> bool:
        is_lasting = time.time() - since_s >= GRACE_S[MOVING]
        return is_lasting and not any(one.is_said for (area, _), one in self.troubles.items() if area == MOVING)

    @property
    def offsets_behind(self) -> int | None:
        """Offsets that are not recorded yet, of all partitions; None before any leader said anything."""
        known = [one.offsets_behind for one in list(self.partitions.values()) if one.offsets_behind is not None]
        return sum(known) if known else None

    @property
    def failures(self) -> list[str]:
        """What is wrong now, but for topics that are left out."""
        return [one.sentence for (area, _), one in list(self.troubles.items()) if area != LEFT_OUT]

    def total(self, name: str) -> int:
        """The sum of a count over all partitions."""
        return sum(getattr(one, name) for one in list(self.partitions.values()))

    def health(self, now_s: float | None = None) -> tuple[bool, str]:
        """Whether the recorder does its work, and a sentence that says so or why not."""
        now_s = time.time() if now_s is None else now_s
        lasting = [one for (area, _), one in list(self.troubles.items()) if now_s - one.since_s >= GRACE_S[area]]
        if lasting:
            more = f" (and {len(lasting) - 1} more)" if len(lasting) > 1 else ""
            return False, f"{lasting[0].sentence}, since {when(lasting[0].since_s)}{more}"
        if not self.partitions:
            return True, f"connected to {self.place}, which has none of the topics yet"
        missed = self.total("missed_offsets")
        lost = f"; {missed:,} offsets were gone before they were read: {self.last_missed}" if missed else ""
        return True, f"recording {len(self.partitions)} partitions, {self.offsets_behind or 0:,} offsets behind{lost}"

    def as_json(self) -> dict[str, Any]:
        """The facts for a status file."""
        is_healthy, sentence = self.health()
        return {
            "updated_at": when(time.time()),
            "is_healthy": is_healthy,
            "sentence": sentence,
            "pid": os.getpid(),
            "place": self.place,
            "cluster": self.cluster_id,
            "started_at": when(self.started_s),
            "offsets_behind": self.offsets_behind,
            "records": self.total("records"),
            "bytes": self.total("size_bytes"),
            "missed_offsets": self.total("missed_offsets"),
            "last_missed": self.last_missed,
            "compacted_before": self.total("compacted_before"),
            "set_aside_offsets": self.total("set_aside_offsets"),
            "last_answer_at": when(self.last_answer_s),
            "last_sync_at": when(self.last_sync_s),
            "last_sample_at": when(self.last_sample_s),
            "troubles": [one.sentence for one in list(self.troubles.values())],
            "partitions": {
                f"{topic}-{number}": {"end_offset": one.end_offset, "high_watermark": one.high_watermark}
                for (topic, number), one in sorted(self.partitions.copy().items())
            },
        }


def when(seconds: float | None) -> str | None:
    """An instant as text, in UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
