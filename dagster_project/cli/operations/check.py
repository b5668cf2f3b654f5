"""`lagbook check`: which rules the tables hold to, judged from new files as a run does, or from all rows.

Put here the call and what is printed. Rules, files and verdicts belong in `dagster_project.rules`.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import note, print_columns, safe, to_json
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assets.storage.warehouse import Warehouse
    from dagster_project.rules.judging import Judgement
    from dagster_project.rules.rule import Rule
    from dagster_project.rules.verdicts import Verdict

_HELP: Final = """Judge the tables by their rules, and show which rules are broken.

Judges what the next run would judge: files that no run has judged yet, and the older files that their rows may
contradict. What is remembered of the others counts as it is. With --all every rule is judged on all rows. Changes
nothing.

Ends with 1 when a blocking rule is broken or a rule can't be judged, with 3 when rules are broken that only warn.

\b
Examples:
  lagbook check --warehouse wh
  lagbook check --all --warehouse wh
  lagbook check --all --table core.commits --json --warehouse wh"""


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The verdict on one rule of a table."""

    table: str
    rule: str
    is_blocking: bool
    description: str
    verdict: Verdict

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain values."""
        return {
            "table": self.table,
            "rule": self.rule,
            "severity": self.severity,
            "description": self.description,
            "holds": self.verdict.holds,
            "broken_rows": self.verdict.broken_count,
            "is_at_least": self.verdict.is_at_least,
            "examples": self.verdict.broken,
        }

    @property
    def severity(self) -> str:
        """Whether a breach stops what is built on the table."""
        return "blocking" if self.is_blocking else "warning"


@dataclass(frozen=True, slots=True)
class Checked:
    """All verdicts, and the tables that were judged for them."""

    verdicts: list[RuleVerdict]
    row_counts: dict[str, int]
    """The rows of each table of which any file was read."""
    unchanged: list[str]
    errors: list[str]

    @property
    def broken(self) -> list[RuleVerdict]:
        """The verdicts on rules that do not hold."""
        return [one for one in self.verdicts if not one.verdict.holds]

    @property
    def exit_code(self) -> int:
        """The worst severity of what is broken."""
        if self.errors or any(one.is_blocking for one in self.broken):
            return exits.FAILED
        return exits.WARNINGS if self.broken else exits.DONE


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option("--all", "is_whole", is_flag=True, help="Judge every rule on all rows.")
@click.option("--table", "tables", multiple=True, metavar="TABLE", help="This table alone; may be given several times.")
@options.CLUSTER_OF_FILE
@options.WAREHOUSE
@options.JSON
def check(warehouse: str | None, *, tables: tuple[str, ...], is_whole: bool, as_json: bool) -> int:
    """Judge the tables and print what is broken."""
    from assets.maintenance.integrity import has_any_table

    began, place = time.monotonic(), options.named_warehouse(warehouse)
    if not has_any_table(place):
        raise CallRefusedError(f"{place.public_url} is no warehouse: it has no table; `lagbook run` makes them.")
    with _progress() as show:
        show("loading the rules")
        checked = _checked(place, tables, show, is_whole=is_whole)
    seconds = round(time.monotonic() - began, 1)
    _print_json(checked, seconds) if as_json else _print(checked, seconds)
    for error in checked.errors:
        note(f"lagbook: {safe(error)}")
    return checked.exit_code


def _checked(place: Warehouse, tables: tuple[str, ...], show: Callable[[str], None], *, is_whole: bool) -> Checked:
    from dagster_project.rules.judging import judge_table, reading
    from dagster_project.rules.rules_in_sql import every_rule

    rules = every_rule()
    if unknown := [name for name in tables if name not in rules]:
        raise CallRefusedError(f"there is no table {unknown[0]}; `lagbook doctor` lists them.")
    checked = Checked([], {}, [], [])
    names = tables or tuple(rules)
    with reading() as connection:
        for number, name in enumerate(names, start=1):
            show(f"{name} ({number} of {len(names)})")
            try:
                judgement = judge_table(connection, place, name, rules[name], is_whole=is_whole)
            except WarehouseError as error:
                checked.errors.append(str(error))
            else:
                _add(checked, name, rules[name], judgement)
    return checked


def _add(checked: Checked, table: str, rules: list[Rule], judgement: Judgement) -> None:
    verdicts = judgement.memory.verdicts
    checked.verdicts.extend(
        RuleVerdict(table, rule.name, rule.is_critical, rule.description, verdicts[rule.name])
        for rule in rules
        if rule.name in verdicts
    )
    checked.errors.extend(f"{table}: {error}" for error in judgement.errors)
    if judgement.is_new:
        checked.row_counts[table] = judgement.rows
    else:
        checked.unchanged.append(table)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A function that shows what is being done, in one line of a terminal; nothing elsewhere."""
    from rich.console import Console
    from rich.text import Text

    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with Console(stderr=True).status("") as status:
        yield lambda line: status.update(Text(line))


def _print_json(checked: Checked, seconds: float) -> None:
    summary = {
        "rules": [one.as_json() for one in checked.verdicts],
        "tables_judged": checked.row_counts,
        "tables_unchanged": checked.unchanged,
        "errors": checked.errors,
        "seconds": seconds,
    }
    click.echo(to_json(summary, indent=2))


def _print(checked: Checked, seconds: float) -> None:
    broken = sorted(checked.broken, key=lambda one: (not one.is_blocking, one.table, one.rule))
    if broken:
        rows = [(one.table, one.rule, one.severity, _count(one.verdict), one.verdict.broken or None) for one in broken]
        print_columns([("TABLE", "RULE", "SEVERITY", "ROWS", "EXAMPLES"), *rows])
        for description in dict.fromkeys(f"{one.rule}: {one.description}" for one in broken):
            click.echo(f"  {safe(description)}")
    holding = len(checked.verdicts) - len(broken)
    tables = f"{len(checked.row_counts)} tables judged, {len(checked.unchanged)} unchanged since they were"
    click.echo(f"{holding} rules hold, {len(broken)} are broken; {tables}; {seconds} s.")


def _count(verdict: Verdict) -> str:
    return f">={verdict.broken_count}" if verdict.is_at_least else str(verdict.broken_count)
