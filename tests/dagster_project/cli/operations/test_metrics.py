"""`lagbook metrics`, as Prometheus' own parser reads it, printed and served."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING
from unittest.mock import patch
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from assets.duckdb import last_run
from assets.duckdb.last_run import LastRun
from assets.storage.warehouse import Warehouse
from dagster_project.monitoring.figures import read_figures
from dagster_project.monitoring.snapshots import Snapshots
from tests.dagster_project.cli.conftest import HOSTILE, change

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook

AT = datetime(2026, 11, 18, 12, tzinfo=timezone.utc)


def parsed(text: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    """The samples of each figure."""
    families = text_string_to_metric_families(text)
    return {family.name: [(sample.labels, sample.value) for sample in family.samples] for family in families}


def printed(lagbook: Lagbook, warehouse: Path, *words: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    """What the command prints."""
    result = lagbook("metrics", "--warehouse", str(warehouse), *words)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("# EOF\n")
    return parsed(result.stdout)


def by(samples: list[tuple[dict[str, str], float]], label: str) -> dict[str, float]:
    """Values by one label."""
    return {labels[label]: value for labels, value in samples}


def test_open_incidents_are_counted_by_severity(lagbook: Lagbook, warehouse: Path) -> None:
    """Those acknowledged are not; a severity without any is 0, not missing."""
    before = by(printed(lagbook, warehouse)["lagbook_open_incidents"], "severity")
    assert set(before) == {"low", "medium", "high", "critical"}
    result = lagbook("audit", "--warehouse", str(warehouse)).stdout
    severity, one = re.findall(r"^\d+\. (\w+) ([0-9a-f]{12}) ", result, re.MULTILINE)[0]
    lagbook("audit", "--ack", one, "--warehouse", str(warehouse))
    after = by(printed(lagbook, warehouse)["lagbook_open_incidents"], "severity")
    assert after == {**before, severity: before[severity] - 1}


def test_amounts_are_those_of_the_incidents(lagbook: Lagbook, warehouse: Path) -> None:
    """Proven and likely; records that are not known are no sample, and no 0."""
    change(
        warehouse,
        "DELETE FROM mart.incidents WHERE kind = 'skip'",
        "UPDATE mart.incidents SET certain_offsets = 7, estimate_offsets = 9, records_certain = 6,"
        " estimate_records = NULL WHERE kind = 'replay'",
    )
    figures = printed(lagbook, warehouse)
    count = by(figures["lagbook_reread_offsets"], "claim")["proven"] / 7
    assert by(figures["lagbook_reread_offsets"], "claim") == {"proven": 7 * count, "likely": 9 * count}
    assert by(figures["lagbook_reread_records"], "claim") == {"proven": 6 * count}
    assert by(figures["lagbook_missed_offsets"], "claim") == {"proven": 0, "likely": 0}


def test_the_number_of_series_is_bounded(lagbook: Lagbook, warehouse: Path) -> None:
    """Groups with the largest lag have series of their own, and the others are counted."""
    change(
        warehouse,
        "INSERT INTO mart.lag_now BY NAME SELECT 'c1' AS cluster, format('g{:05d}', n) AS group_id, 'big' AS topic,"
        " 0 AS partition, n AS current_offset, TRUE AS is_known, 1_000_000 + n AS lag FROM range(20_000) AS t(n)",
    )
    figures = printed(lagbook, warehouse, "--groups", "3")
    assert by(figures["lagbook_group_lag"], "group") == {
        f"g{number:05d}": 1_000_000 + number for number in (19_997, 19_998, 19_999)
    }
    (total,) = by(figures["lagbook_groups"], "cluster").values()
    (left_out,) = by(figures["lagbook_groups_left_out"], "cluster").values()
    assert total - left_out == 3
    assert "lagbook_group_lag" not in printed(lagbook, warehouse, "--groups", "0")


def test_no_name_acts_on_a_terminal_or_doubles_a_series(lagbook: Lagbook, warehouse: Path) -> None:
    """A long name is cut, a hostile one escaped, and two that look alike then still differ."""
    for name in ("n" * 32_000 + "1", "n" * 32_000 + "2", "evil\x1b[2J", r"evil\x1b[2J"):
        change(
            warehouse,
            "INSERT INTO mart.lag_now BY NAME SELECT 'c1' AS cluster, $name AS group_id, 'big' AS topic,"
            " 0 AS partition, 0 AS current_offset, TRUE AS is_known, 5 AS lag",
            name=name,
        )
    result = lagbook("metrics", "--warehouse", str(warehouse))
    names = [labels["group"] for labels, _ in parsed(result.stdout)["lagbook_group_lag"]]
    assert len(names) == len(set(names))
    assert max(map(len, names)) < 300
    assert not any(mark in result.stdout for mark in ("\x1b", "\u202e"))
    assert any(name.startswith("evil\\x1b[2J\\u202egroup\\n<b>") for name in names), HOSTILE


def test_the_last_run_is_told_whether_it_went_well_or_not(lagbook: Lagbook, warehouse: Path) -> None:
    """A run that failed leaves the time of the last good one as it was; one that found nothing new moves it."""
    built = printed(lagbook, warehouse)["lagbook_file_built_timestamp_seconds"][0][1]
    for failure, good in (("no space", built), (None, 4e9)):
        ended = datetime.fromtimestamp(4e9, timezone.utc)
        last_run.write(Warehouse(str(warehouse)), LastRun(AT, ended, failure))
        figures = printed(lagbook, warehouse)
        assert figures["lagbook_last_run_failed"][0][1] == (failure is not None)
        assert figures["lagbook_last_good_run_timestamp_seconds"][0][1] == good


def test_a_warehouse_that_can_not_be_read_is_a_figure(lagbook: Lagbook, tmp_path: Path) -> None:
    """And a sentence, and the exit code 1; figures of before would mislead."""
    result = lagbook("metrics", "--warehouse", str(tmp_path))
    assert (result.exit_code, "does not exist" in result.stderr) == (1, True)
    assert parsed(result.stdout)["lagbook_warehouse_readable"] == [({"warehouse": str(tmp_path)}, 0)]


def test_the_file_is_read_only_when_it_is_another(warehouse: Path) -> None:
    """A scrape costs nothing in between, and sees when the file is gone."""
    figures = Snapshots({"wh": lambda: Warehouse(str(warehouse))}, 10)
    with patch("dagster_project.monitoring.snapshots.read_figures", wraps=read_figures) as reads:
        first, second = figures.text(), figures.text()
        assert (first, reads.call_count) == (second, 1)
        change(warehouse, "DELETE FROM mart.incidents")
        assert sum(by(parsed(figures.text())["lagbook_open_incidents"], "severity").values()) == 0
        assert reads.call_count == 2
    (warehouse / "lagbook.duckdb").unlink()
    assert figures.health()[0]
    assert parsed(figures.text())["lagbook_warehouse_readable"][0][1] == 0
    assert not figures.health()[0]


@pytest.fixture
def served(warehouse: Path) -> Iterator[str]:
    """The root of a server on a free port of loopback."""
    words = ["metrics", "--serve", "127.0.0.1:0", "--warehouse", str(warehouse)]
    command = [sys.executable, "-m", "dagster_project.cli", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        address = running.stderr.readline()
        yield address.split()[1].removesuffix("/metrics")
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 0


def get(url: str) -> tuple[int, str, str]:
    """Code, kind and text of an answer."""
    try:
        with urlopen(url, timeout=30) as answer:  # noqa: S310 - loopback
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()


def test_figures_are_served(served: str, warehouse: Path) -> None:
    """With the kind that Prometheus asks for; health turns when the file is gone and comes back with it."""
    code, kind, text = get(f"{served}/metrics")
    assert (code, kind) == (200, "application/openmetrics-text; version=1.0.0; charset=utf-8")
    assert parsed(text)["lagbook_warehouse_readable"][0][1] == 1
    assert get(f"{served}/healthz")[0] == 200
    file = warehouse / "lagbook.duckdb"
    file.rename(warehouse / "away")
    get(f"{served}/metrics")
    code, _, text = get(f"{served}/healthz")
    assert (code, "does not exist" in text) == (503, True)
    (warehouse / "away").rename(file)
    get(f"{served}/metrics")
    assert get(f"{served}/healthz")[0] == 200
    assert get(f"{served}/")[0] == 404


@pytest.mark.parametrize("address", ["host", "1.2.3.4:", ":9810", "h:99999", "80x"])
def test_an_address_that_is_none_is_refused(lagbook: Lagbook, warehouse: Path, address: str) -> None:
    """Before anything is read."""
    result = lagbook("metrics", f"--serve={address}", "--warehouse", str(warehouse))
    assert (result.exit_code, "expected PORT or HOST:PORT" in result.stderr) == (2, True)


def test_an_address_that_is_taken_is_refused(lagbook: Lagbook, warehouse: Path, served: str) -> None:
    """In one sentence."""
    result = lagbook("metrics", "--serve", served.removeprefix("http://"), "--warehouse", str(warehouse))
    assert (result.exit_code, "can't be listened on" in result.stderr) == (2, True)
