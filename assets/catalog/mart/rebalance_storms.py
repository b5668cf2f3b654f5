"""What many rebalances show together: storms, and who keeps a group busy.

Put columns here that count over rebalances. What one of them did stands in `rebalances`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

_SHARE: Final = "as a share of all changes"

REBALANCE_STORMS: Final = Table(
    "mart",
    "rebalance_storms",
    "Rebalances of one group, each begun no more than ten minutes after the one before was over, in which something "
    "goes round, or of which most of the time is a pause. Ten minutes or more of them are an incident.",
    ("cluster", "log_partition", "group_id", "log_offset"),
    (
        CLUSTER,
        GROUP_ID,
        LOG_PARTITION,
        Column("log_offset", pa.int64(), "Its first rebalance in mart.rebalances.", required=True),
        Column("last_log_offset", pa.int64(), "Its last rebalance in mart.rebalances.", required=True),
        Column("from_at", TIMESTAMP, "When the first began.", required=True),
        Column("to_at", TIMESTAMP, "When the last was over, or had begun if it goes on.", required=True),
        Column("rebalances", pa.int64(), "Rebalances.", required=True),
        Column(
            "pattern",
            pa.string(),
            "What goes round.",
            values={
                "member_returns": "a member that left came back three times or more",
                "same_cause": "it came back three times or more, without a change of members",
                "mostly_stopped": "for most of the time no member read, in five rebalances or more",
                "group_restarts": "the first, where most of the rebalances stopped no other member",
            },
            required=True,
        ),
        Column(
            "rounds",
            pa.int64(),
            "How often it came back, or the group was restarted; NULL where the group stands still.",
            minimum=3,
        ),
        Column("repeated", pa.string(), "Static instance, or client.id at host, or cause; NULL likewise."),
        Column("generations", pa.int64(), "Generations or epochs.", required=True),
        Column("pause_ms", pa.int64(), "Their longest pauses together; NULL where one isn't known."),
        Column("pause_total_ms", pa.int64(), "All pauses of all partitions together; NULL where one isn't known."),
        Column("pauses_known", pa.int64(), "Rebalances of which pause_ms is known.", required=True),
        Column("members_joined", pa.int64(), "How often somebody joined; NULL where that isn't known of any."),
        Column("members_left", pa.int64(), "How often somebody left or expired; NULL where that isn't known of any."),
        Column("trigger", pa.string(), "What began most of them.", required=True),
        Column("worst_member_id", pa.string(), "Who joined, left or changed most often; NULL where nobody is known."),
        Column("worst_member_share", pa.float64(), f"How often, {_SHARE}.", minimum=0, maximum=1),
        Column("worst_group_instance_id", pa.string(), "The static instance that did; NULL without any."),
        Column("worst_group_instance_share", pa.float64(), f"How often, {_SHARE}."),
        Column("worst_client_id", pa.string(), "The client.id that did; NULL where none is known."),
        Column("worst_client_share", pa.float64(), f"How often, {_SHARE}."),
        Column("worst_client_host", pa.string(), "The host that did; NULL where none is known."),
        Column("worst_client_host_share", pa.float64(), f"How often, {_SHARE}.", minimum=0, maximum=1),
    ),
    intervals=(Interval("from_at", "to_at", can_be_empty=True),),
)

CHURN: Final = Table(
    "mart",
    "churn",
    "Who joined and left how often: by member, static instance, client id and host.",
    ("cluster", "group_id", "dimension", "name"),
    (
        CLUSTER,
        GROUP_ID,
        Column(
            "dimension",
            pa.string(),
            "What the name is of.",
            values={
                "member": "a member id",
                "instance": "a group.instance.id",
                "client": "a client.id",
                "host": "a host",
            },
            required=True,
        ),
        Column("name", pa.string(), "Member id, group.instance.id, client.id or host.", required=True),
        Column("joins", pa.int64(), "How often it joined.", required=True),
        Column("leaves", pa.int64(), "How often it left, as a text log says.", required=True),
        Column("expiries", pa.int64(), "How often it expired, as a text log says.", required=True),
        Column("leaves_or_expiries", pa.int64(), "How often it went, without a line that says how.", required=True),
        Column("returns", pa.int64(), "How often it came back as another member of its instance.", required=True),
        Column("resubscriptions", pa.int64(), "How often it subscribed otherwise.", required=True),
        Column("rebalances", pa.int64(), "Rebalances that it had a part in.", required=True, minimum=1),
        Column(
            "share",
            pa.float64(),
            "The same as a share of all rebalances of the group.",
            required=True,
            minimum=0,
            maximum=1,
        ),
        Column("first_at", TIMESTAMP, "When the first change was recorded."),
        Column("last_at", TIMESTAMP, "When the last change was recorded."),
    ),
)

TABLES: Final = (REBALANCE_STORMS, CHURN)
