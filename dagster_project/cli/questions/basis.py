"""The basis of an answer, in sentences: its time, the share of the history that was read, the source of log ends.

Put here what every command says of that before its answer. How it is measured belongs in the
model `basis`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import brief, note
from dagster_project.cli.times import show_second

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

_UNITS: Final = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))
_UNITS_MOST: Final = 2
_NAMES_MOST: Final = 3
_LARGE_SHARE: Final = 0.1
"""The share of a log's batches above which quarantined ones are named."""
_SOURCES: Final = {
    "segments": "known from data segments of {topics}",
    "samples": "from samples of a running cluster of {topics}",
    "unknown": "not known of {topics} (mount their data segments to know)",
}
"""Where the log ends of topics are known from."""
_OWN: Final = """
    SELECT DISTINCT cluster, log_partition AS partition
    FROM internal.group_partitions
    WHERE list_contains($groups, group_id)
    UNION SELECT cluster, log_partition FROM core.generations WHERE list_contains($groups, group_id)
"""
_HISTORY: Final = f"""
    WITH asked AS (
        SELECT *, newest_record_at AS effective_at FROM mart.basis
        WHERE topic = '__consumer_offsets' AND ($cluster IS NULL OR cluster = $cluster)
          AND (len($groups) = 0 OR (cluster, partition) IN ({_OWN}))
    )
    SELECT (SELECT max(newest_at) FROM _newest_of('asked')) AS newest_at,
           count(*) FILTER (history_offsets > 0) AS partitions, count(*) FILTER (partition < 0) AS stores,
           min(partition) FILTER (partition >= 0) AS first_partition,
           coalesce(sum(history_offsets)::HUGEINT, 0) AS history, coalesce(sum(unseen_offsets)::HUGEINT, 0) AS unseen,
           coalesce(sum(batches_set_aside), 0) AS batches_set_aside, coalesce(sum(batches), 0) AS batches,
           max(batches_set_aside / (batches + batches_set_aside)) FILTER (batches_set_aside > 0) AS largest_share,
           arg_max(partition, batches_set_aside / (batches + batches_set_aside)) FILTER (batches_set_aside > 0)
               AS largest_partition
    FROM asked
"""  # noqa: S608 - a constant of this file
_PARTITIONS: Final = """
    SELECT coalesce(sum(read), 0) AS read, coalesce(sum(least_number), 0) AS least_number
    FROM (
        SELECT cluster, count(*) AS read, max(partition) + 1 AS least_number FROM mart.basis
        WHERE topic = '__consumer_offsets' AND ($cluster IS NULL OR cluster = $cluster) AND len($groups) = 0
          AND partition >= 0
        GROUP BY cluster
    )
"""
_TOPICS: Final = """
    SELECT topic, count(*) AS partitions, count(*) FILTER (log_ends_from = 'segments') AS by_segments,
           count(*) FILTER (log_ends_from = 'samples') AS by_samples
    FROM mart.basis
    WHERE topic <> '__consumer_offsets' AND ($cluster IS NULL OR cluster = $cluster)
      AND (len($groups) = 0
           OR (cluster, topic) IN (SELECT cluster, topic FROM mart.offsets_now WHERE list_contains($groups, group_id)))
    GROUP BY topic ORDER BY topic
"""


_READ_FROM: Final = """
    SELECT DISTINCT source FROM raw.segments
    WHERE topic = '__consumer_offsets' AND ($cluster IS NULL OR cluster = $cluster)
    UNION
    SELECT DISTINCT store_kind FROM raw.external_commits WHERE $cluster IS NULL OR cluster = $cluster
    ORDER BY source
"""
_SOURCE_WORDS: Final = {
    "file": "files",
    "live": "a running cluster",
    "dump": "dumps",
    "text": "text of kafka-dump-log",
    "zookeeper": "ZooKeeper",
    "spark_checkpoint": "Spark checkpoints",
    "sql_table": "SQL tables",
}
STALE_AFTER: Final = timedelta(hours=1)
_STALE: Final = "STALE: nothing since then is in this answer; `lagbook run` reads on."


@dataclass(frozen=True, slots=True)
class Basis:
    """The basis of answers about some groups: numbers of their partitions of the offsets topic, and their topics.

    `partitions` says how many partitions of the offsets topic were read, and how many it has at least.
    """

    history: Row
    partitions: Row
    topics: Sequence[Row]
    sources: Sequence[str]

    @property
    def newest_at(self) -> datetime | None:
        """The time of the newest record that was read."""
        newest: datetime | None = self.history["newest_at"]
        return newest

    @property
    def is_gap_free(self) -> bool:
        """Whether every offset of the history was read."""
        return bool(self.history["history"]) and not self.history["unseen"]

    @property
    def is_of_stores(self) -> bool:
        """Whether the answer rests on stores outside Kafka alone."""
        return bool(self.history["stores"]) and not self.history["history"]

    @property
    def read_share(self) -> str:
        """The share of the history that was read, in per cent; of stores outside Kafka nobody knows it."""
        if self.is_of_stores:
            return "unknown share"
        return _share(self.history["history"] - self.history["unseen"], self.history["history"])

    @property
    def sentences(self) -> list[str]:
        """As of when, which history, which partitions, what was set aside, and which log ends."""
        return [
            _as_of(self.history, self.sources),
            _history(self.history),
            *_stores(self.history),
            *_unread(self.partitions),
            *_set_aside(self.history),
            *_log_ends(self.topics),
        ]

    def staleness(self, instant: datetime | None) -> list[str]:
        """A warning, when the newest record is old, and the question is not about a time before it."""
        newest = self.newest_at
        if newest is None or (instant is not None and instant <= newest):
            return []
        return [_STALE] if datetime.now(timezone.utc) - newest > STALE_AFTER else []


def find_basis(answers: Answers, groups: Sequence[str] = (), cluster: str | None = None) -> Basis:
    """The basis of answers about these groups; without any, about all."""
    parameters = {"groups": list(groups), "cluster": cluster}
    return Basis(
        answers.row(_HISTORY, parameters),
        answers.row(_PARTITIONS, parameters),
        list(answers.rows(_TOPICS, parameters)),
        [row["source"] for row in answers.rows(_READ_FROM, {"cluster": cluster})],
    )


def basis_lines(
    answers: Answers, groups: Sequence[str] = (), cluster: str | None = None, instant: datetime | None = None
) -> list[str]:
    """The sentences that every command begins with; of several groups each with gaps in its history has one.

    An answer about now is called stale when its newest record is old; one about an instant before that record is not.
    """
    basis = find_basis(answers, groups, cluster)
    as_of, *lines = basis.sentences
    lines = [as_of, *basis.staleness(instant), *lines]
    if len(groups) > 1:
        for group in groups:
            own = find_basis(answers, [group], cluster)
            lines += [] if own.is_gap_free else [f"Group {brief(group)}: {_history(own.history)}"]
    return lines


def note_basis(
    answers: Answers, groups: Sequence[str] = (), cluster: str | None = None, instant: datetime | None = None
) -> None:
    """Say it on stderr, beside an answer that programs read."""
    for line in basis_lines(answers, groups, cluster, instant):
        note(f"lagbook: {line}")


def _as_of(history: Row, sources: Sequence[str]) -> str:
    """The time of the newest record, how long ago that is, and from what it was read."""
    newest: datetime | None = history["newest_at"]
    if newest is None:
        return "As of when this is, no record says."
    ago = datetime.now(timezone.utc) - newest
    return f"As of {show_second(newest)}{_ago(ago)}; read from {' and '.join(_SOURCE_WORDS[one] for one in sources)}."


def _ago(span: timedelta) -> str:
    rest = max(span.total_seconds(), 0)
    parts: list[str] = []
    for unit, seconds in _UNITS:
        if rest >= seconds and len(parts) < _UNITS_MOST:
            number = int(rest // seconds)
            parts.append(f"{number} {unit}{'s' if number > 1 else ''}")
            rest %= seconds
    return f", {' '.join(parts)} ago" if parts else ""


def _history(history: Row) -> str:
    log, among = f"__consumer_offsets-{history['first_partition']}", ""
    if history["partitions"] != 1:
        log, among = "__consumer_offsets", f" in {history['partitions']:,} partitions"
    if not history["history"]:
        return "History: nothing of __consumer_offsets was read."
    if not history["unseen"]:
        return f"History: all {history['history']:,} offsets of {log}{among} were seen."
    return (
        f"History: {_share(history['unseen'], history['history'])} of {log} ({history['unseen']:,} of "
        f"{history['history']:,} offsets{among}) was compacted or deleted before it was read: what happened there is "
        "not known; an earlier copy would tell."
    )


def _stores(history: Row) -> list[str]:
    """What offsets outside Kafka can't tell, where some are in the answer."""
    if not history["stores"]:
        return []
    return ["Stores: outside Kafka nothing tells of clients, generations or retention, and only ZooKeeper of members."]


def _unread(partitions: Row) -> list[str]:
    """The number of partitions of the offsets topic that were read, where its highest one shows that it has more."""
    if partitions["read"] >= partitions["least_number"]:
        return []
    share = f"{partitions['read']:,} of at least {partitions['least_number']:,}"
    return [f"Partitions: {share} of __consumer_offsets were read; of groups in the others nothing is known."]


def _set_aside(history: Row) -> list[str]:
    if not history["batches_set_aside"]:
        return []
    line = f"Set aside as unreadable: {history['batches_set_aside']:,} batches of these logs, listed in raw.quarantine"
    if history["largest_share"] > _LARGE_SHARE:
        share = _share(history["largest_share"], 1)
        line += f"; {share} of the batches of __consumer_offsets-{history['largest_partition']}"
    return [f"{line}. What they hold is not known."]


def _log_ends(topics: Sequence[Row]) -> list[str]:
    by_source: dict[str, list[str]] = {source: [] for source in _SOURCES}
    for row in topics:
        is_known = row["by_segments"] == row["partitions"]
        is_sampled = row["by_segments"] + row["by_samples"] == row["partitions"]
        source = "segments" if is_known else "samples" if is_sampled else "unknown"
        by_source[source].append(brief(row["topic"]))
    parts = [_SOURCES[source].format(topics=_names(names)) for source, names in by_source.items() if names]
    return [f"Log ends: {'; '.join(parts)}."] if parts else []


def _names(names: Sequence[str]) -> str:
    more = len(names) - _NAMES_MOST
    return ", ".join(names[:_NAMES_MOST]) + (f" and {more} more topic{'s' if more > 1 else ''}" if more > 0 else "")


def _share(part: float, whole: float) -> str:
    """A share in per cent, neither rounded down to nothing nor up to all."""
    if not part or part == whole:
        return "100 %" if part else "0 %"
    return f"{min(max(100 * part / whole, 0.1), 99.9):.1f} %"
