"""The report of `lagbook doctor` as a person reads it.

Put here how it is laid out. What is looked at belongs in `doctor`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli.operations.external_stores import print_stores
from dagster_project.cli.terminal import brief, cell, print_columns, print_sentence, safe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LONGEST_PATH: Final = 400

SECTIONS: Final = (
    "versions",
    "warehouse",
    "files",
    "logs",
    "cluster",
    "log_coverage",
    "duckdb_file",
    "last_run",
    "at_work",
)
_LABELS: Final = {
    "offsets_seen_whole": "offsets of __consumer_offsets read without a gap",
    "offsets_seen_gaps": "offsets in segments that had been compacted",
    "offsets_retired": "offsets retired from the archive",
    "offsets_never_seen": "offsets between segments that were read, in none of them",
}
"""Names of single values, where their name in the JSON is not plain."""


def print_facts(all_facts: Mapping[str, Any], problems: Sequence[str]) -> None:
    """Print all sections, the tables, and what a run would do, what would help it, what would stop it."""
    for section in SECTIONS:
        _print_facts(section, all_facts.get(section) or {})
    print_stores(all_facts["stores"] or ())
    for one in all_facts["recorders"]:
        click.echo(f"recorder of {safe(one['place'])}: {safe(one['sentence'])}\n")
    _print_set_aside(all_facts["set_aside"] or (), all_facts["quarantined"])
    print_columns([("TABLE", "ROWS", "FILES", "BYTES"), *(tuple(row.values()) for row in all_facts["tables"] or ())])
    click.echo()
    for proof in all_facts.get("proofs") or ():
        print_sentence(f"made again: {safe(proof['sentence'])}")
    for sentence in all_facts["next_run"] or ():
        print_sentence(f"next run: {safe(sentence)}")
    for hint in all_facts["advice"] or ():
        print_sentence(f"better with: {safe(hint)}")
    for problem in problems or ("none, a run can start",):
        print_sentence(f"problem: {safe(problem)}")


def _print_set_aside(places: Sequence[Mapping[str, Any]], rows: int | None) -> None:
    """Print where records were set aside, and why."""
    click.echo(f"rows in quarantine: {cell(rows)}")
    for place in places:
        where = f"{brief(place['path'], _LONGEST_PATH)} at byte {cell(place['position'])}"
        trouble = f"{brief(place['reason'])}, expected {cell(place['expected'])}, found {cell(place['found'])}"
        click.echo(f"  {where}: {trouble}")
    if rows is not None and rows > len(places):
        click.echo(f"  and {rows - len(places):,} more, listed in raw.quarantine")
    click.echo()


def _print_facts(section: str, facts: Mapping[str, Any]) -> None:
    """A section's single values, then how often what was skipped for which reason."""
    click.echo(section.replace("_", " ") + ("" if facts else ": none"))
    single = {name: value for name, value in facts.items() if not isinstance(value, list)}
    print_columns([(f"  {_LABELS.get(name, name.replace('_', ' '))}", value) for name, value in single.items()])
    reasons = Counter(skipped["reason"] for skipped in facts.get("skipped", ()))
    for reason, count in reasons.most_common():
        click.echo(f"  skipped {count}: {brief(reason)}")
    for gap in facts.get("never_seen", ()):
        place = f"{brief(gap['cluster'])} {brief(gap['topic'])}-{gap['partition']}"
        click.echo(f"  never seen: {place}, offsets {gap['from_offset']} to {gap['to_offset'] - 1}")
    click.echo()
