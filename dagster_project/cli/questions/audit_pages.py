"""The list of an audit as a person reads it: on one screen, with every detail, or for a ticket.

Put here how it is laid out. What is found, and its sentences, stand in `findings`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli.questions.basis import basis_lines, find_basis
from dagster_project.cli.questions.findings import KINDS, Incident, Window, count_incidents, incidents
from dagster_project.cli.questions.not_excluded import not_excluded_count, not_excluded_lines
from dagster_project.cli.terminal import cell, in_lines, markdown, plural, print_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dagster_project.cli.questions.answers import Answers

MOST: Final = 10
"""Incidents that are printed by default: as many as a screen has room for."""
_SHORT_LINES: Final = 2

_READ: Final = """
    SELECT count(*) AS commits, min(coalesce(effective_at, commit_at)) AS first,
           max(coalesce(effective_at, commit_at)) AS last
    FROM core.commits
    WHERE ($cluster IS NULL OR cluster = $cluster)
      AND (len($groups) = 0 OR list_contains($groups, group_id))
      AND (len($topics) = 0 OR list_contains($topics, topic))
"""


@dataclass(frozen=True, slots=True)
class Listing:
    """What an audit shows: a window, how many incidents of it, and what is said of those that are left out."""

    window: Window
    most: int = MOST
    left_out: str = ""
    place: str = ""
    """The option that names the warehouse, as the next command needs it."""


def read_commits(answers: Answers, window: Window) -> dict[str, Any]:
    """How many commits there are of what the window is about, at any time, and of when."""
    places = {"cluster": window.cluster, "groups": list(window.groups), "topics": list(window.topics)}
    return answers.row(_READ, places)


def print_short(answers: Answers, listing: Listing) -> list[str]:
    """Print what fits a screen: summary, basis, two lines for each incident, the next command. Returns their ids."""
    shown, counts = _print_beginning(answers, listing)
    for incident in shown:
        click.echo("\n".join(in_lines(incident.short, _SHORT_LINES)))
    for line in _with_space(_end_of_short(answers, listing, shown, counts)):
        print_sentence(line)
    return _ids(shown)


def print_verbose(answers: Answers, listing: Listing) -> list[str]:
    """Print the summary and basis, each incident in three lines, then claims not excluded. Returns the ids."""
    shown, counts = _print_beginning(answers, listing)
    for incident in shown:
        row, (claim, *details) = incident.row, incident.lines
        print_sentence(f"{row['rank']}. {row['severity']}: {claim}")
        for line in details:
            print_sentence(f"   {line}")
    for line in _with_space(_closing(answers, listing, shown, counts)):
        print_sentence(line)
    return _ids(shown)


def print_markdown(answers: Answers, listing: Listing) -> list[str]:
    """Print summary and basis, the incidents as a table, their findings, then claims not excluded. Returns the ids."""
    window, counts = listing.window, count_incidents(answers, listing.window)
    shown = list(islice(incidents(answers, window), listing.most))
    click.echo("# What Lagbook found\n")
    for line in _beginning(answers, listing, counts):
        click.echo(f"- {markdown(line)}")
    click.echo()
    if shown:
        click.echo("| | severity | what happened | incident |\n|-|-|-|-|")
        for incident in shown:
            row = incident.row
            click.echo(f"| {row['rank']} | {row['severity']} | {markdown(incident.title)} | `{row['incident_id']}` |")
        for line in _markdown_findings(shown):
            click.echo(line)
        click.echo()
    for line in _closing(answers, listing, shown, counts):
        click.echo(f"- {markdown(line.strip())}")
    return _ids(shown)


def _ids(shown: Iterable[Incident]) -> list[str]:
    return [incident.row["incident_id"] for incident in shown]


def _print_beginning(answers: Answers, listing: Listing) -> tuple[list[Incident], Mapping[str, int]]:
    counts = count_incidents(answers, listing.window)
    for line in _beginning(answers, listing, counts):
        print_sentence(line)
    shown = list(islice(incidents(answers, listing.window), listing.most))
    if shown:
        click.echo()
    return shown, counts


def _with_space(lines: Iterable[str]) -> list[str]:
    """The lines behind an empty one, if there are any."""
    end = list(lines)
    return ["", *end] if end else []


def _beginning(answers: Answers, listing: Listing, counts: Mapping[str, int]) -> list[str]:
    window = listing.window
    basis = basis_lines(answers, window.groups, window.cluster, window.end)
    return [_summary(answers, listing, counts), *basis]


def _markdown_findings(shown: Iterable[Incident]) -> Iterable[str]:
    for incident in shown:
        yield f"\n## {incident.row['rank']}. Incident {incident.row['incident_id']}\n"
        for claim, *details in incident.sentences:
            yield f"- {markdown(claim)}"
            yield from (f"  - {markdown(detail)}" for detail in details)
        if incident.left_out:
            yield f"- {incident.left_out} more ranges"


def _summary(answers: Answers, listing: Listing, counts: Mapping[str, int]) -> str:
    """How many incidents there are; where there is none, in how much of the history; and what is left out."""
    window, left_out = listing.window, f" {listing.left_out}" if listing.left_out else ""
    if counts:
        parts = ", ".join(f"{count} {severity}" for severity, count in counts.items())
        return f"{plural(sum(counts.values()), 'incident')}: {parts}.{left_out}"
    basis = find_basis(answers, window.groups, window.cluster)
    other = " other" if left_out else ""
    if basis.is_gap_free:
        return f"No{other} incident in the history that was read, which has no gap.{left_out}"
    if basis.is_of_stores:
        return f"No{other} incident in the commits that were read from stores outside Kafka.{left_out}"
    share = f"the {basis.read_share} of the history that was seen; of the rest nothing is known"
    return f"No{other} incident in {share}.{left_out}"


def _more(shown: Iterable[Incident], counts: Mapping[str, int]) -> Iterator[str]:
    more = sum(counts.values()) - len(list(shown))
    if more > 0:
        yield f"{more} more incidents, none of them worse; --first shows more, --json all."


def _end_of_short(
    answers: Answers, listing: Listing, shown: list[Incident], counts: Mapping[str, int]
) -> Iterable[str]:
    """The number of incidents left out, how much could not be excluded, and what to type next."""
    yield from _more(shown, counts)
    if (not_excluded := not_excluded_count(answers, listing.window)) is not None:
        yield not_excluded
    if shown:
        yield f"Next: lagbook report --incident {shown[0].row['incident_id']}{listing.place}"


def _closing(answers: Answers, listing: Listing, shown: list[Incident], counts: Mapping[str, int]) -> Iterable[str]:
    """The number of incidents left out, claims not excluded, and the kinds of findings that were searched for."""
    window = listing.window
    yield from _more(shown, counts)
    yield from not_excluded_lines(answers, window)
    read = read_commits(answers, window)
    looked_for = f" for {', '.join(KINDS[kind] for kind in window.kinds)}" if window.kinds else ""
    reach = f"{read['commits']:,} commits and removals, {cell(read['first'])} to {cell(read['last'])}"
    yield f"Looked{looked_for} at {reach}."
