"""Two installations under one cluster id are told as that, and not as a log that lost its end."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pytest

from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from parsers.errors import SourceError
from tests.parsers.log_writer import batch, record
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

PARTITION: Final = "__consumer_offsets-3"
FILE: Final = f"{0:020}.log"


def commits(offsets: Iterable[int], committed: int) -> bytes:
    """A commit of group g at each of these offsets of the log, of what comes after an offset."""
    key, rest = b"\0\1\0\1g\0\1t\0\0\0\0", b"\xff" * 4 + b"\0\0" + bytes(8)
    values = ((offset, b"\0\3" + (committed + offset).to_bytes(8, "big") + rest) for offset in offsets)
    return b"".join(batch(offset, [record(0, key, value)]) for offset, value in values)


def directory(folder: Path, log: bytes, topic_id: str, cluster: str = "baked-in") -> Path:
    """A broker's log directory with one partition."""
    (folder / PARTITION).mkdir(parents=True)
    (folder / PARTITION / FILE).write_bytes(log)
    (folder / PARTITION / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}\n")
    (folder / "meta.properties").write_text(f"version=1\ncluster.id={cluster}\nnode.id=1\n")
    return folder


def rows(warehouse: Path, question: str) -> list[tuple[Any, ...]]:
    """What the database answers."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        return connection.sql(question).fetchall()


DIVERGED: Final = "SELECT kind, occurrences, certainty FROM mart.log_divergence ORDER BY ALL"


@pytest.mark.parametrize(
    ("other_id", "certainty"), [pytest.param("A" * 22, "likely", marks=pytest.mark.slow), ("B" * 22, "proven")]
)
def test_two_lives_of_one_id(tmp_path: Path, other_id: str, certainty: str) -> None:
    """One run says it, in the same words whether they are read at once or one after the other."""
    one = directory(tmp_path / "one", commits(range(40), 100), "A" * 22)
    two = directory(tmp_path / "two", commits(range(60), 7000), other_id)
    assert whole_run(tmp_path / "warehouse", [one]).exit_code == 0
    done = whole_run(tmp_path / "warehouse", [two])
    assert f"TWO INSTALLATIONS: {two} is another installation than the one kept as baked-in" in done.stdout
    assert "40 of 40 records" in done.stdout
    assert rows(tmp_path / "warehouse", DIVERGED) == [("two_installations", 40, certainty)]
    ((claim_kind,),) = rows(
        tmp_path / "warehouse", "SELECT DISTINCT claim_kind FROM mart.findings WHERE kind = 'diverged'"
    )
    assert claim_kind == "two_installations"
    at_once = whole_run(tmp_path / "at-once", [one, two])
    assert at_once.stdout.count("TWO INSTALLATIONS") == 1


def test_copies_that_differ_at_their_end_are_of_one_log(tmp_path: Path) -> None:
    """As after an unclean election: most of what they share is the same."""
    one = directory(tmp_path / "one", commits(range(60), 100), "A" * 22)
    two = directory(tmp_path / "two", commits(range(40), 100) + commits(range(40, 60), 7000), "A" * 22)
    done = whole_run(tmp_path / "warehouse", [one, two])
    assert "TWO INSTALLATIONS" not in done.stdout
    assert rows(tmp_path / "warehouse", DIVERGED) == [("copies_differ", 20, "proven")]


@pytest.mark.slow
def test_a_name_keeps_them_apart(tmp_path: Path) -> None:
    """It counts before the id that both have."""
    one = directory(tmp_path / "one", commits(range(40), 100), "A" * 22)
    two = directory(tmp_path / "two", commits(range(60), 7000), "B" * 22)
    whole_run(tmp_path / "warehouse", [one], "--cluster", "staging")
    done = whole_run(tmp_path / "warehouse", [two], "--cluster", "production")
    assert "TWO INSTALLATIONS" not in done.stdout
    counted = rows(tmp_path / "warehouse", "SELECT cluster, count(*) FROM core.commits GROUP BY ALL ORDER BY ALL")
    assert counted == [("production", 60), ("staging", 40)]


def test_one_name_for_several_clusters_is_refused(tmp_path: Path) -> None:
    """It would mix them."""
    directory(tmp_path / "logs" / "one", commits(range(40), 100), "A" * 22, "first")
    directory(tmp_path / "logs" / "two", commits(range(40), 100), "B" * 22, "second")
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    with pytest.raises(SourceError, match=r"--cluster x would make one of 2 clusters \(first, second\)"):
        plan(warehouse, Sources((str(tmp_path / "logs"),), "x"))
    shutil.rmtree(tmp_path / "logs" / "two")
    assert [read.segment.cluster for read in plan(warehouse, Sources((str(tmp_path / "logs"),), "x")).reads] == ["x"]
