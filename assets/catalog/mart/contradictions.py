"""What contradicts: copies of logs that differ, commits that no log bears out, records that came in twice.

Put columns here of findings about logs themselves. What groups read stands in `claims`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, LOG_TOPIC, TOPIC_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Interval, Table

LOG_DIVERGENCE: Final = Table(
    "mart",
    "log_divergence",
    "What contradicts: copies of a log that say different things, commits of an end that a log lost or never had, and "
    "groups in a partition of __consumer_offsets that is not theirs.",
    ("cluster", "kind", "topic", "partition", "broker_id", "path", "group_id", "other_epoch", "log_partition"),
    (
        CLUSTER,
        Column(
            "kind",
            pa.string(),
            "What contradicts.",
            values={
                "truncated_records": "a copy has batches of an earlier leader epoch where the archived one has one of "
                "a later one, or the other way round",
                "copies_differ": "in the same epoch, or none is said",
                "two_installations": "nearly all records that a log directory shares with what is kept differ from it",
                "commit_of_truncated_records": "it names an epoch that ended before it, by the log that was read",
                "commit_ahead_of_log": "the log went on after it and has not come so far",
                "group_in_wrong_partition": "than the one its id belongs in",
            },
            required=True,
        ),
        LOG_TOPIC,
        TOPIC_PARTITION,
        Column("group_id", pa.string(), "Consumer group that the finding is about; NULL for copies of a log."),
        Column(
            "from_offset",
            pa.int64(),
            "First offset of the topic's log that it is about: where copies differ, where a later epoch began, the log "
            "end, or the group's first record.",
            required=True,
        ),
        Column("to_offset", pa.int64(), "End (half-open): of commits the highest one.", required=True),
        Column("broker_id", pa.int32(), "Broker whose copy says otherwise; NULL for commits and groups."),
        Column("path", pa.string(), "File of that copy; NULL for commits and groups."),
        Column("archived_epoch", pa.int32(), "Leader epoch of the log that was kept there; NULL when unknown."),
        Column("other_epoch", pa.int32(), "Leader epoch that the other copy, or the commit, says; NULL when unknown."),
        Column("home_partition", pa.int32(), "Partition that the group's id belongs in; NULL for the other kinds."),
        Column("occurrences", pa.int64(), "Batches, records or commits that say so.", required=True, minimum=1),
        Column("first_at", TIMESTAMP, "When the first of them was appended; of copies, when it was read."),
        Column(
            "certainty",
            pa.string(),
            "proven; likely, where it is concluded from producers' clocks or from the number of partitions that fits "
            "best; possible, where clocks less than a minute apart decide. Of two_installations likely; proven where "
            "__consumer_offsets has another topic id in each.",
            required=True,
        ),
        Column("log_partition", pa.int32(), "Partition of __consumer_offsets that shows it; NULL for copies of a log."),
        Column("log_offset", pa.int64(), "Log offset there of the first record that does; NULL for copies of a log."),
        Column("last_log_offset", pa.int64(), "Log offset of the last one; NULL for copies of a log."),
    ),
    intervals=(Interval("from_offset", "to_offset"),),
)

PRODUCER_DUPLICATES: Final = Table(
    "mart",
    "producer_duplicates",
    "Batches of data topics that came in twice, by their headers, and gaps in what producers counted.",
    ("cluster", "kind", "topic", "partition", "from_offset"),
    (
        CLUSTER,
        Column(
            "kind",
            pa.string(),
            "What is found.",
            values={
                "sent_twice": "the same producer, epoch, sequence and checksum",
                "same_bytes": "a producer that does not count, but the same times, size and checksum",
                "sequence_gap": "a producer's batches follow each other, the numbers of their records do not",
            },
            required=True,
        ),
        LOG_TOPIC,
        TOPIC_PARTITION,
        Column("from_offset", pa.int64(), "First offset of the copy, or of the batch behind the gap.", required=True),
        Column("to_offset", pa.int64(), "Offset after its last one.", required=True),
        Column("first_from", pa.int64(), "First offset of the first copy, or of the batch before the gap."),
        Column("first_to", pa.int64(), "Offset after its last one."),
        Column("record_count", pa.int64(), "Records in the batch at from_offset.", required=True),
        Column("bytes", pa.int64(), "Its size on disk.", required=True),
        Column("producer_id", pa.int64(), "Producer; NULL where the batch has none."),
        Column("producer_epoch", pa.int16(), "Epoch of the producer; NULL where the batch has none."),
        Column("base_sequence", pa.int32(), "Number of its first record, as the producer counts; NULL without one."),
        Column("expected_sequence", pa.int32(), "Number that was to follow; NULL for what came in twice."),
        Column("first_record_at", TIMESTAMP, "Timestamp of its first record; NULL when the header has none."),
        Column("is_transactional", pa.bool_(), "It belongs to a transaction, which may be aborted.", required=True),
        Column(
            "certainty",
            pa.string(),
            "proven; likely, where an application may have sent the same twice, or the broker set the times and the "
            "checksum says nothing.",
            required=True,
        ),
    ),
    intervals=(Interval("from_offset", "to_offset"),),
)

TABLES: Final = (LOG_DIVERGENCE, PRODUCER_DUPLICATES)
