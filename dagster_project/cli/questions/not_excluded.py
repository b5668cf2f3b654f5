"""The end of an audit: claims that could not be excluded, and groups that are not expected back.

Put here the lines about what is no incident. The sentences of incidents belong in `findings`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import brief, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dagster_project.cli.questions.answers import Answers
    from dagster_project.cli.questions.findings import Window

Row = dict[str, Any]

MOST: Final = 12
"""Lines of groups that are printed."""
_NAMES_MOST: Final = 3
_KINDS: Final = {
    "replay": "re-reads",
    "skip": "passed-over offsets",
    "diverged": "commits that its log lost or never had",
}
_NEEDS: Final = {
    "data_segments": "mount the data segments of {topics}",
    "earlier_copy": "read an earlier copy of its offsets partition",
    "text_logs": "read the coordinators' text logs",
}
"""The evidence that would settle a claim, by the token of mart.not_excluded; application_logs is in the heading."""
_REASONS: Final = {
    "handed_over": "partition reassigned to another member",
    "reassigned_to_same_member": "partition assigned to the same member again",
    "set_back": "committed offset moved back",
    "restarted_at_earliest": "restarted after its offset was removed, perhaps at the log start",
    "restarted_at_latest": "restarted after its offset was removed, perhaps at the log end",
    "set_forward": "committed offset moved forward while the group had no members",
    "skipped_ahead": "a member went on at a higher offset",
    "overtaken_by_log_start": "the log start moved past the committed offset",
    "below_log_start": "the log start moved past the committed offset, nothing committed since",
    "truncated": "a lower offset committed after one beyond the log end, as after a truncation",
    "commit_of_truncated_records": "the log was truncated below the committed offset",
    "commit_ahead_of_log": "the committed offset is beyond the log end",
}
"""What may have been so, by `how` in mart.replays and mart.skips and `kind` in mart.log_divergence."""
_HEADING: Final = "Could not be excluded{when}; nothing says that it happened:"
_UNRECORDED: Final = (
    "  What a member processed after its last commit is in no log of Kafka; the application's own logs tell."
)
_OF_ALL: Final = "FROM mart.not_excluded"
_OF_WINDOW: Final = """
    FROM not_excluded_between(
        coalesce($begin, '-infinity'::TIMESTAMPTZ), coalesce($end, 'infinity'::TIMESTAMPTZ)
    )
"""
_POSSIBLE: Final = """
    WHERE ($cluster IS NULL OR cluster = $cluster)
      AND (len($groups) = 0 OR list_contains($groups, group_id))
      AND (len($topics) = 0 OR list_has_any($topics, topics))
      AND (len($kinds) = 0 OR list_contains($kinds, kind))
    ORDER BY possible_offsets DESC NULLS FIRST, cluster, group_id, kind
"""
_ORDINARY: Final = """
    SELECT count(*) AS overlaps, count(DISTINCT group_id) AS groups FROM mart.replays
    WHERE is_ordinary AND coalesce(to_time >= $begin, TRUE) AND coalesce(from_time < $end, TRUE)
      AND ($cluster IS NULL OR cluster = $cluster)
      AND (len($groups) = 0 OR list_contains($groups, group_id))
      AND (len($topics) = 0 OR list_contains($topics, topic))
"""
_THROWAWAY: Final = """
    SELECT count(DISTINCT (cluster, group_id)) AS groups, min(group_id) AS example FROM mart.stale_offsets
    WHERE cause = 'no_members' AND coalesce(lag, lag_lower) > 0 AND _is_throwaway(group_id)
      AND ($cluster IS NULL OR cluster = $cluster)
      AND (len($groups) = 0 OR list_contains($groups, group_id))
      AND (len($topics) = 0 OR list_contains($topics, topic))
"""


def not_excluded_lines(answers: Answers, window: Window) -> list[str]:
    """A line per group and kind, the ones without a limit first; then what is ordinary, in one line each."""
    is_gap_free = window.begin is None and window.end is None
    rows = _possible(answers, window, is_gap_free=is_gap_free)
    lines = [f"  {_line(row)}" for row in rows[:MOST]]
    if len(rows) > MOST:
        lines.append(f"  and {len(rows) - MOST:,} more, listed in mart.not_excluded")
    if any("application_logs" in row["needs"] for row in rows if row["kind"] != "no_commits"):
        lines.append(_UNRECORDED)
    if rows:
        lines.insert(0, _HEADING.format(when=", over all that was read" if is_gap_free else " in that time"))
    times = {"begin": window.begin, "end": window.end}
    places = {name: window.parameters[name] for name in ("cluster", "groups", "topics")}
    return [*lines, *_ordinary(answers.row(_ORDINARY, places | times)), *_throwaway(answers.row(_THROWAWAY, places))]


def not_excluded_count(answers: Answers, window: Window) -> str | None:
    """How much could not be excluded, in one line; None when everything could."""
    rows = _possible(answers, window, is_gap_free=window.begin is None and window.end is None)
    if not rows:
        return None
    kinds = {row["kind"] for row in rows}
    names = [words for kind, words in {**_KINDS, "no_commits": "reading without commits"}.items() if kind in kinds]
    groups = plural(len({(row["cluster"], row["group_id"]) for row in rows}), "group")
    return f"Could not be excluded, in {groups}: {', '.join(names)}; --verbose lists what would settle it."


def _possible(answers: Answers, window: Window, *, is_gap_free: bool) -> list[Row]:
    """The claims that are possible at any time, looked up, or in a window, computed anew, which takes longer."""
    parameters = {
        name: value
        for name, value in window.parameters.items()
        if name != "without" and (not is_gap_free or name not in {"begin", "end"})
    }
    return list(answers.rows((_OF_ALL if is_gap_free else _OF_WINDOW) + _POSSIBLE, parameters))


def _line(row: Row) -> str:
    group = brief(row["group_id"])
    if row["kind"] == "no_commits":
        owned = plural(row["claims"], "partition")
        return f"{group}: its members owned {owned}, and no commit of it was seen; what they read is not known"
    limit = (
        "upper bound not known"
        if row["possible_offsets"] is None
        else f"at most {plural(row['possible_offsets'], 'offset')}"
    )
    reasons = ", or ".join(brief(_REASONS.get(reason, reason)) for reason in row["reasons"])
    times = f"{row['claims']:,} times" if row["claims"] > 1 else "once"
    where = f"{times} in {plural(row['partitions'], 'partition')}"
    return f"{group}: {_KINDS[row['kind']]}, {limit}: {reasons}, {where}{_needs(row)}"


def _needs(row: Row) -> str:
    topics = _names(row["topics_to_mount"])
    needs = [_NEEDS[need].format(topics=topics) for need in row["needs"] if need in _NEEDS]
    return f"; to know: {', '.join(needs)}" if needs else ""


def _names(names: Sequence[str]) -> str:
    more = len(names) - _NAMES_MOST
    return ", ".join(map(brief, names[:_NAMES_MOST])) + (
        f" and {more} more topic{'s' if more > 1 else ''}" if more > 0 else ""
    )


def _ordinary(row: Row) -> Iterable[str]:
    if row["overlaps"]:
        yield (
            f"Ordinary reassignments: {row['overlaps']:,} in {plural(row['groups'], 'group')}; what a member processed "
            "after its last commit may have been processed again, as at-least-once delivery means (mart.replays, "
            "is_ordinary)."
        )


def _throwaway(row: Row) -> Iterable[str]:
    if row["groups"]:
        named = "such as " if row["groups"] > 1 else ""
        yield (
            f"Without members, with offsets left to read: {plural(row['groups'], 'group')} with a throwaway name "
            f"({named}{brief(row['example'])})."
        )
