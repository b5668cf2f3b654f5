"""Which files are taken for a broker's text log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from parsers.files.discovery import discover
from parsers.files.text_logs import find_text_logs, is_text_log

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("server.log", True),
        ("server.log.1", True),
        ("server.log.2026-11-18-12", True),
        ("server.log.2026-11-18-12.gz", True),
        ("server.log-20261118.xz", True),
        ("kafkaServer.out", True),
        ("controller.log", False),
        ("my-server.log", False),
        ("server.logs", False),
        ("00000000000000000000.log", False),
    ],
)
def test_a_log_is_known_by_its_name(name: str, is_one: bool) -> None:  # noqa: FBT001 - a table of cases
    """As Kafka calls it, rotated by days or numbers, packed or not."""
    assert is_text_log(f"/var/log/kafka/{name}") is is_one


def test_logs_are_found_beside_the_data(tmp_path: Path) -> None:
    """In whichever folder; a file that is named itself is looked at by its name too; nowhere is none."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "data" / "orders-0").mkdir(parents=True)
    (tmp_path / "logs" / "server.log").write_text("hello")
    (tmp_path / "logs" / "state-change.log").write_text("")
    (tmp_path / "data" / "orders-0" / "00000000000000000000.log").write_bytes(b"")
    (text_log,) = find_text_logs(str(tmp_path))
    assert (text_log.path, text_log.size_bytes) == (str(tmp_path / "logs" / "server.log"), 5)
    assert find_text_logs(text_log.path) == [text_log]
    assert find_text_logs(str(tmp_path / "nowhere")) == []
    assert [one.path for one in discover([str(tmp_path)], None).skipped] == [
        str(tmp_path / "logs" / "state-change.log")
    ]
