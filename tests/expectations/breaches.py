"""A sound row of every table, and for every rule what breaks it.

Put here rows only. That the rules catch them is tested in `test_suites`.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Final, NamedTuple

from tests.expectations import breaches_of_mirrors, breaches_of_rebalances
from tests.expectations.upkeep import BREACHES as UPKEEP_BREACHES
from tests.expectations.upkeep import SOUND as UPKEEP

Row = dict[str, Any]

NOON: Final = datetime(2026, 11, 18, 12, tzinfo=timezone.utc)
LATER: Final = datetime(2026, 11, 18, 12, 1, tzinfo=timezone.utc)
RECORD: Final[Row] = {"cluster": "c", "log_partition": 3, "log_offset": 7}
PARTITION: Final[Row] = {"cluster": "c", "topic": "orders", "partition": 0}
GROUP: Final[Row] = {**PARTITION, "group_id": "billing"}
STATE: Final[Row] = {**GROUP, "topic_id": "T", "state_partition": 1, "record_offset": 4, "is_gap_free": True}

SOUND: Final[dict[str, list[Row]]] = {
    "raw.segments": [
        {
            **PARTITION,
            "broker_id": None,
            "base_offset": 0,
            "source": "file",
            "end_offset": 5,
            "path": "orders-0/00000000000000000000.log",
            "read_at": NOON,
            "size_bytes": 70,
            "start_position": 0,
            "end_position": 61,
            "torn_bytes": 9,
            "batch_count": 1,
            "record_count": 1,
        }
    ],
    "raw.offset_records": [
        {**RECORD, "is_tombstone": False, "value_bytes": 24},
        {**RECORD, "log_offset": 8, "is_tombstone": True},
    ],
    "raw.internal_records": [{**PARTITION, "record_offset": 4, "is_tombstone": True}],
    "raw.diverged_internal_records": [],
    "core.share_states": [{**STATE, "record_kind": "update"}],
    "core.share_start_offsets": [{**STATE, "cause": "advanced", "from_offset": 3, "to_offset": 5}],
    "mart.share_redeliveries": [{**STATE, "delivery_count": 2}],
    "mart.share_archived": [
        {**STATE, "cause": "rejected", "delivery_count": 1, "attempts_limit": 5},
        {**STATE, "cause": "out_of_attempts", "delivery_count": 5, "attempts_limit": 5},
    ],
    "raw.diverged_records": [],
    "raw.diverged_batches": [],
    "raw.quarantine": [],
    "raw.log_offset_samples": [
        {
            **PARTITION,
            "sampled_at": NOON,
            "partition_count": 1,
            "log_start_offset": 0,
            "high_watermark": 9,
            "last_stable_offset": 7,
        },
        {**PARTITION, "sampled_at": NOON.replace(hour=13), "partition_count": 1},
    ],
    "raw.configurations": [
        {
            "cluster": "c",
            "source": "file",
            "resource_type": "broker",
            "resource_name": "1",
            "config_name": "offsets.retention.minutes",
            "config_value": "1",
            "path": "p",
            "read_at": NOON,
        }
    ],
    "core.commits": [
        {**RECORD, "effective_log_offset": 7, "kind": "first", "committed_offset": 5, "actor": "admin"},
        {
            **RECORD,
            "log_offset": 8,
            "effective_log_offset": 9,
            "kind": "rewind",
            "previous_offset": 5,
            "committed_offset": 2,
            "delta": -3,
            "actor": "owner",
            "member_id": "m",
        },
        {**RECORD, "log_offset": 10, "effective_log_offset": 10, "kind": "removed", "previous_offset": 2}
        | {"cause": "expired"},
        {
            **RECORD,
            "log_offset": 30,
            "effective_log_offset": 30,
            "kind": "unknown",
            "is_previous_known": False,
            "committed_offset": 2,
            "actor": "unknown",
        },
    ],
    "core.transactions": [
        {
            **RECORD,
            "producer_id": 5,
            "last_log_offset": 8,
            "marker_log_offset": 9,
            "outcome": "committed",
            "record_count": 2,
            "age_ms": 40,
        },
        {**RECORD, "log_offset": 12, "producer_id": 5, "last_log_offset": 12, "outcome": "open", "record_count": 1},
    ],
    "core.record_compaction": [
        {**RECORD, "status": "superseded", "superseding_log_offset": 8, "obsolete_from_log_offset": 9},
        {**RECORD, "log_offset": 8, "status": "current"},
        {**RECORD, "log_offset": 9, "status": "marker"},
        {**RECORD, "log_offset": 10, "status": "aborted", "obsolete_from_log_offset": 11},
    ],
    "core.generations": [
        {**RECORD, "state": "Stable", "generation": 1, "member_count": 2, "to_log_offset": 9},
        {**RECORD, "log_offset": 9, "state": "Empty", "generation": 2, "member_count": 0, "to_log_offset": 10},
        {**RECORD, "log_offset": 10, "state": "Removed"},
    ],
    "core.members": [
        {**RECORD, "group_type": "classic", "generation": 1, "member_id": "m-1", "session_timeout_ms": 45_000},
        {**RECORD, "log_offset": 8, "group_type": "consumer", "member_id": "m-2", "state": "away", "to_log_offset": 9},
    ],
    "internal.recorded_group_states": [
        {**RECORD, "group_id": "g", "state": "Stable", "member_count": 2, "to_log_offset": 8},
        {**RECORD, "group_id": "g", "log_offset": 8, "state": "Empty", "member_count": 0},
        {**RECORD, "group_id": "g", "log_offset": 9},
        {**RECORD, "group_id": "g", "log_offset": 10, "state": "Dead"},
    ],
    "core.group_states": [
        {**RECORD, "group_id": "g", "state": "Stable", "member_count": 2, "source": "record", "to_log_offset": 8},
        {**RECORD, "group_id": "g", "log_offset": 8, "state": "Empty", "member_count": 0, "source": "record"},
        {
            **RECORD,
            "group_id": "g",
            "state": "PreparingRebalance",
            "source": "text_log",
            "broker_id": 1,
            "line": 4,
            "from_at": NOON,
            "to_at": LATER,
            "to_log_offset": 8,
        },
        {**RECORD, "group_id": "g", "log_offset": 9, "source": "record"},
        {**RECORD, "group_id": "g", "log_offset": 10, "state": "Dead", "source": "record"},
    ],
    "core.ownership": [
        {
            **RECORD,
            **GROUP,
            "group_type": "classic",
            "member_id": "m-1",
            "to_log_offset": 9,
            "until_log_offset": 9,
            "end_reason": "revoked",
        },
        {**RECORD, **GROUP, "log_offset": 9, "group_type": "classic", "member_id": "m-2"},
    ],
    "core.log_ends": [
        {**PARTITION, "reached_at": NOON, "source": "batch", "log_end_offset": 5},
        {**PARTITION, "reached_at": NOON, "source": "checkpoint", "log_start_offset": 0},
        {**PARTITION, "reached_at": NOON, "source": "segment", "log_end_offset": 5},
        {**PARTITION, "reached_at": NOON, "source": "replication", "high_watermark": 4},
        {**PARTITION, "reached_at": NOON, "until_at": LATER, "source": "gap"},
    ],
    "core.quarantine": [],
    "internal.offset_snapshots": [
        {**GROUP, **RECORD, "taken_at": NOON, "kind": "advance", "committed_offset": 5, "effective_at": NOON},
        {**GROUP, **RECORD, "taken_at": NOON, "partition": 1, "kind": "removed", "effective_at": NOON},
    ],
    "internal.batch_index": [
        {
            **PARTITION,
            "source": "batch",
            "log_end_offset": 5,
            "base_offset": 0,
            "last_offset": 4,
            "records_lower": 3,
            "records_upper": 5,
            "records_lower_through": 3,
            "records_upper_through": 5,
            "last_stable_offset": 5,
        }
    ],
    "mart.lag": [
        {
            **GROUP,
            **RECORD,
            "as_of": NOON,
            "kind": "commit",
            "current_offset": 5,
            "log_end_offset": 9,
            "log_end_lower": 9,
            "log_end_upper": 9,
            "lag": 4,
            "lag_lower": 4,
            "lag_upper": 4,
            "lost_offsets": 0,
            "records_lower": 3,
            "records_upper": 4,
            "seconds_lower": 1.0,
            "seconds_upper": 2.0,
            "method": "batches",
            "stable_lag": 4,
        },
        {**GROUP, **RECORD, "as_of": NOON, "kind": "grid", "current_offset": 5},
    ],
    "mart.log_coverage": [{**PARTITION, "from_offset": 0, "to_offset": 9, "status": "whole"}],
    "mart.offsets_now": [
        {**GROUP, "current_offset": 5, "is_known": True},
        {**GROUP, "partition": 1, "is_known": False, "last_seen_offset": 5},
    ],
    "mart.lag_now": [
        {
            **GROUP,
            "current_offset": 5,
            "log_start_offset": 0,
            "log_end_offset": 9,
            "log_end_lower": 9,
            "log_end_upper": 9,
            "lag": 4,
            "lag_lower": 4,
            "lag_upper": 4,
            "lost_offsets": 0,
            "member_id": "m-1",
            "client_host": "/10.0.0.1",
        },
        {**GROUP, "partition": 1, "current_offset": 5},
    ],
    **breaches_of_mirrors.SOUND,
    **breaches_of_rebalances.SOUND,
    "mart.replays": [
        {
            **RECORD,
            **GROUP,
            "kind": "set_back",
            **dict.fromkeys(("from_offset", "possible_from", "certain_from", "estimate_from"), 2),
            **dict.fromkeys(("to_offset", "possible_to", "certain_to", "estimate_to"), 9),
            **dict.fromkeys(("records_possible", "records_certain"), 7),
            **dict.fromkeys(("occurred_at", "detected_at"), NOON),
            "certainty": "proven",
            "cause": "admin_reset",
            "actor": "admin",
        },
        {
            **RECORD,
            **GROUP,
            "log_offset": 8,
            "kind": "handed_over",
            **dict.fromkeys(("from_offset", "possible_from", "estimate_from", "estimate_to"), 9),
            "possible_to": 12,
            "certainty": "possible",
            "cause": "member_crash",
            "actor": "former_owner",
        },
    ],
    "mart.findings": [
        {
            **RECORD,
            "incident_id": "0123456789ab",
            "possible_from": 2,
            "possible_to": 9,
            "certain_from": 3,
            "certain_to": 9,
            "certainty": "proven",
        },
        {**RECORD, "log_offset": 8, "incident_id": "0123456789ab", "certainty": "likely"},
    ],
    "mart.incidents": [
        {
            "cluster": "c",
            "incident_id": "0123456789ab",
            "rank": 1,
            "severity": "critical",
            "certainty": "proven",
            "certain_offsets": 6,
            "possible_offsets": 7,
            "detected_at": NOON,
            "to_time": NOON,
        },
        {"cluster": "c", "incident_id": "ba9876543210", "rank": 2, "severity": "low", "certainty": "likely"},
    ],
    "mart.basis": [
        {
            "cluster": "c",
            "topic": "__consumer_offsets",
            "partition": 7,
            "history_offsets": 9,
            "unseen_offsets": 9,
            "batches_set_aside": 0,
            "batches": 3,
            "newest_record_at": NOON,
            "last_read_at": NOON,
        },
        {**PARTITION, "log_ends_from": "samples"},
    ],
    "mart.skips": [
        {
            **RECORD,
            "kind": "set_forward",
            "possible_from": 2,
            "possible_to": 9,
            "certain_from": 3,
            "certain_to": 9,
            "estimate_from": 2,
            "estimate_to": 9,
            "certainty": "proven",
            "cause": "admin_reset",
            "records_possible": 7,
            "records_certain": 6,
            "actor": "admin",
        },
        {
            **RECORD,
            "log_offset": 8,
            "kind": "overtaken_by_log_start",
            "possible_from": 2,
            "possible_to": 9,
            "estimate_from": 2,
            "estimate_to": 7,
            "certainty": "likely",
            "cause": "retention",
        },
    ],
    **UPKEEP,
    "mart.log_divergence": [
        {
            **PARTITION,
            "kind": "commit_of_truncated_records",
            "group_id": "billing",
            "from_offset": 40,
            "to_offset": 70,
            "archived_epoch": 1,
            "other_epoch": 0,
            "occurrences": 2,
            "log_partition": 3,
        },
        {
            **PARTITION,
            "kind": "commit_ahead_of_log",
            "group_id": "billing",
            "from_offset": 4,
            "to_offset": 5,
            "occurrences": 1,
            "log_partition": 3,
        },
    ],
    "mart.producer_duplicates": [
        {
            **PARTITION,
            "kind": "sent_twice",
            "first_from": 5,
            "from_offset": 9,
            "to_offset": 12,
            "producer_id": 6,
            "certainty": "proven",
        },
        {
            **PARTITION,
            "kind": "same_bytes",
            "first_from": 5,
            "from_offset": 9,
            "to_offset": 12,
            "certainty": "likely",
        },
    ],
}


class Breach(NamedTuple):
    """A rule, and the row that breaks it; no row stands for a second copy of the first sound one."""

    table: str
    rule: str
    row: Row | None


def _second_copy(table: str, rule: str) -> Breach:
    return Breach(table, rule, None)


def _commit(rule: str, **changed: object) -> Breach:
    row = {**RECORD, "log_offset": 20, "effective_log_offset": 20, "kind": "repeat", "committed_offset": 5}
    row |= {"actor": "owner", "member_id": "m", "previous_offset": 5, "delta": 0}
    return Breach("core.commits", rule, {**row, **changed})


def _transaction(rule: str, **changed: object) -> Breach:
    row = {**RECORD, "log_offset": 20, "producer_id": 6, "last_log_offset": 21, "marker_log_offset": 22}
    return Breach("core.transactions", rule, {**row, "outcome": "aborted", "record_count": 2, "age_ms": 1, **changed})


def _state(rule: str, **changed: object) -> Breach:
    return Breach("core.generations", rule, {**RECORD, "log_offset": 20, **changed})


def _claim(rule: str, **changed: object) -> Breach:
    return Breach("mart.replays", rule, {**SOUND["mart.replays"][0], "log_offset": 20, **changed})


_UNSURE: Final[Row] = {
    "certainty": "possible",
    **dict.fromkeys(("certain_from", "certain_to", "records_certain", "estimate_from", "estimate_to")),
}


def _skip(rule: str, **changed: object) -> Breach:
    return Breach("mart.skips", rule, {**SOUND["mart.skips"][0], "log_offset": 20, **changed})


def _other(table: str, rule: str, **changed: object) -> Breach:
    first = SOUND[table][0] if SOUND[table] else {"reason": "torn batch", "position": 0, "size_bytes": 9}
    return Breach(table, rule, {**first, **changed})


BREACHES: Final = (
    _other("raw.segments", "end_in_file", end_position=71),
    _other("raw.segments", "offsets_go_forward", base_offset=6),
    _other("raw.configurations", "known_setting", config_name="ssl.keystore.password"),
    _other("raw.log_offset_samples", "partition_among_its_topics", partition=1),
    _other("raw.log_offset_samples", "stable_before_the_end", last_stable_offset=10),
    _other("raw.offset_records", "tombstone_without_value", is_tombstone=True),
    _other("raw.offset_records", "every_key_decoded", undecoded_key=b"\x00\x63"),
    _other("raw.offset_records", "every_value_decoded", undecoded_value=b"\x00\x63"),
    _other("raw.internal_records", "tombstone_without_value", value_bytes=3),
    Breach("raw.diverged_internal_records", "copies_agree", {**PARTITION, "record_offset": 0, "path": "a"}),
    _other("core.share_states", "every_state_decoded", record_kind="unreadable"),
    _other("core.share_start_offsets", "advances_go_forward", to_offset=3),
    _other("mart.share_redeliveries", "delivered_more_than_once", delivery_count=1),
    _other("mart.share_archived", "rejected_below_the_limit", delivery_count=5),
    _other("mart.share_archived", "attempts_by_a_limit", cause="out_of_attempts", attempts_limit=None),
    Breach("raw.diverged_records", "copies_agree", {**RECORD, "path": "a"}),
    Breach("raw.diverged_batches", "copies_agree", {**PARTITION, "base_offset": 0, "path": "a"}),
    _other("raw.quarantine", "everything_read"),
    _transaction("open_has_no_marker", outcome="open"),
    _transaction("ended_by_a_marker", marker_log_offset=None),
    _transaction("marker_behind_its_records", marker_log_offset=21),
    _transaction("open_has_records", outcome="open", marker_log_offset=None, record_count=0),
    _other("core.record_compaction", "needed_is_not_obsolete", status="pending"),
    _other("core.record_compaction", "obsolete_from_a_record_on", obsolete_from_log_offset=None),
    _other("core.record_compaction", "obsolete_by_later_records", obsolete_from_log_offset=6),
    _other("core.record_compaction", "superseded_by_later_records", superseding_log_offset=7),
    _commit("known_cause", kind="removed", committed_offset=None, delta=None, cause="whim"),
    _commit("removal_has_cause", kind="removed", committed_offset=None, delta=None),
    _commit("commit_has_no_cause", cause="expired"),
    _commit("nothing_is_claimed_over_a_hole", is_previous_known=False),
    _commit("commit_has_offset", committed_offset=None),
    _commit("removal_has_no_offset", kind="removed"),
    _commit("first_follows_nothing", kind="first"),
    _commit("first_moves_nothing", kind="first"),
    _commit("advance_goes_forward", kind="advance"),
    _commit("rewind_goes_back", kind="rewind"),
    _commit("advance_delta", kind="advance"),
    _commit("rewind_delta", kind="rewind"),
    _commit("repeat_delta", delta=1),
    _commit("commit_has_committer", actor=None),
    _commit("removal_has_no_committer", kind="removed"),
    _commit("owner_is_named", member_id=None),
    _commit("former_owner_is_named", actor="former_owner", member_id=None),
    _commit("admin_is_no_member", actor="admin"),
    _commit("simple_consumer_is_no_member", actor="simple_consumer"),
    _commit("unknown_is_nobody", actor="unknown"),
    _state("standing_has_generation", state="Empty"),
    _state("removed_has_no_generation", state="Removed", generation=3),
    _state("stable_has_members", state="Stable", member_count=0),
    _state("empty_has_none", state="Empty", member_count=1),
    _state("generations_go_forward", state="Stable", member_count=1, generation=1, generation_before=2),
    _other("core.members", "member_of_a_generation", generation=None),
    _other("internal.recorded_group_states", "empty_has_none", state="Empty"),
    _other("internal.recorded_group_states", "stable_has_members", member_count=0),
    _other("internal.recorded_group_states", "dead_has_no_members", state="Dead"),
    _other("core.group_states", "empty_has_none", state="Empty"),
    _other("core.group_states", "stable_has_members", member_count=0),
    _other("core.group_states", "dead_has_no_members", state="Dead"),
    _other("core.group_states", "line_is_named", source="text_log", line=None),
    _other("core.group_states", "record_is_named", log_offset=None),
    _other("core.group_states", "rebalances_are_not_recorded", state="CompletingRebalance"),
    _other("core.group_states", "ends_after_it_began", source="text_log", line=4, from_at=LATER, to_at=NOON),
    Breach(
        "core.ownership",
        "one_owner_at_a_time",
        {**RECORD, **GROUP, "log_offset": 8, "group_type": "classic", "member_id": "m-2"},
    ),
    _other("core.ownership", "unknown_has_no_end", end_reason="unknown"),
    _other("core.ownership", "end_is_explained", end_reason=None),
    _other("core.log_ends", "batch_says_the_end", log_end_offset=None),
    _other("core.log_ends", "segment_says_the_end", source="segment", log_end_offset=None),
    _other("core.log_ends", "checkpoint_says_the_start", source="checkpoint"),
    _other("core.log_ends", "replication_says_the_watermark", source="replication"),
    _other("core.log_ends", "stable_up_to_the_end_at_most", last_stable_offset=6),
    _other("core.log_ends", "gap_says_no_end", source="gap"),
    _other("core.log_ends", "held_for_a_while", until_at=NOON),
    _other("mart.log_coverage", "nothing_unseen", status="never"),
    Breach("core.quarantine", "everything_usable", {**RECORD, "reason": "no_producer"}),
    _other("internal.offset_snapshots", "not_before_it_took_effect", taken_at=NOON.replace(hour=11)),
    _other("internal.offset_snapshots", "removed_has_no_offset", kind="removed"),
    _other("internal.batch_index", "stable_not_beyond_end", last_stable_offset=6),
    _other("mart.lag", "end_not_below_current", log_end_lower=4),
    _other("mart.lag", "no_more_records_than_offsets", records_upper=5),
    _other("mart.lag", "stable_is_part", stable_lag=5),
    _other("mart.lag", "unknown_end_unknown_lag", log_end_offset=None),
    _other("mart.lag", "unknown_lag_unknown_records", lag=None, records=3),
    _other("mart.offsets_now", "offset_known", current_offset=None),
    _other("mart.offsets_now", "unknown_is_null", is_known=False),
    _other("mart.lag_now", "end_not_below_current", log_end_lower=4),
    _other("mart.lag_now", "unknown_end_unknown_lag", log_end_offset=None),
    _other("mart.lag_now", "nobody_has_no_host", member_id=None),
    *(
        _second_copy(table, rule) if changed is None else _other(table, rule, **changed)
        for table, rule, changed in breaches_of_rebalances.BREACHES
    ),
    _claim("certain_begins_inside", certain_from=1),
    _claim("certain_ends_inside", certain_to=10),
    _claim("estimate_begins_inside", estimate_from=1),
    _claim("estimate_ends_inside", estimate_to=10),
    _claim("fewer_are_certain", records_certain=8),
    _claim("noticed_after_it_began", detected_at=NOON - timedelta(seconds=1)),
    _claim("certain_has_a_range", certain_from=None),
    _claim("others_have_none", certainty="possible"),
    _claim("likely_has_an_estimate", **{**_UNSURE, "certainty": "likely"}),
    _claim("resets_are_not_ordinary", is_ordinary=True),
    _claim("resets_have_no_step", step=3),
    _claim("no_hand_over_is_certain", kind="handed_over"),
    _skip("certain_begins_inside", certain_from=1),
    _skip("certain_ends_inside", certain_to=10),
    _skip("estimate_ends_inside", estimate_to=10),
    _skip("certain_holds_no_more_records", records_certain=8),
    _skip("others_have_no_certain_records", certainty="likely"),
    _skip("certain_has_a_range", certain_from=None),
    _skip("others_have_none", certainty="likely"),
    *[Breach(table, rule, row) for table, rule, row in UPKEEP_BREACHES],
    *[Breach(table, rule, row) for table, rule, row in breaches_of_mirrors.BREACHES],
    _other("mart.log_divergence", "lost_to_a_later_epoch", partition=1, archived_epoch=0),
    _other("mart.log_divergence", "has_a_home", kind="group_in_wrong_partition", partition=1),
    _other("mart.log_divergence", "groups_are_at_home", kind="group_in_wrong_partition", partition=1, home_partition=7),
    _other("mart.producer_duplicates", "copy_is_later", from_offset=5),
    _other("mart.producer_duplicates", "counted_by_somebody", from_offset=10, producer_id=None),
    _other("mart.producer_duplicates", "same_bytes_are_no_proof", kind="same_bytes", partition=1),
    _other("mart.findings", "certain_begins_inside", certain_from=1),
    _other("mart.findings", "certain_ends_inside", certain_to=10),
    _other("mart.findings", "names_a_record", group_id="billing", log_offset=None),
    _other("mart.incidents", "certain_is_possible", certain_offsets=8),
    _other("mart.incidents", "ends_after_it_began", to_time=NOON.replace(hour=11)),
    _other("mart.basis", "no_more_unseen_than_there_are", unseen_offsets=10),
)
