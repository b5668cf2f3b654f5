"""How fast offsets in ZooKeeper become rows of raw.external_commits: `python -m benchmarks.zookeeper 1_000_000`.

Transaction logs of ZooKeeper belong here: setData of offsets of a thousand partitions, as old consumers write them.
"""

from __future__ import annotations

import argparse
import struct
import tempfile
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assets.ingest.plan import Sources
from assets.ingest.stores.readers import keep_external_commits
from assets.storage.warehouse import Warehouse
from parsers.zookeeper.files import read_changes
from parsers.zookeeper.offset_nodes import OFFSET_NODES, offset_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS: Final = 50
PARTITIONS: Final = 20
PER_LOG: Final = 100_000
"""ZooKeeper begins another log after about so many transactions."""
EPOCH: Final = 1 << 32
START_MS: Final = 1_500_000_000_000
_CREATE, _SET_DATA = 1, 5
_HEAD: Final = struct.Struct(">qiqqi")


def write_logs(folder: Path, commits: int) -> int:
    """Write logs with so many commits into a folder version-2; give their bytes."""
    place, size_bytes = folder / "version-2", 0
    place.mkdir(parents=True)
    for first in range(0, commits, PER_LOG):
        content = struct.pack(">4siq", b"ZKLG", 2, 0) + b"".join(_transactions(first, min(commits, first + PER_LOG)))
        (place / f"log.{EPOCH + 1 + first:x}").write_bytes(content)
        size_bytes += len(content)
    return size_bytes


def _transactions(first: int, end: int) -> Iterator[bytes]:
    keys = GROUPS * PARTITIONS
    for number in range(first, end):
        key, version = number % keys, number // keys
        path = b"/consumers/group-%d/offsets/orders/%d" % (key // PARTITIONS, key % PARTITIONS)
        data = b"%d" % (version * 500)
        kind, rest = (_SET_DATA, struct.pack(">i", version)) if version else (_CREATE, bytes(9))
        body = _HEAD.pack(7, number & 0xFFFF, EPOCH + 1 + number, START_MS + number, kind)
        body += struct.pack(">i", len(path)) + path + struct.pack(">i", len(data)) + data + rest
        yield struct.pack(">qi", zlib.adler32(body), len(body)) + body + b"B"


def main() -> None:
    """Write logs, read them, and print commits per second of processor time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.zookeeper", description=__doc__)
    parser.add_argument("commits", type=int, nargs="?", default=1_000_000)
    commits = parser.parse_args().commits
    with tempfile.TemporaryDirectory(prefix="lagbook-zookeeper-") as folder:
        logs = Path(folder) / "logs"
        size_bytes = write_logs(logs, commits)
        paths = sorted(str(path) for path in (logs / "version-2").iterdir())
        read_changes(paths[0], OFFSET_NODES)
        started = time.process_time()
        nodes = offset_nodes({path: read_changes(path, OFFSET_NODES) for path in paths})
        _print("files to columns", nodes.commits[""].num_rows, size_bytes, time.process_time() - started)
        started = time.process_time()
        rows = keep_external_commits(Warehouse(f"{folder}/warehouse"), Sources((str(logs),)))
        _print("files to committed Parquet", rows.commits, size_bytes, time.process_time() - started)


def _print(what: str, commits: int, size_bytes: int, seconds: float) -> None:
    """A line of the result."""
    print(f"{what}: {commits:,} commits, {commits / seconds:,.0f} commits/s, {size_bytes / seconds / 1e6:,.0f} MB/s")


if __name__ == "__main__":
    main()
