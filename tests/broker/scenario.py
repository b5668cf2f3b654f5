"""What a scenario is, which brokers it is played on, and the settings that several of them give to their members.

The scenarios themselves are in `scenarios_of_members` and `scenarios_of_upheavals`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.broker.settings import SHORT_MEMORY, WITHOUT_CLEANING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.broker.releases import Release
    from tests.broker.stage import Step


@dataclass(frozen=True)
class Brokers:
    """The brokers that scenarios share: how many, and what they are told.

    `topics` are made for all of them, with so many partitions; other scenarios have a topic of their own.
    """

    count: int
    settings: Mapping[str, str]
    at_once: int
    topics: Mapping[str, int] = field(default_factory=dict)
    cleaned: bool = True


BROKERS: Final = {
    "one": Brokers(1, {}, at_once=3),
    "forgetful": Brokers(1, SHORT_MEMORY, at_once=2),
    "three": Brokers(3, {}, at_once=1),
    "incident": Brokers(1, WITHOUT_CLEANING, at_once=8, topics={"orders": 6, "payments": 4, "audit": 3}, cleaned=False),
}
"""By name; `at_once` scenarios are played at the same time."""


@dataclass(frozen=True)
class Scenario:
    """What happens to one group; `since` is the first release that can play it, `lacks` what older ones lack.

    It reads a topic of its own name, if it doesn't say which of those that its brokers share.
    """

    steps: tuple[Step, ...]
    on: str = "one"
    topic: str | None = None
    since: str = "0.11"
    lacks: str = ""

    def why_not(self, release: Release) -> str | None:
        """Why a release can't play it; None when it can."""
        if release.since(self.since):
            return None
        return f"Kafka {release.version} has no {self.lacks}: that came with {self.since}"


Settings = dict[str, str]

QUICK_EXPIRY: Final[Settings] = {"session.timeout.ms": "6000", "heartbeat.interval.ms": "1000"}
BY_TENS: Final[Settings] = {"max.poll.records": "10"}
BY_THREES: Final[Settings] = {"max.poll.records": "3"}
OFTEN: Final[Settings] = {"auto.commit.interval.ms": "700"} | BY_TENS
SELDOM: Final[Settings] = {"auto.commit.interval.ms": "60000"}
KIP_848: Final[Settings] = {"group.protocol": "consumer"}
FROM_THE_END: Final[Settings] = {"auto.offset.reset": "latest"}
FRESH_METADATA: Final[Settings] = {"metadata.max.age.ms": "1000"}
IMPATIENT: Final[Settings] = {"default.api.timeout.ms": "5000", "request.timeout.ms": "3000"} | BY_TENS | QUICK_EXPIRY
READ_ALL: Final[Settings] = {"isolation.level": "read_uncommitted"} | BY_TENS
SHORT_TRANSACTIONS: Final[Settings] = {"transaction.timeout.ms": "10000"}
"""What members are told, by the client's own names."""
