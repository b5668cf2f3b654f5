"""What lets the DuckDB file be read elsewhere: by a DuckDB of 1.2, and beside files of its warehouse in another folder.

Put here what the file has for that alone. Views name their files below a folder: the one that the variable
`lagbook_folder` of a connection says, else the one that the file was built in.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

STORAGE: Final = {"storage_compatibility_version": "v1.2.0"}
"""How a connection is opened that writes a file for DuckDB 1.2 and later."""
_IF: Final = 'CREATE MACRO "if"(condition, yes, no) AS CASE WHEN condition THEN yes ELSE no END'
"""DuckDB 1.2 has no function of this name: its parser writes a CASE, and that of DuckDB 2 writes a call."""
_IF_COMMENT: Final = """COMMENT ON MACRO "if" IS 'The second argument if the first is true, else the third.'"""
_FOLDER: Final = "CREATE MACRO _folder() AS coalesce(getvariable('lagbook_folder'), {})"
_VIEW_FILES: Final = "CREATE TABLE internal.view_files (table_name VARCHAR, file VARCHAR, blake3 VARCHAR)"
_FILES_AT_ONCE: Final = 10_000


def begin(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Create what views and macros of a new file rest on; the schemas are there."""
    connection.execute(_IF)
    connection.execute(_IF_COMMENT)
    connection.execute(_FOLDER.format(quote(str(folder))))
    connection.execute(_VIEW_FILES)


def file_expression(file: str, folder: Path) -> str:
    """The SQL expression of a file's path: below the folder of the connection, if it lies below the file's own."""
    path = Path(file)
    return f"_folder() || {quote(f'/{path.relative_to(folder)}')}" if path.is_relative_to(folder) else quote(file)


def write_view_files(
    connection: duckdb.DuckDBPyConnection, files: Mapping[str, Mapping[str, str | None]], folder: Path
) -> None:
    """Fill `internal.view_files` with the files of each view, below the folder, with digests if there are any."""
    rows = [(name, file_below(file, folder), digest) for name, some in files.items() for file, digest in some.items()]
    for begin_row in range(0, len(rows), _FILES_AT_ONCE):
        some = rows[begin_row : begin_row + _FILES_AT_ONCE]
        names, places, digests = zip(*some, strict=True)
        connection.execute(
            "INSERT INTO internal.view_files SELECT unnest($names), unnest($places), unnest($digests)",
            {"names": list(names), "places": list(places), "digests": list(digests)},
        )


def file_below(file: str, folder: Path) -> str:
    """The path of a file below the folder; its whole path if it lies elsewhere."""
    path = Path(file)
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else file


def look_beside(connection: duckdb.DuckDBPyConnection, file: Path) -> None:
    """Let the views of an open file read the files beside it, wherever it was built."""
    connection.execute("SET VARIABLE lagbook_folder = $folder", {"folder": str(file.absolute().parent)})


def missing_tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables that are views over files that are not there."""
    rows = connection.execute("SELECT DISTINCT table_name FROM missing_files() ORDER BY table_name").fetchall()
    return [name for (name,) in rows]


def quote(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"
