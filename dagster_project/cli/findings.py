"""What an audit looks for: one row per kind of finding, with its mart and its sentence.

Put a kind here when a mart can tell it. How a finding is established belongs in `assets.transforms`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import brief, cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from dagster_project.cli.answers import Answers

Row = dict[str, Any]
_MOST_SHOWN: Final = 12
"""Partitions or log offsets that one sentence lists."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding: its rows, with a time `at`, which columns those of one sentence share, and its words."""

    name: str
    rows: str
    looked_for: str
    shared: tuple[str, ...]
    tell: Callable[[list[Row]], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Window:
    """Which findings are wanted: from (included) to (excluded) an instant, of these groups, of this cluster."""

    begin: datetime | None = None
    end: datetime | None = None
    groups: tuple[str, ...] = ()
    cluster: str | None = None

    @property
    def parameters(self) -> dict[str, object]:
        """The values that the question binds."""
        return {"begin": self.begin, "end": self.end, "groups": list(self.groups), "cluster": self.cluster}


_IN_WINDOW: Final = """
    ("at" >= $begin) IS DISTINCT FROM FALSE AND ("at" < $end) IS DISTINCT FROM FALSE
    AND (len($groups) = 0 OR list_contains($groups, group_id)) AND ($cluster IS NULL OR cluster = $cluster)
"""
"""What happened at an unknown time may have happened in the window."""


def found(answers: Answers, window: Window) -> Iterator[Row]:
    """Every finding of every kind, oldest first within its kind, rows of one sentence side by side."""
    for kind in KINDS:
        order = ", ".join(f'"{column}"' for column in (*kind.shared, "partition", "log_offset"))
        question = f"SELECT $kind AS kind, * FROM ({kind.rows}) WHERE {_IN_WINDOW} ORDER BY {order}"  # noqa: S608 - no data in it
        yield from answers.rows(question, {"kind": kind.name, **window.parameters})


def told(rows: Iterable[Row]) -> Iterator[tuple[list[Row], tuple[str, ...]]]:
    """The findings in words, the first sentence first; rows that differ in partition and position alone share one."""
    for name, of_kind in groupby(rows, key=itemgetter("kind")):
        kind = next(kind for kind in KINDS if kind.name == name)
        for _, alike in groupby(of_kind, key=itemgetter(*kind.shared)):
            together = list(alike)
            yield together, kind.tell(together)


def _tell_replay(rows: list[Row]) -> tuple[str, ...]:
    """What was read again; how far back and why; where the records stand that show it."""
    row, each = rows[0], " each" * (len(rows) > 1)
    begin, end = row["from_offset"], row["to_offset"]
    far = f"{row['how']} from {end} to {begin}, {end - begin} offsets{each}" if begin is not None else row["how"]
    return (
        f"group {brief(row['group_id'])} {_reread(row, _where(rows))}",
        f"{far}; cause: {cell(row['cause'])}",
        _evidence(rows),
    )


def _reread(row: Row, where: str) -> str:
    """The claim: what is certain is said flatly, anything else with its reservation."""
    begin, end, certain = row["outer_from"], row["outer_to"], (row["certain_from"], row["certain_to"])
    if None in certain:
        return f"may have re-read {_span(row)} of {where}{_probably(row)}"
    rest = (
        "" if certain == (begin, end) else ", perhaps more" if end is None else f", perhaps all of {begin} to {end - 1}"
    )
    return f"re-read offsets {certain[0]} to {certain[1] - 1} of {where}{rest}"


def _tell_overlap(rows: list[Row]) -> tuple[str, ...]:
    """What the next owner read again of what the last one had done; who that was, and how it ended; the records."""
    row = rows[0]
    alike = len({(one["outer_from"], one["outer_to"], one["estimate_to"]) for one in rows}) == 1
    spans = _list([f"-{one['partition']} ({_span(one)}{_probably(one)})" for one in rows])
    what = f"{_span(row)} of {_where(rows)}{_probably(row)}" if alike else f"some of {brief(row['topic'])}{spans}"
    return (
        f"group {brief(row['group_id'])} may have re-read {what}",
        f"{row['how']} after member {cell(row['member_id'])} at {cell(row['host'])}; cause: {cell(row['cause'])}",
        _evidence(rows),
    )


def _span(row: Row) -> str:
    begin, end = row["outer_from"], row["outer_to"]
    return f"offsets {begin} and more" if end is None else f"offsets {begin} to {end - 1}"


def _probably(row: Row) -> str:
    """What is likely of it, where that is less than all."""
    begin, end = row["estimate_from"], row["estimate_to"]
    if end is None or begin == end or (begin, end) == (row["outer_from"], row["outer_to"]):
        return ""
    return f", probably {begin} to {end - 1}"


def _where(rows: list[Row]) -> str:
    return brief(rows[0]["topic"]) + _list([f"-{row['partition']}" for row in rows])


def _evidence(rows: list[Row]) -> str:
    logs = _list(sorted({f"__consumer_offsets-{row['log_partition']}" for row in rows}))
    positions = _list([str(position) for position in sorted({at for row in rows for at in row["evidence"]})])
    return f"evidence: {logs}, records {positions}"


def _tell_skip(rows: list[Row]) -> tuple[str, ...]:
    """What was never read; how the group went past it and why; where the records stand that show it."""
    row, each = rows[0], " each" * (len(rows) > 1)
    begin, end = row["outer_from"], row["outer_to"]
    return (
        f"group {brief(row['group_id'])} {_unread(row, _where(rows))}",
        f"{row['how']} from {begin} to {end}, {end - begin} offsets{each}; cause: {cell(row['cause'])}",
        _evidence(rows),
    )


def _unread(row: Row, where: str) -> str:
    """The claim: what is certain is said flatly, what is probable as that."""
    begin, end = row["outer_from"], row["outer_to"]
    if row["certain_from"] is not None:
        begin, end = row["certain_from"], row["certain_to"]
        return f"never read offsets {begin} to {end - 1} of {where}"
    if row["confidence"] == "inferred" and row["estimate_to"] is not None:
        most = f", at most to {end - 1}" if end > row["estimate_to"] else ""
        return f"probably never read offsets {begin} to {row['estimate_to'] - 1} of {where}{most}"
    return f"may never have read offsets {begin} to {end - 1} of {where}"


def _list(words: list[str]) -> str:
    more = len(words) - _MOST_SHOWN
    shown = [*words[:_MOST_SHOWN], f"{more} more"] if more > 0 else words
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


_LIKELY: Final = "(certain_from IS NOT NULL OR (estimate_to > estimate_from) IS DISTINCT FROM FALSE)"
"""Where probably nothing was read again, as at most hand-overs, an audit has nothing to tell."""
_CHANGES_HANDS: Final = "how IN ('handed over', 'assigned again')"
KINDS: Final = (
    Kind(
        "replay",
        f"FROM mart.replays WHERE {_LIKELY} AND NOT {_CHANGES_HANDS}",
        "offsets that were read again",
        (
            *("at", "cluster", "group_id", "topic", "how", "from_offset", "to_offset", "outer_from", "outer_to"),
            *("certain_from", "certain_to", "estimate_from", "estimate_to", "cause"),
        ),
        _tell_replay,
    ),
    Kind(
        "overlap",
        f"FROM mart.replays WHERE {_LIKELY} AND {_CHANGES_HANDS}",
        "partitions that changed hands before all was committed",
        ("at", "cluster", "group_id", "topic", "how", "member_id", "host", "cause"),
        _tell_overlap,
    ),
    Kind(
        "skip",
        "FROM mart.skips",
        "offsets that were passed over",
        (
            *("at", "cluster", "group_id", "topic", "how", "outer_from", "outer_to"),
            *("certain_from", "certain_to", "estimate_to", "cause", "confidence"),
        ),
        _tell_skip,
    ),
)
