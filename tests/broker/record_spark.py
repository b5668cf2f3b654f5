"""Record a checkpoint: a real query of Spark reads from a real broker, is killed in a batch and started again.

`python -m tests.broker.record_spark FOLDER` writes it as the tests of `tests/bytes/spark-checkpoint` take it. Playing
it belongs here, what is held against it in the tests.
"""

from __future__ import annotations

import json
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.releases import NEWEST, RELEASES
from tests.broker.spark_query import PROCESSED, processed, start, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.broker.cluster import Cluster

TOPIC: Final = "orders"
PARTITIONS: Final = 2
RECORDS: Final = 100
A_BATCH: Final = 20
HANGS: Final = 3
REWOUND_TO: Final = 5
LAST: Final = 9


def play(cluster: Cluster, folder: Path) -> dict[str, Path]:
    """Let a query be killed in batch 3, go on, and be set back to batch 5 by hand; copies of the log directory."""
    Commands(cluster, folder / "commands").create_topic(TOPIC, PARTITIONS)
    clients = Clients(cluster, folder / "clients")
    clients.produce(TOPIC, PARTITIONS, RECORDS)
    query, copies = folder / "query", {}
    for name, hangs, last in (("killed", HANGS, HANGS), ("restarted", -1, LAST), ("rewound", -1, LAST)):
        if name == "rewound":
            rewind(query / "checkpoint")
        program = start(cluster.bootstrap, TOPIC, query, a_batch=A_BATCH, batch_that_hangs=hangs)
        wait_for(program, query, last, complete=hangs < 0)
        program.kill()
        copies[name] = _copy(cluster, query, folder / "copies" / name)
    return copies


def rewind(checkpoint: Path) -> None:
    """Take the last batches out of a checkpoint, as people do who want them processed again."""
    for kind in ("offsets", "commits"):
        for file in (checkpoint / kind).iterdir():
            if file.name.isdecimal() and int(file.name) >= REWOUND_TO:
                file.unlink()
                file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def _copy(cluster: Cluster, query: Path, to: Path) -> Path:
    cluster.broker.copy_logs(to / "logs")
    shutil.copytree(query / "checkpoint", to / "checkpoint")
    shutil.copy(query / PROCESSED, to / PROCESSED)
    return to


def _small(folder: Path) -> Iterator[Path]:
    """The files that tests read: the topic's segments, and the checkpoint without checksums of Hadoop's."""
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder)
        is_log = inside.parts[0] == "logs"
        is_wanted = file.name == "meta.properties" or (file.suffix == ".log" and file.parent.name.startswith(TOPIC))
        if file.is_file() and not file.name.startswith(".") and (is_wanted or not is_log):
            yield file


def main(to: Path) -> None:
    """Write the recording: one archive for each copy."""
    with tempfile.TemporaryDirectory() as scratch:
        with running(RELEASES[NEWEST], Path(scratch) / "cluster") as cluster:
            copies = play(cluster, Path(scratch))
        with tarfile.open(to / "recorded.tar.xz", "w:xz") as archive:
            for name, folder in copies.items():
                for file in _small(folder):
                    archive.add(file, f"{name}/{file.relative_to(folder)}")
        ranges = {name: [list(one) for one in processed(folder)] for name, folder in copies.items()}
        (to / "processed.json").write_text(json.dumps(ranges, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
