"""What can happen in a scenario, to its topic and to its group: producers, members, and what a broker says of them.

A kind of step is a function here. What admins and brokers do is in `upheavals`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from tests.broker.commands import SHARE_GROUPS, STREAMS_GROUPS
from tests.broker.settings import LONGEST_TRANSACTION_MS
from tests.broker.stage import PARTITIONS, Stage, Step
from tests.broker.waiting import epoch_ms, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.broker.clients import Member

WITHOUT_END: Final = 2**31 - 1
MEETING_TIMEOUT_S: Final = 900
ABORT_EVERY: Final = 3
NOTHING: Final[Mapping[str, str]] = {}


def topic(**settings: str) -> Step:
    """Create the topic, with settings (`_` stands for the dot in their names)."""

    def act(stage: Stage) -> None:
        stage.commands.create_topic(stage.topic, PARTITIONS, **settings)

    return Step("create-topic", act, settings)


def produce(count: int) -> Step:
    """Write this many records to each partition."""
    return Step("produce", lambda stage: stage.clients.produce(stage.topic, stage.partitions, count), {"count": count})


def keep_producing(every_ms: int) -> Step:
    """Write records to each partition at a pace, beside the steps that follow, until it is stopped."""

    def act(stage: Stage) -> None:
        producer = stage.clients.start_producing(stage.topic, stage.partitions, WITHOUT_END, every_ms)
        stage.producers.append(producer)

    return Step("keep-producing", act, {"every_ms": every_ms})


def produce_together(topics: Mapping[str, int], count: int, every_ms: int) -> Step:
    """Wait for all that share the brokers; then one of them begins to write so many records to each partition."""

    def act(stage: Stage) -> None:
        if _gather(stage) == 0:
            for name, partitions in topics.items():
                stage.producers.append(stage.clients.start_producing(name, partitions, count, every_ms))

    return Step("produce-together", act, {"count": count, "every_ms": every_ms})


def stop_producing() -> Step:
    """Stop who writes at a pace."""

    def act(stage: Stage) -> None:
        for producer in stage.producers:
            producer.stop()

    return Step("stop-producing", act)


def mark(name: str) -> Step:
    """Remember this instant, with a pause on either side of it."""

    def act(stage: Stage) -> None:
        time.sleep(1)
        stage.marks[name] = epoch_ms()
        time.sleep(1)

    return Step("mark", act, {"name": name})


def start(name: str, commit: str, delay_ms: int = 0, own_settings: Mapping[str, str] = NOTHING, **bounds: int) -> Step:
    """Start a member and don't wait; `commit` is auto, after, before or never.

    Of `bounds`, after `hold` records it does no more, and it leaves what is from the offset `upto` on.
    """

    def act(stage: Stage) -> None:
        settings = {"client.id": name, **own_settings}
        stage.members[name] = stage.clients.member(stage.name, stage.topic, commit, delay_ms, settings, **bounds)

    return Step("start", act, {"member": name, "commit": commit, "delay_ms": delay_ms, **bounds, **own_settings})


def join(name: str, commit: str, delay_ms: int = 0, own_settings: Mapping[str, str] = NOTHING, **bounds: int) -> Step:
    """Start a member and wait until it knows where to begin."""
    started = start(name, commit, delay_ms, own_settings, **bounds)

    def act(stage: Stage) -> None:
        started.act(stage)
        stage.members[name].wait_for_partitions()

    return Step("start", act, started.details)


def read_alone(name: str, commit: str, hold: int, own_settings: Mapping[str, str] = NOTHING) -> Step:
    """Start who reads all partitions and commits in the group's name, but never joins it; wait until it knows where.

    After `hold` records it does no more.
    """

    def act(stage: Stage) -> None:
        settings = {"client.id": name, **own_settings}
        stage.members[name] = stage.clients.lone_reader(stage.name, stage.topic, commit, settings, hold=hold)
        stage.members[name].wait_for_partitions()

    return Step("read-alone", act, {"member": name, "commit": commit, "hold": hold, **own_settings})


def transform(name: str, hold: int = 0, own_settings: Mapping[str, str] = NOTHING) -> Step:
    """Start a member that reads, writes and commits in one transaction, and wait until it knows where to begin.

    Each third transaction it aborts; the one with the number `hold` it leaves open.
    """

    def act(stage: Stage) -> None:
        settings = {"client.id": name, "transactional.id": f"{stage.name}-{name}", **own_settings}
        topics, limits = (stage.topic, f"{stage.name}-made"), (ABORT_EVERY, hold)
        stage.members[name] = stage.clients.transformer(stage.name, topics, limits, settings=settings)
        stage.members[name].wait_for_partitions()

    return Step("start", act, {"member": name, "abort_every": ABORT_EVERY, "hold": hold, **own_settings})


def share(name: str, delay_ms: int = 0) -> Step:
    """Start a member of a share group and wait until it reads."""
    return _start_other(name, lambda stage: stage.clients.share_member(stage.name, stage.topic, delay_ms))


def stream(name: str, delay_ms: int = 0) -> Step:
    """Start a member of a streams group and wait until it reads."""
    return _start_other(name, lambda stage: stage.clients.streams_member(stage.name, stage.topic, delay_ms))


def _start_other(name: str, started: Callable[[Stage], Member]) -> Step:
    def act(stage: Stage) -> None:
        stage.members[name] = started(stage)
        stage.members[name].wait_for(1)

    return Step("start", act, {"member": name})


def until(name: str, records: int) -> Step:
    """Wait until a member processed this many records."""
    return Step("until", lambda stage: stage.members[name].wait_for(records), {"member": name, "records": records})


def until_said(name: str, event: str) -> Step:
    """Wait until a member wrote down an event."""
    return Step("until", lambda stage: stage.members[name].wait_to_say(event), {"member": name, "event": event})


def drain() -> Step:
    """Wait until some member has processed the end of every partition, where nobody produces any more."""

    def act(stage: Stage) -> None:
        ends = {(partition, end - 1) for partition, end in stage.commands.log_ends(stage.topic).items()}
        wait_until(lambda: ends <= stage.reached(), f"group {stage.name} to reach the end")

    return Step("drain", act)


def reach(end: int) -> Step:
    """Wait until some member has processed what comes before this offset of every partition."""

    def act(stage: Stage) -> None:
        last = {(partition, end - 1) for partition in range(stage.partitions)}
        wait_until(lambda: last <= stage.reached(), f"group {stage.name} to reach {end}", every_s=1)

    return Step("reach", act, {"end": end})


def gather() -> Step:
    """Wait for all that share the brokers."""
    return Step("gather", _gather)


def _gather(stage: Stage) -> int:
    """Wait for all that share the brokers; one of them is told 0."""
    return stage.meeting.wait(MEETING_TIMEOUT_S)


def pause(seconds: float, why: str) -> Step:
    """Let time pass."""
    return Step("pause", lambda _: time.sleep(seconds), {"why": why})


def kill(name: str) -> Step:
    """Kill a member with SIGKILL."""
    return Step("kill", lambda stage: stage.members[name].kill(), {"member": name})


def leave(name: str) -> Step:
    """Let a member commit, leave and end."""
    return Step("stop", lambda stage: stage.members[name].stop(), {"member": name})


def empty() -> Step:
    """Wait until the coordinator has no member of the group any more."""
    return Step("empty", lambda stage: stage.commands.wait_until_empty(stage.name))


def describe(*, still: bool = True) -> Step:
    """Write down what the broker says of the group; `still` says that nothing moves meanwhile."""

    def look(stage: Stage) -> dict[str, Any]:
        if stage.name not in stage.commands.groups():
            return {"state": "", "offsets": [], "members": []}
        state, offsets = stage.commands.state(stage.name), stage.commands.describe(stage.name)
        return {"state": state, "offsets": offsets, "members": stage.commands.members(stage.name)}

    return Step("describe", lambda stage: stage.ask(lambda: look(stage), still=still))


def describe_share() -> Step:
    """Write down what the broker says of a share group."""
    return _describe_other(SHARE_GROUPS)


def describe_streams() -> Step:
    """Write down what the broker says of a streams group."""
    return _describe_other(STREAMS_GROUPS)


def _describe_other(command: str) -> Step:
    def look(stage: Stage) -> dict[str, Any]:
        offsets = stage.commands.describe_other(command, stage.name)
        return {"offsets": offsets, "members": stage.commands.members_of_other(command, stage.name)}

    return Step("describe", lambda stage: stage.ask(lambda: look(stage), still=False))


def transact(transaction: str, outcome: str, offset: int) -> Step:
    """Put this offset of every partition into a transaction, which is committed, aborted or left open."""

    def act(stage: Stage) -> None:
        offsets = {(stage.topic, partition): offset for partition in range(PARTITIONS)}
        stage.clients.transact(stage.name, offsets, outcome, f"{stage.name}-{transaction}", LONGEST_TRANSACTION_MS)

    return Step("transact", act, {"transaction": transaction, "outcome": outcome, "offset": offset})
