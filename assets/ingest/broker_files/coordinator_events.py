"""Lines of group coordinators in the brokers' text logs: new or grown logs are read, and each line archived once.

Put here which logs are read and which of their lines are new. Parsing a line belongs in
`parsers.text.coordinator.log`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.ingest.erased_groups import read_erased
from assets.ingest.read_history import INSIDE
from assets.ingest.unpacked_archives import find_archive
from assets.storage.parquet_writer import write_file
from parsers.errors import SourceError, StoreError
from parsers.files.archives import text_logs
from parsers.files.discovery import UNNAMED_CLUSTER
from parsers.files.places import expand
from parsers.files.text_logs import find_text_logs
from parsers.text.coordinator.log import SCHEMA, read_coordinator_log
from parsers.text.pieces import inflate_stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assets.ingest.plan import Sources
    from assets.ingest.unpacked_archives import Archive
    from assets.storage.warehouse import Warehouse
    from parsers.files.text_logs import TextLog
    from parsers.files.unpacking import Limits
    from parsers.text.pieces import TextSource

COORDINATOR_LOG: Final = "raw.coordinator_events"
LOGS: Final = "logs"
"""Under this name a commit says which logs were read, and how large they were."""

_NEW: Final = f"""
WITH numbered AS (
    SELECT $cluster AS cluster, $path AS path, *,
        (row_number() OVER (PARTITION BY broker_id, logged_at, message ORDER BY line) - 1)::INTEGER AS repeat
    FROM lines WHERE logged_at IS NOT NULL
)
SELECT {", ".join(TABLES[COORDINATOR_LOG].column_names)} FROM numbered
ANTI JOIN {COORDINATOR_LOG} USING (cluster, broker_id, logged_at, message, repeat)
ORDER BY line
"""  # noqa: S608 - names are ours
_CLUSTERS: Final = "SELECT DISTINCT cluster FROM raw.segments WHERE starts_with(path, $within) LIMIT 2"


@dataclass(frozen=True, slots=True)
class CoordinatorLogResult:
    """Counts of logs read and of new lines, and a sentence for each log that could not be read."""

    logs_read: int
    rows_new: int
    complaints: tuple[str, ...]


def keep_lines(warehouse: Warehouse, sources: Sources) -> CoordinatorLogResult:
    """Read the logs that are new or grown; one that can't be read holds up no other."""
    warehouse.begin(TABLES[COORDINATOR_LOG])
    known: dict[str, list[int | None]] = dict(warehouse.note(COORDINATOR_LOG).get(LOGS, {}))
    logs = [log for log in _logs(sources.logs) if known.get(log.path) != _size(log)]
    cluster = _cluster(warehouse, sources)
    outcomes = [_keep_one(warehouse, log, cluster, known) for log in logs]
    for archive in _archives(sources.logs):
        if known.get(archive.path) != _size(archive):
            inside = _cluster(warehouse, sources, archive.path + INSIDE)
            cluster_inside = inside if inside != UNNAMED_CLUSTER else cluster
            outcomes += _keep_archive(warehouse, archive, cluster_inside, known, sources.unpacking)
    rows = [one for one in outcomes if isinstance(one, int)]
    return CoordinatorLogResult(len(rows), sum(rows), tuple(one for one in outcomes if isinstance(one, str)))


def _keep_one(warehouse: Warehouse, log: TextLog, cluster: str, known: dict[str, list[int | None]]) -> int | str:
    """The number of new lines of a log, or why it can't be read."""
    try:
        lines = _lines(log.path)
    except SourceError as error:
        return str(error)
    new = _new(warehouse, lines, log.path, cluster)
    known[log.path] = _size(log)
    _append(warehouse, new, known)
    rows: int = new.num_rows
    return rows


def _keep_archive(
    warehouse: Warehouse, archive: Archive, cluster: str, known: dict[str, list[int | None]], limits: Limits
) -> Iterator[int | str]:
    """The same for each log in an archive; a broken archive is reported by the reader of its segments."""
    try:
        for path, lines in text_logs(archive.path, lambda path, content: _lines(inflate_stream(path, content)), limits):
            new = _new(warehouse, lines, f"{archive.path}{INSIDE}{path}", cluster)
            _append(warehouse, new, known)
            yield new.num_rows
    except StoreError as error:
        yield str(error)
    except SourceError:
        return
    else:
        known[archive.path] = _size(archive)
        warehouse.begin(TABLES[COORDINATOR_LOG]).remember({LOGS: known})


def _size(log: TextLog | Archive) -> list[int | None]:
    """The size and time of a log or an archive, by which it is known."""
    return [log.size_bytes, log.modified_ms]


def _logs(places: Sequence[str]) -> Iterator[TextLog]:
    """The text logs in all places, each once; a place that can't be listed is reported by the plan."""
    return iter({log.path: log for named in places for log in _logs_at(named)}.values())


def _logs_at(named: str) -> list[TextLog]:
    try:
        return [log for place in expand(named) for log in find_text_logs(place)]
    except SourceError:
        return []


def _archives(places: Sequence[str]) -> Iterator[Archive]:
    """The archives among all places, each once."""
    return iter({archive.path: archive for named in places for archive in _archives_at(named)}.values())


def _archives_at(named: str) -> list[Archive]:
    try:
        return [archive for place in expand(named) if (archive := find_archive(place))]
    except SourceError:
        return []


def _cluster(warehouse: Warehouse, sources: Sources, within: str = "") -> str:
    """A text log does not name its cluster: it is the one that was given, or the only one of the segments there."""
    with in_memory(warehouse, ["raw.segments"]) as connection:
        known = connection.execute(_CLUSTERS, {"within": within}).fetchall()
    return sources.cluster or (known[0][0] if len(known) == 1 else UNNAMED_CLUSTER)


def _lines(source: TextSource) -> pa.Table:
    return pa.Table.from_batches(read_coordinator_log(source), SCHEMA)


def _new(warehouse: Warehouse, lines: pa.Table, path: str, cluster: str) -> pa.Table:
    """The lines of a log that are not archived, from any log: a rotated log has lines of the old one."""
    with in_memory(warehouse, [COORDINATOR_LOG]) as connection:
        connection.register("lines", lines)
        parameters = {"cluster": cluster, "path": path}
        rows: pa.Table = connection.sql(_NEW, params=parameters).to_arrow_table()
    is_erased = read_erased(warehouse).mask(rows.column("group_id"))
    return rows.filter(pa.array(~is_erased)).cast(TABLES[COORDINATOR_LOG].schema)


def _append(warehouse: Warehouse, rows: pa.Table, known: dict[str, list[int | None]]) -> None:
    """Archive the rows and note the log as read; a log without new lines is read again."""
    transaction = warehouse.begin(TABLES[COORDINATOR_LOG])
    if rows.num_rows:
        folder = warehouse.new_folder(TABLES[COORDINATOR_LOG])
        warehouse.make_folder(folder)
        transaction.append([write_file(rows, f"{folder}/rows.parquet")], {LOGS: known})
