"""A sound row of every table, and for every rule what breaks it.

Put here rows only. That the rules catch them is tested in `test_suites`.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Final, NamedTuple

from tests.expectations import breaches_of_rebalances
from tests.expectations.upkeep import BREACHES as UPKEEP_BREACHES
from tests.expectations.upkeep import SOUND as UPKEEP

Row = dict[str, Any]

NOON: Final = datetime(2026, 11, 18, 12, tzinfo=timezone.utc)
LATER: Final = datetime(2026, 11, 18, 12, 1, tzinfo=timezone.utc)
RECORD: Final[Row] = {"cluster": "c", "log_partition": 3, "log_offset": 7}
PARTITION: Final[Row] = {"cluster": "c", "topic": "orders", "partition": 0}
GROUP: Final[Row] = {**PARTITION, "group_id": "billing"}

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
    "raw.batches": [
        {**PARTITION, "base_offset": 0, "last_offset": 4, "size_bytes": 90, "position": 0, "codec": "zstd", "magic": 2}
    ],
    "raw.diverged_records": [],
    "raw.diverged_batches": [],
    "raw.quarantine": [],
    "raw.coordinator_log": [
        {
            "cluster": "c",
            "broker_id": 1,
            "logged_at": NOON,
            "message": "Stabilized group billing generation 3 with 2 members.",
            "repeat": 0,
            "line": 1,
            "to_state": "CompletingRebalance",
        }
    ],
    "raw.log_samples": [
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
    "raw.retirements": [
        {**PARTITION, "from_offset": 0, "to_offset": 9, "row_count": 4, "older_than": NOON, "retired_at": NOON}
    ],
    "core.commits": [
        {**RECORD, "effective_log_offset": 7, "kind": "first", "committed_offset": 5, "by": "admin"},
        {
            **RECORD,
            "log_offset": 8,
            "effective_log_offset": 9,
            "kind": "rewind",
            "previous_offset": 5,
            "committed_offset": 2,
            "delta": -3,
            "by": "owner",
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
            "by": "unknown",
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
    "core.generations": [
        {**RECORD, "state": "Stable", "generation": 1, "member_count": 2, "to_log_offset": 9},
        {**RECORD, "log_offset": 9, "state": "Empty", "generation": 2, "member_count": 0, "to_log_offset": 10},
        {**RECORD, "log_offset": 10, "state": "Removed"},
    ],
    "core.members": [
        {**RECORD, "group_type": "classic", "generation": 1, "member_id": "m-1", "session_timeout_ms": 45_000},
        {**RECORD, "log_offset": 8, "group_type": "consumer", "member_id": "m-2", "state": "away", "to_log_offset": 9},
    ],
    "core.recorded_states": [
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
            "source": "server.log",
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
            "ended": "revoked",
        },
        {**RECORD, **GROUP, "log_offset": 9, "group_type": "classic", "member_id": "m-2"},
    ],
    "core.subscriptions": [{**RECORD, "member_id": "m-1", "topics": ["t"], "regex": "t.*", "to_log_offset": 9}],
    "core.assignments": [
        {**RECORD, "member_id": "m-1", "what": "target", "topic": "t", "topic_id": "id", "to_log_offset": 9}
    ],
    "core.topic_names": [{**RECORD, "topic_id": "id", "topic": "orders"}],
    "core.topics": [
        {"cluster": "c", "topic_id": "id", "topic": "orders", "first_seen_at": NOON, "last_seen_at": NOON},
    ],
    "core.log_ends": [
        {**PARTITION, "reached_at": NOON, "source": "batch", "log_end_offset": 5},
        {**PARTITION, "reached_at": NOON, "source": "checkpoint", "log_start_offset": 0},
        {**PARTITION, "reached_at": NOON, "source": "segment", "log_end_offset": 5},
        {**PARTITION, "reached_at": NOON, "source": "replication", "high_watermark": 4},
        {**PARTITION, "reached_at": NOON, "until_at": LATER, "source": "gap"},
    ],
    "core.holes": [{"cluster": "c", "log_partition": 3, "from_log_offset": 7, "to_log_offset": 9, "is_damage": False}],
    "core.behind_holes": [{**GROUP, **RECORD, "effective_at": NOON}],
    "core.stores": [
        {**GROUP, **RECORD, "taken_at": NOON, "kind": "advance", "committed_offset": 5, "effective_at": NOON},
        {**GROUP, **RECORD, "taken_at": NOON, "partition": 1, "kind": "removed", "effective_at": NOON},
    ],
    "core.places": [
        {
            "cluster": "c",
            "group_id": "billing",
            "log_partition": 3,
            "commits": 2,
            "first_log_offset": 7,
            "last_log_offset": 9,
        }
    ],
    "core.reach": [
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
            "point": "commit",
            "current_offset": 5,
            "log_end_offset": 9,
            "lag": 4,
            "lost": 0,
            "records_lower": 3,
            "records_upper": 4,
            "seconds_lower": 1.0,
            "seconds_upper": 2.0,
            "method": "batches",
            "stable_lag": 4,
        },
        {**GROUP, **RECORD, "as_of": NOON, "point": "grid", "current_offset": 5},
    ],
    "mart.group_status": [
        {"cluster": "c", "group_id": "billing", "as_of": NOON, "status": "OK", "strict_status": "ERR", "complete": 0.5}
    ],
    "mart.owner_conflicts": [],
    "mart.completeness": [{**PARTITION, "from_offset": 0, "to_offset": 9, "seen": "whole"}],
    "mart.offsets_now": [
        {**GROUP, "current_offset": 5, "is_known": True},
        {**GROUP, "partition": 1, "is_known": False, "seen_offset": 5},
    ],
    "mart.lag_now": [
        {
            **GROUP,
            "current_offset": 5,
            "log_start_offset": 0,
            "log_end_offset": 9,
            "lag": 4,
            "lost": 0,
            "member_id": "m-1",
            "host": "/10.0.0.1",
        },
        {**GROUP, "partition": 1, "current_offset": 5},
    ],
    **breaches_of_rebalances.SOUND,
    "mart.replays": [
        {
            **RECORD,
            **GROUP,
            "how": "set back",
            **dict.fromkeys(("from_offset", "possible_from", "certain_from", "estimate_from"), 2),
            **dict.fromkeys(("to_offset", "possible_to", "certain_to", "estimate_to"), 9),
            **dict.fromkeys(("records_possible", "records_certain"), 7),
            **dict.fromkeys(("at", "detected_at"), NOON),
            "certainty": "proven",
            "cause": "admin reset",
            "by": "admin",
        },
        {
            **RECORD,
            **GROUP,
            "log_offset": 8,
            "how": "handed over",
            **dict.fromkeys(("from_offset", "possible_from", "estimate_from", "estimate_to"), 9),
            "possible_to": 12,
            "certainty": "possible",
            "cause": "member crash",
            "by": "former owner",
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
            "severity": 4,
            "certainty": "certain",
        },
        {**RECORD, "log_offset": 8, "incident_id": "0123456789ab", "severity": 2, "certainty": "bounded"},
    ],
    "mart.incidents": [
        {
            "cluster": "c",
            "incident_id": "0123456789ab",
            "rank": 1,
            "severity": "critical",
            "certainty": "certain",
            "certain_offsets": 6,
            "possible_offsets": 7,
            "detected_at": NOON,
            "to_time": NOON,
        },
        {"cluster": "c", "incident_id": "ba9876543210", "rank": 2, "severity": "low", "certainty": "bounded"},
    ],
    "mart.skips": [
        {
            **RECORD,
            "how": "set forward",
            "possible_from": 2,
            "possible_to": 9,
            "certain_from": 3,
            "certain_to": 9,
            "estimate_from": 2,
            "estimate_to": 9,
            "certainty": "proven",
            "cause": "admin reset",
            "records_possible": 7,
            "records_certain": 6,
            "by": "admin",
        },
        {
            **RECORD,
            "log_offset": 8,
            "how": "overtaken",
            "possible_from": 2,
            "possible_to": 9,
            "estimate_from": 2,
            "estimate_to": 7,
            "certainty": "likely",
            "cause": "retention",
        },
    ],
    **UPKEEP,
    "mart.diverged": [
        {
            **PARTITION,
            "kind": "commit of a lost end",
            "group_id": "billing",
            "from_offset": 40,
            "to_offset": 70,
            "epoch_kept": 1,
            "epoch_other": 0,
            "occurrences": 2,
            "log_partition": 3,
        },
        {
            **PARTITION,
            "kind": "commit ahead of the log",
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
            "kind": "sent twice",
            "first_from": 5,
            "from_offset": 9,
            "to_offset": 12,
            "producer_id": 6,
            "certainty": "certain",
        },
        {
            **PARTITION,
            "kind": "same bytes",
            "first_from": 5,
            "from_offset": 9,
            "to_offset": 12,
            "certainty": "inferred",
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
    row |= {"by": "owner", "member_id": "m", "previous_offset": 5, "delta": 0}
    return Breach("core.commits", rule, {**row, **changed})


def _transaction(rule: str, **changed: object) -> Breach:
    row = {**RECORD, "log_offset": 20, "producer_id": 6, "last_log_offset": 21, "marker_log_offset": 22}
    return Breach("core.transactions", rule, {**row, "outcome": "aborted", "record_count": 2, "age_ms": 1, **changed})


def _state(rule: str, **changed: object) -> Breach:
    return Breach("core.generations", rule, {**RECORD, "log_offset": 20, **changed})


def _claim(rule: str, **changed: object) -> Breach:
    return Breach("mart.replays", rule, {**SOUND["mart.replays"][0], "log_offset": 20, **changed})


_UNSURE: Final[Row] = {
    "certainty": "bounded",
    **dict.fromkeys(("certain_from", "certain_to", "records_certain", "estimate_from", "estimate_to")),
}


def _skip(rule: str, **changed: object) -> Breach:
    return Breach("mart.skips", rule, {**SOUND["mart.skips"][0], "log_offset": 20, **changed})


def _other(table: str, rule: str, **changed: object) -> Breach:
    first = SOUND[table][0] if SOUND[table] else {"reason": "torn batch", "position": 0, "size_bytes": 9}
    return Breach(table, rule, {**first, **changed})


BREACHES: Final = (
    _second_copy("raw.segments", "accounted_once"),
    _other("raw.segments", "start_not_negative", start_position=-1),
    _other("raw.segments", "end_not_before_start", start_position=62),
    _other("raw.segments", "end_in_file", end_position=71),
    _other("raw.segments", "known_source", source="rumour"),
    _other("raw.segments", "offsets_go_forward", base_offset=6),
    _other("raw.segments", "torn_not_negative", torn_bytes=-1),
    _other("raw.segments", "batch_count_not_negative", batch_count=-1),
    _other("raw.segments", "record_count_not_negative", record_count=-1),
    _second_copy("raw.retirements", "retired_once"),
    _other("raw.retirements", "ends_after_its_beginning", to_offset=0),
    _other("raw.retirements", "something_retired", row_count=0),
    _second_copy("raw.configurations", "read_once"),
    _other("raw.configurations", "known_setting", config_name="ssl.keystore.password"),
    _other("raw.configurations", "known_resource", resource_type="user"),
    _other("raw.configurations", "known_source", source="email"),
    _second_copy("raw.log_samples", "sampled_once"),
    _other("raw.log_samples", "time_known", sampled_at=None),
    _other("raw.log_samples", "partition_among_its_topics", partition=1),
    _other("raw.log_samples", "stable_before_the_end", last_stable_offset=10),
    _other("raw.log_samples", "start_not_negative", log_start_offset=-1),
    _second_copy("raw.coordinator_log", "kept_once"),
    _other("raw.coordinator_log", "time_known", logged_at=None),
    _other("raw.coordinator_log", "line_counted_from_one", line=0),
    _other("raw.coordinator_log", "known_state", to_state="Asleep"),
    _second_copy("raw.offset_records", "kept_once"),
    _other("raw.offset_records", "log_offset_known", log_offset=None),
    _other("raw.offset_records", "log_offset_not_negative", log_offset=-1),
    _other("raw.offset_records", "tombstone_without_value", is_tombstone=True),
    _other("raw.offset_records", "every_key_decoded", undecoded_key=b"\x00\x63"),
    _other("raw.offset_records", "every_value_decoded", undecoded_value=b"\x00\x63"),
    _second_copy("raw.batches", "kept_once"),
    _other("raw.batches", "base_offset_not_negative", base_offset=-1),
    _other("raw.batches", "size_positive", size_bytes=0),
    _other("raw.batches", "position_not_negative", position=-1),
    _other("raw.batches", "known_magic", magic=3),
    _other("raw.batches", "last_not_before_base", base_offset=5),
    _other("raw.batches", "known_codec", codec="5"),
    Breach("raw.diverged_records", "file_named", {**RECORD, "path": None}),
    Breach("raw.diverged_records", "copies_agree", {**RECORD, "path": "a"}),
    Breach("raw.diverged_batches", "file_named", {**PARTITION, "base_offset": 0, "path": None}),
    Breach("raw.diverged_batches", "copies_agree", {**PARTITION, "base_offset": 0, "path": "a"}),
    _other("raw.quarantine", "reason_given", reason=None),
    _other("raw.quarantine", "position_not_negative", position=-1),
    _other("raw.quarantine", "size_not_negative", size_bytes=-1),
    _other("raw.quarantine", "everything_read"),
    _second_copy("core.transactions", "told_once"),
    _transaction("known_outcome", outcome="lost"),
    _transaction("open_has_no_marker", outcome="open"),
    _transaction("ended_by_a_marker", marker_log_offset=None),
    _transaction("marker_behind_its_records", marker_log_offset=21),
    _transaction("last_not_before_first", last_log_offset=19),
    _transaction("open_has_records", outcome="open", marker_log_offset=None, record_count=0),
    _transaction("age_not_negative", age_ms=-1),
    _second_copy("core.commits", "applied_once"),
    _commit("known_kind", kind="skip"),
    _commit("known_cause", kind="removed", committed_offset=None, delta=None, cause="whim"),
    _commit("removal_has_cause", kind="removed", committed_offset=None, delta=None),
    _commit("commit_has_no_cause", cause="expired"),
    _commit("nothing_is_claimed_over_a_hole", is_previous_known=False),
    _commit("not_effective_before_its_record", effective_log_offset=19),
    _commit("commit_has_offset", committed_offset=None),
    _commit("removal_has_no_offset", kind="removed"),
    _commit("first_follows_nothing", kind="first"),
    _commit("first_moves_nothing", kind="first"),
    _commit("advance_goes_forward", kind="advance"),
    _commit("rewind_goes_back", kind="rewind"),
    _commit("advance_delta", kind="advance"),
    _commit("rewind_delta", kind="rewind"),
    _commit("repeat_delta", delta=1),
    _commit("known_committer", by="nobody"),
    _commit("commit_has_committer", by=None),
    _commit("removal_has_no_committer", kind="removed"),
    _commit("owner_is_named", member_id=None),
    _commit("former_owner_is_named", by="former owner", member_id=None),
    _commit("admin_is_no_member", by="admin"),
    _commit("simple_consumer_is_no_member", by="simple consumer"),
    _commit("unknown_is_nobody", by="unknown"),
    _commit("offset_not_negative", committed_offset=-1),
    _second_copy("core.generations", "written_once"),
    _state("known_state", state="Dead"),
    _state("standing_has_generation", state="Empty"),
    _state("removed_has_no_generation", state="Removed", generation=3),
    _state("stable_has_members", state="Stable", member_count=0),
    _state("empty_has_none", state="Empty", member_count=1),
    _state("ended_by_a_later_record", to_log_offset=20),
    _state("generation_not_negative", generation=-1),
    _state("generations_go_forward", state="Stable", member_count=1, generation=1, generation_before=2),
    _other("core.members", "member_of_a_generation", generation=None),
    _other("core.members", "log_offset_known", log_offset=None),
    _other("core.members", "ended_by_a_later_record", to_log_offset=7),
    _other("core.members", "known_state", state="asleep"),
    _second_copy("core.members", "listed_once"),
    _second_copy("core.recorded_states", "counted_once"),
    _other("core.recorded_states", "known_state", state="Removed"),
    _other("core.recorded_states", "empty_has_none", state="Empty"),
    _other("core.recorded_states", "stable_has_members", member_count=0),
    _other("core.recorded_states", "dead_has_no_members", state="Dead"),
    _other("core.recorded_states", "ended_by_a_later_record", to_log_offset=7),
    _second_copy("core.group_states", "counted_once"),
    _other("core.group_states", "known_state", state="Removed"),
    _other("core.group_states", "empty_has_none", state="Empty"),
    _other("core.group_states", "stable_has_members", member_count=0),
    _other("core.group_states", "dead_has_no_members", state="Dead"),
    _other("core.group_states", "known_source", source="rumour"),
    _other("core.group_states", "ended_by_a_later_record", to_log_offset=7),
    _other("core.group_states", "line_is_named", source="server.log", line=None),
    _other("core.group_states", "record_is_named", log_offset=None),
    _other("core.group_states", "rebalances_are_not_recorded", state="CompletingRebalance"),
    _other("core.group_states", "ends_after_it_began", source="server.log", line=4, from_at=LATER, to_at=NOON),
    _second_copy("core.ownership", "owned_once"),
    _other("core.ownership", "known_group_type", group_type="share"),
    _other("core.ownership", "ended_by_a_later_record", until_log_offset=7),
    _other("core.ownership", "known_ending", ended="crashed"),
    _other("core.ownership", "unknown_has_no_end", ended="unknown"),
    _other("core.ownership", "end_is_explained", ended=None),
    _other("core.ownership", "partition_not_negative", partition=-1),
    _second_copy("core.subscriptions", "told_once"),
    _other("core.subscriptions", "ended_by_a_later_record", to_log_offset=7),
    _second_copy("core.assignments", "told_once"),
    _other("core.assignments", "ended_by_a_later_record", to_log_offset=7),
    _other("core.assignments", "known_list", what="wish"),
    _second_copy("core.topic_names", "told_once"),
    _other("core.topic_names", "name_known", topic=None),
    _second_copy("core.topics", "told_once"),
    _other("core.topics", "last_not_before_first", first_seen_at=NOON.replace(hour=13)),
    Breach("mart.owner_conflicts", "one_owner_at_a_time", {**RECORD, **GROUP}),
    _other("core.members", "generation_not_negative", generation=-1),
    _other("core.members", "session_timeout_not_negative", session_timeout_ms=-1),
    _other("core.log_ends", "known_source", source="guess"),
    _other("core.log_ends", "batch_says_the_end", log_end_offset=None),
    _other("core.log_ends", "segment_says_the_end", source="segment", log_end_offset=None),
    _other("core.log_ends", "checkpoint_says_the_start", source="checkpoint"),
    _other("core.log_ends", "replication_says_the_watermark", source="replication"),
    _other("core.log_ends", "stable_up_to_the_end_at_most", last_stable_offset=6),
    _other("core.log_ends", "gap_says_no_end", source="gap"),
    _other("core.log_ends", "held_for_a_while", until_at=NOON),
    _second_copy("core.log_ends", "said_once"),
    _other("core.log_ends", "end_not_negative", log_end_offset=-1),
    _other("core.log_ends", "start_not_negative", log_start_offset=-1),
    _second_copy("mart.completeness", "begun_once"),
    _other("mart.completeness", "ends_after_its_beginning", from_offset=9),
    _other("mart.completeness", "known_verdict", seen="perhaps"),
    _other("mart.completeness", "nothing_unseen", seen="never"),
    _second_copy("core.holes", "told_once"),
    _other("core.holes", "has_offsets", to_log_offset=7),
    _second_copy("core.behind_holes", "told_once"),
    _second_copy("core.stores", "one_offset_each"),
    _other("core.stores", "not_before_it_took_effect", taken_at=NOON.replace(hour=11)),
    _other("core.stores", "removed_has_no_offset", kind="removed"),
    _second_copy("core.places", "one_row_each"),
    _other("core.places", "counts_commits", commits=-1),
    _other("core.places", "last_not_before_first", first_log_offset=10),
    _second_copy("core.reach", "reached_once"),
    _other("core.reach", "known_source", source="rumour"),
    _other("core.reach", "records_not_negative", records_lower=-1),
    _other("core.reach", "bounds_of_records", records_upper=2),
    _other("core.reach", "bounds_through", records_upper_through=2),
    _other("core.reach", "stable_not_beyond_end", last_stable_offset=6),
    _other("core.reach", "ends_after_it_begins", last_offset=-1),
    _second_copy("mart.lag", "told_once"),
    _other("mart.lag", "lag_not_negative", lag=-1),
    _other("mart.lag", "lost_not_negative", lost=-1),
    _other("mart.lag", "records_lower_not_negative", records_lower=-1),
    _other("mart.lag", "seconds_lower_not_negative", seconds_lower=-1.0),
    _other("mart.lag", "stable_lag_not_negative", stable_lag=-1),
    _other("mart.lag", "bounds_of_records", records_upper=2),
    _other("mart.lag", "bounds_of_seconds", seconds_upper=0.5),
    _other("mart.lag", "no_more_records_than_offsets", records_upper=5),
    _other("mart.lag", "stable_is_part", stable_lag=5),
    _other("mart.lag", "unknown_end_unknown_lag", log_end_offset=None),
    _other("mart.lag", "unknown_lag_unknown_records", lag=None, records=3),
    _other("mart.lag", "known_point", point="line"),
    _other("mart.lag", "known_method", method="a guess"),
    _second_copy("mart.group_status", "one_verdict"),
    _other("mart.group_status", "known_status", status="FINE"),
    _other("mart.group_status", "known_strict_status", strict_status="FINE"),
    _other("mart.group_status", "share_not_negative", complete=-0.5),
    _other("mart.group_status", "lag_not_negative", lag=-1),
    _second_copy("mart.offsets_now", "one_offset"),
    _other("mart.offsets_now", "offset_known", current_offset=None),
    _other("mart.offsets_now", "unknown_is_null", is_known=False),
    _other("mart.offsets_now", "offset_not_negative", current_offset=-1),
    _other("mart.lag_now", "lag_not_negative", lag=-1),
    _other("mart.lag_now", "lost_not_negative", lost=-1),
    _other("mart.lag_now", "unknown_end_unknown_lag", log_end_offset=None),
    _other("mart.lag_now", "nobody_has_no_host", member_id=None),
    _second_copy("mart.lag_now", "one_owner"),
    _other("mart.lag_now", "log_end_not_before_start", log_start_offset=10),
    *(
        _second_copy(table, rule) if changed is None else _other(table, rule, **changed)
        for table, rule, changed in breaches_of_rebalances.BREACHES
    ),
    _second_copy("mart.replays", "claimed_once"),
    _claim("range_not_empty", possible_to=2, to_offset=None, **_UNSURE),
    _claim("set_back_goes_back", to_offset=2),
    _claim("certain_begins_inside", certain_from=1),
    _claim("certain_ends_inside", certain_to=10),
    _claim("certain_not_empty", certain_to=2),
    _claim("estimate_begins_inside", estimate_from=1),
    _claim("estimate_ends_inside", estimate_to=10),
    _claim("estimate_goes_forward", estimate_from=9, estimate_to=8),
    _claim("fewer_are_certain", records_certain=8),
    _claim("noticed_after_it_began", detected_at=NOON - timedelta(seconds=1)),
    _claim("known_way", how="by magic"),
    _claim("known_confidence", certainty="certain", certain_from=None),
    _claim("known_committer", by="somebody"),
    _claim("known_cause", cause="crash"),
    _claim("certain_has_a_range", certain_from=None),
    _claim("others_have_none", certainty="bounded"),
    _claim("no_hand_over_is_certain", how="handed over"),
    _second_copy("mart.skips", "claimed_once"),
    _skip("range_not_empty", possible_from=9),
    _skip("certain_begins_inside", certain_from=1),
    _skip("certain_ends_inside", certain_to=10),
    _skip("certain_not_empty", certain_to=3),
    _skip("estimate_ends_inside", estimate_to=10),
    _skip("known_way", how="by magic"),
    _skip("known_cause", cause="crash"),
    _skip("known_maker", by="somebody"),
    _skip("certain_holds_no_more_records", records_certain=8),
    _skip("others_have_no_certain_records", certainty="inferred"),
    _skip("known_confidence", certainty="certain"),
    _skip("certain_has_a_range", certain_from=None),
    _skip("others_have_none", certainty="inferred"),
    *[Breach(table, rule, row) for table, rule, row in UPKEEP_BREACHES],
    _second_copy("mart.diverged", "found_once"),
    _other("mart.diverged", "range_not_empty", partition=1, to_offset=40),
    _other("mart.diverged", "known_kind", kind="bad luck"),
    _other("mart.diverged", "lost_to_a_later_epoch", partition=1, epoch_kept=0),
    _other("mart.diverged", "has_a_home", kind="group in another partition", partition=1),
    _other("mart.diverged", "groups_are_at_home", kind="group in another partition", partition=1, home_partition=7),
    _other("mart.diverged", "seen_at_least_once", partition=1, occurrences=0),
    _second_copy("mart.producer_duplicates", "found_once"),
    _other("mart.producer_duplicates", "copy_is_later", from_offset=5),
    _other("mart.producer_duplicates", "range_not_empty", from_offset=12),
    _other("mart.producer_duplicates", "known_kind", kind="bad luck"),
    _other("mart.producer_duplicates", "counted_by_somebody", from_offset=10, producer_id=None),
    _other("mart.producer_duplicates", "same_bytes_are_no_proof", kind="same bytes", partition=1),
    _second_copy("mart.findings", "found_once"),
    _other("mart.findings", "in_an_incident", incident_id=None),
    _other("mart.findings", "known_confidence", certainty="certain"),
    _other("mart.findings", "known_severity", severity=5),
    _other("mart.findings", "certain_begins_inside", certain_from=1),
    _other("mart.findings", "certain_ends_inside", certain_to=10),
    _other("mart.findings", "names_a_record", group_id="billing", log_offset=None),
    _second_copy("mart.incidents", "named_once"),
    _other("mart.incidents", "ranked_from_one", rank=0),
    _other("mart.incidents", "known_severity", severity="awful"),
    _other("mart.incidents", "known_confidence", certainty="likely"),
    _other("mart.incidents", "certain_is_possible", certain_offsets=8),
    _other("mart.incidents", "ends_after_it_began", to_time=NOON.replace(hour=11)),
)
