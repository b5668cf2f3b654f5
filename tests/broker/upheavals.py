"""What admins, retention and brokers do to a group and its topic in a scenario.

A kind of upheaval is a function here. What producers and members do is in `steps`.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Final

from tests.broker.stage import PARTITIONS, Life, Stage, Step
from tests.broker.waiting import epoch_ms, wait_until

EXPIRY_TIMEOUT_S: Final = 300.0
OUTPUT_PARTITIONS: Final = 1


def output_topic() -> Step:
    """Create the topic that a transforming member writes to."""
    return Step(
        "create-topic",
        lambda stage: stage.commands.create_topic(f"{stage.name}-made", OUTPUT_PARTITIONS),
        {"made": True},
    )


def reset(*to: str) -> Step:
    """An admin sets the group's offsets."""

    def act(stage: Stage) -> None:
        stage.commands.reset(stage.name, stage.topic, *to)

    return Step("reset", act, {"to": " ".join(to)})


def reset_to_mark(name: str) -> Step:
    """An admin sets the group back to an instant."""

    def act(stage: Stage) -> None:
        instant = datetime.fromtimestamp(stage.marks[name] / 1000, timezone.utc)
        stage.commands.reset(stage.name, stage.topic, "--to-datetime", f"{instant:%Y-%m-%dT%H:%M:%S}.000Z")

    return Step("reset", act, {"to": f"mark {name}"})


def delete_offsets() -> Step:
    """An admin deletes the group's offsets."""
    return Step("delete-offsets", lambda stage: stage.commands.delete_offsets(stage.name, stage.topic))


def delete_group() -> Step:
    """An admin deletes the group."""
    return Step("delete-group", lambda stage: stage.commands.delete_group(stage.name))


def until_forgotten() -> Step:
    """Wait until the broker has expired the offsets of the group and the group itself."""

    def act(stage: Stage) -> None:
        wait_until(lambda: stage.name not in stage.commands.groups(), f"{stage.name} to expire", EXPIRY_TIMEOUT_S, 1)

    return Step("until-forgotten", act)


def delete_records(before: int) -> Step:
    """An admin moves the start of every partition of the topic."""

    def act(stage: Stage) -> None:
        stage.commands.delete_records(stage.topic, dict.fromkeys(range(stage.partitions), before))

    return Step("delete-records", act, {"before": before})


def keep_only(retention_ms: int) -> Step:
    """An admin lets the topic keep its records only so long, in short segments."""

    def act(stage: Stage) -> None:
        stage.commands.configure_topic(stage.topic, retention_ms=str(retention_ms), segment_ms="1000")

    return Step("keep-only", act, {"retention_ms": retention_ms})


def until_overtaken(beyond: int) -> Step:
    """Write to the topic now and then until retention has removed more than the first records of each partition."""

    def overtaken(stage: Stage) -> bool:
        stage.clients.produce(stage.topic, PARTITIONS, 1)
        starts = stage.commands.log_starts(stage.topic)
        return all(start > beyond for start in starts.values())

    def act(stage: Stage) -> None:
        wait_until(lambda: overtaken(stage), f"retention to overtake {stage.topic}", EXPIRY_TIMEOUT_S, 1)

    return Step("until-overtaken", act, {"beyond": beyond})


def recreate() -> Step:
    """An admin deletes the topic and makes one of the same name."""

    def act(stage: Stage) -> None:
        stage.commands.delete_topic(stage.topic)
        wait_until(lambda: _created(stage), f"the name {stage.topic} to be free")
        stage.lives.append(Life(epoch_ms()))

    return Step("recreate-topic", act)


def _created(stage: Stage) -> bool:
    """Make the topic; with ZooKeeper its name is taken some time after nobody is told of it any more."""
    try:
        stage.commands.create_topic(stage.topic, PARTITIONS)
    except RuntimeError as error:
        if "already exists" not in str(error):
            raise
        return False
    return True


def add_partitions(count: int) -> Step:
    """An admin gives the topic more partitions."""

    def act(stage: Stage) -> None:
        stage.partitions = count
        stage.commands.add_partitions(stage.topic, count)

    return Step("add-partitions", act, {"to": count})


def mirror(*offsets: int) -> Step:
    """Set the group's offset in every partition again and again, each time in one request."""

    def act(stage: Stage) -> None:
        for offset in offsets:
            stage.clients.alter(stage.name, {(stage.topic, partition): offset for partition in range(PARTITIONS)})

    return Step("mirror", act, {"offsets": offsets})


def kill_coordinator() -> Step:
    """Kill the broker that coordinates the group, and wait until another does."""

    def act(stage: Stage) -> None:
        number = _coordinator(stage, None)
        stage.events.append({"ts": epoch_ms(), "kind": "kill-broker", "group": stage.name, "broker": number})
        stage.cluster.numbered(number).kill()
        _coordinator(stage, number)

    return Step("kill-coordinator", act)


def _coordinator(stage: Stage, other_than: int | None) -> int:
    """Wait until somebody coordinates the group, and not the one before; the number of that broker."""
    brokers: list[int] = []

    def answers() -> bool:
        number = stage.commands.coordinator(stage.name)
        if number is not None and number != other_than:
            brokers.append(number)
        return bool(brokers)

    wait_until(answers, f"somebody to coordinate {stage.name}")
    return brokers[0]


def start_brokers() -> Step:
    """Start every broker that was killed, and wait until each has its log again."""

    def act(stage: Stage) -> None:
        for broker in stage.cluster.brokers:
            if not broker.running:
                broker.restart()

    return Step("start-brokers", act)


def topic_on(*replicas: int) -> Step:
    """Create the topic with every partition on these brokers, and let any of them lead, whatever it knows."""

    def act(stage: Stage) -> None:
        assignment = [replicas] * PARTITIONS
        stage.commands.place_topic(stage.topic, assignment, unclean_leader_election_enable="true")

    return Step("create-topic", act, {"replicas": replicas})


def kill_broker(number: int) -> Step:
    """Kill a broker."""
    return Step("kill-broker", lambda stage: stage.cluster.numbered(number).kill(), {"broker": number})


def start_broker(number: int) -> Step:
    """Start a broker that was killed."""
    return Step("start-broker", lambda stage: stage.cluster.numbered(number).restart(), {"broker": number})


def elect(number: int) -> Step:
    """Kill the leader and start a broker that knows less, and wait until that one leads: the rest is lost."""

    def act(stage: Stage) -> None:
        stage.cluster.numbered(number).restart()
        wait_until(lambda: set(stage.commands.leaders(stage.topic)) == {str(number)}, f"{number} to lead {stage.topic}")
        stage.lives.append(Life(epoch_ms(), stage.commands.log_ends(stage.topic)))

    return Step("elect-uncleanly", act, {"broker": number})
