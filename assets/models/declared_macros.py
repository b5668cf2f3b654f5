"""The macros of `lagbook.duckdb`: their names, arguments and meaning.

Put a macro's line here; the SQL of its body is in a file of its name below `macros/`. The names of helpers begin with
`_`: models and other macros call these, users do not.
"""

from __future__ import annotations

from typing import Final

from assets.models.macro import Macro

WINDOW: Final = ("offsets", "times_ms", "lags", "ends", "is_exact", "as_of_ms", "allowed_lag")
"""What is judged: a window of commits and of log ends, as of an instant."""

GROUP: Final = ("grp",)
"""Who asks for one group gets only what is its own, in a fraction of the time."""

SPAN: Final = ("grp", "tpc", "prt", "from_ts", "to_ts")
"""A partition of a group, between two instants."""

UNREAD: Final = ("stretch", "unread_from")
"""A row of internal.batch_index, and the offset in it or before it from which on nothing was read."""

AT_AN_INSTANT: Final = (
    Macro("state_at", ("ts",), "Committed offsets as they stood at an instant.", optional=GROUP),
    Macro("recorded_states_at", ("ts",), "The state of every group of which records or lines tell.", optional=GROUP),
    Macro(
        "group_states_at",
        ("ts",),
        "The state of every group at an instant; of one that has offsets and no record too (source: offsets).",
        optional=GROUP,
    ),
    Macro("members_at", ("ts",), "Members of every group at an instant.", optional=GROUP),
    Macro("owner_at", ("ts",), "Who owned each partition at an instant.", optional=GROUP),
    Macro("log_ends_at", ("ts",), "Log start and end of each data partition at an instant."),
    Macro("log_end_bounds_at", ("ts",), "Bounds of each log end that is not known exactly at an instant."),
    Macro("lag_at", ("ts",), "Lag and owner of each committed or owned partition at an instant.", optional=GROUP),
    Macro("share_backlog_at", ("ts",), "Start offset and lag of each share partition at an instant.", optional=GROUP),
    Macro(
        "status_at",
        ("ts",),
        "What Burrow would have said of each committed partition at an instant, and why.",
        optional=GROUP,
    ),
    Macro("group_status_at", ("ts",), "What Burrow would have said of each group at an instant.", optional=GROUP),
    Macro("failover_at", ("ts",), "What groups meet that fail over to the target of MirrorMaker 2.", optional=GROUP),
)
"""What was at an instant: a question of users."""

QUESTIONS: Final = (
    Macro("removals", ("retention_minutes",), "Why offsets were removed, by the broker's offsets.retention.minutes."),
    Macro("committers", ("grp",), "Who stood behind each commit of a group, or with NULL of all groups."),
    Macro("log_batches", (), "The batches of data logs, each with the leader epoch that it was lost to, if it was."),
    Macro("java_hash", ("words",), "Java's hash of a text, without a sign.", is_table=False),
    Macro(
        "home_partition",
        ("hashed", "partitions"),
        "Where a group belongs in the offsets topic, by its java_hash.",
        is_table=False,
    ),
    Macro(
        "records_in",
        ("ranges",),
        "How many records, and bytes, lie in ranges of offsets: the argument names a table of them.",
    ),
    Macro(
        "retention_of",
        ("topics_of",),
        "How long records of topics and committed offsets stayed, from when until when: the argument names a table.",
    ),
    Macro(
        "not_excluded_between",
        ("from_ts", "to_ts"),
        "What is only possible between two instants, by group and kind: the rows of mart.not_excluded.",
    ),
    Macro("explain", SPAN, "What moved one offset of one group between two instants, in the order of the log."),
    Macro("explain_share", SPAN, "What became of the offsets of one share partition between two instants."),
    Macro("cadence_of", ("grp",), "How a group commits, or with NULL every group, over all its partitions."),
    Macro("subscribed_topics", (), "The topics that the members of each group subscribe to."),
    Macro("cost_of_moves", ("moves",), "What it costs to set partitions of groups to other offsets."),
    Macro(
        "reset_cost",
        ("grp", "tpc", "target"),
        "What a group would read again or skip if it were set to 'earliest', 'latest', an offset or an instant.",
    ),
    Macro("expiry_forecast", ("retention_minutes",), "When committed offsets expire, and what a restart costs then."),
    Macro("incident", ("wanted",), "The findings of an incident and the records they rest on, in order."),
    Macro(
        "pseudonym",
        ("name", "secret"),
        "Another name for a name, the same wherever the secret is the same.",
        is_table=False,
    ),
    Macro("connect_groups", (), "Which groups are sink connectors or workers of Kafka Connect, where it is certain."),
    Macro("own_folder", (), "The folder of this DuckDB file, to set lagbook_folder to.", is_table=False),
    Macro("missing_files", (), "The files that views of this DuckDB file read, and that are not in lagbook_folder."),
)
"""What users ask besides."""

LAG: Final = (
    Macro("_offsets_and_owners", ("ts",), "What a group had committed or owned at an instant, once.", optional=GROUP),
    Macro("_lag_goals", ("ts",), "Where reading goes on at an instant, and up to which goals.", optional=GROUP),
    Macro("_min_records_left", UNREAD, "The fewest records of a stretch from an offset on.", is_table=False),
    Macro("_max_records_left", UNREAD, "The most records of a stretch from an offset on.", is_table=False),
    Macro("_offsets_left", ("committed_offset", "log_end_offset"), "Offsets up to a log end.", is_table=False),
    Macro("_seconds_after", ("later", "earlier"), "Seconds between two times, never negative.", is_table=False),
    Macro("_lag_bounds", (*UNREAD, "goal"), "Bounds of the records from an offset to a goal.", is_table=False),
    Macro("_known_end", ("log_end_offset", "bounds", "begins"), "Between which offsets a log ended.", is_table=False),
    Macro("_lag_between", ("floor", "roof", "unread_from"), "Bounds up to an end between two goals.", is_table=False),
    Macro("_lag_times", (*UNREAD, "goal"), "Bounds of the time of the first of these records.", is_table=False),
    Macro("_lag_columns", ("bounds", "times", "as_of"), "These bounds as the columns of lag.", is_table=False),
    Macro("_stable_goal", ("goal", "unread_from"), "The goal of a reader of committed records.", is_table=False),
)
"""How lag is counted: over rows of internal.batch_index, for one instant or for all of them."""

STATUS: Final = (
    Macro("_newest_commits", ("ts",), "The last ten commits of partitions at an instant.", optional=GROUP),
    Macro("_partition_windows", ("ts",), "The last ten commits of partitions, and their log ends.", optional=GROUP),
    Macro("_group_statuses", ("verdicts_of",), "Burrow's status of groups, by the verdicts of their partitions."),
    Macro("_first_drop", ("numbers",), "Where a list of numbers first goes down.", is_table=False),
    Macro("_burrow_rule", WINDOW, "Which of Burrow's rules decides over a window of commits.", is_table=False),
    Macro(
        "_strict_rule",
        ("offsets", "rule"),
        "The same, where a set-back counts until it is made up for.",
        is_table=False,
    ),
    Macro("_partition_verdict", ("rule",), "Burrow's status of a partition, by the rule that decided.", is_table=False),
    Macro("_status_rank", ("rule",), "How bad Burrow's status is, by the rule that decided.", is_table=False),
    Macro("_group_verdict", ("badness", "is_known"), "Burrow's status of a group, by its worst.", is_table=False),
)
"""Burrow's rules."""

CLAIMS: Final = (
    Macro("_commit_steps", (), "The columns of commits that claims ask for."),
    Macro("_possible_claims", (), "Claims that nothing excludes and nothing bears out."),
    Macro("_newest_records", (), "The newest time of each cluster that commits and records of groups name."),
    Macro("_offset_expiry", (), "Committed offsets with what decides when they expire."),
    Macro("_committers_of", ("commits",), "Who stood behind some commits: the argument names a table of them."),
    Macro("_group_records", (), "The states of groups by records of generations, or by nodes in ZooKeeper."),
    Macro("_topic_creations", (), "When each topic was created last, as ZooKeeper says."),
    Macro("_topic_lives", (), "When the latest life of each topic began."),
    Macro("_owners", (), "Who owned each partition, from when to when, with the names of topics."),
    Macro("_owners_by_name", (), "The same with names that only follow from what a group commits.", optional=GROUP),
    Macro("_settings_over_time", (), "Numbers that were set for brokers and topics, from when until when."),
    Macro("_is_throwaway", ("group_id",), "Whether a group id looks made up for one use.", is_table=False),
    Macro("_removal_causes_of", ("removals_of",), "Why some offsets were removed: the argument names a table of them."),
    Macro("_removal_causes", (), "Why offsets were removed, by their records and the coordinators' text logs."),
    Macro(
        "_certainty_of",
        ("certain_from", "certain_to", "estimate_from", "estimate_to"),
        "How sure a claim is by its ranges: proven, likely or possible.",
        is_table=False,
    ),
)
"""What several claims and questions rest on."""

LOGS: Final = (
    Macro("_record_counts", ("ranges_of", "logs_of"), "Records, and bytes, in ranges of numbered logs."),
    Macro("_log_end_signs", (), "From when through when the end of each data log is known exactly."),
    Macro("_offsets_since", ("ts",), "The store before an instant, and what was committed since.", optional=GROUP),
    Macro(
        "_commit_place",
        ("log_partition", "effective_log_offset", "log_offset"),
        "The place of a commit among those of its key.",
        is_table=False,
    ),
    Macro("_gaps_at", ("ts",), "Up to where holes reach that may hide what was before an instant."),
    Macro("_other_installations", (), "Log directories of another installation than the one that is kept under an id."),
    Macro(
        "_log_starts",
        ("partitions_of",),
        "Offsets at which data logs began, and what records tell of when: the argument names a table of partitions.",
    ),
    Macro(
        "_log_bounds",
        ("moments_of",),
        "How far data logs had come at moments, and could have at most: the argument names a table of both.",
    ),
    Macro("_mirror_syncs", (), "Offset syncs of MirrorMaker 2 in runs of copying without a step back."),
    Macro("_mirror_positions", ("offsets_of",), "Where copies of records are: the argument names a table of offsets."),
    Macro("_failover_status", ("start", "lower", "upper"), "Where a start is, by bounds of a copy.", is_table=False),
)
"""How far logs had come, what gaps in them hide, and where MirrorMaker 2 copied them to."""

NAMES: Final = (
    Macro("_names_of", ("kind_of", "grp"), "The names of groups, or of topics or partitions of a group."),
    Macro("_is_name", ("kind_of", "wanted", "grp"), "Whether there is such a name.", is_table=False),
    Macro("_refusal", ("kind_of", "wanted", "grp", "is_due"), "No row, or an error that names the nearest."),
    Macro("_topic_names", (), "The newest name of each topic id."),
    Macro("_owned_topic_names", (), "The names of the topic ids that groups own.", optional=GROUP),
    Macro("_nearness", ("name", "wanted"), "How like a name is to another.", is_table=False),
    Macro("_sql_text", ("name",), "A name as SQL takes it back.", is_table=False),
)
"""Which groups, topics and partitions there are, and what a mistyped one was meant to be."""

VALUES: Final = (
    Macro("_instant_of", ("ms",), "The instant that milliseconds since 1970 stand for.", is_table=False),
    Macro("_as_bigint", ("number",), "A whole number, or the nearest that 64 bits have.", is_table=False),
    Macro("_minus", ("high", "low"), "How far two numbers lie apart, as far as 64 bits say so.", is_table=False),
    Macro(
        "_newest_of",
        ("times_of",),
        "The newest time that each cluster can have had when it was read: the argument names a table of times.",
    ),
    Macro(
        "_cardinality_hint",
        ("rows_of",),
        "The rows of a small table that is joined to a large one: the argument names it.",
    ),
    Macro(
        "_records_at",
        ("of_cluster", "of_topic", "of_partition", "offsets"),
        "Records of one partition, as evidence of a finding has them.",
        is_table=False,
    ),
    Macro("_minutes_in_words", ("minutes",), "A number of minutes as a person says it.", is_table=False),
)
"""Numbers, times and words."""

DECLARED: Final = (*AT_AN_INSTANT, *QUESTIONS, *LAG, *STATUS, *CLAIMS, *LOGS, *NAMES, *VALUES)
