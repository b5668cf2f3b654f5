"""What a recorder asked a cluster from time to time, as files beside its segments: log ends and settings.

One JSON object a line, in files that are begun anew when the recorder starts and when one becomes large; the first
answers in a file are all that was said, those behind them only what changed. Put here how a line is written and read.
What its rows mean belongs in `assets.ingest.live`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

FOLDER: Final = "lagbook-samples"
SUFFIX: Final = ".samples"


class EndSample(NamedTuple):
    """What brokers said of one partition's log; NULLs where they said nothing."""

    topic: str
    partition: int
    topic_id: str | None
    partition_count: int
    leader_id: int | None
    leader_epoch: int | None
    log_start_offset: int | None
    high_watermark: int | None
    last_stable_offset: int | None


class ResourceSample(NamedTuple):
    """All settings of a broker or a topic that are kept."""

    resource_type: str
    resource_name: str
    settings: dict[str, str]


class Round(NamedTuple):
    """What was asked for at once: partitions that changed, those that nobody tells of any more, and settings."""

    asked_ms: int
    answered_ms: int
    is_full: bool
    """Whether it tells of every partition and every resource, not of those alone that changed."""
    ends: tuple[EndSample, ...] = ()
    silent: tuple[tuple[str, int], ...] = ()
    resources: tuple[ResourceSample, ...] | None = None
    """None where settings were not asked for."""


def to_line(one: Round) -> str:
    """A round as a line."""
    return json.dumps(one._asdict(), ensure_ascii=True, separators=(",", ":")) + "\n"


def from_line(line: str) -> Round:
    """A line as a round; a ValueError when it is none."""
    fields: dict[str, Any] = json.loads(line)
    try:
        resources = fields["resources"]
        return Round(
            int(fields["asked_ms"]),
            int(fields["answered_ms"]),
            bool(fields["is_full"]),
            tuple(EndSample(*row) for row in fields["ends"]),
            tuple((str(topic), int(partition)) for topic, partition in fields["silent"]),
            None if resources is None else tuple(ResourceSample(*row) for row in resources),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"no round of samples: {error}") from None


def sample_paths(directory: Path) -> list[Path]:
    """The files of samples below a recorder's directory, oldest first."""
    return sorted((directory / FOLDER).glob(f"*{SUFFIX}"))
