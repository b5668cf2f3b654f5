"""The file of external stores: what it declares, and how each mistake in it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from dagster_project.deployment.external_stores import read_external_stores
from parsers.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

TABLE: Final = '[tables.billing]\nsqlite = "b.db"\ntable = "t"\ngroup = "g"\n'
COLUMNS: Final = '[tables.billing.columns]\ntopic = "t"\npartition = "p"\ncommitted_offset = "o"\n'


def _write(tmp_path: Path, text: str) -> str:
    file = tmp_path / "stores.toml"
    file.write_text(text)
    return str(file)


def test_a_file_names_groups_and_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are relative to the file; a secret is read where it is used, and printed nowhere."""
    monkeypatch.setenv("BILLING_DSN", "postgresql://u:hunter2@h/d")
    text = (
        '[checkpoints.orders-etl]\npath = "cp/orders"\n[checkpoints."far away"]\npath = "s3://lake/cp"\n'
        '[tables.ledger]\npostgres_env = "BILLING_DSN"\nquery = "SELECT * FROM l;"\nkind = "history"\n'
        'offset_is = "last_processed"\ncluster = "eu"\n[tables.ledger.columns]\ntopic = "t"\npartition = "p"\n'
        'committed_offset = "o"\nposition = "id"\ngroup_id = "consumer"\nchanged_at = "at"\n'
    )
    stores = read_external_stores(_write(tmp_path, text + TABLE + COLUMNS))
    assert stores.checkpoints == {f"{tmp_path}/cp/orders": "orders-etl", "s3://lake/cp": "far away"}
    ledger, billing = stores.tables
    assert (ledger.query, ledger.is_history, ledger.is_last_processed, ledger.cluster) == (
        "SELECT * FROM l",
        True,
        True,
        "eu",
    )
    assert ledger.postgres
    assert ledger.postgres() == "postgresql://u:hunter2@h/d"
    assert "hunter2" not in repr(stores)
    assert (billing.sqlite, billing.group_id, billing.is_history) == (f"{tmp_path}/b.db", "g", False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"tables: expected \[checkpoints.GROUP\] or \[tables.NAME\], found neither"),
        ("[table.a]\n", "table: there is no such key; did you mean tables?"),
        ("[checkpoints.a]\n", r"\[checkpoints.a\] path: expected, not found"),
        ('[checkpoints.a]\npath = "x"\nid = "y"\n', r"\[checkpoints.a\] id: there is no such key"),
        (TABLE, r"\[tables.billing\] columns: expected, not found"),
        (TABLE + '[tables.billing.columns]\ntopic = "t"\n', r"\[tables.billing.columns\] partition: expected, not"),
        (TABLE + COLUMNS + 'offset = "o"\n', r"\[tables.billing.columns\] offset: there is no such key"),
        (TABLE + COLUMNS + 'position = "id"\n', r'position: expected only where kind = "history", found one'),
        (TABLE + COLUMNS + 'group_id = "g"\n', r"group: expected .* or group_id among the columns, found both"),
        (TABLE.replace("group", "cluster") + COLUMNS, "group: expected .*, found neither"),
        (TABLE + 'kind = "hist"\n' + COLUMNS, "kind: expected one of current, history, found 'hist'"),
        (TABLE + 'kind = "history"\n' + COLUMNS, r"\[tables.billing.columns\] position: expected, not found"),
        (
            TABLE + 'kind = "history"\n' + COLUMNS + 'position = "id"\n',
            r"\[tables.billing.columns\] changed_at: expected, not found",
        ),
        (TABLE + 'query = "SELECT"\n' + COLUMNS, "table: expected one of table and query, found both"),
        (TABLE.replace("sqlite", "file") + COLUMNS, "sqlite: expected one of sqlite, postgres_env .*, found neither"),
        (TABLE + 'postgres_env = "X"\n' + COLUMNS, "sqlite: expected one of .*, found both"),
        (TABLE + "group = 7\n", "is no TOML"),
        (TABLE.replace('"t"', "7") + COLUMNS, "table: expected a text, found a number"),
    ],
)
def test_a_mistake_is_refused_with_its_key(tmp_path: Path, text: str, sentence: str) -> None:
    """File, key, what is expected, what was found."""
    with pytest.raises(SourceError, match=f"stores.toml.*{sentence}"):
        read_external_stores(_write(tmp_path, text))


def test_a_secret_does_not_stand_in_the_file(tmp_path: Path) -> None:
    """And the refusal does not repeat it."""
    text = TABLE.replace('sqlite = "b.db"', 'postgres = "postgresql://u:hunter2@h/d"') + COLUMNS
    with pytest.raises(SourceError, match="expected postgres_env or postgres_file") as refusal:
        read_external_stores(_write(tmp_path, text))
    assert "hunter2" not in str(refusal.value)
