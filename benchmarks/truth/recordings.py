"""A recording on disk: its log directories, what was done to its groups, and what their members wrote down.

How a recording is laid out belongs here. What follows from it is in `truths`.
"""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from parsers.words import Int64Array

OFFSETS_TOPIC: Final = "__consumer_offsets"
LAYOUT: Final = """A recording is a folder, an archive, or several of them joined by commas; every .tar.xz in a folder is unpacked (into a
scratch folder). Found in them, wherever they are:

  truth.json     {group: {partition, or topic-partition: {"processed", "next", "duplicated", "missed"}}}: `duplicated` and
                 `missed` are half-open ranges of offsets that the group processed more than once, or never below `next`
                 (without control markers); `earlier` is a list of the same for earlier lives of the topic
  */             a directory with __consumer_offsets-N in it is a broker's log directory, with its data topics.
                 Below `snaps`: copies in order of their names, for capture C. Below `after-cleaner`: a copy that
                 the broker's cleaner went over, for capture B. Below `whole`: only the offsets topic, whole, in place of that
                 in the other log directory (which then is the copy for capture B)
  processed/     optional: GROUP.MEMBER.jsonl with a line [ms, partition, offset], or GROUP.MEMBER.log with a line
                 ms,topic,partition,offset per record that a member processed; tells when offsets were processed again
  events.jsonl   optional: what was done to groups, {"ts", "kind", "group"}: tells which groups were not disturbed"""

_HARMLESS: Final = frozenset({"start", "stop", "leave", "describe", "produce", "produce-together", "keep-producing"})
_MORE_HARMLESS: Final = frozenset({"stop-producing", "create-topic", "drain", "empty", "gather", "reach", "until", "pause", "mark"})
UNDISTURBED: Final = _HARMLESS | _MORE_HARMLESS
"""Steps that no group minds: its members come and leave in an orderly way, and there is more or less to read."""


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
        return [path for path in self._log_dirs if set(names) & set(path.parts)]

    @property
    def data(self) -> list[Path]:
        """The log directories as they were at the end, one per broker, before a cleaner came where that was recorded."""
        others = self._below("snaps", "whole", "after-cleaner")
        return [path for path in self._log_dirs if path not in others]

    @property
    def history(self) -> list[Path]:
        """Directories with the whole offsets topic, where the log directories hold less."""
        return self._below("whole")

    @property
    def cleaned(self) -> list[Path]:
        """Log directories after a broker's own cleaner went over everything; none where that was not recorded."""
        return self._below("after-cleaner") or (self.data if self.history else [])

    @property
    def snapshots(self) -> list[Path]:
        """Copies of a log directory one after the other; none where that was not recorded."""
        return self._below("snaps")

    @cached_property
    def log_starts(self) -> dict[tuple[str, int], int]:
        """Where data topics began at the end, by topic and partition."""
        found = {}
        for folder in self.data:
            for path in folder.glob("*-*[0-9]/*.log"):
                topic, _, partition = path.parent.name.rpartition("-")
                found[topic, int(partition)] = min(int(path.stem), found.get((topic, int(partition)), int(path.stem)))
        for folder in self.data:
            found |= _checkpoint(folder / "log-start-offset-checkpoint")
        return found

    @cached_property
    def truth(self) -> dict[str, dict[str, Any]]:
        """By group and partition, as written in truth.json."""
        return {group: said for path in self.files("truth.json") for group, said in json.loads(path.read_text()).items()}

    @cached_property
    def disturbed(self) -> set[str]:
        """Groups to which something was done, and all of which nothing is written down."""
        steps = [json.loads(line) for path in self.files("events.jsonl") for line in path.read_text().splitlines()]
        named = {step["group"] for step in steps if "group" in step}
        return (self.truth.keys() - named) | {
            step["group"] for step in steps if "group" in step and step["kind"] not in UNDISTURBED
        }

    def processed(self, group: str) -> Iterator[tuple[str | None, int, Int64Array]]:
        """Topic, partition, and the (offset, ms) of every record that members of a group wrote down, in order of time."""
        columns = [rows for path in self.files("processed/*") if self._group_of(path.name) == group for rows in _rows(path)]
        parts = {(topic, partition) for topic, partition, _ in columns}
        for topic, partition in sorted(parts, key=str):
            found = np.concatenate([rows for *key, rows in columns if key == [topic, partition]])
            yield topic, partition, found[np.argsort(found[:, 1], kind="stable")]

    def _group_of(self, name: str) -> str | None:
        groups = [group for group in self.truth if name.startswith(f"{group}.")]
        return max(groups, key=len, default=None)


def _checkpoint(path: Path) -> dict[tuple[str, int], int]:
    """Offsets by topic and partition in a checkpoint file of a broker."""
    lines = [line.split(" ") for line in path.read_text().splitlines()[2:]] if path.exists() else []
    return {(topic, int(partition)): int(offset) for topic, partition, offset in lines}


def _rows(path: Path) -> Iterator[tuple[str | None, int, Int64Array]]:
    """What one member processed, by topic and partition."""
    if path.name.endswith(".assign.jsonl"):
        return
    lines = [_line(line) for line in path.read_text().splitlines()]
    for topic, partition in sorted({(topic, partition) for topic, partition, _, _ in lines}, key=str):
        rows = [(offset, ms) for other, number, offset, ms in lines if (other, number) == (topic, partition)]
        yield topic, partition, np.array(rows, np.int64)


def _line(line: str) -> tuple[str | None, int, int, int]:
    if line.startswith("["):
        ms, partition, offset = json.loads(line)
        return None, partition, offset, ms
    when, topic, number, position = line.rsplit(",", 3)
    return topic, int(number), int(position), int(when)


def opened(name: str, places: Sequence[Path], scratch: Path) -> Recording:
    """A recording that lies in some places; archives are unpacked into a scratch folder."""
    room = scratch / name
    for archive in _archives(places):
        with tarfile.open(archive) as packed:
            packed.extractall(room / archive.name.removesuffix(".tar.xz"), filter="data")
    return Recording(name, (*(place for place in places if place.is_dir()), *([room] if room.exists() else [])))


def _archives(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        yield from sorted(place.rglob("*.tar.xz")) if place.is_dir() else [place]
