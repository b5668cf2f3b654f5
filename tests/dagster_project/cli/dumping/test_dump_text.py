"""Text that Kafka's tools printed as lines, against the lines of the segments that it was printed of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from dagster_project.cli.dumping.dump_text import is_printed, text_columns, text_lines, text_schema
from parsers.dump.json_lines.files import Reading, file_lines

if TYPE_CHECKING:
    from tests.dagster_project.cli.conftest import Lagbook

TEXTS = Path(__file__).resolve().parents[3] / "bytes" / "text"
FORMS = sorted((TEXTS / "forms").glob("*.txt"))
RECORDED = sorted((TEXTS / "recorded").glob("*-4.1"))
FIELDS = ("offset", "timestamp", "key", "value", "control")


def lines(path: Path) -> list[dict[str, Any]]:
    """Read the lines of a file."""
    parts = text_lines(str(path)) if ".txt" in path.suffixes else file_lines(str(path), Reading())
    written = b"".join(some.data.tobytes() for some in parts)
    return [json.loads(line) for line in written.splitlines()]


@pytest.mark.parametrize("directory", RECORDED, ids=lambda path: path.name)
def test_text_says_what_the_segments_say(directory: Path) -> None:
    """The records of a dump, packed as it was kept, have the keys and values of those in the segments."""
    printed = [line for line in lines(directory / "dump-log.txt.xz") if "trouble" not in line]
    stored = [line for path in sorted(directory.glob("*/*.log")) for line in lines(path) if "offset" in line]
    assert len(printed) == len(stored) > 0
    of_text, wanted = ({json.dumps([line.get(name) for name in FIELDS]) for line in some} for some in (printed, stored))
    assert of_text == wanted


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_every_form_has_lines_and_columns(path: Path) -> None:
    """Each record and each stretch that can't be read is a line, and the columns have the records."""
    assert is_printed(str(path))
    output, wanted = lines(path), json.loads(path.with_suffix(".json").read_text())
    columns = [part for part, _troubles in text_columns(str(path))]
    assert all(part.schema == text_schema() for part in columns)
    records = [line for line in output if "trouble" not in line]
    assert len(records) == sum(part.num_rows for part in columns) > 0
    assert len(output) - len(records) == len(wanted["troubles"])


def test_the_command_takes_text(lagbook: Lagbook, tmp_path: Path) -> None:
    """Text is told by its lines, whatever its name, and goes to Parquet with others of its kind."""
    copy, output = tmp_path / "copy", tmp_path / "columns.parquet"
    copy.write_bytes(FORMS[0].read_bytes())
    result = lagbook("dump", str(copy))
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        line | {"file": str(copy)} for line in lines(FORMS[0])
    ]
    lagbook("dump", str(copy), str(copy), "--format", "parquet", "--output", str(output))
    assert pq.read_table(output).num_rows == 2 * sum(part.num_rows for part, _troubles in text_columns(str(copy)))
