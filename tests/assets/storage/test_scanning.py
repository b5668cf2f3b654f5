"""What DuckDB is given of files that Python opens: the same rows, and no more than it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from assets.storage.scanning import DatasetScan, scan

if TYPE_CHECKING:
    from pathlib import Path


def test_duckdb_asks_for_columns_and_rows(tmp_path: Path, monkeypatch: Any) -> None:  # noqa: ANN401
    """Several files are read as one, twice in one question; a filter reaches the scan."""
    for number in range(3):
        rows = pa.table({"a": [number, number + 10], "b": ["x", "y"]})
        pq.write_table(rows, tmp_path / f"{number}.parquet")
    scans: list[dict[str, Any]] = []
    scanner = DatasetScan.scanner

    def spy(self: DatasetScan, **values: Any) -> Any:  # noqa: ANN401
        scans.append(values)
        return scanner(self, **values)

    monkeypatch.setattr(DatasetScan, "scanner", spy)
    with duckdb.connect() as connection:
        connection.register("files", scan(ds.dataset(sorted(map(str, tmp_path.glob("*.parquet"))))))
        relation = connection.sql("SELECT a FROM files WHERE a > 9 UNION ALL SELECT max(a) FROM files ORDER BY ALL")
        assert relation.fetchall() == [(10,), (11,), (12,), (12,)]
    assert {tuple(call["columns"]) for call in scans} == {("a",)}
    assert any(call["filter"] is not None for call in scans)


def test_a_scan_is_not_begun_by_arrows_own_reader(tmp_path: Path) -> None:
    """That would keep the lock of Python while it begins, and wait for files that wait for the lock."""
    pq.write_table(pa.table({"a": [1]}), tmp_path / "0.parquet")
    dataset = scan(ds.dataset(str(tmp_path / "0.parquet")))
    assert not isinstance(dataset.scanner(columns=["a"]), ds.Scanner)
    assert dataset.scanner(columns=["a"]).to_reader().read_all().to_pylist() == [{"a": 1}]
