"""Refusals of arguments that the warehouse does not know: a group, a topic, a cluster, or a time before any record.

Put here what several commands refuse, since to find nothing there would mean nothing. What a single command can't do
belongs to that command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.nearest import nearest, suggestion
from dagster_project.cli.terminal import brief, note, pasteable, safe
from dagster_project.cli.times import show_time

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from dagster_project.cli.questions.answers import Answers

_MOST_NAMED: Final = 10
_CLUSTERS: Final = "SELECT DISTINCT cluster FROM raw.segments ORDER BY cluster"
_CLUSTERS_OF: Final = """
    SELECT cluster FROM core.commits WHERE list_contains($groups, group_id)
    UNION SELECT cluster FROM core.generations WHERE list_contains($groups, group_id)
    UNION SELECT cluster FROM core.share_states WHERE list_contains($groups, group_id)
    ORDER BY cluster
"""
_GROUPS: Final = "FROM _names_of('group', NULL)"
_THERE: Final = f"{_GROUPS} WHERE list_contains($groups, name)"
_TOPICS: Final = """
    SELECT name FROM _names_of('topic', NULL) WHERE $topics IS NULL OR list_contains($topics, name)
    UNION SELECT topic FROM mart.findings WHERE $topics IS NULL OR list_contains($topics, topic)
    UNION SELECT topic FROM raw.segments WHERE $topics IS NULL OR list_contains($topics, topic)
"""
_INCIDENTS: Final = "SELECT incident_id AS name FROM mart.incidents WHERE $cluster IS NULL OR cluster = $cluster"
_REACH: Final = """
    SELECT min(effective_at) AS first, max(effective_at) AS last FROM core.commits
    WHERE $cluster IS NULL OR cluster = $cluster
"""


def refuse_unknown(answers: Answers, groups: Iterable[str]) -> None:
    """Refuse a group that is in no record at all; name those nearest to it."""
    wanted = sorted(groups)
    there = {row["name"] for row in answers.rows(_THERE, {"groups": wanted})} if wanted else set()
    for group in wanted:
        if group not in there:
            end = suggestion(nearest(answers, _GROUPS, group), "no group is")
            raise CallRefusedError(f"group {pasteable(group)} is not in this warehouse; {end}.")


def refuse_unknown_cluster(answers: Answers, cluster: str | None) -> None:
    """Refuse a cluster of which nothing was read; name those that are there."""
    if cluster is None:
        return
    there = [row["cluster"] for row in answers.rows(_CLUSTERS)]
    if cluster not in there:
        names = ", ".join(map(pasteable, there[:_MOST_NAMED])) or "none"
        raise CallRefusedError(f"cluster {pasteable(cluster)} is not in this warehouse; there is {names}.")


def refuse_unknown_topics(answers: Answers, topics: Sequence[str]) -> None:
    """Refuse a topic that no group committed or owned, and whose log was not read; name those nearest to it."""
    there = {row["name"] for row in answers.rows(_TOPICS, {"topics": list(topics)})} if topics else set()
    for topic in topics:
        if topic not in there:
            end = suggestion(nearest(answers, _TOPICS, topic, {"topics": None}), "no topic is")
            raise CallRefusedError(f"topic {pasteable(topic)} is not in this warehouse; {end}.")


def refuse_incident(answers: Answers, incident: str, cluster: str | None) -> NoReturn:
    """Refuse an incident that was not found; name those nearest to it."""
    end = suggestion(nearest(answers, _INCIDENTS, incident, {"cluster": cluster}), "no incident is")
    where = f"of cluster {pasteable(cluster)}" if cluster else "in this warehouse"
    raise CallRefusedError(f"incident {brief(incident)} is not {where}; {end}; `lagbook audit` lists all.")


def refuse_several_clusters(answers: Answers, group: str, cluster: str | None) -> None:
    """Refuse a group that several clusters have, unless one of them is named: they are not one group."""
    clusters = [] if cluster else _clusters(answers, [group])
    if len(clusters) > 1:
        names = ", ".join(map(pasteable, clusters))
        raise CallRefusedError(f"group {pasteable(group)} is in several clusters, so give --cluster: {names}.")


def refuse_before_first(
    answers: Answers, instant: datetime | None, cluster: str | None, groups: Collection[str] = ()
) -> frozenset[str]:
    """Refuse a time before all that is known of the clusters that have the groups, or of all clusters.

    Say beside the answer of which of them that time lies before or after all that is known; the latter are returned.
    """
    if instant is None:
        return frozenset()
    reaches = _reaches(answers, cluster, groups)
    first = min((reach["first"] for reach in reaches.values()), default=instant)
    if instant < first:
        raise CallRefusedError(
            f"nothing is known of {show_time(instant)}: the first commit read is of {show_time(first)}"
        )
    for name, reach in reaches.items():
        of = f" of cluster {safe(name)}" if len(reaches) > 1 else ""
        if instant < reach["first"]:
            note(f"lagbook: the first commit read{of} is of {show_time(reach['first'])}; what was before is not known.")
        if instant > reach["last"]:
            note(
                f"lagbook: the last commit read{of} is of {show_time(reach['last'])}; what came after it is not known."
            )
    return frozenset(name for name, reach in reaches.items() if instant > reach["last"])


def _reaches(answers: Answers, cluster: str | None, groups: Collection[str]) -> dict[str, dict[str, Any]]:
    """The times of the first and the last commit that was read, of each of these clusters that has any."""
    clusters = [cluster] if cluster else [row["cluster"] for row in answers.rows(_CLUSTERS)]
    if len(clusters) == 1:  # all rows are its own, which is faster to ask for than those of a name
        reaches = {clusters[0]: answers.row(_REACH, {"cluster": cluster})}
    else:
        wanted = _clusters(answers, groups) if groups else clusters
        reaches = {name: answers.row(_REACH, {"cluster": name}) for name in wanted}
    return {name: reach for name, reach in reaches.items() if reach["first"] is not None}


def _clusters(answers: Answers, groups: Collection[str]) -> list[str]:
    return [row["cluster"] for row in answers.rows(_CLUSTERS_OF, {"groups": list(groups)})]
