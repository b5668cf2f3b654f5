"""The directory that a recorder writes, laid out like a broker's log directory, and owned by one recorder at a time.

Put here whose a directory is and what lies in its root. The segments of a partition belong in
`assets.recorder.segments`.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from base64 import urlsafe_b64decode
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from assets.recorder.durable import replace_text, sync_folder
from assets.recorder.segments import PartitionLog
from parsers.errors import LagbookError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from assets.recorder.segments import ClosedSegment, Rolling

LOCK: Final = ".lock"
PROPERTIES: Final = "meta.properties"
OURS: Final = "lagbook.recorder"
"""The property by which a recorder knows a directory as its own: no broker writes it."""
NOTES: Final = "recorder.notes"
LOG_STARTS: Final = "log-start-offset-checkpoint"
LONGEST_NAME: Final = 249
CLUSTER_ID: Final = re.compile(rf"[\w.-]{{1,{LONGEST_NAME}}}", re.ASCII)
TOPIC: Final = re.compile(rf"[a-zA-Z0-9._-]{{1,{LONGEST_NAME}}}")
"""Names that Kafka gives; any other would be a stranger's, who may want it to be a path."""
OF_DISKS: Final = frozenset({LOCK, "lost+found"})
"""What may lie in a directory that a recorder takes for the first time."""


class RecordDirectory:
    """A directory that this process holds; use it in a `with` statement."""

    def __init__(self, path: Path, rolling: Rolling) -> None:
        """Lock the directory, which is made if it is missing; refuse one that another program writes."""
        self.path, self._rolling = path, rolling
        self.logs: dict[tuple[str, int], PartitionLog] = {}
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o750)
            self._lock = _lock(path)
        except OSError as error:
            raise SourceError(f"{path}: it can't be written: {error.strerror}") from error
        self.cluster_id = self._owned_for()

    def __enter__(self) -> RecordDirectory:  # noqa: PYI034 - Python 3.10 has no Self
        """Give the directory itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Flush everything and let go of the directory."""
        for log in self.logs.values():
            log.close()
        os.close(self._lock)

    def claim(self, cluster_id: str | None, place: str) -> None:
        """Make it the directory of a cluster, or refuse since it is another's."""
        path = self.path / PROPERTIES
        if cluster_id is not None and not CLUSTER_ID.fullmatch(cluster_id):
            raise SourceError(f"{place}: it calls itself {cluster_id[:LONGEST_NAME]!r}, which is no cluster id")
        if path.exists() and self.cluster_id != cluster_id:
            raise SourceError(f"{path}: it has the logs of cluster {self.cluster_id}, and {place} is {cluster_id}")
        if not path.exists():
            of_cluster = f"cluster.id={cluster_id}\n" if cluster_id else ""
            replace_text(path, f"version=1\n{of_cluster}{OURS}=1\n")
            sync_folder(self.path)
        self.cluster_id = cluster_id

    def log(
        self, topic: str, number: int, topic_id: str | None, kind: type[PartitionLog] = PartitionLog
    ) -> PartitionLog:
        """The log of a partition; one of an earlier topic of that name is moved out of its way first."""
        if not TOPIC.fullmatch(topic):
            raise SourceError(f"{self.path}: {topic[:LONGEST_NAME]!r} is no name of a topic")
        folder = self.path / f"{topic}-{number}"
        recorded = _topic_id(folder)
        if folder.exists() and topic_id and recorded and recorded != topic_id:
            self._retire(folder, recorded)
        if (topic, number) not in self.logs:
            folder.mkdir(parents=True, exist_ok=True)
            if topic_id and recorded != topic_id:
                replace_text(folder / "partition.metadata", f"version: 0\ntopic_id: {topic_id}\n")
            self.logs[topic, number] = kind(folder, self._rolling)
        return self.logs[topic, number]

    def sync(self) -> int:
        """Have all that was appended on disk; gives how many files that were.

        A disk that does not take it is no place to go on: the system may have dropped what it had.
        """
        try:
            return sum(log.sync() for log in list(self.logs.values()))
        except OSError as error:
            raise LagbookError(f"{self.path}: it can't be flushed to disk: {error.strerror}") from error

    def note(self, kind: str, topic: str, number: int, **facts: Any) -> None:  # noqa: ANN401 - whatever JSON takes
        """Write down for good what a person may ask of the recording."""
        row = {"at": _now(), "kind": kind, "topic": topic, "partition": number, **facts}
        with (self.path / NOTES).open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(row)}")
            file.flush()
            os.fsync(file.fileno())

    def notes(self) -> Iterator[dict[str, Any]]:
        """What was written down, oldest first; a line that a crash cut short is left out."""
        path = self.path / NOTES
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            yield from (json.loads(line) for line in lines if line.startswith("{") and line.endswith("}"))

    def write_log_starts(self) -> None:
        """Say, as a broker does, where logs begin that do not begin at 0."""
        starts = {key: log.start_offset for key, log in sorted(self.logs.items()) if log.start_offset}
        lines = [f"{topic} {number} {offset}" for (topic, number), offset in starts.items()]
        replace_text(self.path / LOG_STARTS, "\n".join(["0", str(len(lines)), *lines, ""]))

    def closed_segments(self) -> list[ClosedSegment]:
        """The closed segments of all partitions."""
        return [segment for log in self.logs.values() for segment in log.closed_segments()]

    def _owned_for(self) -> str | None:
        """The cluster whose logs are here; None in a directory that is new."""
        path = self.path / PROPERTIES
        if path.exists():
            properties = _pairs(path.read_text(encoding="utf-8").splitlines())
            if OURS not in properties:
                os.close(self._lock)
                raise SourceError(f"{self.path}: it is a broker's log directory, and no place for a recorder")
            return properties.get("cluster.id")
        if others := sorted(one.name for one in self.path.iterdir() if one.name not in OF_DISKS):
            os.close(self._lock)
            raise SourceError(f"{self.path}: expected an empty directory or a recorder's, found {others[0]}")
        return None

    def _retire(self, folder: Path, topic_id: str) -> None:
        """Name the folder as Kafka names that of a deleted topic: its offsets mean other records than the new one's."""
        topic, _, number = folder.name.rpartition("-")
        if log := self.logs.pop((topic, int(number)), None):
            log.close()
        unique = urlsafe_b64decode(topic_id + "==").hex()
        folder.rename(folder.with_name(f"{folder.name}.{unique}-delete"))
        sync_folder(self.path)
        self.note("deleted", topic, int(number), topic_id=topic_id)


def is_held(path: Path) -> bool:
    """Whether a recorder is at work on a directory."""
    try:
        with (path / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _lock(path: Path) -> int:
    descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise SourceError(f"{path / LOCK}: a recorder is at work here already (process {holder})") from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def _topic_id(folder: Path) -> str | None:
    path = folder / "partition.metadata"
    properties = _pairs(path.read_text(encoding="utf-8").splitlines(), ": ") if path.exists() else {}
    return properties.get("topic_id")


def _pairs(lines: Iterable[str], sign: str = "=") -> Mapping[str, str]:
    return {name: value for name, separator, value in (line.partition(sign) for line in lines) if separator}


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
