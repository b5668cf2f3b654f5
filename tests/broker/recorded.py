"""A recording, read back: what the broker said, what is true, what the members held, and a warehouse of its logs.

Reading it belongs here. How it is laid out is in `corpus`, what must hold of it in `test_recording`.
"""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from tests.broker.book import Book

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tests.broker.truth import Truth

QUIET_MS: Final = 2500
"""What members wrote down so long before and after an instant had time to happen at the broker too."""

Owners = dict[int, str]
"""Client id by partition."""


@dataclass(frozen=True)
class Recorded:
    """What is kept of one scenario."""

    folder: Path

    @property
    def name(self) -> str:
        """Its name, which is also the name of its group and of its topic."""
        return self.folder.name

    @cached_property
    def answers(self) -> list[dict[str, Any]]:
        """What the broker said while nothing moved."""
        return [answer for answer in _lines((self.folder / "describe.jsonl").read_bytes()) if answer["still"]]

    @cached_property
    def truth(self) -> Truth:
        """What was really processed twice or never, by partition."""
        truth: Truth = json.loads((self.folder / "truth.json").read_text())[self.name]
        return truth

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """What was done and when."""
        return _lines((self.folder / "events.jsonl").read_bytes())

    @cached_property
    def callbacks(self) -> list[tuple[int, str, str, list[int]]]:
        """When a member was given or lost which partitions: time, member, what, partitions; in order of time."""
        found = []
        with tarfile.open(self.folder / "processed.tar.xz") as packed:
            for entry in packed:
                member, _, kind = entry.name.removeprefix(f"processed/{self.name}.").partition(".")
                lines = _lines(_content(packed, entry)) if kind == "assign.jsonl" else []
                found += [(line["ts"], member, line["what"], line["parts"]) for line in lines if "parts" in line]
        return sorted(found)

    def quiet(self) -> Iterator[tuple[int, Owners]]:
        """Instants far from all that was done and written down, and who held each partition then.

        None at which somebody holds a partition who was killed, or who left as a static member: the group has not
        missed them yet, or has, which they can't know.
        """
        moments = [moment for moment in self.callbacks if moment[2] != "placed"]
        noise = sorted([moment[0] for moment in moments] + [event["ts"] for event in self.events])
        quiet = [(one + other) // 2 for one, other in pairwise(noise) if other - one > 2 * QUIET_MS]
        for at_ms in quiet:
            gone = self._gone(at_ms)
            owners = _held([moment for moment in moments if moment[0] < gone.get(moment[1], at_ms)])
            if not gone.keys() & owners.values():
                yield at_ms, owners

    def _gone(self, at_ms: int) -> dict[str, int]:
        """Who was killed, or left without saying so, before an instant, and when."""
        static = {event["member"] for event in self.events if event.get("group.instance.id")}
        ends = [event for event in self.events if event["kind"] in {"kill", "stop"} and event["ts"] < at_ms]
        return {one["member"]: one["ts"] for one in ends if one["kind"] == "kill" or one["member"] in static}


def _held(moments: Iterable[tuple[int, str, str, list[int]]]) -> Owners:
    owners: Owners = {}
    for _, member, what, parts in moments:
        if what == "assigned":
            owners |= dict.fromkeys(parts, member)
        else:
            owners = {part: owner for part, owner in owners.items() if owner != member or part not in parts}
    return owners


@dataclass(frozen=True)
class Recording:
    """Everything that was kept of one release."""

    folder: Path

    @cached_property
    def scenarios(self) -> dict[str, dict[str, Any]]:
        """Every scenario, whether it was played or not."""
        return {row["scenario"]: row for row in _lines((self.folder / "scenarios.jsonl").read_bytes())}

    def scenario(self, name: str) -> Recorded:
        """What is kept of a scenario that was played."""
        return Recorded(self.folder / name)

    def logs(self, when: str, to: Path, brokers: str = "brokers-*") -> list[Path]:
        """Unpack the log directories of all brokers or of some, as they were before-cleaner or after-cleaner."""
        for packed in sorted(self.folder.glob(f"{brokers}/{when}.tar.xz")):
            with tarfile.open(packed) as archive:
                archive.extractall(to / when / packed.parent.name, filter="data")
        return sorted((to / when).glob(f"{brokers}/*/data"))

    def read(self, to: Path) -> Book:
        """Let Lagbook read every copy of every log directory, one set of brokers after the other."""
        book = Book(to / "warehouse")
        for brokers in sorted(path.name for path in self.folder.glob("brokers-*")):
            copies = [log for when in ("before-cleaner", "after-cleaner") for log in self.logs(when, to, brokers)]
            book.run(*copies, cluster=brokers)
        return book


def _lines(text: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def _content(packed: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    file = packed.extractfile(entry)
    return file.read() if file else b""
