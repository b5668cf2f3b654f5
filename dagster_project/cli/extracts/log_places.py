"""The copies of logs that a call names: directories, a running cluster, or the files that the warehouse was read from.

Put here what the options mean. Which files of a log count is decided in `assets.extraction.log_copies`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from assets.extraction.log_copies import cluster_name, file_streams, live_stream
from assets.ingest.read_history import INSIDE
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import brief
from parsers.files.archives import is_archive
from parsers.files.discovery import discover
from parsers.files.places import expand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assets.extraction.log_ranges import LogRange
    from assets.extraction.log_streams import LogStream
    from assets.ingest.live.access import Access
    from assets.ingest.live.reading import Fetcher
    from parsers.files.discovery import SegmentFile

_PACKED: Final = "is in an archive: unpack it, and name the folder with --logs"


@dataclass(frozen=True, slots=True)
class LogPlaces:
    """Where a call says that logs are."""

    segments: tuple[SegmentFile, ...]
    live: Access | None
    complaints: list[str] = field(default_factory=list)

    def streams(self, wanted: LogRange, fetcher: Fetcher, progress: Callable[[int], None]) -> list[LogStream]:
        """Every copy of a log that may hold a record of a range."""
        of_log = [one for one in self.segments if (one.cluster, one.topic, one.partition) == wanted.log]
        readable = [one for one in of_log if INSIDE not in one.path]
        self.complaints.extend(f"{one.path} {_PACKED}" for one in of_log if INSIDE in one.path)
        streams = file_streams(readable, wanted, self.complaints, progress)
        if not readable and self.live is None:
            self.complaints.append(f"no segment of {wanted.topic}-{wanted.partition} was found")
        if self.live is not None:
            streams.append(live_stream(self.live, wanted, fetcher, self.complaints, progress))
        return streams

    def refuse_without(self, ranges: Sequence[LogRange]) -> None:
        """Refuse places that have nothing of any log that is wanted."""
        logs = {one.log for one in ranges}
        if self.live is None and not any((one.cluster, one.topic, one.partition) in logs for one in self.segments):
            names = sorted({f"{topic}-{partition}" for _cluster, topic, partition in logs})
            raise CallRefusedError(f"no segment of {brief(', '.join(names))} was found: name logs that have some.")

    def named_cluster(self) -> str:
        """The one cluster that the places belong to."""
        names = {one.cluster for one in self.segments}
        if self.live is not None:
            names.add(cluster_name(self.live))
        if len(names) != 1:
            raise CallRefusedError(
                f"the places are of {len(names)} clusters: name those of one, or give --cluster NAME."
            )
        return names.pop()


def expanded(logs: Sequence[str]) -> list[str]:
    """The places that --logs names, wildcards expanded; an archive is refused."""
    for log in logs:
        if is_archive(log):
            raise CallRefusedError(f"{log} {_PACKED}.")
    return [place for log in logs for place in expand(log)]


def named_places(logs: Sequence[str], live: Access | None, cluster: str | None) -> LogPlaces:
    """The places of --logs and --bootstrap, whatever was found in them belonging to this cluster, if one is given."""
    places = expanded(logs)
    discovery = discover(places, cluster) if places else None
    if discovery is not None and len(discovery.cluster_ids) > 1:
        raise CallRefusedError(f"--logs names the logs of {len(discovery.cluster_ids)} clusters: name those of one.")
    if discovery is None:
        return LogPlaces((), live)
    return LogPlaces(discovery.segments, live, list(discovery.unreadable))
