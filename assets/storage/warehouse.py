"""The warehouse on disk: the Parquet files of each table now, recorded in a Delta log per table.

Put here how tables are found and read. How files become part of one is in `assets.storage.transaction`; what stands in
the files belongs in `assets.ingest.ingest` (raw) and `assets.transforms` (core and mart).
"""

from __future__ import annotations

import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from deltalake import DeltaTable
from deltalake.exceptions import TableNotFoundError

from assets.storage.data_files import DataFile, is_remote, locate, without_credentials
from assets.storage.delta.commit_files import read_actions, removals, with_merges
from assets.storage.delta.log_digests import refuse_damaged_checkpoint, write_log_digests
from assets.storage.delta.log_files import LAST, log_file
from assets.storage.digests import digests_in
from assets.storage.transaction import ArchivedFile, TableTransaction, archived_files, latest_note, warehouse_errors
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from assets.catalog import Table

_UNFIT: Final = re.compile(r"%[0-9A-Fa-f]{2}|[\\\x00-\x1f\x7f]")
"""Characters that Delta reads differently in a path, so that it would write elsewhere."""
CACHE: Final = "~/.cache/lagbook"
"""The folder for DuckDB files of warehouses in stores, unless another is configured."""
_LOGS_AT_ONCE: Final = 16
LOG_REMEMBERS: Final = timedelta(days=2)
"""A log drops its commits after so long, but for those since its latest checkpoint."""
_LOG_SETTINGS: Final = {
    "delta.checkpointInterval": "20",
    "delta.enableExpiredLogCleanup": "true",
    "delta.logRetentionDuration": f"interval {LOG_REMEMBERS.days} days",
    "delta.deletedFileRetentionDuration": "interval 1 hours",
}
"""A log has a checkpoint every 20 commits and drops commits of earlier days: opening it costs as much at any age."""


class Warehouse:
    """All tables under one path or URL. Reading is always of a whole commit; a writer's commit is all or nothing.

    It lives as long as a run or a command: a log that was read is read on from there when it is asked for again. Of a
    table that somebody deletes meanwhile and makes anew it may still tell what was.
    """

    def __init__(self, url: str, storage_options: dict[str, str] | None = None, *, cache: str = CACHE) -> None:
        """Name the place, and the folder for DuckDB files of warehouses in stores; nothing is read or written yet."""
        if "?" in url and "://" in url:
            raise WarehouseError(f"{url}: the URL of a warehouse has no settings; a store's come from its environment")
        is_on_disk = "://" not in url or url.startswith("file://")
        self.url = str(Path(locate(url)[1]).absolute()) if is_on_disk else url
        if is_on_disk and (unfit := _UNFIT.search(self.url)):
            raise WarehouseError(f"{self.url}: a warehouse can't stand in a folder with {unfit[0]!r} in its name")
        self._options = storage_options
        self._cache = cache
        self._opened: dict[str, DeltaTable | None] = {}
        self._notes: dict[str, tuple[int, dict[str, Any]]] = {}
        self._pinned: set[str] | None = None

    @contextmanager
    def pinned_versions(self) -> Iterator[None]:
        """Within it every table keeps the version of its first read, except for transactions, which see the latest one.

        So a table is made of just the commits that it is noted to be made of, and a store is asked for each once.
        """
        before, self._pinned = self._pinned, set()
        try:
            yield
        finally:
            self._pinned = before

    @cached_property
    def is_remote(self) -> bool:
        """Whether it lies in a store."""
        return is_remote(self.url)

    @property
    def duckdb_path(self) -> Path:
        """The path of the DuckDB file: in the warehouse; of one behind a URL, in a cache folder of its own."""
        if "://" not in self.url:
            return Path(self.url) / "lagbook.duckdb"
        return Path(self._cache).expanduser().absolute() / sha256(self.url.encode()).hexdigest()[:16] / "lagbook.duckdb"

    @property
    def public_url(self) -> str:
        """The path or URL without a user's name or password."""
        return without_credentials(self.url)

    def table_url(self, full_name: str) -> str:
        """The folder of a table, as `<warehouse>/core/commits`."""
        return f"{self.url.rstrip('/')}/{full_name.replace('.', '/')}"

    def version(self, full_name: str) -> int | None:
        """The table's latest commit; None when the table does not exist."""
        delta = self.open_table(full_name)
        return None if delta is None else delta.version()

    def versions(self, full_names: Iterable[str]) -> dict[str, int | None]:
        """The latest commit of each table: on disk by the names in the logs' folders, in a store of several at once."""
        names = list(full_names)
        if not self.is_remote:
            return {name: self._newest_commit(name) for name in names}
        with ThreadPoolExecutor(_LOGS_AT_ONCE) as threads:
            return dict(zip(names, threads.map(self.version, names), strict=True))

    def identity(self, full_name: str) -> str | None:
        """The id of the table's log since its creation; None when the table does not exist."""
        delta = self.open_table(full_name)
        return None if delta is None else str(delta.metadata().id)

    def is_readable_at(self, full_name: str, version: int) -> bool:
        """Whether the table's log can be read up to this commit."""
        try:
            return self._load(full_name, version) is not None
        except WarehouseError:
            return False

    def forget(self, full_name: str) -> None:
        """Drop the cached log of a table: the next access reads it from its beginning."""
        self._opened.pop(full_name, None)

    def files(self, full_name: str) -> list[str]:
        """The Parquet files that make up the table now."""
        return sorted(self._file_uris(self.open_table(full_name)))

    def digests(self, full_name: str) -> dict[str, str | None]:
        """The Parquet files that make up the table now, with the digests in its log; None where that has none."""
        url = self.table_url(full_name)
        digests = digests_in(*locate(f"{url}/_delta_log"))
        return {uri: digests.get(uri.removeprefix(f"{url}/")) for uri in self.files(full_name)}

    def files_at(self, full_name: str, version: int | None) -> frozenset[str]:
        """The table's files at a commit; none if its log has no record of that commit."""
        try:
            delta = None if version is None else self._load(full_name, version)
        except WarehouseError:
            return frozenset()
        return frozenset(self._file_uris(delta))

    def files_since(self, full_name: str, version: int | None) -> frozenset[str]:
        """The table's files at a commit, or what they were merged into since; none if that is not known any more."""
        known, now, url = self.files_at(full_name, version), self.version(full_name), self.table_url(full_name)
        system, log = locate(f"{url}/_delta_log")
        paths = frozenset(uri.removeprefix(f"{url}/") for uri in known)
        try:
            for commit in range((version or 0) + 1, (now or 0) + 1) if known else ():
                paths = with_merges(paths, read_actions(system, f"{log}/{commit:020d}.json"))
        except (OSError, ValueError, KeyError, TypeError):
            return known
        return frozenset(f"{url}/{path}" for path in paths)

    def removed_since(self, full_name: str, instant: datetime) -> Iterator[str]:
        """The files that left the table since an instant, as far as its log remembers."""
        url = self.table_url(full_name)
        system, log = locate(f"{url}/_delta_log")
        for version in range(self.version(full_name) or 0, -1, -1):
            path = f"{log}/{version:020d}.json"
            if not system.get_file_info(path).is_file:
                return
            with warehouse_errors(f"{path} can't be read"):
                committed_ms, removed = removals(read_actions(system, path))
            if committed_ms < instant.timestamp() * 1000:
                return
            yield from (f"{url}/{inner}" for inner in removed)

    def forget_all(self) -> None:
        """Read every log anew from now on: tables were deleted whose logs were read."""
        self._opened.clear()
        self._notes.clear()

    def file_list(self, full_name: str) -> list[ArchivedFile]:
        """The table's files with the bounds that their commits recorded."""
        delta = self.open_table(full_name)
        return [] if delta is None else archived_files(self.table_url(full_name), delta)

    def row_count(self, full_name: str) -> int:
        """Rows of the table now, from its log alone."""
        return sum(file.rows for file in self.file_list(full_name))

    def note(self, full_name: str) -> dict[str, Any]:
        """The note of the latest commit of ours; empty without one."""
        delta = self.open_table(full_name)
        if delta is None:
            return {}
        version = delta.version()
        if self._notes.get(full_name, (None,))[0] != version:
            self._notes[full_name] = version, latest_note(delta)
        return self._notes[full_name][1]

    def is_current(self, table: Table, inputs: Mapping[str, int | str | None]) -> bool:
        """Whether the table was last derived from exactly these inputs."""
        return self.note(table.full_name).get("inputs") == dict(inputs)

    def begin(self, table: Table, *, must_exist: bool = False) -> TableTransaction:
        """Begin a transaction on a table; one that does not exist is created, or refused if it must exist.

        Nobody else reads on with its log: it is about the table as it was when it began.
        """
        url = self.table_url(table.full_name)
        delta = self._load(table.full_name)
        if delta is None and must_exist:
            raise WarehouseError(f"{url} is gone, and its rows with it: the next run makes it anew")
        return TableTransaction(delta or self._create(table, url), table, url)

    def append(
        self, table: Table, files: Sequence[DataFile], note: Mapping[str, Any], gone: Sequence[ArchivedFile] = ()
    ) -> None:
        """Add files to the table and take others from it, in one commit; the table exists afterwards in any case."""
        self.begin(table).append(files, note, gone)

    def replace(self, table: Table, files: Sequence[DataFile], inputs: Mapping[str, int | str | None]) -> None:
        """Replace all files of the table by these, and note the inputs that they were derived from."""
        self.begin(table).replace(files, inputs)

    def new_folder(self, table: Table) -> str:
        """A folder of the table's own for the files of one write, not yet part of the table."""
        return (
            f"{self.table_url(table.full_name)}/{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:8]}"
        )

    def make_folder(self, url: str) -> None:
        """Create a folder, so that a place that can't be written is noticed; in a store only the warehouse's own."""
        if self.is_remote and url != self.url:
            return
        try:
            system, path = locate(url)
            system.create_dir(path, recursive=True)
        except OSError as error:
            raise WarehouseError(f"{url} can't be written: {error.strerror or error}") from error

    def open_table(self, full_name: str) -> DeltaTable | None:
        """The log of a table at its latest commit; None when the table does not exist."""
        if self._pinned is None or full_name not in self._pinned:
            self._opened[full_name] = self._read_on(full_name)
        if self._pinned is not None:
            self._pinned.add(full_name)
        return self._opened[full_name]

    def _read_on(self, full_name: str) -> DeltaTable | None:
        """The log of a table, read on from where it was read to."""
        known = self._opened.get(full_name)
        if known is None:
            return self._load(full_name)
        with warehouse_errors(f"{self.table_url(full_name)} can't be read as a table"):
            known.update_incremental()
        return known

    def _newest_commit(self, full_name: str) -> int | None:
        """The latest commit of a table on disk by the names in its log's folder."""
        try:
            paths = list(Path(self.table_url(full_name), "_delta_log").iterdir())
        except FileNotFoundError:
            return None
        files = (log_file(path.name) for path in paths)
        return max((file.version for file in files if file), default=None)

    def _load(self, full_name: str, version: int | None = None) -> DeltaTable | None:
        """The log of a table from its beginning, up to its latest commit or an earlier one."""
        url = self.table_url(full_name)
        with warehouse_errors(f"{url} can't be read as a table"):
            refuse_damaged_checkpoint(*locate(f"{url}/_delta_log"), LAST if version is None else version)
            try:
                return DeltaTable(url, version=version, storage_options=self._options)
            except TableNotFoundError:
                return None

    def _file_uris(self, delta: DeltaTable | None) -> list[str]:
        """The files of a log: those on disk by their paths, where Delta writes a space as `%20`."""
        uris = [] if delta is None else delta.file_uris()
        return uris if "://" in self.url else [unquote(uri) for uri in uris]

    def _create(self, table: Table, url: str) -> DeltaTable:
        """The log of a new table."""
        self.make_folder(url)
        with warehouse_errors(f"{url} can't be created as a table"):
            created = DeltaTable.create(
                url,
                table.file_schema,
                mode="ignore",
                description=table.meaning,
                configuration=_LOG_SETTINGS,
                storage_options=self._options,
            )
            write_log_digests(*locate(f"{url}/_delta_log"), 0)
            return created
