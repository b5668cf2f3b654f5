"""How long a run takes that finds nothing new among many files: `python -m benchmarks.known_files --files 10_000`.

A few files are read; the others are links to them under other paths, and the archive is told that it read those as
well. Only this belongs here; how fast files are read is measured in `benchmarks.ingest`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from assets.catalog import TABLES
from assets.ingest.ingest import SEGMENTS, ingest
from assets.ingest.plan import Sources, plan
from assets.storage.parquet_files import TableFiles
from assets.storage.warehouse import Warehouse
from benchmarks.ingest import make
from benchmarks.report import markdown
from benchmarks.tree import watched

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import SparkSession

COMMITS: Final = 20_000
SEGMENT_BYTES: Final = 9_000
HEADS: Final = ("known files", "nothing new s", "processor s", "driver MiB")


def known(folder: Path, files: int, start_spark: Callable[[], SparkSession]) -> tuple[Warehouse, list[Path]]:
    """A warehouse that knows at least so many files, and the log directories that they are in."""
    logs, warehouse = make(folder, COMMITS, SEGMENT_BYTES), Warehouse(str(folder / "warehouse"))
    ingest(start_spark, warehouse, plan(warehouse, Sources((str(logs),))))
    count = -(-files // len(list(logs.glob("*/*.log"))))
    copies = [folder / f"copy-{number}" for number in range(1, count)]
    for copy in copies:
        shutil.copytree(logs, copy, copy_function=os.link)
    _remember(warehouse, logs, copies)
    return warehouse, [logs, *copies]


def _remember(warehouse: Warehouse, logs: Path, copies: Sequence[Path]) -> None:
    """Tell the archive that the copies were read, too."""
    table = TABLES[SEGMENTS]
    (read,) = ds.dataset(warehouse.files(SEGMENTS), schema=table.schema).to_table().combine_chunks().to_batches()
    with TableFiles({SEGMENTS: warehouse.table_url(SEGMENTS)}, "copies") as files:
        for copy in copies:
            paths = pc.replace_substring(read.column("path"), str(logs), str(copy))
            columns = [paths if name == "path" else read.column(name) for name in read.schema.names]
            files.write(SEGMENTS, pa.RecordBatch.from_arrays(columns, schema=read.schema))
    warehouse.append(table, [file for _name, file in files.written()], {})


def measure(warehouse: Warehouse, logs: Sequence[Path]) -> list[str]:
    """The row of the table: a run's plan and what it then does, which is nothing."""
    counts: list[int] = []

    def run() -> int:
        work = plan(warehouse, Sources(tuple(map(str, logs))))
        counts.append(work.files_known)
        return sum(ingest(_no_spark, warehouse, work).rows.values())

    done = watched(run)
    if done.rows:
        raise ValueError(f"{done.rows} rows were new")
    return [f"{counts[0]:,}", f"{done.seconds:.1f}", f"{done.cpu_seconds:.1f}", f"{done.driver_peak_bytes >> 20}"]


def _no_spark() -> SparkSession:
    raise RuntimeError("a run that finds nothing new needs no Spark")


def main() -> None:
    """Read the command line, measure, print the table."""
    from dagster_project.spark_session import start_session  # noqa: PLC0415 - the test of this needs none

    parser = argparse.ArgumentParser(prog="python -m benchmarks.known_files", description=__doc__)
    parser.add_argument("--files", type=int, nargs="*", default=[1_000, 10_000])
    arguments = parser.parse_args()
    rows = []
    for files in arguments.files:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(*known(Path(folder), files, lambda: start_session("local[2]"))))
    print(markdown(HEADS, rows))


if __name__ == "__main__":
    main()
