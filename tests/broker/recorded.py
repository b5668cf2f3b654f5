"""A recording, read back: what the broker said, what is true, what the members held, and a warehouse of its logs.

Reading it, out of its archives, belongs here. How it is laid out is in `corpus`, how archives are opened in `keep`.
"""

from __future__ import annotations

import json
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
        callbacks_of_lines = []
        for path in sorted(self.folder.glob("processed/*.assign.jsonl")):
            member = path.name.removeprefix(f"{self.name}.").removesuffix(".assign.jsonl")
            lines = _lines(path.read_bytes())
            callbacks_of_lines += [
                (line["ts"], member, line["what"], line["parts"]) for line in lines if "parts" in line
            ]
        return sorted(callbacks_of_lines)

    def quiet(self) -> Iterator[tuple[int, Owners]]:
        """Instants far from all that was done and written down, and the client that held each partition then.

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
                yield at_ms, {part: self._clients.get(member, member) for part, member in owners.items()}

    @cached_property
    def _clients(self) -> dict[str, str]:
        """Who a static member was when it came first: so the broker goes on calling it when it comes back."""
        names = [(event["member"], event["group.instance.id"]) for event in self.events if "group.instance.id" in event]
        return {member: next(first for first, same in names if same == name) for member, name in names}

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

    def logs(self, when: str, brokers: str = "brokers-*") -> list[Path]:
        """The log directories of all brokers or of some, as they were before-cleaner or after-cleaner."""
        return sorted(self.folder.glob(f"{brokers}/{when}/*/data"))

    def read(self, warehouse: Path) -> Book:
        """Let Lagbook read every copy of every log directory: in one run where each says what cluster it is of."""
        book, every = Book(warehouse), self.logs("*")
        if all("cluster.id" in (log / "meta.properties").read_text() for log in every):
            book.run(*every)
        else:
            for brokers in sorted(path.name for path in self.folder.glob("brokers-*")):
                book.run(*self.logs("*", brokers), cluster=brokers)
        return book


def _lines(text: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
