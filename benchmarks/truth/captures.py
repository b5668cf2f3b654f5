"""The ways in which a recording comes into Lagbook's hands, and the warehouse that it makes of each.

What is copied when belongs here. How a cleaner changes a log is in `cleaner`.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc

from benchmarks.truth.cleaner import FOREVER_MS, WAITING, copy_but, retained_records, write_cleaned, write_until
from benchmarks.truth.recordings import OFFSETS_TOPIC
from benchmarks.truth.warehouses import connect, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from benchmarks.truth.recordings import Recording

_OF_LOG: Final = "FROM raw.offset_records WHERE cluster = ? AND log_partition = ?"
_SPAN: Final = "SELECT min(timestamp_ms), max(timestamp_ms) FROM raw.offset_records"
CHECKPOINTS: Final = ("log-start-offset-checkpoint",)
"""What a log directory says of its end only."""


@dataclass(frozen=True)
class Captures:
    """The warehouses of one recording, built in a folder of their own when they are asked for."""

    recording: Recording
    room: Path
    every_ms: int
    """How often the log directory is read while the cleaner works."""

    def warehouse(self, name: str) -> Path:
        """That of A, the whole history; of B, one copy after the cleaner; or of C, read while it works."""
        return {"A": lambda: self.whole, "B": self.after_cleaner, "C": self.while_cleaning}[name]()

    @cached_property
    def whole(self) -> Path:
        """Everything that was recorded, read once."""
        return _build(self.room / "A", [self.logs])

    @cached_property
    def logs(self) -> list[Path]:
        """The log directories with the whole offsets topic."""
        if not self.recording.history:
            return self.recording.data
        joined = self.room / "whole-logs"
        shutil.rmtree(joined, ignore_errors=True)
        copy_but(self.recording.data[0], joined, ())
        for folder in self.recording.history[0].glob(f"{OFFSETS_TOPIC}-*"):
            shutil.copytree(folder, joined / folder.name)
        return [joined]

    def after_cleaner(self) -> Path:
        """One copy at the end, after the cleaner went over all of the offsets topic."""
        recorded = self.recording.after_cleaner
        return _build(self.room / "B", [self._deleted(recorded)] if recorded else self.copies([FOREVER_MS]))

    def _deleted(self, logs: Sequence[Path]) -> list[Path]:
        """Log directories once the broker has deleted what it took out."""
        shutil.rmtree(self.room / "copy", ignore_errors=True)
        return [
            shutil.copytree(source, self._place_of(source, number), ignore=shutil.ignore_patterns(WAITING))
            for number, source in enumerate(logs)
        ]

    def _place_of(self, source: Path, number: int) -> Path:
        return self.room / "copy" / cluster_of(source) / str(number)

    def while_cleaning(self) -> Path:
        """Copies one after the other in one place; before each the cleaner went over all but the newest segment."""
        recorded = self.recording.snapshots
        if recorded:
            return _build(self.room / "C", _in_one_place(recorded, self.room / "copy"))
        return _build(self.room / "C", self.copies([*self._instants(), FOREVER_MS]))

    def _instants(self) -> range:
        with connect(self.whole) as connection:
            first, last = connection.sql(_SPAN).fetchall()[0]
        return range(first + self.every_ms, last, self.every_ms)

    def copies(self, instants: Iterable[int]) -> Iterator[list[Path]]:
        """The log directories as they would have been at some instants."""
        for until_ms in instants:
            yield [
                self._at(source, self._place_of(source, number), until_ms) for number, source in enumerate(self.logs)
            ]

    def _at(self, source: Path, target: Path, until_ms: int) -> Path:
        shutil.rmtree(target, ignore_errors=True)
        is_end = until_ms == FOREVER_MS
        parts = [path for path in source.iterdir() if path.is_dir() and any(path.glob("*.log"))]
        copy_but(source, target, [*(() if is_end else CHECKPOINTS), *(path.name for path in parts)])
        for part in parts:
            topic, _, partition = part.name.rpartition("-")
            if topic == OFFSETS_TOPIC:
                self._clean(part, target / part.name, self._records(cluster_of(source), int(partition)), until_ms)
            elif is_end:
                shutil.copytree(part, target / part.name)
            else:
                write_until(part, target / part.name, until_ms)
        return target

    def _clean(self, source: Path, target: Path, records: pa.Table, until_ms: int) -> None:
        known = records.filter(pc.less_equal(records["timestamp_ms"], until_ms))
        is_end = until_ms == FOREVER_MS
        old = known if is_end else known.filter(pc.less_equal(known["timestamp_ms"], until_ms - self.every_ms // 2))
        active_from = 1 + max(old["log_offset"].to_pylist(), default=-1)
        now_ms = max(known["timestamp_ms"].to_pylist(), default=0)
        write_cleaned(source, target, retained_records(known, active_from, now_ms), until_ms)

    def _records(self, cluster: str, partition: int) -> pa.Table:
        with connect(self.whole) as connection:
            return connection.sql(_OF_LOG, params=[cluster, partition]).to_arrow_table()


def _in_one_place(copies: Iterable[Path], place: Path) -> Iterator[list[Path]]:
    """Each copy in the place of the one before."""
    for copy in copies:
        shutil.rmtree(place, ignore_errors=True)
        yield [shutil.copytree(copy, place)]


def _build(folder: Path, copies: Iterable[Sequence[Path]]) -> Path:
    """The warehouse of copies that are read one after the other; made anew."""
    warehouse = folder / "warehouse"
    shutil.rmtree(warehouse, ignore_errors=True)
    for logs in copies:
        for cluster in dict.fromkeys(map(cluster_of, logs)):
            read(warehouse, [folder for folder in logs if cluster_of(folder) == cluster], cluster)
    return warehouse


def cluster_of(folder: Path) -> str:
    """The id of a log directory's cluster; of one that does not tell, the set of brokers that its path names."""
    properties = folder / "meta.properties"
    written = re.search(r"^cluster\.id=(.+)$", properties.read_text(), re.MULTILINE) if properties.exists() else None
    return written[1] if written else next((part for part in folder.parts if part.startswith("brokers-")), "recorded")
