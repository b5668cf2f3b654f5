"""The verdicts on a table's rules, from the rows of the files that may have changed them.

Each row by itself breaks a rule about single rows or does not: such a rule is judged on new files alone. A repeated key
is looked for among new rows, and between them and the older files that may have one of their keys, by the bounds in the
table's log. A rule that compares rows is judged where new rows have neighbours. Put here which files a rule is judged
on; what is looked for in them is in `dagster_project.rules.rule`.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb
import pyarrow as pa

from assets.catalog import TABLES
from assets.duckdb import session
from assets.duckdb.file_relations import create_view
from dagster_project.rules.check_cache import Memory, fingerprint, recall
from dagster_project.rules.rule import CANDIDATES_MOST, counted, repeated_among, suspects
from dagster_project.rules.verdicts import HOLDS, RuleError, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from assets.catalog import Table
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse
    from dagster_project.rules.rule import Rule

MEMORY: Final = "1GB"
"""What looking for rows may take; beyond that DuckDB goes to disk."""
ROWS: Final = "judged_rows"
OTHER_ROWS: Final = "other_rows"


@contextmanager
def reading() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to judge tables with."""
    with TemporaryDirectory(prefix="lagbook-") as spill, duckdb.connect() as connection:
        session.begin(connection)
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        connection.execute("SET temp_directory = $spill", {"spill": spill})
        yield connection


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is to be remembered of a table, and what is new in it."""

    rows: int
    memory: Memory
    is_new: bool
    """Whether any file was new or gone, so that the table was judged."""
    news: frozenset[str]
    """The rules whose verdict differs from the remembered one, and those that rows of new files break."""
    errors: tuple[str, ...] = ()


class Scope(NamedTuple):
    """The files to read for rules about single rows, and those that stay and have rows that break them."""

    files: frozenset[str]
    broken_in: frozenset[str] = frozenset()


class TableJudge:
    """One look at a table: its files now, and what is remembered of those that were judged."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, table: Table, files: Mapping[str, ArchivedFile], known: Memory
    ) -> None:
        """Take the files by their paths; of those that are remembered nothing is read yet."""
        self._connection, self._table, self._files, self._known = connection, table, files, known
        self._added = frozenset(files) - known.files
        self.verdicts: dict[str, Verdict] = {}
        self.broken_in: dict[str, frozenset[str]] = {}
        self.errors: list[str] = []

    def judge(self, rules: Sequence[Rule]) -> None:
        """Reach a verdict on each rule, or an error."""
        by_scope: dict[Scope, list[Rule]] = {}
        for rule in rules:
            if rule.condition:
                by_scope.setdefault(self._scope(rule.name), []).append(rule)
            else:
                self._attempt(rule, partial(self._compare, rule))
        for scope, some in by_scope.items():
            self._judge_rows(scope, some)

    def _scope(self, rule: str) -> Scope:
        """What has to be read for a rule about single rows."""
        if rule not in self._known.verdicts:
            return Scope(frozenset(self._files))
        broken_in = self._known.broken_in.get(rule, frozenset())
        if broken_in <= self._files.keys():
            return Scope(self._added, broken_in)
        return Scope(self._added | (broken_in & self._files.keys()))

    def _judge_rows(self, scope: Scope, rules: Sequence[Rule]) -> None:
        """Count the rows that may break each rule in one look; Great Rules judges those that were counted."""
        counts: Sequence[int | None] = [0] * len(rules)
        if scope.files:
            self._view(ROWS, scope.files)
            try:
                counts = self._counts(rules)
            except duckdb.Error:  # one of the rules can't be asked, and each by itself will tell which
                counts = [None] * len(rules)
        for rule, count in zip(rules, counts, strict=True):
            self._attempt(rule, partial(self._judge_counted, scope, rule, count))

    def _counts(self, rules: Sequence[Rule]) -> list[int]:
        (counts,) = self._connection.execute(counted(ROWS, rules)).fetchall()
        return list(counts)

    def _judge_counted(self, scope: Scope, rule: Rule, count: int | None) -> None:
        """Judge the rows that may break a rule, and add what is known of files that stay."""
        name = rule.name
        if count is None:
            (count,) = self._counts([rule])
        verdict = _verdict(rule, self._rows(suspects(ROWS, rule))) if count else HOLDS
        before = self._known.verdicts[name] if scope.broken_in else HOLDS
        if verdict.holds:
            self.verdicts[name], broken_in = before, scope.broken_in
        else:
            self.verdicts[name] = replace(verdict, broken_count=count + before.broken_count)
            broken_in = scope.broken_in | scope.files
        if broken_in:
            self.broken_in[name] = broken_in

    def _compare(self, rule: Rule) -> None:
        """Judge a rule about several rows: where new rows may break it, or whole if it did not hold before."""
        before = self._known.verdicts.get(rule.name)
        if before is None or not before.holds:
            self._view(ROWS, frozenset(self._files))
            query = suspects(ROWS, rule)
        elif rule.keys:
            self._view(ROWS, self._added)
            self._view(OTHER_ROWS, self._near(self._table.key))
            query = repeated_among(ROWS, OTHER_ROWS, rule)
        else:
            self._view(ROWS, self._added | self._near(rule.within))
            query = suspects(ROWS, rule)
        rows = self._rows(query)
        verdict = _verdict(rule, rows) if rows.num_rows else HOLDS
        self.verdicts[rule.name] = replace(verdict, is_at_least=rows.num_rows >= CANDIDATES_MOST)

    def _rows(self, query: str) -> pa.Table:
        return self._connection.sql(query).to_arrow_table()

    def _near(self, columns: Iterable[str]) -> frozenset[str]:
        """The files that were judged and may have rows with the values of some new row in these columns.

        Of a column that may be NULL bounds don't tell that.
        """
        compared = {column.name for column in self._table.columns if column.required} & set(columns)
        new = [file for path in self._added if (file := self._files[path]).rows]
        bounds = [
            {name: (file.minimum[name], file.maximum[name]) for name in compared if name in file.minimum}
            for file in new
        ]
        old = frozenset(self._files) - self._added
        return frozenset(path for path in old if any(map(self._files[path].may_hold, bounds)))

    def _view(self, name: str, files: Iterable[str]) -> None:
        """A view over files of the table; those without rows are always there, for they have every column."""
        paths = {*files, *(path for path, file in self._files.items() if not file.rows)}
        create_view(self._connection, name, self._table, sorted(self._files[path].uri for path in paths))

    def _attempt(self, rule: Rule, look: Callable[[], None]) -> None:
        try:
            look()
        except RuleError as error:
            self.errors.append(str(error))
        except (duckdb.Error, OSError, pa.ArrowInvalid) as error:
            self.errors.append(f"{rule.name}: {str(error).partition(chr(10))[0]}")


def _verdict(rule: Rule, rows: pa.Table) -> Verdict:
    """What Great Expectations says; importing it takes two seconds, and most runs have nothing to ask."""
    from dagster_project.rules.expectation_verdicts import judge_by_name  # noqa: PLC0415

    return judge_by_name(rule, rows)


def judge_table(
    connection: duckdb.DuckDBPyConnection,
    warehouse: Warehouse,
    full_name: str,
    rules: Sequence[Rule],
    *,
    is_whole: bool,
) -> Judgement:
    """The verdicts on a table as it stands: judged whole, or from what is remembered and what is new."""
    root = f"{warehouse.table_url(full_name)}/"
    with warehouse.pinned_versions():
        files = {file.uri.removeprefix(root): file for file in warehouse.file_list(full_name)}
    rows = sum(file.rows for file in files.values())
    rules_fingerprint = fingerprint(rules)
    before = recall(warehouse, full_name, rules_fingerprint)
    known = Memory(rules_fingerprint, frozenset(), {}) if is_whole or before is None else before
    if known is before and known.files == files.keys():
        return Judgement(rows, known, is_new=False, news=frozenset())
    look = TableJudge(connection, TABLES[full_name], files, known)
    look.judge(rules)
    memory = Memory(rules_fingerprint, frozenset(files), look.verdicts, look.broken_in)
    verdicts_before = before.verdicts if before else {}
    news = frozenset(name for name, verdict in look.verdicts.items() if verdicts_before.get(name) != verdict)
    return Judgement(rows, memory, is_new=True, news=news, errors=tuple(look.errors))
