"""Files of large tables in a store, beside the DuckDB file on this machine: each is fetched once.

Put here how they are fetched and dropped. DuckDB reads no store; the file has views over these, and copies of small
tables.
"""

from __future__ import annotations

import os
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from blake3 import blake3

from assets.storage.data_files import locate
from parsers.errors import WarehouseError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assets.storage.warehouse import Warehouse

FOLDER: Final = "files"
GRACE_S: Final = 86_400
"""A file that the DuckDB file shows no more stays so long, for those who have an earlier one open."""
_FETCHED_AT_ONCE: Final = 8
_READ_AT_ONCE: Final = 1 << 20


def fetched(warehouse: Warehouse, name: str) -> dict[str, str | None]:
    """The files of a table on this machine by their paths, with their digests, after fetching those that are new."""
    digests = warehouse.digests(name)
    places = {uri: _place(warehouse, uri) for uri in digests}
    for place in {place.parent for place in places.values()}:
        place.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(_FETCHED_AT_ONCE) as threads:
        list(threads.map(lambda uri: _fetch(uri, places[uri], digests[uri]), places))
    return {str(place): digests[uri] for uri, place in places.items()}


def drop_others(warehouse: Warehouse, shown: Iterable[str]) -> None:
    """Delete the files that no DuckDB file has shown for longer than the grace; mark those that this one shows."""
    now, paths = time.time(), {Path(path) for path in shown}
    for path in paths:
        os.utime(path, (now, now))
    for path in _root(warehouse).rglob("*"):
        if path.is_file() and path not in paths and path.stat().st_mtime < now - GRACE_S:
            path.unlink(missing_ok=True)


def _root(warehouse: Warehouse) -> Path:
    return warehouse.duckdb_path.with_name(FOLDER)


def _place(warehouse: Warehouse, uri: str) -> Path:
    return _root(warehouse) / _within(warehouse.url, uri)


def _within(root: str, uri: str) -> str:
    return uri.removeprefix(root).lstrip("/")


def _fetch(uri: str, place: Path, digest: str | None) -> None:
    """Fetch a file whole, unless it is there; bytes that differ from those that were written are refused."""
    if place.exists():
        return
    beside = place.with_name(f"{place.name}.{uuid.uuid4().hex[:8]}")
    try:
        copy_digest = _copy(uri, beside)
        if digest not in {None, copy_digest}:
            raise WarehouseError(f"{uri} has other bytes than were written; `lagbook repair` shows more")
        beside.replace(place)
    except OSError as error:
        raise WarehouseError(f"{uri} can't be fetched to {place}: {sentence(error)}") from error
    finally:
        beside.unlink(missing_ok=True)


def _copy(uri: str, place: Path) -> str:
    """Copy a file, and give the digest of its bytes."""
    (system, name), hasher = locate(uri), blake3()
    with system.open_input_stream(name) as source, place.open("wb") as copy:
        while content := source.read(_READ_AT_ONCE):
            hasher.update(content)
            copy.write(content)
    return str(hasher.hexdigest())
