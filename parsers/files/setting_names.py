"""The names of the settings that are kept of brokers and topics: no other is read, since secrets are among them.

Put here a name when it decides how long offsets and records stay, or how groups behave. Where settings are read is said
in `parsers.files.configurations`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS: Final = frozenset(
    {
        *("cleanup.policy", "log.cleanup.policy", "delete.retention.ms", "log.cleaner.delete.retention.ms"),
        *("retention.ms", "retention.bytes", "segment.ms", "segment.bytes", "message.timestamp.type"),
        *("log.retention.ms", "log.retention.minutes", "log.retention.hours", "log.retention.bytes"),
        *("log.retention.check.interval.ms", "log.message.timestamp.type", "log.segment.bytes"),
        *("log.roll.ms", "log.roll.hours", "log.cleaner.enable", "log.cleaner.backoff.ms"),
        *("log.cleaner.min.cleanable.ratio", "log.cleaner.min.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"),
        *("min.cleanable.dirty.ratio", "min.compaction.lag.ms", "max.compaction.lag.ms", "file.delete.delay.ms"),
        *("offsets.retention.minutes", "offsets.retention.check.interval.ms", "offsets.topic.num.partitions"),
        *("offsets.topic.segment.bytes", "group.min.session.timeout.ms", "group.max.session.timeout.ms"),
        *("group.initial.rebalance.delay.ms", "group.consumer.session.timeout.ms", "transaction.max.timeout.ms"),
        *("group.consumer.min.session.timeout.ms", "group.consumer.max.session.timeout.ms"),
        *("group.share.delivery.count.limit", "group.share.record.lock.duration.ms"),
        *("share.delivery.count.limit", "share.record.lock.duration.ms"),
        *("group.consumer.heartbeat.interval.ms", "group.consumer.assignors", "transactional.id.expiration.ms"),
    }
)
LONGEST_VALUE: Final = 200
"""Characters that are kept of a value."""


def select_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings that are kept, by name, each value without the blanks around it and no longer than is kept."""
    return {name: settings[name].strip()[:LONGEST_VALUE] for name in sorted(settings) if name in SETTINGS}
