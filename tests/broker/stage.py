"""The stage on which a scenario is played: its group, its topic, and what is written down of them.

What can be done on it is in `steps`, which steps make a scenario in `scenarios`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.broker.waiting import at_rest, epoch_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from threading import Barrier

    from tests.broker.clients import Clients, Member
    from tests.broker.cluster import Cluster
    from tests.broker.commands import Commands
    from tests.broker.jvm import Program

PARTITIONS: Final = 3


@dataclass(frozen=True)
class Step:
    """One thing that a group, an admin, a producer or a broker does, and what is written down of it."""

    kind: str
    act: Callable[[Stage], object]
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Life:
    """One life of a topic's log: when it began, and at which offset of each partition (0 if not named).

    A topic that was deleted and made anew has two, and so has one that lost its end in an unclean election.
    """

    began_ms: int
    starts: Mapping[int, int] = field(default_factory=dict)


@dataclass
class Stage:
    """One scenario under way: its group has its name. At its meeting all that are played together come together."""

    name: str
    topic: str
    cluster: Cluster
    clients: Clients
    commands: Commands
    meeting: Barrier
    partitions: int = PARTITIONS
    members: dict[str, Member] = field(default_factory=dict)
    producers: list[Program] = field(default_factory=list)
    lives: list[Life] = field(default_factory=lambda: [Life(0)])
    marks: dict[str, int] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    failure: str | None = None

    def play(self, steps: tuple[Step, ...]) -> None:
        """Do one step after the other, and leave no member running; what fails ends this scenario, not the others."""
        try:
            for step in steps:
                self.events.append({"ts": epoch_ms(), "kind": step.kind, "group": self.name, **step.details})
                step.act(self)
        except (RuntimeError, TimeoutError) as error:
            self.failure = str(error).partition("\n")[0] or type(error).__name__
            self.meeting.abort()
        finally:
            for producer in self.producers:
                producer.stop()
            for member in self.members.values():
                member.stop()

    def ask(self, look: Callable[[], dict[str, Any]], *, still: bool) -> None:
        """Write down what a broker says, and between which instants it was asked.

        Where nothing is to move it is asked again until it says the same twice.
        """
        if still:
            asked_ms, answered_ms, answer = at_rest(look, self.name)
        else:
            asked_ms, answer, answered_ms = epoch_ms(), look(), epoch_ms()
        times = {"asked_ms": asked_ms, "answered_ms": answered_ms}
        self.answers.append({"group": self.name, **times, "still": still, **answer})

    def written(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every line of every member, with the member's name."""
        return ((name, line) for name, member in self.members.items() for line in member.written)

    def processed(self) -> list[tuple[int, int, int]]:
        """When, partition and offset of every record that a member processed, as often as it was."""
        lines = (line for _, line in self.written() if line["event"] == "processed")
        return [(line["ms"], line["partition"], line["offset"]) for line in lines]

    def reached(self) -> set[tuple[int, int]]:
        """Partition and offset of what was processed in the life of the log that lasts."""
        return {(partition, offset) for ms, partition, offset in self.processed() if ms >= self.lives[-1].began_ms}
