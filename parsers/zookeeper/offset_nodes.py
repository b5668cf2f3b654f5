"""The nodes in which consumers keep offsets, `/consumers/GROUP/offsets/TOPIC/PARTITION`, as commits and removals.

Put here what a node's path and data say, and where a commit stands among all. How nodes come from files belongs in
`snapshots` and `transactions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.log.damage.quarantine import Trouble
from parsers.zookeeper.changes import together
from parsers.zookeeper.loops import DELETED, STATE
from parsers.zookeeper.positions import LARGEST_ZXID, PLACE_BITS, positions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from parsers.zookeeper.changes import FileChanges

    Mask = npt.NDArray[np.bool_]

_PATH: Final = r"(?P<root>.*)/consumers/(?P<group_id>[^/]+)/offsets/(?P<topic>[^/]+)/(?P<partition>0|[1-9][0-9]{0,9})"
OFFSET_NODES: Final = rf"(?s){_PATH}"
"""Several clusters may share a ZooKeeper, each below a root of its own."""
_NUMBER: Final = r"^-?[0-9]{1,18}$"
_LARGEST_PARTITION: Final = (1 << 31) - 1
MOST_TROUBLES: Final = 100
"""So many nodes of a file are set aside one by one."""
COMMITS: Final = pa.schema(
    [
        *(("log_offset", pa.int64()), ("batch_base_offset", pa.int64()), ("group_id", pa.string())),
        *(("topic", pa.string()), ("partition", pa.int32()), ("committed_offset", pa.int64())),
        *(("timestamp_ms", pa.int64()), ("metadata", pa.string()), ("version", pa.int32())),
        *(("session_id", pa.int64()), ("is_sampled", pa.bool_()), ("source_file", pa.string())),
    ]
)


class FileTrouble(NamedTuple):
    """What could not be read, and the file in which it stands."""

    path: str
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class OffsetNodes:
    """The commits of each root, in the order of their positions, and what could not be read."""

    commits: Mapping[str, pa.Table]
    troubles: tuple[FileTrouble, ...]


def offset_nodes(files: Mapping[str, FileChanges]) -> OffsetNodes:
    """The commits in the files of one ensemble, each once, from whichever servers' files they are."""
    paths = [*files]
    parts = [_of_offsets(one.changes) for one in files.values()]
    changes, file = together(parts), np.repeat(np.arange(len(paths)), [part.num_rows for part in parts])
    rows = changes.append_column("file", pa.array(file))
    troubles = [FileTrouble(path, one) for path, read in files.items() for one in read.troubles]
    is_sound = _is_sound(rows)
    troubles += _unreadable(rows.filter(pa.array(~is_sound)), paths)
    rows = _once(rows.filter(pa.array(is_sound)))
    names = _names(rows)
    roots = names["root"].dictionary_encode().combine_chunks()
    commits = _commits(rows, names, paths)
    codes = roots.indices.to_numpy()
    by_root = {
        root: commits.filter(pa.array(codes == number)).sort_by("log_offset")
        for number, root in enumerate(roots.dictionary.to_pylist())
    }
    return OffsetNodes(by_root, tuple(troubles))


def _of_offsets(changes: pa.Table) -> pa.Table:
    """The changes of nodes that have offsets."""
    coded = changes["path"].combine_chunks()
    return changes.filter(pc.match_substring_regex(coded.dictionary, f"^{OFFSET_NODES}$").take(coded.indices))


def _names(rows: pa.Table) -> pa.Table:
    """The names in the path of each row."""
    coded = rows["path"].combine_chunks()
    parts = pc.extract_regex(coded.dictionary, f"^{OFFSET_NODES}$")
    columns = [pc.struct_field(parts, name).take(coded.indices) for name in ("root", "group_id", "topic", "partition")]
    return pa.table(columns, names=["root", "group_id", "topic", "partition"])


def _is_sound(rows: pa.Table) -> Mask:
    """Which rows say an offset of a partition that can be, or delete one, at a position that 64 bits have."""
    coded = rows["path"].combine_chunks()
    parts = pc.struct_field(pc.extract_regex(coded.dictionary, f"^{OFFSET_NODES}$"), "partition").cast(pa.int64())
    partition = parts.take(coded.indices).to_numpy()
    is_deleted = rows["kind"].to_numpy() == DELETED
    zxid = rows["zxid"].to_numpy()
    sound: Mask = (
        (_is_number(rows) | is_deleted) & (partition <= _LARGEST_PARTITION) & (zxid >= 0) & (zxid <= LARGEST_ZXID)
    )
    return sound


def _is_number(rows: pa.Table) -> Mask:
    """Whose data are the digits of a number, and no more of them than fit into 64 bits."""
    matches = pc.match_substring_regex(rows["data"], _NUMBER)
    return np.asarray(pc.fill_null(matches, fill_value=False).to_numpy(), np.bool_)


def _unreadable(rows: pa.Table, paths: list[str]) -> Iterator[FileTrouble]:
    """The first nodes of each file that say no offset."""
    file = rows["file"].to_numpy()
    for number in np.unique(file):
        for row in rows.filter(pa.array(file == number)).slice(0, MOST_TROUBLES).to_pylist():
            data = row["data"] or b""
            expected = "an offset of at most 18 digits, a partition below 2^31, and an epoch below 2^15"
            actual = f"{data[:40]!r} in {row['path']!r} at zxid {row['zxid']:#x}"
            trouble = Trouble(row["position"], len(data), None, "offset node", expected, actual, data[:4096])
            yield FileTrouble(paths[number], trouble)


def _once(rows: pa.Table) -> pa.Table:
    """One row per node and transaction, by node: of a log before a snapshot, of the last change in a transaction."""
    path, zxid = rows["path"].combine_chunks().indices.to_numpy(), rows["zxid"].to_numpy()
    is_state, file = rows["kind"].to_numpy() == STATE, rows["file"].to_numpy()
    order = np.lexsort([-np.arange(rows.num_rows), file, is_state, zxid, path])
    is_first = np.ones(order.size, np.bool_)
    is_first[1:] = (path[order][1:] != path[order][:-1]) | (zxid[order][1:] != zxid[order][:-1])
    return rows.take(pa.array(order[is_first]))


def _is_sampled(rows: pa.Table) -> Mask:
    """Before which rows, node by node, others may be missing, as far as no version decides.

    That is so of what a snapshot has, and of a deletion without the change before it in the same run of a log.
    """
    same = np.ones(max(rows.num_rows - 1, 0), np.bool_)
    for name in ("file", "run"):
        column = rows[name].to_numpy()
        same &= column[1:] == column[:-1]
    path = rows["path"].combine_chunks().indices.to_numpy()
    kind = rows["kind"].to_numpy()
    follows = np.zeros(rows.num_rows, np.bool_)
    follows[1:] = same & (path[1:] == path[:-1]) & (kind[:-1] != STATE)
    sampled: Mask = (kind == STATE) | ((kind == DELETED) & ~follows)
    return sampled


def _commits(rows: pa.Table, names: pa.Table, paths: list[str]) -> pa.Table:
    """The rows with the columns of `COMMITS`."""
    number = rows["data"].cast(pa.string()) if rows.num_rows else pa.chunked_array([[]], pa.string())
    is_deleted = pc.equal(rows["kind"], DELETED)
    zxid = rows["zxid"].to_numpy()
    columns = {
        "log_offset": pa.array(positions(rows["path"].combine_chunks(), zxid)),
        "batch_base_offset": pa.array(zxid << PLACE_BITS),
        "group_id": names["group_id"],
        "topic": names["topic"],
        "partition": names["partition"].cast(pa.int32()),
        "committed_offset": pc.if_else(is_deleted, None, number).cast(pa.int64()),
        "timestamp_ms": rows["changed_ms"],
        "metadata": pa.nulls(rows.num_rows, pa.string()),
        "version": rows["version"],
        "session_id": pc.if_else(pc.equal(rows["kind"], STATE), None, rows["session_id"]),
        "is_sampled": pa.array(_is_sampled(rows)),
        "source_file": pa.array(paths, pa.string()).take(pa.array(rows["file"].to_numpy())),
    }
    return pa.table([columns[name] for name in COMMITS.names], schema=COMMITS)
