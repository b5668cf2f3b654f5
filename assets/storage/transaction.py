"""A writer's turn at a table: files become part of it, all at once or not at all, in one commit of its Delta log.

Put here what a commit adds, removes and notes. How tables are located and read is in
`assets.storage.warehouse`.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final, Literal

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, RemoveAction

from assets.storage import small_files
from assets.storage.data_files import locate
from assets.storage.delta.commit_files import DIGEST, NOTE, digest_of_commit
from assets.storage.delta.delta_actions import add_file, remove_files
from assets.storage.delta.log_digests import write_log_digests
from assets.storage.parquet_writer import write_file
from assets.storage.small_files import Merged
from parsers.errors import OvertakenError, WarehouseError, sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from assets.catalog import Table
    from assets.storage.data_files import DataFile

NOTHING_MERGED: Final = Merged()
COLUMNS_FILE: Final = "columns.parquet"


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A Parquet file that is part of its table, with the bounds of its whole-number columns."""

    uri: str
    size_bytes: int
    rows: int
    minimum: Mapping[str, int]
    maximum: Mapping[str, int]

    def may_hold(self, bounds: Mapping[str, tuple[int, int]]) -> bool:
        """Whether the file may have a row within these bounds (column: lowest and highest value)."""
        return self.rows > 0 and all(
            self.minimum.get(column, low) <= high and self.maximum.get(column, high) >= low
            for column, (low, high) in bounds.items()
        )


class TableTransaction:
    """One writer's transaction on a table: it commits on top of the version at its start, or is refused."""

    def __init__(self, delta: DeltaTable, table: Table, root: str) -> None:
        """Take the table as it is now."""
        self._delta, self.table, self._root = delta, table, root

    def file_list(self) -> list[ArchivedFile]:
        """The table's Parquet files at the start of the transaction, with their bounds."""
        return archived_files(self._root, self._delta)

    @property
    def note(self) -> dict[str, Any]:
        """The note of the table at the start of the transaction."""
        return latest_note(self._delta)

    def append(self, files: Sequence[DataFile], note: Mapping[str, Any], gone: Sequence[ArchivedFile] = ()) -> None:
        """Add files to the table and take others from it, in one commit; without either there is none.

        The commit also merges small files that were there before.
        """
        if files or gone:
            merged = small_files.merge(self.table, self._root, self._without(gone))
            self._commit([*self._exchanged(gone, (*files, *self._columns())), *self._merged(merged)], "append", note)

    def remember(self, note: Mapping[str, Any]) -> None:
        """Commit a note alone: the table's files stay as they are."""
        self._commit((), "append", note)

    def replace(self, files: Sequence[DataFile], inputs: Mapping[str, int | str | None]) -> None:
        """Replace all files of the table by these, and note the inputs that they were derived from."""
        self._commit([add_file(self._root, file) for file in files], "overwrite", {"inputs": dict(inputs)})

    def revise(
        self,
        gone: Sequence[ArchivedFile],
        new: Sequence[DataFile],
        note: Mapping[str, Any],
        merged: Merged = NOTHING_MERGED,
    ) -> None:
        """Replace some files of the table by others, and put merged ones in the place of small ones, in one commit.

        A table that keeps no file gets the current columns.
        """
        if len(gone) == len(self.file_list()):
            self._commit([add_file(self._root, file) for file in new], "overwrite", note)
        else:
            self._commit([*self._exchanged(gone, new), *self._merged(merged)], "append", note)

    def merge(self, merged: Merged) -> None:
        """Put new files in the place of old ones that have the same rows; the note stays, with how many were merged."""
        self._commit(self._merged(merged), "append", {**self.note, "files_merged": len(merged.old)})

    def merge_small(
        self,
        files: Iterable[ArchivedFile],
        lot_of: Callable[[ArchivedFile], str],
        name_of: Callable[[Sequence[ArchivedFile]], str],
    ) -> Merged:
        """Merge the small ones of these files within each lot; nothing is committed yet."""
        return small_files.merge(self.table, self._root, files, lot_of, name_of)

    def _without(self, gone: Sequence[ArchivedFile]) -> list[ArchivedFile]:
        uris = {file.uri for file in gone}
        return [file for file in self.file_list() if file.uri not in uris]

    def _exchanged(self, gone: Sequence[ArchivedFile], new: Sequence[DataFile]) -> list[AddAction | RemoveAction]:
        return [*remove_files(self._root, gone), *(add_file(self._root, file) for file in new)]

    def _merged(self, merged: Merged) -> list[AddAction | RemoveAction]:
        new_files = (add_file(self._root, file, is_news=False) for file in merged.new)
        return [*remove_files(self._root, merged.old, is_news=False), *new_files]

    def _columns(self) -> list[DataFile]:
        """For the first files of a table with rare columns: one without rows that has all of them.

        Whoever reads the files by the columns that are in them then finds every column in one of them.
        """
        if not self.table.rare or self._delta.file_uris():
            return []
        return [write_file(self.table.file_schema.empty_table(), f"{self._root}/{COLUMNS_FILE}")]

    def _commit(
        self,
        actions: Sequence[AddAction | RemoveAction],
        mode: Literal["append", "overwrite"],
        note: Mapping[str, Any],
    ) -> None:
        text = json.dumps(dict(note))
        metadata = {NOTE: text, DIGEST: self._digest(actions, mode, text)}
        with warehouse_errors(f"{self._root} can't be written"):
            app_transaction = Transaction(NOTE, (self._delta.transaction_version(NOTE) or 0) + 1)
            properties = CommitProperties(custom_metadata=metadata, app_transactions=[app_transaction])
            try:
                self._delta.create_write_transaction(
                    list(actions), mode, self.table.file_schema, commit_properties=properties
                )
            except CommitFailedError as error:
                message = f"{self._root}: another run wrote there meanwhile, so this one kept nothing in it: run again"
                raise OvertakenError(message) from error
            write_log_digests(*locate(f"{self._root}/_delta_log"), self._delta.version())

    def _digest(self, actions: Sequence[AddAction | RemoveAction], mode: str, note: str) -> str:
        """The digest of a commit; one that overwrites removes all files, as Delta itself says there."""
        files = [(action.path, action.size, str(action.stats)) for action in actions if isinstance(action, AddAction)]
        gone = [action.path for action in actions if isinstance(action, RemoveAction)]
        if mode == "overwrite":
            gone = [file.uri.removeprefix(f"{self._root}/") for file in self.file_list()]
        return digest_of_commit(files, gone, note)


def latest_note(delta: DeltaTable) -> dict[str, Any]:
    """The note of the latest commit that has one, which a change of columns has not; empty without any."""
    what = f"{delta.table_uri}: the note of its latest commit can't be read"
    with warehouse_errors(what):
        commits = chain.from_iterable(delta.history(limit) for limit in (1, None))
        text = next((commit[NOTE] for commit in commits if NOTE in commit), "{}")
    try:
        note: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise WarehouseError(f"{what}: {error}") from error
    return note


def archived_files(root: str, delta: DeltaTable) -> list[ArchivedFile]:
    """The Parquet files that make up a table by its log, with their bounds."""
    actions = pa.table(delta.get_add_actions(flatten=True))
    minimums, maximums = _bounds(actions, "min."), _bounds(actions, "max.")
    paths, sizes, rows = (actions[name].to_pylist() for name in ("path", "size_bytes", "num_records"))
    if None in (*sizes, *rows):
        raise WarehouseError(f"{root} can't be read as a table: its log has no size, or no number of rows, of a file")
    uris = [f"{root}/{path}" for path in paths]
    return [ArchivedFile(*file) for file in zip(uris, sizes, rows, minimums, maximums, strict=True)]


def _bounds(actions: pa.Table, prefix: str) -> list[dict[str, int]]:
    """For each file, the bounds of its whole-number columns on one side, as far as they are known."""
    columns = {
        field.name.removeprefix(prefix): actions[field.name].to_pylist()
        for field in actions.schema
        if field.name.startswith(prefix) and pa.types.is_integer(field.type)
    }
    bounds = zip(*columns.values(), strict=True) if columns else repeat((), actions.num_rows)
    return [
        {name: value for name, value in zip(columns, values, strict=True) if value is not None} for values in bounds
    ]


@contextmanager
def warehouse_errors(what: str) -> Iterator[None]:
    """Turn errors of Delta and of the store into a WarehouseError that begins with `what`."""
    try:
        yield
    except (DeltaError, OSError) as error:
        raise WarehouseError(f"{what}: {sentence(error)}") from error
