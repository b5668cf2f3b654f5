"""What an audit lists: findings by the incident they belong to, and the sentences that tell them.

Put here how findings are asked for and worded for a terminal. How they are established and folded belongs in
`assets.models`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import brief, cell
from dagster_project.cli.who import who

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from dagster_project.cli.answers import Answers

Row = dict[str, Any]

KINDS: Final = {
    "skip": "offsets that were passed over",
    "replay": "offsets that were read again",
    "storm": "rebalance storms",
    "diverged": "commits and copies that no log bears out",
    "stopped": "groups that stopped",
    "behind": "groups that fell behind",
    "expiring": "offsets about to expire",
    "transaction": "transactions that nobody ended",
    "cleaner": "a stuck cleaner",
    "produced": "records that came in twice",
}
"""What is looked for, by the kind of finding."""

_MOST_SHOWN: Final = 12
"""Partitions or log offsets that one sentence lists, and sentences of one incident."""
_MOST_NAMED: Final = 3
_LONGEST_TITLE: Final = 400


@dataclass(frozen=True, slots=True)
class Window:
    """Which findings are wanted: from (included) to (excluded) an instant, of these groups, topics and kinds."""

    begin: datetime | None = None
    end: datetime | None = None
    groups: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    cluster: str | None = None

    @property
    def parameters(self) -> dict[str, object]:
        """The values that the questions bind."""
        lists = {"groups": list(self.groups), "topics": list(self.topics), "kinds": list(self.kinds)}
        return {"begin": self.begin, "end": self.end, "cluster": self.cluster, **lists}


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident that has findings in the window, and these, in words."""

    row: Row
    sentences: tuple[tuple[str, ...], ...]
    left_out: int

    @property
    def title(self) -> str:
        """When, who, what, how much, why, and how sure that is."""
        return brief(self.row["title"], _LONGEST_TITLE)


_FOUND: Final = """
    FROM mart.findings AS f JOIN mart.incidents AS i USING (cluster, incident_id)
    WHERE (f."at" >= $begin) IS DISTINCT FROM FALSE AND (f."at" < $end) IS DISTINCT FROM FALSE
      AND ($cluster IS NULL OR f.cluster = $cluster)
      AND (len($groups) = 0 OR list_contains($groups, f.group_id))
      AND (len($topics) = 0 OR list_contains($topics, f.topic))
      AND (len($kinds) = 0 OR list_contains($kinds, f.kind))
"""
"""What happened at an unknown time may have happened in the window."""

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
_PARTS: Final = {"certain": ("certain", "possible"), "inferred": ("estimate", "possible")}
"""Which range a claim is about, by how sure it is."""
_ORDER: Final = ", ".join(("topic", *_SHARED, "partition", "f.log_offset"))


def found(answers: Answers, window: Window) -> Iterator[Row]:
    """Every finding, those of the worst incident first, with the rank, severity and title of its incident."""
    question = f"""
        SELECT f.* EXCLUDE (severity), i.rank, i.severity, i.title
        {_FOUND} ORDER BY i.rank, {_ORDER}
    """
    return answers.rows(question, window.parameters)


def count_incidents(answers: Answers, window: Window) -> int:
    """How many incidents have findings in the window."""
    count: int = answers.row(f"SELECT count(DISTINCT (cluster, incident_id)) AS n {_FOUND}", window.parameters)["n"]
    return count


def without_findings(answers: Answers, groups: tuple[str, ...]) -> set[str]:
    """Those of the groups that nothing was ever found of."""
    asked = "SELECT DISTINCT group_id FROM mart.findings WHERE list_contains($groups, group_id)"
    return set(groups).difference(row["group_id"] for row in answers.rows(asked, {"groups": list(groups)}))


def incidents(answers: Answers, window: Window) -> Iterator[Incident]:
    """The incidents of the window, the worst first; findings that differ in partition and position share words."""
    for _, rows in groupby(found(answers, window), key=itemgetter("rank")):
        findings = list(rows)
        alike = [list(together) for _, together in groupby(findings, key=itemgetter("topic", *_SHARED))]
        yield Incident(findings[0], tuple(map(_told, alike[:_MOST_SHOWN])), max(len(alike) - _MOST_SHOWN, 0))


def _told(rows: list[Row]) -> tuple[str, ...]:
    """What is claimed of these partitions, within which limits and why, and the records that show it."""
    row = rows[0]
    where = "" if row["topic"] is None else f" of {brief(row['topic'])}{_list(_partitions(rows))}"
    claimed = row["claim"].replace("{}", f"{_offsets(row)}{where}")
    told = claimed if row["group_id"] is None else f"group {brief(row['group_id'])} {claimed}"
    return (
        f"{cell(row['at'])}  {told}{where if row['group_id'] is None and claimed == row['claim'] else ''}",
        f"{row['reason']}{_limits(row)}; cause: {cell(row['cause'])}{_who(rows)}",
        f"evidence: {_evidence(rows)}",
    )


def _who(rows: list[Row]) -> str:
    """Who committed what shows it, where they are few enough to name; "admin reset" has named its admin."""
    told = sorted(filter(None, {who(row) for row in rows if row["cause"] != "admin reset"}))
    return f"; committed by {_list(told)}" if 0 < len(told) <= _MOST_NAMED else ""


def _evidence(rows: list[Row]) -> str:
    """The records of the offsets topic that show it."""
    positions = _list([str(position) for position in sorted({at for row in rows for at in row["evidence"]})])
    logs = _list(sorted({f"__consumer_offsets-{row['log_partition']}" for row in rows if row["evidence"]}))
    return f"{logs}, records {positions}" if positions else f"the log of {brief(rows[0]['topic'])} itself"


def _partitions(rows: list[Row]) -> list[str]:
    return [f"-{partition}" for partition in sorted({row["partition"] for row in rows} - {None})]


def _offsets(row: Row) -> str:
    """The range that the claim is about: what is certain, else what is probable, else what is possible."""
    for part in _PARTS.get(row["certainty"], ("possible",)):
        begin, end = row[f"{part}_from"], row[f"{part}_to"]
        if begin is not None and end is not None and begin < end:
            return f"offsets {begin} to {end - 1}"
    return "offsets" if row["possible_from"] is None else f"offsets from {row['possible_from']} on"


def _limits(row: Row) -> str:
    """Within what it lies, where that is more than what is claimed."""
    begin, end = row["possible_from"], row["possible_to"]
    if begin is None or _offsets(row) == _offsets({**row, "certainty": "bounded"}):
        return ""
    return f"; at most offsets {begin} to {end - 1}" if end is not None else f"; at most all offsets from {begin} on"


def _list(words: list[str]) -> str:
    more = len(words) - _MOST_SHOWN
    shown = [*words[:_MOST_SHOWN], f"{more} more"] if more > 0 else words
    *first, last = shown or [""]
    return f"{', '.join(first)} and {last}" if first else last
