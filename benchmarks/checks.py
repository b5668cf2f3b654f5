"""How long it takes to judge core.commits whole, and after a run added a little: `python -m benchmarks.checks`.

The commits of `benchmarks.history` are judged, one hundredth more is added behind the last of one partition, and the
table is judged again. Only this belongs here; how fast questions are is measured in `benchmarks.questions`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from assets.catalog import TABLES
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse
from benchmarks.history import history
from benchmarks.report import markdown
from dagster_project.rules.check_cache import remember
from dagster_project.rules.judging import judge_table, reading
from dagster_project.rules.rules_in_sql import rules_of

if TYPE_CHECKING:
    import duckdb

TABLE: Final = TABLES["core.commits"]
NOT_MADE_UP: Final = frozenset({"advance_goes_forward", "advance_delta", "commit_has_committer"})
"""Rules about columns that `benchmarks.history` leaves out."""
RULES_MEASURED: Final = [rule for rule in rules_of(TABLE.full_name) if rule.name not in NOT_MADE_UP]
OFFSETS: Final = ("log_offset", "effective_log_offset")
HEADS: Final = ("M commits", "whole: processor s", "one hundredth more: processor s", "nothing more: processor s")


def add_hundredth(warehouse: Warehouse) -> int:
    """Add commits behind the last one of a partition of the log; returns how many."""
    archived = warehouse.file_list(TABLE.full_name)
    count = -(-sum(file.rows for file in archived) // 100)
    last = max(archived, key=lambda file: file.maximum["log_offset"])
    rows = ds.dataset(last.uri, schema=TABLE.file_schema).head(count)
    moved_by = last.maximum["log_offset"] + 1
    for name in OFFSETS:
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, rows.schema.field(place), pc.add(rows.column(name), pa.scalar(moved_by)))
    folder = warehouse.new_folder(TABLE)
    warehouse.make_folder(folder)
    warehouse.append(TABLE, [write_file(rows, f"{folder}/rows.parquet")], {})
    return int(rows.num_rows)


def judging_s(connection: duckdb.DuckDBPyConnection, warehouse: Warehouse) -> float:
    """The processor time of judging the table as a run does; what came of it is remembered."""
    began = time.process_time()
    judgement = judge_table(connection, warehouse, TABLE.full_name, RULES_MEASURED, is_whole=False)
    remember(warehouse, TABLE.full_name, judgement.memory)
    taken_s = time.process_time() - began
    if broken := [name for name, verdict in judgement.memory.verdicts.items() if not verdict.holds]:
        raise ValueError(f"the commits that were made up break {', '.join(broken)}")
    return taken_s


def measure(folder: str, commits: int) -> list[str]:
    """The row of the table."""
    warehouse = Warehouse(folder)
    history(warehouse, commits)
    with reading() as connection:
        whole_s = judging_s(connection, warehouse)
        add_hundredth(warehouse)
        more_s, nothing_s = judging_s(connection, warehouse), judging_s(connection, warehouse)
    return [f"{commits / 1e6:g}", f"{whole_s:.2f}", f"{more_s:.2f}", f"{nothing_s:.3f}"]


def main() -> None:
    """Read the command line, measure, print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checks", description=__doc__)
    parser.add_argument("--commits", type=int, nargs="*", default=[2_000_000, 20_000_000])
    rows = []
    for commits in parser.parse_args().commits:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(folder, commits))
    print(markdown(HEADS, rows))


if __name__ == "__main__":
    main()
