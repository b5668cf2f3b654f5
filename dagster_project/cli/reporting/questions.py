"""The queries of the report: one per figure, shown beside it as it was run.

Put a figure's query here. How its rows are drawn belongs in the module of the figure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from dagster_project.cli.times import show_time

if TYPE_CHECKING:
    from dagster_project.cli.questions.answers import Answers


class Scope(Protocol):
    """The subject of a page."""

    @property
    def parameters(self) -> dict[str, object]:
        """The values that every question binds."""


STEPS: Final = 160
"""Instants at which lag and offsets are looked at."""
_PARAMETER: Final = re.compile(r"\$(\w+)")
_BYTES_OF_A_LITERAL: Final = frozenset(range(0x20, 0x7F)) - set(b"'\\")


@dataclass(frozen=True, slots=True)
class Question:
    """A query with named parameters, most of them of the scope."""

    name: str
    sql: str

    def ask(self, answers: Answers, scope: Scope, **more: object) -> list[dict[str, Any]]:
        """The rows of the answer; only those parameters are bound that the query has."""
        parameters = {**scope.parameters, **more}
        return list(answers.rows(self.sql, {name: parameters[name] for name in set(_PARAMETER.findall(self.sql))}))

    def printable(self, **more: object) -> str:
        """The query as a person can repeat it, once the variables of the scope are set."""
        literals = {name: literal(value) for name, value in more.items()}
        return _PARAMETER.sub(lambda match: literals.get(match[1], f"getvariable('{match[1]}')"), self.sql).strip()


def preparation(scope: Scope) -> str:
    """The statements to run first: they set the variables that every query of the report takes."""
    named = (f"SET VARIABLE {name} = {literal(value)};" for name, value in scope.parameters.items())
    return "\n".join(["SET TimeZone = 'UTC';", *named])


def literal(value: Any) -> str:  # noqa: ANN401 - any value of the scope
    """A value in SQL; a text with characters that a page or a terminal would not show is spelled in bytes."""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if not isinstance(value, str):
        return f"TIMESTAMPTZ '{show_time(value)}'"
    if value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    spelled = (chr(b) if b in _BYTES_OF_A_LITERAL else f"\\x{b:02X}" for b in value.encode())
    return f"decode('{''.join(spelled)}'::BLOB)"


INCIDENTS: Final = Question(
    "incidents",
    """
SELECT * FROM mart.incidents
WHERE cluster = $cluster AND group_id = $grp
  AND coalesce(to_time >= $begin AND coalesce(from_time, detected_at) < $until, TRUE)
ORDER BY rank
""",
)
RANGES: Final = Question(
    "ranges",
    """
FROM (
    SELECT incident_id, i.rank, f.kind, f.claim, f.reason, f.cause, f.certainty, f.topic,
           min(f.occurred_at) AS occurred_at,
           f.possible_from, f.possible_to, f.certain_from, f.certain_to, f.estimate_from, f.estimate_to,
           list(f.partition ORDER BY f.partition) AS partitions,
           if(count(f.estimate_records) = count(*), sum(f.estimate_records), NULL)::BIGINT AS records
    FROM mart.findings AS f JOIN mart.incidents AS i USING (cluster, incident_id)
    WHERE cluster = $cluster AND f.group_id = $grp
      AND coalesce(f.occurred_at >= $begin AND f.occurred_at < $until, TRUE)
      AND f.possible_from IS NOT NULL
    GROUP BY ALL
)
ORDER BY rank, len(partitions) * coalesce(possible_to - possible_from, 0) DESC, topic, partitions
""",
)
LAG: Final = Question(
    "lag",
    """
WITH committed AS (
    SELECT topic, partition, effective_at, min(delta) AS delta,
           last(committed_offset ORDER BY effective_log_offset, log_offset) AS committed_offset
    FROM core.commits WHERE cluster = $cluster AND group_id = $grp AND effective_at < $until GROUP BY ALL
),
grid AS (
    SELECT $begin + ($until - $begin) * (step / $steps) AS looked_at FROM range($steps + 1) AS r(step)
    UNION
    FROM (SELECT effective_at FROM committed WHERE delta < 0 AND effective_at >= $begin ORDER BY delta LIMIT $steps)
),
places AS (SELECT DISTINCT topic, partition FROM committed),
ends AS (
    SELECT topic, partition, reached_at,
           max(log_end_offset) OVER log AS log_end_offset, max(log_start_offset) OVER log AS log_start_offset
    FROM core.log_ends JOIN places USING (topic, partition)
    WHERE cluster = $cluster AND reached_at < $until AND until_at IS NULL
    WINDOW log AS (PARTITION BY topic, partition ORDER BY reached_at)
),
bounded AS (
    SELECT topic, partition, from_at, to_at, {'log_end_lower': log_end_lower, 'log_end_upper': log_end_upper} AS bounds
    FROM core.log_end_bounds JOIN places USING (topic, partition) WHERE cluster = $cluster AND from_at < $until
),
stood AS (
    SELECT g.looked_at, g.topic, g.partition,
           if(c.committed_offset >= 0, greatest(c.committed_offset, e.log_start_offset), NULL) AS begins,
           _known_end(e.log_end_offset, if(b.to_at <= g.looked_at, NULL, b.bounds), begins) AS log_end
    FROM (FROM grid, places) AS g
    ASOF LEFT JOIN committed AS c
        ON (c.topic, c.partition) = (g.topic, g.partition) AND c.effective_at <= g.looked_at
    ASOF LEFT JOIN ends AS e ON (e.topic, e.partition) = (g.topic, g.partition) AND e.reached_at <= g.looked_at
    ASOF LEFT JOIN bounded AS b ON (b.topic, b.partition) = (g.topic, g.partition) AND b.from_at <= g.looked_at
    WHERE c.committed_offset IS NOT NULL
),
lags AS (SELECT *, log_end.lower - begins AS lag_lower, log_end.upper - begins AS lag_upper FROM stood)
SELECT g.looked_at,
       if(count(lag_lower) > 0, least(sum(lag_lower), 9223372036854775807), NULL)::BIGINT AS lag_lower,
       if(count(lag_upper) = count(l.topic) AND count(lag_upper) > 0,
          least(sum(lag_upper), 9223372036854775807), NULL)::BIGINT AS lag_upper,
       count(l.topic) AS committed, count(l.topic) - count(lag_lower) AS unknown,
       max(lag_lower) AS worst_lower,
       first(l.topic ORDER BY lag_lower DESC, l.topic, l.partition) FILTER (lag_lower IS NOT NULL) AS worst_topic,
       first(l.partition ORDER BY lag_lower DESC, l.topic, l.partition) FILTER (lag_lower IS NOT NULL)
           AS worst_partition,
       first(lag_upper = lag_lower ORDER BY lag_lower DESC, l.topic, l.partition) FILTER (lag_lower IS NOT NULL)
           AS is_worst_exact
FROM grid AS g LEFT JOIN lags AS l USING (looked_at)
GROUP BY g.looked_at ORDER BY g.looked_at
""",
)
_OWNED: Final = """
owned AS (FROM _owners_by_name(grp := $grp) WHERE cluster = $cluster),
named AS (
    SELECT * REPLACE (coalesce(topic, topic_id) AS topic) FROM owned
    WHERE topic IS NOT NULL OR NOT EXISTS (
        SELECT topic FROM core.commits WHERE cluster = $cluster AND group_id = $grp EXCEPT SELECT topic FROM owned
    )
)"""
"""Owners with the names of topics. Where nothing says which of the topics that a group commits an id is, the partitions
are those that it commits, each once.
"""
LANES: Final = Question(
    "lanes",
    f"""
WITH {_OWNED},
found AS (
    SELECT topic, partition, min(rank) AS rank, min(number) AS number
    FROM (
        SELECT f.*, i.rank, dense_rank() OVER (PARTITION BY incident_id ORDER BY f.topic, f.partition) AS number
        FROM mart.findings AS f JOIN mart.incidents AS i USING (cluster, incident_id)
        WHERE cluster = $cluster AND f.group_id = $grp
      AND coalesce(f.occurred_at >= $begin AND f.occurred_at < $until, TRUE)
    )
    GROUP BY ALL
),
moved AS (
    SELECT topic, partition, count(DISTINCT member_id) AS owners FROM named
    WHERE coalesce(seen_at < $until, TRUE) AND coalesce(until_at >= $begin, TRUE)
    GROUP BY ALL
),
committed AS (
    SELECT topic, partition, count(*) AS commits FROM core.commits
    WHERE cluster = $cluster AND group_id = $grp AND effective_at >= $begin AND effective_at < $until GROUP BY ALL
)
SELECT topic, partition, rank, number, coalesce(owners, 0) AS owners, coalesce(commits, 0) AS commits
FROM found FULL JOIN moved USING (topic, partition) FULL JOIN committed USING (topic, partition)
WHERE topic IS NOT NULL
ORDER BY number > 4, rank, owners DESC, commits DESC, topic, partition
""",  # noqa: S608 - a constant of this file
)
OWNERS: Final = Question(
    "owners",
    f"""
WITH {_OWNED}
SELECT topic, partition, member_id, client_id, client_host AS client_host,
       greatest(seen_at, $begin) AS from_at, least(coalesce(until_at, $until), $until) AS to_at, end_reason
FROM named
WHERE seen_at < $until AND coalesce(until_at > $begin, TRUE) AND list_contains($places, topic || '-' || partition)
ORDER BY topic, partition, from_at
""",  # noqa: S608 - a constant of this file
)
OFFSETS: Final = Question(
    "offsets",
    """
SELECT topic, partition, floor($steps * (epoch_ms(effective_at) - epoch_ms($begin))
                               / (epoch_ms($until) - epoch_ms($begin)))::INTEGER AS step,
       count(*) AS commits, min(committed_offset) AS lowest, max(committed_offset) AS highest,
       last(committed_offset ORDER BY effective_log_offset, log_offset) AS committed_offset,
       bool_or(kind = 'removed') AS is_removed
FROM core.commits
WHERE cluster = $cluster AND group_id = $grp AND effective_at >= $begin AND effective_at < $until
  AND list_contains($places, topic || '-' || partition)
GROUP BY ALL ORDER BY topic, partition, step
""",
)
MARKS: Final = Question(
    "marks",
    """
SELECT topic, partition, kind, occurred_at, claim FROM mart.findings
WHERE cluster = $cluster AND group_id = $grp AND occurred_at >= $begin AND occurred_at < $until
  AND list_contains($places, topic || '-' || partition)
ORDER BY topic, partition, occurred_at, kind
LIMIT 400
""",
)
BANDS: Final = Question(
    "bands",
    """
WITH counted AS (
    SELECT topic, partition, floor($steps * (epoch_ms(effective_at) - epoch_ms($begin))
                                   / (epoch_ms($until) - epoch_ms($begin)))::INTEGER AS step, count(*) AS commits
    FROM core.commits
    WHERE cluster = $cluster AND group_id = $grp AND effective_at >= $begin AND effective_at < $until
      AND NOT list_contains($places, topic || '-' || partition)
    GROUP BY ALL
),
numbered AS (SELECT *, dense_rank() OVER (ORDER BY topic, partition) - 1 AS place FROM counted),
banded AS (SELECT *, floor($bands * place / (1 + max(place) OVER ()))::INTEGER AS band FROM numbered),
ends AS (SELECT band, min((topic, partition)) AS first, max((topic, partition)) AS last FROM banded GROUP BY band)
SELECT b.band, b.step, sum(b.commits)::BIGINT AS commits, count(*) AS partitions, any_value(e.first) AS first,
       any_value(e.last) AS last
FROM banded AS b JOIN ends AS e USING (band)
GROUP BY b.band, b.step ORDER BY b.band, b.step
""",
)
REBALANCES: Final = Question(
    "rebalances",
    """
SELECT started_at, pause_ms, "trigger", generation_before, generation_after, members_before, members_after,
       coalesce(members_joined, []) AS members_joined, coalesce(members_left, []) AS members_left, partitions_moved,
       log_partition, log_offset
FROM mart.rebalances
WHERE cluster = $cluster AND group_id = $grp AND started_at >= $begin AND started_at < $until
ORDER BY log_offset
""",
)
EVIDENCE: Final = Question(
    "evidence",
    """
SELECT occurred_at, log_partition, log_offset, part, topic, partition, says FROM incident($incident)
ORDER BY log_partition, log_offset, part DESC, topic, partition
""",
)
COMPLETENESS: Final = Question(
    "log_coverage",
    """
SELECT topic, partition, status, sum(to_offset - from_offset)::BIGINT AS offsets FROM mart.log_coverage
WHERE cluster = $cluster AND topic = '__consumer_offsets'
  AND partition IN (SELECT log_partition FROM core.commits WHERE cluster = $cluster AND group_id = $grp)
GROUP BY ALL ORDER BY ALL
""",
)
NAMELESS: Final = Question(
    "nameless",
    f"""
WITH {_OWNED}
SELECT count(DISTINCT topic_id) AS topics, count(DISTINCT (topic_id, partition)) AS partitions
FROM owned WHERE topic IS NULL AND topic_id NOT IN (SELECT topic_id FROM named WHERE topic_id IS NOT NULL)
""",  # noqa: S608 - a constant of this file
)
COUNTS: Final = Question(
    "counts",
    """
SELECT (SELECT arg_max(group_type, log_offset) FROM core.generations
        WHERE cluster = $cluster AND group_id = $grp AND coalesce(from_at < $until, TRUE)) AS group_type,
       count(*) AS commits, count(*) FILTER (kind = 'removed') AS removals,
       count(DISTINCT (topic, partition)) AS partitions, list_sort(list_distinct(list(topic))) AS topics
FROM core.commits
WHERE cluster = $cluster AND group_id = $grp AND effective_at >= $begin AND effective_at < $until
""",
)
