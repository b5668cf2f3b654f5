"""Settings of brokers and topics: which are read, which are kept, and which count in the end."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assets.ingest.broker_files.configuration_files import CONFIGURATIONS
from assets.ingest.broker_files.configurations import keep_configurations
from assets.ingest.plan import Sources, plan
from tests.assets.recorded import opened, warehouse_of
from tests.assets.test_models import insert
from tests.parsers.zookeeper.file_bytes import snapshot

if TYPE_CHECKING:
    import duckdb

    from assets.storage.warehouse import Warehouse

RECORDED = Path(__file__).resolve().parents[3] / "bytes" / "recorded" / "4.3.1.tar.xz"
WANTED = ("meta.properties", "__cluster_metadata-0", "__consumer_offsets-0")
LINES = "node.id={node}\noffsets.retention.minutes=1\nssl.keystore.password=hush\n# log.retention.ms=5\n"
NOON, LATER = "2026-01-01 12:00+00", "2026-01-01 13:00+00"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log directory of broker 1: its KRaft log and one offsets partition."""
    folder = tmp_path_factory.mktemp("recorded")
    prefix = "brokers-forgetful/after-cleaner/1/data/"
    wanted = tuple(prefix + name for name in WANTED)
    with tarfile.open(RECORDED) as packed:
        packed.extractall(folder, [one for one in packed if one.name.startswith(wanted)], filter="data")
    return folder / prefix


@pytest.fixture
def data(recorded: Path, tmp_path: Path) -> Path:
    """The same to be changed, in a folder of its own."""
    return Path(shutil.copytree(recorded, tmp_path / "broker" / "data"))


def settings(warehouse: Warehouse, source: str = "file") -> list[tuple[Any, ...]]:
    """What is kept of a source, in the order in which it was."""
    with opened(warehouse) as connection:
        return connection.execute(
            f"SELECT resource_type, resource_name, config_name, config_value FROM {CONFIGURATIONS}"  # noqa: S608 - names are ours
            " WHERE source = $source ORDER BY read_at, log_offset, resource_name, config_name",
            {"source": source},
        ).fetchall()


@pytest.mark.parametrize("place", ["data", "data/config", ".", "config"])
def test_the_file_beside_a_log_directory_is_read_without_its_secrets(data: Path, place: str, tmp_path: Path) -> None:
    """In the log directory, in the folder above it, and in a folder `config` of either."""
    folder = data.parent / place
    folder.mkdir(exist_ok=True)
    (folder / "server.properties").write_text(LINES.format(node=1))
    warehouse = warehouse_of([data], tmp_path / "warehouse")
    assert settings(warehouse) == [("broker", "1", "offsets.retention.minutes", "1")]


def test_the_file_of_another_broker_is_passed_over(data: Path, tmp_path: Path) -> None:
    """It names another number than the log directory's meta.properties."""
    (data.parent / "server.properties").write_text(LINES.format(node=2))
    assert settings(warehouse_of([data], tmp_path / "warehouse")) == []


def test_a_setting_is_kept_again_only_when_it_changes(data: Path, tmp_path: Path) -> None:
    """Read again as it was it adds nothing; another value is a row, and so is none any more."""
    file = data.parent / "server.properties"
    file.write_text(LINES.format(node=1))
    warehouse = warehouse_of([data], tmp_path / "warehouse")
    version = warehouse.version(CONFIGURATIONS)
    assert keep_configurations(warehouse, Sources(())) == (0, ())
    assert warehouse.version(CONFIGURATIONS) == version
    for lines in ("node.id=1\noffsets.retention.minutes=2\n", "node.id=1\n"):
        file.write_text(lines)
        assert keep_configurations(warehouse, Sources(())) == (1, ())
    assert [value for *_, value in settings(warehouse)] == ["1", "2", None]


def test_a_file_that_is_no_text_holds_up_nothing(data: Path, tmp_path: Path) -> None:
    """It is complained of."""
    (data.parent / "server.properties").write_bytes(b"\xff\xfe")
    warehouse = warehouse_of([data], tmp_path / "warehouse")
    rows, (complaint,) = keep_configurations(warehouse, Sources(()))
    assert rows == 0
    assert "expected UTF-8 text" in complaint


def test_a_file_may_lie_anywhere_when_it_is_named(data: Path, tmp_path: Path) -> None:
    """It says whose it is, and counts before one that lies beside the logs."""
    (data.parent / "server.properties").write_text(LINES.format(node=1).replace("minutes=1", "minutes=9"))
    other = tmp_path / "elsewhere" / "any.properties"
    other.parent.mkdir()
    other.write_text(LINES.format(node=1))
    warehouse = warehouse_of([data], tmp_path / "warehouse")
    assert keep_configurations(warehouse, Sources((), configs=(str(other),))) == (1, ())
    assert settings(warehouse)[-1] == ("broker", "1", "offsets.retention.minutes", "1")
    other.write_text(LINES.format(node=7))
    assert keep_configurations(warehouse, Sources((), configs=(str(other),))) == (2, ())
    assert settings(warehouse)[-1] == ("broker", "7", "offsets.retention.minutes", "1")


def test_a_plan_notices_a_file_that_says_something_else(data: Path, tmp_path: Path) -> None:
    """Of what is kept of it: secrets, comments and order may change, and so may the time of the file."""
    file = data.parent / "server.properties"
    file.write_text(LINES.format(node=1))
    sources = Sources((str(data),))
    warehouse = warehouse_of([data], tmp_path / "warehouse")
    assert plan(warehouse, sources).is_empty
    file.write_text("# another\nssl.keystore.password=louder\n" + LINES.format(node=1))
    assert plan(warehouse, sources).is_empty
    file.write_text(LINES.format(node=1).replace("minutes=1", "minutes=2"))
    changed = plan(warehouse, sources)
    assert [one.path for one in changed.configurations] == [str(file)]
    assert not changed.is_empty
    keep_configurations(warehouse, sources)
    assert plan(warehouse, sources).is_empty


@pytest.mark.parametrize("place", ["data", ".", "zookeeper", "../elsewhere"])
def test_zookeepers_files_are_read_beside_the_logs_or_where_they_are_named(
    data: Path, tmp_path: Path, place: str
) -> None:
    """Each change once, at its time; a broken file is complained of, and the others are read."""
    folder = data.parent / place / "version-2"
    folder.mkdir(parents=True)
    content = b'{"version":1,"config":{"retention.ms":"77"}}'
    (folder / "snapshot.9").write_bytes(snapshot({"/config/topics/orders": (content, 9, 1_767_268_800_000)}))
    (folder / "log.1").write_bytes(b"ZKLG")
    named = Sources((str(data), *([str(folder.parent)] if ".." in place else [])))
    warehouse = warehouse_of([data], tmp_path / "warehouse")
    assert plan(warehouse, named).is_empty != (".." in place)
    outcome = keep_configurations(warehouse, named)
    assert outcome[0] == (1 if ".." in place else 0)
    assert settings(warehouse, "zookeeper") == [("topic", "orders", "retention.ms", "77")]
    assert keep_configurations(warehouse, named) == (0, ())
    assert plan(warehouse, named).is_empty
    assert plan(warehouse, named).unreadable == ()
    (folder / "log.1").unlink()
    later = b'{"version":1,"config":{"retention.ms":"78"}}'
    (folder / "snapshot.a").write_bytes(snapshot({"/config/topics/orders": (later, 10, 1_767_268_900_000)}))
    assert keep_configurations(warehouse, named) == (1, ())
    with opened(warehouse) as connection:
        times = connection.execute(
            f"SELECT epoch_ms(changed_at), log_offset FROM {CONFIGURATIONS} WHERE source = 'zookeeper' ORDER BY ALL"  # noqa: S608
        ).fetchall()
    assert times == [(1_767_268_800_000, 9), (1_767_268_900_000, 10)]


def test_a_named_file_that_can_not_be_read_is_complained_of(data: Path, tmp_path: Path) -> None:
    """The logs are read all the same."""
    warehouse = warehouse_of([data], tmp_path / "warehouse")
    (complaint,) = plan(warehouse, Sources((str(data),), configs=(str(tmp_path / "none"),))).unreadable
    assert str(tmp_path / "none") in complaint


def test_the_settings_of_topics_are_in_the_log_of_kraft(data: Path, tmp_path: Path) -> None:
    """Each record is kept once, with its offset."""
    warehouse = warehouse_of([data], tmp_path / "warehouse")
    of_metadata = settings(warehouse, "metadata")
    assert ("topic", "__consumer_offsets", "cleanup.policy", "compact") in of_metadata
    assert len(of_metadata) == len(set(of_metadata))
    assert keep_configurations(warehouse, Sources(())) == (0, ())


def setting(database: duckdb.DuckDBPyConnection, kind: str, name: str, value: str | None, **values: Any) -> None:  # noqa: ANN401 - a value of any column
    """A setting of topic t or of broker 1, read at noon from a file."""
    row = {"cluster": "c", "source": "file", "resource_type": kind, "resource_name": "t" if kind == "topic" else "1"}
    insert(database, CONFIGURATIONS, **{**row, "config_name": name, "config_value": value, "read_at": NOON, **values})


def retention(database: duckdb.DuckDBPyConnection) -> tuple[Any, ...]:
    """How long records of topic t stay, and offsets."""
    insert(database, "core.topics", cluster="c", topic="t")
    (row,) = database.sql("FROM retention_of('core.topics') WHERE until_at IS NULL").fetchall()
    return tuple(row[2:6])


def test_without_a_configuration_retention_is_kafkas(database: duckdb.DuckDBPyConnection) -> None:
    """A week, and the origin says so."""
    assert retention(database) == (604_800_000, "default", 10_080, "default")


@pytest.mark.parametrize(
    ("name", "value", "retention_ms"),
    [
        ("log.retention.hours", "2", 7_200_000),
        ("log.retention.minutes", "3", 180_000),
        ("log.retention.ms", "4", 4),
        ("log.retention.ms", "-1", None),
        ("log.retention.hours", "9" * 18, 3_155_760_000_000),
        ("log.retention.ms", "soon", 604_800_000),
    ],
)
def test_a_broker_says_how_long_records_stay(
    database: duckdb.DuckDBPyConnection, name: str, value: str, retention_ms: int | None
) -> None:
    """In three units; -1 is for ever, what is no number is nothing, and what no calendar holds is a hundred years."""
    setting(database, "broker", name, value)
    assert retention(database)[:2] == (retention_ms, "default" if value == "soon" else "broker")


def test_the_narrowest_word_counts(database: duckdb.DuckDBPyConnection) -> None:
    """Milliseconds before hours, a topic's own before a broker's, and the latest of each."""
    setting(database, "broker", "log.retention.hours", "2")
    setting(database, "broker", "log.retention.ms", "70")
    setting(database, "broker", "log.retention.ms", "50", read_at=LATER)
    assert retention(database)[:2] == (50, "broker")
    database.execute("DELETE FROM core.topics")
    setting(database, "topic", "retention.ms", "9", source="metadata", log_offset=7)
    assert retention(database)[:2] == (9, "topic")
    database.execute("DELETE FROM core.topics")
    setting(database, "topic", "retention.ms", None, source="metadata", log_offset=8)
    assert retention(database)[:2] == (50, "broker")


def test_what_counted_at_a_time_is_what_was_set_then(database: duckdb.DuckDBPyConnection) -> None:
    """A record's setting from the time of the record on, a file's since ever until it was found to be another."""
    insert(database, "core.topics", cluster="c", topic="t")
    setting(database, "broker", "log.retention.ms", "70")
    setting(database, "broker", "log.retention.ms", "50", read_at=LATER)
    early, late = "2025-01-01 00:00+00", "2025-02-01 00:00+00"
    setting(database, "topic", "retention.ms", "9", source="metadata", log_offset=7, changed_at=early, read_at=LATER)
    setting(database, "topic", "retention.ms", None, source="metadata", log_offset=8, changed_at=late, read_at=LATER)
    columns = "(from_at::VARCHAR)[:10], retention_ms, retention_origin"
    rows = database.sql(f"SELECT {columns} FROM retention_of('core.topics') ORDER BY from_at").fetchall()  # noqa: S608
    assert rows == [
        ("-infinity", 70, "broker"),
        ("2025-01-01", 9, "topic"),
        ("2025-02-01", 70, "broker"),
        ("2026-01-01", 50, "broker"),
    ]


@pytest.mark.parametrize("source", ["metadata", "zookeeper", "live"])
def test_what_is_nearer_to_the_broker_counts_before_a_file(database: duckdb.DuckDBPyConnection, source: str) -> None:
    """The file says what the broker began with."""
    setting(database, "broker", "log.retention.ms", "70", read_at=LATER)
    setting(database, "broker", "log.retention.ms", "50", source=source)
    assert retention(database)[:2] == (50, "broker")


def test_an_offset_expired_by_what_was_set_when_it_did(database: duckdb.DuckDBPyConnection) -> None:
    """Not by what is set now."""
    removal = {"kind": "removed", "cause": "unknown", "idle_ms": 600_000, "effective_at": NOON}
    insert(database, "core.commits", cluster="c", group_id="g", topic="t", partition=0, **removal)
    setting(database, "broker", "offsets.retention.minutes", "5")
    setting(database, "broker", "offsets.retention.minutes", "50", read_at=LATER)
    assert database.sql("SELECT cause FROM _removal_causes()").fetchall() == [("expired",)]


@pytest.mark.parametrize(("minutes", "cause"), [(None, "unknown"), ("5", "expired"), ("50", "unknown")])
def test_an_offset_that_stood_for_the_configured_time_expired(
    database: duckdb.DuckDBPyConnection, minutes: str | None, cause: str
) -> None:
    """Without a configuration nothing tells."""
    removal = {"kind": "removed", "cause": "unknown", "idle_ms": 600_000, "effective_at": NOON}
    insert(database, "core.commits", cluster="c", group_id="g", topic="t", partition=0, **removal)
    if minutes:
        setting(database, "broker", "offsets.retention.minutes", minutes)
    assert database.sql("SELECT cause FROM _removal_causes()").fetchall() == [(cause,)]
