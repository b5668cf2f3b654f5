"""The Parquet files behind the views of a DuckDB file: their digests, and the comparison before an answer.

DuckDB compares no checksums of Parquet's pages; of copied tables it has its own. Put here which files a question reads,
and how many are compared for it. How digests are made is said in `assets.storage.digests`.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyarrow import fs

from assets.storage.digests import digest_of
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    import duckdb

    Digests = Mapping[str, str]

COMPARED_BYTES_MOST: Final = 1 << 30
"""For one command so many bytes are compared; of what is more, files chosen by chance."""
_CREATE: Final = "CREATE TABLE internal.macro_views (macro_name VARCHAR, table_name VARCHAR)"
_NAME: Final = re.compile(r"\w+(?:\.\w+)?")


def write_macros(
    connection: duckdb.DuckDBPyConnection, macros: Mapping[str, Iterable[str]], views: AbstractSet[str]
) -> None:
    """Note in the DuckDB file the views that each macro reads."""
    connection.execute(_CREATE)
    reads = [(macro, table) for macro, tables in macros.items() for table in tables if table in views]
    if reads:
        connection.executemany("INSERT INTO internal.macro_views VALUES (?, ?)", reads)


class ShownFiles:
    """The files behind the views of an open DuckDB file, each compared once as long as it is open."""

    def __init__(self, files: Mapping[str, Digests], macros: Mapping[str, set[str]], remedy: str) -> None:
        """Take the digests by view and path, the views of each macro, and what mends a damaged file."""
        self._files, self._macros, self._remedy = files, macros, remedy
        self._compared: set[str] = set()
        self._bytes_left = COMPARED_BYTES_MOST

    def compare(self, question: str) -> None:
        """Refuse a question over a file that has other bytes than were written."""
        if self._files:
            self._compare(self._due(question))

    def compare_all(self) -> None:
        """Refuse if any file is damaged, however large all are together."""
        self._compare(item for files in self._files.values() for item in files.items())

    def _due(self, question: str) -> Iterator[tuple[str, str]]:
        """The files of the views that a question names, by themselves or through macros, within the bound."""
        names = {*_NAME.findall(question)}
        views = names.union(*(self._macros[name] for name in names & self._macros.keys())) & self._files.keys()
        files = [item for view in views for item in self._files[view].items() if item[0] not in self._compared]
        random.shuffle(files)
        for path, digest in files:
            self._compared.add(path)
            size_bytes = Path(path).stat().st_size if Path(path).exists() else 0
            if size_bytes <= self._bytes_left:
                self._bytes_left -= size_bytes
                yield path, digest

    def _compare(self, files: Iterable[tuple[str, str]]) -> None:
        """Refuse the first that differs; a file that is gone is left to DuckDB, which names it."""
        for path, digest in files:
            if Path(path).exists() and digest_of(fs.LocalFileSystem(), path) != digest:
                raise WarehouseError(
                    f"{path} has other bytes than were written, so nothing is answered from it; {self._remedy}"
                )


def read(connection: duckdb.DuckDBPyConnection, folder: Path, remedy: str) -> ShownFiles:
    """The files behind views of the DuckDB file in a folder; DuckDB's error where it is of another release.

    A file of a release that made no digests is compared with none.
    """
    files: dict[str, dict[str, str]] = defaultdict(dict)
    question = "SELECT table_name, file, blake3 FROM internal.view_files WHERE blake3 IS NOT NULL"
    for table, file, digest in connection.execute(question).fetchall():
        files[table][str(folder / file)] = digest
    macros: dict[str, set[str]] = defaultdict(set)
    for macro, table in connection.execute("FROM internal.macro_views").fetchall():
        macros[macro].add(table)
    return ShownFiles(files, macros, remedy)
