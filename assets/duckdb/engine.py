"""The engine of databases without a file: one for all that a run opens one after the other, or one for each.

To start an engine takes ten times as long as to attach an empty database to one that runs. Put here how an engine is
set and shared. What a database has in it is in `assets.duckdb.database`.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import duckdb

from assets.duckdb import session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.storage.warehouse import Warehouse

SPILL: Final = "spool-duckdb"
"""The name of the folder for a database without a file: DuckDB spills to it."""
_NUMBERS: Final = count(1)
_shared: Final[WeakKeyDictionary[Warehouse, duckdb.DuckDBPyConnection]] = WeakKeyDictionary()


@contextmanager
def shared_engine(warehouse: Warehouse) -> Iterator[None]:
    """Within it all databases without a file that are opened for it are of one engine, with one bound for memory."""
    with _bound_engine(warehouse) as engine:
        _shared[warehouse] = engine
        try:
            yield
        finally:
            del _shared[warehouse]


@contextmanager
def empty_database(warehouse: Warehouse) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a database without a file and without anything in it, which is gone afterwards."""
    engine = _shared.get(warehouse)
    if engine is None:
        with _bound_engine(warehouse) as connection:
            session.begin(connection)
            yield connection
        return
    name = f"database_{next(_NUMBERS)}"
    with engine.cursor() as connection:
        session.begin(connection)
        connection.execute(f"ATTACH ':memory:' AS {name}")
        connection.execute(f"USE {name}")
        try:
            yield connection
        finally:
            connection.execute("USE memory")
            connection.execute(f"DETACH {name}")


@contextmanager
def _bound_engine(warehouse: Warehouse) -> Iterator[duckdb.DuckDBPyConnection]:
    """An engine with five eighths of the memory that DuckDB would take, half of the machine's, for Spark is there too.

    What is more goes to a folder that DuckDB makes when it needs it and deletes at the end: in the warehouse, where
    there is room for what was made of it, and where tidying knows by the name what a run that died left behind.
    """
    place = tempfile.gettempdir() if warehouse.is_remote else warehouse.url
    spill = f"{place}/{SPILL}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    with duckdb.connect() as engine:
        engine.execute("SET temp_directory = $spill", {"spill": spill})
        ((most,),) = engine.sql("SELECT parse_formatted_bytes(current_setting('memory_limit'))").fetchall()
        engine.execute(f"SET memory_limit = '{most * 5 // 8}B'")
        yield engine
