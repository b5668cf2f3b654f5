"""Scenarios in which members come, leave, die and change their protocol.

A row is what happens to one group, in order. What a step does is in `steps`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.broker.scenario import BY_TENS, KIP_848, OFTEN, QUICK_EXPIRY, SELDOM, Scenario
from tests.broker.steps import (
    describe,
    describe_share,
    describe_streams,
    drain,
    empty,
    join,
    keep_producing,
    kill,
    leave,
    pause,
    produce,
    share,
    stop_producing,
    stream,
    topic,
    until,
    until_said,
)

if TYPE_CHECKING:
    from tests.broker.scenario import Settings
    from tests.broker.stage import Step

ASSIGNOR: Final = "org.apache.kafka.clients.consumer."


def scaled(settings: Settings, *, static: bool = False) -> tuple[Step, ...]:
    """Members come one by one, one leaves, one is killed, while somebody produces.

    The one that is killed commits so seldom that it has processed something since; and then there is more to read, so
    that nobody is done before it is missed.
    """
    settings_of_member = OFTEN | settings
    first, second, third = (
        settings_of_member | ({"group.instance.id": name} if static else {}) for name in ("first", "second", "third")
    )
    return (
        topic(),
        keep_producing(20),
        join("first", "auto", 2, first),
        until("first", 150),
        join("second", "auto", 2, second),
        until("second", 60),
        describe(still=False),
        join("third", "auto", 2, third | SELDOM),
        until("third", 60),
        describe(still=False),
        leave("second"),
        until("third", 250),
        kill("third"),
        stop_producing(),
        produce(20),
        drain(),
        pause(2, "the last commit"),
        describe(),
        leave("first"),
        empty(),
        describe(),
    )


def classic(assignor: str, *, static: bool = False) -> tuple[Step, ...]:
    """The same with an assignor that runs in the members."""
    return scaled({"partition.assignment.strategy": ASSIGNOR + assignor, **QUICK_EXPIRY}, static=static)


def killed(commit: str, settings: Settings) -> tuple[Step, ...]:
    """One of two members is killed in the middle of its work, while somebody produces."""
    settings_of_member = BY_TENS | QUICK_EXPIRY | settings
    return (
        topic(),
        produce(300),
        keep_producing(20),
        join("first", commit, 10, settings_of_member),
        join("second", commit, 10, settings_of_member, hold=253),
        until_said("second", "holding"),
        kill("second"),
        describe(still=False),
        stop_producing(),
        drain(),
        pause(2, "the last commit"),
        describe(),
        leave("first"),
        empty(),
        describe(),
    )


SCENARIOS_OF_MEMBERS: Final = {
    # The longest first, since some are played at the same time.
    "scaled-static": Scenario(classic("RangeAssignor", static=True), since="2.3", lacks="static members"),
    "scaled-range": Scenario(classic("RangeAssignor")),
    "scaled-roundrobin": Scenario(classic("RoundRobinAssignor")),
    "scaled-sticky": Scenario(classic("StickyAssignor")),
    "scaled-cooperative": Scenario(classic("CooperativeStickyAssignor")),
    "scaled-uniform-848": Scenario(
        scaled({"group.remote.assignor": "uniform", **KIP_848}), since="4.0", lacks="groups of KIP-848 by default"
    ),
    "scaled-range-848": Scenario(
        scaled({"group.remote.assignor": "range", **KIP_848}), since="4.0", lacks="groups of KIP-848 by default"
    ),
    "killed-auto-commit": Scenario(killed("auto", SELDOM)),
    "killed-commit-after": Scenario(killed("after", {})),
    "killed-commit-before": Scenario(killed("before", {})),
    "shared": Scenario(
        (
            topic(),
            keep_producing(20),
            share("first", 2),
            share("second", 2),
            until("first", 100),
            until("second", 100),
            kill("second"),
            until("first", 300),
            describe_share(),
            stop_producing(),
            drain(),
            leave("first"),
            describe_share(),
        ),
        since="4.2",
        lacks="share groups by default",
    ),
    "streamed": Scenario(
        (
            topic(),
            keep_producing(20),
            stream("first", 2),
            stream("second", 2),
            until("second", 100),
            describe_streams(),
            kill("second"),
            stop_producing(),
            drain(),
            describe_streams(),
            leave("first"),
            describe_streams(),
        ),
        since="4.2",
        lacks="streams groups by default",
    ),
    "converted": Scenario(
        (
            topic(),
            produce(100),
            join("classic-1", "after", 5, own_settings=BY_TENS | QUICK_EXPIRY),
            join("classic-2", "after", 5, own_settings=BY_TENS | QUICK_EXPIRY),
            until("classic-1", 50),
            describe(still=False),
            join("modern-1", "after", 5, own_settings=BY_TENS | KIP_848),
            drain(),
            describe(),
            leave("classic-1"),
            leave("classic-2"),
            produce(50),
            drain(),
            pause(8, "owners at rest"),
            describe(),
            join("classic-3", "after", 5, own_settings=BY_TENS | QUICK_EXPIRY),
            leave("modern-1"),
            produce(50),
            drain(),
            pause(8, "owners at rest"),
            describe(),
            leave("classic-3"),
            empty(),
            describe(),
        ),
        since="4.0",
        lacks="groups of KIP-848 by default",
    ),
}
"""By name; the longest first, since some are played at the same time."""
