"""The meaning of a call of `lagbook records`: which ranges of which logs, read from where, into what.

Put here what is refused before anything is read. What claims say is asked in `claims`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from assets.extraction.log_ranges import LogRange
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.extracts.claims import ClaimRequest, claimed_ranges, clusters_of, files_read, table_counts
from dagster_project.cli.extracts.extraction import Job
from dagster_project.cli.extracts.log_places import LogPlaces, named_places
from dagster_project.cli.questions.answers import open_answers
from dagster_project.cli.terminal import safe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dagster_project.cli.questions.answers import Answers
    from dagster_project.settings import Settings

_FORMS: Final = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@dataclass(frozen=True, slots=True)
class RecordsCall:
    """The arguments, and the settings that they and the environment make."""

    settings: Settings
    arguments: Mapping[str, Any]

    @property
    def output(self) -> Path:
        """The file to write."""
        return Path(self.arguments["output"])

    @property
    def job(self) -> Job:
        """What is written, and how."""
        form: str | None = self.arguments["form"] or _FORMS.get(self.output.suffix)
        if form is None:
            raise CallRefusedError(f"{safe(str(self.output))}: end it in .parquet or .jsonl, or give --format.")
        key, value, is_keys_alone = (self.arguments[name] for name in ("key_as", "value_as", "keys"))
        return Job(self.output, form, key, value, is_keys_alone)

    @property
    def is_plain(self) -> bool:
        """Whether a range is meant, and no claim."""
        return self.arguments["incident"] is None and self.arguments["group"] is None

    @property
    def has_places(self) -> bool:
        """Whether logs or a cluster are named."""
        return bool(self.settings.logs or self.settings.bootstrap)

    def refuse(self) -> None:
        """Refuse what nobody can mean."""
        names = ("group", "topic", "partition", "offsets", "kind")
        given = {name for name in names if self.arguments[name] is not None}
        if self.arguments["incident"] is not None and given:
            raise click.UsageError(f"INCIDENT says all of it: leave --{min(given)} out.", click.get_current_context())
        wanted = {"topic", "partition"} | ({"offsets"} if self.is_plain else set())
        if self.arguments["incident"] is None and not wanted <= given:
            raise click.UsageError(
                "Give INCIDENT; or --group, --topic and --partition; or --topic, --partition and --offsets.",
                click.get_current_context(),
            )
        if self.is_plain and self.arguments["kind"] is not None:
            raise click.UsageError("--kind is of claims: give --group too.", click.get_current_context())


@dataclass(frozen=True, slots=True)
class Wanted:
    """The ranges, where they are read from, and the records that the tables count in each, as far as they know."""

    ranges: Sequence[LogRange]
    places: LogPlaces
    counts: Mapping[LogRange, int | None]


def find_wanted(call: RecordsCall) -> Wanted:
    """The ranges that a call means: those of claims, or one that it names."""
    if call.is_plain and call.has_places:
        cluster = call.arguments["cluster"]
        places = named_places(call.settings.logs, call.settings.live, cluster)
        return Wanted([_named_range(call, cluster or places.named_cluster())], places, {})
    with open_answers(call.settings.open_warehouse()) as answers:
        if call.is_plain:
            ranges = [_named_range(call, _only_cluster(answers, call.arguments["cluster"]))]
        else:
            names = ("incident", "group", "topic", "partition", "certainty", "kind", "cluster")
            claimed = claimed_ranges(answers, ClaimRequest(**{name: call.arguments[name] for name in names}))
            ranges = _cut(claimed, call.arguments["offsets"])
        return Wanted(ranges, _places(call, ranges, answers), table_counts(answers, ranges))


def _named_range(call: RecordsCall, cluster: str) -> LogRange:
    topic, partition, (begin, end) = (call.arguments[name] for name in ("topic", "partition", "offsets"))
    return LogRange(cluster, topic, partition, begin, end)


def _only_cluster(answers: Answers, cluster: str | None) -> str:
    clusters = clusters_of(answers)
    if cluster is None and len(clusters) != 1:
        raise CallRefusedError(f"the warehouse has {len(clusters)} clusters: choose with --cluster.")
    if cluster is not None and cluster not in clusters:
        raise CallRefusedError(f"cluster {safe(cluster)} is not in this warehouse.")
    return cluster or clusters[0]


def _cut(ranges: Sequence[LogRange], offsets: tuple[int, int] | None) -> list[LogRange]:
    """The parts of ranges that lie between two offsets."""
    if offsets is None:
        return list(ranges)
    cut = [
        replace(one, from_offset=max(one.from_offset, offsets[0]), to_offset=min(one.to_offset, offsets[1]))
        for one in ranges
    ]
    inside = [one for one in cut if one.from_offset < one.to_offset]
    if not inside:
        spans = ", ".join(f"{one.from_offset}:{one.to_offset}" for one in ranges[:10])
        raise CallRefusedError(f"no claim is about these offsets; the claims are about {spans}.")
    return inside


def _places(call: RecordsCall, ranges: Sequence[LogRange], answers: Answers) -> LogPlaces:
    """The places of the call; without any, the files that the warehouse was read from."""
    if call.has_places:
        return named_places(call.settings.logs, call.settings.live, ranges[0].cluster)
    logs = {one.log: one for one in ranges}
    segments = tuple(segment for one in logs.values() for segment in files_read(answers, one))
    return LogPlaces(segments, None)
