"""The list of an audit: findings by incident, and their sentences.

Put here how findings are asked for and worded for a terminal. How they are established and folded belongs in
`assets.models`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.questions.who import who
from dagster_project.cli.terminal import brief, cell, in_words, pasteable, runs
from dagster_project.cli.times import show_length, show_second

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

KINDS: Final = {
    "skip": "offsets that were passed over",
    "replay": "offsets that were read again",
    "storm": "rebalance storms",
    "restarts": "groups that restart",
    "diverged": "commits and copies that no log bears out",
    "stopped": "groups that stopped",
    "behind": "groups that fell behind",
    "expiring": "offsets about to expire",
    "transaction": "transactions that nobody ended",
    "cleaner": "a stuck cleaner",
    "produced": "records that came in twice",
    "archived": "records that share groups gave up",
    "stuck": "share groups that accept nothing",
    "failover": "fail-overs that missed records",
}
"""Names of the kinds of findings."""

_OF_SHARE_GROUPS: Final = ("archived", "stuck")
"""Kinds that records of __share_group_state show."""
_MOST_SHOWN: Final = 12
"""Partitions or log offsets that one sentence lists, and sentences of one incident."""
_MOST_NAMED: Final = 3
_LONGEST_TITLE: Final = 400
_LONGEST_NAME: Final = 60


@dataclass(frozen=True, slots=True)
class Window:
    """Which findings are wanted: from (included) to (excluded) an instant, of these groups, topics and kinds."""

    begin: datetime | None = None
    end: datetime | None = None
    groups: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    cluster: str | None = None
    without: frozenset[str] = frozenset()
    """Ids of incidents that are left out."""

    @property
    def parameters(self) -> dict[str, object]:
        """The values that the questions bind."""
        lists = {"groups": list(self.groups), "topics": list(self.topics), "kinds": list(self.kinds)}
        return {"begin": self.begin, "end": self.end, "cluster": self.cluster, "without": sorted(self.without), **lists}


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident that has findings in the window, and these, in words."""

    row: Row
    lines: tuple[str, str, str]
    sentences: tuple[tuple[str, ...], ...]
    left_out: int

    @property
    def short(self) -> str:
        """Rank, severity, id, time, group, claim, certainty and causes, in one sentence."""
        row = self.row
        group = "" if row["group_id"] is None else f"{_short_name(row['group_id'])} "
        claim = f"{group}{brief(row['incident_claim'], _LONGEST_TITLE)}"
        where = f"{row['rank']}. {row['severity']} {row['incident_id']} {_when(row)}: "
        causes = _causes(row)
        certainty = f"{row['incident_certainty']}{f' ({_list(causes)})' if causes else ''}"
        return f"{where}{claim}; {certainty}: {row['incident_reason']}"

    @property
    def title(self) -> str:
        """Time, group, claim, amount, cause and certainty."""
        return brief(self.row["title"], _LONGEST_TITLE)


_FINDINGS: Final = """
    FROM mart.findings AS f JOIN mart.incidents AS i USING (cluster, incident_id)
    WHERE (f.occurred_at >= $begin) IS DISTINCT FROM FALSE AND (f.occurred_at < $end) IS DISTINCT FROM FALSE
      AND ($cluster IS NULL OR f.cluster = $cluster)
      AND (len($groups) = 0 OR list_contains($groups, f.group_id))
      AND (len($topics) = 0 OR list_contains($topics, f.topic))
      AND (len($kinds) = 0 OR list_contains($kinds, f.kind))
      AND NOT list_contains($without, f.incident_id)
"""
"""A finding at an unknown time may belong to the window."""

_OF_INCIDENT: Final = """
    i.rank, i.severity, i.title, i.claim AS incident_claim, i.reason AS incident_reason, i.causes,
    i.certainty AS incident_certainty, i.traffic_seconds AS incident_seconds, i.from_time AS incident_from,
    i.detected_at, i.estimate_offsets, i.possible_offsets
"""
_SHARED: Final = (
    "claim",
    "possible_from",
    "possible_to",
    "certain_from",
    "certain_to",
    "estimate_from",
    "estimate_to",
    "cause",
)
"""In what partitions of one incident are alike that share a sentence."""
_CLAIMED: Final = itemgetter("topic", "certain_from", "certain_to", "estimate_from", "estimate_to")
"""The columns that are equal for the partitions that the line of an incident names together."""
_ORDER: Final = ", ".join(("topic", *_SHARED, "partition", "f.log_offset"))


def read_findings(answers: Answers, window: Window) -> Iterator[Row]:
    """Every finding, those of the worst incident first, with the rank, severity and title of its incident."""
    question = f"""
        SELECT f.*, i.rank, i.severity, i.title
        {_FINDINGS} ORDER BY i.rank, {_ORDER}
    """
    return answers.rows(question, window.parameters)


def count_incidents(answers: Answers, window: Window) -> dict[str, int]:
    """How many incidents have findings in the window, by severity, the worst first."""
    question = f"""
        SELECT i.severity, count(DISTINCT (i.cluster, i.incident_id)) AS n
        {_FINDINGS} GROUP BY i.severity ORDER BY min(i.rank)
    """
    return {row["severity"]: row["n"] for row in answers.rows(question, window.parameters)}


def without_findings(answers: Answers, groups: tuple[str, ...]) -> set[str]:
    """Those of the groups of which there is no finding, and nothing that could not be excluded."""
    query = """
        SELECT group_id FROM mart.findings WHERE list_contains($groups, group_id)
        UNION SELECT group_id FROM mart.not_excluded WHERE list_contains($groups, group_id)
    """
    return set(groups).difference(row["group_id"] for row in answers.rows(query, {"groups": list(groups)}))


def incidents(answers: Answers, window: Window) -> Iterator[Incident]:
    """The incidents of the window, the worst first; findings that differ in partition and position share words."""
    question = f"""
        SELECT f.*, {_OF_INCIDENT}
        {_FINDINGS} ORDER BY i.rank, {_ORDER}
    """
    for _, rows in groupby(answers.rows(question, window.parameters), key=itemgetter("rank")):
        findings = list(rows)
        alike = [list(together) for _, together in groupby(findings, key=itemgetter("topic", *_SHARED))]
        sentences = tuple(_details(group) for group in alike[:_MOST_SHOWN])
        yield Incident(findings[0], _lines(findings), sentences, max(len(alike) - _MOST_SHOWN, 0))


def _lines(findings: list[Row]) -> tuple[str, str, str]:
    """Three lines: the claim; its certainty, causes and bounds; its partitions and the records of its evidence."""
    row = findings[0]
    causes = _causes(row)
    places = [one for one in findings if _CLAIMED(one) == _CLAIMED(row)]
    others = len(set(map(_CLAIMED, findings))) - 1
    more = f" and {others} more range{'' if others == 1 else 's'}" if others else ""
    where = f"{_offsets(row)} of {_places(places)}{more}; " if row["possible_from"] is not None else ""
    return (
        f"{_when(row)}: {_subject(row)}{brief(row['incident_claim'], _LONGEST_TITLE)}",
        f"{row['incident_certainty']}: {row['incident_reason']}{f' ({_list(causes)})' if causes else ''}{_extent(row)}",
        f"{where}{_evidence(findings)}; incident {row['incident_id']}",
    )


def _short_name(name: str) -> str:
    """A name as a shell takes it, or, if it would fill the line, the beginning of it."""
    shown = pasteable(name)
    return shown if len(shown) <= _LONGEST_NAME else brief(name, _LONGEST_NAME)


def _causes(row: Row) -> list[str]:
    return [in_words(cause) for cause in row["causes"] if cause != "unknown"]


def _when(row: Row) -> str:
    """The time of the first finding; if unknown, the time after which it happened."""
    if row["detected_at"] is not None:
        return show_second(row["detected_at"])
    if row["incident_from"] is not None:
        return f"time unknown, after {show_second(row['incident_from'])}"
    return "time unknown"


def _extent(row: Row) -> str:
    """The time in which the topic gets as many records, and the upper bound where it exceeds the claim."""
    parts = []
    if row["incident_seconds"] is not None:
        parts.append(f"about {show_length(row['incident_seconds'])} of its average traffic")
    if row["kind"] in {"skip", "replay", "failover"}:
        limit = row["possible_offsets"]
        if limit is None:
            parts.append("no upper bound is known")
        elif limit > (row["estimate_offsets"] or 0):
            parts.append(f"at most {limit:,} offsets")
    return f"; {', '.join(parts)}" if parts else ""


def _details(rows: list[Row]) -> tuple[str, ...]:
    """The claim about these partitions, its reason, bounds and cause, and the records of its evidence."""
    row = rows[0]
    claimed = row["claim"].replace("{}", _where(rows))
    is_without = row["claim"] == claimed and row["topic"] is not None and row["group_id"] is None
    return (
        f"{cell(row['occurred_at'])}  {_subject(row)}{claimed}{f' of {_places(rows)}' if is_without else ''}",
        f"{row['reason']}{_limits(row)}; cause: {in_words(row['cause'])}{_who(rows)}",
        f"evidence: {_evidence(rows)}",
    )


def _subject(row: Row) -> str:
    return "" if row["group_id"] is None else f"group {brief(row['group_id'])} "


def _where(rows: list[Row]) -> str:
    return _offsets(rows[0]) + ("" if rows[0]["topic"] is None else f" of {_places(rows)}")


def _places(rows: list[Row]) -> str:
    """A topic and those of its partitions that fared alike."""
    partitions = [f"-{partition}" for partition in sorted({row["partition"] for row in rows} - {None})]
    return f"{brief(rows[0]['topic'])}{_list(partitions)}"


def _who(rows: list[Row]) -> str:
    """The committers of the evidence, if few enough to name; the cause admin_reset names its admin already."""
    committers = sorted(filter(None, {who(row) for row in rows if row["cause"] != "admin_reset"}))
    return f"; committed by {_list(committers)}" if 0 < len(committers) <= _MOST_NAMED else ""


def _evidence(rows: list[Row]) -> str:
    """The records of the offsets topic that show it."""
    positions = _list(runs(sorted({at for row in rows for at in row["evidence"]})))
    logs = _list(sorted({_log_name(row["log_partition"]) for row in rows if row["evidence"]}))
    if positions:
        return f"{logs}, records {positions}"
    in_state = rows[0]["kind"] in _OF_SHARE_GROUPS
    return "core.share_deliveries" if in_state else f"the log of {brief(rows[0]['topic'])} itself"


def _log_name(log_partition: int) -> str:
    """A partition of the offsets topic, or a store outside Kafka, in words."""
    return f"__consumer_offsets-{log_partition}" if log_partition >= 0 else f"store {log_partition} outside Kafka"


def _offsets(row: Row) -> str:
    """The range that the claim is about: what is certain, else the estimate."""
    for part, word in (("certain", "offsets"), ("estimate", "about offsets")):
        begin, end = row[f"{part}_from"], row[f"{part}_to"]
        if begin is not None and end is not None and begin < end:
            return f"{word} {begin} to {end - 1}"
    return "offsets"


def _limits(row: Row) -> str:
    """The possible range, where it is larger than the claim."""
    begin, end = row["possible_from"], row["possible_to"]
    if begin is None or f"offsets {begin} to {end - 1 if end else end}" in _offsets(row):
        return ""
    return f"; at most offsets {begin} to {end - 1}" if end is not None else f"; at most all offsets from {begin} on"


def _list(words: list[str]) -> str:
    more = len(words) - _MOST_SHOWN
    shown = [*words[:_MOST_SHOWN], f"{more} more"] if more > 0 else words
    *first, last = shown or [""]
    return f"{', '.join(first)} and {last}" if first else last
