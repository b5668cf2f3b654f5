"""Reading the warehouse's DuckDB file: opened read-only, asked with bound parameters, one dict per row.

Put here how an answer is fetched and what can go wrong with the file. The questions belong to the commands.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from assets import session
from dagster_project.cli.exits import CallRefusedError
from parsers.errors import LagbookError, WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import duckdb

_HOLDER: Final = re.compile(r"lock is held in (.+? \(PID \d+\))")
_ROWS_AT_ONCE: Final = 10_000


class Answers:
    """An open DuckDB file that answers questions."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Wrap a connection that someone else closes."""
        self._connection = connection

    def rows(self, question: str, parameters: Mapping[str, object] | None = None) -> Iterator[dict[str, Any]]:
        """Every row of the answer as a dict, fetched a few thousand at a time."""
        cursor = self._connection.cursor().execute(question, dict(parameters or {}))
        names = [column[0] for column in cursor.description or ()]
        while batch := cursor.fetchmany(_ROWS_AT_ONCE):
            for values in batch:
                yield dict(zip(names, values, strict=True))

    def row(self, question: str, parameters: Mapping[str, object] | None = None) -> dict[str, Any]:
        """The one row of an aggregate."""
        return next(self.rows(question, parameters))


@contextmanager
def open_answers(path: Path) -> Iterator[Answers]:
    """Open the DuckDB file read-only; a missing, locked, foreign or incomplete one is a sentence."""
    import duckdb

    if not path.exists():
        raise CallRefusedError(
            f"{path} does not exist: nothing was read into this warehouse yet; `lagbook run` does that."
        )
    try:
        connection = duckdb.connect(path, read_only=True)
    except duckdb.Error as error:
        raise _open_error(path, str(error)) from error
    with connection:
        try:
            session.begin(connection)
            yield Answers(connection)
        except (duckdb.CatalogException, duckdb.BinderException) as error:
            raise WarehouseError(
                f"{path} is of another version of lagbook; `lagbook run` builds it anew ({_first(str(error))})."
            ) from error
        except duckdb.IOException as error:
            raise LagbookError(f"a file that {path} points to can't be read: {_first(str(error))}.") from error


def _open_error(path: Path, reason: str) -> LagbookError:
    holder = _HOLDER.search(reason)
    if holder:
        return LagbookError(
            f"{path} is locked by {holder[1]}, which has it open for writing; close it there, then try again."
        )
    return WarehouseError(f"{path} can't be opened as a DuckDB file: {_first(reason)}")


def _first(text: str) -> str:
    return text.partition("\n")[0].rstrip(".")
