"""A recording on disk: its log directories, what was done to its groups, and what their members wrote down.

How a recording is laid out belongs here. What follows from it is in `truths`.
"""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from parsers.words import Int64Array

_ROOT: Final = Path(__file__).parents[2]
_BYTES: Final = _ROOT / "tests" / "bytes"
RECORDINGS: Final[Mapping[str, tuple[Path, ...]]] = {
    "incident-4.3": (_ROOT / "dagster_project" / "demo", _BYTES / "incident-4.3"),
    **{f"recorded-{path.name.removesuffix('.tar.xz')}": (path,) for path in sorted(_BYTES.glob("recorded/*.tar.xz"))},
}
"""The recordings of this repository: the demo's incident, and the scenarios of `make record` by release."""
OFFSETS_TOPIC: Final = "__consumer_offsets"
LAYOUT: Final = """A recording is a folder, an archive, or several of them joined by commas. Every .tar.xz in a folder
is unpacked (into a scratch folder). Found in them, wherever they are:

  truth.json     {group: {partition: {"next", "duplicated", "missed"}}}, where a partition may be named with its topic,
                 as in "orders-0"; `next` is the offset after the last that was processed. `duplicated` and
                 `missed` are half-open ranges of offsets: processed more than once, and never processed below `next`
                 (control markers left out). `earlier` is a list of the same for earlier lives of the topic
  a directory with __consumer_offsets-N in it
                 is a broker's log directory, with its data topics. Below `snaps`: copies in order of their names, for
                 capture C. Below `after-cleaner`: a copy that the broker's cleaner went over, for capture B.
                 Below `whole`: the whole offsets topic only, in place of that in the other log directory (which is
                 the copy for capture B then). What is missing for B and C is made by the cleaner's rules
  processed/     optional: GROUP.MEMBER.jsonl with a line [ms, partition, offset], or GROUP.MEMBER.log with a line
                 ms,topic,partition,offset per record that a member processed: when offsets were processed again
  events.jsonl   optional: {"ts", "kind", "group"}: what was done to groups. One that only started and stopped members,
                 and read everything once, is a control"""

UNDISTURBED: Final = frozenset(
    {
        *("start", "stop", "leave", "until", "reach", "drain", "empty", "gather", "pause", "describe", "mark"),
        *("create-topic", "produce", "produce-together", "keep-producing", "stop-producing"),
    }
)
"""Steps that no group minds: its members come and leave in an orderly way, and there is more or less to read."""
UNRECORDED: Final[Mapping[tuple[str, str], str]] = {
    ("before-rr", "skip"): "commits before it processes, and is killed",
    ("killed-commit-before", "skip"): "commits before it processes, and is killed",
    ("kp-before", "skip"): "commits before it processes, and is killed",
    ("seeker", "replay"): "librdkafka seeks back and commits no lower offset",
    ("seeker", "skip"): "librdkafka seeks ahead and commits as if it had read",
}
"""Groups and kinds of which no record of the offsets topic tells what happened, in the recordings that are kept."""


@dataclass(frozen=True)
class Recording:
    """Folders that hold all of one recording, with nothing left in archives."""

    name: str
    roots: tuple[Path, ...]

    def files(self, pattern: str) -> list[Path]:
        """Files or folders of that name, wherever they are."""
        return sorted(path for root in self.roots for path in root.rglob(pattern))

    @cached_property
    def _log_dirs(self) -> list[Path]:
        return sorted({path.parent for path in self.files(f"{OFFSETS_TOPIC}-*") if path.is_dir()})

    def _below(self, *names: str) -> list[Path]:
        return [path for path in self._log_dirs if set(names) & set(self._inside(path))]

    def _inside(self, path: Path) -> tuple[str, ...]:
        return next(path.relative_to(root).parts for root in self.roots if root in path.parents)

    @property
    def data(self) -> list[Path]:
        """The log directories as they were at the end, one per broker; before the cleaner where both were copied."""
        others = self._below("snaps", "whole", "after-cleaner")
        return [path for path in self._log_dirs if path not in others]

    @property
    def history(self) -> list[Path]:
        """Directories with the whole offsets topic, where the log directories hold less."""
        return self._below("whole")

    @property
    def after_cleaner(self) -> list[Path]:
        """Log directories after a broker's own cleaner went over everything; none where that was not recorded."""
        return self._below("after-cleaner") or (self.data if self.history else [])

    @property
    def snapshots(self) -> list[Path]:
        """Copies of a log directory one after the other; none where that was not recorded."""
        return self._below("snaps")

    @cached_property
    def log_starts(self) -> dict[tuple[str, int], int]:
        """Where data topics began at the end, by topic and partition."""
        starts: dict[tuple[str, int], int] = {}
        for folder in self.data:
            for path in folder.glob("*-*[0-9]/*.log"):
                topic, _, partition = path.parent.name.rpartition("-")
                starts[topic, int(partition)] = min(int(path.stem), starts.get((topic, int(partition)), int(path.stem)))
        for folder in self.data:
            starts |= _checkpoint(folder / "log-start-offset-checkpoint")
        return starts

    @cached_property
    def truth(self) -> dict[str, dict[str, Any]]:
        """By group and partition, as written in truth.json."""
        written = [json.loads(path.read_text()) for path in self.files("truth.json")]
        return {group: of_group for truth in written for group, of_group in truth.items()}

    @cached_property
    def disturbed_groups(self) -> set[str]:
        """Groups to which something was done, and all of which nothing is written down."""
        steps = [json.loads(line) for path in self.files("events.jsonl") for line in path.read_text().splitlines()]
        named = {step["group"] for step in steps if "group" in step}
        return (self.truth.keys() - named) | {
            step["group"] for step in steps if "group" in step and step["kind"] not in UNDISTURBED
        }

    def processed(self, group: str) -> dict[tuple[str | None, int], Int64Array]:
        """By topic (None where it is not written down) and partition, offset and time in ms of every record."""
        by_place: defaultdict[tuple[str | None, int], list[Int64Array]] = defaultdict(list)
        for path in self.files("processed/*"):
            if self._group_of(path.name) == group and not path.name.endswith(".assign.jsonl"):
                for place, rows in _rows(path).items():
                    by_place[place].append(np.array(rows, np.int64))
        return {place: np.concatenate(rows) for place, rows in by_place.items()}

    def _group_of(self, name: str) -> str | None:
        groups = [group for group in self.truth if name.startswith(f"{group}.")]
        return max(groups, key=len, default=None)


def _checkpoint(path: Path) -> dict[tuple[str, int], int]:
    """Offsets by topic and partition in a checkpoint file of a broker."""
    lines = [line.split(" ") for line in path.read_text().splitlines()[2:]] if path.exists() else []
    return {(topic, int(partition)): int(offset) for topic, partition, offset in lines}


def _rows(path: Path) -> dict[tuple[str | None, int], list[tuple[int, int]]]:
    """Offset and time of what one member processed, by topic and partition."""
    by_place: defaultdict[tuple[str | None, int], list[tuple[int, int]]] = defaultdict(list)
    for line in path.read_text().splitlines():
        topic, partition, offset, ms = _line(line)
        by_place[topic, partition].append((offset, ms))
    return by_place


def _line(line: str) -> tuple[str | None, int, int, int]:
    if line.startswith("["):
        ms, partition, offset = json.loads(line)
        return None, partition, offset, ms
    when, topic, number, position = line.rsplit(",", 3)
    return topic, int(number), int(position), int(when)


def open_recording(name: str, places: Sequence[Path], scratch: Path) -> Recording:
    """A recording that lies in some places; archives are unpacked into a scratch folder."""
    room = scratch / name
    for archive, inside in _archives(places):
        with tarfile.open(archive) as packed:
            packed.extractall(room / inside.with_name(inside.name.removesuffix(".tar.xz")), filter="data")
    return Recording(name, (*(place for place in places if place.is_dir()), *([room] if room.exists() else [])))


def _archives(places: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """Every archive, and where it lies in its place."""
    for place in places:
        if place.is_dir():
            yield from ((path, path.relative_to(place)) for path in sorted(place.rglob("*.tar.xz")))
        else:
            yield place, Path(place.name)
