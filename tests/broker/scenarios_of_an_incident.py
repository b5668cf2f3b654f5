"""The main incident: one day on which eight groups on three topics meet with all that can happen to a group.

A row is what happens to one group, in order; all are played together, and come together three times. The
newest release's is what `lagbook demo` runs on, so offsets that the demo names are scripted to the record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.broker.scenario import BROKERS, BY_TENS, FROM_THE_END, KIP_848, QUICK_EXPIRY, Scenario, Settings
from tests.broker.steps import (
    describe,
    empty,
    gather,
    join,
    kill,
    leave,
    produce_together,
    reach,
    until,
    until_said,
)
from tests.broker.upheavals import delete_offsets, delete_records, reset

if TYPE_CHECKING:
    from tests.broker.stage import Step

TOPICS: Final = BROKERS["incident"].topics
AUDIT: Final = TOPICS["audit"]
PAYMENTS: Final = TOPICS["payments"]
NOON, EVENING, MIDNIGHT = 700, 1100, 1400
"""Where every partition ends by then."""
PACE_MS: Final = 30

REST: Final = (gather(), describe())

EVERY_TWO_SECONDS: Final[Settings] = {"auto.commit.interval.ms": "2000"} | BY_TENS
STRATEGY: Final = "partition.assignment.strategy"
ASSIGNORS: Final = "org.apache.kafka.clients.consumer."
RANGE: Final[Settings] = {STRATEGY: f"{ASSIGNORS}RangeAssignor"} | QUICK_EXPIRY
ROUND_ROBIN: Final[Settings] = {STRATEGY: f"{ASSIGNORS}RoundRobinAssignor"} | QUICK_EXPIRY
COOPERATIVE: Final[Settings] = {STRATEGY: f"{ASSIGNORS}CooperativeStickyAssignor"} | QUICK_EXPIRY
STATIC: Final[Settings] = {"session.timeout.ms": "30000", "heartbeat.interval.ms": "1000"} | BY_TENS
"""Who comes back under its name within half a minute is not missed."""


@dataclass(frozen=True)
class Day:
    """What a group does on the day, between the meetings, and who leaves when nothing is left to do.

    Who joins at dawn has its partitions before there is anything to read: members that are slow to start would else
    find less to process than they are waited for.
    """

    morning: tuple[Step, ...]
    afternoon: tuple[Step, ...]
    dawn: tuple[Step, ...] = ()
    evening: tuple[Step, ...] = ()
    noon: tuple[Step, ...] = ()
    dusk: tuple[Step, ...] = ()
    last: tuple[str, ...] = ()
    night: tuple[Step, ...] = (empty(),)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Three times somebody produces and all rest at the end; noon and dusk are in between."""
        morning = (*self.dawn, produce_together(TOPICS, NOON, PACE_MS), *self.morning, *REST, *self.noon)
        afternoon = (produce_together(TOPICS, EVENING - NOON, PACE_MS), *self.afternoon, *REST, *self.dusk)
        evening = (produce_together(TOPICS, MIDNIGHT - EVENING, PACE_MS), *self.evening, reach(MIDNIGHT), *REST)
        return (*morning, *afternoon, *evening, *map(leave, self.last), *self.night, describe())


def stop_at(name: str, offset: int, partitions: int, before: int = 0) -> tuple[Step, ...]:
    """A member reads each partition from `before` up to an offset, commits and leaves."""
    return (
        join(name, "after", own_settings=BY_TENS, upto=offset),
        until(name, (offset - before) * partitions),
        leave(name),
        empty(),
        describe(still=False),
    )


SCENARIOS_OF_AN_INCIDENT: Final = {
    "auto-range": Scenario(
        Day(
            dawn=tuple(join(name, "auto", 1, EVERY_TWO_SECONDS | RANGE) for name in ("m0", "m1", "m2")),
            morning=(
                until("m0", 600),
                kill("m0"),
                reach(NOON),
            ),
            noon=(join("m3", "auto", 1, EVERY_TWO_SECONDS | RANGE),),
            afternoon=(until("m3", 200), kill("m3"), reach(EVENING)),
            last=("m1", "m2"),
        ).steps,
        on="incident",
        topic="orders",
    ),
    "coop-batch": Scenario(
        Day(
            dawn=tuple(join(name, "after", 1, BY_TENS | COOPERATIVE) for name in ("m0", "m1")),
            morning=(
                until("m0", 300),
                join("m2", "after", 20, BY_TENS | COOPERATIVE),
                reach(NOON),
            ),
            afternoon=(leave("m0"), until("m2", 500), kill("m2"), reach(EVENING)),
            last=("m1",),
        ).steps,
        on="incident",
        topic="orders",
    ),
    "before-rr": Scenario(
        Day(
            dawn=(
                join("m1", "before", 1, BY_TENS | ROUND_ROBIN),
                join("m0", "before", 25, BY_TENS | ROUND_ROBIN, hold=403),
            ),
            morning=(
                until_said("m0", "holding"),
                kill("m0"),
                reach(NOON),
            ),
            noon=(join("m2", "before", 1, BY_TENS | ROUND_ROBIN),),
            afternoon=(reach(EVENING),),
            last=("m1", "m2"),
        ).steps,
        on="incident",
        topic="payments",
    ),
    "new-protocol": Scenario(
        Day(
            dawn=tuple(join(name, "auto", 1, EVERY_TWO_SECONDS | KIP_848) for name in ("m0", "m1")),
            morning=(
                until("m0", 300),
                kill("m0"),
                reach(NOON),
            ),
            noon=(join("m2", "auto", 1, EVERY_TWO_SECONDS | KIP_848),),
            afternoon=(reach(EVENING),),
            last=("m1", "m2"),
        ).steps,
        on="incident",
        topic="payments",
        since="4.0",
        lacks="groups of KIP-848 by default",
    ),
    "static-batch": Scenario(
        Day(
            dawn=(
                join("m1", "after", 1, STATIC | {"group.instance.id": "second"}),
                join("m0", "after", 20, STATIC | {"group.instance.id": "first"}, hold=203),
            ),
            morning=(
                until_said("m0", "holding"),
                kill("m0"),
                join("m0-again", "after", 1, STATIC | {"group.instance.id": "first"}),
                reach(NOON),
            ),
            afternoon=(reach(EVENING),),
            last=("m1", "m0-again"),
            night=(),
        ).steps,
        on="incident",
        topic="audit",
        since="2.3",
        lacks="static members",
    ),
    "latest-reset": Scenario(
        Day(
            morning=(*stop_at("m0", 500, AUDIT), delete_offsets()),
            afternoon=(),
            dusk=(join("m1", "after", 1, BY_TENS | FROM_THE_END),),
            last=("m1",),
        ).steps,
        on="incident",
        topic="audit",
        since="2.4",
        lacks="deleting of offsets",
    ),
    "admin-reset": Scenario(
        Day(
            morning=(*stop_at("m0", 670, AUDIT), reset("--to-offset", "420")),
            afternoon=stop_at("m1", 1000, AUDIT, before=420),
            dusk=(reset("--to-latest"),),
            evening=(join("m2", "after", own_settings=BY_TENS),),
            last=("m2",),
        ).steps,
        on="incident",
        topic="audit",
    ),
    "slow-retention": Scenario(
        Day(
            morning=stop_at("m0", 300, PAYMENTS),
            afternoon=(delete_records(600), describe(still=False), join("m1", "after", 1, BY_TENS), reach(EVENING)),
            last=("m1",),
        ).steps,
        on="incident",
        topic="payments",
    ),
}
"""By name. Each works on one of the topics that the brokers called incident share."""
